/* SPDX-License-Identifier: BSD-2-Clause */
/* The world in which the tests of health checks live: a backend out of a few lines of
 * configuration, a socket on loopback, a clock that stands still, and what was logged. */
#include "check/test_world.h"

#include "base/clock.h"
#include "base/err.h"
#include "check/check_conf.h"
#include "config/environment.h"
#include "config/load.h"
#include "event/change.h"
#include "event/loop.h"
#include "expr/expr.h"
#include "expr/expr_conf.h"
#include "net/bind_conf.h"
#include "proxy/test_config.h"
#include "share/segment.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static const struct module *const list[] = { &environment_module, &bind_module, &proxy_module,
					     &server_module, &expr_conf_module, &expr_module, &check_tcp_module,
					     &check_http_module, &check_stock_module, &check_module,
					     NULL };
static struct config *cfg;
static int saved_stderr, captured;
int listening = -1;
unsigned port;

void open_port(int backlog)
{
	struct sockaddr_in in = { .sin_family = AF_INET };
	socklen_t len = sizeof(in);

	in.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	in.sin_port = htons((uint16_t)port);
	listening = socket(AF_INET, SOCK_STREAM, 0);
	setsockopt(listening, SOL_SOCKET, SO_REUSEADDR, &(int){ 1 }, sizeof(int));
	assert_int_equal(bind(listening, (struct sockaddr *)&in, sizeof(in)), 0);
	assert_int_equal(listen(listening, backlog), 0);
	assert_int_equal(getsockname(listening, (struct sockaddr *)&in, &len), 0);
	port = ntohs(in.sin_port);
}

void close_port(void)
{
	close(listening);
	listening = -1;
}

int setup(void **state)
{
	(void)state;
	port = 0;
	open_port(100);
	saved_stderr = dup(STDERR_FILENO);
	captured = memfd_create("stderr", 0);
	dup2(captured, STDERR_FILENO);
	return 0;
}

/* global: lines of that section; backend: lines of backend be, in which $ is the port. */
void begin(const char *global, const char *backend)
{
	struct err err = { "" };
	char buf[4096];
	struct text t;

	text_init(&t, buf, sizeof(buf));
	text_printf(&t, "global\n%sdefaults\n timeout connect 5s\n timeout client 1s\n"
		    " timeout server 1s\nbackend be\n", global);
	for (; *backend; backend++) {
		if (*backend == '$')
			text_num(&t, port);
		else
			text_char(&t, *backend);
	}
	clock_freeze(100000);
	assert_int_equal(loop_init(20), 0);
	cfg = test_config_serve(list, t.ptr);
	assert_int_equal(check_module.prepare(cfg, config_data(cfg, &check_module), &err), 0);
	assert_int_equal(check_module.start(cfg, config_data(cfg, &check_module), &err), 0);
}

int teardown(void **state)
{
	struct proxies *all = proxies_running;

	(void)state;
	if (all) {
		check_module.stop();
		segment_free(&all->segment);
		proxies_running = NULL;
	}
	config_free(&cfg);
	loop_free();
	memset(&server_hooks, 0, sizeof(server_hooks));
	dup2(saved_stderr, STDERR_FILENO);
	close(saved_stderr);
	close(captured);
	if (listening >= 0)
		close_port();
	return 0;
}

struct server *srv(const char *name)
{
	return server_find(proxy_find(proxies_running, "be", PROXY_BACKEND), name);
}

/* Lets timers and sockets work until no check is running, at most for as long as they may. */
void work(void)
{
	struct server *s;
	int turns = 0;
	bool running;

	do {
		loop_turn(20);
		running = false;
		for (s = srv("s1"); s; s = s->next)
			running |= s->state->check.running || s->state->agent.running;
	} while (running && ++turns < 20);
	changes_carry_out(); /* of a timer, in the last turn */
}

void pass(unsigned ms)
{
	clock_advance(ms);
	work();
}

unsigned next_in(const char *name)
{
	return (unsigned)(check_of(srv(name))->timer.when - clock_now_ms);
}

void assert_state(const char *name, const char *status, int check_status)
{
	char buf[100];

	assert_string_equal(server_status_text(srv(name), buf, sizeof(buf)), status);
	assert_int_equal(srv(name)->state->check.status, check_status);
}

/* The lines since the last call, without the marks in front; durations are N. */
const char *said(void)
{
	static char buf[8192];
	char raw[8192], *line, *rest = raw, *from, *to;
	ssize_t n = pread(captured, raw, sizeof(raw) - 1, 0);

	assert_true(n >= 0);
	raw[n] = 0;
	buf[0] = 0;
	while ((line = strsep(&rest, "\n"))) {
		if (!strstr(line, " : "))
			continue;
		line = strstr(line, " : ") + 3;
		from = strstr(line, "duration: ");
		to = from ? strstr(from, "ms") : NULL;
		if (to) {
			memcpy(from + 10, "N", 1);
			memmove(from + 11, to, strlen(to) + 1);
		}
		strcat(strcat(buf, line), "\n");
	}
	assert_int_equal(ftruncate(captured, 0), 0);
	assert_int_equal(lseek(captured, 0, SEEK_SET), 0);
	return buf;
}
