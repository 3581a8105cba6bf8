/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What parsers do with a statement: consume its words, report what is wrong with one of
 * them. Called by every module. Never reads a file.
 */
#include "config/config.h"

#include "base/arena.h"
#include "base/str.h"
#include "config/cure.h"
#include "config/diag.h"
#include "config/foreign.h"
#include "config/odd.h"
#include "config/reader.h"
#include "config/suggest.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Is there nothing from word i on but variables that are not set? */
static bool rest_unset(const struct statement *st, int i)
{
	if (i >= st->count)
		return false;
	while (i < st->count && st->words[i].unset)
		i++;
	return i == st->count;
}

bool stmt_skip_unset(struct statement *st)
{
	if (!rest_unset(st, st->at))
		return false;
	stmt_warning(st, st->at, "nothing stands here: the variable is not set, or empty");
	st->at = st->count;
	return true;
}

const char *stmt_peek(const struct statement *st)
{
	return st->at < st->count && !rest_unset(st, st->at) ? st->words[st->at].text : NULL;
}

const char *stmt_next(struct statement *st)
{
	return stmt_peek(st) ? st->words[st->at++].text : NULL;
}

const char *statement_next(struct statement *st)
{
	return st->at < st->count ? st->words[st->at++].text : NULL;
}

bool stmt_take(struct statement *st, const char *word)
{
	const char *next = stmt_peek(st);

	if (!next || strcmp(next, word) != 0)
		return false;
	st->at++;
	return true;
}

const char *stmt_need(struct statement *st, const char *what)
{
	const char *next = statement_next(st);

	if (!next)
		stmt_error(st, st->at, "%s expected here", what);
	return next;
}

int stmt_end(struct statement *st)
{
	if (st->at >= st->count || stmt_skip_unset(st))
		return 0;
	stmt_error(st, st->at, "'%s' is one word too many here", st->words[st->at].text);
	cure_rest(st, st->at);
	return -1;
}

struct place statement_place(const struct statement *st, int i)
{
	bool hidden = st->cfg->reader && st->cfg->reader->hidden;
	struct place place = { .file = st->loc.file, .line = st->loc.line,
			       .text = hidden ? NULL : st->text };

	if (i >= 0 && i < st->count) {
		place.column = st->words[i].column;
		place.length = st->words[i].raw_len;
	} else if (st->count > 0) {
		place.column = st->words[st->count - 1].column + st->words[st->count - 1].raw_len +
			       1;
		place.length = 1;
	}
	return place;
}

struct location stmt_location(const struct statement *st)
{
	struct place place = statement_place(st, st->at - 1);
	struct location loc = st->loc;

	if (st->at && place.column <= UINT16_MAX && place.length <= UINT16_MAX) {
		loc.column = (uint16_t)place.column;
		loc.length = (uint16_t)place.length;
	}
	return loc;
}

/* "$NAME" without the quotes that would have replaced it. */
static bool bare_variable(const struct word *word)
{
	const char *p = word->quoted ? NULL : strchr(word->text, '$');

	return p && (p[1] == '{' || p[1] == '_' || (p[1] >= 'A' && p[1] <= 'Z') ||
		     (p[1] >= 'a' && p[1] <= 'z'));
}

/* A variable that the word names as it stands in the file, and that is not set: its name into name.
 * What gives a default ("${NAME-x}") is no such one. */
static bool unset_variable(const struct statement *st, const struct word *word, char *name, size_t size)
{
	const char *p, *end;
	size_t len;

	if (!st->text || !word->column) /* not of a line */
		return false;
	p = st->text + word->column - 1;
	end = p + word->raw_len;
	while ((p = memchr(p, '$', (size_t)(end - p)))) {
		bool braces = *++p == '{';

		p += braces;
		for (len = 0; p + len < end && (isalnum((unsigned char)p[len]) || p[len] == '_'); len++)
			continue;
		if (len && len < size && (!braces || p[len] == '}')) {
			snprintf(name, size, "%.*s", (int)len, p);
			if (!getenv(name))
				return true;
		}
		p += len;
	}
	return false;
}

/* The usual mistakes with variables. said: the message shows one as it was written, so nothing has
 * replaced it. */
static void hint_at_variables(struct statement *st, const struct word *word, bool said)
{
	char name[128];

	if (said && bare_variable(word))
		stmt_hint(st, "variables are replaced inside double quotes only");
	else if (!said && unset_variable(st, word, name, sizeof(name)))
		stmt_hint(st, "the environment variable '%s' is not set", name);
}

void stmt_doubt_unset(struct statement *st, int i, const char *what)
{
	struct location loc = st->loc;
	char name[128];

	if (i < 0 || i >= st->count || !unset_variable(st, &st->words[i], name, sizeof(name)))
		return;
	config_notice(st->cfg, &loc, "the environment variable '%s' is not set: %s is '%s'", name,
		      what, st->words[i].text);
}

/* "cannot open '/x/y': No such file or directory", or without quotes: the file that may be meant.
 */
static void hint_at_file(struct statement *st, const char *said)
{
	const char *opens = strstr(said, "cannot open "),
		   *begin = strchr(opens ? opens : said, '\''),
		   *end = begin ? strchr(begin + 1, '\'') : NULL;
	char path[512];

	if (opens && opens[12] == '/') {
		begin = opens + 11;
		end = strchr(opens, ':');
	}
	if (!end || !strstr(end, "No such file") || (size_t)(end - begin) > sizeof(path))
		return;
	snprintf(path, sizeof(path), "%.*s", (int)(end - begin - 1), begin + 1);
	suggest_file(st->cfg, path, access(path, F_OK) ? errno : 0);
}

/* What nobody sees may be the cause, in this word or between two. */
static void hint_at_odd(struct statement *st, const struct word *word)
{
	size_t len = st->text && word->column ? strlen(st->text) : 0;
	struct odd odd;

	if (!len || word->column - 1 + word->raw_len > len ||
	    !odd_find(st->text + word->column - 1, word->raw_len, &odd))
		return;
	stmt_hint(st, "it holds %s: write %s", odd.name, odd.plain);
}

int stmt_error(struct statement *st, int i, const char *fmt, ...)
{
	struct place place = statement_place(st, i);
	char text[512];
	va_list ap;

	va_start(ap, fmt);
	diag_add(st->cfg->diag, DIAG_ERROR, &place, fmt, ap);
	va_end(ap);
	if (i >= 0 && i < st->count) {
		va_start(ap, fmt);
		vsnprintf(text, sizeof(text), fmt, ap);
		va_end(ap);
		hint_at_variables(st, &st->words[i], strchr(text, '$') != NULL);
		hint_at_odd(st, &st->words[i]);
		hint_at_file(st, text);
		cure_continued(st, i);
	}
	return -1;
}

void stmt_warning(struct statement *st, int i, const char *fmt, ...)
{
	struct place place = statement_place(st, i);
	va_list ap;

	va_start(ap, fmt);
	diag_add_once(st->cfg->diag, DIAG_WARNING, &place, fmt, ap);
	va_end(ap);
	if (i > 0 && i < st->count && !*st->words[i].text)
		hint_at_variables(st, &st->words[i], false);
}

void stmt_note(struct statement *st, int i, const char *fmt, ...)
{
	struct place place = statement_place(st, i);
	va_list ap;

	va_start(ap, fmt);
	diag_add_once(st->cfg->diag, DIAG_NOTE, &place, fmt, ap);
	va_end(ap);
}

void stmt_secret(struct statement *st, int i, enum severity severity, const char *fmt, ...)
{
	struct place place = statement_place(st, i);
	va_list ap;

	place.text = NULL;
	va_start(ap, fmt);
	diag_add_once(st->cfg->diag, severity, &place, fmt, ap);
	va_end(ap);
}

void stmt_hint(struct statement *st, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	diag_hint(st->cfg->diag, fmt, ap);
	va_end(ap);
}

/* "a, b or c" */
static void names_list(struct text *t, const char *const *names)
{
	const char *const *n;

	for (n = names; *n; n++)
		text_printf(t, "%s%s", n == names ? "" : n[1] ? ", " : " or ", *n);
}

void stmt_hint_names(struct statement *st, const char *word, const char *const *names)
{
	char list[400];
	struct text t;

	if (!*names)
		return;
	text_init(&t, list, sizeof(list));
	if (word && suggest_of(&t, word, names)) {
		stmt_hint(st, "did you mean %s?", list);
		return;
	}
	text_init(&t, list, sizeof(list));
	names_list(&t, names);
	if (t.cut)
		stmt_hint(st, "`penstock help %s` lists them", st->words[0].text);
	else
		stmt_hint(st, "%s", list);
}

int stmt_unknown_part(struct statement *st, int i, const char *part, const char *what,
		      const char *const *names)
{
	stmt_error(st, i, "'%s' is not a known %s", part, what);
	if (names && *names && !foreign_value(st, part))
		stmt_hint_names(st, part, names);
	return -1;
}

int stmt_unknown(struct statement *st, int i, const char *what, const char *const *names)
{
	if (i < st->count)
		return stmt_unknown_part(st, i, st->words[i].text, what, names);
	stmt_error(st, i, "%s expected here", what);
	if (names && *names)
		stmt_hint_names(st, NULL, names);
	return -1;
}

static const char *problem_place(struct config *cfg, const struct location *loc,
				 struct place *place)
{
	const char *line;
	size_t len;

	*place = (struct place){ 0 };
	if (!loc || !loc->file)
		return NULL;
	place->file = loc->file;
	place->line = loc->line;
	line = cfg->reader && !cfg->reader->hidden ? reader_line(cfg->reader, loc, &len) : NULL;
	if (line)
		place->text = arena_strndup(cfg->arena, line, len);
	place->column = loc->column;
	place->length = loc->length;
	return place->text;
}

int config_error(struct config *cfg, const struct location *loc, const char *fmt, ...)
{
	struct place place;
	va_list ap;

	problem_place(cfg, loc, &place);
	va_start(ap, fmt);
	diag_add_once(cfg->diag, DIAG_ERROR, &place, fmt, ap);
	va_end(ap);
	return -1;
}

void config_warning(struct config *cfg, const struct location *loc, const char *fmt, ...)
{
	struct place place;
	va_list ap;

	problem_place(cfg, loc, &place);
	va_start(ap, fmt);
	diag_add_once(cfg->diag, DIAG_WARNING, &place, fmt, ap);
	va_end(ap);
}

void config_notice(struct config *cfg, const struct location *loc, const char *fmt, ...)
{
	struct place place;
	va_list ap;

	problem_place(cfg, loc, &place);
	va_start(ap, fmt);
	diag_add_once(cfg->diag, DIAG_NOTICE, &place, fmt, ap);
	va_end(ap);
}

void config_note(struct config *cfg, const struct location *loc, const char *fmt, ...)
{
	struct place place;
	va_list ap;

	problem_place(cfg, loc, &place);
	va_start(ap, fmt);
	diag_add_once(cfg->diag, DIAG_NOTE, &place, fmt, ap);
	va_end(ap);
}

bool config_failed(const struct config *cfg)
{
	return cfg->diag->count[DIAG_ERROR] > 0;
}
