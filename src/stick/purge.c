/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Room in a full table: the entries that were not touched for the longest time go, one of 256 at a
 * time and one at least. Called by entries.c when there is no place left.
 *
 * Of tables with `nopurge' only what has expired goes.
 *
 * Where nothing can go, all around the table or (nopurge) in a part of it, a process does not look
 * again for some milliseconds: a key that is refused costs about as much as one that is there.
 *
 * Up to 65,536 places are looked at: all of a small table, so that the oldest go; of a larger one
 * the next so many each time, so that the oldest of those go. That takes some 30 us, and makes room
 * for 256 keys.
 */
#include "stick/inside.h"

enum { LOOK = 1 << 16, SHARE = 256, MOST = LOOK / SHARE + 1,
       REST_LEAST = 5, REST_MOST = 20 /* ms, for each look that it takes to come round */ };

struct candidate {
	uint32_t age, place;
};

/* The youngest of them on top. */
static struct candidate oldest[MOST];
static unsigned count, wanted;

static void swap(unsigned a, unsigned b)
{
	struct candidate c = oldest[a];

	oldest[a] = oldest[b];
	oldest[b] = c;
}

static void rise(unsigned at)
{
	for (; at && oldest[at].age < oldest[(at - 1) / 2].age; at = (at - 1) / 2)
		swap(at, (at - 1) / 2);
}

static void sink(void)
{
	unsigned at = 0, child;

	while ((child = 2 * at + 1) < count) {
		if (child + 1 < count && oldest[child + 1].age < oldest[child].age)
			child++;
		if (oldest[at].age <= oldest[child].age)
			return;
		swap(at, child);
		at = child;
	}
}

static void note_left(struct stick_table *t, uint32_t left)
{
	if (left < t->full_left)
		t->full_left = left;
}

static void consider(struct stick_table *t, uint32_t place)
{
	uint32_t age = entry_age(t, place);

	if (count == wanted && age <= oldest[0].age)
		return;
	if (t->def.nopurge && !entry_has_expired(t, place)) {
		note_left(t, t->def.expire_ms ? t->def.expire_ms - age : UINT32_MAX);
		return;
	}
	if (entry_state(stick_place(t, place)) != ENTRY_LIVE) {
		note_left(t, 0); /* it may be given back at any moment */
		return;
	}
	if (count < wanted) {
		oldest[count] = (struct candidate){ age, place };
		rise(count++);
		return;
	}
	oldest[0] = (struct candidate){ age, place };
	sink();
}

static void begin_round(struct stick_table *t)
{
	t->full_looked = 0;
	t->full_left = UINT32_MAX;
}

/* Nothing could go there. All around: not before the first one has expired. A peer may have it
 * expire earlier, so the rest has an end. */
static void found_nothing(struct stick_table *t, uint32_t looked, uint32_t places)
{
	uint32_t looks = places / LOOK + 1, left = t->full_left;
	uint32_t least = t->def.nopurge ? REST_LEAST : REST_LEAST * looks;

	t->full_looked += looked;
	if (t->full_looked >= places) {
		left = left < least ? least : left;
		t->full_until = clock_now_ms + (left < REST_MOST * looks ? left : REST_MOST * looks);
		begin_round(t);
	} else if (t->def.nopurge) {
		t->full_until = clock_now_ms + REST_LEAST;
	}
}

unsigned purge_oldest(struct stick_table *t)
{
	uint32_t places = stick_places(t), look = places < LOOK ? places : LOOK, i;
	uint32_t start = t->purged < places ? t->purged : 0, far = 0, distance;
	unsigned gone = 0;

	if (!places || clock_now_ms < t->full_until)
		return 0;
	if (!t->full_looked)
		begin_round(t);
	count = 0;
	wanted = look / SHARE + 1;
	for (i = 0; i < look; i++)
		consider(t, (start + i) % places);
	for (i = 0; i < count; i++) {
		gone += entry_remove(t, oldest[i].place);
		distance = (oldest[i].place + places - start) % places;
		if (distance > far)
			far = distance;
	}
	/* Of entries of one millisecond those behind go next. */
	t->purged = (start + (look < places ? look : far + 1)) % places;
	if (gone)
		begin_round(t);
	else
		found_nothing(t, look, places);
	return gone;
}
