/* SPDX-License-Identifier: BSD-2-Clause */
/* Files of cases (*.cases) for "penstock test":
 *
 *   # a comment
 *   file ../shop.cfg                       configuration of the cases that follow
 *   GET https://shop.example.org/cart      a case: the words of "penstock explain", quoted as in a shell
 *       --expect backend=shop              lines that begin with a blank go on with the case
 *
 * Files that it names are relative to its folder. Reading it touches nothing else. */
#ifndef EXPLAIN_CASES_H
#define EXPLAIN_CASES_H

#include "base/str.h"

struct arena;
struct err;

enum { CASES_WORDS = 256 };

struct cases_case {
	struct cases_case *next;
	const char *file;  /* of cases */
	unsigned line;     /* where it begins */
	const char **words; /* with "-f FILE" in front for each file, and -q */
	unsigned count, own; /* the first word that stands in the file */
};

/* The cases of a text, in order, in the arena. NULL and err, which names file and line: it is
 * malformed; NULL and err empty: there is none. */
struct cases_case *cases_parse(struct arena *arena, const char *file, struct span text,
			       struct err *err);

#endif
