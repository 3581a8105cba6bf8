/* SPDX-License-Identifier: BSD-2-Clause */
/* "did you mean": the nearest of the names that there are, as a hint to the problem reported last.
 */
#ifndef CONFIG_SUGGEST_H
#define CONFIG_SUGGEST_H

#include "config/config.h"

struct suggestion {
	struct config *cfg;
	const char *word, *best, *begun; /* begun: a name that begins with the word ... */
	unsigned begins;                 /* ... of so many */
	unsigned distance; /* of the best; above it nothing is near */
};

/* For a name that is not there. Where hundreds of problems are reported already nothing is looked
 * for: files that programs write have ten thousand of a kind. */
struct suggestion suggest_for(struct config *cfg, const char *word);
/* One of those that are there. Kept as it is until suggest_end. */
void suggest_name(struct suggestion *s, const char *name);
/* Adds the hint, if a name was near, or if the word begins one of them alone. */
void suggest_end(const struct suggestion *s);

/* The nearest of the words of bind lines, server lines and others, by their scope; NULL: none. */
const char *suggest_row(struct config *cfg, unsigned scope, const char *word);

/* The same for a file that cannot be opened, with errno of that: among those of its directory, or
 * the directory that is missing. */
void suggest_file(struct config *cfg, const char *path, int error);

/* The place of a word in its line, for a problem with a caret; loc as it is where the word, or what
 * begins with it, is not in the line. */
struct location config_locate(struct config *cfg, const struct location *loc, const char *word);

#endif
