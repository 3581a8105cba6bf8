/* SPDX-License-Identifier: BSD-2-Clause */
/* While large transfers make up the work: lets the loop rest between its polls, or pumps copy. */
#ifndef RELAY_REST_H
#define RELAY_REST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct trial_mark;

/* How often a way of resting was found to pay, and how often it no longer did or the load was
 * another. */
extern struct rest_stats {
	uint64_t taken, dropped;
} rest_stats;

/* Copying pays: who may choose copies what it would splice. */
extern bool rest_copies;

/* A pump (who: it is not looked into) has pulled so many bytes into a pipe, or would have. */
void rest_moved(const void *who, size_t bytes);
/* So many bytes of DATA have come at once on a connection of HTTP/2. */
void rest_framed(const void *who, size_t bytes);
/* Tests: what is read instead of clock and CPU time (us and cpu_ns of the mark). NULL: those. */
void rest_set_meter(void (*meter)(struct trial_mark *mark));

#endif
