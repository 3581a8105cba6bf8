/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The streams of a connection of HTTP/2 (h2/stream.h): how they begin, are found, wait, and
 * break off.
 *
 * Invariants: a stream is found by its id until its end is closed. It goes at the end of the turn:
 * none is freed while functions of its connection run.
 */
#include "h2/stream.h"

#include "base/clock.h"
#include "base/pool.h"
#include "relay/buffer.h"
#include "relay/pump.h"

#include <stdlib.h>

static struct pool stream_pool = POOL_INIT("http/2 stream", sizeof(struct h2_stream));

static struct h2_stream **bucket_of(const struct h2_conn *c, uint32_t id)
{
	return (struct h2_stream **)&c->buckets[id / 2 % H2_BUCKETS];
}

struct h2_stream *h2_stream_find(const struct h2_conn *c, uint32_t id)
{
	struct h2_stream *st = *bucket_of(c, id);

	while (st && st->id != id)
		st = st->next;
	return st;
}

struct h2_stream *h2_stream_new(struct h2_conn *c, uint32_t id)
{
	struct h2_stream *st = pool_take(&stream_pool), **bucket = bucket_of(c, id);

	if (!st)
		return NULL;
	st->conn = c;
	st->id = id;
	st->priority.urgency = H2_URGENCY_USUAL;
	st->send_window = c->peer_window;
	st->window = h2_window_first(c);
	st->sink_room = UINT32_MAX;
	st->recv_window = (int32_t)st->window;
	st->filled_ms = clock_now_ms;
	st->framing.passable = UINT64_MAX;
	st->framing.coded = true;
	st->framing.keep = true;
	st->flags = CONN_WRITABLE;
	if (id) {
		st->next = *bucket;
		*bucket = st;
	}
	list_append(&c->streams, &st->node);
	list_init(&st->waiting);
	list_init(&st->talking);
	c->numbers.opened++;
	c->totals->opened++;
	c->totals->streams++;
	c->counts->backend_total_streams++;
	c->counts->backend_open_streams++;
	h2_earned(c, H2_CREDITS_STREAM * H2_CREDIT_BYTES);
	if (!c->numbers.streams++ && c->ops->busy)
		c->ops->busy(c->owner, true);
	return st;
}

static void stream_reap(struct reap *reap)
{
	struct h2_stream *st = container_of(reap, struct h2_stream, reap);

	pool_give(&stream_pool, &st);
}

bool h2_stream_number(struct h2_stream *st)
{
	struct h2_conn *c = st->conn;
	struct h2_stream **bucket;

	if (c->state >= H2_CLOSING || c->draining || c->refused || c->next_out > H2_STREAM_MOST) {
		st->unprocessed = true;
		return false;
	}
	st->id = c->next_out;
	c->next_out += 2;
	bucket = bucket_of(c, st->id);
	st->next = *bucket;
	*bucket = st;
	return true;
}

void h2_stream_free(struct h2_stream *st)
{
	struct h2_conn *c = st->conn;
	struct h2_stream **at = bucket_of(c, st->id);

	while (st->id && *at != st)
		at = &(*at)->next;
	if (st->id)
		*at = st->next;
	list_remove(&st->node);
	list_remove(&st->waiting);
	list_remove(&st->talking);
	if (c->serving == st)
		c->serving = NULL;
	if (c->due == st)
		c->due = NULL;
	st->fresh = false;
	h2_gave(c, NULL, st->in.len + st->now.len - st->marked_given);
	h2_unkept(st, st->in.len);
	h2_stream_window_end(st);
	h2_bytes_free(&st->in);
	st->now.len = 0;
	h2_bytes_free(&st->trailers);
	buffer_give(&st->head);
	free(st->kept);
	st->kept = NULL;
	h2_upgrade_free(st);
	c->totals->streams--;
	c->counts->backend_open_streams--;
	if (!--c->numbers.streams && c->ops->busy)
		c->ops->busy(c->owner, false);
	task_wake(&c->task);
	loop_reap(&st->reap, stream_reap);
}

bool h2_is_idle(const struct h2_conn *c, uint32_t id)
{
	bool ours = (id & 1) == c->client;

	return ours ? id >= c->next_out || !c->client : c->client || id > c->last_in;
}

bool h2_is_ours_no_more(const struct h2_conn *c, uint32_t id)
{
	return c->client && id & 1 && id < c->next_out;
}

/* ---- what others know of it ---------------------------------------------------------------- */

void h2_note(struct h2_stream *st)
{
	bool bytes = h2_bytes_at_hand(st);

	st->framing.ended = h2_body_is_here(st) && !bytes && !st->fresh && !st->kept;
	if (bytes)
		st->flags |= CONN_READABLE | CONN_HELD;
	else
		st->flags &= (uint16_t)~CONN_HELD;
	if (st->fresh || st->kept || st->framing.ended || st->reset)
		st->flags |= CONN_READABLE;
	else if (!bytes)
		st->flags &= (uint16_t)~CONN_READABLE;
}

void h2_stream_broken(struct h2_stream *st)
{
	st->reset = true;
	if (st->lingers_ms) {
		h2_stream_free(st);
		return;
	}
	list_remove(&st->waiting);
	list_remove(&st->talking);
	st->flags |= CONN_READABLE | CONN_WRITABLE | CONN_HUP | CONN_ERROR | CONN_BROKEN;
	if (st->end)
		pump_break(st->end->out);
	if (st->end)
		end_ready(st->end);
}

void h2_stream_reset(struct h2_stream *st, enum h2_code code)
{
	if (!st->reset && st->id)
		h2_reset_id(st->conn, st->id, code);
	h2_stream_broken(st);
}

void h2_stream_fault(struct h2_stream *st, enum h2_code code)
{
	struct h2_conn *c = st->conn;

	c->counts->detected_strm_protocol_errors++;
	h2_stream_reset(st, code);
	h2_glitch(c);
}

/* ---- turns --------------------------------------------------------------------------------- */

void h2_stream_wait(struct h2_stream *st)
{
	st->flags &= (uint16_t)~CONN_WRITABLE;
	if (st->send_window > 0 && list_empty(&st->waiting))
		list_append(&st->conn->waiting[st->priority.urgency], &st->waiting);
}

void h2_stream_writable(struct h2_stream *st)
{
	list_remove(&st->waiting);
	st->flags |= CONN_WRITABLE;
	if (st->end)
		end_ready(st->end);
}

void h2_stream_talk(struct h2_stream *st)
{
	st->flags &= (uint16_t)~CONN_WRITABLE;
	if (list_empty(&st->talking))
		list_append(&st->conn->talking, &st->talking);
}
