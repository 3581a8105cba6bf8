/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Windows of HTTP/2 (h2/stream.h; RFC 9113 5.2, 6.9): how much a peer may send, which grows
 * where more would be on its way at once. How much it lets us send is in peer_window.c.
 *
 * What a window allows may all come to lie here, so windows are a bound of memory: a connection's
 * grows by itself only where its path is long, and the process has a bound for all of these, as for
 * what streams to servers have beyond the least. Our SETTINGS tell a server the least; behind the
 * request its window is made larger, unless the client takes nothing, or slow clients keep much. It
 * grows while the client keeps up, which its socket knows, and shrinks where the client does not. The
 * peer has been promised it all, so what it is to have less is a debt: bytes that leave pay it, and
 * are not promised anew.
 */
#include "h2/stream.h"

#include "base/clock.h"
#include "base/result.h"
#include "net/conn_link.h"
#include "relay/pump.h"

enum { QUICK_MS = 100, LONG_MS = 2, ROUND_MOST_MS = 1000,
       SINK_BUSY = 1 << 17,     /* bytes that a client's socket has not sent: no more of a window, ... */
       SINK_BEHIND = 1 << 18 }; /* ... no more than it begins with */

static void fill(struct h2_conn *c, uint32_t id, uint32_t by)
{
	char *p = h2_out(c, H2_WINDOW_SIZE);

	if (p)
		h2_out_done(c, h2_write_window(p, id, by));
}

/* A peer that was busy then may seem to be far away: that is bounded. */
void h2_round_trip(struct h2_conn *c, uint64_t ms)
{
	c->round_ms = ms < ROUND_MOST_MS ? (uint16_t)ms : ROUND_MOST_MS;
}

/* The kernel sees as far as TCP goes, which may be a load balancer next to us; the peer has
 * acknowledged our settings itself. The shortest one: a peer that has nothing to send acknowledges
 * 40 ms late. */
static unsigned round_trip_ms(const struct h2_conn *c)
{
	struct link_path path;
	unsigned ms;

	if (!link_path(conn_link(c->conn), &path))
		return c->round_ms;
	ms = (path.min_rtt_us < path.rtt_us ? path.min_rtt_us : path.rtt_us) / 1000;
	return ms > c->round_ms ? ms : c->round_ms;
}

/* Half of it was used up in one round trip, and no path is quite even: it holds the peer back. */
static bool path_is_long(const struct h2_conn *c, uint64_t took_ms)
{
	unsigned rtt = round_trip_ms(c);

	return rtt >= LONG_MS && took_ms <= rtt + rtt / 2;
}

/* Twice the window, up to most; how much that adds. */
static uint32_t doubled(uint32_t *window, uint32_t most)
{
	uint32_t more = *window < most ? most - *window : 0;

	if (more > *window)
		more = *window;
	*window += more;
	return more;
}

static void grow_conn(struct h2_conn *c)
{
	uint32_t more;

	if (c->window >= H2_WINDOW_LONG || h2_all.long_bytes + c->window > H2_LONG_ALL ||
	    !path_is_long(c, clock_now_ms - c->filled_ms))
		return;
	more = doubled(&c->window, H2_WINDOW_LONG);
	h2_all.long_bytes += more;
	c->window_grown += more;
	c->given += more;
}

/* What others would be denied by that: what lies beyond the window that a stream begins with. */
static uint32_t beyond(const struct h2_stream *st, uint32_t window)
{
	uint32_t first = h2_window_first(st->conn);

	return window > first ? window - (st->window > first ? st->window : first) : 0;
}

/* False: the process has no room for it. */
static bool grow_to(struct h2_stream *st, uint32_t window, uint32_t all)
{
	uint32_t more = st->conn->client ? beyond(st, window) : 0;

	if (st->conn->totals->grown + more > all)
		return false;
	st->conn->totals->grown += more;
	st->grown += more;
	st->given += window - st->window;
	st->window = window;
	return true;
}

/* Slow readers are here: others begin with little, and have more when they prove to be none. */
static bool much_is_kept(const struct h2_conn *c)
{
	return c->totals->kept > H2_KEPT_MUCH;
}

bool h2_window_is_little(const struct h2_stream *st)
{
	const struct h2_conn *c = st->conn;

	return c->client && c->limits.window > st->window && !much_is_kept(c);
}

/* END_STREAM may have to go on the head still, in front of this. */
void h2_window_begin(struct h2_stream *st)
{
	struct h2_conn *c = st->conn;
	uint32_t stream = c->last_stream;

	if (!grow_to(st, c->limits.window, H2_GROWN_QUICK))
		return;
	fill(c, st->id, st->given);
	c->last_stream = c->state == H2_DEAD ? 0 : stream;
	st->recv_window += (int32_t)st->given;
	st->given = 0;
}

/* Where a reader does not keep up, a larger window would only fill. */
static void grow(struct h2_stream *st, uint32_t unsent)
{
	uint64_t took_ms = clock_now_ms - st->filled_ms;
	bool client = st->conn->client;
	uint32_t usual = client ? H2_WINDOW_CLIENT : H2_WINDOW_USUAL;
	uint32_t most = client ? H2_WINDOW_USUAL : st->conn->window, window = st->window;
	bool quick = took_ms <= QUICK_MS && window < usual;

	if (window >= most || st->in.len > st->marked_given || unsent >= SINK_BUSY ||
	    (client && st->sink_room < window) || !(quick || path_is_long(st->conn, took_ms)))
		return;
	doubled(&window, quick ? usual : most);
	DROPPED(grow_to(st, window, quick ? H2_GROWN_QUICK : H2_GROWN_ALL),
		"where others have taken what there is, the window stays");
}

static void shrink_to(struct h2_stream *st, uint32_t window)
{
	if (st->debt || st->marked || window >= st->window)
		return;
	st->debt = st->window - window;
	st->window = window;
}

/* Down to the least, of a client to half of what it began with. */
static void shrink(struct h2_stream *st)
{
	uint32_t least = st->conn->client ? 0 : st->conn->limits.window / 2;
	uint32_t smaller = st->window / 2;

	if (st->in.len > smaller && smaller >= least && smaller >= H2_WINDOW_LEAST)
		shrink_to(st, smaller);
}

bool h2_keep(struct h2_stream *st, struct span bytes)
{
	if (!h2_bytes_add(&st->in, bytes.ptr, bytes.len))
		return false;
	st->conn->totals->kept += bytes.len;
	shrink(st);
	return true;
}

/* n bytes have left: how many of them may come anew. */
static uint32_t debt_paid(struct h2_stream *st, uint32_t n)
{
	uint32_t paid = n < st->debt ? n : st->debt;

	st->debt -= paid;
	h2_window_returns(st, paid);
	return n - paid;
}

/* What the socket of the client has not sent: with that it is busy, whatever comes. */
static uint32_t sink_unsent(const struct h2_stream *st)
{
	struct link_path path;

	return st->conn->client && st->end && link_path(end_link(end_peer(st->end)), &path) ?
		       path.unsent : 0;
}

/* Half of the window was used up. A client that does not keep up is seen before its socket is full,
 * while bytes leave still, which pay the debt. */
static void adapt(struct h2_stream *st)
{
	const struct h2_conn *c = st->conn;
	uint32_t unsent = sink_unsent(st);

	if (unsent < SINK_BEHIND) {
		grow(st, unsent);
		return;
	}
	shrink_to(st, much_is_kept(c) ? h2_window_first(c) : c->limits.window);
	st->given = debt_paid(st, st->given);
}

static void gave_conn(struct h2_conn *c, size_t n)
{
	c->given += (uint32_t)n;
	if (c->given < c->window / 2 || c->state == H2_DEAD)
		return;
	grow_conn(c);
	fill(c, 0, c->given);
	c->recv_window += (int32_t)c->given;
	c->given = 0;
	c->filled_ms = clock_now_ms;
}

void h2_received(struct h2_conn *c, size_t n)
{
	c->recv_window -= (int32_t)n;
	if (c->client && c->recv_window >= 0)
		gave_conn(c, n);
}

void h2_gave(struct h2_conn *c, struct h2_stream *st, size_t n)
{
	if (!c->client)
		gave_conn(c, n);
	if (!st || st->in_ended || st->reset)
		return;
	st->given += debt_paid(st, (uint32_t)n);
	if (st->given < st->window / 2 || !st->given)
		return;
	adapt(st);
	if (!st->given)
		return;
	fill(c, st->id, st->given);
	st->recv_window += (int32_t)st->given;
	st->given = 0;
	st->filled_ms = clock_now_ms;
}

void h2_say_window(struct h2_conn *c)
{
	char *p = h2_out(c, H2_WINDOW_SIZE);

	if (p)
		h2_out_done(c, h2_write_window(p, 0, c->window - H2_WINDOW_FIRST));
}
