/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finds the row of a word. Called by the parser for each line and each word of a bind or
 * server line. Rows are sorted by name once; those whose first words are equal stand
 * together, since a blank sorts before every character of a word.
 */
#include "config.h"

#include "config/lookup.h"

#include "base/arena.h"
#include "base/bug.h"
#include "base/str.h"
#include "config/suggest.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { NEAREST_WORDS = 4 }; /* that names have at most */

struct lookup {
	struct lookup_row *rows;
	size_t count;
};

static int name_words(const char *name)
{
	int n = 1;

	for (; *name; name++)
		n += *name == ' ';
	return n;
}

static int row_compare(const void *a, const void *b)
{
	return strcmp(((const struct lookup_row *)a)->kw->name,
		      ((const struct lookup_row *)b)->kw->name);
}

static size_t count_rows(const struct module *const *list)
{
	const struct keyword *kw;
	size_t n = 0;

	for (; *list; list++)
		for (kw = (*list)->keywords; kw && kw->name; kw++)
			n++;
	return n;
}

struct lookup *lookup_new(struct arena *arena, const struct module *const *list)
{
	struct lookup *index = arena_alloc(arena, sizeof(*index));
	const struct keyword *kw;

	index->rows = arena_alloc(arena, (count_rows(list) + 1) * sizeof(*index->rows));
	for (; *list; list++)
		for (kw = (*list)->keywords; kw && kw->name; kw++)
			index->rows[index->count++] = (struct lookup_row){
				.kw = kw, .module = *list, .words = name_words(kw->name),
			};
	qsort(index->rows, index->count, sizeof(*index->rows), row_compare);
	return index;
}

/* Order of a word against the first word of a name. */
static int first_compare(const char *word, const char *name)
{
	size_t len = strcspn(name, " ");
	int c = strncmp(word, name, len);

	return c ? c : (unsigned char)word[len];
}

/* The first row whose name begins with the word; count when there is none. */
static size_t first_row(const struct lookup *index, const char *word)
{
	size_t low = 0, high = index->count;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (first_compare(word, index->rows[mid].kw->name) > 0)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/* How many words the name takes when the words begin with it, else 0. */
static int name_fits(const char *name, const struct word *words, int count)
{
	int n = 0;

	for (; n < count; n++) {
		size_t len = strcspn(name, " ");

		if (strncmp(words[n].text, name, len) != 0 || words[n].text[len])
			return 0;
		if (!name[len])
			return n + 1;
		name += len + 1;
	}
	return 0;
}

static const struct lookup_row *row_find(const struct lookup *index, unsigned scope,
					 const struct word *words, int count)
{
	const struct lookup_row *row, *best = NULL;
	size_t i;
	int n, longest = 0;

	if (count < 1)
		return NULL;
	for (i = first_row(index, words[0].text); i < index->count; i++) {
		row = &index->rows[i];
		if (first_compare(words[0].text, row->kw->name) != 0)
			break;
		if (!(row->kw->scope & scope))
			continue;
		n = name_fits(row->kw->name, words, count);
		if (n > longest) {
			longest = n;
			best = row;
		}
	}
	return best;
}

/* A row whose name is what stands before the parenthesis. */
static const struct lookup_row *row_find_parens(const struct lookup *index, unsigned scope,
						const char *text)
{
	const char *paren = strchr(text, '(');
	const struct lookup_row *row;
	char name[64];
	struct word word = { .text = name };

	if (!paren || (size_t)(paren - text) >= sizeof(name))
		return NULL;
	memcpy(name, text, (size_t)(paren - text));
	name[paren - text] = 0;
	row = row_find(index, scope, &word, 1);
	return row && row->kw->flags & KW_PARENS ? row : NULL;
}

const struct lookup_row *lookup_find(const struct lookup *index, unsigned scope,
				     const struct word *words, int count)
{
	const struct lookup_row *row = row_find(index, scope, words, count);

	return row || count < 1 ? row : row_find_parens(index, scope, words[0].text);
}

const struct lookup_row *lookup_rows(const struct lookup *index, size_t *count)
{
	*count = index->count;
	return index->rows;
}

const struct section *lookup_section(const struct module *const *list, const char *name)
{
	const struct section *section;

	for (; *list; list++)
		for (section = (*list)->sections; section && section->name; section++)
			if (!strcmp(section->name, name))
				return section;
	return NULL;
}

static const char not_yet[] = "is not supported yet";
#ifdef HAVE_OPENSSL
#define WITHOUT_TLS not_yet
#else
#define WITHOUT_TLS "is not supported by this build, which has no TLS (configure it with OpenSSL)"
#endif

#ifdef HAVE_LUA
#define WITHOUT_LUA not_yet
#else
#define WITHOUT_LUA "is not supported by this build, which has no Lua (configure it with liblua5.4-dev)"
#endif

static const char vendors[] = "belongs to a vendor's device detection, which Penstock is not built with (a map over "
			      "'req.hdr(user-agent)' needs no library)";

static const struct known_word known_words[] = {
#define KNOWN(scope, name, args) { name, scope, args, not_yet },
#define KNOWN_VENDOR(scope, name, args) { name, scope, args, vendors },
#define KNOWN_TLS(scope, name, args) { name, scope, args, WITHOUT_TLS },
#define KNOWN_LUA(scope, name, args) { name, scope, args, WITHOUT_LUA },
#include "config/known_words.def"
#undef KNOWN_LUA
#undef KNOWN_TLS
#undef KNOWN_VENDOR
#undef KNOWN
};

static const char *const known_sections[] = {
#define KNOWN_SECTION(name) name,
#include "config/known_sections.def"
#undef KNOWN_SECTION
};

static const struct old_word old_words[] = {
#define OLD(scope, name, replacement) { name, scope, replacement },
#include "config/old_words.def"
#undef OLD
};

const struct known_word *known_find(unsigned scope, const struct word *words, int count)
{
	const char first = count > 0 ? *words[0].text : 0;
	const struct known_word *best = NULL;
	int n, longest = 0;
	size_t i;

	for (i = 0; i < ARRAY_LEN(known_words); i++) {
		if (!(known_words[i].scope & scope) || *known_words[i].name != first)
			continue;
		n = name_fits(known_words[i].name, words, count);
		if (n > longest) {
			longest = n;
			best = &known_words[i];
		}
	}
	return best;
}

bool known_section(const char *name)
{
	size_t i;

	for (i = 0; i < ARRAY_LEN(known_sections); i++)
		if (!strcmp(known_sections[i], name))
			return true;
	return false;
}

bool known_refused(const char *name)
{
	static const char *const names[] = {
		"server", "default-server", "server-template", "retry-on", "declare capture",
		"use-fcgi-app", "tcp-request connection", "tcp-request session",
		"tcp-response content", "tcp-response inspect-delay",
	};
	size_t i;

	for (i = 0; i < ARRAY_LEN(names); i++)
		if (!strcmp(name, names[i]))
			return true;
	return false;
}

const struct old_word *known_old(unsigned scope, const struct word *words, int count)
{
	const char first = count > 0 ? *words[0].text : 0;
	const struct old_word *best = NULL;
	int n, longest = 0;
	size_t i;

	for (i = 0; i < ARRAY_LEN(old_words); i++) {
		if (!(old_words[i].scope & scope) || *old_words[i].name != first)
			continue;
		n = name_fits(old_words[i].name, words, count);
		if (n > longest) {
			longest = n;
			best = &old_words[i];
		}
	}
	return best;
}

const char *scope_names(unsigned scope, char *buf, size_t size)
{
	static const struct {
		unsigned bit;
		const char *name;
	} names[] = {
		{ SCOPE_GLOBAL, "global" },     { SCOPE_DEFAULTS, "defaults" },
		{ SCOPE_FRONTEND, "frontend" },
		{ SCOPE_FRONTEND | SCOPE_BACKEND, "listen" },
		{ SCOPE_BACKEND, "backend" },   { SCOPE_RING, "ring" },
		{ SCOPE_ERRORS, "http-errors" }, { SCOPE_USERLIST, "userlist" },
		{ SCOPE_CRT_STORE, "crt-store" }, { SCOPE_NAMESPACES, "namespace_list" },
		{ SCOPE_LOG_PROFILE, "log-profile" }, { SCOPE_RESOLVERS, "resolvers" },
		{ SCOPE_ACME, "acme" }, { SCOPE_PEERS, "peers" },      { SCOPE_UDP, "udp-lb" },
		{ SCOPE_BIND, "bind lines" },  { SCOPE_DGRAM, "dgram-bind lines" },
		{ SCOPE_SERVER, "server lines" }, { SCOPE_STATS, "stats socket lines" },
	};
	unsigned left = 0, i;
	struct text t;
	bool first = true;

	for (i = 0; i < ARRAY_LEN(names); i++)
		left += (scope & names[i].bit) != 0;
	text_init(&t, buf, size);
	for (i = 0; i < ARRAY_LEN(names); i++) {
		if (!(scope & names[i].bit))
			continue;
		left--;
		text_str(&t, first ? "" : left ? ", " : " and ");
		text_str(&t, names[i].name);
		first = false;
	}
	return buf;
}

/* The first n words as one text with single blanks, cut at size. */
static void words_join(const struct word *words, int n, char *buf, size_t size)
{
	struct text t;
	int i;

	text_init(&t, buf, size);
	for (i = 0; i < n; i++) {
		text_str(&t, i ? " " : "");
		text_str(&t, words[i].text);
	}
}

/* What was given, as texts of one, two ... words, and the nearest name so far. */
struct nearest {
	const char *name;
	unsigned distance;
	struct nearest_given {
		char text[66];
		unsigned length, limit;
	} given[NEAREST_WORDS];
	int words;
};

/* Short words differ from each other by little: one edit for each three letters, three at
 * most. */
static void nearest_begin(struct nearest *best, const struct word *words, int count)
{
	struct nearest_given *g;

	best->name = NULL;
	best->distance = ~0u;
	for (best->words = 0; best->words < count && best->words < NEAREST_WORDS; best->words++) {
		g = &best->given[best->words];
		words_join(words, best->words + 1, g->text, sizeof(g->text));
		g->length = (unsigned)strlen(g->text);
		g->limit = g->length < 9 ? g->length / 3 : 3;
	}
}

/* Where the first word is right the others alone differ: "timeout http" is not "timeout try". */
static unsigned rest_limit(const struct nearest_given *g, const char *name)
{
	size_t first = strcspn(name, " ") + 1;

	if (strncmp(g->text, name, first) != 0)
		return g->limit;
	return (unsigned)(g->length - first) / 3 < g->limit ? (unsigned)(g->length - first) / 3
							    : g->limit;
}

/* Compared are as many words as the candidate's name has. All candidates are looked at for each
 * word that is unknown, so most are told apart by their length. */
static void nearest_try(struct nearest *best, const char *name, int n)
{
	const struct nearest_given *g;
	unsigned distance, limit;
	size_t length;

	if (n > best->words)
		return;
	g = &best->given[n - 1];
	length = strlen(name);
	if (length > g->length + g->limit || length + g->limit < g->length)
		return;
	limit = n > 1 ? rest_limit(g, name) : g->limit;
	distance = strcasecmp(g->text, name) ? str_distance(g->text, name, limit) : 0;
	if (distance <= limit && distance < best->distance) {
		best->name = name;
		best->distance = distance;
	}
}

const struct section *lookup_section_nearest(const struct module *const *list, const char *name)
{
	const struct word word = { .text = name };
	const struct section *section, *best = NULL;
	struct nearest nearest;

	nearest_begin(&nearest, &word, 1);
	for (; *list; list++)
		for (section = (*list)->sections; section && section->name; section++) {
			nearest_try(&nearest, section->name, 1);
			if (nearest.name == section->name)
				best = section;
		}
	return best;
}

const char *lookup_nearest(const struct lookup *index, unsigned scope, const struct word *words,
			   int count)
{
	struct nearest best;
	size_t i;

	nearest_begin(&best, words, count);
	for (i = 0; i < index->count; i++)
		if (index->rows[i].kw->scope & scope)
			nearest_try(&best, index->rows[i].kw->name, index->rows[i].words);
	for (i = 0; i < ARRAY_LEN(known_words); i++)
		if (known_words[i].scope & scope)
			nearest_try(&best, known_words[i].name, name_words(known_words[i].name));
	for (i = 0; i < index->count && !best.name && count; i++)
		if (index->rows[i].kw->scope & scope && index->rows[i].words == 1 &&
		    suggest_begins(words->text, index->rows[i].kw->name))
			best.name = index->rows[i].kw->name;
	return best.name;
}
