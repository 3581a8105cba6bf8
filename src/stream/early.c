/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Early data in streams (doc/internals/tls.md): requests of clients that have not finished the TLS
 * handshake yet (unproven: they may be a repetition), and first words to servers along with ours.
 * Called by the steps of a request, by connect.c and by the layer below when the handshake has
 * ended. RFC 8470 says what may be done with such requests.
 */
#include "stream/early.h"

#include "proxy/proxy.h"
#include "relay/message_end.h"
#include "stream/extra.h"
#include "stream/kind.h"
#include "stream/stream.h"
#include "tls/conn.h"
#include "tls/link.h"

bool early_unproven(const struct stream *s)
{
	return *s->relay.client.flags & CONN_UNPROVEN;
}

bool early_is_proven(const struct stream *s)
{
	unsigned flags = *s->relay.client.flags;

	return !(flags & CONN_UNPROVEN) &&
	       (!(flags & CONN_BROKEN) || !tls_link_is(end_own_link(&s->relay.client)));
}

/* ---- the client's proof ------------------------------------------------------------------ */

void early_proved(struct end *client)
{
	struct stream *s = stream_of(container_of(client, struct relay, client));

	if (extra_get(s))
		task_wake(&s->extra->task);
}

/* ---- to the server ----------------------------------------------------------------------- */

struct span early_words(struct stream *s)
{
	if (!(s->server->set.tls.options.on & TLS_ALLOW_0RTT) || s->failures)
		return (struct span){ NULL, 0 };
	return s->kind->early_words(s);
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
	s->kind->early_taken(s, taken);
}

bool early_is_lost(const struct stream *s)
{
	if (!s->relay.server.ops || !tls_conn_early_said(end_conn(&s->relay.server)))
		return false;
	return !s->kind->early_repeats(s);
}
