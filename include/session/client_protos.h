/* SPDX-License-Identifier: BSD-2-Clause */
/* How a client's connection goes on in each protocol of messages (net/proto.h). src/protocols.c has
 * the rows. */
#ifndef SESSION_CLIENT_PROTOS_H
#define SESSION_CLIENT_PROTOS_H

#include "net/proto.h"

struct session;

struct client_proto {
	/* The connection in session->conn speaks it: takes over the session. session->held: what
	 * was received on it already; NULL: nothing. NULL where clients do not speak it. */
	void (*begin)(struct session *session);
	/* The process stops: connections are told so in the next spread_ms, and are closed behind
	 * their last stream. What is on its way is served. NULL: its connections are those of
	 * session/keepalive.h, which says what becomes of them. */
	void (*finish)(unsigned spread_ms);
	/* Closes all of them; their streams have ended. NULL: the same. */
	void (*close_all)(void);
};

extern const struct client_proto client_protos[PROTO_COUNT];

#endif
