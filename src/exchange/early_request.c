/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Early data and exchanges (doc/internals/tls.md): requests that wait for the client's proof, the
 * field Early-Data, and heads that go along with our first message to a server. Called by the steps
 * of a request. RFC 8470 says what may be done with such requests.
 */
#include "exchange/early_request.h"

#include "base/arena.h"
#include "base/bug.h"
#include "exchange/exchange.h"
#include "net/conn.h"
#include "proxy/proxy.h"
#include "stream/connect.h"
#include "stream/early.h"
#include "stream/extra.h"
#include "stream/steps.h"
#include "stream/retry.h"
#include "stream/timeouts.h"

#include <string.h>

int early_wait(struct stream *s)
{
	struct early *early;

	if (*s->relay.client.flags & CONN_BROKEN) {
		stream_end(s, END_CLIENT_ABORT);
		return STEP_END;
	}
	if (!early_unproven(s)) {
		stream_expire_never(s);
		early_unask(s->exchange);
		return STEP_NEXT;
	}
	early = exchange_part_make(s->exchange, &early_part);
	if (!early || !extra_get(s))
		return exchange_fail(s, END_RESOURCE);
	if (!early->waits) {
		early->waits = true;
		stream_arm_wait(s, stream_timeout(s, TIMEOUT_CLIENT));
	} else if (stream_wait_over(s)) {
		early_unask(s->exchange);
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
	s->traits &= ~(unsigned)EARLY_RETRY;
	return STEP_GOTO + connect_again(s);
}

/* ---- Early-Data -------------------------------------------------------------------------- */

static const struct span early_field = { "early-data", 10 };

bool early_mark(struct exchange *x)
{
	bool unproven = early_unproven(x->stream);
	struct early *early = early_of(x);
	unsigned at = 0;

	if (early && early->marked && !unproven && !early->taken) {
		message_delete(&x->req, early_field);
		early->marked = false;
	}
	if (!unproven || message_find(&x->req, early_field, &at))
		return true;
	early = exchange_part_make(x, &early_part);
	if (!early)
		return false;
	early->marked = true;
	return message_add(&x->req, x->arena, early_field, (struct span){ "1", 1 });
}

/* RFC 8470 5.2: who has said the field itself is told; where it was us alone who took the risk, the
 * client is not to hear of it. */
unsigned early_retry_on(const struct exchange *x)
{
	const struct early *early = early_of(x);
	bool marked = early && early->marked;
	unsigned at = 0;

	if (!marked && message_find((struct message *)&x->req, early_field, &at))
		return 0;
	return retry_on_status(425) | (early && early->used && !marked ? RETRY_0RTT : 0);
}

/* ---- to the server ----------------------------------------------------------------------- */

/* RFC 8470 4: safe methods; and a request that may be sent twice. */
static bool early_is_safe(const struct exchange *x)
{
	const struct proxy_settings *set = &x->stream->backend->set;

	return x->stream->server->carrier == CARRIER_USUAL && set->retry_on & RETRY_0RTT &&
	       retries_of(x->stream) && !x->no_retry && x->req.framing == BODY_NONE &&
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

struct span early_request_words(struct stream *s)
{
	struct exchange *x = s->exchange;
	struct span none = { NULL, 0 };
	struct early *early;

	if (!(early_unproven(s) && s->server->carrier == CARRIER_USUAL) && !early_is_safe(x))
		return none;
	early = exchange_part_make(x, &early_part);
	if (!early)
		return none;
	early->words = early_head(s);
	return early->words;
}

void early_request_taken(struct stream *s, size_t taken)
{
	struct early *early = early_of(s->exchange);

	BUG_ON(taken && !early);
	if (early) {
		early->taken = taken;
		early->used = taken > 0;
	}
}

bool early_skip_taken(struct exchange *x, struct early *early)
{
	struct span waiting = end_waiting(&x->stream->relay.server);
	size_t taken = early->taken;

	early->taken = 0;
	if (!taken)
		return true;
	if (waiting.len < taken || memcmp(waiting.ptr, early->words.ptr, taken))
		return false;
	end_sent(&x->stream->relay.server, taken);
	return true;
}
