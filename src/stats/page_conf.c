/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The words "stats ..." of proxies (manual 4.2). The first of them in a section gives it a page of
 * its own with the usual settings; a section without any has the page of its defaults section.
 */
#include "stats/page_conf.h"

#include "base/arena.h"
#include "base/tables.h"
#include "config/keyword.h"
#include "exchange/http_action.h"
#include "expr/secret.h"
#include "proxy/proxy.h"
#include "stats/page.h"

#include <string.h>

/* -- the section's page ---------------------------------------------------------------------- */

static struct stats_page *page_own(struct statement *st, struct proxy *px)
{
	struct stats_page *page = proxy_part_make(px, &page_part, st->cfg->arena);

	if (!page->owner)
		page->loc = st->loc;
	page->owner = px;
	return page;
}

/* Words behind what is read have no meaning; old configurations have some. */
static int page_line_end(struct statement *st)
{
	if (stmt_peek(st)) {
		stmt_warning(st, st->at, "'%s' is not used: quote a text that has blanks",
			     stmt_peek(st));
		st->at = st->count;
	}
	return 0;
}

static int parse_enable(struct statement *st, const struct keyword *kw, void *object)
{
	(void)kw;
	page_own(st, object);
	return page_line_end(st);
}

static int parse_flag(struct statement *st, const struct keyword *kw, void *object)
{
	page_own(st, object)->flags |= (unsigned)kw->bit;
	return page_line_end(st);
}

static int parse_uri(struct statement *st, const struct keyword *kw, void *object)
{
	const char *uri = stmt_need(st, "the beginning of URIs");

	(void)kw;
	if (!uri)
		return -1;
	if (strlen(uri) > PAGE_URI_MAX)
		return stmt_error(st, st->at - 1, "a URI of more than %d characters", PAGE_URI_MAX);
	for (const char *c = uri; *c; c++)
		if ((unsigned char)*c <= ' ' || *c == 0x7f)
			return stmt_error(st, st->at - 1,
					  "a URI has neither blanks nor control characters");
	if (*uri != '/')
		stmt_warning(st, st->at - 1, "no request can ask for it: paths begin with '/'");
	page_own(st, object)->uri = uri;
	return page_line_end(st);
}

static int parse_realm(struct statement *st, const struct keyword *kw, void *object)
{
	const char *realm = stmt_need(st, "a realm");
	struct stats_page *page;

	(void)kw;
	if (!realm)
		return -1;
	for (const char *c = realm; *c; c++)
		if ((unsigned char)*c < ' ' || *c == 0x7f)
			return stmt_error(st, st->at - 1, "a realm has no control characters");
	page = page_own(st, object);
	page->realm = realm;
	page->realm_given = true;
	return page_line_end(st);
}

/* What a browser sends for a user and password: base64 (RFC 7617). */
static const char *page_credentials(struct arena *arena, const char *text)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	size_t len = strlen(text);
	char *memory = arena_alloc(arena, (len + 2) / 3 * 4 + 1), *to = memory;

	for (size_t i = 0; i < len; i += 3) {
		size_t n = len - i < 3 ? len - i : 3;
		unsigned bits = 0;

		for (size_t j = 0; j < 3; j++)
			bits = bits << 8 | (j < n ? (unsigned char)text[i + j] : 0u);
		for (size_t j = 0; j < 4; j++)
			*to++ = j <= n ? digits[bits >> (18 - 6 * j) & 63] : '=';
	}
	return memory;
}

static int parse_auth(struct statement *st, const struct keyword *kw, void *object)
{
	const char *word = stmt_need(st, "<user>:<password>"), *colon;
	struct stats_user *user, **last;
	struct arena *arena = st->cfg->arena;

	(void)kw;
	if (!word)
		return -1;
	colon = strchr(word, ':');
	if (!colon) {
		stmt_warning(st, st->at - 1, "no password behind the user: it is an empty one");
		word = arena_printf(arena, "%s:", word);
		colon = strchr(word, ':');
	}
	user = arena_alloc(arena, sizeof(*user));
	user->name = arena_strndup(arena, word, (size_t)(colon - word));
	user->credentials = page_credentials(arena, word);
	if (colon[1])
		doubt_password(st, st->at - 1);
	for (last = &page_own(st, object)->users; *last; last = &(*last)->next) {
		if (!strcmp((*last)->name, user->name)) {
			stmt_warning(st, st->at - 1, "user '%s' is there already: this one is ignored",
				     user->name);
			return page_line_end(st);
		}
	}
	*last = user;
	return page_line_end(st);
}

static int parse_refresh(struct statement *st, const struct keyword *kw, void *object)
{
	unsigned ms;

	(void)kw;
	if (stmt_duration(st, "the delay", 's', &ms))
		return -1;
	page_own(st, object)->refresh_ms = ms;
	return page_line_end(st);
}

static int parse_scope(struct statement *st, const struct keyword *kw, void *object)
{
	const char *name = stmt_need(st, "the name of a proxy, or '.'");
	struct stats_scope *scope, **last;

	(void)kw;
	if (!name)
		return -1;
	scope = arena_alloc(st->cfg->arena, sizeof(*scope));
	scope->name = name;
	for (last = &page_own(st, object)->scopes; *last; last = &(*last)->next)
		;
	*last = scope;
	return page_line_end(st);
}

static int parse_show_node(struct statement *st, const struct keyword *kw, void *object)
{
	static const char allowed[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
				      "0123456789.-_";
	const char *name = stmt_next(st);
	struct stats_page *page = page_own(st, object);

	(void)kw;
	if (name && (!*name || name[strspn(name, allowed)]))
		return stmt_error(st, st->at - 1,
				  "the name of a node has letters, digits, '.', '-' and '_' only");
	page->flags |= PAGE_NODE;
	page->node = name;
	return page_line_end(st);
}

/* The rest of the line, with single blanks. */
static int parse_show_desc(struct statement *st, const struct keyword *kw, void *object)
{
	struct stats_page *page = page_own(st, object);
	const char *text = stmt_next(st), *word;

	(void)kw;
	while ((word = stmt_next(st)))
		text = arena_printf(st->cfg->arena, "%s %s", text, word);
	page->flags |= PAGE_DESC;
	page->desc = text;
	return 0;
}

/* -- conditions and rules -------------------------------------------------------------------- */

static unsigned page_places(const struct proxy *px)
{
	return (px->caps & PROXY_FRONTEND ? AT_REQUEST : 0u) |
	       (px->caps & PROXY_BACKEND ? AT_SERVER : 0u);
}

static int parse_admin(struct statement *st, const struct keyword *kw, void *object)
{
	struct stats_admin *admin = arena_alloc(st->cfg->arena, sizeof(*admin)), **last;
	struct proxy *px = object;

	if (!stmt_peek(st))
		return stmt_error(st, st->at, "'if' or 'unless' and a condition are expected");
	admin->loc = st->loc;
	if (cond_parse(st, px, page_places(px), kw->name, &admin->cond))
		return -1;
	for (last = &page_own(st, px)->admins; *last; last = &(*last)->next)
		;
	*last = admin;
	return 0;
}

static int parse_rule(struct statement *st, const struct keyword *kw, void *object)
{
	static struct tables tables = TABLES("action", struct action, page_actions);
	static const char *const known[] = { NULL };
	struct proxy *px = object;
	struct rule_list list = { kw->name, page_places(px), &tables, known };

	return rule_parse(st, px, &list, &page_own(st, px)->rules);
}

/* -- the end of the configuration ------------------------------------------------------------ */

static int page_check(struct config *cfg, const struct proxy *px)
{
	const struct stats_page *page = page_of(px), *above;

	if (!page || page->owner != px)
		return 0;
	if (!(px->caps & PROXY_DEFAULTS) && px->set.mode == MODE_TCP) {
		config_warning(cfg, &page->loc, "the stats page of '%s' is never asked for: it is in "
			       "mode tcp", px->name);
		return 0;
	}
	if (page->rules && (page->users || page->realm_given))
		return config_error(cfg, &page->loc, "'stats http-request' stands beside 'stats auth' "
				    "or 'stats realm' in '%s': only one of them can decide who may "
				    "see the page", px->name);
	above = px->defaults ? page_of(px->defaults) : NULL;
	if (above && above->users && !page->users && !page->rules)
		config_warning(cfg, &page->loc, "'stats auth' of the defaults section does not hold "
			       "for the page of '%s', which has stats words of its own: it asks "
			       "nobody for a password", px->name ? px->name : "defaults");
	return 0;
}

static int page_finish(struct config *cfg, void *data)
{
	struct proxies *all = config_data(cfg, &proxy_module);
	const struct proxy *px;
	int bad = 0;

	(void)data;
	list_for_each(px, &all->list, node)
		bad |= page_check(cfg, px);
	list_for_each(px, &all->defaults, node)
		bad |= page_check(cfg, px);
	return bad;
}

static const struct keyword page_keywords[] = {
	{ .name = "stats admin", .scope = SCOPE_FRONTEND | SCOPE_BACKEND,
	  .args = "{ if | unless } <condition>", .parse = parse_admin,
	  .help = "who may change servers on the stats page" },
	{ .name = "stats auth", .scope = SCOPE_PROXY, .args = "<user>:<password>",
	  .parse = parse_auth, .help = "a user who may see the stats page" },
	{ .name = "stats enable", .scope = SCOPE_PROXY, .parse = parse_enable,
	  .help = "there is a stats page" },
	{ .name = "stats hide-version", .scope = SCOPE_PROXY, .parse = parse_flag,
	  .bit = PAGE_HIDE_VERSION, .help = "the stats page does not show the version" },
	{ .name = "stats http-request", .scope = SCOPE_FRONTEND | SCOPE_BACKEND,
	  .args = "{ allow | deny | auth [realm <realm>] } [{ if | unless } <condition>]",
	  .parse = parse_rule, .help = "rule about who may see the stats page" },
	{ .name = "stats realm", .scope = SCOPE_PROXY, .args = "<realm>", .parse = parse_realm,
	  .dflt = "HAProxy Statistics", .help = "what browsers are told to ask a password for" },
	{ .name = "stats refresh", .scope = SCOPE_PROXY, .args = "<delay>",
	  .parse = parse_refresh, .help = "how often browsers load the stats page again" },
	{ .name = "stats scope", .scope = SCOPE_PROXY, .args = "<name>|.",
	  .parse = parse_scope, .help = "a proxy that the stats page shows" },
	{ .name = "stats show-desc", .scope = SCOPE_PROXY, .args = "[<text>]",
	  .parse = parse_show_desc, .help = "the stats page shows a description" },
	{ .name = "stats show-legends", .scope = SCOPE_PROXY, .parse = parse_flag,
	  .bit = PAGE_LEGENDS, .help = "the stats page shows addresses, ids and cookies" },
	{ .name = "stats show-modules", .scope = SCOPE_PROXY, .parse = parse_flag,
	  .bit = PAGE_MODULES, .help = "the stats page shows how bytes were forwarded" },
	{ .name = "stats show-node", .scope = SCOPE_PROXY, .args = "[<name>]",
	  .parse = parse_show_node, .help = "the stats page shows the name of the node" },
	{ .name = "stats uri", .scope = SCOPE_PROXY, .args = "<prefix>", .parse = parse_uri,
	  .dflt = "/haproxy?stats", .help = "what URIs of the stats page begin with" },
	{ 0 },
};

const struct module page_module = {
	.name = "stats page",
	.keywords = page_keywords,
	.finish = page_finish,
};
