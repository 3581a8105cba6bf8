/* SPDX-License-Identifier: BSD-2-Clause */
/* Files of cases (*.cases) for "penstock test":
 *
 *   # a comment
 *   file ../shop.cfg                       configuration of the cases that follow, relative to this file
 *   GET https://shop.example.org/cart      a case: the words of "penstock explain", quoted as in a shell
 *       --expect backend=shop              lines that begin with a blank go on with the case
 *
 * Reading them touches nothing else. */
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

/* The cases of a text, in order, in the arena. folder: what relative files are relative to. NULL and
 * err, which names file and line: it is malformed; NULL and err empty: there is none. */
struct cases_case *cases_parse(struct arena *arena, const char *file, const char *folder, struct span text,
			       struct err *err);

#endif
