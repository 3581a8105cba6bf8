/* SPDX-License-Identifier: BSD-2-Clause */
/* use_backend and use-server: which backend, which server, by conditions (manual 4.2). Plain
 * names are looked up at the end of the configuration, log formats for each stream. Called by
 * the steps of a stream that choose. */
#include "base/arena.h"
#include "base/err.h"
#include "expr/logformat.h"
#include "expr/rule_conf.h"
#include "expr/watch.h"
#include "proxy/proxy.h"
#include "proxy/proxy_conf.h"
#include "proxy/suggest.h"

struct switch_rule {
	struct list node;
	struct location loc, named; /* the line, and the name in it */
	const char *name;
	struct logformat *format; /* of names that are made at run time; else NULL */
	struct proxy *backend;    /* use_backend */
	struct server *server;    /* use-server */
	struct cond *cond;
	bool broken; /* its condition is wrong, and was reported; the name is looked up all the same */
};

/* force-be-switch */
struct force_rule {
	struct force_rule *next;
	struct location loc;
	struct cond *cond;
};

/* -- parsing ---------------------------------------------------------------------------- */

static int switch_name(struct statement *st, struct proxy *proxy, unsigned where,
		       const char *what, struct switch_rule *rule)
{
	struct expr_context ctx = { .cfg = st->cfg, .arena = st->cfg->arena, .loc = st->loc,
				    .proxy = proxy };
	struct err err;

	rule->loc = st->loc;
	rule->name = stmt_need(st, what);
	if (!rule->name)
		return -1;
	if (!*rule->name)
		return stmt_error(st, st->at - 1, "%s is empty", what);
	rule->named = stmt_location(st);
	if (!strchr(rule->name, '%'))
		return 0;
	rule->format = logformat_compile_as(FORMAT_RAW, rule->name, &ctx, where, &err);
	return rule->format ? 0 : stmt_error(st, st->at - 1, "%s", err.text);
}

int switch_parse_backend(struct statement *st, const struct keyword *kw, void *object)
{
	struct switch_rule *rule = arena_alloc(st->cfg->arena, sizeof(*rule));
	struct proxy *proxy = object;

	(void)kw;
	if (switch_name(st, proxy, AT_REQUEST, "the name of a backend", rule))
		return -1;
	list_append(&proxy->switch_rules, &rule->node);
	rule->broken = cond_parse(st, proxy, AT_REQUEST, "use_backend", &rule->cond) != 0;
	return rule->broken ? -1 : 0;
}

int switch_parse_server(struct statement *st, const struct keyword *kw, void *object)
{
	struct switch_rule *rule = arena_alloc(st->cfg->arena, sizeof(*rule));
	struct proxy *proxy = object;

	(void)kw;
	if (switch_name(st, proxy, AT_SERVER, "the name of a server", rule))
		return -1;
	if (!stmt_peek(st))
		return stmt_error(st, st->at, "'if' or 'unless' and a condition are expected");
	if (!proxy->use_server_rules) {
		proxy->use_server_rules = arena_alloc(st->cfg->arena, sizeof(struct list));
		list_init(proxy->use_server_rules);
	}
	list_append(proxy->use_server_rules, &rule->node);
	rule->broken = cond_parse(st, proxy, AT_SERVER, "use-server", &rule->cond) != 0;
	return rule->broken ? -1 : 0;
}

int switch_parse_force(struct statement *st, const struct keyword *kw, void *object)
{
	struct force_rule *rule = arena_alloc(st->cfg->arena, sizeof(*rule)), **last;
	struct proxy *proxy = object;

	if (!stmt_peek(st))
		return stmt_error(st, st->at, "'if' or 'unless' and a condition are expected");
	rule->loc = st->loc;
	if (cond_parse(st, proxy, AT_REQUEST, kw->name, &rule->cond))
		return -1;
	for (last = &proxy->force_rules; *last; last = &(*last)->next)
		;
	*last = rule;
	return 0;
}

/* -- the end of the configuration ------------------------------------------------------- */

static int finish_backend(struct config *cfg, struct proxies *all, struct proxy *px,
			  struct switch_rule *rule)
{
	px->has_switch_rules = true;
	px->switch_looks |= rule->format || cond_looks(rule->cond);
	if (rule->format) {
		px->switch_anywhere = true;
		px->upgrades = true; /* for all that is known */
		return 0;
	}
	rule->backend = proxy_find(all, rule->name, PROXY_BACKEND);
	if (rule->backend == px)
		return config_error(cfg, &rule->named, "'%s' cannot switch to itself", px->name);
	if (!rule->backend) {
		config_error(cfg, &rule->named, "there is no backend '%s'%s", rule->name,
			     proxy_find(all, rule->name, PROXY_FRONTEND)
				     ? ": a frontend has this name"
				     : "");
		proxy_suggest(cfg, all, rule->name, PROXY_BACKEND);
		return -1;
	}
	proxy_note_named(rule->backend, &rule->loc);
	proxy_check_modes(cfg, px, rule->backend, &rule->loc);
	proxy_link(cfg, px, rule->backend);
	return 0;
}

static int finish_server(struct config *cfg, struct proxy *px, struct switch_rule *rule)
{
	if (rule->format)
		return 0;
	rule->server = server_find(px, rule->name);
	if (rule->server) {
		rule->server->pointed_at = true;
		return 0;
	}
	config_error(cfg, &rule->named, "there is no server '%s' in '%s'", rule->name, px->name);
	server_suggest(cfg, px, rule->name);
	return -1;
}

/* The first rule without a condition ends the search; said where the next one stands. */
static void warn_unreached(struct config *cfg, const struct list *rules)
{
	const struct switch_rule *rule, *last = NULL;

	list_for_each(rule, rules, node) {
		if (last) {
			config_notice(cfg, &rule->loc, "this 'use_backend' is never reached: the one at %s:%u "
				      "%s", last->loc.file, last->loc.line,
				      last->cond ? "always holds" : "has no condition");
			return;
		}
		if (!rule->broken && cond_always(rule->cond))
			last = rule;
	}
}

int switch_finish(struct config *cfg, struct proxies *all)
{
	const struct force_rule *force;
	struct switch_rule *rule;
	struct proxy *px;
	int bad = 0;

	list_for_each(px, &all->list, node) {
		for (force = px->force_rules; force; force = force->next)
			px->switch_looks |= cond_looks(force->cond);
		warn_unreached(cfg, &px->switch_rules);
		list_for_each(rule, &px->switch_rules, node)
			bad |= finish_backend(cfg, all, px, rule);
		if (!px->use_server_rules)
			continue;
		list_for_each(rule, px->use_server_rules, node)
			bad |= finish_server(cfg, px, rule);
	}
	return bad;
}

/* -- choosing --------------------------------------------------------------------------- */

static bool switch_matches(const struct switch_rule *rule, const struct view *view,
			   unsigned place)
{
	if (unlikely(watch != NULL))
		watch->choice(place == AT_REQUEST ? "use_backend" : "use-server", &rule->loc, view);
	return cond_eval(rule->cond, view, place | AT_FINAL) == COND_YES;
}

static const char *switch_made_name(const struct switch_rule *rule, const struct view *view)
{
	static char name[512];
	struct text t;

	text_init(&t, name, sizeof(name));
	logformat_write(rule->format, view, &t);
	return name;
}

/* A section for datagrams takes no streams. */
static struct proxy *switch_named(const char *name)
{
	struct proxy *px = proxy_find(proxies_running, name, PROXY_BACKEND);

	return px && !proxy_is_udp(px) ? px : NULL;
}

/* The line names that, and it is taken or not. */
static void switch_tell(const char *name, bool taken)
{
	if (unlikely(watch != NULL))
		watch->chosen(name, taken);
}

bool switch_forced(const struct proxy *frontend, const struct view *view)
{
	const struct force_rule *rule;
	bool holds = false;

	for (rule = frontend->force_rules; rule && !holds; rule = rule->next) {
		watch_line("force-be-switch", &rule->loc, frontend, view, false);
		holds = cond_eval(rule->cond, view, AT_REQUEST | AT_FINAL) == COND_YES;
		watch_lined(holds);
	}
	return holds;
}

struct proxy *switch_backend(const struct proxy *frontend, const struct view *view, bool forced)
{
	const struct switch_rule *rule;
	struct proxy *px;
	const char *name;
	bool open;

	list_for_each(rule, &frontend->switch_rules, node) {
		if (!switch_matches(rule, view, AT_REQUEST))
			continue;
		name = rule->format ? switch_made_name(rule, view) : rule->name;
		px = rule->format ? switch_named(name) : rule->backend;
		open = px && (forced || !px->state->unpublished);
		switch_tell(name, open);
		if (!px || open)
			return px;
	}
	return NULL;
}

struct server *use_server(const struct proxy *backend, const struct view *view)
{
	const struct switch_rule *rule;
	struct server *server;
	const char *name;

	if (!backend->use_server_rules)
		return NULL;
	list_for_each(rule, backend->use_server_rules, node) {
		if (!switch_matches(rule, view, AT_SERVER))
			continue;
		name = rule->format ? switch_made_name(rule, view) : rule->name;
		server = rule->format ? server_find(backend, name) : rule->server;
		switch_tell(name, server && server_reachable(server));
		if (!server)
			return NULL; /* a name that exists nowhere ends the search */
		if (server_reachable(server))
			return server;
	}
	return NULL;
}

bool use_server_decides(const struct proxy *backend, const struct view *view)
{
	const struct watch *watched = watch;
	bool decides;

	if (!backend->use_server_rules)
		return false;
	watch = NULL;
	decides = use_server(backend, view) != NULL;
	watch = watched;
	return decides;
}
