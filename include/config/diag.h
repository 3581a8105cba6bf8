/* SPDX-License-Identifier: BSD-2-Clause */
/* Problems found in a configuration: collected while it is read, printed together. */
#ifndef CONFIG_DIAG_H
#define CONFIG_DIAG_H

#include "base/tree.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>

struct arena;
struct statement;

enum severity { DIAG_NOTE, DIAG_NOTICE, DIAG_WARNING, DIAG_ERROR };

/* Where a problem is. All strings are copied. */
struct place {
	const char *file; /* NULL: no place in a file (environment, command line) */
	unsigned line;    /* from 1; 0: the whole file */
	const char *text; /* the line as it stands in the file; NULL: not shown */
	unsigned column;  /* bytes from 1; 0: the whole line */
	unsigned length;  /* bytes under which the caret's line goes; at least 1 */
};

struct problem {
	struct problem *next;
	struct tree_node by_words; /* of the message, in struct diag */
	enum severity severity;
	struct place place;
	const char *message;
	const char *hint; /* NULL: none */
	struct place_list *also, **also_last; /* where else it was found */
	struct tree also_lines;               /* the same, by line */
	unsigned also_count;
};

struct place_list {
	struct place_list *next;
	struct tree_node by_line;
	const char *file;
	unsigned line;
};

struct diag {
	struct arena *arena;
	struct problem *first, **last, *current;
	struct tree words;              /* problems by their messages */
	unsigned count[DIAG_ERROR + 1]; /* by severity */
	unsigned errors_heard;          /* errors, repeated ones too */
	bool verbose;                   /* notes (-dD) are kept too, else dropped */
};

/* An empty collection that lives in the arena. */
struct diag *diag_new(struct arena *arena);
/* Adds a problem. Notes are dropped unless verbose; so is what repeats an earlier problem
 * word for word at the same place. */
void diag_add(struct diag *diag, enum severity severity, const struct place *place,
	      const char *fmt, va_list ap);
/* The same, but what was said before, elsewhere, in these words is noted with the first. */
void diag_add_once(struct diag *diag, enum severity severity, const struct place *place,
		   const char *fmt, va_list ap);
void diag_addf(struct diag *diag, enum severity severity, const struct place *place,
	       const char *fmt, ...) __attribute__((format(printf, 4, 5)));
/* Notes that a problem that was reported has the same cause in another line. */
void diag_also(struct diag *diag, struct problem *problem, const struct place *place);
/* Adds a sentence to the problem added last: what would help. */
void diag_hint(struct diag *diag, const char *fmt, va_list ap);
void diag_hintf(struct diag *diag, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* A problem of word i of a line that holds a secret: its place, as stmt_note gives it, without the
 * text of the line. */
void stmt_secret(struct statement *st, int i, enum severity severity, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

/* Puts the problems of each file in the order of its lines: before printing. */
void diag_sort(struct diag *diag);
/* "error", "warning", "notice", "note". */
const char *diag_severity_name(enum severity severity);

/* For people: file:line:column, the message, the line, a caret. Problems less severe than
 * least are left out. width: of the terminal, which messages and hints are folded at and of a long
 * line as much is shown as fits; 0: it is none. */
void diag_print(const struct diag *diag, FILE *out, bool colour, unsigned width,
		enum severity least);
/* For programs: one array of objects with file, line, column, severity, message, hint. */
void diag_print_json(const struct diag *diag, FILE *out, enum severity least);

#endif
