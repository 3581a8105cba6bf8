/* SPDX-License-Identifier: BSD-2-Clause */
/* Closing a connection whose peer may still be sending. */
#ifndef NET_LINGER_H
#define NET_LINGER_H

#include <stdbool.h>

struct conn;

/* Takes the connection over: ends our sending side, drops what still comes, and closes when the
 * peer has closed, or has taken everything, or takes nothing more. patience_ms: how long it may take
 * nothing (at most a minute); 0: a minute. The caller's pointer is cleared. */
void conn_linger(struct conn **conn, unsigned patience_ms);

/* Closes the one that has been at it for the longest time, for its descriptor. False: there is none. */
bool linger_cut(void);

#endif
