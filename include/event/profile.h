/* SPDX-License-Identifier: BSD-2-Clause */
/* How long each function that the loop calls takes, and how long it has waited for those before it
 * in its turn: "profiling.tasks". While that is off nothing is measured, and nothing asks whether
 * it is on: the loop that measures is another one (event/loop.c). */
#ifndef EVENT_PROFILE_H
#define EVENT_PROFILE_H

#include <stdbool.h>
#include <stdint.h>

enum profile_mode { PROFILE_OFF, PROFILE_ON, PROFILE_AUTO };

enum { PROFILE_TURNS = 1024,  /* auto: looks at the average of so many turns, or more */
       PROFILE_SLOW_US = 1000, /* one of at least so much CPU turns it on */
       PROFILE_FAST_US = 990 }; /* one below turns it off */

/* ON: what was measured is forgotten. */
void profile_set(enum profile_mode mode);
enum profile_mode profile_mode(void);
/* Written by profile.c. */
struct profile_state {
	bool runs;        /* it is measured now */
	uint64_t turn_ns; /* while it is: profile_now_ns when the poller had returned in this turn */
};
extern struct profile_state profile_state;
/* Installed by an upper layer, may be NULL: it has begun or ended. */
extern void (*profile_switched)(bool runs);

/* A name for a function, beside it: struct profile_name x = PROFILE_NAME(conn_event). */
struct profile_name {
	void (*function)(void);
	const char *name;
};
#define PROFILE_NAME(f) { (void (*)(void))(f), #f }

struct profile_row {
	void (*function)(void);
	uint64_t calls, cpu_ns, lat_ns;
};
enum { PROFILE_ROWS = 64 }; /* functions beyond are counted in the last */
/* Those that were called, *count of them, in no order. */
const struct profile_row *profile_rows(unsigned *count);

/* Monotonic. */
uint64_t profile_now_ns(void);

/* ---- for the loop ------------------------------------------------------------------------ */

void profile_turn_begins(void);
/* Behind a call: what has passed since the last call of this function, or the begin, was its. */
void profile_called(void (*function)(void));
/* Now and then, where it costs nothing: auto looks at the turns so far. */
void profile_judge(void);

#endif
