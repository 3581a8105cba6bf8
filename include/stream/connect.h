/* SPDX-License-Identifier: BSD-2-Clause */
/* Steps REQ_CONNECT, REQ_CONNECTING and REQ_RETRY. For the files of stream/. */
#ifndef STREAM_CONNECT_H
#define STREAM_CONNECT_H

#include "base/bug.h"
#include "base/result.h"
#include "net/addr.h"
#include "proxy/server.h"
#include "stream/stream.h"

/* Rows of the step table: they return an enum step_result (stream/steps.h). */
MUST_USE int connect_start(struct stream *s);
MUST_USE int connect_wait(struct stream *s);
MUST_USE int connect_retry(struct stream *s);
/* Address ("*"), port, or both are those that the client used: in *to, which is returned. */
APART const struct addr *connect_mapped(struct stream *s, struct addr *to);
/* Is the server's address the one to connect to? */
static inline bool connect_is_plain(const struct server *server)
{
	const struct addr *to = &server->state->addr;

	return likely(!addr_is_any(to) && (!server->state->port_follows || to->family == AF_UNIX));
}
/* Where to connect: the server's address, or what is made of it in own. */
static inline const struct addr *connect_address(struct stream *s, struct addr *own)
{
	return connect_is_plain(s->server) ? &s->server->state->addr : connect_mapped(s, own);
}
/* Is called when no descriptor is left for a new connection. True: one is free now. May be NULL. */
extern bool (*connect_no_descriptor)(void);
/* No connection is made: this gives one to a server inside the program, which is connected
 * (net/conn.h, conn_inside). It returns NULL: this server refuses. NULL: connections are made. */
extern struct conn *(*connect_inside)(struct stream *s);
/* Begins a connection, what connect_start does. What the step returns. */
MUST_USE APART int connect_anew(struct stream *s, const struct addr *to);
/* The connection is there, new or idle before. What the step returns. */
MUST_USE int connect_done(struct stream *s);
/* After another failure, counted already: the step with which the next try begins. */
MUST_USE int connect_again(struct stream *s);

#endif
