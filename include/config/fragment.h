/* SPDX-License-Identifier: BSD-2-Clause */
/* A line that is read while the program serves, by the same rows and parsers as those of the files:
 * a configuration of its own, with an arena and problems of its own, over the data of the one that
 * runs. Files are not read for it: what it names must have been loaded. */
#ifndef CONFIG_FRAGMENT_H
#define CONFIG_FRAGMENT_H

#include "config/config.h"

struct err;

/* The configuration that this process runs; NULL: none yet. Set when it is complete. */
extern struct config *config_running;

/* A fresh one, to be freed by fragment_free, or kept for what was made of it: everything is in its
 * arena. NULL: out of memory, or nothing runs. */
struct config *fragment_new(void);
void fragment_free(struct config **fragment);
/* A statement of these words (NULL-terminated, copied). what: how problems name its place. */
void fragment_statement(struct config *fragment, struct statement *st, const char *what,
			char *const *words);
/* The first error that was reported, in err; what was no error is forgotten. Returns -1. */
int fragment_problem(const struct config *fragment, struct err *err);
/* Reading is over: what stays takes no more than it needs. */
void fragment_done(struct config *fragment);

#endif
