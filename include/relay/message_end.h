/* SPDX-License-Identifier: BSD-2-Clause */
/* An end that speaks messages: heads and bodies, instead of a stream of bytes. What a protocol
 * brings is one table, a struct message_ops; whoever carries an exchange calls the functions below
 * and names no protocol. The state of the end belongs to whoever lends it (end_speak, an applet).
 *
 * All of them may be called for ends that speak bytes, too: nothing is there then, and nothing is
 * done. The exceptions are end_head_in, end_head_out, end_rewind, end_sent and end_detach. */
#ifndef RELAY_MESSAGE_END_H
#define RELAY_MESSAGE_END_H

#include "base/bug.h"
#include "base/result.h"
#include "relay/end.h"
#include "tls/link.h"

struct arena;
struct buf;
struct message_error;

/* What is shown of an end that has its connection in common with others. Windows: bytes that may
 * still be sent to the peer, and be received from it. */
struct end_share {
	uint64_t id; /* of the end, on the connection; 0: none yet */
	int64_t send, recv, conn_send, conn_recv;
	/* Of the connection: ends now, and ever; those that were refused, were reset; things that no
	 * sensible peer does often. */
	unsigned now;
	uint64_t opened, refused, reset, glitches;
};

struct message_ops {
	struct end_ops end; /* first: end->ops points to it */
	/* Heads. head_in: IO_OK when the message is complete up to its body; IO_EOF: the peer has
	 * closed; IO_ERR: it broke off, or what it says is no message. msg->fields have room for
	 * msg->max of msg->most fields, which may be none: message_more_fields gives the rest.
	 * msg->framing says how the peer tells the end of the body; a length that nobody has said and
	 * an end that the protocol tells are BODY_CHUNKED. framing->ended and passable are set with
	 * it: no body comes; so many of its bytes may pass unseen.
	 * head_out: the head is held back until body bytes are sent, or flush; framing and fields of
	 * the connection are put right in msg. An interim response that the peer would not
	 * understand is left out. IO_ERR: the head is too large. */
	enum io (*head_in)(struct end *end, struct message *msg);
	enum io (*head_out)(struct end *end, struct message *msg);
	/* The rest may be NULL: what it would do is never wanted, or nothing is there. */
	enum io (*body_in)(struct end *end);
	struct span (*body)(const struct end *end, bool *final);
	struct span (*message)(const struct end *end, struct span body);
	size_t (*received)(const struct end *end);
	unsigned (*wrong)(const struct end *end);
	void (*refuse)(struct end *end, const struct message_error *error);
	bool (*unprocessed)(const struct end *end);
	bool (*ended_alone)(const struct end *end);
	bool (*whole)(const struct end *end);
	uint64_t (*left)(const struct end *end);
	bool (*drain)(struct end *end, size_t *most);
	bool (*mark)(struct end *end);
	void (*rewind)(struct end *end);
	bool (*unpin)(struct end *end);
	void (*decode)(struct end *end);
	void (*drop_trailers)(struct end *end);
	struct span (*trailers)(const struct end *end);
	void (*tunnel)(struct end *end);
	struct span (*waiting)(const struct end *end);
	void (*sent)(struct end *end, size_t n);
	struct conn *(*detach)(struct end *end, struct buf **held);
	struct link (*link)(const struct end *end);
	bool (*accepts)(const struct end *end, const struct message *res);
	bool (*room)(struct end *end);
	void (*share)(const struct end *end, struct end_share *share);
};

/* How an end is to speak: end_speak. */
enum {
	SPEAK_LENIENT = 1 << 0,     /* options accept-invalid-http-request, -response */
	SPEAK_ANY_PAYLOAD = 1 << 1, /* h1-accept-payload-with-any-method */
	SPEAK_MAYBE_HOST = 1 << 2,  /* the caller judges whether Host may be missing: MSG_HOSTLESS */
	SPEAK_TO_CLIENT = 1 << 3,   /* requests come in */
	SPEAK_LARGE = 1 << 4,       /* the last body that came over it was: message_is_large */
};

/* The end, which is a plain connection, speaks messages from now on, in the protocol that plain
 * connections have: src/protocols.c says which. how: SPEAK_*. held: bytes that were received on it
 * before; NULL: none; taken over. arena: of the exchange, for what heads need; its `failed` also
 * tells that there was no buffer. False: no memory; the end is as it was. */
extern bool (*const end_speak)(struct end *end, unsigned how, struct arena *arena,
			       struct buf **held);

static inline bool end_speaks(const struct end *end)
{
	return end->framing != NULL;
}

static inline const struct message_ops *end_message_ops(const struct end *end)
{
	return container_of(end->ops, const struct message_ops, end);
}

/* The operation, where the end speaks messages and has it; else NULL. */
#define END_OP(end, op) (likely(end_speaks(end)) ? end_message_ops(end)->op : NULL)

static inline enum io end_head_in(struct end *end, struct message *msg)
{
	return end_message_ops(end)->head_in(end, msg);
}

static inline enum io end_head_out(struct end *end, struct message *msg)
{
	return end_message_ops(end)->head_out(end, msg);
}

/* Sends what was held back; IO_OK where nothing ever is. */
static inline enum io end_flush(struct end *end)
{
	return end->ops->flush ? end->ops->flush(end) : IO_OK;
}

/* Takes the connection out of the end between two messages, and what was received of the next one
 * (NULL: nothing). */
static inline struct conn *end_detach(struct end *end, struct buf **held)
{
	return end_message_ops(end)->detach(end, held);
}

/* Receives the body into the end's own memory, for somebody who wants to see it: IO_OK when it is
 * complete, or no more fits. recv gives it later. */
static inline enum io end_body_in(struct end *end)
{
	enum io (*body_in)(struct end *) = END_OP(end, body_in);

	return body_in ? body_in(end) : IO_OK;
}

/* What is there of the body and was not given. *final: all of it, or no more fits. */
static inline struct span end_body(const struct end *end, bool *final)
{
	struct span (*body)(const struct end *, bool *) = END_OP(end, body);

	*final = true;
	return body ? body(end, final) : (struct span){ NULL, 0 };
}

/* The same with the head in front, as it was received, while that is pinned. body: of end_body. */
static inline struct span end_message(const struct end *end, struct span body)
{
	struct span (*message)(const struct end *, struct span) = END_OP(end, message);

	return message ? message(end, body) : (struct span){ NULL, 0 };
}

/* Bytes that were received and not given: of a head that is not complete, of what follows it. */
static inline size_t end_received(const struct end *end)
{
	size_t (*received)(const struct end *) = END_OP(end, received);

	return received ? received(end) : 0;
}

/* What the peer sent is no message: the status to answer with. 0: it is, so far. */
static inline unsigned end_wrong(const struct end *end)
{
	unsigned (*wrong)(const struct end *) = END_OP(end, wrong);

	return wrong ? wrong(end) : 0;
}

/* The head that was read is refused after all: message_wrong is told, end_wrong says so. */
static inline void end_refuse(struct end *end, const struct message_error *error)
{
	void (*refuse)(struct end *, const struct message_error *) = END_OP(end, refuse);

	if (refuse)
		refuse(end, error);
}

/* The request was not read by its recipient, which has said so: it may be sent once more, whatever
 * it asks for. */
static inline bool end_unprocessed(const struct end *end)
{
	bool (*unprocessed)(const struct end *) = END_OP(end, unprocessed);

	return unprocessed && unprocessed(end);
}

/* The peer has ended this exchange, and not the connection: it has heard of it. */
static inline bool end_ended_alone(const struct end *end)
{
	bool (*ended_alone)(const struct end *) = END_OP(end, ended_alone);

	return ended_alone && ended_alone(end);
}

/* Is all of the body at hand, as far as that can be known without reading it? */
static inline bool end_whole(const struct end *end)
{
	bool (*whole)(const struct end *) = END_OP(end, whole);

	return whole && whole(end);
}

/* Bytes of the body that were not given; UINT64_MAX: nobody knows. */
static inline uint64_t end_left(const struct end *end)
{
	uint64_t (*left)(const struct end *) = END_OP(end, left);

	return left ? left(end) : 0;
}

/* Reads the body away as far as it has come, *most bytes of it at most, which counts down. True:
 * to its end. */
static inline bool end_drain(struct end *end, size_t *most)
{
	bool (*drain)(struct end *, size_t *) = END_OP(end, drain);

	return drain && drain(end, most);
}

/* All of the body is at hand: notes where it begins. False: it is not. */
static inline bool end_mark(struct end *end)
{
	bool (*mark)(struct end *) = END_OP(end, mark);

	return mark && mark(end);
}

/* The body is given once more from there on; the head is pinned still. */
static inline void end_rewind(struct end *end)
{
	end_message_ops(end)->rewind(end);
}

/* Nobody needs the bytes of the head any more: its spans are invalid from now on. False: the
 * other end has not sent it yet, and there is no memory to keep it in: all is over. */
static inline bool end_unpin(struct end *end)
{
	bool (*unpin)(struct end *) = END_OP(end, unpin);

	return !unpin || unpin(end);
}

/* The body is wanted without the coding of the wire; before any of it was read. Its trailers are
 * kept, and sent behind it where it leaves in such a coding. */
static inline void end_decode(struct end *end)
{
	void (*decode)(struct end *) = END_OP(end, decode);

	if (decode)
		decode(end);
}

/* The same for who passes a body on without its trailers; also when it was decoded before. */
static inline void end_drop_trailers(struct end *end)
{
	void (*drop)(struct end *) = END_OP(end, drop_trailers);

	if (drop)
		drop(end);
}

/* What came behind the body, which was given without its coding: lines, and the empty one. */
static inline struct span end_trailers(const struct end *end)
{
	struct span (*trailers)(const struct end *) = END_OP(end, trailers);

	return trailers ? trailers(end) : (struct span){ NULL, 0 };
}

/* From now on bytes pass as they are, to the close: after CONNECT, or an accepted Upgrade. */
static inline void end_tunnel(struct end *end)
{
	void (*tunnel)(struct end *) = END_OP(end, tunnel);

	if (tunnel)
		tunnel(end);
}

/* Is this 101 an answer to what came from the end? False: its peer has not asked for that. */
static inline bool end_accepts(const struct end *end, const struct message *res)
{
	bool (*accepts)(const struct end *, const struct message *) = END_OP(end, accepts);

	return !accepts || accepts(end, res);
}

/* May another head be said now? False: too much of what was said before waits for the peer; ready
 * is called when it may. Nothing that can be repeated without end is said without asking. */
static inline bool end_room(struct end *end)
{
	bool (*room)(struct end *) = END_OP(end, room);

	return !room || room(end);
}

/* Bytes that were accepted and not sent; where there is no body behind them yet, in one piece. */
static inline struct span end_waiting(const struct end *end)
{
	struct span (*waiting)(const struct end *) = END_OP(end, waiting);

	return waiting ? waiting(end) : (struct span){ NULL, 0 };
}

/* The first n bytes of these are at the peer already. */
static inline void end_sent(struct end *end, size_t n)
{
	end_message_ops(end)->sent(end, n);
}

/* What is asked of the connection that carries the end's bytes (net/link.h), be it its own or one
 * that it shares with others. */
static inline struct link end_link(const struct end *end)
{
	struct link (*link)(const struct end *);

	if (likely(end->ops && end->ops->socket))
		return conn_link(end->below);
	link = end->ops ? END_OP(end, link) : NULL;
	return link ? link(end) : (struct link){ NULL, NULL };
}

/* Its message has ended with the connection, and with nothing else: could it have been cut without
 * anybody knowing? With TLS the peer has to say that it ends (RFC 9112 9.8). */
static inline bool end_maybe_cut(const struct end *end)
{
	return end->ops && end->framing && end->framing->endless &&
	       tls_link_has(end_own_link(end), TLS_NUMBER_UNSAID);
}

/* False: the end has its connection for itself, or none. */
static inline bool end_shares(const struct end *end, struct end_share *share)
{
	void (*op)(const struct end *, struct end_share *) = END_OP(end, share);

	if (op)
		op(end, share);
	return op;
}

/* Called when the peer of an end has sent what is wrong, or what only an option let pass (then
 * the error's text is NULL); error->position counts from bytes. NULL: nobody wants to know. */
extern void (*message_wrong)(struct end *end, const struct message_error *error, const char *bytes,
			     size_t len);
/* Called when a head has more fields than msg has room for, which are fewer than msg->most: gives
 * room for all of these, with what was found already. False: no memory, the arena has `failed`. */
extern bool (*message_more_fields)(struct message *msg);

#endif
