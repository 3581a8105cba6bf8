/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The stock setters: rows that name one of them need no code. Each reads its argument, checks
 * the range of the row and writes the field at the row's offset. On an error the field keeps
 * its value.
 */
#include "config/keyword.h"

#include "base/arena.h"
#include "base/str.h"
#include "config/config.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static void *setter_field(const struct keyword *kw, void *object)
{
	return (char *)object + kw->offset;
}

/* The keyword as messages name it. */
static const char *setter_what(const struct keyword *kw, char *buf, size_t size)
{
	snprintf(buf, size, "'%s'", kw->name);
	return buf;
}

static int setter_number(struct statement *st, const struct keyword *kw, int64_t min,
			 int64_t max, int64_t *value)
{
	char what[100];

	if (kw->min || kw->max) {
		min = kw->min;
		max = kw->max;
	}
	return stmt_int(st, setter_what(kw, what, sizeof(what)), min, max, value);
}

int set_int(struct statement *st, const struct keyword *kw, void *object)
{
	int64_t value;

	if (setter_number(st, kw, INT_MIN, INT_MAX, &value) < 0)
		return -1;
	*(int *)setter_field(kw, object) = (int)value;
	return 0;
}

int set_unsigned(struct statement *st, const struct keyword *kw, void *object)
{
	int64_t value;

	if (setter_number(st, kw, 0, UINT_MAX, &value) < 0)
		return -1;
	*(unsigned *)setter_field(kw, object) = (unsigned)value;
	return 0;
}

static int setter_time(struct statement *st, const struct keyword *kw, void *object, char unit)
{
	char what[100];
	unsigned ms;

	if (stmt_duration(st, setter_what(kw, what, sizeof(what)), unit, &ms) < 0)
		return -1;
	if ((kw->min || kw->max) && (ms < kw->min || ms > kw->max))
		return stmt_error(st, st->at - 1, "%s must be from %lldms to %lldms, not '%s'", what,
				  (long long)kw->min, (long long)kw->max,
				  st->words[st->at - 1].text);
	*(unsigned *)setter_field(kw, object) = ms;
	return 0;
}

int set_duration(struct statement *st, const struct keyword *kw, void *object)
{
	return setter_time(st, kw, object, 'm');
}

int set_seconds(struct statement *st, const struct keyword *kw, void *object)
{
	return setter_time(st, kw, object, 's');
}

int set_size(struct statement *st, const struct keyword *kw, void *object)
{
	char what[100];
	size_t bytes;

	if (stmt_size(st, setter_what(kw, what, sizeof(what)), &bytes) < 0)
		return -1;
	if ((kw->min || kw->max) && (bytes < (size_t)kw->min || bytes > (size_t)kw->max))
		return stmt_error(st, st->at - 1, "%s must be from %lld to %lld bytes, not '%s'",
				  what, (long long)kw->min, (long long)kw->max,
				  st->words[st->at - 1].text);
	*(size_t *)setter_field(kw, object) = bytes;
	return 0;
}

int set_flag(struct statement *st, const struct keyword *kw, void *object)
{
	bool *field = setter_field(kw, object);

	if (st->dflt)
		*field = kw->dflt && !strcmp(kw->dflt, "on");
	else
		*field = !st->no;
	return 0;
}

int set_enum(struct statement *st, const struct keyword *kw, void *object)
{
	char what[100];
	const char *word;
	int i;

	snprintf(what, sizeof(what), "value of '%s'", kw->name);
	word = stmt_next(st);
	for (i = 0; word && kw->names[i]; i++)
		if (!strcmp(word, kw->names[i])) {
			*(int *)setter_field(kw, object) = i;
			return 0;
		}
	stmt_unknown(st, word ? st->at - 1 : st->at, what, kw->names);
	return -1;
}

int set_string(struct statement *st, const struct keyword *kw, void *object)
{
	char what[100];
	const char *word;

	snprintf(what, sizeof(what), "%s of '%s'", kw->args ? kw->args : "value", kw->name);
	word = stmt_need(st, what);
	if (!word)
		return -1;
	*(const char **)setter_field(kw, object) = arena_strdup(st->cfg->arena, word);
	return 0;
}

int set_guid(struct statement *st, const struct keyword *kw, void *object)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				      "0123456789.:-_";
	const char *word = stmt_need(st, "a guid");
	size_t good;

	if (!word)
		return -1;
	good = strspn(word, letters);
	if (!*word || word[good])
		return stmt_error(st, st->at - 1,
				  "'%s' is no %s: letters, digits, '.', ':', '-' and "
				  "'_' are expected",
				  word, kw->name);
	if (good > GUID_MOST)
		return stmt_error(st, st->at - 1, "a %s has at most %d characters, not %zu",
				  kw->name, GUID_MOST, good);
	*(const char **)setter_field(kw, object) = arena_strdup(st->cfg->arena, word);
	return 0;
}

int set_bit(struct statement *st, const struct keyword *kw, void *object)
{
	struct options *options = setter_field(kw, object);

	if (st->no || st->dflt)
		options->on &= ~kw->bit;
	else
		options->on |= kw->bit;
	if (st->dflt)
		options->given &= ~kw->bit;
	else
		options->given |= kw->bit;
	return 0;
}
