/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The list of a table: where an entry is found by its key. Called by entries.c alone.
 *
 * All entries stand in one list, in the order of their hashes read from the lowest bit on
 * (split-ordered lists: Shalev and Shavit; removal by marks: Harris, Michael). A bucket is a node
 * in that list, in front of the entries whose hashes end with its number. So the number of buckets
 * doubles without moving an entry: bucket 5 of 8 is a new node in the middle of bucket 1 of 4. A
 * bucket becomes a node when it is first asked for, behind all that it is a part of (1 of 2, 1 of 4).
 * So a bucket that is none yet has few entries, and the search for its place is short.
 *
 * Invariants:
 * - Every change is one compare-and-swap of a link. A process that is killed between two of them
 *   leaves a list that is sound.
 * - A link has the generation of the entry that it leads to. An entry that has been removed and
 *   made anew has another one: who stands on the old one sees it, and begins again.
 * - An entry is marked (in its own link) before it leaves the list; whoever passes a marked one
 *   takes it out. Nobody links behind a marked one.
 * - What was read from the memory is compared with its limits: others may have written anything.
 */
#include "stick/inside.h"

#include <string.h>

enum { STEPS_MOST = 20000, TRIES = 64 };

/* Where a search has stopped: the link, and what it held. */
struct spot {
	_Atomic uint64_t *link;
	uint64_t next;
};

/* What is looked for: entries of that order, up to the last of them. */
struct search {
	uint64_t order;
	struct span key;                /* ptr NULL: none */
	const struct stick_entry *entry; /* or this one */
	struct stick_entry *found;
	uint64_t found_by;              /* the link that led to it */
};

enum outcome { AT_SPOT, AGAIN, BROKEN };

static uint32_t reversed(uint32_t v)
{
	v = (v >> 1 & 0x55555555) | (v & 0x55555555) << 1;
	v = (v >> 2 & 0x33333333) | (v & 0x33333333) << 2;
	v = (v >> 4 & 0x0f0f0f0f) | (v & 0x0f0f0f0f) << 4;
	return __builtin_bswap32(v);
}

static uint64_t order_of_hash(uint32_t hash)
{
	return (uint64_t)reversed(hash) << 1 | 1;
}

static uint64_t order_of_bucket(uint32_t bucket)
{
	return (uint64_t)reversed(bucket) << 1;
}

static uint32_t bucket_of(uint64_t link)
{
	return (uint32_t)(link & LINK_END);
}

/* Beyond all of them where there is none. */
static uint32_t place_of(uint64_t link)
{
	return (uint32_t)(link & LINK_END) - 1;
}

static bool is_end(uint64_t link)
{
	return (link & (LINK_END | LINK_BUCKET)) == LINK_END;
}

static uint64_t link_to(const struct stick_table *t, const struct stick_entry *e)
{
	return (uint64_t)entry_generation(e) << 32 | (stick_place_of(t, e) + 1);
}

/* UNREADY belongs to the node that has the link, not to where it leads. */
static bool change_link(struct spot *spot, uint64_t to)
{
	return atomic_compare_exchange_strong(spot->link, &spot->next,
					      to | (spot->next & LINK_UNREADY));
}

bool stick_pin(struct stick_entry *e, uint32_t generation)
{
	uint64_t life = atomic_load(&e->life);

	do {
		if (life >> 32 != generation || !(life & ENTRY_LIVE) ||
		    (life & ENTRY_PINS) == ENTRY_PINS)
			return false;
	} while (!atomic_compare_exchange_weak(&e->life, &life, life + 1));
	return true;
}

/* Never below none: what was killed in the middle may have been given back for it. */
void stick_unpin(struct stick_entry *e, uint32_t generation)
{
	uint64_t life = atomic_load(&e->life);

	do {
		if (life >> 32 != generation || !(life & ENTRY_LIVE) || !(life & ENTRY_PINS))
			return;
	} while (!atomic_compare_exchange_weak(&e->life, &life, life - 1));
}

static bool has_key(const struct stick_table *t, const struct stick_entry *e, struct span key)
{
	if (t->def.type == STICK_STRING)
		return e->key_len == key.len && !memcmp(e->key, key.ptr, key.len);
	return !memcmp(e->key, key.ptr, t->def.key_len);
}

/* The entry that spot->next leads to. AT_SPOT: *order and *behind are its own. AGAIN: it has gone. */
static enum outcome look_at_entry(struct stick_table *t, struct spot *spot, struct search *s,
				  uint64_t *order, uint64_t *behind, struct stick_entry **entry)
{
	uint32_t hash, place = place_of(spot->next);
	struct stick_entry *e;

	if (place >= t->def.size)
		return BROKEN;
	e = stick_place(t, place);
	*behind = atomic_load(&e->next);
	hash = atomic_load(&e->hash);
	*order = order_of_hash(hash);
	if (s->key.ptr && *order == s->order && !(*behind & LINK_MARK) && !s->found &&
	    has_key(t, e, s->key)) {
		s->found = e;
		s->found_by = spot->next;
	}
	if (entry_generation(e) != (uint32_t)(spot->next >> 32 & GENERATIONS)) {
		s->found = NULL;
		return AGAIN;
	}
	*entry = e;
	return AT_SPOT;
}

/* From a node on to the first one behind the order: spot leads to it. */
static enum outcome walk(struct stick_table *t, _Atomic uint64_t *from, struct search *s,
			 struct spot *spot)
{
	struct stick_entry *e;
	uint64_t order, behind;
	unsigned steps;
	uint32_t bucket;
	enum outcome o;

	*spot = (struct spot){ from, atomic_load(from) };
	for (steps = 0; steps < STEPS_MOST; steps++) {
		if (is_end(spot->next))
			return AT_SPOT;
		if (spot->next & LINK_BUCKET) {
			bucket = bucket_of(spot->next);
			if (bucket >= t->most_buckets)
				return BROKEN;
			if (order_of_bucket(bucket) > s->order)
				return AT_SPOT;
			spot->link = &t->buckets[bucket];
			spot->next = atomic_load(spot->link);
			continue;
		}
		o = look_at_entry(t, spot, s, &order, &behind, &e);
		if (o != AT_SPOT)
			return o;
		if (behind & LINK_MARK) {
			if (!change_link(spot, behind & ~LINK_MARK))
				return AGAIN;
			spot->next = (behind & ~LINK_MARK) | (spot->next & LINK_UNREADY);
			continue;
		}
		if (order > s->order)
			return AT_SPOT;
		if (e == s->entry)
			s->found = (struct stick_entry *)(uintptr_t)e;
		*spot = (struct spot){ &e->next, behind };
	}
	return BROKEN;
}

/* ---- buckets ------------------------------------------------------------------------------- */

static bool is_ready(const struct stick_table *t, uint32_t bucket)
{
	uint64_t link = atomic_load(&t->buckets[bucket]);

	return link && !(link & LINK_UNREADY);
}

/* The nearest in front that is a node of the list. Bucket 0 always is. */
static uint32_t ready_in_front(const struct stick_table *t, uint32_t bucket)
{
	while (bucket && !is_ready(t, bucket))
		bucket &= ~(UINT32_C(1) << (31 - __builtin_clz(bucket)));
	return bucket;
}

static void make_bucket(struct stick_table *t, uint32_t bucket)
{
	struct search s = { .order = order_of_bucket(bucket) };
	uint64_t none = 0, link = LINK_BUCKET | bucket;
	struct spot spot;
	unsigned tries;

	stick_intend_bucket(t, bucket);
	if (!atomic_compare_exchange_strong(&t->buckets[bucket], &none, LINK_UNREADY | LINK_END)) {
		stick_intend_bucket(t, 0);
		return;
	}
	for (tries = 0; tries < TRIES; tries++) {
		if (walk(t, &t->buckets[ready_in_front(t, bucket)], &s, &spot) != AT_SPOT)
			continue;
		atomic_store(&t->buckets[bucket], (spot.next & ~LINK_UNREADY) | LINK_UNREADY);
		if (change_link(&spot, link)) {
			atomic_fetch_and(&t->buckets[bucket], ~LINK_UNREADY);
			stick_intend_bucket(t, 0);
			return;
		}
	}
	atomic_store(&t->buckets[bucket], 0);
	stick_intend_bucket(t, 0);
}

/* Those in front first: from the nearest of them it is not far. Another process may be at one. */
static void make_ready(struct stick_table *t, uint32_t bucket)
{
	uint32_t ready = ready_in_front(t, bucket), left;

	while (ready != bucket) {
		left = bucket & ~ready;
		ready |= left & -left;
		make_bucket(t, ready);
		if (!is_ready(t, ready))
			return;
	}
}

/* Its maker was killed: in front of, or behind the change that made it a node. The number is what
 * the maker wrote: any. */
void bucket_mend(struct stick_table *t, uint32_t bucket)
{
	_Atomic uint64_t *link;
	unsigned steps;
	uint64_t next;

	if (bucket >= t->most_buckets || !(atomic_load(&t->buckets[bucket]) & LINK_UNREADY))
		return;
	link = &t->buckets[ready_in_front(t, bucket)];
	for (steps = 0; steps < STEPS_MOST; steps++) {
		next = atomic_load(link);
		if (is_end(next))
			break;
		if (!(next & LINK_BUCKET)) {
			if (place_of(next) >= t->def.size)
				return;
			link = &stick_place(t, place_of(next))->next;
			continue;
		}
		if (bucket_of(next) == bucket) {
			atomic_fetch_and(&t->buckets[bucket], ~LINK_UNREADY);
			return;
		}
		if (bucket_of(next) >= t->most_buckets)
			return;
		if (order_of_bucket(bucket_of(next)) > order_of_bucket(bucket))
			break;
		link = &t->buckets[bucket_of(next)];
	}
	atomic_store(&t->buckets[bucket], 0);
}

/* Where a search for this hash begins. */
static _Atomic uint64_t *begin(struct stick_table *t, uint32_t hash)
{
	uint32_t buckets = atomic_load_explicit(&t->head->buckets, memory_order_relaxed), bucket;

	if (!buckets || buckets > t->most_buckets || buckets & (buckets - 1))
		buckets = 1;
	bucket = hash & (buckets - 1);
	if (!is_ready(t, bucket)) {
		make_ready(t, bucket);
		bucket = ready_in_front(t, bucket);
	}
	return &t->buckets[bucket];
}

/* As many buckets as places that were ever used. */
static void grow(struct stick_table *t)
{
	uint32_t buckets = atomic_load(&t->head->buckets), fresh = atomic_load(&t->head->fresh);

	if (fresh > buckets && buckets < t->most_buckets)
		atomic_compare_exchange_strong(&t->head->buckets, &buckets, 2 * buckets);
}

/* ---- what is asked ------------------------------------------------------------------------- */

static enum outcome search(struct stick_table *t, uint32_t hash, struct search *s,
			   struct spot *spot)
{
	enum outcome o = AGAIN;
	unsigned tries;

	s->order = order_of_hash(hash);
	for (tries = 0; tries < TRIES && o == AGAIN; tries++) {
		s->found = NULL;
		o = walk(t, begin(t, hash), s, spot);
	}
	return o == AT_SPOT ? AT_SPOT : BROKEN;
}

/* Pinned, and still what was found; else it has gone meanwhile. */
static bool pin_found(struct stick_table *t, const struct search *s)
{
	struct stick_entry *e = s->found;
	uint32_t generation = (uint32_t)(s->found_by >> 32 & GENERATIONS);

	stick_intend(INTENT_PIN, t, stick_place_of(t, e), generation);
	if (stick_pin(e, generation))
		return true;
	stick_intend_nothing();
	return false;
}

struct stick_entry *bucket_find(struct stick_table *t, uint32_t hash, struct span key)
{
	struct search s = { .key = key };
	struct spot spot;
	unsigned tries;

	for (tries = 0; tries < TRIES; tries++) {
		if (search(t, hash, &s, &spot) != AT_SPOT || !s.found)
			return NULL;
		if (pin_found(t, &s))
			return s.found;
	}
	return NULL;
}

enum bucket_added bucket_add(struct stick_table *t, struct stick_entry *e, struct span key)
{
	struct search s = { .key = key };
	uint32_t hash = atomic_load(&e->hash);
	struct spot spot;
	unsigned tries;

	grow(t);
	for (tries = 0; tries < TRIES; tries++) {
		if (search(t, hash, &s, &spot) != AT_SPOT)
			return BUCKET_BROKEN;
		if (s.found)
			return BUCKET_HAS_ONE;
		atomic_store(&e->next, spot.next & ~LINK_UNREADY);
		if (change_link(&spot, link_to(t, e)))
			return BUCKET_ADDED;
	}
	return BUCKET_BROKEN;
}

void bucket_mark(struct stick_entry *e)
{
	atomic_fetch_or(&e->next, LINK_MARK);
}

/* A walk beyond it takes it out, unless somebody else has. */
bool bucket_drop(struct stick_table *t, struct stick_entry *e)
{
	struct search s = { .entry = NULL };
	struct spot spot;

	return search(t, atomic_load(&e->hash), &s, &spot) == AT_SPOT;
}

bool bucket_has(struct stick_table *t, const struct stick_entry *e)
{
	struct search s = { .entry = e };
	struct spot spot;

	return search(t, atomic_load(&e->hash), &s, &spot) == AT_SPOT && s.found;
}
