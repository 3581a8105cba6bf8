/* SPDX-License-Identifier: BSD-2-Clause */
/* Another process has called segment_wake for this one: a slot, a place or a queue that somebody
 * here may wait for has changed. What exactly is not said: each that watches looks for itself. */
#ifndef SHARE_WAKE_H
#define SHARE_WAKE_H

#include "base/list.h"

#include <stdbool.h>

/* Lives inside its object; zero-initialized: not watching. */
struct wake {
	struct list node;
	void (*run)(struct wake *wake);
};

/* run(wake) is called each time this process was woken, from the loop. In the process that is to
 * hear it: after segment_own_row is known and the loop was made. True; false: the poller does not
 * take it. Where there is one process there is nothing to hear, and this does nothing. */
bool wake_watch(struct wake *wake, void (*run)(struct wake *wake));
void wake_forget(struct wake *wake);

/* For show profiling. */
extern const struct profile_name wake_profile;

#endif
