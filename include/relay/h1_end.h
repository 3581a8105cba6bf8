/* SPDX-License-Identifier: BSD-2-Clause */
/* An end that speaks HTTP/1 over a connection: heads and bodies in and out, framing checked on
 * the way in and written on the way out. It never gives a byte beyond the message being read:
 * what was received of the next one stays with it. */
#ifndef RELAY_H1_END_H
#define RELAY_H1_END_H

#include "base/buf.h"
#include "http/h1.h"
#include "relay/end.h"

struct arena;
struct buf;

/* Where the body of a request began that may be sent once more. */
struct h1_mark {
	uint32_t head, len, ready;
	uint64_t left;
	struct framing framing;
};

/* Three lines of the cache; small exchanges do not touch the last one. */
struct h1_end {
	struct framing framing;  /* first */
	struct buf *in;          /* received: the head (its spans point here), what follows it */
	struct buf *out;         /* accepted and not sent: head, line of a chunk */
	struct span lent;        /* the same: a head that nobody has changed leaves from where the other
				  * end has received it, which keeps it there till it is unpinned.
				  * Then out is NULL */
	uint8_t body;            /* enum body_framing of what is read */
	uint8_t options;         /* of the codec: H1_ACCEPT_INVALID */
	uint8_t request_method;  /* to the server: of the request that is answered */
	uint8_t peer_minor;      /* of the client: 1.0 does not know chunks */
	bool is_client;          /* the client's end: requests come in */
	bool parsing;            /* a head is under way */
	bool pinned;             /* somebody still needs the head's bytes */
	bool decode;             /* take the chunk coding off while reading */
	bool encode;             /* put it on while sending */
	bool large;              /* the last body that came over the connection was: see h1_large */
	bool whole;              /* the end of the body was seen behind the first bytes of in */
	bool ends : 1;           /* the last chunk follows what out holds */
	bool shut : 1;           /* FIN follows it */
	uint32_t ready;          /* first bytes of in: of the body, without its chunks */

	struct arena *arena;     /* of the exchange: for fields that are added */
	uint64_t left;           /* bytes of a body of known length that were not given yet */
	uint64_t out_left;       /* bytes of the chunk announced that were not sent yet */
	struct h1_mark *mark;    /* in the arena; NULL: none was wanted */
	struct h1_parser parser;

	struct h1_error error;   /* what was wrong with what the peer sent */
	struct h1_chunks chunks; /* BODY_CHUNKED */
};

/* The connection of the end speaks HTTP/1 from now on; *state is zeroed, and lives as long as the end.
 * held: bytes that were received on it before; NULL: none; taken over. */
void h1_end_attach(struct end *end, struct h1_end *state, bool is_client, struct arena *arena,
		   struct buf **held);
/* Takes the connection out of the end between two messages, and what was received of the next
 * one (NULL: nothing). */
struct conn *h1_end_detach(struct end *end, struct buf **held);
/* Nobody needs the bytes of the head any more: its spans are invalid from now on. False: the other end
 * has not sent it yet, and there is no memory to keep it in: all is over. */
bool h1_end_unpin(struct end *end);
/* Bytes that were accepted and not sent. */
static inline size_t h1_end_waiting(const struct h1_end *h1)
{
	return h1->lent.len + (h1->out ? h1->out->len : 0);
}
/* From now on bytes pass as they are, to the close: after CONNECT, or an accepted Upgrade. */
void h1_end_tunnel(struct end *end);
/* The body is wanted without its chunks; before any of it was read. Its trailers are kept, and sent behind
 * it where it leaves in chunks. */
void h1_end_decode(struct end *end);
/* What is there of the body and was not given. *final: all of it, or no more fits. */
struct span h1_end_body(const struct end *end, bool *final);
/* The same with the head in front, as it was received, while that is pinned. body: of h1_end_body. */
struct span h1_end_message(const struct end *end, struct span body);
/* Bytes of the body that were not given; UINT64_MAX: nobody knows. */
uint64_t h1_end_left(const struct end *end);
/* Reads the body away as far as it has come, *most bytes of it at most, which counts down. True: to
 * its end. */
bool h1_end_drain(struct end *end, size_t *most);
/* Is all of a body of known length at hand? */
bool h1_end_whole(const struct end *end);
/* All of the body is at hand: notes where it begins. False: it is not. */
bool h1_end_mark(struct end *end);
/* The body is given once more from there on; the head is pinned still. */
void h1_end_rewind(struct end *end);
/* Is the body that was read last one that would better have been spliced from its beginning? */
static inline bool h1_large(const struct message *msg)
{
	return msg->framing == BODY_LENGTH && msg->length >= 32768;
}
/* Bytes to be sent before everything else. False: no memory. */
bool h1_end_preload(struct end *end, const void *bytes, size_t len);
/* These, where there is no body behind them yet: in one piece. */
struct span h1_end_held(const struct h1_end *h1);
/* The first n bytes of these are at the peer already. */
void h1_end_sent(struct end *end, size_t n);

/* Called when a peer has sent what is wrong, or what only an option let pass (then the error's text
 * is NULL); error->position counts from bytes. NULL: nobody wants to know. */
extern void (*h1_end_wrong)(struct end *end, const struct h1_error *error, const char *bytes,
			    size_t len);

extern const struct end_ops h1_end_ops;

/* Is it such an end? Its state then. NULL: no. */
static inline struct h1_end *h1_end_of(const struct end *end)
{
	return end->ops == &h1_end_ops ? container_of(end->framing, struct h1_end, framing) : NULL;
}

#endif
