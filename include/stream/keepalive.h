/* SPDX-License-Identifier: BSD-2-Clause */
/* HTTP sessions between two requests: a connection, and nothing else. For the files of stream/. */
#ifndef STREAM_KEEPALIVE_H
#define STREAM_KEEPALIVE_H

#include <stdbool.h>

struct buf;
struct conn;
struct session;

/* The session waits for its next request (the first one, too) on the connection, which it takes
 * over; held: bytes received of it already, or NULL. */
void keepalive_wait(struct session *session, struct conn **conn, struct buf **held);
/* The response was the last one: FIN now, and the connection is closed when the client has closed,
 * or after some seconds. What it sends is thrown away. */
void keepalive_linger(struct session *session, struct conn **conn, struct buf **held);
/* Closes all sessions that wait: the process stops (hard: those before their first request,
 * too). */
void keepalive_close_all(bool hard);

#endif
