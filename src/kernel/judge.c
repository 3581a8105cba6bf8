/* SPDX-License-Identifier: BSD-2-Clause */
/* The decisions of the kernel relay, from numbers alone. Called by grant.c, move.c
 * and take.c. */
#include "kernel/judge.h"

/* What the queue takes at once. An eighth is for what it needs itself. */
static uint64_t queue_room(uint64_t size, uint64_t queued, uint64_t pending)
{
	uint64_t room = size > queued ? (size - queued) / 8 * 7 : 0;

	return room > pending ? room - pending : 0;
}

/* What waits in front of the target's queue would hold up what its socket has received and left to
 * us, for the kernel has one queue for both: so no more than that takes at once. */
uint64_t kernel_credit(uint64_t size, uint64_t queued, uint64_t pending, uint64_t ahead)
{
	uint64_t room = queue_room(size, queued, pending);
	uint64_t credit = ahead < KERNEL_MOST_AHEAD ? KERNEL_MOST_AHEAD - ahead : 0;

	if (credit > room)
		credit = room;
	return credit < KERNEL_LEAST_GRANT ? 0 : credit;
}

uint64_t kernel_ahead(uint64_t given, uint64_t acked)
{
	return given > acked ? given - acked : 0;
}

uint64_t kernel_segments(uint64_t size, uint64_t queued, uint64_t pending)
{
	uint64_t segments = queue_room(size, queued, pending) / KERNEL_SEGMENT_COST;

	return segments < KERNEL_MOST_SEGMENTS ? segments : KERNEL_MOST_SEGMENTS;
}

bool kernel_is_bulk(struct kernel_bulk *bulk, uint64_t bytes, uint64_t answers, uint64_t now_ms)
{
	uint64_t moved = bytes - bulk->bytes;

	if (moved < KERNEL_BULK_BYTES && now_ms - bulk->ms < KERNEL_BULK_MS)
		return bulk->is;
	bulk->is = moved >= KERNEL_BULK_BYTES &&
		   answers - bulk->answers < moved / KERNEL_BULK_PIECE;
	bulk->bytes = bytes;
	bulk->answers = answers;
	bulk->ms = now_ms;
	return bulk->is;
}

unsigned kernel_ripens(unsigned left, unsigned after, uint64_t moved)
{
	if (moved > KERNEL_SMALL_PIECE)
		return left > after + 1 ? left : after + 1;
	return moved && left > 1 ? left - 1 : left;
}

bool kernel_lesson_tries(struct kernel_lesson *lesson)
{
	if (!lesson->skip)
		return true;
	lesson->skip--;
	return false;
}

/* A tenth has to be won: less is within what the same traffic varies by. What does not pay for
 * one stream will hardly pay for the next one: twice as many are skipped each time. */
bool kernel_lesson_pays(struct kernel_lesson *lesson, uint64_t before_ns, uint64_t after_ns)
{
	bool pays = after_ns <= before_ns / 10 * 9;

	lesson->skipped = pays ? 0 : lesson->skipped ? lesson->skipped * 2 : 1;
	if (lesson->skipped > KERNEL_MOST_SKIPPED)
		lesson->skipped = KERNEL_MOST_SKIPPED;
	lesson->skip = lesson->skipped;
	return pays;
}
