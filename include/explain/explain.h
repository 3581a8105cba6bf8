/* SPDX-License-Identifier: BSD-2-Clause */
/* "penstock explain" and "penstock test": what would happen to a request, told by the code that
 * serves requests, without a socket. doc/internals/explain.md. */
#ifndef EXPLAIN_EXPLAIN_H
#define EXPLAIN_EXPLAIN_H

#include <stdbool.h>

struct config;

struct explain {
	const char *const *words; /* behind "explain", or "test" */
	unsigned count;
	const char *folder;       /* of cases: files of the words are relative to it, and a listener
				   * has to be meant. NULL: one request of a command line */
	/* Reads these files, and reports what is wrong with them. NULL: they cannot be used. */
	struct config *(*load)(const char *const *paths, unsigned count, void *of);
	void (*free)(struct config *cfg);
	void *of;
};

enum { EXPLAIN_HOLDS, EXPLAIN_DIFFERS, EXPLAIN_BROKEN }; /* exit codes: the last for a mistake */

/* One request. What it has found is printed to stdout, mistakes to stderr. */
int explain_run(const struct explain *e);
/* The cases of files, or of the *.cases of folders; each in a process of its own. */
int explain_test(const struct explain *e);
/* How both are used. False: neither is asked for. */
bool explain_help(const char *word);

#endif
