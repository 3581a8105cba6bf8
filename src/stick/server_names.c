/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Names of servers that entries of stick tables stand for: texts with numbers, in memory that all
 * processes share and that outlives a reload. Called by whoever stores a server in a table, or
 * reads one.
 *
 * Texts lie one behind another and never go. A hash table has their places: a text is written
 * first, then entered by one compare-and-swap. Who loses takes the winner's, when that is the same
 * text. So a text is whole wherever its number is found, and who is killed leaves a text that
 * nobody finds: 256 bytes at the most. Whoever reads a number trusts none of what it leads to.
 */
#include "stick/inside.h"

#include "base/siphash.h"

#include <string.h>

enum { NAMES = 1 << 16, PROBES = 64, UNIT = 8, ROOM = 16 << 20, FIRST = 64 };

struct name {
	uint32_t hash, len;
	char text[];
};

struct names {
	_Atomic uint32_t used;          /* bytes of texts, from FIRST on */
	_Atomic uint32_t places[NAMES]; /* by hash: the number, 0: free */
	unsigned char texts[ROOM];
};

static struct names *names;
static const uint64_t *names_key;

size_t names_size(void)
{
	return sizeof(struct names);
}

void names_begin(void *memory, const uint64_t *hash_key)
{
	names = memory;
	names_key = hash_key;
}

/* A number is the place in units. NULL: it leads nowhere. */
static const struct name *name_at(uint32_t number)
{
	const struct name *name;
	uint64_t at = (uint64_t)number * UNIT;

	if (!names || at < FIRST || at > ROOM - sizeof(*name) - STICK_NAME_MOST)
		return NULL;
	name = (const struct name *)(const void *)(names->texts + at);
	return name->len && name->len <= STICK_NAME_MOST ? name : NULL;
}

struct span stick_name(uint32_t number)
{
	const struct name *name = name_at(number);
	uint32_t len = name ? name->len : 0;

	if (len > STICK_NAME_MOST)
		len = 0; /* it was another one a moment ago */
	return (struct span){ len ? name->text : NULL, len };
}

static bool is_that(uint32_t number, uint32_t hash, struct span text)
{
	const struct name *name = name_at(number);

	return name && name->hash == hash && span_equal(stick_name(number), text);
}

/* Written, and not entered yet. 0: no room. */
static uint32_t write_name(uint32_t hash, struct span text)
{
	uint32_t size = (uint32_t)(sizeof(struct name) + text.len + UNIT - 1) / UNIT * UNIT, at;
	struct name *name;

	at = atomic_load(&names->used);
	do {
		if (at > ROOM - FIRST - sizeof(*name) - STICK_NAME_MOST - UNIT)
			return 0;
	} while (!atomic_compare_exchange_weak(&names->used, &at, at + size));
	at = (at + FIRST) / UNIT;
	name = (struct name *)(void *)(names->texts + (size_t)at * UNIT);
	name->hash = hash;
	memcpy(name->text, text.ptr, text.len);
	name->len = (uint32_t)text.len;
	return at;
}

uint32_t stick_name_note(struct span text)
{
	uint32_t hash, i, found, mine = 0;
	_Atomic uint32_t *place;

	if (!names || !text.len || text.len > STICK_NAME_MOST)
		return 0;
	hash = (uint32_t)siphash(names_key, text.ptr, text.len).low;
	for (i = 0; i < PROBES; i++) {
		place = &names->places[(hash + i) % NAMES];
		found = atomic_load(place);
		if (!found && !mine)
			mine = write_name(hash, text);
		if (!found && !mine)
			return 0;
		if (!found && atomic_compare_exchange_strong(place, &found, mine))
			return mine;
		if (is_that(found, hash, text))
			return found;
	}
	return 0;
}
