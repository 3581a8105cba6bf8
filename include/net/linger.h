/* SPDX-License-Identifier: BSD-2-Clause */
/* Closing a connection whose peer may still be sending. */
#ifndef NET_LINGER_H
#define NET_LINGER_H

struct conn;

/* Takes the connection over: ends our sending side, drops what still comes, and closes when the
 * peer has closed, or after a while. The caller's pointer is cleared. */
void conn_linger(struct conn **conn);

#endif
