/* SPDX-License-Identifier: BSD-2-Clause */
/* How a client's connection is closed when all that is to be said was said (net/linger.c decides
 * whether it lingers). Called wherever a connection ends that may have an answer on its way: at the
 * end of a stream, between two requests, at the end of the process. Connections that have not said
 * anything yet (rules, handshakes) are closed by conn_close alone; so are those that the program
 * breaks off. */
#include "stream/client_close.h"

#include "net/conn.h"
#include "net/linger.h"
#include "proxy/proxy.h"
#include "relay/buffer.h"
#include "relay/message_end.h"
#include "relay/pump.h"

void client_close(struct conn **conn, const struct proxy *frontend, bool may_send)
{
	const struct timeouts *t = &frontend->set.timeout;

	if (!*conn || frontend->set.options.on & OPT_NOLINGER)
		conn_close(conn, false); /* the socket knows about the option */
	else
		conn_part(conn, t->client_fin ? t->client_fin : t->client, may_send);
}

void client_close_end(struct relay *relay, const struct proxy *frontend, bool may_send)
{
	struct end *end = &relay->client;
	struct conn *conn = end_conn(end);
	struct buf *held = NULL;

	if (!conn || relay_is_bypassed(relay))
		return;
	if (end_speaks(end))
		end_detach(end, &held);
	else
		end_forget(end);
	buffer_give(&held);
	client_close(&conn, frontend, may_send);
}
