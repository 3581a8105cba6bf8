/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What rules, fetches and converters ask of stick tables, noted while the configuration is read. At
 * its end, when it is known what each table stores and what track-sc follows, that which certainly
 * asks in vain is an error: HAProxy takes the line without a word, and the rule never matches. Where it
 * may be meant so (nothing is followed under that number, keys are of another type, an ACL that
 * nobody uses) a notice says it: no warning, which zero-warning would refuse.
 */
#ifndef EXPR_TABLE_USES_H
#define EXPR_TABLE_USES_H

#include "config/config.h"
#include "stick/table.h"

struct expr_arg;
struct proxy;

enum { TABLE_USE_KEY = -1 }; /* no sticky counter: a key is given */

struct table_use {
	const char *what;             /* "fetch 'sc0_gpc0_rate'" */
	struct location loc;
	const struct proxy *proxy;    /* that it stands in; NULL: none */
	const bool *used;             /* expr_context.used */
	const struct expr_arg *table; /* ARG_TABLE at the end: looked up there; NULL, or not given: in the
				       * table of what is followed */
	int64_t number;               /* of the sticky counter, or TABLE_USE_KEY */
	enum stick_data data[2];      /* one of these has to be stored; STICK_DATA: none */
	int64_t element;              /* of an array */
};

struct table_track {
	const struct proxy *proxy;    /* whose rule it is */
	const struct expr_arg *table;
	unsigned number;
};

/* Both are copied, with the texts. cfg NULL (at run time): not noted. */
void table_use_note(struct config *cfg, const struct table_use *use);
void table_track_note(struct config *cfg, const struct table_track *track);
/* Warns of what will find nothing. Once, at finish, behind all that calls stick_line_store. */
void table_uses_check(struct config *cfg);
/* May what stands in the proxy ever run? Not in a section that is disabled, in defaults that no proxy
 * uses, nor where nobody uses it (used: expr_context.used). At finish. */
bool table_use_runs(struct config *cfg, const struct proxy *proxy, const bool *used);

#endif
