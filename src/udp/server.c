/* SPDX-License-Identifier: BSD-2-Clause */
/* Sessions at servers: which one a session gets, how it is counted there, sockets that lead there.
 * What they do about sessions is done by sessions.c. */
#include "udp/server.h"

#include "base/clock.h"
#include "expr/expr.h"
#include "expr/rule_conf.h"
#include "expr/view.h"
#include "lb/balance.h"
#include "net/listener.h"
#include "proxy/observe_conf.h"
#include "proxy/proxy.h"
#include "queue/slot.h"
#include "udp/lb.h"

#include <unistd.h>

/* What rules see: addresses, and the first datagram. */
static void view_of_first(const struct udp_port *port, const struct addr *client,
			  const struct addr *local, struct span payload, struct view *view)
{
	*view = (struct view){
		.frontend = port->lb->proxy,
		.backend = port->lb->proxy,
		.listener = port->dgram.listener,
		.src = client,
		.session_src = client,
		.session_dst = local,
		.dst = local,
		.request = payload,
		.request_final = true,
		.response_final = true,
	};
}

struct server *udp_server_choose(struct udp_port *port, const struct addr *client,
				 const struct addr *local, struct span payload,
				 const struct udp_wish *wish)
{
	struct balance_key key = { .src = client, .avoid = wish->avoid };
	struct proxy *px = port->lb->proxy;
	struct server *server = NULL;
	struct sample smp;
	struct view view;
	bool full = false;

	if (wish->keep && slot_take(wish->keep))
		return wish->keep;
	view_of_first(port, client, local, payload, &view);
	if (px->use_server_rules && !wish->avoid)
		server = use_server(px, &view);
	if (server)
		return slot_take(server) ? server : NULL;
	if (px->set.balance == BALANCE_HASH &&
	    expr_eval_as(px->set.balance_by->expr, &view, AT_SERVER | AT_FINAL, SMP_BIN, &smp) ==
		    EXPR_FOUND) {
		key.hashed = true;
		key.hash = balance_hash(px, smp.str);
	}
	server = balance_pick(px, &key, &full);
	if (!server || !slot_take(server))
		return NULL;
	server->tally->counters.balanced++;
	px->be->counters.balanced++;
	return server;
}

void udp_server_count(struct server *server)
{
	struct counters *c = &server->tally->counters;
	struct proxy *px = server->proxy;

	px->be->served++;
	balance_taken(server);
	c->sessions++;
	c->connects++;
	px->be->counters.connects++;
	rate_add(&c->session_rate, clock_now_ms, 1);
	server->tally->last_session_s = px->be->last_session_s = (uint64_t)clock_wall().tv_sec;
}

void udp_server_release(struct server *server)
{
	slot_give(server);
	server->proxy->be->served--;
	balance_released(server);
}

void udp_server_observe(struct server *server, enum observed what)
{
	if (observe_conf_of(server)->layer == OBSERVE_LAYER4 && server_hooks.observed)
		server_hooks.observed(server, what);
}

struct addr udp_server_addr(const struct server *server, const struct addr *local)
{
	const struct server_state *state = server->state;
	struct addr to = addr_is_any(&state->addr) ? *local : state->addr;

	to.port = state->port_follows ? (uint16_t)(local->port + state->port_offset) :
					state->addr.port;
	return to;
}

enum dial_result udp_server_dial(struct server *server, const struct addr *client,
				 const struct addr *local, int *fd)
{
	struct addr to = udp_server_addr(server, local);

	return server_dial_datagrams(server, &to, client, fd);
}

static const struct source_conf *source_of(const struct udp_lb *lb, const struct server *server)
{
	return server->set.source.set ? &server->set.source : &lb->proxy->set.source;
}

bool udp_server_forgets(const struct udp_lb *lb, const struct server *server)
{
	return !lb->responses && !lb->requests && !server->state->port_follows &&
	       !addr_is_any(&server->state->addr) &&
	       source_of(lb, server)->usesrc == USESRC_NONE;
}

bool udp_server_names_port(const struct udp_lb *lb, const struct server *server)
{
	const struct source_conf *src = source_of(lb, server);

	if (src->usesrc == USESRC_ADDR)
		return src->usesrc_addr.port;
	if (src->usesrc != USESRC_NONE)
		return src->usesrc == USESRC_CLIENT;
	return src->addr.port && src->last_port <= src->addr.port;
}

/* What sockets to it are bound to: an address, and ports from addr.port to last; 0: no certain
 * ones. */
struct bound {
	struct addr addr;
	uint16_t first, last;
};

static struct bound bound_of(const struct udp_lb *lb, const struct server *server)
{
	const struct source_conf *src = source_of(lb, server);
	struct bound b = { .addr = src->usesrc == USESRC_ADDR ? src->usesrc_addr : src->addr };

	if (src->usesrc == USESRC_NONE || src->usesrc == USESRC_ADDR)
		b.first = b.last = b.addr.port;
	if (src->usesrc == USESRC_NONE && src->last_port > b.last)
		b.last = src->last_port;
	b.addr.port = 0;
	return b;
}

bool udp_server_has_ports(const struct udp_lb *lb, const struct server *server)
{
	return bound_of(lb, server).first;
}

bool udp_server_shares_ports(const struct udp_lb *lb, const struct server *one,
			     const struct server *other)
{
	struct bound a = bound_of(lb, one), b = bound_of(lb, other);

	if (!a.first || !b.first || a.first > b.last || b.first > a.last)
		return false;
	return addr_is_any(&a.addr) || addr_is_any(&b.addr) || addr_equal(&a.addr, &b.addr);
}

static struct udp_spare *spare_of(struct udp_lb *lb, const struct server *server)
{
	return &lb->spares[(unsigned)server->puid % UDP_SPARES];
}

int udp_spare_take(struct udp_lb *lb, const struct server *server)
{
	struct udp_spare *spare = spare_of(lb, server);

	if (spare->server != server || !addr_equal(&spare->addr, &server->state->addr))
		return -1;
	spare->server = NULL;
	return spare->fd;
}

void udp_spare_drop(struct udp_spare *spare)
{
	if (spare->server)
		close(spare->fd);
	spare->server = NULL;
}

void udp_spare_give(struct udp_lb *lb, const struct server *server, int fd)
{
	struct udp_spare *spare = spare_of(lb, server);

	udp_spare_drop(spare);
	*spare = (struct udp_spare){ server, server->state->addr, fd };
}
