/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What connections of HTTP/2 and their peers may cost (h2/stream.h): the limits that are
 * configured, what windows have grown by in all of the process, and the credit of a peer, which
 * makes windows larger and says PING.
 */
#include "h2/stream.h"

#define LIMITS { .streams = 100, .window = H2_WINDOW_FIRST, .table = HPACK_DEFAULT }
struct h2_conf h2_conf = { .clients = LIMITS, .servers = LIMITS, .linger_ms = 250,
			   .settings_ms = 10000 };

struct h2_all h2_all;

uint32_t h2_window_first(const struct h2_conn *c)
{
	uint32_t window = c->limits.window;

	return c->client && window > H2_WINDOW_LEAST ? H2_WINDOW_LEAST : window;
}

void h2_window_returns(struct h2_stream *st, uint32_t n)
{
	if (n > st->grown)
		n = st->grown;
	st->grown -= n;
	st->conn->totals->grown -= n;
}

void h2_stream_window_end(struct h2_stream *st)
{
	h2_window_returns(st, st->grown);
}

void h2_window_end(struct h2_conn *c)
{
	h2_all.long_bytes -= c->window_grown;
	c->window_grown = 0;
}

bool h2_excused(struct h2_conn *c)
{
	if (c->credits < H2_CREDIT_BYTES)
		return false;
	c->credits -= H2_CREDIT_BYTES;
	return true;
}

void h2_earned(struct h2_conn *c, uint32_t bytes)
{
	const uint32_t most = H2_CREDITS_MOST * H2_CREDIT_BYTES;

	if (bytes < H2_CREDITS_PIECE * H2_CREDIT_BYTES)
		bytes = H2_CREDITS_PIECE * H2_CREDIT_BYTES;
	c->credits = bytes < most - c->credits ? c->credits + bytes : most;
}
