/* SPDX-License-Identifier: BSD-2-Clause */
/* What is left when a request has been explained: heads as they left, the servers that there were,
 * and a second process that asks the same once more. For run.c. */
#ifndef EXPLAIN_OUTCOME_H
#define EXPLAIN_OUTCOME_H

#include "base/str.h"

#include <stddef.h>
#include <sys/types.h>

struct arena;
struct bytes;
struct entry;

struct span bytes_span(const struct bytes *b);
/* The lines of a head, each ended by \n, and "(N bytes of a body)". Bytes that are no head: so many
 * of them, as text. */
char *message_head(struct arena *arena, struct span bytes);
/* Where the record tells of servers; NULL: none was chosen. */
struct entry *record_servers(struct entry *root);

/* The second process waits to be told which server is down. */
struct other {
	pid_t pid; /* -1: there is none */
	int in, out;
};
static inline void other_none(struct other *other)
{
	*other = (struct other){ .pid = -1, .in = -1, .out = -1 };
}
/* 0 in the second process, else 1. */
int other_start(struct other *other);
/* In the second process: "backend/server". False: it is not needed. */
bool other_hears(const struct other *other, char *down, size_t size);
/* In the first one: asks, and waits for what it says. False: it could not say. */
bool other_asked(struct other *other, const char *backend, const char *server, char *said,
		 size_t size);
void other_end(struct other *other);

#endif
