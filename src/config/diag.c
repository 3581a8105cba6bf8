/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Collects problems in the order in which they are found. Called by the parser and, through
 * stmt_error and config_error, by every module; prints nothing itself (see diag_print.c).
 * Everything lives in the arena of the configuration.
 */
#include "config/diag.h"

#include "base/arena.h"
#include "base/bug.h"
#include "base/hash.h"

#include <stdlib.h>
#include <string.h>

struct diag *diag_new(struct arena *arena)
{
	struct diag *diag = arena_alloc(arena, sizeof(*diag));

	diag->arena = arena;
	diag->last = &diag->first;
	return diag;
}

static const char *diag_vprintf(struct diag *diag, const char *fmt, va_list ap)
{
	va_list again;
	char *text;
	int n;

	va_copy(again, ap);
	n = vsnprintf(NULL, 0, fmt, again);
	va_end(again);
	BUG_ON(n < 0);
	text = arena_alloc(diag->arena, (size_t)n + 1);
	vsnprintf(text, (size_t)n + 1, fmt, ap);
	return text;
}

static bool problem_same(const struct problem *a, const struct problem *b)
{
	const char *fa = a->place.file ? a->place.file : "", *fb = b->place.file ? b->place.file : "";

	return a->place.line == b->place.line && a->place.column == b->place.column &&
	       strcmp(fa, fb) == 0 && strcmp(a->message, b->message) == 0;
}

/* Two keywords that share a parser, or a condition that is looked at twice, may report the
 * same thing: it is said once. Only neighbours are compared, the rest cannot repeat. */
static bool diag_repeats(const struct diag *diag, const struct problem *p)
{
	return diag->current && problem_same(diag->current, p);
}

static struct problem *diag_new_problem(struct diag *diag, enum severity severity,
					const struct place *place, const char *fmt, va_list ap)
{
	struct problem *p = arena_alloc(diag->arena, sizeof(*p));

	diag->errors_heard += severity == DIAG_ERROR;
	p->severity = severity;
	p->message = diag_vprintf(diag, fmt, ap);
	if (!place)
		return p;
	p->place = *place;
	if (place->file)
		p->place.file = arena_strdup(diag->arena, place->file);
	if (place->text)
		p->place.text = arena_strdup(diag->arena, place->text);
	return p;
}

/* Files that programs write hold tens of thousands of problems: nothing may look at all that
 * were found before. */
static uint64_t words_key(const struct problem *p)
{
	return (uint64_t)p->severity << 32 | hash_djb2(p->message, strlen(p->message));
}

static void diag_append(struct diag *diag, struct problem *p)
{
	tree_insert(&diag->words, &p->by_words, words_key(p));
	*diag->last = p;
	diag->last = &p->next;
	diag->current = p;
	diag->count[p->severity]++;
}

void diag_add(struct diag *diag, enum severity severity, const struct place *place,
	      const char *fmt, va_list ap)
{
	struct problem *p;

	if (severity == DIAG_NOTE && !diag->verbose) {
		diag->current = NULL; /* hints that follow are for nobody */
		return;
	}
	p = diag_new_problem(diag, severity, place, fmt, ap);
	if (!diag_repeats(diag, p))
		diag_append(diag, p);
}

/* The first that says the same. */
static struct problem *diag_same_words(const struct diag *diag, const struct problem *like)
{
	uint64_t key = words_key(like);
	struct tree_node *node;
	struct problem *p;

	for (node = tree_at_least(&diag->words, key); node && node->key == key;
	     node = tree_next(node)) {
		p = tree_entry(node, struct problem, by_words);
		if (p->severity == like->severity && !strcmp(p->message, like->message))
			return p;
	}
	return NULL;
}

void diag_add_once(struct diag *diag, enum severity severity, const struct place *place,
		   const char *fmt, va_list ap)
{
	struct problem *p, *before;

	if (severity == DIAG_NOTE && !diag->verbose) {
		diag->current = NULL; /* hints that follow are for nobody */
		return;
	}
	p = diag_new_problem(diag, severity, place, fmt, ap);
	before = diag_same_words(diag, p);
	if (!before || !place || !place->line)
		diag_append(diag, p);
	else if (!problem_same(before, p))
		diag_also(diag, before, place);
}

void diag_addf(struct diag *diag, enum severity severity, const struct place *place,
	       const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	diag_add(diag, severity, place, fmt, ap);
	va_end(ap);
}

static bool also_known(const struct problem *problem, const struct place *place)
{
	const struct place_list *also;
	const struct tree_node *node;

	if (problem->place.line == place->line && problem->place.file && place->file &&
	    !strcmp(problem->place.file, place->file))
		return true;
	for (node = tree_at_least(&problem->also_lines, place->line);
	     node && node->key == place->line; node = tree_next(node)) {
		also = tree_entry(node, struct place_list, by_line);
		if (place->file && !strcmp(also->file, place->file))
			return true;
	}
	return false;
}

void diag_also(struct diag *diag, struct problem *problem, const struct place *place)
{
	struct place_list *also;

	diag->errors_heard += problem->severity == DIAG_ERROR;
	diag->current = problem;
	if (also_known(problem, place))
		return;
	also = arena_alloc(diag->arena, sizeof(*also));
	also->file = arena_strdup(diag->arena, place->file ? place->file : "");
	also->line = place->line;
	if (!problem->also)
		problem->also_last = &problem->also;
	*problem->also_last = also;
	problem->also_last = &also->next;
	tree_insert(&problem->also_lines, &also->by_line, also->line);
	problem->also_count++;
}

void diag_hint(struct diag *diag, const char *fmt, va_list ap)
{
	struct problem *p = diag->current;
	const char *hint;

	if (!p)
		return;
	hint = diag_vprintf(diag, fmt, ap);
	if (!p->hint)
		p->hint = hint;
	else if (!strstr(p->hint, hint))
		p->hint = arena_printf(diag->arena, "%s; %s", p->hint, hint);
}

void diag_hintf(struct diag *diag, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	diag_hint(diag, fmt, ap);
	va_end(ap);
}

struct sorted {
	struct problem *problem;
	unsigned file, line, found; /* by these */
};

static int sorted_compare(const void *pa, const void *pb)
{
	const struct sorted *a = pa, *b = pb;

	if (a->file != b->file)
		return a->file < b->file ? -1 : 1;
	if (a->line != b->line)
		return a->line < b->line ? -1 : 1;
	return a->found < b->found ? -1 : a->found > b->found;
}

/* Number of a file in the order of first mention; what has none comes last, as do those of
 * a whole file within it. */
static unsigned sorted_file(const struct sorted *list, unsigned n, const struct place *place)
{
	unsigned i;

	if (!place->file)
		return ~0u;
	for (i = n; i-- > 0;)
		if (list[i].problem->place.file &&
		    !strcmp(list[i].problem->place.file, place->file))
			return list[i].file;
	return n;
}

void diag_sort(struct diag *diag)
{
	unsigned n = 0, count = 0, i;
	struct problem *p;
	struct sorted *list;

	for (i = 0; i <= DIAG_ERROR; i++)
		count += diag->count[i];
	list = arena_alloc(diag->arena, (count + 1) * sizeof(*list));
	for (p = diag->first; p; p = p->next, n++) {
		list[n] = (struct sorted){ p, 0, p->place.line ? p->place.line : ~0u, n };
		list[n].file = sorted_file(list, n, &p->place);
	}
	qsort(list, n, sizeof(*list), sorted_compare);
	diag->last = &diag->first;
	for (i = 0; i < n; i++) {
		*diag->last = list[i].problem;
		diag->last = &list[i].problem->next;
	}
	*diag->last = NULL;
}

const char *diag_severity_name(enum severity severity)
{
	static const char *const names[] = {
		[DIAG_NOTE] = "note",
		[DIAG_NOTICE] = "notice",
		[DIAG_WARNING] = "warning",
		[DIAG_ERROR] = "error",
	};

	return names[severity];
}
