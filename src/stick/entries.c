/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Entries of stick tables: taken, pinned, given back. Called by whoever uses a table (rules,
 * fetches, the stats socket, peers); the list that finds them is bucket.c, who makes room purge.c.
 *
 * A place is free (its bit says so, or it was never used), built by one process, live with a number
 * of pins, or dead. Only a live one without pins dies, by one compare-and-swap. Each process says
 * what it is at (stick_intend) before it does it, so that the one place that it leaves when it is
 * killed is given back (entry_mend). Each step of that can be done twice.
 */
#include "stick/inside.h"

#include "base/bug.h"
#include "base/err.h"
#include "base/siphash.h"

#include <string.h>

enum { TRIES = 64, SWEEP_PAUSE = 1000 /* ms between two */ };

/* ---- keys ---------------------------------------------------------------------------------- */

/* Cut, or filled up, to what the table holds; memory: key_len bytes. */
static struct span fitting(const struct stick_table *t, struct span key, unsigned char *memory)
{
	size_t len = t->def.key_len;

	if (t->def.type == STICK_STRING) {
		if (key.len > len)
			key.len = len;
		return key;
	}
	if (key.len >= len)
		return (struct span){ key.ptr, len };
	memcpy(memory, key.ptr, key.len);
	memset(memory + key.len, 0, len - key.len);
	return (struct span){ (char *)memory, len };
}

static uint32_t hash_of(const struct stick_table *t, struct span key)
{
	return (uint32_t)siphash_quick(t->hash_key, key.ptr, key.len);
}

struct span stick_key(const struct stick_table *t, const struct stick_entry *e)
{
	size_t len = t->def.key_len;

	if (t->def.type == STICK_STRING && e->key_len < len)
		len = e->key_len;
	return (struct span){ (const char *)e->key, len };
}

/* ---- time ---------------------------------------------------------------------------------- */

bool entry_has_expired(const struct stick_table *t, uint32_t place)
{
	return t->def.expire_ms && entry_age(t, place) >= t->def.expire_ms;
}

void stick_touch(struct stick_table *t, struct stick_entry *e)
{
	_Atomic uint32_t *at = &t->touched[stick_place_of(t, e)];

	if (atomic_load_explicit(at, memory_order_relaxed) != stick_now())
		atomic_store_explicit(at, stick_now(), memory_order_relaxed);
	stick_note(t, e);
}

uint32_t stick_idle(const struct stick_table *t, const struct stick_entry *e)
{
	return entry_age(t, stick_place_of(t, e));
}

uint32_t stick_left(const struct stick_table *t, const struct stick_entry *e)
{
	uint32_t age = stick_idle(t, e);

	return age < t->def.expire_ms ? t->def.expire_ms - age : 0;
}

unsigned stick_uses(const struct stick_entry *e)
{
	uint32_t pins = entry_state(e) & ENTRY_PINS;

	return pins ? pins - 1 : 0;
}

uint64_t stick_number(const struct stick_table *t, const struct stick_entry *e)
{
	return (uint64_t)entry_generation(e) << 31 | (stick_place_of(t, e) + 1);
}

/* ---- places -------------------------------------------------------------------------------- */

void entry_chosen(const struct blocks *places, uint32_t place)
{
	const struct stick_table *t = container_of((struct blocks *)(uintptr_t)places,
						   struct stick_table, places);

	stick_intend(INTENT_CHOSE, t, place, 0);
}

static bool take_place(struct stick_table *t, uint32_t *place)
{
	if (blocks_take(&t->places, stick_self.number, place))
		return true;
	stick_intend_nothing();
	if (!purge_oldest(t))
		return false;
	if (blocks_take(&t->places, stick_self.number, place))
		return true;
	stick_intend_nothing();
	return false;
}

/* It is dead, and nobody finds it. */
static void give_place(struct stick_table *t, uint32_t place, uint32_t generation)
{
	blocks_give(&t->places, place, generation, ENTRY_DEAD);
}

/* From so many pins, all of them its own. False: others have it, or it has gone. */
static bool dies(struct stick_entry *e, uint32_t generation, uint32_t pins)
{
	uint64_t life = entry_life(generation, ENTRY_LIVE + pins);

	return atomic_compare_exchange_strong(&e->life, &life, entry_life(generation, ENTRY_DEAD));
}

/* ---- coming and going ---------------------------------------------------------------------- */

static void finish_removal(struct stick_table *t, uint32_t place, uint32_t generation)
{
	struct stick_entry *e = stick_place(t, place);

	bucket_mark(e);
	if (bucket_drop(t, e))
		give_place(t, place, generation);
}

bool entry_remove(struct stick_table *t, uint32_t place)
{
	struct stick_entry *e = stick_place(t, place);
	uint32_t generation = entry_generation(e);

	stick_intend(INTENT_REMOVES, t, place, generation);
	if (!dies(e, generation, 0)) {
		stick_intend_nothing();
		return false;
	}
	finish_removal(t, place, generation);
	stick_intend_nothing();
	return true;
}

bool stick_remove(struct stick_table *t, struct stick_entry *e)
{
	uint32_t place = stick_place_of(t, e), generation = entry_generation(e);

	stick_intend(INTENT_REMOVES_OWN, t, place, generation);
	if (!dies(e, generation, 1)) {
		stick_intend(INTENT_PIN, t, place, generation);
		return false;
	}
	finish_removal(t, place, generation);
	stick_intend_nothing();
	return true;
}

void stick_give(struct stick_table *t, struct stick_entry *e)
{
	(void)t;
	if (!e)
		return;
	stick_unpin(e, entry_generation(e));
	stick_intend_nothing();
}

/* Found, but its time is over: it counts as absent, and goes if nobody has it. */
static bool was_alive(struct stick_table *t, struct stick_entry *e)
{
	if (!entry_has_expired(t, stick_place_of(t, e)) || stick_uses(e))
		return true;
	if (!stick_remove(t, e))
		stick_give(t, e);
	return false;
}

struct stick_entry *stick_find(struct stick_table *t, struct span key)
{
	unsigned char memory[t->def.type == STICK_STRING ? 1 : t->def.key_len];
	struct stick_entry *e;

	key = fitting(t, key, memory);
	e = bucket_find(t, hash_of(t, key), key);
	return e && was_alive(t, e) ? e : NULL;
}

static void fill(struct stick_table *t, struct stick_entry *e, struct span key, uint32_t hash)
{
	uint32_t generation = entry_generation(e);

	memset(e->key, 0, t->def.entry_size - sizeof(*e));
	memcpy(e->key, key.ptr, key.len);
	e->key_len = (uint32_t)key.len;
	atomic_store(&e->hash, hash);
	atomic_store(&e->next, LINK_END);
	atomic_store_explicit(&t->touched[stick_place_of(t, e)], stick_now(),
			      memory_order_relaxed);
	stick_intend(INTENT_MAKES, t, stick_place_of(t, e), generation);
	atomic_store(&e->life, entry_life(generation, ENTRY_LIVE | ENTRY_NEW | 1));
}

/* It was not put into the list. */
static void undo(struct stick_table *t, struct stick_entry *e)
{
	uint32_t generation = entry_generation(e);

	if (dies(e, generation, ENTRY_NEW | 1))
		give_place(t, stick_place_of(t, e), generation);
}

/* Added, and pinned; NULL: *again: another process has added one of this key. */
static struct stick_entry *make(struct stick_table *t, struct span key, uint32_t hash, bool *again)
{
	enum bucket_added added;
	struct stick_entry *e;
	uint32_t place;

	*again = false;
	if (!take_place(t, &place))
		return NULL;
	e = stick_place(t, place);
	fill(t, e, key, hash);
	added = bucket_add(t, e, key);
	if (added != BUCKET_ADDED) {
		undo(t, e);
		stick_intend_nothing();
		*again = added == BUCKET_HAS_ONE;
		return NULL;
	}
	atomic_fetch_and(&e->life, ~(uint64_t)ENTRY_NEW);
	stick_intend(INTENT_PIN, t, place, entry_generation(e));
	stick_note(t, e);
	return e;
}

struct stick_entry *stick_take(struct stick_table *t, struct span key, bool *made)
{
	unsigned char memory[t->def.type == STICK_STRING ? 1 : t->def.key_len];
	struct stick_entry *e;
	unsigned tries = TRIES;
	bool mine, again;
	uint32_t hash;

	if (!made)
		made = &mine;
	key = fitting(t, key, memory);
	hash = hash_of(t, key);
	do {
		*made = false;
		e = bucket_find(t, hash, key);
		if (e && was_alive(t, e))
			return e;
		*made = true;
		e = make(t, key, hash, &again);
	} while (!e && again && --tries);
	return e;
}

/* ---- pins for long ------------------------------------------------------------------------- */

/* Which slots are free is this process's own: what others can write says nothing about it. */
static uint32_t free_slots[STICK_SLOTS]; /* by number + 1; that costs what was used */
static uint32_t free_slot_count, slots_used;

static uint32_t slot_take(void)
{
	if (!stick_self.slots)
		return 0;
	if (free_slot_count)
		return free_slots[--free_slot_count];
	if (slots_used == STICK_SLOTS)
		return 0;
	slots_used++;
	atomic_store(&stick_self.row->holds, slots_used);
	return slots_used;
}

static void slot_give(uint32_t slot)
{
	atomic_store_explicit(&stick_self.slots[slot - 1].what, 0, memory_order_release);
	atomic_signal_fence(memory_order_seq_cst);
	free_slots[free_slot_count++] = slot;
}

uint32_t stick_hold(struct stick_table *t, struct stick_entry *e, bool current)
{
	uint32_t what = t->number + 1u, slot = slot_take();

	if (current && stick_stores(&t->def, STICK_conn_cur))
		what |= SLOT_CURRENT;
	if (slot) {
		atomic_store_explicit(&stick_self.slots[slot - 1].place, stick_place_of(t, e),
				      memory_order_release);
		atomic_store_explicit(&stick_self.slots[slot - 1].what, what | SLOT_NEW,
				      memory_order_release);
	}
	stick_intend_nothing();
	if (slot)
		atomic_store_explicit(&stick_self.slots[slot - 1].what, what, memory_order_release);
	if (what & SLOT_CURRENT)
		stick_add(t, e, STICK_conn_cur, 0, 1);
	return slot;
}

static void count_down(struct stick_table *t, struct stick_entry *e)
{
	_Atomic uint32_t *at;
	uint32_t value;

	if (!stick_stores(&t->def, STICK_conn_cur))
		return;
	at = (_Atomic uint32_t *)(void *)((char *)e + t->def.columns[STICK_conn_cur].at);
	value = atomic_load(at);
	while (value && !atomic_compare_exchange_weak(at, &value, value - 1))
		;
	stick_note(t, e);
}

/* The slot gives the pin back to what the process is at: never are both without it. */
void stick_unhold(struct stick_table *t, struct stick_entry *e, uint32_t hold, bool current)
{
	struct stick_slot *slot = hold ? &stick_self.slots[hold - 1] : NULL;

	if (current)
		count_down(t, e);
	if (slot) {
		atomic_store_explicit(&slot->what, (t->number + 1u) | SLOT_NEW,
				      memory_order_release);
		stick_intend(INTENT_PIN, t, stick_place_of(t, e), entry_generation(e));
		slot_give(hold);
	}
	stick_give(t, e);
}

/* ---- after a death ------------------------------------------------------------------------- */

/* Made, and perhaps found by others already. */
static void mend_made(struct stick_table *t, uint32_t place, uint32_t generation)
{
	struct stick_entry *e = stick_place(t, place);

	if (bucket_has(t, e)) {
		atomic_fetch_and(&e->life, ~(uint64_t)ENTRY_NEW);
		stick_unpin(e, generation);
	} else if (dies(e, generation, ENTRY_NEW | 1)) {
		give_place(t, place, generation);
	}
}

static void mend_removal(struct stick_table *t, uint32_t place, uint32_t generation)
{
	uint64_t life = atomic_load(&stick_place(t, place)->life);

	if (life == entry_life(generation, ENTRY_DEAD))
		finish_removal(t, place, generation);
	else
		blocks_mend_given(&t->places, place, generation);
}

void entry_mend(struct stick_table *t, const struct stick_row *row, uint32_t row_number)
{
	uint32_t generation = atomic_load(&row->generation);
	uint64_t word = atomic_load(&row->intent);
	enum stick_intent intent = (enum stick_intent)(word & 0xff);
	uint32_t place = (uint32_t)(word >> 32);
	struct stick_entry *e;
	bool live;

	if (place >= t->def.size)
		return;
	e = stick_place(t, place);
	live = entry_state(e) & ENTRY_LIVE && entry_generation(e) == generation;
	if (live)
		stick_note(t, e); /* it may have been killed between a change and its note */
	if (intent == INTENT_PIN || (intent == INTENT_REMOVES_OWN && live))
		stick_unpin(e, generation);
	else if (intent == INTENT_MAKES && live)
		mend_made(t, place, generation);
	else if (intent == INTENT_MAKES || intent == INTENT_REMOVES || intent == INTENT_REMOVES_OWN)
		mend_removal(t, place, generation);
	if (intent == INTENT_CHOSE || intent == INTENT_MAKES)
		blocks_mend(&t->places, place, row_number);
}

/* What was held by slot. */
void entry_mend_hold(struct stick_table *t, uint32_t what, uint32_t place)
{
	struct stick_entry *e;

	if (place >= t->def.size)
		return;
	e = stick_place(t, place);
	if (what & SLOT_CURRENT)
		count_down(t, e);
	stick_note(t, e);
	stick_unpin(e, entry_generation(e));
}

/* ---- all of them --------------------------------------------------------------------------- */

uint32_t stick_places(const struct stick_table *t)
{
	return blocks_reached(&t->places);
}

uint32_t stick_used(const struct stick_table *t)
{
	return blocks_used(&t->places);
}

static bool is_alive(const struct stick_table *t, uint32_t place)
{
	uint32_t state;

	if (blocks_is_free(&t->places, place))
		return false;
	if (!entry_has_expired(t, place))
		return true;
	state = entry_state(stick_place(t, place));
	return state & ENTRY_LIVE && state & ENTRY_PINS;
}

uint32_t stick_alive(const struct stick_table *t, uint32_t *at, unsigned most)
{
	uint32_t places = stick_places(t), alive = 0;

	for (; *at < places && most; ++*at, most--)
		alive += is_alive(t, *at);
	return alive;
}

struct stick_entry *entry_pin_at(struct stick_table *t, uint32_t place)
{
	struct stick_entry *e;
	uint32_t generation;

	if (place >= t->def.size)
		return NULL;
	e = stick_place(t, place);
	generation = entry_generation(e);
	stick_intend(INTENT_PIN, t, place, generation);
	if (!(entry_state(e) & ENTRY_NEW) && stick_pin(e, generation))
		return was_alive(t, e) ? e : NULL;
	stick_intend_nothing();
	return NULL;
}

struct stick_entry *stick_next(struct stick_table *t, uint32_t *at, unsigned most)
{
	uint32_t places = stick_places(t);
	struct stick_entry *e = NULL;

	for (; !e && *at < places && most; most--)
		e = entry_pin_at(t, (*at)++);
	return e;
}

/* The earliest end of a life that the sweep has seen; what came meanwhile lives longer. */
static void note_left(struct stick_table *t, uint32_t place)
{
	uint32_t age = entry_age(t, place), left = age < t->def.expire_ms ? t->def.expire_ms - age : 0;

	if (left < t->least_left)
		t->least_left = left;
}

bool stick_sweep(struct stick_table *t, unsigned places, unsigned removals)
{
	uint32_t end = stick_places(t);

	if (!t->swept)
		t->least_left = t->def.expire_ms;
	for (; t->swept < end && places && removals; t->swept++, places--) {
		if (blocks_is_free(&t->places, t->swept))
			continue;
		if (!entry_has_expired(t, t->swept))
			note_left(t, t->swept);
		else if (entry_remove(t, t->swept))
			removals--;
	}
	if (t->swept < end)
		return true;
	t->swept = 0;
	t->due = clock_now_ms + (t->least_left > SWEEP_PAUSE ? t->least_left : SWEEP_PAUSE);
	return false;
}

uint64_t stick_sweep_due(const struct stick_table *t)
{
	if (!t->def.expire_ms)
		return 0;
	return t->due ? t->due : clock_now_ms;
}
