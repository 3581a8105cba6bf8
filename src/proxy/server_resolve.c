/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The host names of servers, looked up when all files have been read without a mistake: what is
 * wrong in them is told at once, however long name servers take. Each name is asked for once. What
 * becomes of a server without an address says "init-addr"; where "last" stands there, state_file.c
 * has the last word. Names of added servers are not looked up, neither when they come nor later:
 * they have the address that a command has given them, or none.
 */
#include "proxy/proxy_conf.h"

#include "base/arena.h"
#include "base/clock.h"
#include "base/err.h"

/* What was found of a name. */
struct answer {
	uint16_t family; /* that was asked for */
	struct addr addr;
	const char *why; /* it has none; NULL: it has one */
};

struct lookups {
	struct config *cfg;
	const struct proxies *all;
	struct catalog known;  /* struct answer, by name */
	uint64_t failing_us;   /* spent on names without an address */
	bool given_up;         /* none is asked for any more */
	const struct server *said; /* the last one reported */
};

/* -c has no use for addresses. When name servers are out of reach it says so and ends, instead of
 * waiting for each name. */
enum { PATIENCE_US = 5000000 };

static struct answer *answer_known(const struct lookups *l, const struct addr_spec *spec)
{
	const struct catalog_entry *e = catalog_find(&l->known, span_of(spec->hostname));

	while (e && ((struct answer *)e->object)->family != spec->family)
		e = catalog_again(e);
	return e ? e->object : NULL;
}

static struct answer *answer_ask(struct lookups *l, const struct addr_spec *spec)
{
	struct answer *a = arena_alloc(l->cfg->arena, sizeof(*a));
	uint64_t began = clock_read_us();
	struct err err;

	a->family = spec->family;
	if (addr_resolve(spec->hostname, spec->family, &a->addr, &err)) {
		a->why = arena_strdup(l->cfg->arena, err.text);
		l->failing_us += clock_read_us() - began;
	}
	catalog_add(&l->known, l->cfg->arena, spec->hostname, a);
	return a;
}

/* Copies of a server-template are told of with the first. */
static bool said_already(struct lookups *l, const struct server *s)
{
	bool same = l->said && l->said->proxy == s->proxy && l->said->loc.line == s->loc.line &&
		    !strcmp(l->said->loc.file, s->loc.file);

	l->said = s;
	return same;
}

/* Asks for the server's name: true, and it has its address, or the reason why not. */
static bool resolved(struct lookups *l, struct server *s, const char **why)
{
	const struct answer *a = answer_known(l, &s->spec);
	uint16_t port = s->spec.addr.port;

	if (!a && !l->given_up)
		a = answer_ask(l, &s->spec);
	*why = a ? a->why : NULL;
	if (!a || a->why)
		return false;
	s->spec.addr = a->addr;
	s->spec.addr.port = port;
	return true;
}

/* May a file of server states still know its address? It is read at the start, which looks
 * again. */
static bool last_may_help(const struct server *s)
{
	size_t i;

	for (i = 0; i < ARRAY_LEN(s->set.init_addr); i++)
		if (s->set.init_addr[i] == INIT_ADDR_LAST)
			return s->proxy->set.load_state != LOAD_STATE_NONE;
	return false;
}

/* What happens to a server whose name has no address. why NULL: it was not asked for. */
static void report(struct lookups *l, const struct server *s, const char *why, const char *then)
{
	bool ignored = then || l->all->global.ignore_resolution;

	if (said_already(l, s) || !why)
		return;
	if (ignored)
		config_warning(l->cfg, &s->loc, "%s; server %s starts %s", why, s->id,
			       then ? then : "disabled (-dr)");
	else if (l->cfg->check_only || last_may_help(s))
		config_warning(l->cfg, &s->loc, "%s", why);
	else
		config_error(l->cfg, &s->loc, "%s", why);
}

/* -c waits no longer. */
static void give_up(struct lookups *l, const struct server *s)
{
	if (l->given_up || !l->cfg->check_only || l->failing_us < PATIENCE_US)
		return;
	l->given_up = true;
	config_warning(l->cfg, &s->loc, "the names of further servers are not looked up: those that have no "
		       "address took %llu seconds", (unsigned long long)(l->failing_us / 1000000));
}

/* The methods of "init-addr" in their order. What "last" finds is applied at the start, over
 * this. */
static void resolve_one(struct lookups *l, struct server *s)
{
	const char *why = NULL;
	size_t i;

	for (i = 0; i < ARRAY_LEN(s->set.init_addr); i++) {
		switch (s->set.init_addr[i]) {
		case INIT_ADDR_LIBC:
			if (resolved(l, s, &why)) {
				s->spec.unresolved = false;
				return;
			}
			break;
		case INIT_ADDR_IP:
			s->spec.addr = s->set.init_ip;
			s->spec.addr.port = s->spec.last_port;
			s->spec.unresolved = false;
			report(l, s, why, "with the address of 'init-addr'");
			return;
		case INIT_ADDR_NONE:
			report(l, s, why, "disabled");
			return;
		case INIT_ADDR_LAST:
		case INIT_ADDR_END:
			break;
		}
	}
	report(l, s, why, NULL);
	give_up(l, s);
}

void servers_resolve(struct config *cfg, struct proxies *all)
{
	struct lookups l = { .cfg = cfg, .all = all };
	struct proxy *px;
	struct server *s;

	list_for_each(px, &all->list, node)
		for (s = px->servers; s; s = s->next)
			if (s->spec.unresolved && !s->is_service && !s->added)
				resolve_one(&l, s);
}
