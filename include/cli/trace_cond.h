/* SPDX-License-Identifier: BSD-2-Clause */
/* Conditions that are typed while the program runs: "is_shop !staff { path_beg /admin }", all of
 * which must hold. Names are those of ACLs of the stream's frontend. */
#ifndef CLI_TRACE_COND_H
#define CLI_TRACE_COND_H

#include <stdbool.h>

struct arena;
struct err;
struct proxy;
struct stream;
struct trace_cond;

/* words: NULL-terminated. frontend: NULL: any. NULL and err. */
struct trace_cond *trace_cond_parse(struct arena *arena, const struct proxy *frontend, char **words,
				    struct err *err);
/* For what is known of the stream now. */
bool trace_cond_holds(const struct trace_cond *cond, struct stream *s);
/* What it holds outside of the arena. */
void trace_cond_free(struct trace_cond *cond);

#endif
