/* SPDX-License-Identifier: BSD-2-Clause */
/* The third way of a pump: the kernel passes on by itself what comes, while the process sleeps
 * (doc/internals/kernel.md). For whoever starts it, wants it, counts and shows; pumps call it
 * through relay/bypass.h. */
#ifndef KERNEL_KERNEL_H
#define KERNEL_KERNEL_H

#include "base/err.h"
#include "base/result.h"

#include <stdbool.h>
#include <stdint.h>

struct relay;

/* For show info. */
extern struct kernel_stats {
	uint64_t relays;  /* streams that the kernel has taken over */
	uint64_t bytes;   /* passed on by it */
	uint64_t passed;  /* left to this process meanwhile, bytes */
	/* Why it was not, or not always, the kernel: */
	uint64_t unfit;   /* TLS, filters, limits, or not TCP */
	uint64_t no_place; /* all places in the maps are in use */
	uint64_t refused; /* the kernel refused */
	uint64_t behind;  /* times that a receiver was behind, and the sender had to be stopped */
	uint64_t bulk;    /* streams that went back to pipes: much came, and hardly anything back */
	uint64_t unprofitable; /* option kernel-relay auto: nothing was won, or to be expected */
	uint64_t messages; /* exchanges of HTTP: bodies are left to pipes */
	uint64_t faults;  /* streams that were broken off: their bytes were not to be told apart */
} kernel_stats;

/* So many small pieces in a row, in both directions together, and the kernel takes over; 0: at
 * the first rest, whatever they were. tune.kernel-relay.after. */
extern unsigned kernel_after;

/* Brings kernel_stats up to date. */
void kernel_count(void);

/* Asks for rights, so before they are dropped: makes it possible for so many streams at once. 0, or
 * -1 with a sentence: it goes on without. */
MUST_USE int kernel_start(unsigned streams, struct err *err);
void kernel_stop(void);
MUST_USE bool kernel_is_possible(void);

/* The relay may be taken over as soon as both directions forward unseen, to the end. judged:
 * only while that pays, which is learnt. */
void kernel_want(struct relay *relay, bool judged);

#endif
