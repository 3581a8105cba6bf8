/* SPDX-License-Identifier: BSD-2-Clause */
/* What expressions leave to the end of the configuration. Noted by what parses ACLs, conditions and
 * arguments; expr_words.c reads it at the end. */
#include "expr/expr_conf.h"

#include "base/arena.h"
#include "base/err.h"
#include "config/module.h"
#include "expr/acl_conf.h"

static void expr_left_init(struct config *cfg, void *data)
{
	struct expr_left *d = data;

	(void)cfg;
	d->pending_tail = &d->pending;
}

int expr_conf_pending(struct config *cfg, struct arg_pending *p, struct err *err)
{
	struct expr_left *d;

	if (!cfg)
		return err_set(err, "%s: names of proxies and servers can only be used in the "
				    "configuration", p->what);
	d = config_data(cfg, &expr_conf_module);
	*d->pending_tail = p;
	d->pending_tail = &p->next;
	return 0;
}

struct expr_arg *expr_take_table(struct statement *st, struct proxy *px, const char *what,
				 enum sample_type key)
{
	const char *name = stmt_take(st, "table") ? stmt_need(st, "the name of a stick table") : "";
	struct expr_arg *arg = arena_alloc(st->cfg->arena, sizeof(*arg));
	struct arg_pending *p = arena_alloc(st->cfg->arena, sizeof(*p));
	struct err err;

	if (!name)
		return NULL;
	*arg = (struct expr_arg){ .type = ARG_NONE };
	*p = (struct arg_pending){ .arg = arg, .type = ARG_TABLE, .name = name,
				   .what = arena_printf(st->cfg->arena, "'%s'", what),
				   .loc = stmt_location(st), .proxy = px, .value = key,
				   .rule = true };
	return expr_conf_pending(st->cfg, p, &err) ? NULL : arg;
}

void expr_conf_group(struct config *cfg, struct acl_test *test)
{
	struct expr_left *d = config_data(cfg, &expr_conf_module);

	test->next_group = d->group_tests;
	d->group_tests = test;
}

void expr_conf_hello(struct config *cfg, const struct location *loc, const struct proxy *proxy,
		     const char *fetch)
{
	struct expr_left *d = config_data(cfg, &expr_conf_module);
	struct expr_hello *use = arena_alloc(cfg->arena, sizeof(*use));

	*use = (struct expr_hello){ d->hellos, proxy, *loc, fetch };
	d->hellos = use;
}

struct pattern_ref **expr_conf_pattern_refs(struct config *cfg)
{
	struct expr_left *d = config_data(cfg, &expr_conf_module);

	return &d->pattern_refs;
}

struct table_uses **expr_conf_table_uses(struct config *cfg)
{
	struct expr_left *d = config_data(cfg, &expr_conf_module);

	return &d->table_uses;
}

struct expr_left *expr_conf_left(struct config *cfg)
{
	return config_data(cfg, &expr_conf_module);
}

const struct module expr_conf_module = {
	.name = "expr_conf",
	.data_size = sizeof(struct expr_left),
	.init = expr_left_init,
};
