/* SPDX-License-Identifier: BSD-2-Clause */
/* Requests that go on behind their answer. RFC 9113 8.1 has the server say RST_STREAM NO_ERROR
 * then; a client that reads both at once may lose the answer (seen: curl 7.88). So the stream stays
 * for a quarter of a second. What comes meanwhile is thrown away, so that a client that is nearly
 * done ends its request. It counts as open; where a request wants its place, it is reset at once. */
#include "h2/stream.h"

#include "base/clock.h"
#include "relay/buffer.h"

void h2_stream_linger(struct h2_stream *st)
{
	struct h2_conn *c = st->conn;

	st->lingers_ms = clock_now_ms;
	h2_gave(c, st, st->in.len + st->now.len - st->marked_given);
	h2_bytes_free(&st->in);
	st->now.len = 0;
	st->marked_given = 0;
	buffer_give(&st->head);
	list_remove(&st->waiting);
	if (!timer_armed(&c->linger))
		timer_set(&c->linger, clock_now_ms + h2_conf.linger_ms);
}

static void linger_ends(struct h2_stream *st)
{
	h2_reset_id(st->conn, st->id, H2_NO_ERROR);
	h2_stream_free(st);
}

bool h2_linger_less(struct h2_conn *c)
{
	struct h2_stream *st;

	list_for_each(st, &c->streams, node) {
		if (st->lingers_ms) {
			linger_ends(st);
			return true;
		}
	}
	return false;
}

void h2_linger_late(struct timer *timer)
{
	struct h2_conn *c = container_of(timer, struct h2_conn, linger);
	struct h2_stream *st, *next;

	list_for_each_safe(st, next, &c->streams, node) {
		if (st->lingers_ms && st->lingers_ms + h2_conf.linger_ms <= clock_now_ms)
			linger_ends(st);
		else if (st->lingers_ms)
			timer_set_by(timer, st->lingers_ms + h2_conf.linger_ms);
	}
}
