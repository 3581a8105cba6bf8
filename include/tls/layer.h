/* SPDX-License-Identifier: BSD-2-Clause */
/* A connection's state of TLS: for the files of tls/. */
#ifndef TLS_LAYER_H
#define TLS_LAYER_H

#include "base/buf.h"
#include "base/kind.h"
#include "base/list.h"
#include "base/result.h"
#include "net/conn.h"
#include "tls/conn.h"
#include "tls/link.h"

struct text;

struct tls_conn {
	struct conn_layer layer;
	struct conn *conn;
	struct ssl_st *ssl;    /* layer_ops.c: to be had from tls_of(conn) alone */
	struct list by_use;    /* of silence.c */
	void *folded;          /* ssl is; NULL: it is not (tls/fold.h) */
	struct buf *in;        /* records received that the library has not asked for yet */
	struct buf *out;       /* records that the socket has not taken yet */
	struct tls_bind *bind; /* that it was accepted by */
	struct tls_early *early; /* came before the handshake was done, to be received; NULL */
	void *whose;           /* while it is unproven: for tls_proved */
	struct span words;     /* to be said along with the first message; len: of what was */
	unsigned long error;   /* of OpenSSL, the first one */
	size_t want;           /* how much is to be received at most */
	uint32_t used_ms;      /* low bits of the clock: OpenSSL was called, to the second */
	uint32_t sent_ms;      /* low bits of the clock: of the last bytes sent */
	uint32_t streamed;     /* bytes sent since the last pause; not beyond TLS_STREAMING */
	uint32_t dataless;     /* bytes received since the last ones that held data; bounded */
	uint8_t fault;         /* enum tls_fault */
	bool by_socket;        /* in the handshake: the library has the socket itself (kernel.c) */
	bool hears_early;      /* the handshake begins with early data, perhaps */
	bool said_early;       /* words have left */
	bool accepts;          /* the other side has begun */
	bool readable;         /* the socket may have something */
	bool heard;            /* something has come in the handshake */
	bool eof;              /* the socket has ended */
	bool ended;            /* the peer has said that it ends, or its socket has */
	bool said;             /* the peer has said it: close_notify */
	bool late;             /* sent last when the socket had ended: the peer hears still */
	bool broken;           /* the socket broke */
	bool dead;             /* no call of the library makes sense any more */
	bool spoke;            /* something was sent behind the handshake */
	bool said_end;         /* close_notify was made */
	bool shut;             /* FIN is to follow out */
	KIND_MEMBER
};

/* Bytes of plaintext in one record; 0: as many as fit (16384). `first' holds for the first
 * TLS_STREAMING bytes of a connection, and for as many behind each pause of more than `idle_ms'
 * (0: no pause counts). Short records let the peer decipher bytes as they come. */
struct tls_records {
	unsigned most;    /* tune.ssl.hard-maxrecord */
	unsigned first;   /* tune.ssl.maxrecord */
	unsigned idle_ms; /* tune.idletimer */
};
extern struct tls_records tls_records;
enum { TLS_STREAMING = 65536 };

/* Puts the layer on the connection, with a fresh SSL that it owns from now on (NULL: fails). 0, or
 * -1: no memory, or one connection too many (tls_may_connect); the SSL is gone. */
MUST_USE int tls_layer_start(struct conn *conn, struct ssl_st *ssl, bool accepts);
/* What the connection tells: facts.c. */
extern const struct tls_link_ops tls_conn_facts;
/* OpenSSL's object, unfolded; NULL: the connection has no TLS. */
struct ssl_st *tls_conn_ssl(const struct conn *conn);
/* Adds the reason of a failure (tls_link_explain). */
void tls_explain(unsigned long error, const struct ssl_st *ssl, struct text *t);
/* For callbacks: why the handshake is refused that they fail. */
void tls_conn_blame(struct ssl_st *ssl, enum tls_fault fault);
/* The user closes a connection whose handshake is not done: it goes on here (outlive.c), and gets
 * the layer. False: it does not, for want of memory. */
MUST_USE bool tls_outlive(struct conn *conn, struct tls_conn *t);
/* Sends what has been made. False: some of it is left. */
MUST_USE bool tls_flush(struct tls_conn *t, bool more);

#endif
