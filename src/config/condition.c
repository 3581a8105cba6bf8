/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Conditional blocks and messages of the configuration: lines whose first word begins with a
 * dot (manual 2.4). Called by the parser for each line, and by main() for -cc. A recursive
 * descent over the words of the line joined by single blanks; every predicate is checked even
 * where an earlier one has decided, so that mistakes do not hide.
 */
#include "config/reader.h"

#include "base/arena.h"
#include "base/bug.h"
#include "base/err.h"
#include "base/str.h"
#include "config/lexer.h"
#include "config/load.h"
#include "config/predicate.h"
#include "config/suggest.h"

#include <stdlib.h>
#include <string.h>

enum { DEPTH_MAX = 100 };

struct expr {
	const struct config *cfg;
	struct arena *arena;
	const char *text, *p;
	unsigned depth;
	const char *message; /* what is wrong, at ... */
	const char *at;
};

static int expr_fail(struct expr *e, const char *at, const char *message)
{
	if (!e->message) {
		e->message = message;
		e->at = at;
	}
	return -1;
}

/* The arguments in parentheses; their number. */
static int expr_args(struct expr *e, const char *args[PREDICATE_ARGS])
{
	const char *open = e->p, *end;
	int n = 0;

	if (*e->p != '(')
		return 0;
	do {
		const char *arg = lexer_argument(e->arena, e->p + 1, &end);

		if (!arg || !*end)
			return expr_fail(e, open, "closing parenthesis expected");
		if (n == PREDICATE_ARGS)
			return expr_fail(e, e->p, "too many arguments");
		args[n++] = arg;
		e->p = end;
	} while (*e->p == ',');
	e->p++;
	return n;
}

static bool word_char(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_';
}

static int expr_predicate(struct expr *e)
{
	const char *start = e->p, *args[PREDICATE_ARGS] = { NULL }, *wrong = NULL;
	const struct predicate *p;
	bool holds;
	int n;

	while (word_char(*e->p))
		e->p++;
	p = predicate_find(start, (size_t)(e->p - start));
	if (!p)
		return expr_fail(e, start, e->p > start ? "unknown predicate" : "a condition expected");
	n = expr_args(e, args);
	if (n < 0)
		return -1;
	if (p->args ? n != p->args : n != 1 || *args[0]) /* "()" is one argument, which is empty */
		return expr_fail(e, start, p->need);
	holds = p->holds(e->cfg, args, &wrong);
	return wrong ? expr_fail(e, start, wrong) : holds;
}

static void expr_blanks(struct expr *e)
{
	while (*e->p == ' ' || *e->p == '\t')
		e->p++;
}

static int expr_or(struct expr *e);

static int expr_group(struct expr *e)
{
	const char *open = e->p++;
	int value = expr_or(e);

	if (value < 0)
		return -1;
	expr_blanks(e);
	if (*e->p != ')')
		return expr_fail(e, open, "this parenthesis is not closed");
	e->p++;
	return value;
}

static int expr_number(struct expr *e)
{
	bool any = false;

	if (*e->p == '-' || *e->p == '+')
		e->p++;
	for (; *e->p >= '0' && *e->p <= '9'; e->p++)
		any |= *e->p != '0';
	return any;
}

/* A number, a predicate, (...), or one of them negated. */
static int expr_term(struct expr *e)
{
	int value;

	expr_blanks(e);
	if (e->depth >= DEPTH_MAX)
		return expr_fail(e, e->p, "too deeply nested");
	e->depth++;
	if (*e->p == '!') {
		e->p++;
		value = expr_term(e);
		value = value < 0 ? -1 : !value;
	} else if (*e->p == '(') {
		value = expr_group(e);
	} else if ((*e->p >= '0' && *e->p <= '9') ||
		   ((*e->p == '-' || *e->p == '+') && e->p[1] >= '0' && e->p[1] <= '9')) {
		value = expr_number(e);
	} else {
		value = expr_predicate(e);
	}
	e->depth--;
	return value;
}

static bool expr_operator(struct expr *e, const char *op)
{
	expr_blanks(e);
	if (strncmp(e->p, op, 2) != 0)
		return false;
	e->p += 2;
	return true;
}

static int expr_and(struct expr *e)
{
	int value = expr_term(e), right;

	while (value >= 0 && expr_operator(e, "&&")) {
		right = expr_term(e);
		value = right < 0 ? -1 : value && right;
	}
	return value;
}

static int expr_or(struct expr *e)
{
	int value = expr_and(e), right;

	while (value >= 0 && expr_operator(e, "||")) {
		right = expr_and(e);
		value = right < 0 ? -1 : value || right;
	}
	return value;
}

/* Empty: false. 1, 0, or -1 with message and at. */
static int expr_evaluate(struct expr *e)
{
	int value;

	expr_blanks(e);
	if (!*e->p)
		return 0;
	value = expr_or(e);
	if (value < 0)
		return -1;
	expr_blanks(e);
	if (*e->p)
		return expr_fail(e, e->p, "end of the condition, && or || expected");
	return value;
}

static int condition_in(const struct config *cfg, struct arena *arena, const char *text,
			struct err *err)
{
	struct expr e = { .cfg = cfg, .arena = arena, .text = text, .p = text };
	int value = expr_evaluate(&e);

	if (value < 0)
		err_set(err, "%s at character %d: '%s'", e.message, (int)(e.at - text) + 1, e.at);
	return value;
}

static const char *environment(void *arg, const char *name)
{
	(void)arg;
	return getenv(name);
}

static char *words_text(struct arena *arena, const struct word *words, int count);

int config_condition(const struct config *cfg, const char *text, struct err *err)
{
	struct arena *arena = arena_new(4096);
	struct lexer lx = { .arena = arena, .variable = environment };
	int value;

	if (!arena)
		return err_set(err, "out of memory");
	if (lexer_split(&lx, text, strlen(text)))
		value = err_set(err, "%s at character %u", lx.problem.message, lx.problem.column);
	else
		value = condition_in(cfg, arena, words_text(arena, lx.words, lx.count), err);
	arena_free(&arena);
	return value;
}

/* -- in a file ------------------------------------------------------------------------- */

static struct statement directive_statement(struct reader *rd, const struct word *words,
					    int count)
{
	return (struct statement){
		.cfg = rd->cfg, .loc = rd->loc, .text = rd->text, .words = words,
		.count = count, .at = 1,
	};
}

static char *words_text(struct arena *arena, const struct word *words, int count)
{
	size_t size = 1;
	struct text t;
	int i;

	for (i = 0; i < count; i++)
		size += strlen(words[i].text) + 1;
	text_init(&t, arena_alloc(arena, size), size);
	for (i = 0; i < count; i++) {
		if (i)
			text_char(&t, ' ');
		text_str(&t, words[i].text);
	}
	return t.ptr;
}

/* The word in which byte number at of the joined words lies. */
static int word_at(const struct word *words, int count, size_t at)
{
	int i;

	for (i = 0; i < count; i++) {
		size_t len = strlen(words[i].text) + 1;

		if (at < len)
			return i;
		at -= len;
	}
	return count;
}

static void hint_names(struct statement *st)
{
	char names[400];
	struct text t;
	size_t i;

	text_init(&t, names, sizeof(names));
	for (i = 0; predicate_name(i); i++)
		text_printf(&t, "%s%s", i ? ", " : "", predicate_name(i));
	stmt_hint(st, "there are %s", names);
}

static bool directive_true(struct reader *rd, struct statement *st)
{
	const char *text = words_text(rd->cfg->arena, st->words + 1, st->count - 1);
	struct expr e = { .cfg = rd->cfg, .arena = rd->cfg->arena, .text = text, .p = text };
	int value = expr_evaluate(&e), at;

	if (value >= 0)
		return value;
	at = *e.at ? 1 + word_at(st->words + 1, st->count - 1, (size_t)(e.at - text)) : st->count;
	stmt_error(st, at, "%s%s%.*s%s", e.message, *e.at ? ": '" : "", STR_CUT(e.at, 60),
		   *e.at ? "'" : "");
	if (!strcmp(e.message, "unknown predicate"))
		hint_names(st);
	return false;
}

static struct level *level_push(struct reader *rd)
{
	if (rd->depth == rd->room) {
		unsigned room = rd->room ? 2 * rd->room : 8;
		struct level *more = arena_alloc(rd->cfg->arena, room * sizeof(*more));

		if (rd->depth)
			memcpy(more, rd->levels, rd->depth * sizeof(*more));
		rd->levels = more;
		rd->room = room;
	}
	return &rd->levels[rd->depth++];
}

static void directive_if(struct reader *rd, struct statement *st)
{
	enum branch branch = BRANCH_DONE;
	struct level *level;

	if (condition_open(rd))
		branch = directive_true(rd, st) ? BRANCH_TAKEN : BRANCH_WAITING;
	level = level_push(rd);
	*level = (struct level){ .branch = branch, .line = rd->loc.line };
}

/* The innermost level, or NULL after a report: .elif, .else and .endif need one. */
static struct level *directive_level(struct reader *rd, struct statement *st)
{
	if (!rd->depth) {
		stmt_error(st, 0, "%s without .if", st->words[0].text);
		return NULL;
	}
	return &rd->levels[rd->depth - 1];
}

/* The next branch of a level: true when it may be taken. */
static bool directive_branch(struct reader *rd, struct statement *st)
{
	struct level *level = directive_level(rd, st);

	if (!level)
		return false;
	if (level->in_else) {
		stmt_error(st, 0, "%s behind .else", st->words[0].text);
		level->branch = BRANCH_DONE;
		return false;
	}
	if (level->branch == BRANCH_TAKEN)
		level->branch = BRANCH_DONE;
	return level->branch == BRANCH_WAITING;
}

static void directive_elif(struct reader *rd, struct statement *st)
{
	if (directive_branch(rd, st) && directive_true(rd, st))
		rd->levels[rd->depth - 1].branch = BRANCH_TAKEN;
}

static void directive_else(struct reader *rd, struct statement *st)
{
	bool may = directive_branch(rd, st);

	stmt_end(st);
	if (!rd->depth)
		return;
	rd->levels[rd->depth - 1].in_else = true;
	if (may)
		rd->levels[rd->depth - 1].branch = BRANCH_TAKEN;
}

static void directive_endif(struct reader *rd, struct statement *st)
{
	stmt_end(st);
	if (directive_level(rd, st))
		rd->depth--;
}

static void directive_message(struct reader *rd, struct statement *st, enum severity severity)
{
	struct place place = statement_place(st, 0);
	const char *message;

	if (!condition_open(rd))
		return;
	message = stmt_next(st);
	if (st->at < st->count) {
		stmt_error(st, st->at, "a message of several words must stand in quotes");
		return;
	}
	diag_addf(rd->cfg->diag, severity, &place, "%s", message ? message : "");
}

static void directive_notice(struct reader *rd, struct statement *st)
{
	directive_message(rd, st, DIAG_NOTICE);
}

static void directive_warning(struct reader *rd, struct statement *st)
{
	directive_message(rd, st, DIAG_WARNING);
}

static void directive_alert(struct reader *rd, struct statement *st)
{
	directive_message(rd, st, DIAG_ERROR);
}

static void directive_diag(struct reader *rd, struct statement *st)
{
	directive_message(rd, st, DIAG_NOTE);
}

static const char *const directive_names[] = { ".if", ".elif", ".else", ".endif", ".notice",
					       ".warning", ".alert", ".diag", NULL };
static void (*const directives[])(struct reader *rd, struct statement *st) = {
	directive_if, directive_elif, directive_else, directive_endif,
	directive_notice, directive_warning, directive_alert, directive_diag,
};

bool condition_name(const char *word)
{
	char buf[80];
	struct text t;

	text_init(&t, buf, sizeof(buf));
	return suggest_of(&t, word, directive_names);
}

bool condition_directive(struct reader *rd, const struct word *words, int count)
{
	struct statement st = directive_statement(rd, words, count);
	unsigned i;

	if (words[0].text[0] != '.')
		return false;
	for (i = 0; directive_names[i]; i++)
		if (!strcmp(words[0].text, directive_names[i])) {
			directives[i](rd, &st);
			return true;
		}
	if (condition_open(rd))
		stmt_unknown(&st, 0, "directive", directive_names);
	return true;
}

bool condition_open(const struct reader *rd)
{
	return !rd->depth || rd->levels[rd->depth - 1].branch == BRANCH_TAKEN;
}

void condition_end(struct reader *rd)
{
	while (rd->depth) {
		struct location loc = { .file = rd->loc.file,
					.line = rd->levels[--rd->depth].line };

		config_error(rd->cfg, &loc, "this .if has no .endif in the file");
	}
}
