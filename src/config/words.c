/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Rows put to work: the parser of a word is run once its row is known; lines that hold many words
 * (bind, server) are walked. Called by whoever reads lines, and by modules that have such lines.
 */
#include "config/config.h"

#include "base/arena.h"
#include "config/cure.h"
#include "config/diag.h"
#include "config/foreign.h"
#include "config/lookup.h"
#include "config/reader.h"

#include <string.h>

/* -- one word ------------------------------------------------------------------------------ */

/* The number that the row's field has; `other` where the row sets none. */
static uint64_t number_now(const struct keyword *kw, const void *object, uint64_t other)
{
	const void *field = (const char *)object + kw->offset;

	if (kw->parse == set_size)
		return *(const size_t *)field;
	if (kw->flags & KW_ONCE || kw->parse == set_int || kw->parse == set_unsigned)
		return *(const unsigned *)field;
	return other;
}

/* A second row of the same name for the same object: where was the first? */
static struct once *once_seen(struct reader *rd, const struct keyword *kw, const void *object)
{
	uint64_t key = (uintptr_t)object * 31 + (uintptr_t)kw;
	struct tree_node *n = tree_at_least(&rd->once, key);
	struct once *o;

	for (; n && n->key == key; n = tree_next(n)) {
		o = tree_entry(n, struct once, node);
		if (o->kw == kw && o->object == object)
			return o;
	}
	o = arena_alloc(rd->cfg->arena, sizeof(*o));
	*o = (struct once){ { 0 }, kw, object, number_now(kw, object, 0), rd->loc.line,
			    rd->loc.file };
	tree_insert(&rd->once, &o->node, key);
	return NULL;
}

/* A second word of KW_FIRST. True: it is ignored. */
static bool given_first(struct statement *st, const struct keyword *kw, const void *object,
			struct once *before)
{
	if (!number_now(kw, object, 1)) {
		before->line = st->loc.line;
		before->file = st->loc.file;
		return false;
	}
	stmt_warning(st, st->at, "'%s' was given before; the first one counts", kw->name);
	stmt_hint(st, "the first is at %s:%u", before->file, before->line);
	st->at = st->count;
	return true;
}

/* A word that the object has already. True: this one is ignored. */
static bool given_twice(struct statement *st, const struct keyword *kw, const void *object)
{
	struct location loc = st->loc;
	struct once *before;

	if (!(kw->flags & (KW_ONCE | KW_FIRST)) || st->no || st->dflt)
		return false;
	before = once_seen(st->cfg->reader, kw, object);
	if (!before)
		return false;
	if (kw->flags & KW_FIRST)
		return given_first(st, kw, object, before);
	/* A notice where the reference says nothing. */
	if (st->scope == SCOPE_DEFAULTS || number_now(kw, object, 0) == before->before)
		config_notice(st->cfg, &loc, "'%s' was given before; this one counts", kw->name);
	else
		stmt_warning(st, st->at, "'%s' was given before; this one counts", kw->name);
	stmt_hint(st, "the first is at %s:%u", before->file, before->line);
	return false;
}

int statement_apply(struct statement *st, const struct lookup_row *row, void *object)
{
	unsigned errors = st->cfg->diag->errors_heard;
	int rc, at = st->at;

	if (row->kw->within)
		object = row->kw->within(st, object);
	if (given_twice(st, row->kw, object))
		return 0;
	st->at += row->words;
	rc = row->kw->parse(st, row->kw, object);
	if (rc < 0 && st->cfg->diag->errors_heard == errors)
		stmt_error(st, at, "'%s' cannot be understood", row->kw->name);
	return rc;
}

/* Sections of proxies have one language. */
static unsigned reported_scope(unsigned scope)
{
	return scope & SCOPE_PROXY ? SCOPE_PROXY : scope;
}

bool statement_reported(struct statement *st, int i, const char *name, unsigned scope)
{
	struct place place = statement_place(st, i);
	struct reported *r;

	for (r = st->cfg->reader->reported; r; r = r->next)
		if ((r->scope & reported_scope(scope)) && !strcmp(r->name, name)) {
			diag_also(st->cfg->diag, r->problem, &place);
			return true;
		}
	return false;
}

void statement_report_once(struct statement *st, const char *name, unsigned scope)
{
	struct reported *r = arena_alloc(st->cfg->arena, sizeof(*r));

	*r = (struct reported){ st->cfg->reader->reported, name, reported_scope(scope),
				  st->cfg->diag->current };
	st->cfg->reader->reported = r;
}

/* -- the words of a line ------------------------------------------------------------------- */

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
