/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Backends without balancing: "dispatch" and "option transparent". What no cookie or rule sends to
 * one of the servers goes to an address: that of the line, or the one that the client wanted. It
 * stands for a server without a name (proxy->dispatch), which rows, counters and logs do not show.
 */
#include "proxy/proxy_conf.h"

#include "net/addr_conf.h"

#include <netinet/in.h>

static struct server *dispatch_new(struct config *cfg, struct proxy *px, const struct location *loc)
{
	struct server *s = server_conf_make(cfg, px, "<NOSRV>");

	server_settings_init(&s->set);
	s->loc = *loc;
	return s;
}

/* The kernel connects to itself when it is asked for any address; servers take the client's. */
static void dispatch_here(struct addr *addr)
{
	if (!addr_is_any(addr))
		return;
	if (addr->family == AF_INET)
		addr->v4.s_addr = htonl(INADDR_LOOPBACK);
	else
		addr->v6 = in6addr_loopback;
}

int parse_dispatch(struct statement *st, const struct keyword *kw, void *object)
{
	const unsigned allow = ADDR_NAMES | ADDR_PORT_NEEDED | ADDR_UNIX | ADDR_STAR;
	const char *word = stmt_need(st, "an address and a port");
	struct proxy *px = object;
	struct addr_spec spec;

	(void)kw;
	if (!word || addr_conf_parse(st, word, allow, &spec))
		return -1;
	px->dispatch = dispatch_new(st->cfg, px, &st->loc);
	px->dispatch->spec = spec;
	dispatch_here(&px->dispatch->spec.addr);
	return 0;
}

/* Any address, and the port plus 0: that is the client's for both. */
static void dispatch_transparent(struct config *cfg, struct proxy *px)
{
	px->dispatch = dispatch_new(cfg, px, &px->loc);
	px->dispatch->spec.addr.family = AF_INET;
	px->dispatch->spec.has_offset = true;
}

void dispatch_finish(struct config *cfg, struct proxy *px)
{
	bool transparent = px->set.options.on & OPT_TRANSPARENT;

	if (!(px->caps & PROXY_BACKEND))
		return;
	if (transparent && px->set.balance_given)
		config_error(cfg, &px->loc, "'%s' has 'option transparent' and 'balance': it can only do "
			     "one", px->name);
	else if (px->dispatch && px->set.balance_given)
		config_warning(cfg, &px->dispatch->loc, "'dispatch' is ignored, since '%s' has 'balance', "
			       "too", px->name);
	if (px->set.balance_given)
		px->dispatch = NULL;
	else if (transparent && !px->dispatch)
		dispatch_transparent(cfg, px);
}
