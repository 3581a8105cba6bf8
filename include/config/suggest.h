/* SPDX-License-Identifier: BSD-2-Clause */
/* "did you mean": which of the names that there are is meant by a word that is none of them. */
#ifndef CONFIG_SUGGEST_H
#define CONFIG_SUGGEST_H

#include "config/config.h"

#include <stdbool.h>

struct text;

enum {
	SUGGEST_MOST = 4,                   /* more names than these are no suggestion */
	SUGGEST_TEXT = SUGGEST_MOST * 272   /* room for suggest_put, with names of 255 bytes */
};

struct suggested {
	const char *names[SUGGEST_MOST];
	unsigned count; /* may be above SUGGEST_MOST */
};

/* What is known behind some of the names. The first that is there is said. */
struct suggestion {
	const char *word;
	const char *nearest; /* a slip of the finger: by edits */
	unsigned distance;   /* of the nearest; no other may be as far. 0: nothing is looked for */
	const char *brief;   /* the word is short for it; the shortest such name */
	struct suggested begun, parts; /* begin as the word, or the word as they; have it as a part */
	struct config *cfg;
};

/* Names are given one by one, and kept as they are until the suggestion is said. */
struct suggestion suggest_begin(const char *word);
void suggest_name(struct suggestion *s, const char *name); /* NULL: nothing */
/* Adds what is meant, as "'a'" or "'a', 'b' or 'c'". False: no name is like the word. */
bool suggest_put(const struct suggestion *s, struct text *t);
/* The three at once. names: NULL-terminated. */
bool suggest_of(struct text *t, const char *word, const char *const *names);
/* Does one begin with the other, with four letters or more of it? */
bool suggest_begins(const char *word, const char *name);

/* For a name that is not there, behind the problem that says so. Where hundreds of problems are
 * reported already nothing is looked for: files that programs write have ten thousand of a kind. */
struct suggestion suggest_for(struct config *cfg, const char *word);
/* Adds the hint. False: none of the names is like the word. */
bool suggest_end(const struct suggestion *s);

/* The nearest of the words of bind lines, server lines and others, by their scope; NULL: none. */
const char *suggest_row(struct config *cfg, unsigned scope, const char *word);

/* The same for a file that cannot be opened, with errno of that: among those of its directory, or
 * the directory that is missing. */
void suggest_file(struct config *cfg, const char *path, int error);

/* The place of a word in its line, for a problem with a caret; loc as it is where the word, or what
 * begins with it, is not in the line. */
struct location config_locate(struct config *cfg, const struct location *loc, const char *word);

#endif
