/* SPDX-License-Identifier: BSD-2-Clause */
/* Cures for words that belong to other languages: units, signs and punctuation. Called where a
 * problem has been reported. */
#include "config/cure.h"

#include "base/bug.h"
#include "config/foreign.h"
#include "config/keyword.h"
#include "config/lookup.h"
#include "config/reader.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* -- units -------------------------------------------------------------------------------- */

struct unit {
	const char *name, *ours;
	double factor; /* in that of the smaller unit, for fractions; 0: no time */
	const char *smaller;
};

static const struct unit times[] = {
	{ "us", "us", 0, NULL },        { "usec", "us", 0, NULL },
	{ "ms", "ms", 1000, "us" },     { "msec", "ms", 1000, "us" },
	{ "msecs", "ms", 1000, "us" },  { "millis", "ms", 1000, "us" },
	{ "s", "s", 1000, "ms" },       { "sec", "s", 1000, "ms" },
	{ "secs", "s", 1000, "ms" },    { "second", "s", 1000, "ms" },
	{ "seconds", "s", 1000, "ms" }, { "m", "m", 60, "s" },
	{ "min", "m", 60, "s" },        { "mins", "m", 60, "s" },
	{ "minute", "m", 60, "s" },     { "minutes", "m", 60, "s" },
	{ "h", "h", 60, "m" },          { "hr", "h", 60, "m" },
	{ "hrs", "h", 60, "m" },        { "hour", "h", 60, "m" },
	{ "hours", "h", 60, "m" },      { "d", "d", 24, "h" },
	{ "day", "d", 24, "h" },        { "days", "d", 24, "h" },
};

static const struct unit sizes[] = {
	{ "k", "k", 1024, "" },	 { "kb", "k", 1024, "" },  { "kib", "k", 1024, "" },
	{ "m", "m", 1024, "k" }, { "mb", "m", 1024, "k" }, { "mib", "m", 1024, "k" },
	{ "g", "g", 1024, "m" }, { "gb", "g", 1024, "m" }, { "gib", "g", 1024, "m" },
};

static const struct unit *unit_find(const struct unit *units, size_t count, const char *name)
{
	size_t i;

	for (i = 0; i < count; i++)
		if (!strcasecmp(units[i].name, name))
			return &units[i];
	return NULL;
}

/* "5sec", "1.5s", "1GB". */
static bool cure_unit(struct statement *st, int i, const struct unit *units, size_t count)
{
	const char *word = st->words[i].text;
	const struct unit *unit;
	char *end;
	double n;

	if (!isdigit((unsigned char)*word))
		return false;
	n = strtod(word, &end);
	unit = unit_find(units, count, end);
	if (!unit || n > 1e9)
		return false;
	if (!memchr(word, '.', (size_t)(end - word)))
		stmt_hint(st, "write '%.*s%s'", (int)(end - word), word, unit->ours);
	else if (unit->factor > 0)
		stmt_hint(st, "numbers are whole: write '%.0f%s'", n * unit->factor, unit->smaller);
	return true;
}

/* -- signs -------------------------------------------------------------------------------- */

static void cure_sign(struct statement *st, int i)
{
	const char *word = i < st->count ? st->words[i].text : "";
	size_t len = strlen(word);

	if (!strcmp(word, "=") || !strcmp(word, ":"))
		stmt_hint(st, "a value follows its word behind a blank, without '%s'", word);
	else if (len > 1 && strchr(",;", word[len - 1]))
		stmt_hint(st, "no '%c' stands behind a value", word[len - 1]);
}

void cure_number(struct statement *st, int i)
{
	cure_sign(st, i);
}

void cure_time(struct statement *st, int i)
{
	if (!cure_unit(st, i, times, ARRAY_LEN(times)))
		cure_sign(st, i);
}

void cure_size(struct statement *st, int i)
{
	if (!cure_unit(st, i, sizes, ARRAY_LEN(sizes)))
		cure_sign(st, i);
}

/* "30 s": the unit is a word too many. */
static bool cure_apart(struct statement *st, int i)
{
	const char *word = st->words[i].text, *before = i ? st->words[i - 1].text : "";
	const struct unit *unit = unit_find(times, ARRAY_LEN(times), word);

	if (!unit)
		unit = unit_find(sizes, ARRAY_LEN(sizes), word);
	if (!unit || !*before || before[strspn(before, "0123456789")])
		return false;
	stmt_hint(st, "no blank stands between a number and its unit: write '%s%s'", before,
		  unit->ours);
	return true;
}

/* "no check": the words of servers that are turned off begin with "no-". */
static bool cure_no(struct statement *st, int i, unsigned scope)
{
	char name[64];
	const struct word word = { .text = name };

	if (strcmp(st->words[i].text, "no") != 0 || i + 1 >= st->count)
		return false;
	snprintf(name, sizeof(name), "no-%s", st->words[i + 1].text);
	if (!lookup_find(st->cfg->reader->index, scope, &word, 1))
		return false;
	stmt_hint(st, "it is one word: '%s'", name);
	return true;
}

/* ":443", "192.0.2.1:80": one more address. */
static bool is_address(const char *word)
{
	size_t len = strspn(word, "0123456789abcdefABCDEF.:[]*");

	return !word[len] && strchr(word, ':') && isdigit((unsigned char)word[len - 1]);
}

bool cure_of_line(struct statement *st, int i, unsigned scope)
{
	const char *word = st->words[i].text;

	if (cure_apart(st, i) || cure_no(st, i, scope))
		return true;
	if (!is_address(word))
		return false;
	if (scope & SCOPE_SERVER)
		stmt_hint(st, "each server has a line of its own");
	else
		stmt_hint(st, "addresses of one line are parted by commas: '%s,%s'",
			  i > 1 ? st->words[1].text : "...", word);
	return true;
}

void cure_continued(struct statement *st, int i)
{
	const char *word = st->words[i].text;

	if (i + 1 == st->count && (!strcmp(word, "\\") || !strcmp(word, " ")) &&
	    st->words[i].raw_len < 3 && st->words[i].quoted == (*word == ' '))
		stmt_hint(st, "lines are not continued: a statement stands in one line");
}

void cure_rest(struct statement *st, int i)
{
	const char *word = st->words[i].text;

	if (cure_apart(st, i))
		return;
	if (!strcmp(word, "if") || !strcmp(word, "unless"))
		stmt_hint(st, !strcmp(st->words[0].text, "default_backend")
				      ? "it takes no condition: 'use_backend' does"
				      : "this line takes no condition");
	else if (!strncmp(word, "//", 2) || word[0] == ';')
		stmt_hint(st, "a comment begins with '#'");
	else if (i == 1 && !strcasecmp(word, "no"))
		stmt_hint(st, "'no' stands in front: 'no %s', where the word has one",
			  st->words[0].text);
	else if (i == 1 &&
		 (!strcasecmp(word, "yes") || !strcasecmp(word, "on") || !strcasecmp(word, "true")))
		stmt_hint(st, "the word alone turns it on");
}

/* -- words -------------------------------------------------------------------------------- */

bool cure_unknown(struct statement *st, int i)
{
	const char *word = st->words[i].text;

	if (!strncmp(word, "//", 2) || !strncmp(word, "/*", 2) || !strncmp(word, "--", 2) ||
	    *word == ';') {
		stmt_hint(st, "a comment begins with '#'");
		return true;
	}
	return foreign_word(st, i, st->scope) || foreign_first(st, i);
}

/* "tcp-request reject": the list that the rule belongs to is missing. */
static bool cure_list(struct statement *st, const char *first, const char *word)
{
	if (strcmp(first, "tcp-request") != 0 || !*word)
		return false;
	stmt_hint(st, "rules say when they are run: 'tcp-request connection %s' or 'tcp-request "
		      "content %s'", word, word);
	return true;
}

bool cure_second(struct statement *st, int i)
{
	const char *word = i < st->count ? st->words[i].text : "", *sign = strpbrk(word, "=:");

	if (!sign || sign == word)
		return cure_list(st, st->words[i - 1].text, word);
	stmt_hint(st, "a value follows its word behind a blank: write '%s %.*s %s'",
		  st->words[i - 1].text, (int)(sign - word), word, sign[1] ? sign + 1 : "...");
	return true;
}
