/* SPDX-License-Identifier: BSD-2-Clause */
/* An end that speaks HTTP/1 over a connection (h1_speak): heads and bodies in and out, framing
 * checked on the way in and written on the way out. It never gives a byte beyond the message
 * being read: what was received of the next one stays with it. For the files of h1/, and
 * for src/modules.c; nobody else above includes this. */
#ifndef H1_END_H
#define H1_END_H

#include "base/buf.h"
#include "base/result.h"
#include "http/h1.h"
#include "relay/message_end.h"

struct arena;
struct buf;

/* Where the body of a request began that may be sent once more. */
struct h1_mark {
	uint32_t head, len, ready;
	uint64_t left;
	struct framing framing;
};

/* Three lines of the cache; small exchanges do not touch the last. It is zeroed up to chunks. */
struct h1_end {
	struct framing framing;  /* first */
	struct buf *in;          /* received: the head (its spans point here), what follows it */
	struct buf *out;         /* accepted and not sent: head, line of a chunk */
	struct span lent;        /* the same: a head that nobody has changed leaves from where the
				  * other end has received it, which keeps it there till it is
				  * unpinned. Then out is NULL */
	uint8_t body;            /* enum body_framing of what is read */
	uint8_t options;         /* of the codec: H1_* */
	uint8_t request_method;  /* to the server: of the request that is answered */
	uint8_t peer_minor;      /* of the client: 1.0 does not know chunks */
	bool is_client;          /* the client's end: requests come in */
	bool parsing;            /* a head is under way */
	bool pinned;             /* somebody still needs the head's bytes */
	bool decode;             /* take the chunk coding off while reading */
	bool encode;             /* put it on while sending */
	bool large;              /* the last body that came was: message_is_large */
	bool whole;              /* the end of the body was seen behind the first bytes of in */
	bool ends : 1;           /* the last chunk follows what out holds */
	bool shut : 1;           /* FIN follows it */
	bool holds : 1;          /* trailers of a body in chunks that passes as it is: what is kept
				  * of them is given behind it */
	uint32_t ready;          /* first bytes of in: of the body, without its chunks */

	struct arena *arena;     /* of the exchange: for fields that are added; its `failed` also
				  * tells that there was no buffer */
	uint64_t left;           /* bytes of a body of known length that were not given yet */
	uint64_t out_left;       /* bytes of the chunk announced that were not sent yet */
	struct h1_mark *mark;    /* in the arena; NULL: none was wanted */
	struct h1_parser parser;

	struct message_error error;   /* what was wrong with what the peer sent */
	struct h1_chunks chunks; /* BODY_CHUNKED */
	uint16_t trailers_left;  /* of chunks.kept, to be given: holds, and all of them are here */
};

extern const struct message_ops h1_end_ops;

/* end_speak (relay/message_end.h), for plain connections: src/modules.c. */
MUST_USE bool h1_speak(struct end *end, unsigned how, struct arena *arena, struct buf **held);

/* Is it such an end? Its state then. NULL: no. */
static inline struct h1_end *h1_end_of(const struct end *end)
{
	if (end->ops != &h1_end_ops.end)
		return NULL;
	return container_of(end->framing, struct h1_end, framing);
}

#endif
