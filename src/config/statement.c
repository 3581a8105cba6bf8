/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What parsers do with a statement: consume its words, report what is wrong with one of
 * them. Called by every module. Never reads a file.
 */
#include "config/config.h"

#include "base/arena.h"
#include "base/bug.h"
#include "base/str.h"
#include "config/cure.h"
#include "config/diag.h"
#include "config/foreign.h"
#include "config/lookup.h"
#include "config/odd.h"
#include "config/reader.h"
#include "config/suggest.h"
#include "config/value.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { DOUBTFUL_MS = 100 }; /* below it a bare number was hardly meant as milliseconds */

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

/* For what must stand there: empty is a value, too. */
static const char *next_word(struct statement *st)
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
	const char *next = next_word(st);

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
	const char *p = st->text + word->column - 1, *end = p + word->raw_len;
	size_t len;

	if (!st->text || !word->column) /* not of a line */
		return false;
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

	if (word->column - 1 + word->raw_len > len ||
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

int stmt_int(struct statement *st, const char *what, int64_t min, int64_t max, int64_t *value)
{
	const char *word = next_word(st);

	if (!word)
		return stmt_error(st, st->at, "%s needs a number from %lld to %lld", what,
				  (long long)min, (long long)max);
	if (str_to_int(word, min, max, value))
		return 0;
	stmt_error(st, st->at - 1, "%s must be a number from %lld to %lld, not '%s'", what,
		   (long long)min, (long long)max, word);
	cure_number(st, st->at - 1);
	return -1;
}

int stmt_duration(struct statement *st, const char *what, char unit, unsigned *ms)
{
	const char *word = next_word(st), *bad;
	uint64_t us;

	if (!word)
		return stmt_error(st, st->at, "%s needs a time such as 500ms, 30s or 5m", what);
	switch (value_time(word, unit, &us, &bad)) {
	case VALUE_OK:
		break;
	case VALUE_NONE:
		stmt_error(st, st->at - 1, "%s must be a time such as 500ms, 30s or 5m, not '%s'",
			   what, word);
		cure_time(st, st->at - 1);
		return -1;
	case VALUE_UNIT:
		stmt_error(st, st->at - 1,
			   "%s: '%s' is no unit of time; there are us, ms, s, m, h, d", what, bad);
		cure_time(st, st->at - 1);
		return -1;
	case VALUE_OVERFLOW:
		us = UINT64_MAX;
		break;
	}
	/* Timers compare signed 32-bit differences of milliseconds: 24.8 days. */
	us = us / 1000 + (us % 1000 != 0);
	if (us > INT_MAX)
		return stmt_error(st, st->at - 1, "%s: '%s' is more than 2147483647ms (24.8 days)",
				  what, word);
	*ms = (unsigned)us;
	if (*ms && *ms < DOUBTFUL_MS && unit == 'm' && strspn(word, "0123456789") == strlen(word))
		stmt_note(st, st->at - 1, "%s: '%s' without a unit is %u ms", what, word, *ms);
	return 0;
}

int stmt_size(struct statement *st, const char *what, size_t *bytes)
{
	const char *word = next_word(st), *bad;
	uint64_t n;

	if (!word)
		return stmt_error(st, st->at, "%s needs a size such as 16384, 64k or 1m", what);
	switch (value_size(word, &n, &bad)) {
	case VALUE_OK:
		break;
	case VALUE_NONE:
		stmt_error(st, st->at - 1, "%s must be a size such as 16384, 64k or 1m, not '%s'",
			   what, word);
		cure_size(st, st->at - 1);
		return -1;
	case VALUE_UNIT:
		stmt_error(st, st->at - 1, "%s: '%s' is no unit of size; there are k, m, g", what,
			   bad);
		cure_size(st, st->at - 1);
		return -1;
	case VALUE_OVERFLOW:
		n = UINT64_MAX;
		break;
	}
	if (n > SSIZE_MAX)
		return stmt_error(st, st->at - 1, "%s: '%s' is too large", what, word);
	*bytes = (size_t)n;
	return 0;
}

static const char *scope_what(unsigned scope)
{
	return scope & SCOPE_BIND  ? "a bind line" :
	       scope & SCOPE_DGRAM ? "a dgram-bind line" :
	       scope & SCOPE_STATS ? "a stats socket line" :
				     "a server line";
}

/* Another kind of line has the word? */
static bool words_misplaced(struct statement *st)
{
	enum { LINES = SCOPE_BIND | SCOPE_DGRAM | SCOPE_SERVER | SCOPE_STATS };
	const struct word *word = st->words + st->at;
	const struct lookup_row *row = lookup_find(st->cfg->reader->index, LINES, word, 1);
	const struct known_word *known = known_find(LINES, word, 1);
	char where[80];

	if (!row && !known)
		return false;
	stmt_hint(st, "it belongs on %s",
		  scope_names((row ? row->kw->scope : known->scope) & LINES, where,
			      sizeof(where)));
	return true;
}

static void words_unknown(struct statement *st, unsigned scope)
{
	const char *near = lookup_nearest(st->cfg->reader->index, scope, st->words + st->at, 1);

	if (st->cfg->serving) /* tools read it */
		stmt_error(st, st->at, "unknown keyword '%s'.", st->words[st->at].text);
	else
		stmt_error(st, st->at, "'%s' is not known on %s", st->words[st->at].text,
			   scope_what(scope));
	if (foreign_word(st, st->at, scope) || cure_of_line(st, st->at, scope))
		return;
	if (!words_misplaced(st) && near)
		stmt_hint(st, "did you mean '%s'?", near);
}

/* After a word that cannot be understood its arguments are passed over: up to the next one
 * that is known. */
static void words_skip(struct statement *st, unsigned scope)
{
	const struct lookup *index = st->cfg->reader->index;

	for (; st->at < st->count; st->at++)
		if (lookup_find(index, scope, st->words + st->at, st->count - st->at) ||
		    known_find(scope, st->words + st->at, st->count - st->at))
			break;
}

/* A word of the manual without a row: reported, and passed over with its arguments. One
 * message a line and a word is enough: what was reported before is noted there, further
 * words of the line are named in its hint. */
static void words_unsupported(struct statement *st, const struct known_word *known,
			      unsigned scope, bool *reported)
{
	int at = st->at;

	st->at += 1 + (known->args > 0 ? known->args : 0);
	if (known->args < 0 || st->at > st->count)
		st->at = st->count;
	if (statement_reported(st, at, known->name, scope))
		return;
	if (*reported)
		stmt_hint(st, "nor is '%s'", known->name);
	else
		stmt_error(st, at, "'%s' %s", known->name, known->why);
	*reported = true;
	statement_report_once(st, known->name, scope);
}

/* How many arguments a word takes, as its row shows them; -1: it depends. */
static int words_arguments(const struct keyword *kw)
{
	const char *p = kw->args ? kw->args : "";
	bool inside = false;
	int n = 0;

	if (strpbrk(p, "[*") || strstr(p, "..."))
		return -1;
	for (; *p; p++) {
		if (*p == '{' || *p == '}')
			inside = *p == '{';
		if (*p != ' ' && !inside && (!p[1] || p[1] == ' '))
			n++;
	}
	return n;
}

/* The word at `at` had a wrong value: was all of it read, so that what follows is another word? Not
 * where its value was forgotten, and the next word taken for it. */
static bool words_behind(const struct statement *st, const struct lookup_row *row, unsigned scope,
			 int at)
{
	int arguments = words_arguments(row->kw);
	const struct word *last = st->words + st->at - 1;

	if (arguments < 0 || st->at - at - 1 != arguments || st->at > st->count)
		return false;
	return !arguments || (!lookup_find(st->cfg->reader->index, scope, last, 1) &&
			      !known_find(scope, last, 1));
}

int stmt_words(struct statement *st, unsigned scope, void *object)
{
	const struct lookup *index = st->cfg->reader->index;
	const struct known_word *known;
	const struct lookup_row *row;
	bool reported = false;
	int rc = 0;

	while (st->at < st->count && !stmt_skip_unset(st)) {
		int left = st->count - st->at, at = st->at;

		row = lookup_find(index, scope, st->words + st->at, left);
		if (row && st->refuses && st->refuses(st, object))
			; /* its arguments are skipped as those of others that are wrong */
		else if (row && statement_apply(st, row, object) == 0)
			continue;
		rc = -1;
		known = row ? NULL : known_find(scope, st->words + st->at, left);
		if (known) {
			words_unsupported(st, known, scope, &reported);
			continue;
		}
		if (!row) {
			words_unknown(st, scope);
			st->at++;
		}
		reported = false; /* hints would go to another problem */
		if (!row || !words_behind(st, row, scope, at))
			words_skip(st, scope);
	}
	return rc;
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
