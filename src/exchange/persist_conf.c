/* SPDX-License-Identifier: BSD-2-Clause */
/* The words of persistence (manual 4.2, 5.2): cookie, dynamic-cookie-key, force-persist,
 * ignore-persist, option persist, and the servers' cookie. Used by persist.c. */
#include "exchange/persist.h"

#include "base/arena.h"
#include "base/err.h"
#include "config/config.h"
#include "expr/acl.h"
#include "expr/expr.h"
#include "proxy/proxy.h"
#include "stream/persist_rdp.h"
#include "stream/persist_rules.h"

#include <stdlib.h>

static struct persist_conf *conf_of(struct statement *st, void *object)
{
	return proxy_part_make(object, &persist_part, st->cfg->arena);
}

static bool is_cookie_text(const char *text)
{
	for (; *text; text++) {
		if ((unsigned char)*text <= ' ' || *text == 0x7f || strchr(";,=\"", *text))
			return false;
	}
	return true;
}

/* -- cookie ----------------------------------------------------------------------------- */

/* A cookie line while it is read. */
struct parser {
	struct statement *st;
	struct cookie_conf *cookie;
	struct text domains, attributes; /* these before, those behind the next two */
	bool httponly, secure;
};

static int set_mode(struct parser *p, enum cookie_mode mode)
{
	if (p->cookie->mode != COOKIE_PASSIVE && p->cookie->mode != mode)
		return stmt_error(p->st, p->st->at - 1, "only one of 'rewrite', 'insert' and 'prefix' "
				  "can be the mode of a cookie");
	p->cookie->mode = mode;
	return 0;
}

/* Text of an attribute: one that ends neither it nor the header. */
static int add_attribute(struct parser *p, const char *what, const char *before, struct text *to)
{
	const char *word = stmt_need(p->st, what), *at;

	if (!word)
		return -1;
	if (!*word)
		return stmt_error(p->st, p->st->at - 1, "%s must not be empty", what);
	for (at = word; *at; at++) {
		if ((unsigned char)*at < ' ' || *at == 0x7f || *at == ';')
			return stmt_error(p->st, p->st->at - 1, "%s must not have a semicolon or a "
					  "control character", what);
	}
	text_str(to, before);
	text_str(to, word);
	return 0;
}

static int parse_domain(struct parser *p)
{
	const char *word = stmt_peek(p->st);

	if (word && !strchr(*word ? word + 1 : word, '.'))
		stmt_warning(p->st, p->st->at, "the domain '%s' has no dot inside: browsers may refuse "
			     "the cookie (RFC 6265 5.2.3)", word);
	return add_attribute(p, "the domain", "; domain=", &p->domains);
}

/* Seconds, if no unit is given. */
static int parse_limit(struct parser *p, const char *what, unsigned *ms)
{
	return stmt_duration(p->st, what, 's', ms);
}

static int parse_option(struct parser *p)
{
	static const char *const words[] = { "rewrite", "insert", "prefix", "indirect", "nocache",
					     "postonly", "preserve", "httponly", "secure", "domain",
					     "maxidle", "maxlife", "dynamic", "attr", NULL };
	struct cookie_conf *c = p->cookie;
	struct statement *st = p->st;

	if (stmt_take(st, "rewrite"))
		return set_mode(p, COOKIE_REWRITE);
	if (stmt_take(st, "insert"))
		return set_mode(p, COOKIE_INSERT);
	if (stmt_take(st, "prefix"))
		return set_mode(p, COOKIE_PREFIX);
	if (stmt_take(st, "domain"))
		return parse_domain(p);
	if (stmt_take(st, "attr"))
		return add_attribute(p, "the attribute", "; ", &p->attributes);
	if (stmt_take(st, "maxidle"))
		return parse_limit(p, "maxidle", &c->maxidle_ms);
	if (stmt_take(st, "maxlife"))
		return parse_limit(p, "maxlife", &c->maxlife_ms);
	if (stmt_take(st, "indirect"))
		c->indirect = true;
	else if (stmt_take(st, "nocache"))
		c->nocache = true;
	else if (stmt_take(st, "postonly"))
		c->postonly = true;
	else if (stmt_take(st, "preserve"))
		c->preserve = true;
	else if (stmt_take(st, "dynamic"))
		c->dynamic = true;
	else if (stmt_take(st, "httponly"))
		p->httponly = true;
	else if (stmt_take(st, "secure"))
		p->secure = true;
	else
		return stmt_unknown(st, st->at, "word of a cookie line", words);
	return 0;
}

static int check_cookie(struct statement *st, const struct cookie_conf *c)
{
	if (c->mode == COOKIE_REWRITE && c->indirect)
		return stmt_error(st, 0, "'rewrite' and 'indirect' do not go together");
	if (c->preserve && c->mode != COOKIE_INSERT && !c->indirect)
		return stmt_error(st, 0, "'preserve' needs 'insert' or 'indirect'");
	return 0;
}

static int parse_cookie(struct statement *st, const struct keyword *kw, void *object)
{
	struct cookie_conf *c = arena_alloc(st->cfg->arena, sizeof(*c));
	const char *name = stmt_need(st, "the name of a cookie");
	struct parser p = { .st = st, .cookie = c };
	char domains[1024], attributes[1024];

	(void)kw;
	if (!name)
		return -1;
	if (!*name || !is_cookie_text(name))
		return stmt_error(st, st->at - 1, "'%s' is no name of a cookie", name);
	c->name = span_of(name);
	text_init(&p.domains, domains, sizeof(domains));
	text_init(&p.attributes, attributes, sizeof(attributes));
	while (stmt_peek(st)) {
		if (parse_option(&p))
			return -1;
	}
	if (p.domains.cut || p.attributes.cut)
		return stmt_error(st, 0, "the attributes are too long");
	c->attributes = arena_printf(st->cfg->arena, "%s%s%s%s", domains,
				     p.httponly ? "; HttpOnly" : "",
				     p.secure ? "; Secure" : "", attributes);
	conf_of(st, object)->cookie = c;
	return check_cookie(st, c);
}

/* -- the rest --------------------------------------------------------------------------- */

enum { FORCE, IGNORE };

static int parse_rule(struct statement *st, const struct keyword *kw, void *object)
{
	struct persist_rule *rule = arena_alloc(st->cfg->arena, sizeof(*rule)), **last;
	struct persist_rules *rules;
	struct proxy *px = object;

	if (!stmt_peek(st))
		return stmt_error(st, st->at, "'if' or 'unless' and a condition are expected");
	rule->ignore = kw->max == IGNORE;
	rule->loc = st->loc;
	if (cond_parse(st, px, AT_SERVER, kw->name, &rule->cond))
		return -1;
	rules = proxy_part_make(px, &persist_rules_part, st->cfg->arena);
	for (last = &rules->first; *last; last = &(*last)->next)
		;
	*last = rule;
	return 0;
}

/* "persist rdp-cookie" or "persist rdp-cookie(name)" */
static int parse_persist(struct statement *st, const struct keyword *kw, void *object)
{
	const char *word = stmt_need(st, "'rdp-cookie'"), *name = "msts";
	struct proxy *px = object;
	struct expr_context ctx = { .cfg = st->cfg, .arena = st->cfg->arena, .loc = st->loc,
				    .proxy = px };
	struct persist_rdp *rdp;
	struct expr *cookie;
	struct err err;
	size_t len;

	(void)kw;
	if (!word)
		return -1;
	len = strlen(word);
	if (strncmp(word, "rdp-cookie", 10))
		return stmt_error(st, st->at - 1, "'rdp-cookie' is the only kind of 'persist'");
	if (len > 12 && word[10] == '(' && word[len - 1] == ')')
		name = arena_strndup(st->cfg->arena, word + 11, len - 12);
	else if (word[10])
		return stmt_error(st, st->at - 1, "a name in parentheses is expected: rdp-cookie(msts)");
	cookie = expr_parse_all(arena_printf(st->cfg->arena, "req.rdp_cookie(%s)", name), &ctx,
				&err);
	if (!cookie)
		return stmt_error(st, st->at - 1, "%s", err.text);
	rdp = proxy_part_make(px, &persist_rdp_part, st->cfg->arena);
	rdp->cookie = cookie;
	return 0;
}

static int parse_key(struct statement *st, const struct keyword *kw, void *object)
{
	return set_string(st, kw, conf_of(st, object));
}

static int parse_server_cookie(struct statement *st, const struct keyword *kw, void *object)
{
	const char *word = stmt_peek(st);

	if (word && (!*word || !is_cookie_text(word)))
		return stmt_error(st, st->at, "'%s' cannot be the value of a cookie", word);
	return set_string(st, kw, object);
}

static const struct keyword keywords[] = {
	{ .name = "cookie", .scope = SCOPE_BACK,
	  .args = "<name> [insert | rewrite | prefix] [<option>]*", .parse = parse_cookie,
	  .help = "the cookie that ties clients to servers" },
	{ .name = "dynamic-cookie-key", .scope = SCOPE_BACK, .args = "<key>", .parse = parse_key,
	  .offset = offsetof(struct persist_conf, dynamic_key),
	  .help = "the secret that values of dynamic cookies are made of" },
	{ .name = "force-persist", .scope = SCOPE_BACKEND, .args = "{ if | unless } <condition>",
	  .parse = parse_rule, .max = FORCE,
	  .help = "when a request goes to the server of its cookie even if that is down" },
	{ .name = "ignore-persist", .scope = SCOPE_BACKEND, .args = "{ if | unless } <condition>",
	  .parse = parse_rule, .min = IGNORE, .max = IGNORE,
	  .help = "when the cookie of a request does not count" },
	{ .name = "option persist", .scope = SCOPE_BACK, .flags = KW_NO | KW_DEFAULT,
	  .parse = set_bit, .offset = offsetof(struct proxy, set.options), .bit = OPT_PERSIST,
	  .help = "requests go to the server of their cookie even if that is down" },
	{ .name = "persist", .scope = SCOPE_BACK, .args = "{ rdp-cookie | rdp-cookie(<name>) }",
	  .parse = parse_persist,
	  .help = "clients go to the server that their RDP cookie names" },
	{ .name = "cookie", .scope = SCOPE_SERVER, .args = "<value>",
	  .parse = parse_server_cookie, .offset = offsetof(struct server, set.cookie),
	  .help = "value of the cookie that stands for this server" },
	{ 0 },
};

const struct module persist_module = {
	.name = "persist",
	.keywords = keywords,
};
