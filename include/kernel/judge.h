/* SPDX-License-Identifier: BSD-2-Clause */
/* What the kernel relay decides, from numbers alone: how much the program may pass on, what is
 * bulk, what pays. No sockets, no clock: judge_test.c asks the same. */
#ifndef KERNEL_JUDGE_H
#define KERNEL_JUDGE_H

#include "base/result.h"

#include <stdbool.h>
#include <stdint.h>

enum {
	KERNEL_MOST_AHEAD = 1 << 19,  /* bytes that the target has not acknowledged */
	KERNEL_MOST_UNSENT = 3 << 18, /* in the target's queue; more, so that these never wait */
	KERNEL_MOST_SEGMENTS = 1024,  /* that were not seen in the target's queue yet */
	KERNEL_SEGMENT_COST = 256,    /* of a small one in the target's queue, bytes at most */
	KERNEL_LEAST_GRANT = 8192,    /* smaller ones would be a change of ways for each */
	KERNEL_SMALL_PIECE = 16384,   /* who moves more at a time is better off with pipes */
	KERNEL_BULK_BYTES = 1 << 20,
	KERNEL_BULK_WEIGHT = 4,      /* of a byte that the process has to pass on all the same */
	KERNEL_BULK_PIECE = 1 << 18, /* with an answer to each it is no bulk */
	KERNEL_BULK_MS = 100,
	KERNEL_RECEIVE = 1 << 20,      /* of a source's receive buffer, as the kernel counts it */
	KERNEL_BRAKED_MOST = 3 << 19,  /* bytes left to us that wait; more stop the sender */
	KERNEL_BRAKED_LEAST = 1 << 18, /* then it goes on */
	KERNEL_RECEIVE_MOST = 3 << 20, /* with a larger one the bound would not hold */
	KERNEL_AGAIN_AFTER = 64,       /* small pieces, for who has left */
	KERNEL_JUDGED_PIECES = 256,    /* so many are timed before the takeover, and behind it */
	KERNEL_JUDGED_MS = 4,          /* less time says nothing */
	KERNEL_MOST_SKIPPED = 256,     /* streams that are not tried, while it does not pay */
};

/* Bytes that may be passed on: room in the target's queue (size and what is in it), less what comes
 * there next (pending) and what was not acknowledged (ahead). 0: the receiver is behind. */
uint64_t kernel_credit(uint64_t size, uint64_t queued, uint64_t pending, uint64_t ahead);
/* Of the bytes that a target was given, those that it has not acknowledged. What is being sent
 * right now may be acknowledged before it is counted as given: none, then. */
uint64_t kernel_ahead(uint64_t given, uint64_t acked);
/* Segments for so much room. */
uint64_t kernel_segments(uint64_t size, uint64_t queued, uint64_t pending);

/* One direction, from time to time: bytes so far as kernel_weight counts them, segments of the
 * other direction so far. */
struct kernel_bulk {
	uint64_t bytes, answers, ms;
	bool is; /* much comes, and hardly anything goes the other way meanwhile */
};
static inline uint64_t kernel_weight(uint64_t relayed, uint64_t forwarded)
{
	return relayed + KERNEL_BULK_WEIGHT * forwarded;
}
MUST_USE bool kernel_is_bulk(struct kernel_bulk *bulk, uint64_t bytes, uint64_t answers,
			     uint64_t now_ms);

/* Small pieces in a row: how many are still to come, which is 1 when it is time. left: until now;
 * moved: bytes since the last look. */
unsigned kernel_ripens(unsigned left, unsigned after, uint64_t moved);

/* What this process has learnt of option kernel-relay auto. */
struct kernel_lesson {
	unsigned skip;    /* so many streams are left alone */
	unsigned skipped; /* last time; 0: it has paid */
};
/* Is this stream to be tried? */
MUST_USE bool kernel_lesson_tries(struct kernel_lesson *lesson);
/* A piece took so long, in a row of them, by the process and by the kernel. Does it pay? */
MUST_USE bool kernel_lesson_pays(struct kernel_lesson *lesson, uint64_t before_ns,
				 uint64_t after_ns);

#endif
