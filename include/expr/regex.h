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

enum { REGEX_GROUPS = 20 }; /* the whole match, \1 to \9, and more that scripts ask for */

struct regex_match {
	int count; /* groups that are filled in; those beyond did not take part */
	struct span group[REGEX_GROUPS]; /* ptr NULL: took no part */
};

/* Searches that were given up, since they took more steps, or memory, than a match may: what they
 * would have found is not known. Counted for this process; whoever asks "did it match" and must not
 * take "no" for an answer compares before and after. */
extern uint64_t regex_given_up;

/* How many steps the searches of one run through the rules may still take, all together, beside
 * those that any search has: a step is what PCRE2 counts against its match limit, some nanoseconds
 * of compiled code. Whoever runs rules for a client sets it to REGEX_STEPS before and behind, all
 * others share what a turn of the loop has. When they are used up only short searches are
 * completed. */
enum { REGEX_STEPS = 60000 };
extern uint32_t regex_steps;

/* Compiles into the arena. NULL and err, which tells what is wrong where. */
struct regex *regex_compile(const char *pattern, bool ignore_case, struct arena *arena,
			    struct err *err);
/* The same; err in the words of the configuration, or of the stats socket. */
enum regex_said { REGEX_SAID, REGEX_SAID_SHORT };
struct regex *regex_compile_as(const char *pattern, bool ignore_case, enum regex_said said,
			       struct arena *arena, struct err *err);
/* It will not be used any more: gives back what is not in the arena. */
void regex_forget(struct regex *re);
/* Does it match anywhere in the text? False also when that was given up. */
bool regex_test(const struct regex *re, struct span text);
/* The same from an offset on, and where; spans point into text. */
bool regex_find(const struct regex *re, struct span text, size_t offset,
		struct regex_match *match);
/* Appends a piece of a replacement such that it stands for itself: each escape in it is complete,
 * and means what it means alone; at most twice the bytes. */
void regex_escapes(struct text *out, struct span piece);
/* Appends the replacement: "\0" to "\9" are groups, "\xNN" a byte, "\c" any other character c. */
void regex_expand(struct text *out, struct span replacement, const struct regex_match *match);

#endif
