/* SPDX-License-Identifier: BSD-2-Clause */
/* Is a stick table sound? Called by tests, and by nobody while others change the table. */
#include "stick/inside.h"

#include "base/err.h"

#include <stdlib.h>

static int wrong(struct err *err, const struct stick_table *t, const char *what, uint32_t place)
{
	return err_set(err, "stick table '%s': %s (%u: %llx)", t->def.name, what, place,
		       place < t->def.size ? (unsigned long long)stick_place(t, place)->life : 0);
}

static bool bit_of(const struct stick_table *t, uint32_t place)
{
	return blocks_is_free(&t->places, place);
}

/* Is the one that it is a part of a node, too? */
static bool has_parent(const struct stick_table *t, uint32_t bucket)
{
	uint64_t parent;

	if (!bucket)
		return true;
	parent = atomic_load(&t->buckets[bucket & ~(UINT32_C(1) << (31 - __builtin_clz(bucket)))]);
	return parent && !(parent & LINK_UNREADY);
}

/* From the first bucket to the end; *seen: how many entries. */
static int walk_list(const struct stick_table *t, unsigned char *found, uint32_t *seen,
		     struct err *err)
{
	uint64_t link = atomic_load(&t->buckets[0]), steps = 0;
	const struct stick_entry *e;
	uint32_t place;

	for (; (link & (LINK_END | LINK_BUCKET)) != LINK_END; steps++) {
		place = (uint32_t)(link & LINK_END);
		if (steps > (uint64_t)t->def.size + t->most_buckets)
			return wrong(err, t, "the list goes round", place);
		if (link & LINK_BUCKET) {
			if (place >= t->most_buckets)
				return wrong(err, t, "a bucket that cannot be", place);
			if (!has_parent(t, place))
				return wrong(err, t, "a bucket without those in front", place);
			link = atomic_load(&t->buckets[place]);
			continue;
		}
		place--;
		if (place >= t->def.size)
			return wrong(err, t, "an entry that cannot be", place);
		e = stick_place(t, place);
		if ((link >> 32 & GENERATIONS) != entry_generation(e))
			return wrong(err, t, "a link to what has gone", place);
		if (found[place]++)
			return wrong(err, t, "an entry twice", place);
		if (!(entry_state(e) & ENTRY_LIVE) || entry_state(e) & ENTRY_NEW)
			return wrong(err, t, "a dead entry in the list", place);
		(*seen)++;
		link = atomic_load(&e->next);
		if (link & LINK_MARK)
			return wrong(err, t, "a marked entry in the list", place);
	}
	return 0;
}

static int check_places(const struct stick_table *t, const unsigned char *found, struct err *err)
{
	uint32_t place, state;

	for (place = 0; place < t->def.size; place++) {
		state = entry_state(stick_place(t, place));
		if (place >= stick_places(t) && (state || found[place] || bit_of(t, place)))
			return wrong(err, t, "a place that was never used is in use", place);
		if (place >= stick_places(t))
			continue;
		if (found[place] && bit_of(t, place))
			return wrong(err, t, "an entry that is free", place);
		if (!found[place] && !bit_of(t, place))
			return wrong(err, t, "a place that is lost", place);
		if (!found[place] && state != ENTRY_FREE)
			return wrong(err, t, "a free place that is not", place);
	}
	return 0;
}

int stick_check(struct stick_table *t, struct err *err)
{
	unsigned char *found = calloc(1, t->def.size);
	uint32_t seen = 0;
	int r;

	if (!found)
		return err_set(err, "out of memory");
	r = walk_list(t, found, &seen, err);
	if (r == 0)
		r = check_places(t, found, err);
	free(found);
	return r;
}
