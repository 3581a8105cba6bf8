/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What entries of stick tables hold: counters, tags, rates; and where in the entry. Called by
 * whoever has an entry pinned.
 *
 * Several processes add at once, so all are atomic. A rate is two words, each with the begin of a
 * period and the events in it: the period at hand, and the one before. Who comes after the end of a
 * period copies the first to the second, and begins a new one, by one compare-and-swap each: an
 * event is counted in exactly one period, whoever else is at it.
 */
#include "stick/inside.h"

enum { LOADS = 3 };

const struct stick_data_type stick_data_types[STICK_DATA] = {
#define DATA(name, number, form, argument) { #name, number, STICK_##form, STICK_##argument },
#include "stick/data.def"
#undef DATA
};

static uint32_t size_of(enum stick_form form)
{
	return form == STICK_RATE ? sizeof(struct stick_rate) :
	       form == STICK_LONG ? sizeof(uint64_t) : sizeof(uint32_t);
}

/* What is 32 bits wide comes first: one hole at the most. */
void stick_layout(struct stick_definition *def)
{
	uint32_t at = (uint32_t)sizeof(struct stick_entry) + def->key_len, size, wide;
	struct stick_column *c;
	unsigned i;

	at = (at + 3) & ~3u;
	for (wide = 0; wide < 2; wide++) {
		for (i = 0; i < STICK_DATA; i++) {
			c = &def->columns[i];
			size = size_of(stick_data_types[i].form);
			if (!c->count || (size == 4) == wide)
				continue;
			c->at = at;
			at += size * c->count;
		}
		if (!wide)
			at = (at + 7) & ~7u;
	}
	def->entry_size = (at + 7) & ~7u;
}

enum stick_data stick_stored_as(const struct stick_definition *def, enum stick_data what,
				unsigned *at)
{
	static const struct {
		enum stick_data single, array;
		unsigned at;
	} elements[] = {
		{ STICK_gpc0, STICK_gpc, 0 }, { STICK_gpc1, STICK_gpc, 1 },
		{ STICK_gpc0_rate, STICK_gpc_rate, 0 }, { STICK_gpc1_rate, STICK_gpc_rate, 1 },
		{ STICK_gpt0, STICK_gpt, 0 },
	};
	unsigned i;

	if (stick_stores(def, what))
		return *at < def->columns[what].count ? what : STICK_DATA;
	for (i = 0; i < sizeof(elements) / sizeof(*elements); i++)
		if (what == elements[i].single && elements[i].at < def->columns[elements[i].array].count) {
			*at = elements[i].at;
			return elements[i].array;
		}
	return STICK_DATA;
}

static void *cell(const struct stick_table *t, const struct stick_entry *e, enum stick_data what,
		  unsigned at)
{
	const struct stick_column *c = &t->def.columns[what];

	if (at >= c->count)
		return NULL;
	return (char *)(uintptr_t)e + c->at + (size_t)at * size_of(stick_data_types[what].form);
}

/* ---- rates --------------------------------------------------------------------------------- */

static uint64_t period_of(uint32_t begin, uint32_t events)
{
	return (uint64_t)begin << 32 | events;
}

static uint32_t begin_of(uint64_t word)
{
	return (uint32_t)(word >> 32);
}

static uint32_t events_of(uint64_t word)
{
	return (uint32_t)word;
}

static uint32_t since(uint64_t word)
{
	return stick_since(begin_of(word));
}

/* Both words as they stood together: a period may turn between two loads, and what was `now' is
 * `before' then. */
static void rate_load(struct stick_rate *r, uint64_t *now, uint64_t *before)
{
	uint32_t begin;
	unsigned tries;

	*now = atomic_load(&r->now);
	for (tries = 0; tries < LOADS; tries++) {
		begin = begin_of(*now);
		*before = atomic_load(&r->before);
		*now = atomic_load(&r->now);
		if (begin_of(*now) == begin)
			break;
	}
}

static struct stick_rate_state rate_state(struct stick_rate *r, uint32_t period)
{
	uint64_t now, before;
	uint32_t age;

	rate_load(r, &now, &before);
	age = since(now);

	if (age >= 2 * (uint64_t)period)
		return (struct stick_rate_state){ 0 };
	if (age >= period)
		return (struct stick_rate_state){ age - period, 0, events_of(now) };
	return (struct stick_rate_state){ age, events_of(now),
		begin_of(before) + period == begin_of(now) ? events_of(before) : 0 };
}

static uint32_t rate_value(struct stick_rate *r, uint32_t period)
{
	struct stick_rate_state s = rate_state(r, period);
	uint64_t value = s.now;

	if (period)
		value += (uint64_t)s.before * (period - s.age) / period;
	return value < UINT32_MAX ? (uint32_t)value : UINT32_MAX;
}

static uint32_t sum(uint32_t a, uint64_t b)
{
	return b < UINT32_MAX - a ? a + (uint32_t)b : UINT32_MAX;
}

/* The period is over. After a quiet one the next begins with the event at hand. */
static void rate_turn(struct stick_rate *r, uint32_t period, uint64_t now)
{
	bool follows = now && since(now) < 2 * (uint64_t)period;
	uint32_t begin = follows ? begin_of(now) + period : stick_now() | 1; /* no word is 0 */
	uint64_t before = atomic_load(&r->before);

	if (begin_of(atomic_load(&r->now)) != begin_of(now))
		return; /* others have turned it meanwhile: `before' is of a later one */
	atomic_compare_exchange_strong(&r->before, &before, now);
	atomic_compare_exchange_strong(&r->now, &now, period_of(begin, 0));
}

static void rate_add(struct stick_rate *r, uint32_t period, uint64_t by)
{
	uint64_t now = atomic_load(&r->now);

	for (;;) {
		if (!now || since(now) >= period) {
			rate_turn(r, period, now);
			now = atomic_load(&r->now);
			continue;
		}
		if (atomic_compare_exchange_weak(&r->now, &now,
				period_of(begin_of(now), sum(events_of(now), by))))
			return;
	}
}

struct stick_rate_state stick_rate_state(const struct stick_table *t, const struct stick_entry *e,
					 enum stick_data what, unsigned at)
{
	struct stick_rate *r = cell(t, e, what, at);

	return r ? rate_state(r, t->def.columns[what].period) : (struct stick_rate_state){ 0 };
}

void stick_rate_set(struct stick_table *t, struct stick_entry *e, enum stick_data what, unsigned at,
		    struct stick_rate_state state)
{
	uint32_t period = t->def.columns[what].period, begin = stick_now() - state.age;
	struct stick_rate *r = cell(t, e, what, at);

	if (!r)
		return;
	atomic_store(&r->before, period_of(begin - period, state.before));
	atomic_store(&r->now, period_of(begin, state.now));
	stick_note(t, e);
}

/* ---- rates of bytes ------------------------------------------------------------------------ */

/* Events have 32 bits. A table may count bytes in blocks, so that a period can have more of them. */
static uint32_t block_of(const struct stick_table *t, enum stick_data what)
{
	return t->def.block && (what == STICK_bytes_in_rate || what == STICK_bytes_out_rate) ?
		t->def.block : 1;
}

/* A part of a block counts as one with the chance that it has of it: the sum is right though many add
 * less than a block. */
static uint64_t blocks_of(uint64_t bytes, uint32_t block)
{
	static uint64_t dice;

	if (block == 1)
		return bytes;
	dice = dice * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return bytes / block + (bytes % block + (dice >> 32) % block >= block);
}

/* ---- all forms ----------------------------------------------------------------------------- */

uint64_t stick_value(const struct stick_table *t, const struct stick_entry *e, enum stick_data what,
		     unsigned at)
{
	void *p = cell(t, e, what, at);

	if (!p)
		return 0;
	switch (stick_data_types[what].form) {
	case STICK_RATE:
		return (uint64_t)rate_value(p, t->def.columns[what].period) * block_of(t, what);
	case STICK_LONG:
		return atomic_load_explicit((_Atomic uint64_t *)p, memory_order_relaxed);
	default:
		return atomic_load_explicit((_Atomic uint32_t *)p, memory_order_relaxed);
	}
}

uint64_t stick_add(struct stick_table *t, struct stick_entry *e, enum stick_data what, unsigned at,
		   uint64_t by)
{
	void *p = cell(t, e, what, at);
	uint64_t value;

	if (!p)
		return 0;
	switch (stick_data_types[what].form) {
	case STICK_RATE:
		rate_add(p, t->def.columns[what].period, blocks_of(by, block_of(t, what)));
		value = (uint64_t)rate_value(p, t->def.columns[what].period) * block_of(t, what);
		break;
	case STICK_LONG:
		value = atomic_fetch_add((_Atomic uint64_t *)p, by) + by;
		break;
	default:
		value = (uint32_t)(atomic_fetch_add((_Atomic uint32_t *)p, (uint32_t)by) +
				   (uint32_t)by);
	}
	stick_note(t, e);
	return value;
}

void stick_set(struct stick_table *t, struct stick_entry *e, enum stick_data what, unsigned at,
	       uint64_t value)
{
	void *p = cell(t, e, what, at);

	if (!p)
		return;
	switch (stick_data_types[what].form) {
	case STICK_RATE:
		stick_rate_set(t, e, what, at, (struct stick_rate_state){
			.now = sum(0, blocks_of(value, block_of(t, what))) });
		break;
	case STICK_LONG:
		atomic_store((_Atomic uint64_t *)p, value);
		break;
	default:
		atomic_store((_Atomic uint32_t *)p, (uint32_t)value);
	}
	stick_note(t, e);
}
