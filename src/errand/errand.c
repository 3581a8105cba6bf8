/* SPDX-License-Identifier: BSD-2-Clause */
/* The walk of an errand, in the order of its life: lookup, connection, TLS, request, head, body. Its
 * owner calls errand_go whenever it is ready; nothing here calls back otherwise.
 *
 * A connection that fails is tried again with the next address of the host at once, and with the first
 * one after a second. A request that a kept connection has not answered with a single byte goes once
 * more over a new one, if doing so twice is harmless (RFC 9110 9.2.2). */
#include "errand/errand.h"

#include "base/clock.h"
#include "base/kind.h"
#include "errand/errand_conf.h"
#include "errand/standby.h"
#include "http/uri.h"
#include "log/log.h"
#include "net/conn.h"
#include "net/dial.h"
#include "relay/buffer.h"
#include "tls/client.h"
#include "tls/conn.h"

#include <netinet/in.h>
#include <string.h>

enum state { OVER, STARTS, LOOKS_UP, DIALS, PAUSES, CONNECTS, SHAKES, SENDS, READS_HEAD, READS_BODY };

enum { FIELDS = 101, AGAIN_MS = 1000, SEND_PIECE = 65536,
       TURN_PIECES = 16 }; /* then others go first */
/* What a step says that goes on by itself. */
enum { GOES_ON = -1 };

static struct list under_way = LIST_INIT(under_way);

/* ---- waiting -------------------------------------------------------------------------------- */

static void fire(struct timer *timer)
{
	struct errand *e = container_of(timer, struct errand, timer);

	e->late = true;
	e->ready(e);
}

static void conn_event(struct conn *conn)
{
	struct errand *e = KIND_OF(struct errand, conn->owner);

	e->ready(e);
}

static int wait_server(struct errand *e)
{
	if (e->timeout_ms)
		timer_set(&e->timer, clock_now_ms + e->timeout_ms);
	return ERRAND_WAITS;
}

/* ---- the end -------------------------------------------------------------------------------- */

static void drop(struct errand *e)
{
	timer_cancel(&e->timer);
	e->late = false;
	buffer_give(&e->in);
	conn_close(&e->conn, false);
}

void errand_end(struct errand *e)
{
	if (e->state == OVER)
		return;
	dns_cancel(&e->lookup);
	drop(e);
	list_remove(&e->node);
	e->state = OVER;
}

void errand_end_all(void)
{
	while (!list_empty(&under_way))
		errand_end(list_first(&under_way, struct errand, node));
}

static int fail(struct errand *e, enum errand_fault fault, const char *why)
{
	e->fault = fault;
	e->why = why;
	errand_end(e);
	return ERRAND_FAILED;
}

static int fail_broken(struct errand *e)
{
	return fail(e, ERRAND_BROKEN, "it ends the connection in the middle, or its answer is no "
				      "HTTP");
}

static int fail_late(struct errand *e)
{
	return fail(e, ERRAND_LATE, "it does not answer in time");
}

static int finish(struct errand *e)
{
	bool clean = !e->in || e->in->len == e->taken;

	buffer_give(&e->in);
	if (e->keeps && clean)
		standby_give(&e->target, &e->conn);
	errand_end(e);
	return ERRAND_DONE;
}

unsigned errand_status(enum errand_fault fault)
{
	switch (fault) {
	case ERRAND_LATE:
		return 504;
	case ERRAND_BROKEN:
		return 502;
	case ERRAND_UNREACHED:
		break;
	}
	return 503;
}

/* ---- where it goes -------------------------------------------------------------------------- */

const char *errand_url(struct span url, struct uri *uri, struct errand_target *target)
{
	struct span host;
	unsigned port = 0;
	size_t i;

	for (i = 0; i < url.len; i++)
		if ((unsigned char)url.ptr[i] <= ' ' || url.ptr[i] == 127)
			return "it has blanks, or control characters";
	if (!uri_split(url, uri) || !uri->scheme.ptr)
		return "it is no http:// or https:// URL";
	memset(target, 0, sizeof(*target));
	target->tls = span_equal_nocase(uri->scheme, span_of("https"));
	if (!target->tls && !span_equal_nocase(uri->scheme, span_of("http")))
		return "it is neither http:// nor https://";
	if (!host_split(uri->authority, &host, &port) || !host.len)
		return "it names no host";
	if (uri->path.len && *uri->path.ptr != '/')
		return "its path does not begin with /";
	if (host.len > 2 && host.ptr[0] == '[')
		host = (struct span){ host.ptr + 1, host.len - 2 };
	target->host = host;
	target->port = port ? port : target->tls ? 443 : 80;
	return NULL;
}

static void add_family(struct errand *e, const struct dns_answer *answer, int family, bool others)
{
	unsigned i;

	for (i = 0; i < answer->count && e->count < ERRAND_ADDRS; i++) {
		if ((answer->addr[i].family == family) == others)
			continue;
		e->addr[e->count] = answer->addr[i];
		e->addr[e->count++].port = (uint16_t)e->target.port;
	}
}

static void take_answer(struct errand *e, const struct dns_answer *answer)
{
	e->count = e->at = 0;
	add_family(e, answer, errand_limits.family, false);
	add_family(e, answer, errand_limits.family, true);
	e->state = DIALS;
}

static void looked_up(struct dns_lookup *lookup, const struct dns_answer *answer)
{
	struct errand *e = container_of(lookup, struct errand, lookup);

	take_answer(e, answer);
	e->ready(e);
}

static int look_up(struct errand *e)
{
	const struct dns_answer *answer;

	e->state = LOOKS_UP;
	e->lookup.done = looked_up;
	answer = dns_look(&e->lookup, e->target.host);
	if (!answer)
		return ERRAND_WAITS;
	take_answer(e, answer);
	return GOES_ON;
}

/* ---- connecting ----------------------------------------------------------------------------- */

/* An attempt has failed: the next address, or the first one again in a second. */
static int try_again(struct errand *e)
{
	drop(e);
	if (e->tries++ >= errand_limits.retries)
		return fail(e, ERRAND_UNREACHED, "no connection to it can be made");
	if (!e->target.to_len && ++e->at < e->count) {
		e->state = DIALS;
		return GOES_ON;
	}
	e->at = 0;
	e->state = PAUSES;
	timer_set(&e->timer, clock_now_ms + AGAIN_MS);
	return ERRAND_WAITS;
}

static int dials(struct errand *e)
{
	struct sockaddr_storage memory;
	const struct sockaddr_storage *to = &e->target.to;
	socklen_t len = e->target.to_len;

	e->late = false;
	if (!len) {
		if (!e->count)
			return fail(e, ERRAND_UNREACHED, "its name leads to no address");
		len = addr_to_sockaddr(&e->addr[e->at], &memory);
		to = &memory;
	}
	e->conn = net_dial(to, len, e, conn_event);
	if (!e->conn)
		return try_again(e);
	e->kept = false;
	e->state = CONNECTS;
	timer_set(&e->timer, clock_now_ms + errand_limits.connect_ms);
	return GOES_ON;
}

static int sends_from_here(struct errand *e)
{
	timer_cancel(&e->timer);
	e->late = false;
	e->sent = 0;
	e->state = SENDS;
	return GOES_ON;
}

static int connects(struct errand *e)
{
	unsigned flags = e->conn->flags;

	if (flags & (CONN_ERROR | CONN_HUP))
		return try_again(e);
	if (!(flags & CONN_WRITABLE))
		return e->late ? try_again(e) : ERRAND_WAITS;
	e->conn->flags &= (uint16_t)~CONN_CONNECTING;
	if (!e->target.tls)
		return sends_from_here(e);
	if (errand_tls_begin(e->conn, e->target.host) < 0)
		return fail(e, ERRAND_UNREACHED, errand_tls_off() ? errand_tls_off() :
			    "there is no memory for TLS with it");
	e->state = SHAKES;
	return GOES_ON;
}

/* What is wrong with a certificate stands in the log, once a second: the answer is 503 alone. */
static const char *say_tls(const struct errand *e)
{
	static uint64_t next_ms;
	static char memory[300];
	struct text t;

	text_init(&t, memory, sizeof(memory));
	text_str(&t, "there is no TLS with it: ");
	tls_client_say(e->conn, &t);
	if (clock_now_ms >= next_ms) {
		next_ms = clock_now_ms + 1000;
		log_process(LOG_L_WARNING, "HTTP client: no TLS with %.*s:%u: %s.",
			    (int)e->target.host.len, e->target.host.ptr, e->target.port,
			    strchr(memory, ':') + 2);
	}
	return memory;
}

static int shakes(struct errand *e)
{
	const char *why;

	switch (tls_conn_handshake(e->conn)) {
	case IO_OK:
		return sends_from_here(e);
	case IO_AGAIN:
		return e->late ? try_again(e) : ERRAND_WAITS;
	case IO_EOF:
	case IO_ERR:
		break;
	}
	why = say_tls(e);
	tls_client_forget(e->conn);
	return fail(e, ERRAND_UNREACHED, why);
}

static bool is_idempotent(const struct errand *e)
{
	return e->method != METHOD_POST && e->method != METHOD_OTHER;
}

static int starts(struct errand *e)
{
	e->conn = standby_take(&e->target, !is_idempotent(e));
	if (e->conn) {
		e->conn->owner = e;
		e->conn->ready = conn_event;
		e->kept = true;
		return sends_from_here(e);
	}
	if (!e->target.to_len)
		return look_up(e);
	e->state = DIALS;
	return GOES_ON;
}

/* ---- the request ---------------------------------------------------------------------------- */

/* The connection is broken. */
static int broken(struct errand *e)
{
	if (e->kept && !e->begun && is_idempotent(e)) {
		drop(e);
		e->kept = false;
		if (!e->target.to_len)
			return look_up(e);
		e->state = DIALS;
		return GOES_ON;
	}
	return fail_broken(e);
}

/* A server may answer before it has read all, and close behind that: then reading tells. */
static int sends(struct errand *e)
{
	size_t piece, sent;
	enum io r = IO_OK;
	int turn;

	for (turn = 0; e->sent < e->text.len && r == IO_OK; turn++) {
		if (turn == TURN_PIECES)
			return ERRAND_TURN;
		piece = e->text.len - e->sent < SEND_PIECE ? e->text.len - e->sent : SEND_PIECE;
		r = conn_send(e->conn, e->text.ptr + e->sent, piece, false, &sent);
		if (r == IO_OK) {
			e->sent += sent;
			e->late = false;
		}
	}
	if (r == IO_AGAIN)
		return e->late ? fail_late(e) : wait_server(e);
	e->keeps = e->sent == e->text.len;
	e->late = false;
	e->state = READS_HEAD;
	return GOES_ON;
}

/* ---- the answer ----------------------------------------------------------------------------- */

/* Right behind the request nothing has come yet: that is known without a call. */
static bool is_quiet(const struct conn *conn)
{
	return !conn->layer && !(conn->flags & (CONN_READABLE | CONN_RDHUP | CONN_HUP | CONN_ERROR |
						CONN_BROKEN));
}

/* More bytes behind those in the buffer. */
static enum io fill(struct errand *e)
{
	size_t got;
	enum io r;

	if (is_quiet(e->conn))
		return IO_AGAIN;
	if (!e->in)
		e->in = buffer_take();
	if (!e->in)
		return IO_ERR;
	r = conn_recv(e->conn, buf_tail(e->in), buf_room(e->in), &got);
	if (r == IO_OK) {
		e->in->len += (uint32_t)got;
		e->begun = true;
		e->late = false;
	} else if (!e->in->len) {
		buffer_give(&e->in);
	}
	return r;
}

static void take_head(struct errand *e)
{
	e->framing = e->msg.framing;
	e->left = e->msg.length;
	e->keeps = e->keeps && e->msg.flags & MSG_KEEP_ALIVE && e->framing != BODY_CLOSE;
	e->whole = e->framing == BODY_NONE || (e->framing == BODY_LENGTH && !e->left);
	message_strip_hops(&e->msg, false);
}

/* Looks at what has come. Heads of interim answers are passed over. */
static enum h1_result parse_head(struct errand *e)
{
	static struct field fields[FIELDS];
	struct h1_parser parser;
	struct message_error error;
	enum h1_result r;

	for (;;) {
		memset(&parser, 0, sizeof(parser));
		message_init(&e->msg, true, fields, FIELDS);
		r = h1_response_head(&parser, buf_first(e->in), e->in->len, 0, (enum method)e->method,
				     &e->msg, &error);
		if (r != H1_DONE)
			return r;
		if (!(e->msg.flags & MSG_INTERIM))
			return e->msg.framing == BODY_TUNNEL ? H1_BAD : H1_DONE;
		buf_skip(e->in, e->msg.head_len);
		if (!e->in->len)
			return H1_INCOMPLETE;
	}
}

/* The head is where it is from the buffer's beginning. */
static bool make_room(struct errand *e)
{
	if (e->in->head) {
		memmove(e->in->data, buf_first(e->in), e->in->len);
		e->in->head = 0;
	}
	return buf_room(e->in) > 0;
}

static int reads_head(struct errand *e)
{
	enum h1_result parsed = H1_INCOMPLETE;
	enum io r = IO_OK;
	int turn;

	for (turn = 0; parsed == H1_INCOMPLETE && r == IO_OK; turn++) {
		if (turn == TURN_PIECES)
			return ERRAND_TURN;
		if (e->in && !make_room(e))
			return fail_broken(e);
		r = fill(e);
		if (r == IO_OK)
			parsed = parse_head(e);
	}
	if (r == IO_AGAIN)
		return e->late ? fail_late(e) : wait_server(e);
	if (r != IO_OK)
		return broken(e);
	if (parsed != H1_DONE)
		return fail_broken(e);
	take_head(e);
	e->taken = e->msg.head_len;
	e->state = READS_BODY;
	return ERRAND_HEAD;
}

/* Bytes in the buffer become the piece at hand; taken: how many they are. False: they are no chunks. */
static bool take_piece(struct errand *e)
{
	struct message_error error;
	char *bytes = buf_first(e->in);
	size_t payload = e->in->len;
	enum h1_result r;

	e->taken = e->in->len;
	if (e->framing == BODY_LENGTH) {
		if (payload > e->left)
			payload = e->taken = (size_t)e->left;
		e->left -= payload;
		e->whole = !e->left;
	} else if (e->framing == BODY_CHUNKED) {
		r = h1_chunks_decode(&e->chunks, bytes, e->in->len, &e->taken, &payload, &error);
		e->whole = r == H1_DONE;
		if (r == H1_BAD)
			return false;
	}
	e->piece = (struct span){ bytes, payload };
	return true;
}

/* Nothing more comes. */
static int body_ended(struct errand *e, enum io r)
{
	e->keeps = false;
	if (r == IO_EOF && e->framing == BODY_CLOSE)
		return finish(e);
	return fail_broken(e);
}

static int reads_body(struct errand *e)
{
	enum io r;

	if (e->whole)
		return finish(e);
	if (e->in) {
		buf_skip(e->in, e->taken);
		e->taken = 0;
	}
	if (!e->in || !e->in->len) {
		r = fill(e);
		if (r == IO_AGAIN)
			return e->late ? fail_late(e) : wait_server(e);
		if (r != IO_OK)
			return body_ended(e, r);
	}
	if (!take_piece(e))
		return fail_broken(e);
	return ERRAND_PIECE;
}

/* ---- the walk ------------------------------------------------------------------------------- */

void errand_begin(struct errand *e, const struct errand_target *target, enum method method,
		  struct span text, unsigned timeout_ms)
{
	void *owner = e->owner;
	void (*ready)(struct errand *e) = e->ready;

	memset(e, 0, sizeof(*e));
	KIND_IS(struct errand, e);
	e->owner = owner;
	e->ready = ready;
	e->target = *target;
	e->method = (uint8_t)method;
	e->text = text;
	e->timeout_ms = timeout_ms;
	e->chunks.response = true;
	e->state = STARTS;
	timer_init(&e->timer, fire);
	list_append(&under_way, &e->node);
}

static int step(struct errand *e)
{
	switch ((enum state)e->state) {
	case STARTS:
		return starts(e);
	case LOOKS_UP:
		return ERRAND_WAITS;
	case PAUSES:
		if (!e->late)
			return ERRAND_WAITS;
		return dials(e);
	case DIALS:
		return dials(e);
	case CONNECTS:
		return connects(e);
	case SHAKES:
		return shakes(e);
	case SENDS:
		return sends(e);
	case READS_HEAD:
		return reads_head(e);
	case READS_BODY:
		return reads_body(e);
	case OVER:
		break;
	}
	return ERRAND_FAILED;
}

enum errand_step errand_go(struct errand *e)
{
	int said;

	while ((said = step(e)) == GOES_ON)
		;
	return (enum errand_step)said;
}
