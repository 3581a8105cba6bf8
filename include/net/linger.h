/* SPDX-License-Identifier: BSD-2-Clause */
/* Closing a connection whose peer may still be sending. */
#ifndef NET_LINGER_H
#define NET_LINGER_H

#include "base/result.h"

#include <stdbool.h>

struct conn;

/* The decision how a connection from a client closes, and the close. Where the client has not sent
 * its FIN and the connection is whole, something may be lost by close() alone: while the client has
 * not taken all that was sent, or where it may be sending (may_send: as far as the caller knows its
 * requests). Such a connection lingers; others are closed at once. Clears the caller's pointer. */
void conn_part(struct conn **conn, unsigned patience_ms, bool may_send);
/* The decision alone. */
MUST_USE bool conn_may_lose(const struct conn *conn, bool may_send);
/* Takes the connection over and clears the caller's pointer. Our sending side ends, and bytes that
 * still come are dropped. The connection is closed when the peer has closed, has taken everything,
 * or takes nothing more. patience_ms: how long the peer may take nothing, at most a minute; 0: a
 * minute. */
void conn_linger(struct conn **conn, unsigned patience_ms);

/* The process is about to end, and waits for those that linger: a client that has taken everything
 * is left sooner. */
void linger_hurry(void);

#endif
