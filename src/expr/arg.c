/* SPDX-License-Identifier: BSD-2-Clause */
/* Arguments of fetches and converters: cut, unquoted and typed while the configuration is
 * read; names of proxies and servers are looked up when all of it has been read. Called by
 * expr_chain.c. Never touches run-time state. */
#include "expr/arg.h"

#include "base/arena.h"
#include "base/err.h"
#include "config/diag.h"
#include "config/lexer.h"
#include "expr/expr_conf.h"
#include "expr/stick_key.h"
#include "expr/table_uses.h"
#include "expr/userlist.h"
#include "expr/vars.h"
#include "proxy/proxy.h"
#include "proxy/stick_conf.h"
#include "proxy/suggest.h"

#include <arpa/inet.h>

static const char *const arg_names[ARG_TYPES] = {
	[ARG_NONE] = "nothing",   [ARG_INT] = "integer",      [ARG_STR] = "string",
	[ARG_IPV4] = "IPv4 address", [ARG_IPV6] = "IPv6 address", [ARG_MASK4] = "IPv4 mask",
	[ARG_MASK6] = "IPv6 mask", [ARG_FRONTEND] = "frontend", [ARG_BACKEND] = "backend",
	[ARG_SERVER] = "server",  [ARG_VAR] = "variable",     [ARG_PTR] = "object",
	[ARG_TABLE] = "stick table",
	[ARG_USERLIST] = "userlist",
};

const char *arg_type_name(enum arg_type type)
{
	return arg_names[type];
}

/* Digits with an optional sign; too large ones are cut to the type's limits, as everywhere
 * in the arithmetic of samples. */
static bool arg_int(struct span text, int64_t *num)
{
	const char *p = text.ptr, *end = p + text.len;
	bool minus = false;
	int64_t n = 0;

	if (p < end && (*p == '-' || *p == '+'))
		minus = *p++ == '-';
	if (p == end)
		return false;
	for (; p < end; p++) {
		if (*p < '0' || *p > '9')
			return false;
		if (__builtin_mul_overflow(n, 10, &n) ||
		    __builtin_add_overflow(n, minus ? '0' - *p : *p - '0', &n))
			n = minus ? INT64_MIN : INT64_MAX;
	}
	*num = n;
	return true;
}

bool arg_mask4(struct span text, struct in_addr *mask)
{
	int64_t bits;

	while (text.len && *text.ptr == ' ') {
		text.ptr++;
		text.len--;
	}
	if (memchr(text.ptr, '.', text.len))
		return inet_pton(AF_INET, text.ptr, mask) == 1;
	if (!arg_int(text, &bits) || bits < 0 || bits > 32)
		return false;
	mask->s_addr = htonl(bits ? UINT32_MAX << (32 - bits) : 0);
	return true;
}

bool arg_mask6(struct span text, struct in6_addr *mask)
{
	int64_t bits;
	int i;

	if (memchr(text.ptr, ':', text.len))
		return inet_pton(AF_INET6, text.ptr, mask) == 1;
	if (!arg_int(text, &bits) || bits < 0 || bits > 128)
		return false;
	for (i = 0; i < 16; i++, bits = bits > 8 ? bits - 8 : 0)
		mask->s6_addr[i] = (uint8_t)(bits >= 8 ? 0xff : 0xff00 >> bits);
	return true;
}

int arg_unit(struct expr_arg *arg, struct err *err)
{
	const char *unit = arg->type == ARG_STR && arg->str.len ? arg->str.ptr : "s";
	int64_t scale = 1;

	if (!strcmp(unit, "ms"))
		scale = 1000;
	else if (!strcmp(unit, "us"))
		scale = 1000000;
	else if (strcmp(unit, "s") != 0)
		return err_set(err, "the unit must be s, ms or us, not '%s'", unit);
	*arg = (struct expr_arg){ .type = ARG_INT, .num = scale };
	return 0;
}

/* -- names at run time ------------------------------------------------------------------ */

static struct proxy *proxy_now(const struct arg_pending *p, const char *name, unsigned caps,
			       const struct proxies *all)
{
	struct proxy *px = *name ? proxy_find(all, name, caps) : p->proxy;

	return px && px->caps & caps ? px : NULL;
}

static struct server *server_now(const struct arg_pending *p, const struct proxies *all)
{
	const char *slash = strchr(p->name, '/');
	char backend[256] = "";
	struct proxy *px;

	if (slash && (size_t)(slash - p->name) >= sizeof(backend))
		return NULL;
	if (slash)
		memcpy(backend, p->name, (size_t)(slash - p->name));
	px = proxy_now(p, backend, PROXY_BACKEND, all);
	return px ? server_find(px, slash ? slash + 1 : p->name) : NULL;
}

static struct stick_line *table_now(const struct arg_pending *p, struct config *cfg)
{
	const char *name = *p->name ? p->name : p->proxy ? p->proxy->name : "";
	struct stick_line *line = stick_line_find(config_data(cfg, &stick_module), name);

	if (line && p->value != SMP_ANY && !sample_castable(p->value, stick_key_sample(line->def.type)))
		return NULL;
	return line;
}

/* While traffic is served: nothing waits for the end of a configuration. */
static int arg_now(struct expr_arg *arg, const struct arg_pending *p, struct config *cfg,
		   struct err *err)
{
	const struct proxies *all = config_data(cfg, &proxy_module);
	const void *found;

	arg->type = p->type;
	if (p->type == ARG_SERVER)
		found = arg->server = server_now(p, all);
	else if (p->type == ARG_USERLIST)
		found = arg->userlist = userlist_find(cfg, p->name);
	else if (p->type == ARG_TABLE)
		found = arg->table = table_now(p, cfg);
	else
		found = arg->proxy = proxy_now(p, p->name, p->type == ARG_BACKEND ? PROXY_BACKEND :
					       PROXY_FRONTEND, all);
	if (found)
		return 0;
	return err_set(err, "%s: there is no %s '%s' for it", p->what, arg_type_name(p->type), p->name);
}

/* Proxies and servers: noted for expr_args_resolve. */
static int arg_later(struct expr_arg *arg, struct span text, enum arg_type type, const char *what,
		     const struct expr_context *ctx, struct err *err)
{
	struct arg_pending *p = arena_alloc(ctx->arena, sizeof(*p));

	arg->type = ARG_NONE;
	if (!p)
		return err_set(err, "out of memory");
	*p = (struct arg_pending){ .arg = arg, .type = type, .name = text.ptr,
				   .value = ctx->value, .loc = ctx->loc, .proxy = ctx->proxy,
				   .used = ctx->used };
	p->what = arena_strdup(ctx->arena, what);
	if (ctx->running)
		return arg_now(arg, p, ctx->running, err);
	return expr_conf_pending(ctx->cfg, p, err);
}

static int arg_value(struct expr_arg *arg, struct span text, enum arg_type type, const char *what,
		     const struct expr_context *ctx, struct err *err)
{
	bool good = true;

	arg->type = type;
	switch (type) {
	case ARG_INT:
		good = arg_int(text, &arg->num);
		break;
	case ARG_STR:
		arg->str = text;
		break;
	case ARG_IPV4:
		good = inet_pton(AF_INET, text.ptr, &arg->v4) == 1;
		break;
	case ARG_IPV6:
		good = inet_pton(AF_INET6, text.ptr, &arg->v6) == 1;
		break;
	case ARG_MASK4:
		good = arg_mask4(text, &arg->v4);
		break;
	case ARG_MASK6:
		good = arg_mask6(text, &arg->v6);
		break;
	case ARG_VAR:
		arg->var = var_name(text, err);
		return arg->var ? 0 : err_prefix(err, "%s", what);
	case ARG_FRONTEND:
	case ARG_BACKEND:
	case ARG_SERVER:
	case ARG_USERLIST:
	case ARG_TABLE:
		return arg_later(arg, text, type, what, ctx, err);
	case ARG_NONE:
	case ARG_PTR:
	case ARG_TYPES:
		BUG_ON(true);
	}
	if (good)
		return 0;
	return err_set(err, "%s: '%s' is no %s", what, text.ptr, arg_names[type]);
}

/* An argument that is empty or missing where another kind than a string is expected. */
static int arg_missing(struct expr_arg *args, int i, const struct arg_spec *spec,
		       const char *what, const struct expr_context *ctx, struct err *err)
{
	enum arg_type type = spec->types[i];

	if (type == ARG_FRONTEND || type == ARG_BACKEND || type == ARG_TABLE)
		return arg_later(&args[i], span_of(""), type, what, ctx, err);
	if (type == ARG_SERVER)
		return err_set(err, "%s needs the name of a server", what);
	if (type == ARG_USERLIST)
		return err_set(err, "%s needs the name of a userlist", what);
	if (type == ARG_STR) {
		args[i] = (struct expr_arg){ .type = ARG_STR, .str = span_of("") };
		return 0;
	}
	return err_set(err, "%s expects its %s in argument %d", what, arg_names[type], i + 1);
}

/* A parenthesis inside an argument has ended it: "regsub(^/(a|b),c)". */
static const char *cut_short(const char *begin, const char *end)
{
	const char *open = *begin == '(' ? memchr(begin + 1, '(', (size_t)(end - begin - 1)) : NULL;

	return open ? "; quote an argument that holds ')', and the word: \"...('(a|b)',...)\"" : "";
}

/* What follows from arguments that were not given; they stand from begin to end. */
static int args_rest(struct expr_arg *args, int given, const struct arg_spec *spec,
		     const char *begin, const char *end, const char *what,
		     const struct expr_context *ctx, struct err *err)
{
	enum arg_type next = given < ARG_MAX ? spec->types[given] : ARG_NONE;

	if (given < spec->need && given > 0 && next != ARG_TABLE)
		return err_set(err, "%s expects %d arguments, argument %d (%s) is missing%s", what,
			       spec->need, given + 1, arg_names[next], cut_short(begin, end));
	if (given < spec->need || next == ARG_BACKEND || next == ARG_FRONTEND) {
		if (spec->need > 1 && next != ARG_TABLE)
			return err_set(err, "%s expects %d arguments", what, spec->need);
		return arg_missing(args, given, spec, what, ctx, err);
	}
	return 0;
}

static int args_inside(const char **text, const struct arg_spec *spec, struct expr_arg *args,
		       const char *what, const struct expr_context *ctx, int *given,
		       struct err *err)
{
	const char *word;
	struct span value;
	bool own; /* table */
	int i = 0;

	for (;; i++) {
		if (i == ARG_MAX || spec->types[i] == ARG_NONE)
			return err_set(err, "%s: ')' expected before '%s'", what, *text);
		word = lexer_argument(ctx->arena, *text, text);
		if (!word || !**text)
			return err_set(err, "%s: ')' is missing", what);
		value = span_of(word);
		own = spec->types[i] == ARG_TABLE && i < spec->need;
		if (!value.len && spec->types[i] != ARG_STR && spec->types[i] != ARG_VAR && !own)
			break;
		if ((value.len || own) &&
		    arg_value(&args[i], value, spec->types[i], what, ctx, err))
			return -1;
		if (!value.len && spec->types[i] == ARG_STR)
			args[i] = (struct expr_arg){ .type = ARG_STR, .str = value };
		if (!value.len && spec->types[i] == ARG_VAR && i == 0)
			return err_set(err, "%s expects the name of a variable", what);
		if (**text == ')') {
			i++;
			break;
		}
		++*text;
	}
	*given = i;
	if (**text != ')')
		return err_set(err, "%s: ')' expected before '%s'", what, *text);
	++*text;
	return 0;
}

int expr_args_parse(const char **text, const struct arg_spec *spec, struct expr_arg *args,
	       const char *what, const struct expr_context *ctx, struct err *err)
{
	const char *begin = *text;
	int given = 0;

	if (**text == '(') {
		++*text;
		if (**text == ')') {
			++*text;
			if (spec->types[0] == ARG_STR)
				args[0] = (struct expr_arg){ .type = ARG_STR, .str = span_of("") };
		} else if (args_inside(text, spec, args, what, ctx, &given, err)) {
			return -1;
		}
	}
	return args_rest(args, given, spec, begin, *text, what, ctx, err);
}

/* Does a proxy that begins as a copy of this defaults section have the side, or is there no proxy
 * at all? */
static bool heirs_have(const struct proxy *defaults, unsigned caps, const struct proxies *all)
{
	const struct proxy *px, *from;
	bool any = false;

	list_for_each(px, &all->list, node) {
		for (from = px->defaults; from && from != defaults;)
			from = from->defaults;
		if (from && px->caps & caps)
			return true;
		any |= from != NULL;
	}
	return !any;
}

/* Its own one, in a defaults section: NULL, that of the stream is meant. */
static int pending_own(struct config *cfg, const struct arg_pending *p, unsigned caps, const char *side,
		       const struct proxies *all)
{
	p->arg->proxy = NULL;
	if (heirs_have(p->proxy, caps, all))
		return 0;
	return config_error(cfg, &p->loc, "%s needs the name of a %s: none of the sections that use these "
			    "defaults is one", p->what, side);
}

/* "proxy": its own one when the name is empty. */
static int pending_proxy(struct config *cfg, const struct arg_pending *p, unsigned caps,
			 const struct proxies *all)
{
	const char *side = caps == PROXY_BACKEND ? "backend" : "frontend";
	struct location loc = config_locate(cfg, &p->loc, p->name);

	if (!*p->name && p->proxy && p->proxy->caps & PROXY_DEFAULTS)
		return pending_own(cfg, p, caps, side, all);
	p->arg->proxy = *p->name ? proxy_find(all, p->name, caps) : p->proxy;
	if (!p->arg->proxy && *p->name) {
		config_error(cfg, &loc, "%s: there is no %s '%s'", p->what, side, p->name);
		proxy_suggest(cfg, all, p->name, caps);
		return -1;
	}
	if (!p->arg->proxy || !(p->arg->proxy->caps & caps))
		return config_error(cfg, &p->loc, "%s needs the name of a %s here: '%s' is none",
				    p->what, side, p->proxy ? p->proxy->name : "this section");
	if (p->arg->proxy != p->proxy)
		proxy_note_named(p->arg->proxy, &p->loc);
	return 0;
}

static int pending_server(struct config *cfg, const struct arg_pending *p,
			  const struct proxies *all)
{
	const char *slash = strchr(p->name, '/'), *name = slash ? slash + 1 : p->name;
	struct location loc = config_locate(cfg, &p->loc, p->name);
	struct proxy *px = p->proxy;

	if (!slash && px && px->caps & PROXY_DEFAULTS)
		return config_error(cfg, &p->loc, "%s: in a defaults section the backend must be named, too: "
				    "<backend>/%s", p->what, name);
	if (slash) {
		char *backend = arena_strndup(cfg->arena, p->name, (size_t)(slash - p->name));

		px = proxy_find(all, backend, PROXY_BACKEND);
		if (!px) {
			config_error(cfg, &loc, "%s: there is no backend '%s'", p->what, backend);
			proxy_suggest(cfg, all, backend, PROXY_BACKEND);
			return -1;
		}
	}
	p->arg->server = px ? server_find(px, name) : NULL;
	if (p->arg->server) {
		p->arg->server->pointed_at = true;
		return 0;
	}
	config_error(cfg, &loc, "%s: there is no server '%s' in '%s'", p->what, name,
		     px ? px->name : "this section");
	if (px)
		server_suggest(cfg, px, name);
	return -1;
}

static int pending_userlist(struct config *cfg, const struct arg_pending *p)
{
	struct location loc = config_locate(cfg, &p->loc, p->name);

	p->arg->userlist = userlist_use(cfg, p->name);
	if (p->arg->userlist)
		return 0;
	config_error(cfg, &loc, "%s: there is no userlist '%s'", p->what, p->name);
	userlist_suggest(cfg, p->name);
	return -1;
}

/* Can the value that is looked up be a key? Only what a rule counts by has to be one. */
static int table_takes(struct config *cfg, const struct arg_pending *p, const struct stick_line *line)
{
	const char *why;

	if (p->value == SMP_ANY || sample_castable(p->value, stick_key_sample(line->def.type)))
		return 0;
	why = arena_printf(cfg->arena, "of type %s cannot be a key of the stick table '%s', which is of "
			   "type %s (%s:%u)", sample_type_name(p->value), line->name,
			   stick_key_type_name(line->def.type), line->loc.file, line->loc.line);
	if (p->rule)
		return config_error(cfg, &p->loc, "%s: a value %s", p->what, why);
	if (table_use_runs(cfg, p->proxy, p->used))
		config_warning(cfg, &p->loc, "%s never has a value: one %s", p->what, why);
	else
		config_notice(cfg, &p->loc, "%s never has a value: one %s", p->what, why);
	return 0;
}

/* That of the section itself when there is no name. */
static int pending_table(struct config *cfg, const struct arg_pending *p, const struct proxies *all)
{
	const char *name = *p->name ? p->name : p->proxy ? p->proxy->name : "";
	const struct proxy *px =
		name ? proxy_find(all, name, PROXY_FRONTEND | PROXY_BACKEND) : NULL;
	struct location loc;

	p->arg->table = *p->name || (p->proxy && p->proxy->stick) ?
		stick_line_find(config_data(cfg, &stick_module), name) : NULL;
	if (p->arg->table)
		return table_takes(cfg, p, p->arg->table);
	if (px && px->stick_wrong)
		return -1;
	if (!*p->name) {
		config_error(cfg, &p->loc, "%s needs the name of a stick table here: '%s' has none",
			     p->what, *name ? name : "this section");
		diag_hintf(cfg->diag,
			   "name one, or give '%s' a line 'stick-table type ip size 100k'",
			   *name ? name : "this section");
		return -1;
	}
	loc = config_locate(cfg, &p->loc, name);
	config_error(cfg, &loc,
		     px	     ? "%s: there is no stick table '%s': the section of that name has no "
			       "line 'stick-table'"
			     : "%s: there is no stick table '%s'",
		     p->what, name);
	table_suggest(cfg, name);
	return -1;
}

int expr_args_resolve(struct config *cfg, struct arg_pending *list, const struct proxies *all)
{
	struct arg_pending *p;
	int bad = 0;

	for (p = list; p; p = p->next) {
		p->arg->type = p->type;
		if (p->type == ARG_SERVER)
			bad |= pending_server(cfg, p, all);
		else if (p->type == ARG_USERLIST)
			bad |= pending_userlist(cfg, p);
		else if (p->type == ARG_TABLE)
			bad |= pending_table(cfg, p, all);
		else
			bad |= pending_proxy(cfg, p,
					     p->type == ARG_BACKEND ? PROXY_BACKEND : PROXY_FRONTEND,
					     all);
	}
	return bad;
}
