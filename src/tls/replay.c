/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which ClientHellos have brought early data within the last seconds (tls/replay.h; RFC 8446 8.2):
 * one memory of all workers. Called by early.c for each handshake with early data, by sessions.c
 * at start.
 *
 * A place is a word: 48 bits of the hash, 16 of the second in which it was taken. A set of eight is
 * chosen by the rest of the hash. Who takes a place looks at the whole set once more: of two that
 * come at the same moment in two workers at least one sees the other. Nothing is ever locked, and a
 * process that is killed leaves no more than a place that is free again after the window.
 *
 * Invariant: whatever is not certain is "seen before": it costs an honest client a round trip.
 */
#include "tls/replay.h"

#include "base/bug.h"
#include "base/err.h"
#include "share/region.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#define TAG_MASK (~UINT64_C(0) << 16)
enum { VERSION = 2, PAGE = REGION_PAGE, WAYS = 8, SETS = 1 << 16 };

struct head {
	int64_t since;            /* older sessions may have been used before it was made; 0:
				   * none */
	_Atomic int64_t latest;   /* second of the wall clock that anybody has seen */
};

struct replay {
	struct region region;
	struct head *head;
	_Atomic uint64_t *places;
};

static size_t replay_size(void)
{
	return PAGE + (size_t)SETS * WAYS * sizeof(uint64_t);
}

static const struct region_spec *spec(void)
{
	static const struct region_member members[] = {
		REGION_SIZE(struct head), REGION_MEMBER(struct head, since),
		REGION_MEMBER(struct head, latest), { "ways, sets", WAYS, SETS },
		{ "window", REPLAY_WINDOW, 0 },
	};
	static struct region_spec spec = { .name = "early", .what = "early data" };

	if (!spec.layout)
		spec.layout = region_layout(VERSION, members, ARRAY_LEN(members));
	return &spec;
}

static bool replay_map(struct replay *r)
{
	char *base = region_window(&r->region, 0, replay_size());

	r->head = (struct head *)(void *)base;
	r->places = base ? (_Atomic uint64_t *)(void *)(base + PAGE) : NULL;
	return base;
}

struct replay *replay_new(bool shared, bool outlived, int64_t now, struct err *err)
{
	struct replay *r = calloc(1, sizeof(*r));

	if (r && region_new(&r->region, spec(), replay_size(), shared, err) < 0) {
		free(r);
		return NULL;
	}
	if (!r || !replay_map(r)) {
		err_set(err, "no memory for early data: %s", strerror(errno));
		replay_free(&r);
		return NULL;
	}
	*r->head = (struct head){ .since = outlived ? now : 0 };
	if (shared)
		region_keep(&r->region);
	return r;
}

struct replay *replay_attach(void)
{
	struct replay *r = calloc(1, sizeof(*r));

	if (!r || !region_attach_kept(&r->region, spec())) {
		free(r);
		return NULL;
	}
	if (r->region.size != replay_size() || !replay_map(r))
		replay_free(&r);
	return r;
}

void replay_free(struct replay **replay)
{
	struct replay *r = *replay;

	*replay = NULL;
	if (!r)
		return;
	region_free(&r->region);
	free(r);
}

/* Where the clock was set back, hellos that were too old look fresh again. */
static bool clock_is_sound(struct replay *r, int64_t now)
{
	int64_t latest = atomic_load(&r->head->latest);

	while (now > latest)
		if (atomic_compare_exchange_weak(&r->head->latest, &latest, now))
			return true;
	return now + 1 >= latest; /* of two workers one may have looked a moment earlier */
}

static bool is_fresh(uint64_t place, int64_t now)
{
	uint16_t age = (uint16_t)((uint16_t)now - (uint16_t)place);

	/* A neighbour may have looked at the clock later: we may have been stopped since we did. */
	return place && (age <= REPLAY_WINDOW || age >= UINT16_MAX - REPLAY_WINDOW);
}

/* How often the tag is there; *room: the first place that nobody needs any more, and what it
 * held. */
static unsigned look(_Atomic uint64_t *set, uint64_t tag, int64_t now, _Atomic uint64_t **room,
		     uint64_t *held)
{
	unsigned i, found = 0;
	uint64_t place;

	*room = NULL;
	for (i = 0; i < WAYS; i++) {
		place = atomic_load(&set[i]);
		if (!is_fresh(place, now)) {
			if (!*room) {
				*room = &set[i];
				*held = place;
			}
			continue;
		}
		found += (place & TAG_MASK) == tag;
	}
	return found;
}

bool replay_first(struct replay *r, const unsigned char hash[REPLAY_HASH], int64_t session,
		  int64_t now)
{
	_Atomic uint64_t *set, *room;
	uint64_t tag, place;
	uint32_t at;

	memcpy(&tag, hash, sizeof(tag));
	memcpy(&at, hash + sizeof(tag), sizeof(at));
	tag &= TAG_MASK;
	if (!tag)
		tag = UINT64_C(1) << 16;
	set = r->places + (size_t)(at % SETS) * WAYS;
	if (!clock_is_sound(r, now) ||
	    (session <= r->head->since && now <= r->head->since + REPLAY_WINDOW))
		return false;
	do {
		if (look(set, tag, now, &room, &place) || !room)
			return false;
	} while (!atomic_compare_exchange_strong(room, &place, tag | (uint16_t)now));
	return look(set, tag, now, &room, &place) == 1;
}
