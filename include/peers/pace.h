/* SPDX-License-Identifier: BSD-2-Clause */
/* When changes of tables are looked for: doc/internals/peers.md, "What has changed". */
#ifndef PEERS_PACE_H
#define PEERS_PACE_H

#include "base/result.h"

struct err;

/* Once, before the first process is forked: who changes an entry wakes the one that speaks. */
void pace_prepare(void);
/* In each process that serves: it hears that. 0, or -1 and err. */
MUST_USE int pace_start(struct err *err);
/* This process speaks from now on, and not any more. */
void pace_begin(void);
void pace_end(void);
/* There is one more, or one less, who wants to be told. */
void pace_listeners(int more);

#endif
