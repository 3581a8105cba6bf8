/* SPDX-License-Identifier: BSD-2-Clause */
/* What can be said of servers only when all are known: names, numbers, ports, tracking. */
#include "proxy/learn.h"
#include "proxy/observe_conf.h"
#include "proxy/proxy_conf.h"
#include "proxy/suggest.h"

#include "base/arena.h"
#include "base/str.h"
#include "config/diag.h"

#include <string.h>

enum { HOPS_MOST = 10000 }; /* of servers that track others */

int (*server_need_tls)(struct config *cfg, struct server *s);

static void check_names(struct config *cfg, const struct proxy *px)
{
	const struct catalog_entry *e;
	struct catalog names = { 0 };
	const struct server *first;
	struct server *s;

	for (s = px->servers; s; s = s->next) {
		e = catalog_find(&names, span_of(s->id));
		if (!e) {
			catalog_add(&names, cfg->arena, s->id, s);
			continue;
		}
		first = e->object;
		config_error(cfg, &s->loc, "there is another server '%s' in '%s', at %s:%u", s->id,
			     px->name, first->loc.file, first->loc.line);
	}
}

static void number(struct config *cfg, struct proxy *px)
{
	struct catalog numbers = { 0 };
	const struct server *other;
	struct server *s;
	int next = 1;

	for (s = px->servers; s; s = s->next) {
		other = s->puid ? catalog_number(&numbers, cfg->arena, s->puid, s) : NULL;
		if (other)
			config_error(cfg, &s->loc, "server '%s' has the id %d, which server '%s' at "
				     "%s:%u has already", s->id, s->puid, other->id,
				     other->loc.file, other->loc.line);
	}
	for (s = px->servers; s; s = s->next) {
		s->forced_id = s->puid != 0 && !s->kept_number;
		if (s->puid)
			continue;
		s->puid = catalog_free_number(&numbers, next);
		next = s->puid + 1;
	}
}

static void check_redir(struct config *cfg, const struct server *s)
{
	if (s->set.redir && s->proxy->set.mode != MODE_HTTP)
		config_error(cfg, &s->loc, "server '%s': 'redir' needs mode http", s->id);
}

/* Version 4 knows no other addresses. */
static void check_socks4(struct config *cfg, const struct server *s)
{
	if (!s->set.socks4.family)
		return;
	if (s->spec.addr.family != AF_INET && !s->spec.unresolved &&
	    !(s->spec.addr.family == AF_INET6 && IN6_IS_ADDR_V4MAPPED(&s->spec.addr.v6)))
		config_warning(cfg, &s->loc, "server '%s' can never be reached: 'socks4' connects to "
			       "addresses of IPv4 alone", s->id);
}

/* Which protocol its connections speak. */
static void check_proto(struct config *cfg, struct server *s)
{
	bool http = s->proxy->set.mode == MODE_HTTP;
	bool fits = s->set.proto == PROTO_NONE ? !http : s->set.proto < PROTO_NONE || http;
	enum proto usually = s->set.proto > PROTO_USUAL ? s->set.proto : PROTO_USUAL;

	if (!fits && cfg->serving) /* tools read it */
		config_error(cfg, &s->loc, "MUX protocol is not usable for server.");
	else if (!fits)
		config_error(cfg, &s->loc, "server '%s': 'proto %s' is not for mode %s", s->id,
			     proto_words[s->set.proto], http ? "http" : "tcp");
	if (s->set.ws && !http)
		config_notice(cfg, &s->loc, "server '%s': 'ws' has no effect outside of mode http", s->id);
	if (usually != PROTO_USUAL)
		s->carrier = (uint8_t)CARRIER_OF(usually);
	if (s->set.ws != usually)
		s->ws = (uint8_t)s->set.ws;
	s->particular = s->ws;
	if (proto_can(usually, PROTO_REFUSES) || proto_can(s->ws, PROTO_REFUSES))
		s->proxy->set.retry_on |= RETRY_UNPROCESSED;
}

static void check_init_state(struct config *cfg, struct server *s)
{
	if (s->set.init_state == INIT_STATE_NONE)
		return;
	if (s->set.track)
		config_error(cfg, &s->loc, "server '%s' has 'init-state' and 'track': it is what "
			     "the one is that it tracks", s->id);
	else if (!(s->set.options.on & SRV_CHECK))
		config_notice(cfg, &s->loc, "server '%s': 'init-state' has no effect without "
					    "'check'", s->id);
}

static void check_observe(struct config *cfg, struct server *s)
{
	struct observe_conf *conf;

	if (observe_conf_of(s)->layer != OBSERVE_LAYER7 || s->proxy->set.mode == MODE_HTTP)
		return;
	config_warning(cfg, &s->loc, "server '%s': 'observe layer7' is ignored outside of mode http",
		       s->id);
	conf = server_part_make(s, &observe_conf_part, cfg->arena);
	conf->layer = OBSERVE_NONE;
}

/* A minimum alone, or above the maximum, is the maximum. */
static void set_limits(struct config *cfg, struct server *s)
{
	s->proxy->strict |= (s->set.options.on & SRV_STRICT) != 0;
	if (s->set.maxconn && s->set.minconn > s->set.maxconn)
		config_notice(cfg, &s->loc,
			      "server '%s': minconn %u is above maxconn %u, and counts for both",
			      s->id, s->set.minconn, s->set.maxconn);
	if (s->set.minconn > s->set.maxconn)
		s->set.maxconn = s->set.minconn;
}

static struct server *find_tracked(struct config *cfg, struct proxies *all, const struct server *s)
{
	const char *slash = strchr(s->set.track, '/');
	const char *name = slash ? slash + 1 : s->set.track;
	struct location loc = config_locate(cfg, &s->loc, s->set.track);
	struct proxy *px = s->proxy;
	struct server *found;

	if (slash) {
		const char *backend = arena_strndup(cfg->arena, s->set.track,
						    (size_t)(slash - s->set.track));

		px = proxy_find(all, backend, PROXY_BACKEND);
		if (!px) {
			config_error(cfg, &loc, "server '%s' tracks a server of '%s', but there is "
				     "no such backend", s->id, backend);
			proxy_suggest(cfg, all, backend, PROXY_BACKEND);
			return NULL;
		}
	}
	found = server_find(px, name);
	if (!found && cfg->serving) { /* tools read it */
		config_error(cfg, &loc, "unable to find required server '%s' for tracking.", name);
	} else if (!found) {
		config_error(cfg, &loc, "server '%s' tracks '%s', but '%s' has no such server",
			     s->id, s->set.track, px->name);
		server_suggest(cfg, px, name);
	}
	return found;
}

static void resolve_track(struct config *cfg, struct proxies *all, struct server *s)
{
	if (!s->set.track || s->refused)
		return;
	if (s->set.options.on & SRV_CHECK) {
		config_error(cfg, &s->loc, "server '%s' has 'check' and 'track': it can only do one",
			     s->id);
		return;
	}
	s->tracked = find_tracked(cfg, all, s);
	if (s->tracked && s->tracked->arena) {
		config_error(cfg, &s->loc, "unable to use %s/%s for tracking as it is a dynamic "
			     "server.", s->tracked->proxy->name, s->tracked->id);
		s->tracked = NULL;
	}
	if (s->tracked)
		list_prepend(&s->tracked->trackers, &s->tracker_node);
}

/* Of what it tracks: where the chain ends must be a server with checks. */
static int check_end(struct config *cfg, const struct server *s, const struct server *end,
		     bool goes_round)
{
	if (goes_round)
		return config_error(cfg, &s->loc,
				    "server '%s' tracks %s, which leads back to itself", s->id,
				    s->set.track);
	if (!(end->set.options.on & (SRV_CHECK | SRV_AGENT_CHECK)) && !end->refused)
		return config_error(cfg, &s->loc, "unable to use %s/%s for tracking as it does not have "
				    "any check nor agent enabled.", end->proxy->name, end->id);
	return 0; /* fine, or told already */
}

/* Follows the chain to its end. */
static void check_chain(struct config *cfg, struct server *s)
{
	const struct server *end;
	unsigned hops = 0;

	for (end = s->tracked; end->tracked && end != s && hops < HOPS_MOST; end = end->tracked)
		hops++;
	if (check_end(cfg, s, end, end->tracked) == 0)
		return;
	list_remove(&s->tracker_node);
	s->tracked = NULL;
}

int server_check_track(struct config *cfg, struct proxies *all, const struct server *s)
{
	const struct server *end = s;
	unsigned hops = 0;

	if (!s->set.track)
		return 0;
	do
		end = find_tracked(cfg, all, end);
	while (end && end->set.track && end != s && hops++ < HOPS_MOST);
	return end ? check_end(cfg, s, end, end->set.track) : -1;
}

int server_check_words(struct config *cfg, struct server *s)
{
	unsigned before = cfg->diag->errors_heard;

	set_limits(cfg, s);
	check_redir(cfg, s);
	check_proto(cfg, s);
	check_init_state(cfg, s);
	check_observe(cfg, s);
	check_socks4(cfg, s);
	s->learns = (uint8_t)learn_wanted(s);
	return cfg->diag->errors_heard == before ? 0 : -1;
}

void servers_finish(struct config *cfg, struct proxy *px)
{
	struct server *s;

	check_names(cfg, px);
	number(cfg, px);
	for (s = px->servers; s; s = s->next) {
		if (s->refused)
			continue;
		server_check_words(cfg, s);
		if (!s->set.weight)
			config_note(cfg, &s->loc, "server '%s' has weight 0: balancing never takes it",
				    s->id);
	}
}

void server_track(struct config *cfg, struct proxies *all, struct server *s)
{
	resolve_track(cfg, all, s);
	if (s->tracked)
		check_chain(cfg, s);
}

void servers_track(struct config *cfg, struct proxies *all)
{
	struct proxy *px;
	struct server *s;

	list_for_each(px, &all->list, node)
		for (s = px->servers; s; s = s->next)
			resolve_track(cfg, all, s);
	list_for_each(px, &all->list, node)
		for (s = px->servers; s; s = s->next)
			if (s->tracked)
				check_chain(cfg, s);
}
