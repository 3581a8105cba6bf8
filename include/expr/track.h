/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sticky counters (manual chapter 4.2, track-sc): entries of stick tables that a session or a
 * stream follows, each under a number. They hang beside the variables of their owner, who gives
 * them back with these. What a stream follows stands in front of what its session follows.
 */
#ifndef EXPR_TRACK_H
#define EXPR_TRACK_H

#include "expr/vars.h"
#include "stick/table.h"

struct stick_line;
struct view;

enum { TRACKS_MOST = 12, TRACKS_USUAL = 3 };

/* Written by stream/track.c while the configuration is read. */
struct tracks_conf {
	unsigned count; /* how many numbers there are: tune.stick-counters */
	bool used;      /* the configuration follows something */
};
extern struct tracks_conf tracks_conf;

struct tracked {
	struct stick_line *line;   /* NULL: nothing */
	struct stick_entry *entry; /* pinned */
	uint32_t hold;             /* stick_hold */
};

struct tracks {
	struct tracked at[TRACKS_MOST]; /* tracks_conf.count of them: there is no memory for more */
};

/* When the configuration is complete. */
void tracks_prepare(void);

/* What the stream of the view follows under that number, or its session; NULL: nothing. */
struct tracked *track_find(const struct view *view, unsigned number);
/* From now on it is followed: counted as a connection, and touched. owner: vars of the session or
 * the stream. False: no memory, or no room in the table. */
bool track_begin(struct vars *owner, unsigned number, struct stick_line *line, struct span key);
/* Adds to a data type of what is followed, and to the rate that goes with it. Where one of them is
 * stored, the life of the entry is renewed. */
void track_count(struct tracked *t, enum stick_data what, enum stick_data rate, uint64_t by);
/* The same of all that the stream follows, and its session (each may be NULL). */
void track_add(const struct vars *session, const struct vars *stream, enum stick_data what,
	       enum stick_data rate, uint64_t by);
/* The rate that goes with a counter that rules count up; STICK_DATA: none. */
enum stick_data stick_rate_of(enum stick_data what);
/* A counter of an entry that is pinned, and the rate that goes with it; gpc0 and gpc1 stand for
 * elements of an array where that is stored. value: the counter's new one, or the rate's. The life of
 * the entry is renewed. False: nothing of that kind is stored. */
bool stick_count_up(struct stick_table *table, struct stick_entry *e, enum stick_data what,
		    unsigned element, uint64_t by, uint64_t *value);
/* The same of tags, and of counters that are set. */
bool stick_tag(struct stick_table *table, struct stick_entry *e, enum stick_data what,
	       unsigned element, uint64_t value);
/* Follows nothing any more. owner->tracks is there. */
void tracks_free(struct vars *owner);

#endif
