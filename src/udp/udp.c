/* SPDX-License-Identifier: BSD-2-Clause */
/* Sections "udp-lb" when all is known: what they cannot have; and their life in a process that
 * serves. */
#include "base/arena.h"
#include "base/err.h"
#include "config/config.h"
#include "config/diag.h"
#include "dgram/serve.h"
#include "expr/datagrams.h"
#include "expr/expr.h"
#include "expr/state.h"
#include "lb/balance_conf.h"
#include "lb/key.h"
#include "log/log.h"
#include "net/listener.h"
#include "proxy/proxy.h"
#include "proxy/proxy_conf.h"
#include "share/segment.h"
#include "udp/answers.h"
#include "udp/beside.h"
#include "udp/lb.h"
#include "udp/port.h"
#include "udp/session.h"
#include "udp/udp_conf.h"

#include <string.h>

/* ---- the end of the configuration -------------------------------------------------------- */

static int check_server(struct config *cfg, const struct server *s)
{
	if (s->refused)
		return 0;
	if (s->set.proxy_v2 & ~(unsigned)PROXY_V2_CRC32C)
		return config_error(cfg, &s->loc,
				    "server '%s': 'proxy-v2-options' is not for datagrams, "
				    "but for 'crc32c': '%s' is an udp-lb section",
				    s->id, s->proxy->name);
	if (s->spec.addr.family == AF_UNIX)
		return config_error(cfg, &s->loc, "server '%s' of the udp-lb section '%s' cannot be a "
				    "Unix socket", s->id, s->proxy->name);
	return 0;
}

static int check_balance(struct config *cfg, const struct proxy *px)
{
	const struct location *loc = &px->set.balance_loc;
	const struct expr *key = px->set.balance == BALANCE_HASH ? px->set.balance_by->expr : NULL;

	if (key && expr_of_datagram(key))
		return 0;
	if (key) {
		config_error(
			cfg, loc,
			"'balance hash %s' finds nothing in the udp-lb section '%s': datagrams "
			"have no %s",
			expr_text(key), px->name, expr_missing_in_datagrams(key));
		diag_hintf(cfg->diag, "'src', 'src_port', 'dst', 'dst_port', 'req.len' and "
			   "'req.payload(0,4)', the first bytes, find something");
		return -1;
	}
	if (px->set.balance == BALANCE_PEAK_EWMA)
		config_error(cfg, loc,
			     "'balance peak-ewma' of the udp-lb section '%s' goes by answers, and "
			     "datagrams need none",
			     px->name);
	else if (px->set.balance >= BALANCE_URI)
		config_error(cfg, loc, "'balance %s' of the udp-lb section '%s' looks at what only "
			     "connections have", balance_name(px->set.balance), px->name);
	else
		return 0;
	diag_hintf(cfg->diag,
		   "roundrobin, static-rr, leastconn, first, source, random and hash are for "
		   "datagrams; 'balance hash req.payload(0,4)' goes by the first bytes");
	return -1;
}

static int udp_finish(struct config *cfg, void *data)
{
	struct proxies *all = config_data(cfg, &proxy_module);
	const struct server *s;
	const struct proxy *px;
	int bad = 0;

	(void)data;
	list_for_each(px, &all->list, node) {
		if (!udp_lb_of(px))
			continue;
		bad |= check_balance(cfg, px);
		for (s = px->servers; s; s = s->next)
			bad |= check_server(cfg, s);
	}
	return bad;
}

/* ---- a process that serves --------------------------------------------------------------- */

/* Sockets are dealt out by turns. */
static bool is_ours(const struct listener *l)
{
	unsigned number = expr_process.number ? (unsigned)expr_process.number - 1 : 0;

	return l->shard % segment_workers == number;
}

static bool gathers(const struct dgram_port *port)
{
	return udp_gathers(udp_port_of(port)->lb);
}

static void mixed(struct dgram_port *port, int error)
{
	log_process(LOG_L_WARNING, "udp-lb %s: clients may change to other workers, for the sockets "
		    "of the port cannot be told apart by client: %s.",
		    udp_port_of(port)->lb->proxy->name, strerror(error));
}

static const struct dgram_user user = {
	.receive = udp_port_receive,
	.flush = udp_answers_flush,
	.gathers = gathers,
	.part = udp_beside_all,
	.mixed = mixed,
};

static void start_port(struct proxy *px, struct listener *l, struct udp_port *port)
{
	static uint16_t number;
	unsigned turn;

	port->lb = udp_lb_of(px);
	port->number = ++number;
	for (turn = 0; turn < UDP_TURNS; turn++)
		list_init(&port->turns[turn]);
	list_append(&port->lb->ports, &port->node);
	dgram_serve(&port->dgram, l, &user);
}

static int start_section(struct config *cfg, struct proxy *px)
{
	struct bind_conf *bind;
	struct listener *l;

	if (udp_sessions_start(udp_lb_of(px), cfg->arena) < 0)
		return -1;
	/* Claims of other workers do not matter to those that are not ours. */
	list_for_each(bind, &px->binds, node)
		list_for_each(l, &bind->listeners, node) {
			l->elsewhere = !is_ours(l);
			if (!l->elsewhere)
				start_port(px, l, arena_alloc(cfg->arena, sizeof(struct udp_port)));
		}
	return 0;
}

static int udp_start(struct config *cfg, void *data, struct err *err)
{
	struct proxies *all = config_data(cfg, &proxy_module);
	bool any = false;
	struct proxy *px;

	(void)data;
	list_for_each(px, &all->list, node) {
		if (!udp_lb_of(px) || px->set.disabled)
			continue;
		if (start_section(cfg, px) < 0)
			return err_set(err, "udp-lb '%s': no random numbers", px->name);
		any = true;
	}
	if (any)
		streams_end_others = udp_sessions_end_server;
	if (any && udp_ports_start() < 0)
		return err_set(err, "udp-lb: out of memory");
	return 0;
}

static void udp_stop(void)
{
	udp_sessions_end_all(END_KILLED);
	udp_answers_flush();
}

const struct module udp_module = {
	.name = "udp",
	.finish = udp_finish,
	.start = udp_start,
	.stop = udp_stop,
};
