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
/* Its timer has fired. */
void keepalive_timer(struct session *session);
/* The process stops. Sessions that have asked before and wait are closed: at once, or at some moment
 * of the next keepalive_spread_ms; one that may ask once more (option idle-close-on-response) is
 * not. others_serve: a successor has the sockets, so nothing presses: all may ask once more, which
 * loses no request that is on its way. */
void keepalive_finish(bool others_serve);
/* The process stops: is the connection to be closed behind the response that is to leave now? */
bool keepalive_is_over(void);
/* close-spread-time; 0: not given; UINT_MAX: nothing is closed before its time. */
extern unsigned keepalive_spread_ms;
/* Closes all that wait. */
void keepalive_close_all(void);

#endif
