/* SPDX-License-Identifier: BSD-2-Clause */
/* For files that write the rulesets of options (stock.c, datagrams.c). */
#ifndef CHECK_STOCK_H
#define CHECK_STOCK_H

#include "check/answers.h"
#include "check/check_conf.h"
#include "check/walk.h"
#include "config/keyword.h"
#include "expr/expr.h"

/* A ruleset under construction. */
struct stock {
	struct config *cfg;
	struct step_list list;
	struct expr_context ctx;
};

/* The usual connection; linger: it is closed well. */
void stock_connect(struct stock *stock, bool linger);
/* A copy of the bytes. */
void stock_send(struct stock *stock, const char *bytes, size_t len);
/* regex NULL: none. */
struct step_expect *stock_expect(struct stock *stock, enum expect_kind kind, const char *regex,
				 int min_recv);
void stock_custom(struct stock *stock,
		  enum expect_result (*custom)(struct walk *, struct span, bool));
/* What answers.c has found ends the check, unless it goes on with a good one. */
enum expect_result stock_report(struct walk *walk, const struct answer *a);
/* The checks of the section are of this type from now on. */
struct check_conf *stock_conf(struct statement *st, struct proxy *px, enum check_type type);

/* datagrams.c: the steps of option udp-check, and its line. */
void stock_udp(struct stock *stock, const struct check_conf *conf);
int stock_parse_udp(struct statement *st, const struct keyword *kw, void *object);

#endif
