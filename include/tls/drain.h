/* SPDX-License-Identifier: BSD-2-Clause */
/* Records that were made, and that the socket of a connection that closes has not taken yet. */
#ifndef TLS_DRAIN_H
#define TLS_DRAIN_H

struct buf;
struct conn;

/* The connection is about to be closed: its socket stays until these bytes have left, or the peer
 * takes nothing for half a minute. Takes the buffer over; clears the caller's pointer. */
void tls_drain(struct conn *conn, struct buf **out);

#endif
