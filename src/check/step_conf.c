/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Words of steps that tcp-check and http-check share: connections, comments, variables, and what
 * may stand beside the match of an expect step (manual 4.2 "tcp-check connect", "tcp-check
 * expect"). Called by tcp_conf.c and http_conf.c while the configuration is read.
 */
#include "check/check_conf.h"

#include "base/arena.h"
#include "base/err.h"
#include "base/tables.h"
#include "expr/expr.h"
#include "expr/logformat.h"
#include "expr/rule_conf.h"
#include "net/addr_conf.h"
#include "proxy/proxy.h"
#include "tls/settings.h"

#include <limits.h>
#include <string.h>

struct logformat *step_parse_format(struct statement *st, struct proxy *px, const char *what)
{
	struct expr_context ctx = { .cfg = st->cfg, .arena = st->cfg->arena, .loc = st->loc,
				    .proxy = px };
	const char *text = stmt_need(st, what);
	struct logformat *format;
	struct err err;

	if (!text)
		return NULL;
	format = logformat_compile_as(FORMAT_RAW, text, &ctx, AT_CHECK, &err);
	if (!format)
		stmt_error(st, st->at - 1, "%s", err.text);
	return format;
}

static struct expr *parse_expr(struct statement *st, struct proxy *px, const char *what)
{
	struct expr_context ctx = { .cfg = st->cfg, .arena = st->cfg->arena, .loc = st->loc,
				    .proxy = px };
	const char *text = stmt_need(st, what);
	struct expr *expr;
	struct err err;

	if (!text)
		return NULL;
	expr = expr_parse_all(text, &ctx, &err);
	if (!expr) {
		stmt_error(st, st->at - 1, "%s", err.text);
		return NULL;
	}
	if (!expr_allowed(expr, AT_CHECK, st->cfg, &st->loc)) {
		stmt_error(st, st->at - 1, "'%s' looks at the %s, which health checks do not have",
			   expr_fetch_name(expr), expr_source(expr));
		return NULL;
	}
	return expr;
}

/* -- connect --------------------------------------------------------------------------------- */

/* A number, or an expression. */
static int connect_port(struct statement *st, struct proxy *px, struct step_connect *c)
{
	const char *word = stmt_peek(st);
	int64_t port;

	if (word && strspn(word, "0123456789") == strlen(word)) {
		if (stmt_int(st, "the port", 1, UINT16_MAX, &port))
			return -1;
		c->port = (uint16_t)port;
		return 0;
	}
	c->port_expr = parse_expr(st, px, "a port or an expression");
	return c->port_expr ? 0 : -1;
}

static int connect_addr(struct statement *st, struct step_connect *c)
{
	const unsigned allow = ADDR_NAMES | ADDR_UNIX;
	const char *word = stmt_need(st, "an address");
	struct addr_spec spec;

	if (!word || addr_conf_parse(st, word, allow, &spec))
		return -1;
	c->addr = spec.addr;
	return 0;
}

static int connect_ssl(struct statement *st, struct step_connect *c)
{
	if (!server_need_tls)
		return stmt_error(st, st->at - 1, "this build has no TLS");
	c->ssl = true;
	return 0;
}

static int connect_sni(struct statement *st, struct step_connect *c)
{
	const char *name = stmt_need(st, "the name of a host");

	if (!name)
		return -1;
	if (!*name || strlen(name) > 255)
		return stmt_error(st, st->at - 1, "the name of a host has 1 to 255 letters");
	c->sni = span_of(name);
	return 0;
}

static int connect_alpn(struct statement *st, struct step_connect *c)
{
	struct tls_settings set = { .min_version = 0 };

	if (tls_settings_parse(st, "alpn", &set))
		return -1;
	c->alpn = set.alpn;
	return 0;
}

static int connect_proto(struct statement *st, const char *name, struct step_connect *c)
{
	bool http = name[0] == 'h';
	const char *word = stmt_need(st, "the name of a protocol");

	if (!word)
		return -1;
	c->proto = !http ? PROTO_NONE : !strcmp(word, "h2") ? PROTO_H2 : PROTO_H1;
	if (!strcmp(word, proto_words[c->proto]))
		return 0;
	if (http && !strcmp(word, "fcgi"))
		return stmt_error(st, st->at - 1, "'%s connect proto %s' is not supported yet", name,
				  word);
	return stmt_error(st, st->at - 1, "'%s' is no protocol for '%s': '%s", word, name,
			  http ? "h1' and 'h2' are" : "none' is");
}

static int connect_word(struct statement *st, struct proxy *px, struct step *step, const char *name)
{
	static const char *const words[] = { "default", "port", "addr", "send-proxy", "via-socks4",
					     "ssl", "sni", "alpn", "linger", "proto", "comment",
					     NULL };
	struct step_connect *c = &step->connect;

	if (stmt_take(st, "default"))
		c->as_server = true;
	else if (stmt_take(st, "port"))
		return connect_port(st, px, c);
	else if (stmt_take(st, "addr"))
		return connect_addr(st, c);
	else if (stmt_take(st, "send-proxy"))
		c->send_proxy = true;
	else if (stmt_take(st, "via-socks4"))
		c->via_socks4 = true;
	else if (stmt_take(st, "linger"))
		c->linger = true;
	else if (stmt_take(st, "proto"))
		return connect_proto(st, name, c);
	else if (stmt_take(st, "comment"))
		return (step->comment = stmt_need(st, "a comment")) ? 0 : -1;
	else if (stmt_take(st, "ssl"))
		return connect_ssl(st, c);
	else if (stmt_take(st, "sni"))
		return connect_sni(st, c);
	else if (stmt_take(st, "alpn"))
		return connect_alpn(st, c);
	else
		return stmt_unknown(st, st->at, "word of connect", words);
	return 0;
}

int step_parse_connect(struct statement *st, struct proxy *px, struct step_list *list,
		       const char *name)
{
	const struct step *first = step_first_real(list->first);
	struct step *step;

	if (first && first->kind != STEP_CONNECT)
		return stmt_error(st, 0, "the first step must be a 'connect', too, when there is one: "
				  "only 'comment', 'set-var' and 'unset-var' may precede it");
	step = step_add(st->cfg->arena, list, STEP_CONNECT);
	step->loc = st->loc;
	while (stmt_peek(st))
		if (connect_word(st, px, step, name))
			return -1;
	return 0;
}

/* -- comments and variables ------------------------------------------------------------------ */

int step_parse_comment(struct statement *st, struct step_list *list)
{
	const char *text = stmt_need(st, "a comment");
	struct step *step;

	if (!text)
		return -1;
	step = step_add(st->cfg->arena, list, STEP_COMMENT);
	step->loc = st->loc;
	step->comment = text;
	return stmt_end(st);
}

int step_parse_variable(struct statement *st, struct proxy *px, struct step_list *list,
			const char *name, bool *found)
{
	static struct tables tables = TABLES("action", struct action, rule_var_actions);
	static const char *const known[] = { NULL };
	const struct rule_list rules = { name, AT_CHECK, &tables, known };
	const char *word = stmt_peek(st);
	struct rule_set *set = NULL;
	struct step *step;

	*found = word && (!strncmp(word, "set-var", 7) || !strncmp(word, "unset-var", 9));
	if (!*found)
		return 0;
	if (rule_parse(st, px, &rules, &set))
		return -1;
	if (set->first->cond)
		return stmt_error(st, st->count - 1, "'%s' takes no condition", name);
	step = step_add(st->cfg->arena, list, STEP_VARIABLE);
	step->loc = st->loc;
	step->rules = set;
	return 0;
}

/* -- expect ---------------------------------------------------------------------------------- */

struct status_word {
	const char *name;
	enum check_status status;
};

static int expect_status(struct statement *st, const struct status_word *words, uint8_t *status)
{
	const char *names[8], *word = stmt_need(st, "a status");
	unsigned i;

	if (!word)
		return -1;
	for (i = 0; words[i].name; i++) {
		names[i] = words[i].name;
		if (!strcmp(word, words[i].name)) {
			*status = (uint8_t)words[i].status;
			return 0;
		}
	}
	names[i] = NULL;
	return stmt_unknown(st, st->at - 1, "status here", names);
}

static int expect_min_recv(struct statement *st, struct step_expect *e)
{
	int64_t n;

	if (stmt_int(st, "min-recv", -1, INT_MAX, &n))
		return -1;
	e->min_recv = (int)n;
	return 0;
}

/* *found: the next word was one of them. */
static int expect_word(struct statement *st, struct proxy *px, struct step *step, bool *found)
{
	static const struct status_word ok[] = { { "L7OK", CHECK_L7OK }, { "L7OKC", CHECK_L7OKC },
						 { "L6OK", CHECK_L6OK }, { "L4OK", CHECK_L4OK },
						 { NULL, 0 } };
	static const struct status_word error[] = {
		{ "L7OKC", CHECK_L7OKC }, { "L7RSP", CHECK_L7RSP }, { "L7STS", CHECK_L7STS },
		{ "L6RSP", CHECK_L6RSP }, { "L4CON", CHECK_L4CON }, { NULL, 0 } };
	static const struct status_word timeout[] = { { "L7TOUT", CHECK_L7TOUT },
						      { "L6TOUT", CHECK_L6TOUT },
						      { "L4TOUT", CHECK_L4TOUT }, { NULL, 0 } };
	struct step_expect *e = &step->expect;

	*found = true;
	if (stmt_take(st, "min-recv"))
		return expect_min_recv(st, e);
	if (stmt_take(st, "comment"))
		return (step->comment = stmt_need(st, "a comment")) ? 0 : -1;
	if (stmt_take(st, "ok-status"))
		return expect_status(st, ok, &e->ok);
	if (stmt_take(st, "error-status"))
		return expect_status(st, error, &e->error);
	if (stmt_take(st, "tout-status"))
		return expect_status(st, timeout, &e->timeout);
	if (stmt_take(st, "on-success"))
		return (e->on_success = step_parse_format(st, px, "a log format")) ? 0 : -1;
	if (stmt_take(st, "on-error"))
		return (e->on_error = step_parse_format(st, px, "a log format")) ? 0 : -1;
	if (stmt_take(st, "status-code"))
		return (e->code = parse_expr(st, px, "an expression")) ? 0 : -1;
	*found = false;
	return 0;
}

int step_parse_expect(struct statement *st, struct proxy *px, struct step_list *list,
		      int (*match)(struct statement *st, struct proxy *px, struct step_expect *e))
{
	struct step *step = step_add(st->cfg->arena, list, STEP_EXPECT);
	bool found, matched = false;

	step->loc = st->loc;
	step->expect.min_recv = -1;
	while (stmt_peek(st)) {
		if (expect_word(st, px, step, &found))
			return -1;
		if (found)
			continue;
		if (matched)
			return stmt_error(st, st->at, "one match has been given already");
		matched = true;
		if (match(st, px, &step->expect))
			return -1;
	}
	return matched ? 0 : stmt_error(st, st->at, "a match is missing");
}

const char *step_parse_match(struct statement *st, struct step_expect *e)
{
	const char *word = stmt_need(st, "a match");

	while (word && *word == '!') {
		e->negated = !e->negated;
		word++;
		if (!*word)
			word = stmt_need(st, "a match");
	}
	return word;
}
