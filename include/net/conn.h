/* SPDX-License-Identifier: BSD-2-Clause */
/* A connection: a non-blocking socket in the loop, registered once, edge-triggered, for both
 * directions. Its readiness is cached: readable is cleared only by what proves that nothing
 * is left (see doc/internals/datapath.md). It knows no stream and no protocol above TCP. */
#ifndef NET_CONN_H
#define NET_CONN_H

#include "base/io.h"
#include "base/kind.h"
#include "base/result.h"
#include "event/loop.h"
#include "net/addr.h"

enum {
	CONN_READABLE = 1 << 0,   /* recv may find something */
	CONN_WRITABLE = 1 << 1,   /* send may take something */
	CONN_RDHUP = 1 << 2,      /* the peer has sent its FIN: it is behind the data */
	CONN_HUP = 1 << 3,
	CONN_ERROR = 1 << 4,      /* ERR was seen: read first, the call tells errno */
	CONN_URGENT = 1 << 5,     /* PRI was seen: splice is not to be believed */
	CONN_CONNECTING = 1 << 6, /* connect has not finished */
	CONN_SHUT_WR = 1 << 7,    /* our FIN was sent */
	CONN_EOF = 1 << 8,        /* recv returned 0 */
	CONN_BROKEN = 1 << 9,     /* conn->error is set; nothing can be sent any more */
	CONN_TCP = 1 << 10,       /* an internet socket: it knows RST and urgent data */
	CONN_HELD = 1 << 11,      /* bytes were received that the end above has not given yet */
	CONN_CORKED = 1 << 12,    /* what was sent last may wait in the kernel for what follows */
	CONN_BOUNDED = 1 << 13,  /* its receive buffer was looked at (net/window.h) */
	CONN_VANISHES = 1 << 14, /* it is closed without a word (silent-drop) */
	CONN_UNPROVEN = 1 << 15, /* what came may be a repetition of what somebody else has recorded:
				  * early data, and the handshake is not done yet */
};

struct conn;
struct iovec;
struct tls_link_ops;

/* What stands between the socket and those who use the connection (tls/layer_ops.c): conn_recv and
 * the rest call it in the place of the system calls. Results and flags are theirs. */
struct conn_layer_ops {
	enum io (*recv)(struct conn *conn, void *buf, size_t size, size_t *got);
	/* What it has taken it will send, as the kernel does with what lies in the socket's buffer:
	 * behind a close, too. It takes nothing while some of it is left. */
	enum io (*send)(struct conn *conn, const struct iovec *pieces, unsigned count, bool more,
			size_t *sent);
	/* The socket is ready; flags of the kernel's events were added already. */
	void (*event)(struct conn *conn);
	bool (*at_end)(const struct conn *conn);
	bool (*is_quiet)(struct conn *conn); /* takes in what is not for users: tickets */
	/* Closing it leaves the connection to the layer, which has something to finish first. */
	bool (*outlives)(const struct conn *conn);
	void (*shut)(struct conn *conn);     /* says that no more comes; then FIN */
	void (*close)(struct conn *conn, bool reset); /* last words, and its memory */
	const struct tls_link_ops *tls; /* what it tells of TLS: tls/link.h */
};
enum { LAYER_SPLICES_IN = 1 << 0, LAYER_SPLICES_OUT = 1 << 1 };
struct conn_layer {
	const struct conn_layer_ops *ops;
	uint8_t splices; /* LAYER_*: the kernel does that direction, plain bytes may pass by a
			  * pipe */
};

struct conn {
	struct source src;   /* src.fd: the socket */
	struct conn_layer *layer; /* NULL: plain */
	uint16_t flags;      /* CONN_* */
	uint16_t error;      /* errno of the failure; 0: none */
	void *owner;         /* who is told: relay/ puts its end here */
	/* Readiness changed; called by the loop after the flags were updated. */
	void (*ready)(struct conn *conn);
	struct reap reap;
	KIND_MEMBER
};

/* Written by stream/tune.c, before the first connection. */
struct conn_tune {
	unsigned recv_enough; /* tune.recv_enough, bytes: short reads below it prove nothing */
	/* tune.colocated: tells so by EPOLLMSG, which epoll ignores (doc/internals/colocate.md).
	 * Whoever sets it sees to it that no short read is believed, and that nobody splices. */
	bool reads_to_end;
};
extern struct conn_tune conn_tune;

/* A zeroed connection without descriptor, or NULL. It is given back by conn_close. */
struct conn *conn_new(void);

/* Connections without a descriptor: their bytes are inside the program (src/explain/). The loop
 * knows nothing of them: whoever owns the other side sets their flags and calls ready. What is sent
 * is taken whole. */
struct conn_inside {
	/* As conn_raw_recv; peek: the bytes stay. */
	enum io (*recv)(struct conn *conn, void *buf, size_t size, bool peek, size_t *got);
	void (*send)(struct conn *conn, const void *buf, size_t len);
	void (*closed)(struct conn *conn, bool reset);
};
extern const struct conn_inside *conn_inside; /* NULL: there are none */
/* Such a connection has something to read: what an event of the loop does. */
void conn_inside_ready(struct conn *conn);

/* Takes over *fd (set to -1) and enters the loop. flags: CONN_READABLE|CONN_WRITABLE for a
 * socket just accepted. 0, or -1 with errno (fd closed then). */
MUST_USE int conn_attach(struct conn *conn, int *fd, unsigned flags, void (*ready)(struct conn *));
/* From now on somebody else says when there is something to read, and the end is still told; or the
 * connection's own events do again. epoll_ctl needs no memory to modify, so it does not fail;
 * should it, nobody would hear of the connection any more, so that counts as broken. */
void conn_told_elsewhere(struct conn *conn, bool elsewhere);
/* Reads at most size bytes. IO_OK: *got of them. These and what follows go through the layer, if
 * there is one; conn_raw_* never do: for the layer itself. */
MUST_USE enum io conn_recv(struct conn *conn, void *buf, size_t size, size_t *got);
MUST_USE enum io conn_raw_recv(struct conn *conn, void *buf, size_t size, size_t *got);
/* The same, but the bytes stay there, and further ones give a further event. Never a layer's. */
MUST_USE enum io conn_peek(struct conn *conn, void *buf, size_t size, size_t *got);
/* Sends at most len bytes. more: others, or our FIN, are known to follow at once. IO_OK: *sent
 * may be less than len, the socket is full then. */
MUST_USE enum io conn_send(struct conn *conn, const void *buf, size_t len, bool more, size_t *sent);
MUST_USE enum io conn_raw_send(struct conn *conn, const void *buf, size_t len, bool more,
			       size_t *sent);
/* The same from two to four pieces of memory, gathered. */
MUST_USE enum io conn_send_pieces(struct conn *conn, const struct iovec *pieces, unsigned count,
				  bool more, size_t *sent);
MUST_USE enum io conn_raw_send_pieces(struct conn *conn, const struct iovec *pieces, unsigned count,
				      bool more, size_t *sent);
/* May bytes that come from it, or go to it, pass through a pipe? */
static inline bool conn_can_splice(const struct conn *conn, unsigned direction)
{
	return !conn->layer || conn->layer->splices & direction;
}
/* What a call made on the descriptor elsewhere (splice) has shown: nothing left to read; a
 * side (CONN_READABLE, CONN_WRITABLE) broken with errno: what came before a failed write can still
 * be read. */
void conn_drained(struct conn *conn);
void conn_fail(struct conn *conn, unsigned side, int error);
/* Notes what an event that was not delivered yet would say of writing and errors. */
void conn_look(struct conn *conn);
/* Has the peer closed, with nothing left to read before? Asks the kernel, changes nothing. */
MUST_USE bool conn_at_end(const struct conn *conn);
/* Is there nothing to read, neither bytes nor an end? Asks the kernel, and notes it. */
MUST_USE bool conn_is_quiet(struct conn *conn);
/* Throws away what has been received and not read, within reason: closing would answer such
 * bytes with RST. */
void conn_discard(struct conn *conn);
/* Acknowledges what was received now rather than along with our next bytes: the peer has more to
 * send, and may wait for that. */
void conn_ack_now(const struct conn *conn);
/* Ends our sending side (FIN) once; errors do not matter. */
void conn_shut(struct conn *conn);
void conn_raw_shut(struct conn *conn);
/* Closes with FIN, or with RST when reset (behind what was sent), calls nobody any more and clears
 * the caller's pointer. The memory stays until the end of the turn. NULL is allowed. */
void conn_close(struct conn **conn, bool reset);
/* Bytes that the kernel of the peer has not acknowledged; of what is not TCP, close() takes nothing
 * away: 0. */
unsigned conn_unacknowledged(const struct conn *conn);
/* Pending error of the socket (SO_ERROR) into conn->error; returns it. */
MUST_USE int conn_check_error(struct conn *conn);
/* Local address of the socket; false when it cannot be told. */
MUST_USE bool conn_local_addr(const struct conn *conn, struct addr *addr);
/* Destination before any redirection by the firewall, else the local address. */
MUST_USE bool conn_original_dst(const struct conn *conn, struct addr *addr);

/* For show profiling. */
extern const struct profile_name conn_profile;

#endif
