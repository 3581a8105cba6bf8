/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Keeps what was wrong, so that the operator can look at it later. Called by ends through
 * their hook. Memory is taken once a proxy and direction, and grows to the longest message kept: it
 * is bounded by tune.bufsize. Without memory nothing is kept, and nothing else suffers.
 */
#include "exchange/bad_message.h"

#include "base/clock.h"
#include "exchange/exchange.h"
#include "http/message.h"
#include "net/listener.h"
#include "proxy/part.h"
#include "proxy/proxy.h"
#include "relay/message_end.h"
#include "stream/stream.h"
#include "tally/tally.h"
#include "tls/conn.h"

#include <stdlib.h>
#include <string.h>

struct list bad_messages = LIST_INIT(bad_messages);

static struct bad_message *bad_message_of(const struct proxy *px, bool response)
{
	struct bad_message *bad;

	list_for_each(bad, &bad_messages, node)
		if (bad->proxy == px && bad->response == response)
			return bad;
	bad = calloc(1, sizeof(*bad));
	if (!bad)
		return NULL;
	bad->proxy = px;
	bad->response = response;
	list_append(&bad_messages, &bad->node);
	return bad;
}

static void bad_message_free(struct bad_message *bad)
{
	list_remove(&bad->node);
	free(bad->bytes);
	free(bad);
}

/* What it has answered goes with it; of requests that it was to have the rest stays. */
static void bad_message_leave(struct proxy *px)
{
	struct bad_message *bad, *next;

	list_for_each_safe(bad, next, &bad_messages, node) {
		if (bad->other == px)
			bad->other = NULL;
		if (bad->proxy == px)
			bad_message_free(bad);
	}
}

struct proxy_part bad_message_proxy_part = { .leave = bad_message_leave,
						       .free = bad_message_leave };

static void bad_message_copy(struct bad_message *bad, const char *bytes, size_t len)
{
	char *more;

	if (len > bad->size) {
		more = realloc(bad->bytes, len);
		if (!more)
			len = bad->size;
		else
			bad->size = (uint32_t)len;
		bad->bytes = more ? more : bad->bytes;
	}
	if (len)
		memcpy(bad->bytes, bytes, len);
	bad->len = (uint32_t)len;
}

static void bad_message_note(const struct stream *s, bool response, const struct message_error *error,
			     const char *bytes, size_t len)
{
	const struct proxy *fe = s->origin->frontend, *be = s->backend;
	bool own = fe->stats_socket; /* it comes and goes */
	struct bad_message *bad = own && (!response || be == fe) ?
					  NULL : bad_message_of(response ? be : fe, response);

	if (!bad)
		return;
	fe = own ? NULL : fe;
	bad->other = response ? fe : be;
	bad->server = s->server;
	bad->event = counter_sum(&global_tally->bad_messages);
	global_tally->bad_messages++;
	bad->when = clock_wall();
	bad->src = s->origin->src;
	bad->stream = s->id;
	bad->text = error->text;
	bad->position = error->position;
	bad_message_copy(bad, bytes, len);
}

/* May the client begin in another protocol: RFC 9113 3.3, by prior knowledge? */
static bool may_begin_otherwise(const struct stream *s)
{
	const struct exchange *x = s->exchange;

	return x->first && (!x->upgraded || s->origin->upgraded == UPGRADED_ANY) &&
	       s->origin->carrier->hand_over && s->origin->listener->bind->proto == PROTO_UNSET &&
	       !(s->origin->frontend->set.options.on & OPT_NO_H2_UPGRADE) &&
	       !(*s->relay.client.flags & CONN_UNPROVEN);
}

static void bad_message_hook(struct end *end, const struct message_error *error, const char *bytes,
			     size_t len)
{
	bool response = end->in->is_response;
	struct relay *relay = response ? container_of(end, struct relay, server) :
					 container_of(end, struct relay, client);

	enum proto begun = response || !may_begin_otherwise(stream_of(relay)) ? PROTO_UNSET :
			   proto_begun(bytes, len);

	if (begun) {
		stream_of(relay)->exchange->preface = (uint8_t)begun;
		return;
	}
	bad_message_note(stream_of(relay), response, error, bytes, len);
}

void bad_message_start(void)
{
	message_wrong = bad_message_hook;
}
