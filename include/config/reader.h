/* SPDX-License-Identifier: BSD-2-Clause */
/* Private to config/: where reading stands. Lives as long as reading; struct config points
 * to it. */
#ifndef CONFIG_READER_H
#define CONFIG_READER_H

#include "base/tree.h"
#include "config/config.h"
#include "config/diag.h"
#include "config/keyword.h"
#include "config/module.h"

#include <stddef.h>

struct err;
struct lookup;
struct lookup_row;

/* A file that was read, kept until config_finish ends so that later messages can show its
 * lines. Its text is the reader's own. */
struct reader_file {
	struct reader_file *next;
	const char *name;
	char *text;
	size_t len;
	size_t *lines;      /* where each begins; NULL: nobody has asked for one yet */
	unsigned line_count;
};

/* The lines of a file, which live as long as the configuration. */
struct reader_lines {
	struct reader_lines *next;
	const char *file;
	const char **texts; /* [line - 1]; NULL: blank, a comment, or not read */
	unsigned count;
};

/* .if levels, innermost last. */
enum branch {
	BRANCH_TAKEN,   /* lines count */
	BRANCH_WAITING, /* none was true yet */
	BRANCH_DONE,    /* one was taken before, or the level outside is not read */
};
struct level {
	enum branch branch;
	bool in_else;
	unsigned line; /* of its .if */
};

/* Words with KW_ONCE or KW_FIRST that were given, and to which object. */
struct once {
	struct tree_node node; /* in the reader's tree, by object and word */
	const struct keyword *kw;
	const void *object;
	uint64_t before; /* KW_ONCE: the number that the field had then, its default or inherited */
	unsigned line;
	const char *file;
};

/* Words that were reported once: later ones are noted with the first. */
struct reported {
	struct reported *next;
	const char *name;
	unsigned scope;
	struct problem *problem;
};

enum { DASHES_LEAST = 4 }; /* of "---- BEGIN SSH2", "-----BEGIN" */

/* Lines of a key that somebody has pasted. */
enum pasted_key {
	KEY_NONE,
	KEY_BEGUN, /* in a comment: nothing is wrong yet */
	KEY_SAID,
};

struct reader {
	struct config *cfg;
	struct lookup *index;
	struct reader_file *files;
	struct reader_lines *lines;

	struct location loc;    /* the line being read */
	const char *text;
	unsigned cut;           /* column of what was ignored */

	const struct section *section; /* NULL: none yet, or one that is not supported */
	void *object;           /* NULL: its first line was wrong; spelling is checked */
	unsigned scope;
	const char *title;      /* "frontend web" */
	const char *label;      /* "web": .SECTION */
	bool hidden;            /* no section yet: the file may be another, so nothing is shown */
	enum pasted_key key;
	bool beyond_global;     /* a section of another kind was seen */
	bool skipping;          /* a section that is not supported: one message was given */

	struct level *levels;
	unsigned depth, room;
	struct tree once;
	struct reported *reported;
	char line_number[12];   /* .LINE */
};

/* files.c: begins a file; config_line answers for this configuration, or, cfg freed, for none. */
void reader_lines_begin(struct reader *rd, const struct reader_file *file);
void reader_lines_keep(const struct config *cfg);
void reader_lines_forget(const struct config *cfg);

/* condition.c: is word a directive (.if ...)? Then it is obeyed, problems are reported. */
bool condition_directive(struct reader *rd, const struct word *words, int count);
/* Is it the name of one, or near to one? */
bool condition_name(const char *word);
/* Are lines at this place read at all? */
bool condition_open(const struct reader *rd);
/* At the end of a file: reports levels that were not closed, and closes them. */
void condition_end(struct reader *rd);

/* The next word, consumed: what must stand there may be empty. NULL at the end of the line. */
const char *statement_next(struct statement *st);
/* What place in the file this word is at; i as in stmt_error. */
struct place statement_place(const struct statement *st, int i);
/* Runs the row's parser on the words at st->at; checks KW_ONCE and KW_FIRST. */
int statement_apply(struct statement *st, const struct lookup_row *row, void *object);
/* Was this word reported before, from such a place? Then the line is noted there. */
bool statement_reported(struct statement *st, int i, const char *name, unsigned scope);
/* The problem just added stands for this word from now on. */
void statement_report_once(struct statement *st, const char *name, unsigned scope);
/* Reports that no row fits words[i...] in this scope; consumes nothing. */
void statement_unknown(struct statement *st, int i, unsigned scope);
/* All bytes of a file, with a NUL behind them; the caller frees. read_before: it may be no pipe, as
 * in struct config. NULL and err. */
char *reader_file_read(const char *name, bool read_before, size_t *len, struct err *err);
/* The text of a line that was read; NULL when it is not at hand. */
const char *reader_line(struct reader *rd, const struct location *loc, size_t *len);
/* other_file.c: is the file no configuration? Then that is reported, without anything of what it
 * holds. */
bool reader_file_other(struct reader *rd, const char *text, size_t len);
/* Reports a line before the first section, without its text. */
void reader_no_section(struct reader *rd);
/* pasted_key.c: is this line, which was not cut yet, part of a certificate or a key behind its
 * first line? Reported once, without its text. */
bool reader_key_line(struct reader *rd, const char *line, size_t len);
/* Does one begin in the line? count 0: it cannot be cut into words. */
bool reader_key_begins(struct reader *rd, const struct word *words, int count, const char *line,
		       size_t len);
/* Frees what was read. */
void reader_files_free(struct reader *rd);

#endif
