/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The sections defaults, frontend, backend and listen. A proxy begins as a copy of the
 * settings of the defaults section that it names, else of the last one before it.
 */
#include "proxy/proxy_conf.h"

#include "base/bug.h"
#include "net/bind_conf.h"
#include "proxy/suggest.h"
#include "share/segment.h"

#include <string.h>

static void suggest_defaults(struct statement *st, const struct proxies *all, const char *name)
{
	struct suggestion s = suggest_for(st->cfg, name);
	const struct proxy *px;

	list_for_each(px, &all->defaults, node)
		suggest_name(&s, px->name);
	suggest_end(&s);
}

/* The defaults section of this name. Two of one name are only wrong when somebody asks for
 * them. */
static struct proxy *find_defaults(struct statement *st, struct proxies *all, const char *name)
{
	struct proxy *px, *found = NULL;

	list_for_each(px, &all->defaults, node) {
		if (!px->name || strcmp(px->name, name) != 0)
			continue;
		if (found) {
			stmt_error(st, st->at - 1, "there are two defaults sections '%s' (%s:%u and "
				   "%s:%u)", name, found->loc.file, found->loc.line, px->loc.file,
				   px->loc.line);
			return NULL;
		}
		found = px;
	}
	if (!found) {
		stmt_error(st, st->at - 1, "there is no defaults section '%s' above", name);
		suggest_defaults(st, all, name);
	}
	return found;
}

/* "from NAME" behind the section's name. *from stays as it is without it. */
static int begin_from(struct statement *st, struct proxies *all, struct proxy **from)
{
	const char *name;

	if (!stmt_take(st, "from"))
		return 0;
	name = stmt_need(st, "the name of a defaults section");
	if (!name)
		return -1;
	*from = find_defaults(st, all, name);
	if (!*from)
		return -1;
	(*from)->used_by_name = true;
	return 0;
}

/* The first of a section's words that its heirs run, not copy; NULL: there is none. */
static const char *rules_of(const struct proxy *px)
{
	const struct {
		const struct rule_set *set;
		const char *name;
	} lists[] = {
		{ px->connection_rules, "tcp-request connection" },
		{ px->session_rules, "tcp-request session" },
		{ px->request_rules, "tcp-request content" },
		{ px->response_rules, "tcp-response content" },
		{ px->http_request_rules, "http-request" },
		{ px->http_response_rules, "http-response" },
		{ px->http_after_rules, "http-after-response" },
	};
	size_t i;

	for (i = 0; i < ARRAY_LEN(lists); i++)
		if (lists[i].set)
			return lists[i].name;
	return NULL;
}

/* Rules belong to one section and the proxies that name it, for what they refer to is looked up
 * there. */
static int check_heritage(struct statement *st, const struct proxy *from)
{
	const char *rules = rules_of(from);

	if (!rules)
		return 0;
	return stmt_error(st, st->at - 1, "a defaults section cannot inherit from '%s' (%s:%u), which has "
			  "'%s' rules: they would not hold for those who use this one", from->name,
			  from->loc.file, from->loc.line, rules);
}

/* "defaults my app from base": as in the reference, nothing behind the name is looked at. */
static void ignore_rest(struct statement *st)
{
	bool last = st->at + 1 >= st->count;

	if (!stmt_peek(st))
		return;
	stmt_warning(st, st->at,
		     last ? "'%s' is ignored: a name is one word"
			  : "'%s' and what stands behind it are ignored: a name is one word",
		     stmt_peek(st));
	st->at = st->count;
}

static void *begin_defaults(struct statement *st)
{
	struct proxies *all = config_data(st->cfg, &proxy_module);
	struct proxy *px, *from = NULL;
	const char *name = NULL;

	if (stmt_peek(st) && strcmp(stmt_peek(st), "from") != 0) {
		name = stmt_next(st);
		if (proxy_check_name(st, name, "a name", NAME_MOST))
			st->at = st->count;
	}
	if (begin_from(st, all, &from) || (from && check_heritage(st, from)))
		st->at = st->count;
	ignore_rest(st);
	px = proxy_new(st->cfg, name, PROXY_DEFAULTS, &st->loc, from ? &from->set : NULL);
	px->defaults = from;
	list_append(&all->defaults, &px->node);
	all->current_defaults = px;
	return px;
}

static void *begin_proxy(struct statement *st, unsigned caps)
{
	struct proxies *all = config_data(st->cfg, &proxy_module);
	struct proxy *px, *from = all->current_defaults;
	const char *name = stmt_need(st, "a name");
	bool named = stmt_peek(st) != NULL;

	if (!name)
		return NULL;
	/* Mistakes of this line are no reason to leave those of the section untold. */
	if (proxy_check_name(st, name, "a name", NAME_MOST) || begin_from(st, all, &from))
		st->at = st->count;
	if (stmt_peek(st)) {
		stmt_error(st, st->at,
			   caps & PROXY_FRONTEND ? "'%s' cannot stand here: addresses are given by "
						   "'bind' lines inside the section"
						 : "'%s' cannot stand here: a name is one word",
			   stmt_peek(st));
		st->at = st->count;
	}
	px = proxy_new(st->cfg, name, caps, &st->loc, from ? &from->set : NULL);
	px->defaults = from;
	if (from && from == all->current_defaults && !named)
		from->used_as_last = true;
	proxy_enter(all, st->cfg->arena, px);
	return px;
}

static void *begin_frontend(struct statement *st)
{
	return begin_proxy(st, PROXY_FRONTEND);
}

static void *begin_backend(struct statement *st)
{
	return begin_proxy(st, PROXY_BACKEND);
}

static void *begin_listen(struct statement *st)
{
	return begin_proxy(st, PROXY_FRONTEND | PROXY_BACKEND);
}

static const struct section proxy_sections[] = {
	{ "defaults", SCOPE_DEFAULTS, begin_defaults, NULL,
	  "settings for the proxies that follow or name it with 'from'" },
	{ "frontend", SCOPE_FRONTEND, begin_frontend, NULL, "where clients connect" },
	{ "backend", SCOPE_BACKEND, begin_backend, NULL, "servers to choose from" },
	{ "listen", SCOPE_FRONTEND | SCOPE_BACKEND, begin_listen, NULL,
	  "a frontend and its backend in one" },
	{ 0 }
};

static void proxies_init(struct config *cfg, void *data)
{
	struct proxies *all = data;

	(void)cfg;
	all->global.strict_limits = true;
	all->global.max_comp_cpu = 100;
	list_init(&all->list);
	list_init(&all->defaults);
	list_init(&all->stats_frontends);
	list_init(&all->peers);
}

static void proxies_release(void *data)
{
	struct proxies *all = data;

	segment_free(&all->segment);
}

const struct module proxy_module = {
	.name = "proxy",
	.keywords = proxy_keywords,
	.sections = proxy_sections,
	.data_size = sizeof(struct proxies),
	.init = proxies_init,
	.finish = proxy_finish,
	.prepare = proxies_prepare,
	.release = proxies_release,
};
