/* SPDX-License-Identifier: BSD-2-Clause */
/* Turns what says itself piece by piece into bytes that fill buffers of any size. It never holds
 * more than one piece. */
#ifndef STATS_REPORT_H
#define STATS_REPORT_H

#include "base/str.h"

enum { REPORT_PIECE = 16384, /* the longest piece */
       REPORT_STEPS = 256 /* most pieces in one go */ };

struct report {
	/* Says the next piece, maybe an empty one; false: it was the last. resumed: other things
	 * may have run since the last call. */
	bool (*say)(void *state, struct text *out, bool resumed);
	void *state;
	bool done;          /* all was said; a rest may be held */
	size_t held, given; /* of piece: bytes in it, and how many of them have left */
	char piece[REPORT_PIECE];
};

void report_init(struct report *r, bool (*say)(void *, struct text *, bool), void *state);
/* As many bytes as there is room for and can be made in a fraction of a millisecond; 0: try again
 * when others have had their turn, unless done says that this was all. */
size_t report_fill(struct report *r, char *buf, size_t size);

#endif
