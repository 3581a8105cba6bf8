/* SPDX-License-Identifier: BSD-2-Clause */
/* When to let the loop rest, or to copy. A process that splices is done with a piece long before
 * the next one comes, and would be woken for each; what gathers during a rest is taken in fewer,
 * larger pieces (doc/internals/datapath.md, "Resting"). Called by the pump for each piece that it
 * pulled, and by connections of HTTP/2 for the DATA that came at once.
 *
 * Two questions. Do large transfers make up the work? Many bytes an event: else there are
 * others, who exchange small messages and would wait for us; and enough for the time. Does a rest
 * pay, or a copy, here and now? trial.c learns that. The loop does not rest longer than some
 * milliseconds after the last piece. */
#include "relay/rest.h"

#include "base/clock.h"
#include "event/loop.h"
#include "event/poller.h"
#include "relay/trial.h"

#include <time.h>

enum {
	REST_MS = 10,                /* after the last piece it is over; others may have the
				      * processor for so long that none comes in between */
	REST_EVENTS = 64,            /* from one judgement to the next */
	REST_BYTES_AN_EVENT = 64 << 10,
	REST_FRAMED = 4,             /* so much less of frames, which hold 16 kB as a rule */
	REST_BYTES_A_MS = 256 << 10, /* 2 Gbit/s */
	REST_LASTS = 2,              /* half of either keeps a load a large one: copies are
				      * smaller */
	REST_FORGET_MS = 1000,       /* a load that comes back so late is another one */
};

/* Since the last judgement; events as the loop counts them. */
static struct {
	uint64_t bytes, events, ms;
	uint64_t weight;          /* of the bytes, where they are compared with events */
	unsigned pieces, changes; /* of these, of another than the piece before */
	const void *last;         /* only compared */
	bool large;               /* transfers make up the work */
	bool many;                /* streams move the pieces, not one alone */
	uint64_t large_ms;        /* when they last did */
	uint64_t piece_ms;        /* of the last one */
	uint64_t moved;           /* bytes, in all */
	struct trial trial;
} rest;

struct rest_stats rest_stats;
bool rest_copies;

static void rest_read_meter(struct trial_mark *mark)
{
	struct timespec cpu;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &cpu);
	mark->us = clock_read_us();
	mark->cpu_ns = (uint64_t)cpu.tv_sec * 1000000000 + (uint64_t)cpu.tv_nsec;
}

static void (*rest_meter)(struct trial_mark *mark) = rest_read_meter;

void rest_set_meter(void (*meter)(struct trial_mark *mark))
{
	rest_meter = meter ? meter : rest_read_meter;
}

static void rest_step(void)
{
	unsigned kept = rest.trial.kept;
	struct trial_mark now;

	rest_meter(&now);
	now.bytes = rest.moved;
	trial_step(&rest.trial, &now);
	if (rest.trial.kept == kept)
		return;
	if (rest.trial.kept)
		rest_stats.taken++;
	else
		rest_stats.dropped++;
}

/* What was learnt under another load holds no more. */
static void rest_begin(void)
{
	struct trial_mark now;

	rest_meter(&now);
	rest_stats.dropped += rest.trial.kept != 0;
	trial_begin(&rest.trial, now.us);
}

static inline void rest_use(const struct trial_way *way)
{
	rest_copies = way->copies;
	poller_rest(way->us, way->gives_way, clock_now_ms + REST_MS);
}

static void rest_judge(uint64_t events)
{
	uint64_t ms = clock_now_ms - rest.ms;
	bool many = rest.many ? rest.changes > rest.pieces / 8 : rest.changes > rest.pieces / 2;
	bool other = many != rest.many || clock_now_ms - rest.large_ms > REST_FORGET_MS;
	unsigned lasts = rest.large ? REST_LASTS : 1;

	rest.large = lasts * rest.weight >= REST_BYTES_AN_EVENT * events &&
		     lasts * rest.bytes >= REST_BYTES_A_MS * ms;
	if (rest.large) {
		if (other)
			rest_begin();
		rest.many = many;
		rest.large_ms = clock_now_ms;
	} else {
		rest_copies = false;
		poller_rest(0, false, 0);
	}
	rest.bytes = rest.weight = 0;
	rest.pieces = rest.changes = 0;
	rest.events = loop_stats.events;
	rest.ms = clock_now_ms;
}

/* The loop's clock rounds up: this is late by a millisecond at most, and never early. */
static inline bool rest_is_due(void)
{
	return (clock_now_ms - 1) * 1000 >= rest.trial.due_us;
}

static void rest_count(const void *who, size_t bytes, size_t weight)
{
	uint64_t events = loop_stats.events - rest.events;

	if (unlikely(clock_now_ms - rest.piece_ms > REST_FORGET_MS))
		rest.large = false;
	rest.piece_ms = clock_now_ms;
	rest.bytes += bytes;
	rest.weight += weight;
	rest.moved += bytes;
	rest.pieces++;
	rest.changes += who != rest.last;
	rest.last = who;
	if (unlikely(events >= REST_EVENTS))
		rest_judge(events);
	if (!rest.large)
		return;
	if (unlikely(rest_is_due()))
		rest_step();
	rest_use(&trial_ways[rest.trial.way]);
}

void rest_moved(const void *who, size_t bytes)
{
	rest_count(who, bytes, bytes);
}

void rest_framed(const void *who, size_t bytes)
{
	rest_count(who, bytes, REST_FRAMED * bytes);
}
