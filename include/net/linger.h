/* SPDX-License-Identifier: BSD-2-Clause */
/* Closing a connection whose peer may still be sending. */
#ifndef NET_LINGER_H
#define NET_LINGER_H

#include <stdbool.h>

struct conn;

/* Takes the connection over and clears the caller's pointer. Our sending side ends, and bytes that
 * still come are dropped. The connection is closed when the peer has closed, has taken everything,
 * or takes nothing more. patience_ms: how long the peer may take nothing, at most a minute; 0: a
 * minute. */
void conn_linger(struct conn **conn, unsigned patience_ms);

/* Closes the one that has been at it for the longest time, for its descriptor. False: there is
 * none. */
bool linger_cut(void);

#endif
