/* SPDX-License-Identifier: BSD-2-Clause */
/* How a stream is treated: what rules set for it alone. For record.c. */
#ifndef EXPLAIN_TREATED_H
#define EXPLAIN_TREATED_H

#include "proxy/timeouts.h"

#include <stdint.h>

struct arena;
struct stream;

/* As it is in force. */
struct treated {
	unsigned timeout_ms[TIMEOUTS];
	unsigned retries;
	int tos;       /* of packets to the server; -1: not set */
	int64_t mark;
	int priority_class, priority_offset;
};

void treated_look(const struct stream *s, struct treated *t);
/* Calls tell for what differs: its name, and what it is now and was before. */
void treated_compare(const struct treated *before, const struct treated *now, struct arena *arena,
		     void (*tell)(void *of, const char *name, const char *text), void *of);

#endif
