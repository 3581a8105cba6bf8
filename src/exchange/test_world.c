/* SPDX-License-Identifier: BSD-2-Clause */
/* A configuration in service for tests of whole streams (exchange/test_world.h): the modules that
 * the data path needs, none that listens, checks or watches. */
#include "exchange/test_world.h"

#include "base/clock.h"
#include "base/err.h"
#include "config/environment.h"
#include "config/load.h"
#include "event/loop.h"
#include "exchange/errors.h"
#include "exchange/exchange.h"
#include "exchange/forwarded.h"
#include "exchange/http_rules.h"
#include "exchange/idle.h"
#include "exchange/persist.h"
#include "exchange/tune_http.h"
#include "expr/capture.h"
#include "expr/expr.h"
#include "expr/expr_conf.h"
#include "expr/logformat.h"
#include "filter/compress.h"
#include "filter/filter.h"
#include "filter/limit.h"
#include "lb/balance.h"
#include "log/log.h"
#include "net/bind_conf.h"
#include "proxy/stick_conf.h"
#include "proxy/test_config.h"
#include "share/segment.h"
#include "stick/memory.h"
#include "stream/filtering.h"
#include "stream/proxyheader.h"
#include "stream/source.h"
#include "stream/stream.h"
#include "stream/tcp_rules.h"
#include "stream/track.h"
#include "stream/tune.h"

#include <arpa/inet.h>
#include <stdlib.h>

static const struct module *const world_modules[] = {
	&environment_module, &tune_module, &tune_http_module, &bind_module, &log_module,
	&log_run_module, &proxy_module, &server_module, &stick_module, &lb_module,
	&expr_conf_module, &expr_module, &capture_module, &logformat_module, &filter_module,
	&compress_module, &limit_module, &limit_rules_module, &errors_module, &tcp_rules_module,
	&track_module, &http_rules_module, &forwarded_module, &persist_module, &proxyheader_module,
	&source_module, &streams_module, &steps_module, NULL
};
enum { FRONT_MOST = 4 };
static struct config *cfg;

/* Those in front of the proxies' come there. */
static const struct module *const *all_modules(const struct module *const *front)
{
	static const struct module *all[ARRAY_LEN(world_modules) + FRONT_MOST];
	const struct module *const *m;
	size_t n = 0;

	for (m = world_modules; *m; m++) {
		while (*m == &proxy_module && *front)
			all[n++] = *front++;
		all[n++] = *m;
	}
	all[n] = NULL;
	return all;
}

void world_begin(const char *text)
{
	static const struct module *const none[] = { NULL };

	world_begin_with(none, text);
}

void world_begin_with(const struct module *const *front, const char *text)
{
	struct err err = { "" };

	exchange_start();
	clock_update();
	if (loop_init(100))
		abort();
	cfg = test_config_serve(all_modules(front), text);
	if (stick_module.prepare(cfg, config_data(cfg, &stick_module), &err) ||
	    lb_module.prepare(cfg, NULL, &err) ||
	    track_module.prepare(cfg, config_data(cfg, &track_module), &err) ||
	    tune_module.prepare(cfg, config_data(cfg, &tune_module), &err) ||
	    tune_http_module.prepare(cfg, config_data(cfg, &tune_http_module), &err)) {
		fprintf(stderr, "%s\n", err.text);
		abort();
	}
}

void world_turn(int wait_ms)
{
	clock_update();
	loop_turn(wait_ms);
}

void world_end(void)
{
	struct proxies *all = proxies_running;
	unsigned i;

	streams_end_all(END_KILLED);
	idle_close_all();
	for (i = 0; i < 3; i++)
		world_turn(0);
	segment_free(&all->segment);
	proxies_running = NULL;
	stick_memory_end();
	config_free(&cfg);
	loop_free();
}

struct config *world_config(void)
{
	return cfg;
}

struct proxy *world_frontend(const char *name)
{
	return proxy_find(proxies_running, name, PROXY_FRONTEND);
}

struct proxy *world_backend(const char *name)
{
	return proxy_find(proxies_running, name, PROXY_BACKEND);
}

int world_listen(unsigned *port)
{
	struct sockaddr_in in = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t len = sizeof(in);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);

	if (fd < 0 || bind(fd, (struct sockaddr *)&in, sizeof(in)) || listen(fd, 100) ||
	    getsockname(fd, (struct sockaddr *)&in, &len))
		abort();
	*port = ntohs(in.sin_port);
	return fd;
}
