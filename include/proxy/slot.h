/* SPDX-License-Identifier: BSD-2-Clause */
/* Slots of servers: how many sessions one may have, all processes together (maxconn, minconn).
 * Implemented in src/proxy/slot.c; the order in which they are given: proxy/queue.h. */
#ifndef PROXY_SLOT_H
#define PROXY_SLOT_H

#include <stdbool.h>

struct server;

/* Is there a slot now: below the server's dynamic maxconn (none: always)? */
bool server_has_slot(const struct server *server);
/* Takes one if there is one: raises s->tally->current and its maximum. */
bool slot_take(struct server *server);
/* Gives one back. queue_serve is to be called then. */
void slot_give(struct server *server);

enum claim { CLAIM_TAKEN, CLAIM_FULL, /* it is, or others wait for this very server */
	     CLAIM_CONTENDED /* there was room, but somebody else comes first */ };
/* For a session that has just come: takes a slot unless others wait for it. */
enum claim slot_claim(struct server *server);

#endif
