/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads files line by line: cuts, obeys conditions, finds the section or the row, runs its
 * parser. Called by main(). Knows no section and no word by name except "no" and
 * "default". Goes on after every problem; one problem gives one message.
 */
#include "config/load.h"

#include "base/arena.h"
#include "base/bug.h"
#include "base/err.h"
#include "base/str.h"
#include "config/cure.h"
#include "config/default_path.h"
#include "config/diag.h"
#include "config/foreign.h"
#include "config/lexer.h"
#include "config/lookup.h"
#include "config/odd.h"
#include "config/reader.h"
#include "config/suggest.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* -- words ----------------------------------------------------------------------------- */

/* What stands behind the first word in the row's name; NULL: it does not begin so. */
static const char *name_behind(const struct lookup_row *row, const char *first, unsigned scope)
{
	const char *name = row->kw->name;
	size_t len = strlen(first);

	return row->kw->scope & scope && !strncmp(name, first, len) && name[len] == ' '
	       ? name + len + 1 : NULL;
}

/* What may follow the first word, when it is known; NULL: it is not. */
static const char *const *names_behind(struct statement *st, int i, unsigned scope)
{
	const char *first = st->words[i].text;
	size_t n, k, found = 0;
	const struct lookup_row *rows = lookup_rows(st->cfg->reader->index, &n);
	const char **names;

	for (k = 0; k < n; k++)
		found += name_behind(&rows[k], first, scope) != NULL;
	if (!found)
		return NULL;
	names = arena_alloc(st->cfg->arena, (found + 1) * sizeof(*names));
	for (k = found = 0; k < n; k++)
		if (name_behind(&rows[k], first, scope))
			names[found++] = name_behind(&rows[k], first, scope);
	return names;
}

/* Where a word may stand, and its name; of several rows those of proxies count in a proxy. */
static const char *word_elsewhere(struct statement *st, int i, unsigned *scope)
{
	const struct word *words = st->words + i;
	unsigned among = st->scope & SCOPE_PROXY ? SCOPE_PROXY : ~0u;
	const struct lookup_row *row, *rows;
	const struct known_word *known;
	size_t n, k;

	for (;; among = ~0u) {
		row = lookup_find(st->cfg->reader->index, among, words, st->count - i);
		known = known_find(among, words, st->count - i);
		if (row || known || among == ~0u)
			break;
	}
	if (!row) {
		*scope = known ? known->scope : 0;
		return known ? known->name : NULL;
	}
	*scope = 0;
	rows = lookup_rows(st->cfg->reader->index, &n);
	for (k = 0; k < n; k++)
		if (!strcmp(rows[k].kw->name, row->kw->name))
			*scope |= rows[k].kw->scope;
	return row->kw->name;
}

/* A word that another kind of section has. The language ignores most words of the other
 * side of a proxy (known_refused tells the rest), and so do we. A word of bind or server lines
 * that begins words of this section, too, was meant as one of these. */
static bool unknown_misplaced(struct statement *st, int i, unsigned here)
{
	const unsigned lines = SCOPE_BIND | SCOPE_DGRAM | SCOPE_SERVER | SCOPE_STATS;
	unsigned scope;
	const char *name = word_elsewhere(st, i, &scope);
	char where[160];

	if (!name || (!(scope & ~lines) && names_behind(st, i, here)))
		return false;
	if (scope & ~lines)
		scope &= ~lines;
	scope_names(scope, where, sizeof(where));
	if ((st->scope & (SCOPE_FRONTEND | SCOPE_BACKEND)) && (scope & SCOPE_PROXY) &&
	    !known_refused(name))
		stmt_warning(st, i, "'%s' has no effect in this section and is ignored", name);
	else
		stmt_error(st, i, "'%s' is not allowed in this section", name);
	stmt_hint(st, "it belongs in %s", where);
	if (scope & SCOPE_PROXY)
		foreign_word(st, i, here);
	return true;
}

/* The second word is none of the names: which of them is meant? */
static void hint_second(struct statement *st, int i, unsigned scope, const char *near,
			const char *const *names)
{
	const char *first = st->words[i].text;
	size_t len = strlen(first);
	char list[1600];
	struct text t;

	text_init(&t, list, sizeof(list));
	if (foreign_word(st, i, scope))
		return;
	if (near && !strncmp(near, first, len) && near[len] == ' ')
		stmt_hint(st, "did you mean '%s'?", near);
	else if (cure_second(st, i + 1))
		return;
	else if (i + 1 < st->count && suggest_of(&t, st->words[i + 1].text, names))
		stmt_hint(st, "did you mean %s behind '%s'?", list, first);
	else {
		text_init(&t, list, sizeof(list));
		for (; *names; names++)
			text_printf(&t, "%s%s", t.len ? ", " : "", *names);
		stmt_hint(st, "there are: %s%s", list, t.cut ? "..." : "");
	}
}

/* "timeout" is known, what follows it is not. */
static bool unknown_second(struct statement *st, int i, unsigned scope, const char *near)
{
	const char *const *names = names_behind(st, i, scope);

	if (!names)
		return false;
	if (i + 1 < st->count)
		stmt_error(st, i + 1, "'%s' cannot follow '%s'", st->words[i + 1].text,
			   st->words[i].text);
	else
		stmt_error(st, i + 1, "a word expected behind '%s'", st->words[i].text);
	hint_second(st, i, scope, near, names);
	return true;
}

/* The caret's line goes under all words of the name. */
static void unknown_unsupported(struct statement *st, int i, const struct known_word *known,
				unsigned scope)
{
	struct place place = statement_place(st, i);
	const struct word *last = &st->words[i];
	const char *p;

	for (p = known->name; *p; p++)
		last += *p == ' ';
	place.length = last->column + last->raw_len - place.column;
	diag_addf(st->cfg->diag, DIAG_ERROR, &place, "'%s' %s", known->name, known->why);
	statement_report_once(st, known->name, scope);
}

static void unknown_old(struct statement *st, int i, const struct old_word *old, unsigned scope)
{
	if (statement_reported(st, i, old->name, scope))
		return;
	stmt_error(st, i, "'%s' is a word of older releases", old->name);
	stmt_hint(st, "%s", old->replacement);
	statement_report_once(st, old->name, scope);
}

/* A misspelt section: its lines are checked for spelling as that of the section meant. */
static bool unknown_section(struct statement *st, int i)
{
	struct reader *rd = st->cfg->reader;
	struct odd odd;
	const struct section *meant = lookup_section_nearest(st->cfg->modules, st->words[i].text);

	if (!meant || i || st->no || st->dflt)
		return false;
	stmt_error(st, i, "unknown section '%s'", st->words[i].text);
	stmt_hint(st, "did you mean '%s'?", meant->name);
	rd->hidden &= !odd_find(st->words[i].text, strlen(st->words[i].text), &odd);
	rd->object = NULL;
	rd->section = meant;
	rd->scope = meant->scope;
	return true;
}

void statement_unknown(struct statement *st, int i, unsigned scope)
{
	const struct word *words = st->words + i;
	int count = st->count - i;
	const struct old_word *old = known_old(scope, words, count);
	const struct known_word *known = known_find(scope, words, count);
	const char *near;

	if (old) {
		unknown_old(st, i, old, scope);
		return;
	}
	if (known) {
		if (!statement_reported(st, i, known->name, scope))
			unknown_unsupported(st, i, known, scope);
		return;
	}
	if (unknown_misplaced(st, i, scope))
		return;
	near = lookup_nearest(st->cfg->reader->index, scope, words, count);
	if (unknown_second(st, i, scope, near))
		return;
	if (!near && unknown_section(st, i))
		return;
	stmt_error(st, i, "unknown word '%s'", words->text);
	if (!cure_unknown(st, i) && near)
		stmt_hint(st, "did you mean '%s'?", near);
}

/* -- sections -------------------------------------------------------------------------- */

static void section_end(struct reader *rd)
{
	if (rd->section && rd->section->end && rd->object)
		rd->section->end(rd->cfg, rd->object);
	rd->section = NULL;
	rd->object = NULL;
	rd->scope = 0;
	rd->skipping = false;
	rd->title = "";
	rd->label = "";
}

static void section_title(struct reader *rd, const struct statement *st)
{
	const char *type = st->words[0].text, *name = st->count > 1 ? st->words[1].text : NULL;

	rd->hidden = false;
	rd->title = name ? arena_printf(rd->cfg->arena, "%s %s", type, name) : type;
	rd->label = name ? name : type;
}

static void section_begin(struct reader *rd, struct statement *st, const struct section *section)
{
	unsigned errors = rd->cfg->diag->errors_heard;

	section_end(rd);
	section_title(rd, st);
	rd->section = section;
	rd->scope = section->scope;
	st->scope = section->scope;
	st->section = rd->title;
	st->at = 1;
	if (!(section->scope & SCOPE_GLOBAL))
		rd->beyond_global = true;
	else if (rd->beyond_global)
		stmt_note(st, 0, "this section stands behind others: which of its words they see "
				 "is not defined");
	rd->object = section->begin(st);
	if (!rd->object && rd->cfg->diag->errors_heard == errors)
		stmt_error(st, 0, "this section cannot be understood");
	else if (rd->object)
		stmt_end(st);
}

/* A section of the manual that no module brings: said once, its lines are passed over. */
static void section_skip(struct reader *rd, struct statement *st)
{
	section_end(rd);
	section_title(rd, st);
	rd->skipping = true;
	if (statement_reported(st, 0, st->words[0].text, SCOPE_OTHER))
		return;
	stmt_error(st, 0, "section '%s' is not supported yet", st->words[0].text);
	stmt_hint(st, "its lines were not looked at");
	statement_report_once(st, st->words[0].text, SCOPE_OTHER);
}

/* -- lines ----------------------------------------------------------------------------- */

static int line_prefix_fits(struct statement *st, const struct keyword *kw)
{
	const char *prefix = st->no ? "no" : "default";

	if ((!st->no || (kw->flags & KW_NO)) && (!st->dflt || (kw->flags & KW_DEFAULT)))
		return 0;
	stmt_error(st, 0, "'%s' cannot stand before '%s'", prefix, kw->name);
	return -1;
}

/* A value that a word had in older releases: "mode health". */
static bool line_was_known(const struct reader *rd, const struct statement *st,
			   const struct lookup_row *row)
{
	const struct old_word *old = known_old(rd->scope, st->words, st->count);

	return old && strlen(old->name) > strlen(row->kw->name);
}

/* "${name}" in it, or "$name" as the whole. */
static bool variable_meant(const char *word)
{
	size_t i = 1;

	if (strstr(word, "${"))
		return true;
	if (*word != '$' || !word[1])
		return false;
	while (isalnum((unsigned char)word[i]) || word[i] == '_')
		i++;
	return !word[i];
}

/* A word that nobody has quoted and that holds what nobody sees, or begins with what is no quote.
 */
static void doubt_odd(struct statement *st)
{
	struct location loc = st->loc;
	size_t size = st->text ? strlen(st->text) : 0;
	const struct word *w;
	struct odd odd;

	for (w = st->words; w < st->words + st->count; w++) {
		const char *raw = st->text + w->column - 1;

		if (w->column && *raw == '\'' && strstr(w->text, "${"))
			stmt_note(st, (int)(w - st->words),
				  "variables are replaced inside double quotes only");
		if (!w->quoted && variable_meant(w->text))
			stmt_note(st, (int)(w - st->words),
				  "'%s' is no variable here: variables are replaced inside double "
				  "quotes only", w->text);
		if (w->quoted || !w->column || w->column - 1 + w->raw_len > size ||
		    !odd_find(raw, w->raw_len, &odd) || (odd.quote && odd.at) || odd.foreign)
			continue;
		loc.column = w->column < UINT16_MAX ? (uint16_t)w->column : 0;
		loc.length = w->raw_len < UINT16_MAX ? (uint16_t)w->raw_len : 0;
		config_notice(st->cfg, &loc, "a word holds %s", odd.name);
		stmt_hint(st, "write %s, or quote the word if it is meant so", odd.plain);
		return;
	}
}

static void line_word(struct reader *rd, struct statement *st)
{
	const struct lookup_row *row;
	unsigned errors;

	row = lookup_find(rd->index, rd->scope, st->words, st->count);
	if (!row || line_was_known(rd, st, row)) {
		statement_unknown(st, 0, rd->scope);
		return;
	}
	if (!rd->object)
		return; /* the section's own line was wrong */
	if (line_prefix_fits(st, row->kw) < 0)
		return;
	errors = rd->cfg->diag->errors_heard;
	if (statement_apply(st, row, rd->scope == SCOPE_GLOBAL ?
			    config_data(rd->cfg, row->module) : rd->object) == 0 &&
	    rd->cfg->diag->errors_heard == errors) {
		stmt_end(st);
		doubt_odd(st);
	}
}

/* Takes "no" or "default" off; false after a report when nothing follows. */
static bool line_prefix(struct statement *st)
{
	if (strcmp(st->words[0].text, "no") != 0 && strcmp(st->words[0].text, "default") != 0)
		return true;
	if (st->count == 1) {
		stmt_error(st, 1, "a word expected behind '%s'", st->words[0].text);
		return false;
	}
	st->no = st->words[0].text[0] == 'n';
	st->dflt = !st->no;
	st->words++;
	st->count--;
	return true;
}

static void line_outside(struct reader *rd, struct statement *st)
{
	const struct module *const *m;
	const struct section *s;

	for (m = rd->cfg->modules; *m; m++)
		for (s = (*m)->sections; s && s->name; s++)
			if (lookup_find(rd->index, s->scope, st->words, st->count)) {
				stmt_error(st, 0, "'%s' stands before the first section",
					   st->words[0].text);
				stmt_hint(st, "each file begins with a section such as 'global' "
					      "or 'frontend'");
				return;
			}
	if (!unknown_section(st, 0))
		reader_no_section(rd);
}

static void line_statement(struct reader *rd, const struct word *words, int count)
{
	struct statement st = {
		.cfg = rd->cfg, .loc = rd->loc, .text = rd->text, .words = words,
		.count = count, .scope = rd->scope, .section = rd->title,
	};
	const struct section *section = lookup_section(rd->cfg->modules, words[0].text);

	if (stmt_skip_unset(&st))
		return;
	if (section) {
		section_begin(rd, &st, section);
		return;
	}
	if (known_section(words[0].text)) {
		section_skip(rd, &st);
		return;
	}
	if (rd->skipping)
		return;
	if (!rd->section) {
		line_outside(rd, &st);
		return;
	}
	if (line_prefix(&st))
		line_word(rd, &st);
}

/* What "${...}" stands for. */
static const char *line_variable(void *arg, const char *name)
{
	struct reader *rd = arg;

	if (name[0] != '.')
		return getenv(name);
	if (!strcmp(name, ".FILE"))
		return rd->loc.file;
	if (!strcmp(name, ".SECTION"))
		return rd->label;
	if (strcmp(name, ".LINE") != 0)
		return NULL;
	snprintf(rd->line_number, sizeof(rd->line_number), "%u", rd->loc.line);
	return rd->line_number;
}

static void line_problem(struct reader *rd, enum severity severity, unsigned column,
			 unsigned length, const char *message, const char *hint)
{
	struct place place = {
		.file = rd->loc.file, .line = rd->loc.line, .column = column,
		.text = rd->hidden ? NULL : rd->text, .length = length,
	};

	diag_addf(rd->cfg->diag, severity, &place, "%s", message);
	if (hint)
		diag_hintf(rd->cfg->diag, "%s", hint);
}

/* Returns false when the file is not worth reading on: it is no text, or, before its first section,
 * another file than was meant. */
static bool line_read(struct reader *rd, const char *line, size_t len)
{
	struct lexer lx = { .arena = rd->cfg->arena, .variable = line_variable, .arg = rd };
	unsigned errors = rd->cfg->diag->errors_heard;

	if (reader_key_line(rd, line, len) ||
	    (lexer_line_blank(line, len) && !memchr(line, 0, len)))
		return true;
	rd->text = arena_strndup(rd->cfg->arena, line, strnlen(line, len));
	rd->lines->texts[rd->loc.line - 1] = rd->text;
	if (lexer_split(&lx, line, len) < 0) {
		if (reader_key_begins(rd, NULL, 0, line, len))
			return true;
		line_problem(rd, DIAG_ERROR, lx.problem.column, lx.problem.length,
			     lx.problem.message, lx.problem.hint);
		return !rd->hidden && !memchr(line, 0, len);
	}
	if (lx.ignored)
		line_problem(rd, DIAG_WARNING, lx.ignored, 1,
			     "what follows this carriage return is ignored",
			     "lines end with a line feed");
	if (lx.count == 0)
		return true;
	if (condition_directive(rd, lx.words, lx.count) || !condition_open(rd) ||
	    reader_key_begins(rd, lx.words, lx.count, line, len))
		return true;
	line_statement(rd, lx.words, lx.count);
	return !rd->hidden || rd->cfg->diag->errors_heard == errors;
}

/* -- files ----------------------------------------------------------------------------- */

static void file_lines(struct reader *rd, const struct reader_file *file)
{
	const char *p = file->text, *end = file->text + file->len, *next;

	for (rd->loc.line = 1; p < end; p = next, rd->loc.line++) {
		next = memchr(p, '\n', (size_t)(end - p));
		if (!line_read(rd, p, (size_t)((next ? next : end) - p))) {
			rd->depth = 0; /* nothing is said of levels that are open */
			return;
		}
		next = next ? next + 1 : end;
	}
}

static int file_read(struct config *cfg, const char *name, char *text, size_t len)
{
	unsigned errors = cfg->diag->errors_heard;
	struct reader_file *file = arena_alloc(cfg->arena, sizeof(*file));
	struct reader *rd = cfg->reader;

	file->name = arena_strdup(cfg->arena, name);
	file->text = text;
	file->len = len;
	file->next = rd->files;
	rd->files = file;
	rd->loc = (struct location){ .file = file->name };
	rd->hidden = true;
	rd->key = KEY_NONE;
	if (reader_file_other(rd, text, len))
		return -1;
	reader_lines_begin(rd, file);
	file_lines(rd, file);
	condition_end(rd);
	section_end(rd);
	rd->hidden = false;
	return cfg->diag->errors_heard > errors ? -1 : 0;
}

int config_read_text(struct config *cfg, const char *name, const char *text, size_t len)
{
	char *copy = malloc(len + 1);

	BUG_ON(!copy);
	memcpy(copy, text, len);
	copy[len] = 0;
	return file_read(cfg, name, copy, len);
}

int config_read_file(struct config *cfg, const char *name)
{
	struct place place = { .file = name };
	struct err err;
	size_t len;
	char *text = reader_file_read(name, cfg->read_before, &len, &err);
	const char *directory;
	int result;

	if (text && default_path_enter(cfg, name, &directory)) {
		free(text);
		text = NULL;
		err_set(&err, "cannot go to '%s', as default-path says: %s", directory,
			strerror(errno));
	}
	if (text) {
		result = file_read(cfg, name, text, len);
		default_path_leave(cfg);
		return result;
	}
	diag_addf(cfg->diag, DIAG_ERROR, &place, "%s", err.text);
	return -1;
}
