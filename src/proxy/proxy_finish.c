/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What can be said of proxies only when all of them are known: names used twice, numbers,
 * default backends, modes, and what the configuration lacks. Then the states are laid out.
 */
#include "proxy/proxy_conf.h"

#include "base/str.h"
#include "net/listener.h"
#include "proxy/guid.h"
#include "proxy/proxy.h"
#include "proxy/server_add.h"
#include "proxy/states.h"
#include "proxy/suggest.h"
#include "tls/conn.h"

#include <string.h>

/* -- names and numbers ------------------------------------------------------------------- */

/* The first one of this name with a side in common is told; it may be px itself. */
static void check_names(struct config *cfg, struct proxies *all)
{
	struct proxy *px, *first;

	list_for_each(px, &all->list, node) {
		first = proxy_find(all, px->name, px->caps);
		if (first != px)
			config_error(cfg, &px->loc, "%s '%s' has the same name as %s '%s' at %s:%u",
				     proxy_kind_name(px), px->name, proxy_kind_name(first),
				     first->name, first->loc.file, first->loc.line);
	}
}

/* As in the reference, so that tools that know a proxy by its number still do: each takes one, also
 * who has chosen another, and so does the first "stats socket" line, where it stands. */
static void number_proxies(struct config *cfg, struct proxies *all)
{
	struct catalog numbers = { 0 };
	struct proxy *px, *other;
	int next = 1;
	unsigned place = 0;

	list_for_each(px, &all->list, node) {
		other = px->uuid && !px->added ?
			catalog_number(&numbers, cfg->arena, px->uuid, px) : NULL;
		if (other)
			config_error(cfg, &px->loc, "%s '%s' has the id %d, which %s '%s' at %s:%u "
				     "has already", proxy_kind_name(px), px->name, px->uuid,
				     proxy_kind_name(other), other->name, other->loc.file,
				     other->loc.line);
	}
	list_for_each(px, &all->list, node) {
		if (++place == all->stats_place)
			next++;
		px->forced_id = px->uuid != 0 && !px->added;
		if (px->added && px->uuid > next)
			next = px->uuid; /* that of before the reload */
		if (!px->forced_id)
			px->uuid = next = catalog_free_number(&numbers, next);
		next++;
	}
}

static void number_listeners(struct config *cfg, struct proxy *px)
{
	struct catalog numbers = { 0 };
	struct bind_conf *bind;
	struct listener *l, *other;
	int next = 1;

	list_for_each(bind, &px->binds, node) {
		if (!bind->id)
			continue;
		l = list_first(&bind->listeners, struct listener, node);
		other = catalog_number(&numbers, cfg->arena, bind->id, l);
		if (other)
			config_error(cfg, &bind->loc, "the id %d belongs to the bind line at %s:%u "
				     "already", bind->id, other->bind->loc.file,
				     other->bind->loc.line);
	}
	list_for_each(bind, &px->binds, node)
		list_for_each(l, &bind->listeners, node) {
			if (l->id)
				continue;
			l->id = catalog_free_number(&numbers, next);
			next = l->id + 1;
		}
}

/* -- from frontend to backend ------------------------------------------------------------ */

/* A frontend that speaks HTTP needs a backend that does. The other way round what the client says
 * is taken for HTTP from the choice of the backend on. */
void proxy_check_modes(struct config *cfg, struct proxy *fe, const struct proxy *be,
		       const struct location *loc)
{
	if (proxy_is_udp(be)) {
		config_error(cfg, loc, "'%s' is an udp-lb section: it takes no connections from '%s'",
			     be->name, fe->name);
		return;
	}
	if (fe->set.mode != MODE_HTTP && be->set.mode == MODE_HTTP)
		fe->upgrades = true;
	if (fe->set.mode == MODE_HTTP && be->set.mode != MODE_HTTP)
		config_error(cfg, loc, "frontend '%s' is in mode http and its backend '%s' is not",
			     fe->name, be->name);
}

static void resolve_default_backend(struct config *cfg, struct proxies *all, struct proxy *px)
{
	const struct location *loc = &px->set.default_backend_loc;
	const char *name = px->set.default_backend;
	struct proxy *backend;

	if (!(px->caps & PROXY_FRONTEND))
		return;
	if (px->caps & PROXY_BACKEND)
		proxy_link(cfg, px, px);
	if (!name)
		return;
	backend = proxy_find(all, name, PROXY_BACKEND);
	if (!backend) {
		if (proxy_find(all, name, PROXY_FRONTEND))
			config_error(cfg, loc, "'%s' is a frontend: default_backend of '%s' needs a "
				     "backend", name, px->name);
		else
			config_error(cfg, loc, "there is no backend '%s' for the default_backend of "
				     "'%s'", name, px->name);
		proxy_suggest(cfg, all, name, PROXY_BACKEND);
		return;
	}
	px->default_backend = backend;
	proxy_note_named(backend, loc);
	proxy_check_modes(cfg, px, backend, loc);
	proxy_link(cfg, px, backend);
}

/* -- what is missing --------------------------------------------------------------------- */

static void check_binds(struct config *cfg, const struct proxy *px)
{
	if (config_failed(cfg)) /* perhaps there is one, and it is wrong */
		return;
	if (!(px->caps & PROXY_FRONTEND) || !list_empty(&px->binds))
		return;
	if (proxy_is_udp(px)) {
		config_warning(cfg, &px->loc, "udp-lb '%s' has no 'dgram-bind' line, so that nobody "
			       "can reach it", px->name);
		return;
	}
	config_warning(cfg, &px->loc, "%s '%s' has no 'bind' line, so that nobody can connect to it; "
		       "declare it as a backend if that is meant", proxy_kind_name(px), px->name);
}

/* Which protocols the clients of a bind line may speak, and what ALPN says of that. */
static void check_http(struct config *cfg, const struct bind_conf *bind)
{
	struct span out;

	if (!bind->tls)
		return;
	tls_bind_offer(bind->tls, bind->proto ? protos[bind->proto].alpn : span_of(PROTO_OFFER));
	if (bind->proto != PROTO_USUAL)
		return;
	out = tls_bind_usual_alone(bind->tls);
	if (out.len)
		config_notice(cfg, &bind->loc, "with 'proto %s', '%.*s' is left out of what "
			      "ALPN offers here", proto_words[bind->proto], (int)out.len,
			      out.ptr);
}

static void check_protocols(struct config *cfg, const struct proxy *px)
{
	const struct bind_conf *bind;

	list_for_each(bind, &px->binds, node) {
		if (px->set.mode == MODE_HTTP && bind->proto == PROTO_NONE)
			config_error(cfg, &bind->loc, "'proto none' needs mode tcp: in mode http, "
				     "clients speak HTTP");
		else if (px->set.mode == MODE_HTTP)
			check_http(cfg, bind);
		else if (bind->proto > PROTO_NONE)
			config_error(cfg, &bind->loc, "'proto' needs mode http: in mode tcp, bytes "
				     "pass whatever they are");
	}
}

static void check_timeouts(struct config *cfg, const struct proxy *px)
{
	const struct timeouts *t = &px->set.timeout;
	bool front = px->caps & PROXY_FRONTEND, back = px->caps & PROXY_BACKEND;
	char buf[64];
	struct text names;

	if (config_failed(cfg) || proxy_is_udp(px)) /* perhaps they are there, and wrong; or have defaults */
		return;
	if (back && t->attempt && px->set.mode != MODE_HTTP)
		config_notice(cfg, &px->loc, "%s '%s': 'timeout try' has no effect outside of mode "
			      "http", proxy_kind_name(px), px->name);
	text_init(&names, buf, sizeof(buf));
	if (front && !t->client)
		text_str(&names, ", client");
	if (back && (px->servers || px->dispatch) && !t->connect)
		text_str(&names, ", connect");
	if (back && (px->servers || px->dispatch) && !t->server)
		text_str(&names, ", server");
	if (names.len)
		config_warning(cfg, &px->loc, "%s '%s' lacks timeouts: %s; without them dead "
			       "connections stay for ever", proxy_kind_name(px), px->name, buf + 2);
}

/* As what is used as the name of a section changes when another is put in between. */
static void check_defaults(struct config *cfg, struct proxies *all)
{
	const struct proxy *px;

	list_for_each(px, &all->defaults, node)
		if (px->used_by_name && px->used_as_last)
			config_warning(cfg, &px->loc, "defaults section '%s' is used by name ('from') "
				       "and as the last one as well; better do only one of both",
				       px->name);
}

/* Nobody asks whether its servers are alive; others may track them all the same. */
static void leave_unchecked(struct proxy *px)
{
	struct server *s;

	for (s = px->servers; s; s = s->next)
		s->set.options.on &= ~(uint64_t)(SRV_CHECK | SRV_AGENT_CHECK);
}

int proxy_finish(struct config *cfg, void *data)
{
	struct proxies *all = data;
	struct proxy *px;

	check_names(cfg, all);
	if (!config_failed(cfg))
		servers_kept(cfg, all, tally_room.rows > 1);
	number_proxies(cfg, all);
	guids_finish(cfg, all);
	check_defaults(cfg, all);
	if (!config_failed(cfg))
		servers_resolve(cfg, all);
	list_for_each(px, &all->list, node) {
		number_listeners(cfg, px);
		resolve_default_backend(cfg, all, px);
		dispatch_finish(cfg, px);
		if (!px->set.disabled) {
			check_binds(cfg, px);
			check_protocols(cfg, px);
			check_timeouts(cfg, px);
		}
		servers_finish(cfg, px);
	}
	servers_track(cfg, all);
	list_for_each(px, &all->list, node)
		if (px->set.disabled)
			leave_unchecked(px);
	list_for_each(px, &all->stats_frontends, node)
		number_listeners(cfg, px);
	list_for_each(px, &all->peers, node)
		number_listeners(cfg, px);
	return states_finish(cfg, all);
}
