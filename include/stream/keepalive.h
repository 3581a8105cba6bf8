/* SPDX-License-Identifier: BSD-2-Clause */
/* HTTP sessions between two requests: a connection, and nothing else. For the files of stream/. */
#ifndef STREAM_KEEPALIVE_H
#define STREAM_KEEPALIVE_H

#include <stdbool.h>

struct buf;
struct conn;
struct proxy;
struct session;

/* The session waits for its next request (the first one, too) on the connection, which it takes
 * over; held: bytes received of it already, or NULL. */
void keepalive_wait(struct session *session, struct conn **conn, struct buf **held);
/* The process stops: closes the sessions that wait, except those that have not asked anything yet,
 * or may ask once more (option idle-close-on-response); hard: all. */
void keepalive_close_all(bool hard);
/* All those of the frontend. */
void keepalive_close_frontend(const struct proxy *frontend);

#endif
