/* SPDX-License-Identifier: BSD-2-Clause */
/* Ends that are plain connections, and what is common to all ends. The loop's events come in
 * by end_conn_ready; everything goes on in the pumps. */
#include "relay/message_end.h"

#include "base/kind.h"
#include "relay/pipe.h"
#include "relay/pump.h"

static enum io end_conn_recv(struct end *end, void *buf, size_t size, size_t *got)
{
	return conn_recv(end_socket(end), buf, size, got);
}

static enum io end_conn_send(struct end *end, const void *buf, size_t len, bool more, size_t *sent)
{
	return conn_send(end_socket(end), buf, len, more, sent);
}

static enum io end_conn_splice_in(struct end *end, struct pipe *pipe, size_t max, size_t *got)
{
	return pipe_pull(pipe, end_socket(end), max, got);
}

static enum io end_conn_splice_out(struct end *end, struct pipe *pipe, bool more, size_t *sent)
{
	return pipe_push(pipe, end_socket(end), more, sent);
}

static void end_conn_finish(struct end *end)
{
	conn_shut(end_socket(end));
}

static void end_conn_close(struct end *end, bool reset)
{
	struct conn *conn = end_socket(end);

	conn_close(&conn, reset);
}

const struct end_ops end_conn_ops = {
	.name = "tcp",
	.recv = end_conn_recv,
	.send = end_conn_send,
	.splice_in = end_conn_splice_in,
	.splice_out = end_conn_splice_out,
	.finish = end_conn_finish,
	.close = end_conn_close,
	.socket = true,
};

/* Output first: it frees what input may need. A pump's notice may close this very end. */
void end_ready(struct end *end)
{
	struct pump *in = end->in, *out = end->out;

	if ((*end->flags & CONN_WRITABLE) && pump_wants_run(out))
		pump_run(out);
	if (likely(end->ops != NULL) && (*end->flags & (CONN_READABLE | CONN_HELD)))
		pump_run(in);
}

static void end_conn_ready(struct conn *conn)
{
	end_ready(KIND_OF(struct end, conn->owner));
}

void end_take_conn(struct end *end, struct conn **conn)
{
	end->ops = &end_conn_ops;
	end->framing = NULL;
	end->below = *conn;
	end->flags = &(*conn)->flags;
	KIND_IS(struct end, end);
	(*conn)->owner = end;
	end_use_conn(end);
	*conn = NULL;
}

void end_use_conn(struct end *end)
{
	end_socket(end)->ready = end_conn_ready;
}

void end_timeout_changed(struct end *end)
{
	struct relay *relay = end->in->is_response ? container_of(end, struct relay, server) :
						     container_of(end, struct relay, client);

	relay_notice(relay, end->in);
}

void (*message_wrong)(struct end *end, const struct message_error *error, const char *bytes,
		      size_t len);
bool (*message_more_fields)(struct message *msg);

void end_close(struct end *end, bool reset)
{
	const struct end_ops *ops = end->ops;

	if (!ops)
		return;
	end->ops = NULL;
	if (end->out->flags & PUMP_OPEN)
		pump_stop(end->out);
	ops->close(end, reset);
	end_forget(end);
}
