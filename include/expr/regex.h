/* SPDX-License-Identifier: BSD-2-Clause */
/* Regular expressions: PCRE2, compiled for the processor where it can. */
#ifndef EXPR_REGEX_H
#define EXPR_REGEX_H

#include "base/str.h"

#include <stdbool.h>
#include <stddef.h>

struct arena;
struct err;
struct regex;

enum { REGEX_GROUPS = 10 }; /* the whole match and \1 to \9 */

struct regex_match {
	int count; /* groups that are filled in; those beyond did not take part */
	struct span group[REGEX_GROUPS]; /* ptr NULL: took no part */
};

/* Compiles into the arena. NULL and err, which tells what is wrong where. */
struct regex *regex_compile(const char *pattern, bool ignore_case, struct arena *arena,
			    struct err *err);
/* It will not be used any more: gives back what is not in the arena. */
void regex_forget(struct regex *re);
/* Does it match anywhere in the text? */
bool regex_test(const struct regex *re, struct span text);
/* The same from an offset on, and where; spans point into text. */
bool regex_find(const struct regex *re, struct span text, size_t offset,
		struct regex_match *match);
/* Appends the replacement: "\0" to "\9" are groups, "\xNN" a byte, "\c" any other character c. */
void regex_expand(struct text *out, struct span replacement, const struct regex_match *match);

#endif
