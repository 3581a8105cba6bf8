/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which entries of stick tables have changed (doc/internals/peers.md). Called by the one
 * process that tells others of it; note.c says what it reads here.
 */
#include "stick/feed.h"

#include "stick/inside.h"

#include <stdlib.h>

enum { LATE_MOST = 1 << 18, SUMS_A_WORD = 64 /* that are looked at for the price of a word */ };

/* ---- numbers ------------------------------------------------------------------------------- */

void stick_feed_own(void)
{
	if (!stick_teller)
		return;
	atomic_store(&stick_teller->row, stick_self.number);
	stick_feed_stay_awake();
}

void stick_feed_stay_awake(void)
{
	if (stick_teller)
		atomic_store(&stick_teller->awake, 1);
}

void stick_feed_sleep(void)
{
	if (stick_teller)
		atomic_store(&stick_teller->awake, 0);
}

uint32_t stick_feed_newest(const struct stick_table *t)
{
	return atomic_load_explicit(&t->head->newest, memory_order_relaxed);
}

static uint32_t after(uint32_t number)
{
	return number == UINT32_MAX ? 1 : number + 1;
}

/* The numbers of late, by place; without memory for it everyone walks through the table. */
static void late_add(struct stick_table *t, uint32_t number, uint32_t place)
{
	uint32_t size = 64;

	if (!t->late) {
		while (size < t->def.size && size < LATE_MOST)
			size *= 2;
		t->late = calloc(size, sizeof(*t->late));
		t->late_mask = size - 1;
		t->late_count = 0;
	}
	if (!t->late)
		return;
	if (number != after(t->late_newest))
		t->late_count = 0; /* another process has told meanwhile */
	t->late_newest = number;
	t->late[number & t->late_mask] = place;
	if (t->late_count <= t->late_mask)
		t->late_count++;
}

static unsigned collect_word(struct stick_table *t, uint32_t word)
{
	uint64_t noted = atomic_load(&t->notes[word]), bits;
	uint32_t number = stick_feed_newest(t), place;
	unsigned found = 0;

	for (bits = noted; bits; bits &= bits - 1) {
		place = word * 64 + (uint32_t)__builtin_ctzll(bits);
		if (place >= t->def.size)
			break;
		number = after(number);
		atomic_store_explicit(&t->numbers[place], number, memory_order_relaxed);
		late_add(t, number, place);
		found++;
	}
	if (found)
		atomic_store(&t->head->newest, number);
	if (noted)
		atomic_fetch_and(&t->notes[word], ~noted);
	return found;
}

/* The words of one sum; false: `most' has come to its end, and the rest is noted again. */
static bool collect_sum(struct stick_table *t, uint32_t at, unsigned *most, unsigned *found)
{
	uint64_t sum = atomic_load(&t->note_sums[at]) ? atomic_exchange(&t->note_sums[at], 0) : 0;
	uint32_t word;

	for (; sum; sum &= sum - 1, --*most) {
		word = at * WORDS_A_SUM + (uint32_t)__builtin_ctzll(sum);
		if (word >= t->words)
			return true;
		if (!*most) {
			atomic_fetch_or(&t->note_sums[at], sum);
			return false;
		}
		*found += collect_word(t, word);
	}
	return true;
}

bool stick_feed_collect(struct stick_table *t, unsigned most, unsigned *found)
{
	uint32_t sums = (t->words + WORDS_A_SUM - 1) / WORDS_A_SUM, noted, looked = 0, i;

	if (!t->collects) {
		noted = atomic_load(&t->head->noted);
		if (noted)
			noted = atomic_exchange(&t->head->noted, NOTED_NOTHING);
		if (!noted)
			return false;
		t->collects = true;
		t->collected = 0;
		for (i = 0; i < sums && noted != NOTED_SUMS; i++)
			atomic_store(&t->note_sums[i], ~UINT64_C(0));
	}
	for (; t->collected < sums; t->collected++)
		if (++looked > (most ? most : 1) * SUMS_A_WORD ||
		    !collect_sum(t, t->collected, &most, found))
			return true;
	t->collects = false;
	return atomic_load(&t->head->noted);
}

/* ---- cursors ------------------------------------------------------------------------------- */

static bool is_late(const struct stick_table *t, uint32_t told)
{
	uint32_t newest = stick_feed_newest(t);

	return newest == told || (told && newest == t->late_newest && newest - told <= t->late_count);
}

static void walk_anew(const struct stick_table *t, struct stick_cursor *c)
{
	c->what = FEED_WALK;
	c->walk = c->last = 0;
	c->until = stick_feed_newest(t);
}

void stick_cursor_begin(const struct stick_table *t, struct stick_cursor *c, uint32_t told, bool all)
{
	uint32_t newest = stick_feed_newest(t);

	if ((int32_t)(newest - told) < 0)
		told = 0; /* numbers have begun anew */
	*c = (struct stick_cursor){ .told = told, .until = newest,
				    .what = all ? FEED_ALL : FEED_CHANGES };
}

/* Is it to be told in this walk? What is newer than its begin comes behind it. */
static bool is_told(const struct stick_table *t, const struct stick_cursor *c, uint32_t place)
{
	uint32_t number = atomic_load_explicit(&t->numbers[place], memory_order_relaxed);

	if (c->what == FEED_ALL || !number || !c->told)
		return c->what == FEED_ALL || number;
	return (int32_t)(number - c->told) > 0 && (int32_t)(number - c->until) <= 0;
}

static struct stick_entry *next_of_walk(struct stick_table *t, struct stick_cursor *c,
					unsigned *most)
{
	struct stick_entry *e = NULL;

	for (; !e && *most && c->walk < stick_places(t); c->walk++, --*most)
		if (is_told(t, c, c->walk))
			e = entry_pin_at(t, c->walk);
	if (e)
		c->last = c->walk;
	if (e || !*most)
		return e;
	if (c->what == FEED_WALK && c->last)
		e = entry_pin_at(t, c->last - 1);
	c->what = FEED_CHANGES;
	c->told = c->until;
	return e;
}

static struct stick_entry *next_of_late(struct stick_table *t, struct stick_cursor *c,
					unsigned *most)
{
	struct stick_entry *e = NULL;
	uint32_t newest = stick_feed_newest(t), place;

	/* Without a ring nothing is late; what the memory says of it may have changed since. */
	for (; t->late && !e && *most && c->told != newest; --*most) {
		c->told = after(c->told);
		place = t->late[c->told & t->late_mask];
		if (atomic_load_explicit(&t->numbers[place], memory_order_relaxed) == c->told)
			e = entry_pin_at(t, place);
	}
	return e;
}

struct stick_entry *stick_feed_next(struct stick_table *t, struct stick_cursor *c, unsigned *most,
				    uint32_t *number)
{
	struct stick_entry *e;

	if (c->what == FEED_CHANGES && !is_late(t, c->told))
		walk_anew(t, c);
	if (c->what != FEED_CHANGES) {
		*number = c->what == FEED_ALL ? c->until : c->told;
		e = next_of_walk(t, c, most);
		if (c->what != FEED_CHANGES)
			return e;
		*number = c->until;
		if (e || !is_late(t, c->told))
			return e;
	}
	e = next_of_late(t, c, most);
	*number = c->told;
	return e;
}

bool stick_cursor_is_done(const struct stick_table *t, const struct stick_cursor *c)
{
	return c->what == FEED_CHANGES && c->told == stick_feed_newest(t);
}

/* ---- what was learned ---------------------------------------------------------------------- */

void stick_feed_learned(struct stick_table *t, struct stick_entry *e)
{
	_Atomic uint32_t *number = &t->numbers[stick_place_of(t, e)];

	if (atomic_load_explicit(number, memory_order_relaxed))
		atomic_store_explicit(number, 0, memory_order_relaxed);
}

void stick_set_left(struct stick_table *t, struct stick_entry *e, uint32_t ms)
{
	uint32_t age = ms < t->def.expire_ms ? t->def.expire_ms - ms : 0;

	atomic_store_explicit(&t->touched[stick_place_of(t, e)], stick_now() - age,
			      memory_order_relaxed);
}

/* ---- what stays ---------------------------------------------------------------------------- */

uint32_t stick_feed_acked(const struct stick_table *t, uint64_t who)
{
	unsigned i;

	for (i = 0; i < STICK_FEED_PEERS; i++)
		if (atomic_load(&t->head->acked[i].who) == who)
			return atomic_load(&t->head->acked[i].number);
	return 0;
}

void stick_feed_ack(struct stick_table *t, uint64_t who, uint32_t number)
{
	unsigned i, free = (unsigned)(who % STICK_FEED_PEERS);

	for (i = STICK_FEED_PEERS; i--; )
		if (atomic_load(&t->head->acked[i].who) == who)
			break;
		else if (!atomic_load(&t->head->acked[i].who))
			free = i;
	if (i >= STICK_FEED_PEERS)
		i = free;
	atomic_store(&t->head->acked[i].who, 0);
	atomic_store(&t->head->acked[i].number, number);
	atomic_store(&t->head->acked[i].who, who);
}

bool stick_feed_is_taught(const struct stick_table *t)
{
	return atomic_load(&t->head->taught);
}

void stick_feed_taught(struct stick_table *t)
{
	atomic_store(&t->head->taught, 1);
}
