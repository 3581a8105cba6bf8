/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A connection of HTTP/2 (relay/h2_conn.h): its life, its streams, and what leaves. Frames are put
 * together in one piece of memory, which leaves at the end of the turn: answers to many streams
 * leave at once. When enough waits there, streams wait: by urgency, and among equals one after the
 * other. What comes is in h2_in.c and h2_heads.c, windows in h2_window.c, the end of a stream in
 * h2_end.c.
 *
 * Invariants: a stream is found by its id until its end is closed. Nothing of a connection is freed
 * while its functions run: streams go at the end of the turn, it itself from its task.
 */
#include "relay/h2_stream.h"

#include "base/clock.h"
#include "base/memory.h"
#include "base/pool.h"
#include "base/result.h"
#include "net/linger.h"
#include "relay/buffer.h"
#include "relay/pump.h"

#include <stdlib.h>

struct h2_limits h2_client_limits = { .streams = 100, .window = H2_WINDOW_FIRST,
				      .table = HPACK_DEFAULT };
struct h2_limits h2_server_limits = { .streams = 100, .window = H2_WINDOW_FIRST,
				      .table = HPACK_DEFAULT };

struct h2_totals h2_client_totals, h2_server_totals;
static struct h2_counts nobody; /* of connections whose owner is not known yet */

unsigned h2_settings_ms = 10000;

static struct pool conn_pool = POOL_INIT("http/2 connection", sizeof(struct h2_conn));
static struct pool stream_pool = POOL_INIT("http/2 stream", sizeof(struct h2_stream));

/* ---- bytes ------------------------------------------------------------------------------- */

enum { BYTES_LARGE = 65536 }; /* more memory than that goes back when a quarter would do */

bool h2_bytes_room(struct h2_bytes *b, size_t n)
{
	size_t size = b->size ? b->size : 512;
	char *data;

	while (size > BYTES_LARGE && size / 4 >= b->len + n)
		size /= 2;
	if (b->size - b->head - b->len >= n && b->data && size == b->size)
		return true;
	if (b->head) {
		memmove(b->data, h2_bytes_first(b), b->len);
		b->head = 0;
	}
	while (size < b->len + n && size <= H2_BYTES_MOST)
		size *= 2;
	if (size > H2_BYTES_MOST)
		return false;
	if (size == b->size)
		return true;
	data = memory_retake(b->data, size);
	if (!data)
		return false;
	b->data = data;
	b->size = (uint32_t)size;
	return true;
}

bool h2_bytes_add(struct h2_bytes *b, const char *bytes, size_t n)
{
	if (!n)
		return true;
	if (!h2_bytes_room(b, n))
		return false;
	memcpy(h2_bytes_tail(b), bytes, n);
	b->len += (uint32_t)n;
	return true;
}

void h2_bytes_free(struct h2_bytes *b)
{
	free(b->data);
	*b = (struct h2_bytes){ 0 };
}

void h2_bytes_skip(struct h2_bytes *b, size_t n)
{
	b->head += (uint32_t)n;
	b->len -= (uint32_t)n;
	if (!b->len)
		h2_bytes_free(b);
}

/* Memory to put frames together in. As a rule it is lent for a turn, so some pieces stay here. */
enum { DESK_SIZE = 16384, DESKS = 32 };
static char *desks[DESKS];
static unsigned desk_count;

static void desk_take(struct h2_bytes *b)
{
	b->data = desk_count ? desks[--desk_count] : memory_take(DESK_SIZE);
	b->size = b->data ? DESK_SIZE : 0;
}

static void desk_give(struct h2_bytes *b)
{
	if (b->size == DESK_SIZE && desk_count < DESKS) {
		desks[desk_count++] = b->data;
		b->data = NULL;
	}
	h2_bytes_free(b);
}

/* ---- streams ----------------------------------------------------------------------------- */

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

bool h2_was_reset(const struct h2_conn *c, uint32_t id)
{
	unsigned i;

	for (i = 0; c->reset_at && i < H2_RESETS; i++)
		if (c->resets[i] == id)
			return true;
	return false;
}

void h2_reset_id(struct h2_conn *c, uint32_t id, enum h2_code code)
{
	c->resets[c->reset_at++ % H2_RESETS] = id;
	h2_say_reset(c, id, code);
}

void h2_say_reset(struct h2_conn *c, uint32_t id, enum h2_code code)
{
	char *p = h2_out(c, H2_RST_SIZE);

	c->numbers.reset++;
	c->totals->reset++;
	c->counts->rst_stream_resp++;
	if (p)
		h2_out_done(c, h2_write_rst(p, id, code));
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

/* ---- out --------------------------------------------------------------------------------- */

static bool may_send(const struct h2_conn *c)
{
	return c->state <= H2_OPEN && c->conn->flags & CONN_WRITABLE &&
	       c->out.len < H2_OUT_ENOUGH && c->send_window > 0;
}

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

char *h2_out(struct h2_conn *c, size_t n)
{
	if (c->state == H2_DEAD)
		return NULL;
	c->last_stream = 0;
	if (!c->out.data)
		desk_take(&c->out);
	if (h2_bytes_room(&c->out, n))
		return h2_bytes_tail(&c->out);
	h2_dead(c);
	return NULL;
}

void h2_out_skip(struct h2_conn *c, size_t n)
{
	c->out.head += (uint32_t)n;
	c->out.len -= (uint32_t)n;
	if (!c->out.len)
		desk_give(&c->out);
}

/* The socket takes no more: what waits for it long lies in as much memory as it needs. */
static void leave_desk(struct h2_conn *c)
{
	struct h2_bytes rest = { 0 };

	if (c->out.size != DESK_SIZE || c->out.len > DESK_SIZE / 4 ||
	    !h2_bytes_add(&rest, h2_bytes_first(&c->out), c->out.len))
		return;
	c->last_stream = 0;
	desk_give(&c->out);
	c->out = rest;
}

void h2_out_done(struct h2_conn *c, const char *end)
{
	c->out.len = (uint32_t)(end - h2_bytes_first(&c->out));
	task_wake(&c->task);
}

void h2_flush(struct h2_conn *c)
{
	size_t sent;
	enum io r;

	while (c->conn && c->out.len && c->conn->flags & CONN_WRITABLE) {
		r = conn_send(c->conn, h2_bytes_first(&c->out), c->out.len, false, &sent);
		if (r == IO_AGAIN)
			return;
		if (r != IO_OK) {
			h2_dead(c);
			return;
		}
		c->last_stream = 0;
		c->unacked = false;
		h2_out_skip(c, sent);
	}
}

/* A server that has Nagle's algorithm on holds the rest of an answer back until what it has sent was
 * acknowledged, which the kernel leaves for later: 40 ms. It is told at once. */
static void acknowledge(struct h2_conn *c)
{
	if (c->unacked && c->client && c->numbers.streams && c->conn && c->state != H2_DEAD)
		conn_ack_now(c->conn);
	c->unacked = false;
}

/* ---- life -------------------------------------------------------------------------------- */

void h2_over(struct h2_conn *c)
{
	if (c->over)
		return;
	c->over = true;
	if (c->ops->room)
		c->ops->room(c->owner);
}

void h2_dead(struct h2_conn *c)
{
	if (c->state == H2_DEAD)
		return;
	c->state = H2_DEAD;
	c->last_stream = 0; /* what waited goes */
	c->totals->connections--;
	c->counts->open_connections--;
	timer_cancel(&c->timer);
	timer_cancel(&c->linger);
	h2_window_end(c);
	h2_over(c);
	desk_give(&c->out);
	task_wake(&c->task);
}

static void goaway(struct h2_conn *c, enum h2_code code)
{
	char *p = h2_out(c, H2_GOAWAY_SIZE);

	c->draining = true;
	c->counts->goaway_resp++;
	h2_over(c);
	if (p)
		h2_out_done(c, h2_write_goaway(p, c->last_in, code));
}

void h2_fault(struct h2_conn *c, enum h2_code code)
{
	if (c->state >= H2_CLOSING)
		return;
	if (code != H2_NO_ERROR)
		c->counts->detected_conn_protocol_errors++;
	if (code != H2_NO_ERROR && code != H2_INTERNAL_ERROR && c->ops->bad && c->conn)
		c->ops->bad(c->owner, c->conn); /* the peer's fault, not our lack of memory */
	c->faulty = code != H2_NO_ERROR;
	goaway(c, code);
	if (c->state != H2_DEAD)
		c->state = H2_CLOSING;
	h2_flush(c);
	if (c->conn)
		conn_discard(c->conn);
	h2_dead(c);
}

bool h2_glitch_borne(struct h2_conn *c)
{
	enum { A_SECOND = 100, AT_ONCE = 1000 };
	uint64_t forgiven = (clock_now_ms - c->calm_ms) / 1000 * A_SECOND;

	c->numbers.glitches++;
	c->trust /= 2;
	c->totals->glitches++;
	c->counts->glitches++;
	if (forgiven) {
		c->calm = forgiven < c->calm ? c->calm - (unsigned)forgiven : 0;
		c->calm_ms = clock_now_ms;
	}
	if ((++c->calm > AT_ONCE && !c->client) || /* servers are ours */
	    (c->limits.glitches && c->numbers.glitches >= c->limits.glitches)) {
		h2_fault(c, H2_ENHANCE_YOUR_CALM);
		return false;
	}
	if (c->limits.glitches && c->numbers.glitches >= c->limits.glitches / 4 * 3 &&
	    !c->draining)
		h2_conn_drain(c);
	return true;
}

void h2_glitch(struct h2_conn *c)
{
	DROPPED(h2_glitch_borne(c), "nothing follows that needs the connection");
}

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
		goaway(c, H2_NO_ERROR);
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
		h2_upgrades_go(c);
	h2_flush(c);
	if (c->state != H2_DEAD) {
		serve(c);
		h2_flush(c);
	}
	acknowledge(c);
	if (crowded && c->out.len < H2_OUT_MOST && c->ops->room)
		c->ops->room(c->owner);
	if (c->out.len)
		leave_desk(c);
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
	struct h2_conn *c = conn->owner;

	if (conn->flags & CONN_READABLE)
		h2_receive(c);
	task_wake(&c->task);
}

const char h2_leave_word[8] = { 'l', 'e', 'a', 'v', 'i', 'n', 'g', '.' };

/* RFC 9113 6.5.3; or the peer does not answer our last PING. */
static void answer_late(struct timer *timer)
{
	struct h2_conn *c = container_of(timer, struct h2_conn, timer);

	if (c->leaving)
		h2_conn_drain(c);
	else
		h2_fault(c, H2_SETTINGS_TIMEOUT);
}

void h2_say_window(struct h2_conn *c)
{
	char *p = h2_out(c, H2_WINDOW_SIZE);

	if (p)
		h2_out_done(c, h2_write_window(p, 0, c->window - H2_WINDOW_FIRST));
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
	timer_set(&c->timer, clock_now_ms + h2_settings_ms);
}

static void conn_init(struct h2_conn *c)
{
	unsigned i;

	c->state = c->client ? H2_SETTINGS_DUE : H2_PREFACE;
	c->reader.max = c->limits.frame > H2_FRAME_LEAST ? c->limits.frame : H2_FRAME_LEAST;
	hpack_table_init(&c->table, HPACK_DEFAULT);
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
	c->totals = client ? &h2_server_totals : &h2_client_totals;
	c->counts = &nobody;
	conn_init(c);
	desk_take(&c->out);
	if (!c->out.data || !h2_receive_init()) {
		desk_give(&c->out);
		pool_give(&conn_pool, &c);
		return NULL;
	}
	c->totals->connected++;
	c->totals->connections++;
	nobody.open_connections++;
	c->conn = *conn;
	*conn = NULL;
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
	hpack_table_free(&c->table);
	h2_bytes_free(&c->in);
	h2_bytes_free(&c->block);
	desk_give(&c->out);
	pool_give(&conn_pool, conn);
}

void h2_conn_drain(struct h2_conn *c)
{
	if (c->client) {
		c->draining = true;
		h2_over(c);
	} else if (!c->draining && c->state != H2_DEAD) {
		goaway(c, H2_NO_ERROR);
	}
	task_wake(&c->task);
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

struct h2_numbers h2_conn_numbers(const struct h2_conn *c)
{
	return c->numbers;
}

const struct h2_conn *h2_conn_of(const struct conn *conn)
{
	return conn->ready == conn_ready ? conn->owner : NULL;
}
