/* SPDX-License-Identifier: BSD-2-Clause */
/* Both ends of an explained request (explain/inside.h). Called by net/conn.c in the place of system
 * calls, and by run.c between two turns of the loop: nobody is told of anything from within a call.
 */
#include "explain/inside.h"

#include "base/bug.h"
#include "explain/inside_tls.h"
#include "net/conn.h"
#include "stream/connect.h"
#include "stream/stream.h"

#include <stdlib.h>

void bytes_add(struct bytes *b, const void *data, size_t len)
{
	if (b->len + len + 1 > b->size) {
		b->size = (b->len + len + 1) * 2;
		b->ptr = realloc(b->ptr, b->size);
		BUG_ON(!b->ptr);
	}
	if (len)
		memcpy(b->ptr + b->len, data, len);
	b->len += len;
	b->ptr[b->len] = 0;
}

void bytes_str(struct bytes *b, const char *text)
{
	bytes_add(b, text, strlen(text));
}

/* One side: what the program is to read from it, and what the program has sent and nobody has
 * looked at yet. */
struct side {
	struct conn *conn; /* NULL: closed, or none yet */
	struct bytes in, out;
	size_t read;       /* of in */
	bool eof;
};

static struct inside *inside;
static struct side client, server;
static struct inside_tls *tls;

static struct side *side_of(const struct conn *conn)
{
	return conn == client.conn ? &client : conn == server.conn ? &server : NULL;
}

static enum io side_nothing(struct conn *conn, const struct side *side)
{
	if (!side || side->eof) {
		conn->flags |= CONN_EOF;
		conn->flags &= (uint16_t)~CONN_READABLE;
		return IO_EOF;
	}
	conn->flags &= (uint16_t)~CONN_READABLE;
	return IO_AGAIN;
}

static enum io side_recv(struct conn *conn, void *buf, size_t size, bool peek, size_t *got)
{
	struct side *side = side_of(conn);
	size_t n = side ? side->in.len - side->read : 0;

	if (!n)
		return side_nothing(conn, side);
	*got = n < size ? n : size;
	memcpy(buf, side->in.ptr + side->read, *got);
	if (!peek)
		side->read += *got;
	if (!peek && side->read == side->in.len && !side->eof)
		conn->flags &= (uint16_t)~CONN_READABLE;
	return IO_OK;
}

static void side_send(struct conn *conn, const void *buf, size_t len)
{
	struct side *side = side_of(conn);

	if (side)
		bytes_add(&side->out, buf, len);
}

static void side_closed(struct conn *conn, bool reset)
{
	struct side *side = side_of(conn);

	if (!side)
		return;
	if (side == &client) {
		inside->client_closed = true;
		inside->client_reset = reset;
	}
	side->conn = NULL;
}

static const struct conn_inside ends = { .recv = side_recv,
					 .send = side_send,
					 .closed = side_closed };

static struct conn *side_open(struct side *side)
{
	struct conn *conn = conn_new();

	if (!conn)
		return NULL;
	*side = (struct side){ .conn = conn };
	conn->flags = CONN_WRITABLE;
	return conn;
}

/* Connected to: by connect.c. */
static struct conn *server_open(struct stream *s)
{
	if (!inside->request.ptr || (inside->refuses && inside->refuses(s)))
		return NULL;
	inside->connected = true;
	return side_open(&server);
}

static void say_request(struct inside *in)
{
	struct span request = in->request_h2.len ? in->request_h2 : in->request;

	in->h2 = in->request_h2.len != 0;
	bytes_add(&client.in, request.ptr, request.len);
}

struct conn *inside_open(struct inside *in)
{
	inside = in;
	conn_inside = &ends;
	connect_inside = server_open;
	if (!side_open(&client))
		return NULL;
	bytes_add(&client.in, in->before.ptr, in->before.len);
	if (in->tls && !(tls = inside_tls_new(in->sni, in->request_h2.len != 0)))
		return NULL;
	if (tls && in->own && !inside_tls_own(tls, in->own))
		return NULL;
	if (tls)
		inside_tls_turn(tls, in, &client.out, &client.in);
	else
		say_request(in);
	client.conn->flags |= CONN_READABLE;
	return client.conn;
}

static bool client_turn(void)
{
	size_t had = client.in.len;

	if (!client.out.len)
		return false;
	if (tls)
		inside_tls_turn(tls, inside, &client.out, &client.in);
	else
		bytes_add(&inside->heard, client.out.ptr, client.out.len);
	client.out.len = 0;
	if (client.in.len > had && client.conn)
		conn_inside_ready(client.conn);
	return true;
}

static bool server_turn(void)
{
	if (!server.out.len)
		return false;
	bytes_add(&inside->got, server.out.ptr, server.out.len);
	server.out.len = 0;
	return true;
}

bool inside_turn(void)
{
	bool moved = client_turn();

	return server_turn() || moved;
}

bool inside_answer(void)
{
	if (server.conn && !inside->answered) {
		inside->answered = true;
		bytes_add(&server.in, inside->answer.ptr, inside->answer.len);
		server.eof = inside->closes || inside->upgrades;
		conn_inside_ready(server.conn);
		return true;
	}
	if ((inside->closes || inside->upgrades) && client.conn && !client.eof &&
	    (inside->answered || !server.conn)) {
		client.eof = true;
		conn_inside_ready(client.conn);
		return true;
	}
	return false;
}

void inside_end(void)
{
	conn_inside = NULL;
	connect_inside = NULL;
	inside_tls_free(&tls);
	free(client.in.ptr);
	free(client.out.ptr);
	free(server.in.ptr);
	free(server.out.ptr);
	client = server = (struct side){ .conn = NULL };
}
