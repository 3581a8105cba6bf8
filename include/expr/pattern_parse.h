/* SPDX-License-Identifier: BSD-2-Clause */
/* Understanding one pattern as it is written. For patterns.c. */
#ifndef EXPR_PATTERN_PARSE_H
#define EXPR_PATTERN_PARSE_H

#include "expr/pattern.h"

/* Fills in what p->text means for the method. 0, or -1 and err. */
int pattern_parse(struct pattern *p, enum match match, enum pattern_op op, unsigned flags,
		  struct arena *arena, struct err *err);
/* "eq", "gt" ...; false: no operator. */
bool pattern_operator(const char *word, enum pattern_op *op);
/* As it was written: "lt 9". */
void pattern_say(const struct pattern *p, enum match match, struct text *to);

#endif
