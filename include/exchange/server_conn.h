/* SPDX-License-Identifier: BSD-2-Clause */
/* Connections to servers. Each has a carrier, which owns it for life and lends ends of it to
 * streams: HTTP/1 one at a time, a protocol of many streams many at once. Streams ask for an end
 * and give it back, and name no protocol. Which connection may serve whom is exchange/idle.h. For
 * the files of stream/. */
#ifndef EXCHANGE_SERVER_CONN_H
#define EXCHANGE_SERVER_CONN_H

#include "base/kind.h"
#include "base/list.h"
#include "base/result.h"
#include "base/str.h"
#include "net/addr.h"
#include "proxy/server.h"

#include <stdbool.h>
#include <stdint.h>

struct conn;
struct origin;
struct server;
struct stream;

struct server_conn {
	struct list node;        /* among those with room for one more exchange: server->idle, or
				  * origin->idle; else alone */
	struct conn *conn;       /* NULL: it is lent itself */
	struct server *server;
	struct origin *origin;   /* private to; NULL: everybody's */
	struct addr to;          /* where it was connected to */
	uint64_t mark;           /* of what the server was told of the client: proxyheader_mark */
	uint64_t packets;        /* of the mark and the TOS field of its packets: packets_key */
	unsigned uses;           /* exchanges that were lent an end of it */
	unsigned moves;          /* of the server, when it was connected to */
	uint16_t lent;           /* ends, at present */
	uint8_t carrier;         /* in server_carriers: CARRIER_* */
	uint8_t last;            /* the carrier's: of the last response */
	bool slot;               /* "strict-maxconn": nobody uses it, it is out of the list, and it
				  * has a slot until it is closed */
	KIND_MEMBER
};

/* What a protocol does with its connections. That a connection is gone it tells by the readiness of
 * the ends that it has lent; that no more is lent (the server drains it, it is full), by
 * idle_leave. */
struct server_carrier_ops {
	const char *name;
	bool many; /* exchanges at once over one connection */
	/* A connection was made: an object for it, which owns it from now on. Zeroed, but for conn,
	 * carrier and what is the carrier's. NULL: no memory, the connection is the caller's
	 * still. once: for one exchange alone (of a protocol that the others do not speak). */
	struct server_conn *(*open)(struct conn **conn, bool once);
	/* Makes the server's end of the stream. It leaves the list when no room is left behind this.
	 * False: no memory; take_back follows all the same. */
	bool (*lend)(struct server_conn *sc, struct stream *s);
	/* The exchange is over; lent is counted down already. keep: nothing speaks against another
	 * one over the same connection. The end that is still there behind this is closed by the
	 * stream, broken off if the exchange was. May free sc. */
	void (*take_back)(struct server_conn *sc, struct stream *s, bool keep);
	/* It is about to be lent: is it there still, as far as can be known? False: look again, it
	 * may be gone. Acts on no stream. */
	bool (*ready)(struct server_conn *sc);
	/* Nothing more is asked of it: it leaves the list, and goes with the last end that is lent;
	 * where none is, its descriptor is closed behind this. */
	void (*retire)(struct server_conn *sc);
};

/* By CARRIER_* (proxy/server.h): src/protocols.c. */
extern const struct server_carrier_ops single_server_carrier, h2_server_carrier,
	agreed_server_carrier, once_server_carrier;
extern const struct server_carrier_ops *server_carriers[SERVER_CARRIERS];

static inline const struct server_carrier_ops *server_conn_ops(const struct server_conn *sc)
{
	return server_carriers[sc->carrier];
}

/* The server's end is a connection that was made for this exchange: gives it to a carrier, which
 * lends an end of it. to: where it was connected to. False: no memory. */
MUST_USE bool server_conn_made(struct stream *s, const struct addr *to);
/* An end of one that is there already, newest first. name: that it must have asked for in TLS;
 * empty: none. False: there is none. */
MUST_USE bool server_conn_take(struct stream *s, const struct addr *to, struct span name);
/* The exchange is done with its end. keep: the connection may carry others. Does nothing where no
 * end was lent. */
void server_conn_give(struct stream *s, bool keep);
/* What came instead of a response is none: it may be the body that the last one did not have. */
void server_conn_suspect(struct stream *s);

#endif
