/* SPDX-License-Identifier: BSD-2-Clause */
/* TLS on a connection: a layer (net/conn.h) below everybody who uses the connection, put there
 * before the first byte. This is what owners of connections need; what TLS tells to others is in
 * tls/link.h. A build without OpenSSL has it, too (tls/absent.c). */
#ifndef TLS_CONN_H
#define TLS_CONN_H

#include "base/io.h"
#include "base/result.h"
#include "base/str.h"

#include <stdbool.h>
#include <stdint.h>

struct conn;
struct tls_bind;   /* of a bind line: tls/bind.h */
struct tls_client; /* of a server line: tls/client.h */

enum { TLS_NAME_MOST = 255 }; /* bytes of a host's name: RFC 1035 2.3.4 */

/* What one connection to a server asks for, besides what its line says. */
struct tls_target {
	struct span sni;  /* server name to ask for; empty: none */
	bool unsaid;      /* it is not asked for (an address is no name), but verified */
	struct span alpn; /* in the form of the wire: lengths and names; empty: as the line says */
	bool fresh;       /* no session is to be resumed */
	struct span early; /* first bytes, which may be said along with the first message if the
			    * line and the session allow it; they stay until the first call of
			    * tls_conn_handshake */
};

/* The connection was accepted, and is about to hear a ClientHello; the layer is the connection's
 * until conn_close. 0, or -1: no memory. */
MUST_USE int tls_conn_accept(struct conn *conn, struct tls_bind *bind);
/* The connection is connected, and is about to say a ClientHello. 0, or -1: no memory, or
 * maxsslconn is reached. */
MUST_USE int tls_conn_connect(struct conn *conn, struct tls_client *client,
			      const struct tls_target *target);
/* While the configuration is read: of the protocols of net/proto.h the usual one alone is to be
 * agreed upon by ALPN, because nobody behind this line speaks another. Returns the name of one that
 * its words offer all the same; empty: none. */
MUST_USE struct span tls_bind_usual_alone(struct tls_bind *bind);
/* When its contexts are there: do some of its certificates allow early data? */
MUST_USE bool tls_bind_takes_early(const struct tls_bind *bind);
/* What ALPN offers where the line says nothing of it; wire: lengths and names, lasts. */
void tls_bind_offer(struct tls_bind *bind, struct span wire);

/* Goes on with the handshake, after an event of the connection. IO_OK: done, bytes may pass.
 * IO_AGAIN: wait for the next event. IO_ERR: it failed, tls_link_fault says why; the alert that
 * OpenSSL made has been sent. IO_EOF: the peer has closed. */
MUST_USE enum io tls_conn_handshake(struct conn *conn);

/* Early data (RFC 8446 2.3). From a client: once some have come, tls_conn_handshake says that it is
 * done, though the client has not shown yet that it is more than a repetition: CONN_UNPROVEN. Bytes
 * pass both ways; with the events of the connection the handshake goes on by itself.
 *
 * Right after tls_conn_handshake: what tls_proved is to be given. */
void tls_conn_belongs(struct conn *conn, void *whose);
/* Installed by the upper layer: the handshake of an unproven connection is done (ok), or has
 * failed; it is broken then. The connection must not be closed from within. */
extern void (*tls_proved)(struct conn *conn, void *whose, bool ok);
extern unsigned tls_early_most; /* bytes of one connection */

/* To a server, once its handshake is done: how many of target->early it has; the rest (all of them,
 * where it was told no) is to be sent as usual. */
size_t tls_conn_early_taken(const struct conn *conn);
/* Have some of them been said, whatever has become of them? Has the server told no? */
MUST_USE bool tls_conn_early_said(const struct conn *conn);
MUST_USE bool tls_conn_early_refused(const struct conn *conn);

/* Totals of the process. */
struct tls_stats {
	uint64_t accepts, connects;     /* handshakes that were begun: front, back */
	uint64_t accepted, connected;   /* that succeeded */
	uint64_t accept_resumed, connect_resumed;
	unsigned current;               /* connections with TLS now, both sides */
	unsigned folded;                /* of these, silent and folded (tls/silence.h) */
	uint64_t reads, writes;         /* system calls for records */
	uint64_t kernel;                /* connections whose records the kernel makes */
	uint64_t early, early_refused;  /* handshakes whose early data were taken; that looked like
					 * repetitions */
	uint64_t said_early, said_early_refused; /* that we have begun: early data sent, told no */
};
extern struct tls_stats tls_stats;

/* Of the cache of sessions. */
struct tls_cache_stats {
	uint64_t lookups, misses, stored;
};
extern struct tls_cache_stats tls_cache_stats;

/* Installed by upper layers, may be NULL. A handshake has ended well, and no session was resumed:
 * keys were made. */
extern void (*tls_keys_made)(bool accepted);
/* May there be one more connection with TLS to a server? */
extern bool (*tls_may_connect)(void);
/* A connection that we began gets TLS (1), or has ended (-1). */
extern void (*tls_connect_counted)(int change);

#endif
