/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The life of a connection of HTTP/2 (h2/conn.h): how it begins, its turns, and how it ends.
 * It stands above the other files of h2/stream.h. When enough waits to be sent, streams wait:
 * by urgency, and among equals one after the other.
 *
 * Invariant: nothing of a connection is freed while its functions run. Streams go at the end of
 * the turn (streams.c), it itself from its task.
 */
#include "h2/stream.h"

#include "base/clock.h"
#include "base/kind.h"
#include "base/pool.h"
#include "net/linger.h"

#include <string.h>

static struct h2_counts nobody; /* of connections whose owner is not known yet */

static struct pool conn_pool = POOL_INIT("http/2 connection", sizeof(struct h2_conn));

/* ---- out --------------------------------------------------------------------------------- */

static bool may_send(const struct h2_conn *c)
{
	return c->state <= H2_OPEN && c->conn->flags & CONN_WRITABLE &&
	       c->out.len < H2_OUT_ENOUGH && c->send_window > 0;
}

/* Heads first: they need no window, and whoever they announce something to waits for it. */
static void serve_heads(struct h2_conn *c)
{
	struct h2_stream *st;

	while (c->state <= H2_OPEN && c->out.len < H2_OUT_ENOUGH && !list_empty(&c->talking)) {
		st = list_first(&c->talking, struct h2_stream, talking);
		list_remove(&st->talking);
		h2_stream_writable(st);
	}
}

static struct h2_stream *next_waiting(struct h2_conn *c)
{
	unsigned i;

	for (i = 0; i <= H2_URGENCY_LEAST; i++)
		if (!list_empty(&c->waiting[i]))
			return list_first(&c->waiting[i], struct h2_stream, waiting);
	return NULL;
}

/* One after the other, as long as there is room. Who has more to say goes behind the others. */
static void serve(struct h2_conn *c)
{
	struct h2_stream *st;

	serve_heads(c);
	while (may_send(c) && (st = next_waiting(c))) {
		c->serving = st;
		c->share = H2_SHARE;
		h2_stream_writable(st);
		c->serving = NULL;
	}
}

/* A server that has Nagle's algorithm on holds the rest of an answer back until what it has sent
 * was acknowledged, which the kernel leaves for later: 40 ms. It is told at once. */
static void acknowledge(struct h2_conn *c)
{
	if (c->unacked && c->client && c->numbers.streams && c->conn && c->state != H2_DEAD)
		conn_ack_now(c->conn);
	c->unacked = false;
}

/* ---- life -------------------------------------------------------------------------------- */

/* Tells streams that the connection is gone, a few in a turn: each may have a connection to close.
 * False: there are more. */
static bool tell_some(struct h2_conn *c)
{
	struct h2_stream *st, *next;
	unsigned left = 2;

	list_for_each_safe(st, next, &c->streams, node) {
		if (st->told)
			continue;
		if (!left--)
			return false;
		st->told = true;
		if (st->end)
			h2_stream_broken(st);
		else
			h2_stream_free(st);
	}
	return true;
}

/* All streams learn that the connection is gone; what is known of it they may still say. */
static void tell(struct h2_conn *c)
{
	enum { LAST_WORDS_MS = 1000 }; /* so long those of a fault may find no room */

	if (!tell_some(c)) {
		task_wake(&c->task);
		return;
	}
	c->told = true;
	/* To close while the client still says something would be a RST, which takes our last words
	 * along. */
	if (c->client)
		conn_close(&c->conn, false);
	else if (c->ops->part && !c->faulty)
		c->ops->part(c->owner, &c->conn, c->draining);
	else
		conn_part(&c->conn, LAST_WORDS_MS, c->draining);
}

/* A client says GOAWAY when all is over: some servers stop at once when they hear it. */
void h2_conn_quit(struct h2_conn *c)
{
	if (c->state != H2_DEAD) {
		h2_goaway(c, H2_NO_ERROR);
		h2_flush(c);
		h2_dead(c);
	}
	conn_close(&c->conn, false);
}

static void conn_task(struct task *task)
{
	struct h2_conn *c = container_of(task, struct h2_conn, task);
	bool crowded = c->out.len >= H2_OUT_MOST;

	if (crowded) /* then nothing is read, nor asked */
		h2_flush(c);
	if (c->state != H2_DEAD && (c->pending || c->conn->flags & CONN_READABLE))
		h2_receive(c);
	if (c->openings)
		h2_openings_go(c);
	h2_flush(c);
	if (c->state != H2_DEAD) {
		serve(c);
		h2_flush(c);
	}
	acknowledge(c);
	if (crowded && c->out.len < H2_OUT_MOST && c->ops->room)
		c->ops->room(c->owner);
	if (c->out.len)
		h2_out_rests(c);
	if (c->client && (c->draining || c->refused) && !c->numbers.streams)
		h2_conn_quit(c);
	else if (!c->client && c->draining && !c->numbers.streams && !c->out.len)
		h2_dead(c);
	if (c->state == H2_DEAD && !c->told)
		tell(c);
	if (c->state == H2_DEAD && list_empty(&c->streams)) {
		task_cancel(&c->task);
		c->ops->closed(c->owner);
	}
}

static void conn_ready(struct conn *conn)
{
	struct h2_conn *c = KIND_OF(struct h2_conn, conn->owner);

	if (conn->flags & CONN_READABLE)
		h2_receive(c);
	task_wake(&c->task);
}

/* RFC 9113 6.5.3; or the peer does not answer our last PING. */
static void answer_late(struct timer *timer)
{
	struct h2_conn *c = container_of(timer, struct h2_conn, timer);

	if (c->leaving)
		h2_conn_drain(c);
	else
		h2_fault(c, H2_SETTINGS_TIMEOUT);
}

/* Our settings. How much may come on all streams a server learns with them, a client when we have
 * acknowledged its settings: simple ones take what comes first for that. */
static void greet(struct h2_conn *c)
{
	enum { MOST = 6 };
	bool table = c->limits.table != HPACK_DEFAULT, frame = c->reader.max > H2_FRAME_LEAST;
	bool websocket = !c->client && !c->limits.no_connect;
	unsigned count = 2 + c->client + table + frame + websocket;
	char *p = h2_out(c, H2_PREFACE_LEN + H2_FRAME_HEADER + MOST * H2_SETTING_SIZE);

	if (!p)
		return;
	if (c->client) {
		memcpy(p, h2_preface, H2_PREFACE_LEN);
		p += H2_PREFACE_LEN;
	}
	p = h2_write_header(p, H2_SETTINGS, 0, 0, count * H2_SETTING_SIZE);
	if (c->client)
		p = h2_write_setting(p, H2_ENABLE_PUSH, 0);
	p = h2_write_setting(p, H2_MAX_CONCURRENT_STREAMS, c->limits.streams);
	p = h2_write_setting(p, H2_INITIAL_WINDOW_SIZE, h2_window_first(c));
	if (table)
		p = h2_write_setting(p, H2_HEADER_TABLE_SIZE, c->limits.table);
	if (frame)
		p = h2_write_setting(p, H2_MAX_FRAME_SIZE, c->reader.max);
	if (websocket)
		p = h2_write_setting(p, H2_ENABLE_CONNECT_PROTOCOL, 1);
	h2_out_done(c, p);
	if (c->client)
		h2_say_window(c);
	timer_set(&c->timer, clock_now_ms + h2_conf.settings_ms);
}

static void conn_init(struct h2_conn *c)
{
	unsigned i;

	c->state = c->client ? H2_SETTINGS_DUE : H2_PREFACE;
	c->reader.max = c->limits.frame > H2_FRAME_LEAST ? c->limits.frame : H2_FRAME_LEAST;
	field_table_init(&c->table, HPACK_DEFAULT);
	if (c->limits.table > HPACK_DEFAULT) /* less: when the peer knows */
		c->table.most = c->limits.table;
	c->filled_ms = clock_now_ms;
	c->send_window = c->peer_window = H2_WINDOW_FIRST;
	c->window = c->limits.window > H2_WINDOW_USUAL ? c->limits.window : H2_WINDOW_USUAL;
	c->recv_window = (int32_t)c->window;
	c->credits = H2_CREDITS_FIRST * H2_CREDIT_BYTES;
	c->peer_streams = UINT32_MAX;
	c->next_out = 1;
	c->calm_ms = clock_now_ms;
	c->trust = c->client ? H2_TRUST_MOST : 0;
	c->turn = (uint32_t)loop_stats.turns - 1;
	list_init(&c->streams);
	list_init(&c->talking);
	for (i = 0; i <= H2_URGENCY_LEAST; i++)
		list_init(&c->waiting[i]);
	task_init(&c->task, conn_task);
	timer_init(&c->timer, answer_late);
	timer_init(&c->linger, h2_linger_late);
}

struct h2_conn *h2_conn_new(struct conn **conn, bool client, const struct h2_limits *limits,
			    const struct h2_owner *ops, void *owner, struct span received)
{
	struct h2_conn *c = pool_take(&conn_pool);

	if (!c)
		return NULL;
	c->client = client;
	c->limits = *limits;
	c->ops = ops;
	c->owner = owner;
	c->totals = client ? &h2_all.servers : &h2_all.clients;
	c->counts = &nobody;
	conn_init(c);
	h2_desk_take(&c->out);
	if (!c->out.data || !h2_receive_init()) {
		h2_desk_give(&c->out);
		pool_give(&conn_pool, &c);
		return NULL;
	}
	c->totals->connected++;
	c->totals->connections++;
	nobody.open_connections++;
	c->conn = *conn;
	*conn = NULL;
	KIND_IS(struct h2_conn, c);
	c->conn->owner = c;
	c->conn->ready = conn_ready;
	greet(c);
	c->pending = received.len;
	if (!h2_bytes_add(&c->in, received.ptr, received.len))
		h2_dead(c);
	task_wake(&c->task);
	return c;
}

void h2_conn_free(struct h2_conn **conn)
{
	struct h2_conn *c = *conn;

	BUG_ON(c->state != H2_DEAD || !list_empty(&c->streams));
	task_cancel(&c->task);
	conn_close(&c->conn, false);
	field_table_free(&c->table);
	h2_bytes_free(&c->in);
	h2_bytes_free(&c->block);
	h2_desk_give(&c->out);
	pool_give(&conn_pool, conn);
}

bool h2_conn_drains(const struct h2_conn *c)
{
	return c->draining || c->leaving;
}

/* RFC 9113 6.8: what is on its way from the peer need not be asked for again. */
void h2_conn_leave(struct h2_conn *c)
{
	enum { LEAVE_MS = 5000 };
	char *p;

	if (c->leaving || c->draining || c->state >= H2_CLOSING)
		return;
	p = h2_out(c, H2_GOAWAY_SIZE + H2_PING_SIZE);
	if (!p)
		return;
	p = h2_write_goaway(p, H2_STREAM_MOST, H2_NO_ERROR);
	h2_out_done(c, h2_write_ping(p, 0, h2_leave_word));
	c->counts->goaway_resp++;
	c->leaving = true;
	timer_set(&c->timer, clock_now_ms + LEAVE_MS);
}

void h2_conn_close(struct h2_conn *c, enum h2_code code)
{
	h2_fault(c, code);
}

/* Streams that linger, or that nobody was lent an end of, are left. */
void h2_conn_drop(struct h2_conn *c)
{
	struct h2_stream *st, *next;

	h2_fault(c, H2_NO_ERROR);
	h2_dead(c);
	list_for_each_safe(st, next, &c->streams, node)
		if (!st->end)
			h2_stream_free(st);
}

unsigned h2_conn_room(const struct h2_conn *c)
{
	uint32_t peer = c->greeted ? c->peer_streams : 1;
	uint32_t most = peer < c->limits.streams ? peer : c->limits.streams;

	if (!c->client || c->state >= H2_CLOSING || c->draining || c->refused ||
	    c->next_out > H2_STREAM_MOST || c->numbers.streams >= most ||
	    c->out.len >= H2_OUT_MOST)
		return 0;
	return most - c->numbers.streams;
}

struct h2_stream *h2_conn_open(struct h2_conn *c)
{
	return h2_conn_room(c) ? h2_stream_new(c, 0) : NULL;
}

void h2_conn_count(struct h2_conn *c, struct h2_counts *counts)
{
	unsigned open = c->state != H2_DEAD;

	if (c->counts == counts)
		return;
	c->counts->open_connections -= open;
	c->counts->backend_open_streams -= c->numbers.streams;
	c->counts = counts;
	counts->total_connections++;
	counts->open_connections += open;
	counts->backend_open_streams += c->numbers.streams;
}
