/* SPDX-License-Identifier: BSD-2-Clause */
/* Finding words: among the rows of the modules, and among those of the manual that no module
 * has (known_words.def, old_words.def). */
#ifndef CONFIG_LOOKUP_H
#define CONFIG_LOOKUP_H

#include "config/config.h"
#include "config/keyword.h"
#include "config/module.h"

struct arena;

/* A row and whose it is. */
struct lookup_row {
	const struct keyword *kw;
	const struct module *module;
	int words; /* that its name has */
};

struct lookup;

/* An index over the rows of all modules, in the arena. */
struct lookup *lookup_new(struct arena *arena, const struct module *const *list);
/* The row with the longest name that the words begin with and that has one of the scopes.
 * NULL: none. */
const struct lookup_row *lookup_find(const struct lookup *index, unsigned scope,
				     const struct word *words, int count);
/* All rows, sorted by name: for help and dumps. */
const struct lookup_row *lookup_rows(const struct lookup *index, size_t *count);
const struct section *lookup_section(const struct module *const *list, const char *name);

/* Words of the manual, whether or not somebody has a row for them. */
struct known_word {
	const char *name; /* "timeout client", as in rows */
	unsigned scope;
	int args; /* on bind and server lines; -1: the rest of the line */
	const char *why; /* "is not supported ...", for messages */
};
/* The longest known word of these scopes that the words begin with. */
const struct known_word *known_find(unsigned scope, const struct word *words, int count);
/* Is it the name of a section of the manual? */
bool known_section(const char *name);
/* In a frontend without backend side, or the other way round: is this word refused? Most are
 * ignored with a warning. */
bool known_refused(const char *name);
/* A word of older releases and what replaced it. */
struct old_word {
	const char *name;
	unsigned scope;
	const char *replacement;
};
const struct old_word *known_old(unsigned scope, const struct word *words, int count);

/* Into buf: "global, defaults, frontend and listen", for people. */
const char *scope_names(unsigned scope, char *buf, size_t size);
/* The nearest name of a section, when it looks like a typo; else NULL. */
const struct section *lookup_section_nearest(const struct module *const *list, const char *name);
/* The nearest known name (rows and known words) of these scopes to the first one or two of
 * the words, when it looks like a typo; else NULL. */
const char *lookup_nearest(const struct lookup *index, unsigned scope, const struct word *words,
			   int count);

#endif
