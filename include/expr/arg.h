/* SPDX-License-Identifier: BSD-2-Clause */
/* Arguments between the parentheses of fetches and converters. */
#ifndef EXPR_ARG_H
#define EXPR_ARG_H

#include "expr/expr.h"

/* Parses "(a,b)" at *text, if there is any, into args (ARG_MAX of them), and moves *text
 * behind it. what: the word in front of it, for messages ("fetch 'src'"). Names of proxies
 * and servers are looked up by expr_args_resolve, or at once when ctx->cfg is NULL. 0, or -1 and
 * err. */
int expr_args_parse(const char **text, const struct arg_spec *spec, struct expr_arg *args,
	       const char *what, const struct expr_context *ctx, struct err *err);

/* "integer", "string" ... */
const char *arg_type_name(enum arg_type type);

/* A unit of time, s where none is given, becomes how many of them a second has. 0, or -1 and err.
 */
int arg_unit(struct expr_arg *arg, struct err *err);

/* "24", "255.255.255.0"; "64", "ffff::". */
bool arg_mask4(struct span text, struct in_addr *mask);
bool arg_mask6(struct span text, struct in6_addr *mask);

struct arg_pending;
struct proxies;
/* Looks up all of the list; reports what it does not find. 0, or -1. */
int expr_args_resolve(struct config *cfg, struct arg_pending *list, const struct proxies *all);

#endif
