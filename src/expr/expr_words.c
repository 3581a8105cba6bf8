/* SPDX-License-Identifier: BSD-2-Clause */
/* The module of expressions: the words that concern them, and what they leave to the end of the
 * configuration, looked up and checked. */
#include "expr/expr_conf.h"

#include "base/err.h"
#include "config/diag.h"
#include "config/keyword.h"
#include "config/module.h"
#include "expr/acl_conf.h"
#include "expr/arg.h"
#include "expr/expr.h"
#include "expr/logformat.h"
#include "expr/pattern_cache.h"
#include "expr/pattern_ref.h"
#include "expr/rule_conf.h"
#include "expr/vars.h"
#include "expr/view.h"
#include "proxy/proxy.h"

#include <string.h>

struct expr_data {
	struct vars_limits limits;
	unsigned cache_size;
	struct pattern_ref **pattern_refs; /* expr_conf_pattern_refs, for the release */
};

static void expr_data_init(struct config *cfg, void *data)
{
	struct expr_data *d = data;

	d->cache_size = PATTERN_CACHE_SIZE;
	d->pattern_refs = expr_conf_pattern_refs(cfg);
}

/* -- global words ----------------------------------------------------------------------- */

static const struct view nothing;

/* The name of a variable of the process; NULL after a report. */
static const struct var_name *parse_proc_name(struct statement *st)
{
	const char *word = stmt_need(st, "the name of a variable");
	const struct var_name *name;
	struct err err;

	if (!word)
		return NULL;
	name = var_name(span_of(word), &err);
	if (!name)
		stmt_error(st, st->at - 1, "%s", err.text);
	else if (name->scope != VAR_PROC)
		stmt_error(st, st->at - 1, "only variables of the process (proc.%s) can be set here",
			   strchr(word, '.') + 1);
	return name && name->scope == VAR_PROC ? name : NULL;
}

/* "set-var proc.name expression": evaluated at once. */
static int parse_set_var(struct statement *st, const struct keyword *kw, void *object)
{
	const struct var_name *name = parse_proc_name(st);
	int at = st->at;
	struct sample smp;
	struct expr *e;

	(void)kw;
	(void)object;
	e = name ? expr_parse_words(st, NULL) : NULL;
	if (!e)
		return -1;
	if (!(expr_where(e) & AT_CONFIG))
		return stmt_error(st, at, "'%s' looks at the %s: not while the configuration is read",
				  expr_fetch_name(e), expr_source(e));
	if (expr_eval(e, &nothing, AT_CONFIG, &smp) != EXPR_FOUND ||
	    !var_set(name, &nothing, &smp, 0))
		return stmt_error(st, at, "'%s' has no value", expr_text(e));
	return stmt_end(st);
}

/* "set-var-fmt proc.name format" */
static int parse_set_var_fmt(struct statement *st, const struct keyword *kw, void *object)
{
	struct expr_context ctx = { .cfg = st->cfg, .arena = st->cfg->arena, .loc = st->loc };
	const struct var_name *name = parse_proc_name(st);
	const char *format = name ? stmt_need(st, "a log format") : NULL;
	struct sample smp = { .type = SMP_STR };
	struct logformat *compiled;
	char line[4096];
	struct text t;
	struct err err;

	(void)kw;
	(void)object;
	if (!format)
		return -1;
	compiled = logformat_compile_as(FORMAT_RAW, format, &ctx, AT_CONFIG, &err);
	if (!compiled)
		return stmt_error(st, st->at - 1, "%s", err.text);
	text_init(&t, line, sizeof(line));
	logformat_write(compiled, &nothing, &t);
	smp.str = (struct span){ line, t.len };
	if (!var_set(name, &nothing, &smp, 0))
		return stmt_error(st, st->at - 1, "the variable cannot be kept");
	return stmt_end(st);
}

/* -- words of proxies ------------------------------------------------------------------- */

static int parse_acl(struct statement *st, const struct keyword *kw, void *object)
{
	return rule_check_defaults(st, object, "acl") ? -1 : acl_parse(st, kw, object);
}

static const struct keyword keywords[] = {
	{ .name = "acl", .scope = SCOPE_PROXY | SCOPE_UDP, .args = "<name> <criterion> [flags] [operator] "
	  "<value> ...", .parse = parse_acl, .help = "declares or completes an ACL" },
	{ .name = "use_backend", .scope = SCOPE_FRONTEND, .args = "<backend> [if|unless "
	  "<condition>]", .parse = switch_parse_backend,
	  .help = "chooses a backend by a condition" },
	{ .name = "force-be-switch", .scope = SCOPE_FRONTEND, .args = "{ if | unless } <condition>",
	  .parse = switch_parse_force,
	  .help = "when backends that are disabled or unpublished may be chosen" },
	{ .name = "use-server", .scope = SCOPE_BACKEND | SCOPE_UDP, .args = "<server> if|unless <condition>",
	  .parse = switch_parse_server, .help = "chooses a server by a condition" },
	{ .name = "set-var", .scope = SCOPE_GLOBAL, .args = "proc.<name> <expression>",
	  .parse = parse_set_var, .help = "sets a variable of the process at start" },
	{ .name = "set-var-fmt", .scope = SCOPE_GLOBAL, .args = "proc.<name> <format>",
	  .parse = parse_set_var_fmt,
	  .help = "sets a variable of the process at start to a text made by a log format" },
	{ .name = "tune.pattern.cache-size", .scope = SCOPE_GLOBAL, .args = "<number>",
	  .parse = set_unsigned, .offset = offsetof(struct expr_data, cache_size), .min = 0,
	  .max = 1 << 24, .dflt = "10000",
	  .help = "results of slow lookups in ACLs and maps that a process keeps; 0: none" },
	{ .name = "tune.vars.global-max-size", .scope = SCOPE_GLOBAL, .args = "<size>",
	  .parse = set_size, .offset = offsetof(struct expr_data, limits.global), .dflt = "0",
	  .help = "most memory for all variables together; 0: no limit" },
	{ .name = "tune.vars.proc-max-size", .scope = SCOPE_GLOBAL, .args = "<size>",
	  .parse = set_size, .offset = offsetof(struct expr_data, limits.proc), .dflt = "0",
	  .help = "most memory for variables of the process and all below; 0: no limit" },
	{ .name = "tune.vars.sess-max-size", .scope = SCOPE_GLOBAL, .args = "<size>",
	  .parse = set_size, .offset = offsetof(struct expr_data, limits.sess), .dflt = "0",
	  .help = "most memory for variables of a session and its streams; 0: no limit" },
	{ .name = "tune.vars.txn-max-size", .scope = SCOPE_GLOBAL, .args = "<size>",
	  .parse = set_size, .offset = offsetof(struct expr_data, limits.txn), .dflt = "0",
	  .help = "most memory for variables of a stream; 0: no limit" },
	{ .name = "tune.vars.reqres-max-size", .scope = SCOPE_GLOBAL, .args = "<size>",
	  .parse = set_size, .offset = offsetof(struct expr_data, limits.reqres), .dflt = "0",
	  .help = "most memory for req and res variables of a stream; 0: no limit" },
	{ .name = "tune.vars.check-max-size", .scope = SCOPE_GLOBAL, .args = "<size>",
	  .parse = set_size, .offset = offsetof(struct expr_data, limits.check), .dflt = "0",
	  .help = "most memory for variables of a health check; 0: no limit" },
	{ 0 },
};

/* -- the end ---------------------------------------------------------------------------- */

/* What the reference warns of, too. */
static void warn_hellos(struct config *cfg, const struct expr_hello *use)
{
	for (; use; use = use->next)
		if (use->proxy->set.mode == MODE_HTTP) {
			config_warning(cfg, &use->loc, "'%s' finds nothing in '%s': where HTTP is "
				       "spoken, the bytes are no hello of TLS", use->fetch,
				       use->proxy->name ? use->proxy->name : "defaults");
			diag_hintf(cfg->diag,
				   "'ssl_fc_sni' and its like tell of the TLS that 'ssl' of "
				   "the bind line has ended");
		}
}

static int expr_data_finish(struct config *cfg, void *data)
{
	struct expr_left *left = expr_conf_left(cfg);
	struct proxies *all = config_data(cfg, &proxy_module);
	int bad = expr_args_resolve(cfg, left->pending, all);

	(void)data;
	if (!bad)
		bad = acl_check_groups(cfg, left->group_tests);
	warn_hellos(cfg, left->hellos);
	pattern_refs_finish(cfg);
	return switch_finish(cfg, all) ? -1 : bad;
}

static int expr_data_prepare(struct config *cfg, void *data, struct err *err)
{
	struct expr_data *d = data;

	(void)cfg;
	(void)err;
	vars_limits = d->limits;
	pattern_cache_resize(d->cache_size);
	return 0;
}

static void expr_data_release(void *data)
{
	const struct expr_data *d = data;

	pattern_refs_release(*d->pattern_refs);
}

const struct module expr_module = {
	.name = "expr",
	.keywords = keywords,
	.data_size = sizeof(struct expr_data),
	.init = expr_data_init,
	.finish = expr_data_finish,
	.prepare = expr_data_prepare,
	.release = expr_data_release,
};
