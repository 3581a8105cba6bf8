/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Another protocol over a stream of HTTP/2, WebSocket for one (RFC 8441; h2/stream.h):
 * everybody above sees what HTTP/1 has for that, a GET with Upgrade and its 101. From a client an
 * extended CONNECT has become that GET. For WebSocket it has a key of ours, which the server's 101
 * has to answer. To a server the GET leaves as an extended CONNECT. Whether the server takes such
 * is known when its settings are here; until then the head waits.
 *
 * Invariants: st->opening is there for both, from the request on. conn->openings counts those whose
 * head waits.
 */
#include "h2/stream.h"

#include "base/literal.h"
#include "base/memory.h"
#include "http/upgrade_field.h"
#include "http/websocket.h"

#include <stdlib.h>

struct h2_opening {
	bool websocket;
	char accept[WEBSOCKET_ACCEPT]; /* answers the key of the request */
	struct span protocol;          /* in text, in front of the block */
	bool waits;                    /* a block of fields does: len bytes */
	size_t len;
	char text[];
};

/* For what the request asks. room: of a block. */
static struct h2_opening *opening_new(const struct message *req, size_t room)
{
	struct span protocol = upgrade_protocol(req);
	struct h2_opening *o = memory_take(sizeof(*o) + protocol.len + room);
	const struct field *f;
	unsigned at = 0;

	if (!o)
		return NULL;
	*o = (struct h2_opening){ .websocket = upgrade_is_websocket(req),
				  .protocol = { o->text, protocol.len } };
	memcpy(o->text, protocol.ptr, protocol.len);
	if (!o->websocket)
		return o;
	f = message_find(req, SPAN("sec-websocket-key"), &at);
	websocket_accept(f ? f->value : SPAN(""), o->accept);
	return o;
}

static char *opening_block(const struct h2_opening *o)
{
	return (char *)o->text + o->protocol.len;
}

static void opening_over(struct h2_stream *st)
{
	if (!st->opening->waits)
		return;
	st->opening->waits = false;
	st->conn->openings--;
}

void h2_upgrade_free(struct h2_stream *st)
{
	if (!st->opening)
		return;
	opening_over(st);
	free(st->opening);
	st->opening = NULL;
}

/* ---- from a client ------------------------------------------------------------------------- */

bool h2_upgrade_came(struct h2_stream *st, const struct message *req)
{
	st->opening = opening_new(req, 0);
	return st->opening;
}

/* A 200 tells the client that its protocol begins, and no other. */
bool h2_upgrade_accepts(const struct end *end, const struct message *res)
{
	const struct h2_opening *o = h2_state(end)->opening;
	const struct field *f;
	unsigned at = 0;

	if (!o)
		return true;
	f = message_find_id(res, FIELD_UPGRADE, &at);
	if (!f || !list_has_token(f->value, o->protocol))
		return false;
	if (!o->websocket)
		return true;
	at = 0;
	f = message_find(res, SPAN("sec-websocket-accept"), &at);
	return f && span_equal(f->value, (struct span){ o->accept, WEBSOCKET_ACCEPT }) &&
	       !message_find(res, SPAN("sec-websocket-accept"), &at);
}

/* ---- to a server --------------------------------------------------------------------------- */

enum io h2_upgrade_ask(struct h2_stream *st, const struct message *msg)
{
	struct h2_conn *c = st->conn;
	size_t room = h2_block_room(message_size(msg), msg->count);
	struct hpack_writer w;
	char *block;

	st->opening = opening_new(msg, room);
	if (!st->opening)
		return IO_ERR;
	block = opening_block(st->opening);
	w = (struct hpack_writer){ block, block + room, false };
	h2_write_request(&w, msg, c->conn->layer ? SPAN("https") : SPAN("http"));
	if (w.full)
		return IO_ERR;
	st->opening->len = (size_t)(w.at - block);
	st->opening->waits = true;
	st->request_method = METHOD_CONNECT;
	st->asks_tunnel = true;
	c->openings++;
	task_wake(&c->task);
	return IO_OK;
}

bool h2_upgrade_due(struct h2_stream *st, struct span *block)
{
	const struct h2_opening *o = st->opening;

	if (!o || !o->waits)
		return false;
	*block = (struct span){ opening_block(o), o->len };
	opening_over(st);
	return true;
}

static void put(struct message *msg, struct span name, enum field_id id, struct span value)
{
	msg->fields[msg->count++] = (struct field){ .name = name, .value = value, .id = (uint8_t)id,
						    .hop = id != FIELD_OTHER };
}

/* The answer to the client's key stands for the server's word. */
static void put_accept(const struct h2_opening *o, struct message *res)
{
	unsigned at = 0;
	struct field *f;

	while ((f = message_find(res, SPAN("sec-websocket-accept"), &at)))
		message_delete_field(res, f);
	put(res, SPAN("sec-websocket-accept"), FIELD_OTHER,
	    (struct span){ o->accept, WEBSOCKET_ACCEPT });
}

bool h2_upgrade_taken(struct h2_stream *st, struct message *res)
{
	enum { MORE = 3 };
	const struct h2_opening *o = st->opening;

	if (!o || res->status / 100 != 2)
		return true;
	if (res->count + MORE > res->max)
		return false;
	res->status = 101;
	res->reason = SPAN("Switching Protocols");
	res->flags |= MSG_HOPS | MSG_UPGRADE;
	put(res, SPAN("connection"), FIELD_CONNECTION, SPAN("Upgrade"));
	put(res, SPAN("upgrade"), FIELD_UPGRADE, o->protocol);
	if (o->websocket)
		put_accept(o, res);
	res->head_len = (uint32_t)message_size(res);
	return true;
}
