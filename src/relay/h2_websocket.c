/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * WebSocket over a stream of HTTP/2 (RFC 8441; relay/h2_stream.h): everybody above sees the
 * handshake of HTTP/1, a GET with Upgrade and its 101. From a client an extended CONNECT has become
 * that GET, with a key of ours: the server's 101 has to answer it. To a server the GET leaves as an
 * extended CONNECT. Whether the server takes such is known when its settings are here; until then
 * the head waits.
 *
 * Invariants: st->opening is there for both, from the request on. conn->openings counts those whose
 * head waits.
 */
#include "relay/h2_stream.h"

#include "base/memory.h"
#include "http/websocket.h"
#include "relay/pump.h"

#include <stdlib.h>

#define SPAN(text) ((struct span){ text, sizeof(text) - 1 })

struct h2_opening {
	char accept[WEBSOCKET_ACCEPT]; /* answers the key of the request */
	bool waits;                    /* a block of fields does: len bytes */
	size_t len;
	char block[];
};

static struct h2_opening *opening_new(size_t room, struct span key)
{
	struct h2_opening *o = memory_take(sizeof(*o) + room);

	if (!o)
		return NULL;
	o->waits = false;
	o->len = 0;
	websocket_accept(key, o->accept);
	return o;
}

static void opening_over(struct h2_stream *st)
{
	if (!st->opening->waits)
		return;
	st->opening->waits = false;
	st->conn->openings--;
}

void h2_websocket_free(struct h2_stream *st)
{
	if (!st->opening)
		return;
	opening_over(st);
	free(st->opening);
	st->opening = NULL;
}

/* ---- from a client ------------------------------------------------------------------------- */

bool h2_websocket_came(struct h2_stream *st, struct span key)
{
	st->opening = opening_new(0, key);
	return st->opening;
}

bool h2_websocket_accepts(const struct end *end, const struct message *res)
{
	const struct h2_stream *st = h2_state(end);
	struct span accept;
	const struct field *f;
	unsigned at = 0;

	if (!st->opening)
		return true;
	accept = (struct span){ st->opening->accept, WEBSOCKET_ACCEPT };
	f = message_find(res, SPAN("sec-websocket-accept"), &at);
	return f && h2_is_websocket(res) && span_equal(f->value, accept) &&
	       !message_find(res, SPAN("sec-websocket-accept"), &at);
}

/* ---- to a server --------------------------------------------------------------------------- */

enum io h2_websocket_ask(struct h2_stream *st, const struct message *msg)
{
	struct h2_conn *c = st->conn;
	size_t room = h2_block_room(message_size(msg), msg->count);
	struct hpack_writer w;
	const struct field *f;
	unsigned at = 0;

	f = message_find(msg, SPAN("sec-websocket-key"), &at);
	st->opening = opening_new(room, f ? f->value : SPAN(""));
	if (!st->opening)
		return IO_ERR;
	w = (struct hpack_writer){ st->opening->block, st->opening->block + room, false };
	h2_write_request(&w, msg, c->conn->layer ? SPAN("https") : SPAN("http"));
	if (w.full)
		return IO_ERR;
	st->opening->len = (size_t)(w.at - st->opening->block);
	st->opening->waits = true;
	st->request_method = METHOD_CONNECT;
	st->asks_tunnel = true;
	c->openings++;
	task_wake(&c->task);
	return IO_OK;
}

static bool opening_leaves(struct h2_stream *st)
{
	const struct h2_opening *o = st->opening;
	struct hpack_writer w;
	char *p;

	if (!h2_stream_number(st))
		return false;
	p = h2_block_begins(st->conn, h2_block_room(o->len, 0), &w);
	if (!p)
		return false;
	memcpy(w.at, o->block, o->len);
	w.at += o->len;
	h2_block_ends(st, p, &w, 0);
	return true;
}

void h2_websockets_go(struct h2_conn *c)
{
	struct h2_stream *st, *next;

	if (!c->greeted)
		return;
	list_for_each_safe(st, next, &c->streams, node) {
		if (!st->opening || !st->opening->waits)
			continue;
		opening_over(st);
		if (c->takes_connect && opening_leaves(st))
			continue;
		if (!c->takes_connect)
			st->wrong = 502;
		h2_stream_broken(st);
	}
}

static void put(struct message *msg, struct span name, enum field_id id, struct span value)
{
	msg->fields[msg->count++] = (struct field){ .name = name, .value = value, .id = (uint8_t)id,
						    .hop = id != FIELD_OTHER };
}

bool h2_websocket_taken(struct h2_stream *st, struct message *res)
{
	enum { MORE = 3 };
	unsigned at = 0;
	struct field *f;

	if (!st->opening || res->status / 100 != 2)
		return true;
	if (res->count + MORE > res->max)
		return false;
	while ((f = message_find(res, SPAN("sec-websocket-accept"), &at)))
		message_delete_field(res, f);
	res->status = 101;
	res->reason = SPAN("Switching Protocols");
	res->flags |= MSG_HOPS | MSG_UPGRADE;
	put(res, SPAN("connection"), FIELD_CONNECTION, SPAN("Upgrade"));
	put(res, SPAN("upgrade"), FIELD_UPGRADE, SPAN("websocket"));
	put(res, SPAN("sec-websocket-accept"), FIELD_OTHER,
	    (struct span){ st->opening->accept, WEBSOCKET_ACCEPT });
	res->head_len = (uint32_t)message_size(res);
	return true;
}
