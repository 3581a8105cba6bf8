/* SPDX-License-Identifier: BSD-2-Clause */
/* Learns under the load of now which way of moving large transfers pays: splicing with or without
 * rests, or copying. No way that costs bytes a second is kept; of the others the fastest is, and
 * of those that are as fast the one that takes the least CPU a byte. Pure: the clock, the meter
 * and the loop are the caller's. */
#ifndef RELAY_TRIAL_H
#define RELAY_TRIAL_H

#include <stdbool.h>
#include <stdint.h>

enum {
	TRIAL_WAYS = 6, /* the first: splices, without a rest */
};

struct trial_way {
	/* What the loop does when nothing is ready, before it waits for events. */
	unsigned us;     /* sleeps that long; 0: it waits at once */
	bool gives_way;  /* offers the processor to others before that */
	/* What pumps do that may choose. */
	bool copies;     /* copy what they would splice */
};

/* A reading of the meters. */
struct trial_mark {
	uint64_t us;     /* of a clock that never goes back */
	uint64_t cpu_ns; /* that the process has taken */
	uint64_t bytes;  /* that it has moved */
};

/* One way beside another, over pairs of windows; moving averages of relative differences. */
struct trial_record {
	unsigned pairs;
	double speed, speed_spread, cpu; /* +0.1: 10 % more than without */
};

struct trial {
	unsigned way;     /* index of trial_ways: to be used now */
	uint64_t due_us;  /* when trial_step has something to do */
	unsigned kept;    /* the way between the windows; 0: none has been found to pay */
	unsigned candidate, base; /* the ways that a pair compares */
	bool with;        /* the window is the candidate's */
	enum { TRIAL_KEEPS, TRIAL_SETTLES, TRIAL_MEASURES } phase;
	bool second;      /* of the two windows of a pair */
	uint64_t pause_us, pause_end_us;
	double allowance_us; /* of time that may still be lost by trying */
	uint64_t earned_us;  /* up to when time has earned allowance */
	struct trial_mark from;
	double speed[2], cost[2]; /* of the windows of the base and of the candidate */
	struct trial_record records[TRIAL_WAYS];
};

extern const struct trial_way trial_ways[TRIAL_WAYS];

/* A load of which nothing is known: no rest, and soon a first try. */
void trial_begin(struct trial *trial, uint64_t now_us);
/* Goes on when now->us has reached due_us; sets `way' and a new due_us. A call that comes much too
 * late (the load paused) voids the window at hand. */
void trial_step(struct trial *trial, const struct trial_mark *now);

#endif
