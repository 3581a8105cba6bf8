/* SPDX-License-Identifier: BSD-2-Clause */
/* The client's end of an exchange of the program's own (client/own_stream.h), and its carrier,
 * which has no connection: each lane (session/lane.h) carries one request. Called by streams, as
 * their end and carrier, and by own_request.c. Whoever asks is woken from here and acts later:
 * nothing of a request goes on within a step or a pump of its stream.
 *
 * What the stream needs of the request lies here: it may live on for a moment when the request
 * is over. Its body is the request's, and is not read any more then. */
#include "client/own_stream.h"

#include "base/pool.h"
#include "client/own_host.h"
#include "client/own_request.h"
#include "event/loop.h"
#include "exchange/exchange.h"
#include "exchange/reply.h"
#include "http/h1.h"
#include "relay/buffer.h"
#include "relay/message_end.h"
#include "session/lane.h"
#include "stream/extra.h"
#include "stream/stream.h"

#include <stdlib.h>
#include <string.h>

enum { SPOKEN = H1_ACCEPT_INVALID | H1_ANY_PAYLOAD | H1_MAYBE_HOST };

struct own_stream {
	uint16_t flags;          /* CONN_*: readiness of the end */
	struct framing framing;
	struct end *end;         /* NULL: the stream has let go of it */
	struct stream *stream;   /* while end is there */
	struct own_request *r;   /* NULL: nobody wants the answer */
	struct own_host *host;
	char *head;              /* of the request */
	size_t head_len;
	struct span body;        /* of the request: the owner's bytes */
	size_t given;            /* of it */
	struct message msg;      /* of the answer; its strings lie in memory */
	void *memory;            /* NULL: no head has come */
	struct buf *in;          /* of the answer's body, as it came; NULL: nothing */
	size_t taken;            /* of it, by the piece at hand */
	bool finished;           /* all of the answer has come */
	bool cut;                /* or perhaps not all: nobody has said so */
	uint8_t reason;          /* enum reason: why the stream has ended, or answers itself */
	uint16_t status;         /* with which it answers itself; 0: it does not */
	bool no_memory;          /* the stream could not be given what it needs: it asks nobody */
	const char *wrong;       /* the request is none: a sentence; NULL: it is one */
	char *why;               /* TLS with the server has failed: a sentence; NULL: it has not */
	struct reap reap;
	KIND_MEMBER
};

static struct pool stream_pool_own = POOL_INIT("own request", sizeof(struct own_stream));

static struct own_stream *own_of(const struct end *end)
{
	return KIND_OF(struct own_stream, end_applet(end));
}

static void wake(const struct own_stream *os)
{
	if (os->r)
		os->r->ready(os->r);
}

/* ---- its end ------------------------------------------------------------------------------ */

static void own_stream_free(struct own_stream **os)
{
	free((*os)->head);
	free((*os)->memory);
	free((*os)->why);
	buffer_give(&(*os)->in);
	if ((*os)->host)
		own_host_give(&(*os)->host);
	pool_give(&stream_pool_own, os);
}

static void reaped(struct reap *reap)
{
	struct own_stream *os = container_of(reap, struct own_stream, reap);

	own_stream_free(&os);
}

/* Whoever asked and the stream have both let go of it; the stream's pumps may look at it still. */
static void own_stream_over(struct own_stream *os)
{
	if (!os->r && !os->end)
		loop_reap(&os->reap, reaped);
}

/* ---- the request -------------------------------------------------------------------------- */

static enum io own_head_in(struct end *end, struct message *msg)
{
	struct own_stream *os = own_of(end);
	struct h1_parser parser = { 0 };
	struct message_error error = { .text = NULL };
	uint16_t most = msg->most;
	enum h1_result parsed;

	if (!os->r || os->no_memory)
		return IO_ERR;
	message_init(msg, false, msg->fields, msg->max);
	msg->most = most;
	while ((parsed = h1_request_head(&parser, os->head, os->head_len, SPOKEN, msg, &error)) ==
	       H1_FULL)
		if (!message_more_fields(msg))
			return IO_ERR;
	os->framing.ended = !os->body.len;
	if (parsed == H1_BAD)
		os->wrong = error.text;
	return parsed == H1_DONE ? IO_OK : IO_ERR;
}

static enum io own_recv(struct end *end, void *buf, size_t size, size_t *got)
{
	struct own_stream *os = own_of(end);
	size_t left = os->body.len - os->given;

	*got = 0;
	if (!os->r)
		return IO_ERR;
	if (!left)
		return IO_EOF;
	*got = size < left ? size : left;
	memcpy(buf, os->body.ptr + os->given, *got);
	os->given += *got;
	os->framing.ended = *got == left;
	return IO_OK;
}

/* All of the request is at hand, always. */
static bool own_mark(struct end *end)
{
	(void)end;
	return true;
}

static void own_rewind(struct end *end)
{
	struct own_stream *os = own_of(end);

	os->given = 0;
	os->framing.ended = !os->body.len;
}

/* ---- the answer --------------------------------------------------------------------------- */

static struct span copied(char **to, struct span s)
{
	struct span copy = { *to, s.len };

	if (s.len)
		memcpy(*to, s.ptr, s.len);
	*to += s.len;
	return copy;
}

/* It is looked at when the exchange may be over. */
static bool keep_head(struct own_stream *os, const struct message *msg)
{
	size_t fields = msg->count * sizeof(*msg->fields), bytes = msg->reason.len;
	const struct field *f;
	struct field *to;
	char *at;

	for (f = msg->fields; f < msg->fields + msg->count; f++)
		bytes += f->name.ptr ? f->name.len + f->value.len : 0;
	os->memory = malloc(fields + bytes + 1);
	if (!os->memory)
		return false;
	os->msg = *msg;
	os->msg.received = NULL;
	os->msg.count = 0;
	to = os->msg.fields = os->memory;
	at = (char *)os->memory + fields;
	os->msg.reason = copied(&at, msg->reason);
	for (f = msg->fields; f < msg->fields + msg->count; f++) {
		if (!f->name.ptr)
			continue;
		*to = *f;
		to->name = copied(&at, f->name);
		to->value = copied(&at, f->value);
		to++;
		os->msg.count++;
	}
	return true;
}

/* What the program says itself tells why there is no answer. Interim answers are for whoever can do
 * something about them. */
static enum io own_head_out(struct end *end, struct message *msg)
{
	struct own_stream *os = own_of(end);
	const struct exchange *x = os->stream->exchange;

	if (!os->r)
		return IO_ERR;
	if (msg->flags & MSG_INTERIM)
		return IO_OK;
	if (x->reply) {
		os->status = (uint16_t)x->reply->status;
		os->reason = x->reason;
		wake(os);
		return IO_OK;
	}
	if (end_peer(end)->framing && end_peer(end)->framing->raw)
		end_decode(end_peer(end));
	message_strip_hops(msg, false);
	os->framing.no_memory = !keep_head(os, msg);
	wake(os);
	return os->framing.no_memory ? IO_ERR : IO_OK;
}

static enum io own_send(struct end *end, const void *buf, size_t len, bool more, size_t *sent)
{
	struct own_stream *os = own_of(end);
	size_t room;

	(void)more;
	*sent = os->status ? len : 0;
	if (!os->r)
		return IO_ERR;
	if (os->status)
		return IO_OK;
	if (!os->in)
		os->in = buffer_take();
	os->framing.no_memory = !os->in;
	if (!os->in)
		return IO_ERR;
	room = buf_room(os->in);
	*sent = room < len ? room : len;
	memcpy(buf_tail(os->in), buf, *sent);
	os->in->len += (uint32_t)*sent;
	if (*sent < len)
		os->flags &= (uint16_t)~CONN_WRITABLE;
	wake(os);
	return *sent ? IO_OK : IO_AGAIN;
}

static void own_finish(struct end *end)
{
	struct own_stream *os = own_of(end);

	os->cut = end_maybe_cut(end_peer(end));
	os->finished = !os->cut;
	wake(os);
}

static void own_let_go(struct own_stream *os)
{
	os->end = NULL;
	os->stream = NULL;
	wake(os);
	own_stream_over(os);
}

static void own_close(struct end *end, bool reset)
{
	struct own_stream *os = own_of(end);

	(void)reset;
	if (!os->status)
		os->reason = os->stream->reason;
	own_let_go(os);
}

static const struct message_ops own_ops = {
	.end = {
		.name = "own",
		.recv = own_recv,
		.send = own_send,
		.finish = own_finish,
		.close = own_close,
	},
	.head_in = own_head_in,
	.head_out = own_head_out,
	.mark = own_mark,
	.rewind = own_rewind,
};

/* ---- the carrier -------------------------------------------------------------------------- */

/* False: there is no memory for the limit, without which it might never end. */
static bool limit_silence(struct stream *s, unsigned ms)
{
	if (!ms)
		return true;
	if (!extra_get(s))
		return false;
	s->extra->treatment.timeout_ms[TIMEOUT_SERVER] = ms;
	return true;
}

static void own_lend(void *lent, struct end *end)
{
	struct own_stream *os = KIND_OF(struct own_stream, lent);

	os->end = end;
	os->stream = stream_of(container_of(end, struct relay, client));
	end_set_applet(end, &own_ops.end, os, &os->flags, &os->framing);
	os->no_memory = !limit_silence(os->stream, os->r->silence_ms);
}

static void own_take_back(struct end *end)
{
	struct own_stream *os = own_of(end);

	end_forget(end);
	own_let_go(os);
}

static bool own_draining(const struct origin *origin)
{
	(void)origin;
	return false;
}

static void own_tls_failed(struct end *end, const char *why)
{
	struct own_stream *os = own_of(end);

	free(os->why);
	os->why = strdup(why);
}

static const struct lane_kind own_lanes = {
	.carrier = LANE_CARRIER("own", own_draining, .asks_again = true,
				.server_name = own_host_name, .tls_failed = own_tls_failed),
	.lend = own_lend,
	.take_back = own_take_back,
};

/* ---- for who asks ------------------------------------------------------------------------- */

static struct own_stream *own_stream_new(struct own_request *r)
{
	struct own_stream *os = pool_take(&stream_pool_own);

	if (!os)
		return NULL;
	KIND_IS(struct own_stream, os);
	os->head_len = r->words.head.len;
	os->head = malloc(os->head_len);
	if (!os->head) {
		own_stream_free(&os);
		return NULL;
	}
	memcpy(os->head, r->words.head.ptr, os->head_len);
	os->body = r->words.body;
	os->flags = CONN_READABLE | CONN_WRITABLE;
	os->framing.passable = UINT64_MAX;
	os->r = r;
	return os;
}

struct own_stream *own_stream_begin(struct own_request *r)
{
	struct own_stream *os = own_stream_new(r);
	struct lane *lane;

	if (!os)
		return NULL;
	/* The first request of a session takes no connection that has served others: http-reuse. */
	lane = lane_new(&own_lanes, own_host_origin(r->host), r->reuses, os);
	if (!lane || !lane_start(&lane)) {
		own_stream_free(&os);
		return NULL;
	}
	os->host = r->host;
	r->host = NULL;
	return os;
}

void own_stream_leave(struct own_stream **os)
{
	struct own_stream *left = *os;

	*os = NULL;
	left->r = NULL;
	if (left->end) {
		left->flags |= CONN_HUP | CONN_ERROR | CONN_BROKEN | CONN_READABLE | CONN_WRITABLE;
		end_ready(left->end);
	} else {
		own_stream_over(left);
	}
}

/* What was at hand is taken: there is room for more. */
static void piece_is_taken(struct own_stream *os)
{
	if (!os->in)
		return;
	buf_skip(os->in, os->taken);
	os->taken = 0;
	if (!os->in->len)
		buffer_give(&os->in);
}

static void want_more(struct own_stream *os)
{
	if (os->in || os->finished || !os->end || os->flags & CONN_WRITABLE)
		return;
	os->flags |= CONN_WRITABLE;
	end_ready(os->end);
}

/* Why there is no answer, or not all of it. */
static enum own_news bad_news(const struct own_stream *os)
{
	if (os->cut)
		return NEWS_CUT;
	if (os->no_memory)
		return NEWS_NO_MEMORY;
	if (os->wrong)
		return NEWS_UNSAID;
	if (!os->status && !os->memory)
		return NEWS_NOTHING;
	if (os->reason != END_SERVER_REFUSED && os->reason != END_CONNECT_TIMEOUT)
		return NEWS_FAILED;
	return os->why ? NEWS_NO_TLS : NEWS_NO_SERVER;
}

enum own_news own_stream_go(struct own_stream *os)
{
	struct own_request *r = os->r;

	if (os->status)
		return bad_news(os);
	if (os->memory && !r->has_head) {
		r->has_head = true;
		r->msg = os->msg;
		return NEWS_HEAD;
	}
	piece_is_taken(os);
	want_more(os);
	if (os->in) {
		r->piece = (struct span){ buf_first(os->in), os->in->len };
		os->taken = os->in->len;
		return NEWS_PIECE;
	}
	if (os->finished)
		return NEWS_WHOLE;
	return os->end ? NEWS_NONE : bad_news(os);
}

const char *own_stream_why(const struct own_stream *os)
{
	return os->why;
}

const char *own_stream_wrong(const struct own_stream *os)
{
	return os->wrong;
}

unsigned own_stream_status(const struct own_stream *os)
{
	return os->status ? os->status : os->reason == END_SERVER_TIMEOUT ? 504 : 502;
}
