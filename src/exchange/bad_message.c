/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Keeps what was wrong, so that the operator can look at it later. Called by ends through
 * their hook. Memory is taken once a proxy and direction, and grows to the longest message kept: it
 * is bounded by tune.bufsize. Without memory nothing is kept, and nothing else suffers.
 */
#include "exchange/bad_message.h"

#include "base/clock.h"
#include "http/message.h"
#include "relay/message_end.h"
#include "stream/stream.h"

#include <stdlib.h>

struct list bad_messages = LIST_INIT(bad_messages);
uint64_t bad_messages_count;

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
	struct bad_message *bad = bad_message_of(response ? be : fe, response);

	if (!bad)
		return;
	bad->other = response ? fe : be;
	bad->server = s->server;
	bad->event = bad_messages_count++;
	bad->when = clock_wall();
	bad->src = s->origin->src;
	bad->stream = s->id;
	bad->text = error->text;
	bad->position = error->position;
	bad_message_copy(bad, bytes, len);
}

static void bad_message_hook(struct end *end, const struct message_error *error, const char *bytes,
			     size_t len)
{
	bool response = end->in->is_response;
	struct relay *relay = response ? container_of(end, struct relay, server) :
					 container_of(end, struct relay, client);

	bad_message_note(stream_of(relay), response, error, bytes, len);
}

void bad_message_start(void)
{
	message_wrong = bad_message_hook;
}
