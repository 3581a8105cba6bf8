/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A table of results, in sets of four: the one used last stands first, the last one goes. A result
 * is known by the whole text and by the stamp of the table that it was looked up in, which is
 * another one after each change: nothing need be told when patterns come, go, or are freed. No two
 * texts are ever taken for each other, whatever their hashes are.
 */
#include "expr/pattern_cache.h"

#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

enum { WAYS = 4 };

struct result {
	uint64_t stamp; /* 0: none */
	const struct pattern *found;
	uint16_t len;
	char text[PATTERN_CACHE_TEXT];
};

static struct result *results;
static unsigned wanted = PATTERN_CACHE_SIZE, sets;
static uint64_t last_stamp;

void pattern_cache_resize(unsigned entries)
{
	free(results);
	results = NULL;
	wanted = entries;
	sets = 0;
}

uint64_t pattern_cache_stamp(void)
{
	return ++last_stamp;
}

/* The four that this one is among; NULL: it is not kept. */
static struct result *set_of(uint64_t stamp, struct span text)
{
	if (!sets || !stamp || text.len > PATTERN_CACHE_TEXT)
		return NULL;
	return results + XXH3_64bits_withSeed(text.ptr, text.len, stamp) % sets * WAYS;
}

static void to_the_front(struct result *set, unsigned at)
{
	struct result moved = set[at];

	memmove(set + 1, set, at * sizeof(*set));
	set[0] = moved;
}

bool pattern_cache_find(uint64_t stamp, struct span text, const struct pattern **found)
{
	struct result *set = set_of(stamp, text);

	for (unsigned i = 0; set && i < WAYS; i++) {
		if (set[i].stamp != stamp || set[i].len != text.len ||
		    memcmp(set[i].text, text.ptr, text.len) != 0)
			continue;
		if (i)
			to_the_front(set, i);
		*found = set[0].found;
		return true;
	}
	return false;
}

static void pattern_cache_begin(void)
{
	unsigned count = (wanted + WAYS - 1) / WAYS;

	if (results || !wanted)
		return;
	results = calloc(count, WAYS * sizeof(*results));
	sets = results ? count : 0;
	wanted = results ? wanted : 0; /* no memory: without */
}

void pattern_cache_keep(uint64_t stamp, struct span text, const struct pattern *found)
{
	struct result *set;

	pattern_cache_begin();
	set = set_of(stamp, text);
	if (!set)
		return;
	to_the_front(set, WAYS - 1);
	set->stamp = stamp;
	set->found = found;
	set->len = (uint16_t)text.len;
	if (text.len)
		memcpy(set->text, text.ptr, text.len);
}
