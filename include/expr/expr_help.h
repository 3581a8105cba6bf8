/* SPDX-License-Identifier: BSD-2-Clause */
/* What the tables of fetches, converters and ACL words say of themselves: for -dK and `penstock
 * help WORD`. */
#ifndef EXPR_EXPR_HELP_H
#define EXPR_EXPR_HELP_H

#include <stdbool.h>
#include <stdio.h>

/* A line each: "name(integer[,string]): type". */
void expr_dump_fetches(FILE *out);
void expr_dump_converters(FILE *out);
void expr_dump_acls(FILE *out);
/* The fetch and the converter of this name, in full; false: there is none. any: something stands
 * above. */
bool expr_help_word(FILE *out, const char *word, bool any);
/* Names the fetch and the converter that were probably meant, if any. */
void expr_help_nearest(FILE *out, const char *word);

#endif
