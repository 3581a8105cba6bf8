/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Prints rows for people and tools. Called by main() for `penstock help` and -dK. Reads the
 * tables only; no configuration is needed.
 */
#include "config/help.h"

#include "base/arena.h"
#include "base/bug.h"
#include "config/keyword.h"
#include "config/lookup.h"

#include <stdlib.h>
#include <string.h>

enum { WORDS_MAX = 8 };

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

/* Prints the rows whose names begin with the words, or consist of them. any: something stands above. */
static bool help_rows(FILE *out, const struct lookup_row *rows, size_t n, const char *const *words,
		      int count, bool whole, bool any)
{
	size_t i;

	for (i = 0; i < n; i++) {
		const char *name = rows[i].kw->name;

		if (!name_begins(name, words, count) || (whole && name_words(name) > count))
			continue;
		if (any)
			fputc('\n', out);
		print_row(out, rows[i].kw);
		any = true;
	}
	return any;
}

bool help_word(FILE *out, const struct module *const *list, const char *const *words, int count)
{
	struct arena *arena = arena_new(16384);
	const struct lookup_row *rows;
	bool any;
	size_t n;

	BUG_ON(!arena);
	any = count == 1 && help_sections(out, list, words[0]);
	rows = lookup_rows(lookup_new(arena, list), &n);
	any = help_rows(out, rows, n, words, count, false, any);
	/* "http-request set-header": the row that has the rest as its arguments. */
	while (!any && --count > 0)
		any = help_rows(out, rows, n, words, count, true, false);
	arena_free(&arena);
	return any;
}

void help_missing(FILE *out, const struct module *const *list, const char *const *words,
		  int count)
{
	struct arena *arena = arena_new(16384);
	struct word given[WORDS_MAX];
	const struct old_word *old;
	const struct known_word *known;
	const char *text;
	int i;

	BUG_ON(!arena);
	if (count > WORDS_MAX)
		count = WORDS_MAX;
	for (i = 0; i < count; i++)
		given[i] = (struct word){ .text = words[i] };
	old = known_old(~0u, given, count);
	if (old)
		fprintf(out, "'%s' is a word of older releases: %s\n", old->name,
			old->replacement);
	else if ((known = known_find(~0u, given, count)))
		fprintf(out, "'%s' %s\n", words[0], known->why);
	else if (known_section(words[0]))
		fprintf(out, "'%s' is not supported yet\n", words[0]);
	else
		fprintf(out, "unknown word '%s'\n", words[0]);
	text = lookup_nearest(lookup_new(arena, list), ~0u, given, count);
	if (text && !name_begins(text, words, count))
		fprintf(out, "did you mean '%s'?\n", text);
	arena_free(&arena);
}

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
			if (s->scope & SCOPE_GLOBAL)
				dump_scope(out, rows, n, SCOPE_STATS, "stats socket <address> ");
		}
	arena_free(&arena);
}
