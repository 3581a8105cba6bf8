/* SPDX-License-Identifier: BSD-2-Clause */
/* A collector, and configurations that log to it; see the header. */
#include "log/test_world.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/err.h"
#include "config/diag.h"
#include "config/environment.h"
#include "config/load.h"
#include "event/loop.h"
#include "log/log_conf.h"

#include <arpa/inet.h>
#include <errno.h>
#include <regex.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

static const struct module *const list[] = { &environment_module, &log_module, &log_run_module, &ring_module, NULL };
struct config *cfg;
int udp = -1;
unsigned udp_port;

static int read_text(const char *fmt, bool check_only)
{
	char text[4096];

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
	snprintf(text, sizeof(text), fmt, udp_port, udp_port, udp_port, udp_port, udp_port);
#pragma GCC diagnostic pop
	cfg = config_new(list, check_only);
	config_read_text(cfg, "test", text, strlen(text));
	return config_finish(cfg);
}

int load(const char *fmt)
{
	return read_text(fmt, false);
}

int check(const char *fmt)
{
	return read_text(fmt, true);
}

void start(const char *fmt)
{
	struct err err = { "" };

	if (load(fmt)) {
		diag_print(cfg->diag, stderr, false, 0, DIAG_NOTE);
		fail();
	}
	if (log_run_module.prepare(cfg, NULL, &err) ||
	    log_run_module.start(cfg, NULL, &err))
		fail_msg("%s", err.text);
	log_stats = (struct log_stats){ 0, 0 };
}

void stop(void)
{
	log_run_module.stop();
	config_free(&cfg);
}

void expect(const char *pattern)
{
	char buf[70000];
	ssize_t n = recv(udp, buf, sizeof(buf) - 1, 0);
	regex_t re;

	if (n < 0)
		fail_msg("nothing arrived, expected %s", pattern);
	buf[n] = 0;
	assert_int_equal(regcomp(&re, pattern, REG_EXTENDED | REG_NOSUB), 0);
	if (regexec(&re, buf, 0, NULL, 0))
		fail_msg("'%s' instead of '%s'", buf, pattern);
	regfree(&re);
}

void expect_none(void)
{
	char c;

	assert_int_equal(recv(udp, &c, 1, 0), -1);
	assert_int_equal(errno, EAGAIN);
}

void say_sd(const char *sd, const char *text)
{
	const struct log_message message = { .msg = span_of(text), .sd = span_of(sd) };

	log_send_message(log_global(), LOG_L_INFO, &message);
}

void say(enum log_level level, const char *text)
{
	log_send(log_global(), level, text, strlen(text));
}

int log_world(void **state)
{
	struct sockaddr_in sin = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t len = sizeof(sin);

	(void)state;
	signal(SIGPIPE, SIG_IGN);
	udp = socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK, 0);
	if (bind(udp, (struct sockaddr *)&sin, sizeof(sin)) ||
	    getsockname(udp, (struct sockaddr *)&sin, &len))
		return -1;
	udp_port = ntohs(sin.sin_port);
	return loop_init(64);
}
