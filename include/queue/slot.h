/* SPDX-License-Identifier: BSD-2-Clause */
/* Slots of servers: how many sessions one may have, all processes together (maxconn, minconn).
 * Implemented in src/queue/slot.c; the order in which they are given: queue/queue.h. */
#ifndef QUEUE_SLOT_H
#define QUEUE_SLOT_H

#include "proxy/server.h"

#include <stdbool.h>

unsigned server_limited(const struct server *s); /* maxconn is given */
/* Sessions that it may have now: maxconn, minconn and fullconn (manual 4.2). 0: no limit */
static inline unsigned server_dynamic_maxconn(const struct server *s)
{
	return s->state->maxconn ? server_limited(s) : 0;
}
/* Is there a slot now: below the server's dynamic maxconn (none: always)? */
bool server_has_slot(const struct server *server);
/* Takes one if there is one: raises s->tally->current and its maximum. */
bool slot_take(struct server *server);
/* Gives one back. queue_serve is to be called then. */
void slot_give(struct server *server);

/* "strict-maxconn": a connection that waits for its next exchange keeps a slot. Where all are
 * taken, a stream of this process has that of a waiting connection, and uses the connection, or
 * closes one. */
static inline bool slot_is_strict(const struct server *server)
{
	return server->set.options.on & SRV_STRICT;
}
/* As slot_give, of a stream that was not to be connected yet. */
void slot_give_unused(struct server *server);
/* One more connection waits: idle_count is raised. has: it has a slot already. */
void slot_keep(struct server *server, bool has);
/* One less, which is not closed yet: idle_count is lowered. False: a stream has its slot. */
bool slot_hold(struct server *server);
/* Its slot is free from now on. */
void slot_free(struct server *server);
/* Has a stream the slot of a connection that waits still? */
static inline bool slot_is_borrowed(const struct server *server)
{
	return slot_is_strict(server) && server->idle_count > server->idle_slots;
}
/* Are more taken than there are? maxconn was lowered. */
bool slots_exceed(const struct server *server);

enum claim { CLAIM_TAKEN, CLAIM_FULL, /* it is, or others wait for this very server */
	     CLAIM_CONTENDED /* there was room, but somebody else comes first */ };
/* For a session that has just come: takes a slot unless others wait for it. */
enum claim slot_claim(struct server *server);

#endif
