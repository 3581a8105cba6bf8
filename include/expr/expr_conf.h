/* SPDX-License-Identifier: BSD-2-Clause */
/* What the expressions of a configuration generation leave to be done at its end. */
#ifndef EXPR_EXPR_CONF_H
#define EXPR_EXPR_CONF_H

#include "base/sample.h"
#include "config/config.h"
#include "config/module.h"
#include "expr/expr.h"

struct acl_test;
struct err;
struct pattern_ref;
struct proxy;
struct table_uses;

/* A name that waits for the end of the configuration. */
struct arg_pending {
	struct arg_pending *next;
	struct expr_arg *arg;
	enum arg_type type;
	const char *name; /* empty: the proxy that it stands in */
	const char *what; /* "fetch 'nbsrv'" */
	struct location loc;
	struct proxy *proxy;
	enum sample_type value; /* that a converter gets, or that is to be a key */
	const bool *used;       /* expr_context.used */
	bool rule;              /* the value is to be a key of a rule, which is nothing without it */
};

/* A condition that looks at a hello of TLS among the bytes that clients or servers send. */
struct expr_hello {
	struct expr_hello *next;
	const struct proxy *proxy;
	struct location loc;
	const char *fetch;
};

/* All of it; empty at the start of a generation. */
struct expr_left {
	struct arg_pending *pending, **pending_tail;
	struct acl_test *group_tests; /* next_group */
	struct expr_hello *hellos;    /* newest first */
	struct pattern_ref *pattern_refs;
	struct table_uses *table_uses;
};

/* Notes a name to be looked up when all files have been read. cfg NULL (an expression made at
 * run time): refused, -1 and err. */
int expr_conf_pending(struct config *cfg, struct arg_pending *p, struct err *err);
/* Takes "[table <name>]" of a rule, whose word is `what`: a stick table, looked up when all files
 * have been read, as it may be declared behind the rule; that of its own section where no name is
 * given. Its keys have to be such that a value of type `key` can be one. From the end of the
 * configuration on the result's `table` is it. NULL after a report. */
struct expr_arg *expr_take_table(struct statement *st, struct proxy *px, const char *what,
				 enum sample_type key);
/* Notes a test by groups, for acl_check_groups. */
void expr_conf_group(struct config *cfg, struct acl_test *test);
/* Notes that a condition of the proxy asks this fetch for something of a hello of TLS. */
void expr_conf_hello(struct config *cfg, const struct location *loc, const struct proxy *proxy,
		     const char *fetch);
/* The files of patterns of the generation: expr/pattern_ref.h. */
struct pattern_ref **expr_conf_pattern_refs(struct config *cfg);
/* What is asked of stick tables: expr/table_uses.h. */
struct table_uses **expr_conf_table_uses(struct config *cfg);
/* What the generation has noted; never NULL. */
struct expr_left *expr_conf_left(struct config *cfg);

/* Holds that. It stands in front of expr_module, which does what is left. */
extern const struct module expr_conf_module;

#endif
