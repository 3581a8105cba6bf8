/* SPDX-License-Identifier: BSD-2-Clause */
/* Takes a configuration into service for one request (explain/world.h). Called by run.c. What would
 * open a socket, ask a name server or write to a log is left out; the rest is the service's own. */
#include "explain/world.h"

#include "base/clock.h"
#include "base/err.h"
#include "config/config.h"
#include "config/module.h"
#include "event/loop.h"
#include "exchange/idle.h"
#include "log/log.h"
#include "net/listener.h"
#include "proxy/proxy.h"
#include "proxy/server.h"
#include "session/keepalive.h"
#include "session/session.h"
#include "stream/stream.h"

#include <string.h>

/* Modules of what a request meets. */
static const char *const prepared[] = { "h1",          "tune http",    "capture", "expr",
					"log formats", "compress",     "trace",   "lb",
					"proxy",       "stick",        "track",   "tune",
					"tls_bind",    "tls-sessions", NULL };

static bool is_prepared(const struct module *module)
{
	const char *const *name = prepared;

	while (*name && strcmp(*name, module->name) != 0)
		name++;
	return *name && module->prepare;
}

/* Sessions of HTTP/1 and of bytes: the client inside speaks no other protocol. */
static void listeners_ready(struct proxy *px)
{
	struct bind_conf *bind;

	list_for_each(bind, &px->binds, node)
		if (!bind->dgram)
			bind->begins = px->set.mode == MODE_HTTP && !px->applet ? keepalive_wait :
										  session_lend;
}

/* Servers speak HTTP/1 in clear here: what they are asked is the same. */
static void servers_ready(struct proxy *px)
{
	struct server *s;

	for (s = px->servers; s; s = s->next) {
		s->carrier = CARRIER_USUAL;
		s->ws = PROTO_UNSET;
		s->tls = NULL;
		s->set.socks4.family = AF_UNSPEC;
	}
}

int world_prepare(struct config *cfg, struct err *err)
{
	struct proxies *all = config_data(cfg, &proxy_module);
	struct proxy *px;
	size_t i;

	log_to_stderr = false;
	all->global.strict_limits = false;
	if (loop_init(16) < 0)
		return err_set(err, "cannot poll");
	for (i = 0; cfg->modules[i]; i++)
		if (is_prepared(cfg->modules[i]) &&
		    cfg->modules[i]->prepare(cfg, cfg->data[i], err) < 0)
			return -1;
	list_for_each(px, &all->list, node) {
		if (px->fe && !px->set.disabled)
			px->run_state = PROXY_READY;
		listeners_ready(px);
		servers_ready(px);
	}
	clock_update();
	clock_freeze(clock_now_ms);
	return 0;
}

void world_turn(void)
{
	loop_turn(0);
}

void world_wait(unsigned ms)
{
	clock_advance(ms);
}

void world_end(struct config *cfg)
{
	(void)cfg;
	streams_end_all(END_KILLED);
	keepalive_close_all();
	idle_close_all();
	world_turn();
	loop_free();
}
