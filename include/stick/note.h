/* SPDX-License-Identifier: BSD-2-Clause */
/* What every process notes of its changes in stick tables, for the one that tells other machines of
 * them (stick/feed.h). */
#ifndef STICK_NOTE_H
#define STICK_NOTE_H

#include <stdbool.h>
#include <stdint.h>

struct stick_table;

/* What this process changes in the table is noted from now on. Before the first process is forked,
 * so that all do. */
void stick_feed_begin(struct stick_table *t);
/* Something was noted, and the process that tells sleeps: row is its own (0: there is one process).
 * Installed in every process, the parent included, by who tells. Called from the middle of a
 * change: it must only wake. */
extern void (*stick_feed_wakes)(uint32_t row);
/* Around what is done to entries of a table that stick_feed_begin was called for, as a peer has
 * said it: this process's changes are not noted meanwhile. */
void stick_feed_quiet(struct stick_table *t, bool quiet);

#endif
