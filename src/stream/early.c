/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Early data in streams (doc/internals/tls.md): requests of clients that have not finished the TLS
 * handshake yet (unproven: they may be a repetition), and first words to servers along with ours.
 * Called by the steps of a request, by connect.c and by the layer below when the handshake has
 * ended. RFC 8470 says what may be done with such requests.
 */
#include "stream/early.h"

#include "base/arena.h"
#include "base/clock.h"
#include "net/conn.h"
#include "proxy/proxy.h"
#include "relay/buffer.h"
#include "stream/connect.h"
#include "stream/exchange.h"
#include "stream/extra.h"
#include "stream/steps.h"
#include "stream/stream.h"
#include "stream/timeouts.h"
#include "tls/conn.h"

#include <string.h>

bool early_unproven(const struct stream *s)
{
	return tls_conn_unproven(end_conn(&s->relay.client));
}

bool early_is_proven(const struct stream *s)
{
	const struct conn *conn = end_conn(&s->relay.client);

	return !tls_conn_is(conn) || (!tls_conn_unproven(conn) && !(conn->flags & CONN_BROKEN));
}

/* ---- the client's proof ------------------------------------------------------------------ */

void early_proved(struct end *client)
{
	struct stream *s = stream_of(container_of(client, struct relay, client));

	if (extra_get(s))
		task_wake(&s->extra->task);
}

int early_wait(struct stream *s)
{
	struct exchange *x = s->exchange;
	const struct conn *conn = end_conn(&s->relay.client);

	if (conn && conn->flags & CONN_BROKEN) {
		stream_end(s, END_CLIENT_ABORT);
		return STEP_END;
	}
	if (!early_unproven(s)) {
		stream_expire_never(s);
		x->early_waits = x->early_asked = false;
		return STEP_NEXT;
	}
	if (!extra_get(s))
		return exchange_fail(s, END_RESOURCE);
	if (!x->early_waits) {
		x->early_waits = true;
		stream_arm_wait(s, s->origin->frontend->set.timeout.client);
	} else if (stream_wait_over(s)) {
		x->early_waits = x->early_asked = false;
		return exchange_fail(s, END_CLIENT_TIMEOUT);
	}
	return STEP_WAIT;
}

/* The request had to wait before it is sent once more. */
int early_retry(struct stream *s)
{
	int r = early_wait(s);

	if (r != STEP_NEXT)
		return r;
	s->known &= ~(unsigned)EARLY_RETRY;
	return STEP_GOTO + connect_again(s);
}

/* ---- Early-Data -------------------------------------------------------------------------- */

static const struct span early_field = { "early-data", 10 };

bool early_mark(struct exchange *x)
{
	bool unproven = early_unproven(x->stream);
	unsigned at = 0;

	if (x->early_marked && !unproven && !x->early_taken) {
		message_delete(&x->req, early_field);
		x->early_marked = false;
	}
	if (!unproven || message_find(&x->req, early_field, &at))
		return true;
	x->early_marked = true;
	return message_add(&x->req, x->arena, early_field, (struct span){ "1", 1 });
}

/* RFC 8470 5.2: who has said the field itself is told; where it was us alone who took the risk, the
 * client is not to hear of it. */
unsigned early_retry_on(const struct exchange *x)
{
	unsigned at = 0;

	if (!x->early_marked && message_find((struct message *)&x->req, early_field, &at))
		return 0;
	return retry_on_status(425) | (x->early_used && !x->early_marked ? RETRY_0RTT : 0);
}

/* ---- to the server ----------------------------------------------------------------------- */

/* RFC 8470 4: safe methods; and a request that may be sent twice. */
static bool early_is_safe(const struct exchange *x)
{
	const struct proxy_settings *set = &x->stream->backend->set;

	return set->retry_on & RETRY_0RTT && set->retries > 0 && !x->no_retry &&
	       x->req.framing == BODY_NONE &&
	       (x->req.method == METHOD_GET || x->req.method == METHOD_HEAD ||
		x->req.method == METHOD_OPTIONS);
}

/* The request's head as it will leave; what was made of it is thrown away again. */
static struct span early_head(struct stream *s)
{
	struct end *server = &s->relay.server;
	struct conn *conn = end_conn(server);
	void (*ready)(struct conn *) = conn->ready;
	struct span words = { NULL, 0 };
	struct buf *held;

	if (!exchange_attach_server(s, false))
		return words;
	if (exchange_write_request(s))
		words = arena_keep(s->exchange->arena, end_waiting(server));
	conn = end_detach(server, &held);
	end_take_conn(server, &conn);
	end_conn(server)->ready = ready;
	return words;
}

/* Mode tcp: what the client has said so far. */
static struct span early_bytes(struct stream *s)
{
	struct pump *pump = &s->relay.request;

	if (!pump->buf && !(pump->flags & PUMP_NO_PULL)) {
		pump->flags |= PUMP_LOOK;
		pump_run(pump);
		pump->flags &= (uint16_t)~PUMP_LOOK;
	}
	if (s->reason != END_NONE || !pump->buf)
		return (struct span){ NULL, 0 };
	return (struct span){ buf_first(pump->buf), pump->buf->len };
}

struct span early_words(struct stream *s)
{
	struct exchange *x = s->exchange;
	const struct span none = { NULL, 0 };

	if (!(s->server->set.tls.options.on & TLS_ALLOW_0RTT) || s->failures)
		return none;
	if (!x)
		return early_unproven(s) ? early_bytes(s) : none;
	x->early_words = none;
	if (early_unproven(s) || early_is_safe(x))
		x->early_words = early_head(s);
	return x->early_words;
}

/* The server has the first n bytes of the pump already. */
static void early_skip_bytes(struct pump *pump, size_t n)
{
	buf_skip(pump->buf, n);
	if (!pump->buf->len)
		buffer_give(&pump->buf);
	pump->copied += n;
	pump->write_ms = (uint32_t)clock_now_ms;
}

void early_connected(struct stream *s)
{
	const struct conn *conn = end_conn(&s->relay.server);
	size_t taken = tls_conn_early_taken(conn);

	if (tls_conn_early_refused(conn) && s->backend->set.retry_on & RETRY_0RTT) {
		s->failures++;
		s->server->tally->counters.retries++;
		s->backend->be->counters.retries++;
	}
	if (s->exchange) {
		s->exchange->early_taken = taken;
		s->exchange->early_used = taken > 0;
	} else if (taken)
		early_skip_bytes(&s->relay.request, taken);
}

bool early_skip(struct exchange *x)
{
	struct span waiting = end_waiting(&x->stream->relay.server);
	size_t taken = x->early_taken;

	x->early_taken = 0;
	if (!taken)
		return true;
	if (waiting.len < taken || memcmp(waiting.ptr, x->early_words.ptr, taken))
		return false;
	end_sent(&x->stream->relay.server, taken);
	return true;
}

bool early_is_lost(const struct stream *s)
{
	if (!s->relay.server.ops || !tls_conn_early_said(end_conn(&s->relay.server)))
		return false;
	return !s->exchange || s->exchange->no_retry ||
	       !(s->backend->set.retry_on & (RETRY_0RTT | RETRY_EMPTY));
}
