/* SPDX-License-Identifier: BSD-2-Clause */
/* Connections to servers that may carry one exchange after the other (manual 4.2 "http-reuse"; 5.2
 * "pool-max-conn", "pool-purge-delay", "max-reuse"). Idle ones are the server's, for everybody,
 * or private to the session that made them. */
#ifndef EXCHANGE_IDLE_H
#define EXCHANGE_IDLE_H

#include "base/list.h"
#include "base/str.h"
#include "net/addr.h"

#include <stdbool.h>
#include <stdint.h>

struct conn;
struct server;
struct origin;
struct stream;

/* A connection that may be kept; it lives as long as the connection does. */
struct idle {
	struct list node;        /* in server->idle, or in origin->idle: while it is idle */
	struct conn *conn;       /* NULL: an exchange uses it */
	struct server *server;
	struct origin *origin;   /* private to; NULL: everybody's */
	struct addr to;          /* where it was connected to */
	uint64_t mark;           /* of what the server was told of the client: proxyheader_mark */
	unsigned uses;           /* requests that it has carried */
	bool large;              /* the last answer was: message_is_large */
	bool bodiless;           /* to HEAD, or 204 or 304: a body behind it would be nobody's */
};

/* A connection was made for the exchange: may it be kept later? */
void idle_begin(struct stream *s, const struct addr *to);
/* Takes one that may carry the exchange, newest first, and makes it the server's end. name: that it
 * must have asked for in TLS; empty: none. False: there is none. */
bool idle_take(struct stream *s, const struct addr *to, struct span name);
/* What came instead of a response is none: it may be the body that the last one did not have. */
void idle_suspect(struct stream *s);
/* The exchange is done with it: files it when keep, or forgets it; the connection is then the
 * caller's to close with the end. */
void idle_give(struct stream *s, bool keep);
/* A connection is about to be made: closes an idle one if descriptors are scarce. */
void idle_spare(const struct stream *s);
/* Counts of descriptors: above low none is kept, from high on idle_spare acts; 0: never. */
void idle_limit(unsigned low, unsigned high);
/* The session ends: its private connections, too. */
void idle_close_origin(struct origin *origin);
/* All idle ones of the server. */
void idle_close_server(struct server *server);
/* Of all servers, those made with certificates or authorities that have been replaced. Ones private
 * to a session stay with it and are not used again. */
void idle_close_outdated(void);
/* Of all servers: the process ends. */
void idle_close_all(void);

#endif
