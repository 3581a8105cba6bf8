/* SPDX-License-Identifier: BSD-2-Clause */
/* SOCKS4 towards servers (stream/socks.h). Called by connect.c, which looks after the time and
 * tries again. The reply is looked at in the kernel's buffer until it is whole, so that not one
 * byte of the server's behind it is taken. */
#include "stream/socks.h"

#include "net/conn.h"
#include "net/faults.h"
#include "net/socks4.h"
#include "proxy/server.h"
#include "stream/extra.h"
#include "stream/stream.h"

#include <errno.h>

bool socks_way(struct stream *s, const struct addr *to, struct addr *way)
{
	char request[SOCKS4_REQUEST];

	*way = *to;
	if (!s->server->set.socks4.family)
		return true;
	*way = s->server->set.socks4;
	if (!extra_get(s) || !socks4_request(request, to))
		return false;
	s->extra->socks_asked = false;
	return true;
}

static enum io socks_failed(struct stream *s, enum conn_fault fault)
{
	s->extra->server_fault = (uint8_t)fault;
	conn_fail(end_conn(&s->relay.server), CONN_READABLE | CONN_WRITABLE, ECONNREFUSED);
	return IO_ERR;
}

static enum io socks_ask(struct stream *s, const struct addr *to)
{
	struct conn *conn = end_conn(&s->relay.server);
	char request[SOCKS4_REQUEST];
	size_t len = socks4_request(request, to), sent;

	if (!len || conn_raw_send(conn, request, len, false, &sent) != IO_OK || sent < len)
		return socks_failed(s, FAULT_SOCKS_WRITE);
	s->extra->socks_asked = true;
	conn->flags |= CONN_READABLE; /* what it said before we came to look */
	return IO_OK;
}

static enum io socks_hear(struct stream *s)
{
	struct conn *conn = end_conn(&s->relay.server);
	char reply[SOCKS4_REPLY];
	size_t got;

	switch (conn_peek(conn, reply, sizeof(reply), &got)) {
	case IO_AGAIN:
		return IO_AGAIN;
	case IO_EOF:
		return socks_failed(s, FAULT_SOCKS_ABORTED);
	case IO_ERR:
		return socks_failed(s, FAULT_SOCKS_READ);
	case IO_OK:
		break;
	}
	if (got < sizeof(reply))
		return conn->flags & CONN_RDHUP ? socks_failed(s, FAULT_SOCKS_ABORTED) : IO_AGAIN;
	if (!socks4_granted(reply))
		return socks_failed(s, FAULT_SOCKS_DENIED);
	if (conn_raw_recv(conn, reply, sizeof(reply), &got) != IO_OK || got != sizeof(reply))
		return socks_failed(s, FAULT_SOCKS_READ);
	conn->flags |= CONN_READABLE; /* the server may have said something already */
	return IO_OK;
}

enum io socks_go(struct stream *s, const struct addr *to)
{
	enum io r = IO_OK;

	if (!s->server->set.socks4.family)
		return IO_OK;
	if (!s->extra->socks_asked)
		r = socks_ask(s, to);
	return r == IO_OK ? socks_hear(s) : r;
}
