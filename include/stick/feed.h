/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which entries of stick tables have changed, for the one process of the service that tells other
 * machines (peers). Any process notes its changes; the one that tells numbers them, and walks
 * through them with a cursor for each who is told. doc/internals/peers.md
 */
#ifndef STICK_FEED_H
#define STICK_FEED_H

#include "stick/note.h"
#include "stick/table.h"

/* ---- in the process that tells ------------------------------------------------------------- */

/* It is this one from now on. */
void stick_feed_own(void);
/* The next note wakes it. What was noted before may have woken nobody: collect behind this. */
void stick_feed_sleep(void);
/* No note wakes it: it collects by itself. */
void stick_feed_stay_awake(void);

/* Numbers what was noted; looks at `most' words of notes at the most. False: that was all of them.
 * *found goes up by how many entries it has numbered. */
bool stick_feed_collect(struct stick_table *t, unsigned most, unsigned *found);
/* The newest number; 0: none yet. Numbers go from 1 on, and begin anew at 1 behind UINT32_MAX. */
uint32_t stick_feed_newest(const struct stick_table *t);

/* How far somebody was told of a table. */
struct stick_cursor {
	uint32_t told;  /* everything up to that number, or is being told by the walk */
	uint32_t walk;  /* the next place of a walk through the table */
	uint32_t last;  /* the place behind that which was told last; 0: none */
	uint32_t until; /* of a walk: the newest number when it began */
	uint8_t what;   /* FEED_* */
};
enum { FEED_CHANGES, /* behind `told', in the order of the numbers */
       FEED_WALK,    /* the same, in the order of the places; FEED_CHANGES comes behind it */
       FEED_ALL };   /* all entries, then FEED_CHANGES behind `until' */

/* told: what somebody has (0: nothing); all: all entries are to be told, whatever they have. */
void stick_cursor_begin(const struct stick_table *t, struct stick_cursor *c, uint32_t told, bool all);
/* The next entry to be told, pinned, and its number. All entries of a walk have one number, as an
 * acknowledgement in the middle of it says nothing: of FEED_ALL `until', of FEED_WALK what was told
 * before. FEED_WALK ends with its last entry once more, whose number is `until'.
 * Looks at *most places at the most, which goes down by what it has looked at. NULL: *most is 0, or
 * there is nothing more for now. The cursor is behind the entry then. */
struct stick_entry *stick_feed_next(struct stick_table *t, struct stick_cursor *c, unsigned *most,
				    uint32_t *number);
/* Nothing is left to be told, as far as was collected. */
bool stick_cursor_is_done(const struct stick_table *t, const struct stick_cursor *c);

/* The entry is what a peer has said: it is not told on. */
void stick_feed_learned(struct stick_table *t, struct stick_entry *e);
/* It is to live so long from now on, ms; more than the table's own is cut. */
void stick_set_left(struct stick_table *t, struct stick_entry *e, uint32_t ms);

/* ---- what outlives the process that tells --------------------------------------------------- */

/* The number that somebody has acknowledged; who: a hash of the name, not 0. 0: none, or it has
 * been forgotten. */
uint32_t stick_feed_acked(const struct stick_table *t, uint64_t who);
void stick_feed_ack(struct stick_table *t, uint64_t who, uint32_t number);
/* The table was up to date with the others; it is a mark of the user's. */
bool stick_feed_is_taught(const struct stick_table *t);
void stick_feed_taught(struct stick_table *t);

#endif
