/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Prints rows for people and tools. Called by main() for `penstock help` and -dK. Reads the
 * tables only; no configuration is needed.
 */
#include "config/help.h"

#include "base/arena.h"
#include "base/bug.h"
#include "base/str.h"
#include "config/foreign.h"
#include "config/keyword.h"
#include "config/lookup.h"

#include <stdlib.h>
#include <string.h>

enum { WORDS_MAX = 8 };

/* -- one word --------------------------------------------------------------------------- */

/* Does the name begin with the words? */
static bool name_begins(const char *name, const char *const *words, int count)
{
	int i;

	for (i = 0; i < count; i++) {
		size_t len = strcspn(name, " ");

		if (strlen(words[i]) != len || memcmp(words[i], name, len) != 0)
			return false;
		name += len + (name[len] == ' ');
	}
	return count > 0;
}

static int name_words(const char *name)
{
	int n = 1;

	for (; *name; name++)
		n += *name == ' ';
	return n;
}

static void print_names(FILE *out, const char *const *names)
{
	const char *const *n;

	fputs("  values:  ", out);
	for (n = names; *n; n++)
		fprintf(out, "%s%s", n == names ? "" : ", ", *n);
	fputc('\n', out);
}

/* Ranges of times are kept in milliseconds, of sizes in bytes. */
static const char *range_unit(const struct keyword *kw)
{
	return kw->parse == set_duration || kw->parse == set_seconds ? " ms" :
	       kw->parse == set_size				     ? " bytes" :
								       "";
}

static void print_row(FILE *out, const struct keyword *kw)
{
	char where[160];

	fprintf(out, "%s%s%s%s\n", kw->flags & KW_NO ? "[no] " : "", kw->name,
		kw->args && *kw->args && !(kw->flags & KW_PARENS) ? " " : "",
		kw->args ? kw->args : "");
	fprintf(out, "  in:      %s\n", scope_names(kw->scope, where, sizeof(where)));
	if (kw->dflt)
		fprintf(out, "  default: %s\n", kw->dflt);
	if (kw->min || kw->max)
		fprintf(out, "  range:   %lld to %lld%s\n", (long long)kw->min,
			(long long)kw->max, range_unit(kw));
	if (kw->names)
		print_names(out, kw->names);
	if (kw->help)
		fprintf(out, "  %s\n", kw->help);
}

static bool help_sections(FILE *out, const struct module *const *list, const char *word)
{
	const struct section *section = lookup_section(list, word);

	if (!section)
		return false;
	fprintf(out, "%s\n  begins a section\n", section->name);
	if (section->help)
		fprintf(out, "  %s\n", section->help);
	return true;
}

/* Of rows with one name, which are neighbours, those of proxies come first, as 'server' does: they
 * are what most people ask for. */
static void print_rows(FILE *out, const struct lookup_row *rows, size_t n, bool any)
{
	unsigned others;
	size_t i;

	for (others = 0; others < 2; others++)
		for (i = 0; i < n; i++) {
			if ((others != 0) == ((rows[i].kw->scope & SCOPE_PROXY) != 0))
				continue;
			if (any)
				fputc('\n', out);
			print_row(out, rows[i].kw);
			any = true;
		}
}

/* Prints the rows whose names begin with the words, or consist of them. any: something stands
 * above. */
static bool help_rows(FILE *out, const struct lookup_row *rows, size_t n, const char *const *words,
		      int count, bool whole, bool any)
{
	size_t i, alike;

	for (i = 0; i < n; i += alike) {
		const char *name = rows[i].kw->name;

		for (alike = 1; i + alike < n && !strcmp(rows[i + alike].kw->name, name); alike++)
			;
		if (!name_begins(name, words, count) || (whole && name_words(name) > count))
			continue;
		print_rows(out, rows + i, alike, any);
		any = true;
	}
	return any;
}

/* Lines whose words are rows of their own: "server check", "bind ssl". */
static bool is_line_of_words(const char *word)
{
	return !strcmp(word, "server") || !strcmp(word, "default-server") || !strcmp(word, "bind");
}

/* "no option x", "global maxconn": words in front that are not the name's. */
static void skip_front(const struct module *const *list, const char *const **words, int *count)
{
	while (*count > 1 && (!strcmp(**words, "no") || !strcmp(**words, "default") ||
			      lookup_section(list, **words) || is_line_of_words(**words))) {
		(*words)++;
		(*count)--;
	}
}

/* "httpchk": the option of this name, where its first word was left out. */
static bool help_option(FILE *out, const struct lookup_row *rows, size_t n, const char *word)
{
	const char *const words[] = { "option", word };

	return help_rows(out, rows, n, words, 2, false, false);
}

bool help_word(FILE *out, const struct module *const *list, const char *const *words, int count)
{
	struct arena *arena = arena_new(16384);
	const struct lookup_row *rows;
	bool any;
	size_t n;

	BUG_ON(!arena);
	skip_front(list, &words, &count);
	any = count == 1 && help_sections(out, list, words[0]);
	rows = lookup_rows(lookup_new(arena, list), &n);
	any = help_rows(out, rows, n, words, count, false, any);
	if (!any && count == 1)
		any = help_option(out, rows, n, words[0]);
	/* "http-request set-header": the row that has the rest as its arguments. */
	while (!any && --count > 0)
		any = help_rows(out, rows, n, words, count, true, false);
	arena_free(&arena);
	return any;
}

/* -- what there is no help for ---------------------------------------------------------- */

/* Where the n-th word of the name begins; NULL: it has fewer. */
static const char *name_word(const char *name, int n)
{
	while (n-- > 0) {
		name = strchr(name, ' ');
		if (!name)
			return NULL;
		name++;
	}
	return name;
}

/* With how many of the words some name begins. */
static int words_known(const struct lookup_row *rows, size_t n, const char *const *words,
		       int count)
{
	size_t i;

	for (; count > 0; count--)
		for (i = 0; i < n; i++)
			if (name_begins(rows[i].kw->name, words, count) &&
			    name_words(rows[i].kw->name) > count)
				return count;
	return 0;
}

/* Is what stands in the name for the word like it: a typo, a part or more than the whole? */
static bool word_near(const char *in_name, const char *word)
{
	char text[64];
	size_t len = strcspn(in_name, " "), given = strlen(word);
	unsigned limit = given < 9 ? (unsigned)given / 3 : 3;

	if (len >= sizeof(text))
		return false;
	memcpy(text, in_name, len);
	text[len] = 0;
	return str_distance(word, text, limit) <= limit || (given > 2 && strstr(text, word)) ||
	       (len > 2 && strstr(word, text));
}

/* Names that go on behind the known words with one that is like the next, or all of them. */
static size_t print_behind(FILE *out, const struct lookup_row *rows, size_t n,
			   const char *const *words, int known, bool all)
{
	const char *before = "", *next;
	size_t i, shown = 0, column = 0;

	for (i = 0; i < n; i++) {
		const char *name = rows[i].kw->name;

		next = name_begins(name, words, known) ? name_word(name, known) : NULL;
		if (!next || !strcmp(name, before) || (!all && !word_near(next, words[known])))
			continue;
		if (shown++)
			column += (size_t)fprintf(out, ",%s", column > 60 ? "\n " : "");
		else
			column += (size_t)fprintf(out, all ? "there are:" : "did you mean:");
		if (column > 61)
			column = 0;
		column += (size_t)fprintf(out, " %s", all ? next : name);
		before = name;
	}
	if (shown)
		fputc('\n', out);
	return shown;
}

static void missing_behind(FILE *out, const struct lookup_row *rows, size_t n,
			   const char *const *words, int known)
{
	int i;

	fprintf(out, "'%s' cannot follow '", words[known]);
	for (i = 0; i < known; i++)
		fprintf(out, "%s%s", i ? " " : "", words[i]);
	fputs("'\n", out);
	if (!print_behind(out, rows, n, words, known, false))
		print_behind(out, rows, n, words, known, true);
}

void help_missing(FILE *out, const struct module *const *list, const char *const *words,
		  int count)
{
	struct arena *arena = arena_new(16384);
	struct word given[WORDS_MAX];
	const struct known_word *word;
	const struct old_word *old;
	const struct lookup_row *rows;
	struct lookup *index;
	const char *text;
	int i, known;
	size_t n;

	BUG_ON(!arena);
	skip_front(list, &words, &count);
	for (i = 0; i < count && i < WORDS_MAX; i++)
		given[i] = (struct word){ .text = words[i] };
	index = lookup_new(arena, list);
	rows = lookup_rows(index, &n);
	known = words_known(rows, n, words, count);
	if ((old = known_old(~0u, given, i))) {
		fprintf(out, "'%s' is a word of older releases: %s\n", old->name,
			old->replacement);
	} else if ((word = known_find(~0u, given, i))) {
		fprintf(out, "'%s' %s\n", word->name, word->why);
	} else if (known_section(words[0])) {
		fprintf(out, "'%s' is not supported yet\n", words[0]);
	} else if (known && known < count) {
		missing_behind(out, rows, n, words, known);
	} else {
		fprintf(out, "unknown word '%s'\n", words[0]);
		text = count == 1 && foreign_help(out, words[0]) ? NULL :
			lookup_nearest(index, ~0u, given, i);
		if (text)
			fprintf(out, "did you mean '%s'?\n", text);
	}
	arena_free(&arena);
}

/* -- all of them ------------------------------------------------------------------------- */

static void dump_scope(FILE *out, const struct lookup_row *rows, size_t n, unsigned scope,
		       const char *prefix)
{
	const char *before = "";
	size_t i;

	for (i = 0; i < n; i++) {
		const struct keyword *kw = rows[i].kw;

		if (!(kw->scope & scope) || !strcmp(kw->name, before))
			continue;
		fprintf(out, "\t%s%s%s%s\n", prefix, kw->name,
			kw->args && *kw->args && !(kw->flags & KW_PARENS) ? " " : "",
			kw->args ? kw->args : "");
		before = kw->name;
	}
}

void help_dump(FILE *out, const struct module *const *list)
{
	struct arena *arena = arena_new(16384);
	const struct module *const *m;
	const struct section *s;
	const struct lookup_row *rows;
	size_t n;

	BUG_ON(!arena);
	rows = lookup_rows(lookup_new(arena, list), &n);
	for (m = list; *m; m++)
		for (s = (*m)->sections; s && s->name; s++) {
			fprintf(out, "%s\n", s->name);
			dump_scope(out, rows, n, s->scope, "");
			if (s->scope & SCOPE_FRONTEND)
				dump_scope(out, rows, n, SCOPE_BIND, "bind <address> ");
			if (s->scope & SCOPE_BACKEND)
				dump_scope(out, rows, n, SCOPE_SERVER, "server <name> <address> ");
			if (s->scope & SCOPE_UDP)
				dump_scope(out, rows, n, SCOPE_DGRAM, "dgram-bind <address> ");
			if (s->scope & SCOPE_GLOBAL)
				dump_scope(out, rows, n, SCOPE_STATS, "stats socket <address> ");
		}
	arena_free(&arena);
}

/* A cell for each kind of section of a proxy. */
static void matrix_row(FILE *out, const char *name, unsigned scope)
{
	fprintf(out, "| `%s` | %s | %s | %s | %s |\n", name, scope & SCOPE_DEFAULTS ? "X" : "",
		scope & SCOPE_FRONTEND ? "X" : "",
		scope & (SCOPE_FRONTEND | SCOPE_BACKEND) ? "X" : "",
		scope & SCOPE_BACKEND ? "X" : "");
}

void help_matrix(FILE *out, const struct module *const *list)
{
	struct arena *arena = arena_new(16384);
	const struct lookup_row *rows;
	unsigned scope = 0;
	size_t n, i;

	BUG_ON(!arena);
	rows = lookup_rows(lookup_new(arena, list), &n);
	fprintf(out, "| word | defaults | frontend | listen | backend |\n|---|---|---|---|---|\n");
	for (i = 0; i < n; i++) {
		scope |= rows[i].kw->scope & SCOPE_PROXY;
		if (i + 1 < n && !strcmp(rows[i].kw->name, rows[i + 1].kw->name))
			continue; /* of one name: one line */
		if (scope)
			matrix_row(out, rows[i].kw->name, scope);
		scope = 0;
	}
	arena_free(&arena);
}
