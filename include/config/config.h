/* SPDX-License-Identifier: BSD-2-Clause */
/* A configuration generation while it is read, and the statement being parsed. */
#ifndef CONFIG_CONFIG_H
#define CONFIG_CONFIG_H

#include "config/keyword.h"

#include <stdbool.h>

struct arena;
struct diag;
struct lookup;
struct module;
struct reader;
struct section;

/* What one reading of the files produced. Everything in it lives in its arena; after
 * config_finish nothing in it changes any more. */
struct config {
	struct arena *arena;
	struct diag *diag; /* where problems are reported: config/diag.h */
	const struct module *const *modules; /* NULL-terminated, in start order */
	void **data;                         /* each module's data of this generation */
	bool check_only;                     /* -c: touch nothing outside */
	bool elsewhere; /* the file is to be explained, and may be that of another
			 * system: its users and groups need not be there */
	bool read_before; /* another process has read the files just now: nothing waits in a pipe, and
			   * nobody may have to wait for it */
	bool experimental;                   /* expose-experimental-directives */
	bool serving;                        /* a line that is read while the program serves:
					      * config/fragment.h */
	struct {
		int policy;                  /* of default-path: config/default_path.c */
		const char *origin;
		int home;                    /* descriptor of the directory at the start; 0: none,
					      * nobody has left it */
	} path;
	struct lookup *index;                /* of all words: private to config/ */
	struct reader *reader;               /* private to config/, while reading */
};

/* Were errors reported so far? For a finish that has nothing to say about a broken file. */
bool config_failed(const struct config *cfg);

/* The module's data in this generation (module->data_size bytes, set up by its init). */
void *config_data(const struct config *cfg, const struct module *module);

struct word {
	const char *text; /* quotes and escapes resolved, NUL-terminated, in the arena */
	unsigned column;  /* of its first character in the line, from 1 */
	unsigned raw_len; /* characters that it takes in the line */
	bool quoted;      /* some of it stood in quotes or was escaped */
	bool unset;       /* it is empty, for the variables in it are not set or empty */
};

/* Where something was written; kept by objects for later messages. */
struct location {
	const char *file;
	unsigned line;
	uint16_t column, length; /* the word that it is about; 0: the whole line */
};

/* One line of the configuration, after conditions and environment were applied. */
struct statement {
	struct config *cfg;
	struct location loc;
	const char *text;         /* the line as it stands in the file */
	const struct word *words; /* without leading "no" / "default" */
	int count;
	int at;                   /* next word to be consumed */
	bool no, dflt;            /* it was preceded by "no" / "default" */
	unsigned scope;           /* of the section that it stands in */
	const char *section;      /* "frontend web" */
	/* Of stmt_words: asked before each word that there is; true: reported, it is not obeyed. */
	bool (*refuses)(struct statement *st, void *object);
};

/* The next word, consumed; NULL at the end of the line. */
const char *stmt_next(struct statement *st);
/* The next word, not consumed; NULL at the end of the line. */
const char *stmt_peek(const struct statement *st);
/* Consumes the next word if it is this one. */
bool stmt_take(struct statement *st, const char *word);
/* The next word, consumed; when there is none, reports "WHAT expected", returns NULL. */
const char *stmt_need(struct statement *st, const char *what);
/* Skips the words that are left, after a warning, if all of them come from variables that are not
 * set. These words end the line: stmt_peek and stmt_next see the end there. stmt_need gives them,
 * because a word that must be there may be empty. False: other words are left, or none. */
bool stmt_skip_unset(struct statement *st);
/* The place of the word that was consumed last, for problems found after reading. */
struct location stmt_location(const struct statement *st);
/* 0 when all words were consumed, else reports the first one left over and returns -1. */
int stmt_end(struct statement *st);

/* Problems with a caret under word number i (of st->words; the word just consumed is
 * st->at - 1; i may be st->count: behind the last). stmt_error returns -1. */
int stmt_error(struct statement *st, int i, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
void stmt_warning(struct statement *st, int i, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* Suspicious, but no warning: shown with -dD. */
void stmt_note(struct statement *st, int i, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* A notice if word i, which is right so far, was made of a variable that is not set. */
void stmt_doubt_unset(struct statement *st, int i, const char *what);
/* Adds a "did you mean" or other hint line to the problem just reported. */
void stmt_hint(struct statement *st, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* The same of names that might be meant: the nearest to the word, else all of them; word NULL:
 * there is none. names: NULL-terminated. */
void stmt_hint_names(struct statement *st, const char *word, const char *const *names);

/* Values of the word at st->at, consumed: 0, or -1 after a report that names what was
 * expected ("WHAT must be ..."). Ranges are inclusive. */
int stmt_int(struct statement *st, const char *what, int64_t min, int64_t max, int64_t *value);
/* Milliseconds; unit of a bare number: 'm' ms, 's' seconds. Rounded up from us. */
int stmt_duration(struct statement *st, const char *what, char unit, unsigned *ms);
int stmt_size(struct statement *st, const char *what, size_t *bytes);

/* Reports word number i as none of those allowed there: names the nearest of names (NULL-
 * terminated; may be NULL) when it looks like a typo, else lists them. Returns -1. WHAT is
 * "action", "level", ... */
int stmt_unknown(struct statement *st, int i, const char *what, const char *const *names);
/* The same of a part of the word, which stands in it among others. */
int stmt_unknown_part(struct statement *st, int i, const char *part, const char *what,
		      const char *const *names);

/* Parses the rest of the line as words of the given scope (SCOPE_BIND, SCOPE_SERVER): each
 * one found in the modules' rows is parsed into object. Their parsers consume their own
 * arguments only. Goes on after an error to report them all; 0, or -1. */
int stmt_words(struct statement *st, unsigned scope, void *object);

/* Problems found after reading (cross references): location instead of a statement. */
int config_error(struct config *cfg, const struct location *loc, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
void config_warning(struct config *cfg, const struct location *loc, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* What is not done as it stands there, though it works: no warning, which zero-warning would
 * refuse. */
void config_notice(struct config *cfg, const struct location *loc, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
void config_note(struct config *cfg, const struct location *loc, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

#endif
