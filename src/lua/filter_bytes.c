/* SPDX-License-Identifier: BSD-2-Clause */
/* Bytes for filters that are scripts: a member of the chain (relay/chain.h) that takes what comes into
 * a buffer, has the script work on it, and passes on what the script lets go. What a script keeps
 * stays in the buffer until more comes, or the script is woken. */
#include "lua/filter_state.h"

#include "exchange/exchange.h"
#include "lua/state.h"
#include "relay/buffer.h"
#include "relay/pump.h"
#include "stream/stream.h"

#include <string.h>

static struct pump_chain *chain_of(struct script_filter_state *f, const struct script_way *way)
{
	return way == &f->ways[1] ? &f->filter.set->response : &f->filter.set->request;
}

static bool is_message(const struct script_filter_state *f)
{
	const struct exchange *x = f->ss->stream->exchange;

	return x && !x->tunnel;
}

/* Why the stream does not go on. */
static bool fail(struct script_filter_state *f, enum moment_said why)
{
	f->filter.set->broken = (uint8_t)why;
	return false;
}

/* ---- in ---------------------------------------------------------------------------------------- */

/* As much of the piece as there is room for; some stays free for what scripts put in. False: no
 * memory. */
static bool take(struct script_way *way, struct filter_piece *piece)
{
	size_t n = piece->len, room;

	if (!n)
		return true;
	if (!way->buf)
		way->buf = buffer_take();
	if (!way->buf)
		return false;
	if (way->buf->head) {
		memmove(way->buf->data, buf_first(way->buf), way->buf->len);
		way->buf->head = 0;
	}
	room = buffer_room(way->buf);
	if (n > room)
		n = room;
	memcpy(buf_tail(way->buf), piece->bytes, n);
	way->buf->len += (uint32_t)n;
	piece->taken = n;
	return true;
}

/* ---- the script -------------------------------------------------------------------------------- */

static size_t waiting(const struct script_way *way)
{
	return way->buf ? way->buf->len - way->out : 0;
}

static bool broken(struct script_filter_state *f, enum filter_call_result r)
{
	switch (r) {
	case CALL_FAILED:
		return !fail(f, SAID_REFUSES);
	case CALL_ENDS:
		return !fail(f, SAID_ENDS);
	case CALL_SHORT:
		return true;
	default:
		return false;
	}
}

/* http_payload or tcp_payload. It lets all go, unless it says how much. */
static bool work(struct script_filter_state *f, struct script_way *way)
{
	bool message = is_message(f);
	const struct filter_turn turn = {
		.response = way == &f->ways[1], .buf = &way->buf, .out = &way->out,
		.more = !way->last, .ended = &way->ended, .http = message,
	};
	enum filter_call_result r = CALL_SILENT;
	lua_Integer n = -1;

	if (way->wanted)
		r = script_filter_call(f, message ? "http_payload" : "tcp_payload", &turn, message, &n);
	state_pace();
	if (broken(f, r))
		return false;
	if (r != CALL_SAID || n < 0 || (lua_Unsigned)n > waiting(way))
		n = (lua_Integer)waiting(way);
	way->out += (uint32_t)n;
	return true;
}

/* All has been let go: http_end may keep the end. */
static bool work_end(struct script_filter_state *f, struct script_way *way)
{
	const struct filter_turn turn = { .response = way == &f->ways[1], .http = true };
	enum filter_call_result r;
	lua_Integer says;

	if (way->told || !way->wanted || !is_message(f))
		way->told = true;
	if (way->told)
		return true;
	r = script_filter_call(f, "http_end", &turn, true, &says);
	if (broken(f, r))
		return false;
	if (r == CALL_SAID && says == SAYS_ERROR)
		return fail(f, SAID_REFUSES);
	way->told = r != CALL_SAID || says != SAYS_WAIT;
	return true;
}

/* ---- out --------------------------------------------------------------------------------------- */

static void give(struct script_way *way, struct filter_piece *piece)
{
	size_t n = way->out < piece->room ? way->out : piece->room;

	if (!n)
		return;
	memcpy(piece->out, buf_first(way->buf), n);
	piece->made = n;
	way->out -= (uint32_t)n;
	buf_skip(way->buf, n);
	if (!way->buf->len)
		buffer_give(&way->buf);
}

/* A script that keeps all that there is room for, and has not asked to be woken, keeps it for ever. */
static bool is_stuck(const struct script_filter_state *f, const struct script_way *way,
		     const struct filter_piece *piece)
{
	return piece->taken < piece->len && !way->out && way->buf && !buffer_room(way->buf) &&
	       !timer_armed(&f->timer);
}

/* How it goes on behind what was given. */
static bool settle(struct script_filter_state *f, struct script_way *way, struct filter_piece *piece)
{
	if (is_stuck(f, way, piece)) {
		script_filter_tell(f, "it keeps more bytes than a buffer has room for (tune.bufsize)");
		return fail(f, SAID_REFUSES);
	}
	if (way->out) {
		piece->stays = true;
		return true;
	}
	piece->waits = piece->taken < piece->len && way->buf && !buffer_room(way->buf);
	if (waiting(way) || !way->ended) {
		piece->stays = piece->waits = way->last || piece->waits;
		return true;
	}
	if (!work_end(f, way))
		return false;
	if (!way->told) {
		piece->stays = piece->waits = true;
		return true;
	}
	way->over = true;
	piece->ends = !way->last;
	return true;
}

/* ---- the member --------------------------------------------------------------------------------- */

static bool pass(struct script_filter_state *f, struct script_way *way, struct filter_piece *piece)
{
	bool last, news;

	if (way->over) /* the message has become a tunnel */
		way->last = way->ended = way->told = way->over = false;
	if (!take(way, piece))
		return false;
	last = piece->last && piece->taken == piece->len;
	news = piece->taken || (last && !way->last) || way->woken;
	if (last && !way->last)
		way->last = way->ended = true;
	way->woken = false;
	if (news && !work(f, way))
		return false;
	give(way, piece);
	return settle(f, way, piece);
}

static bool pass_request(struct pump_filter *member, struct filter_piece *piece)
{
	struct script_filter_state *f = container_of(member, struct script_filter_state, ways[0].member);

	return pass(f, &f->ways[0], piece);
}

static bool pass_response(struct pump_filter *member, struct filter_piece *piece)
{
	struct script_filter_state *f = container_of(member, struct script_filter_state, ways[1].member);

	return pass(f, &f->ways[1], piece);
}

static const struct pump_filter_ops ops[2] = {
	{ .pass = pass_request, .changes = true, .heeds = true, .holds = true },
	{ .pass = pass_response, .changes = true, .heeds = true, .holds = true },
};

/* A request that is sent once more passes once more. */
void script_filter_open(struct filter *filter, bool response)
{
	struct script_filter_state *f = script_filter_of(filter);
	struct script_way *way = &f->ways[response];

	way->opened = true;
	buffer_give(&way->buf);
	way->out = 0;
	way->last = way->ended = way->told = way->over = false;
	if (!way->wanted || way->linked)
		return;
	way->linked = true;
	way->member = (struct pump_filter){ .ops = &ops[response] };
	filter_link(filter, response, &way->member);
}

void script_filter_ask(struct script_filter_state *f)
{
	struct relay *relay = f->filter.set->relay;
	unsigned i;

	for (i = 0; i < 2; i++) {
		struct script_way *way = &f->ways[i];

		if (!way->linked || way->over)
			continue;
		way->woken = true;
		chain_ask(chain_of(f, way), &way->member);
	}
	task_wake(&relay->task);
}

void script_filter_forget(struct script_filter_state *f, bool response)
{
	struct script_way *way = &f->ways[response];

	buffer_give(&way->buf);
	way->out = 0;
	way->linked = way->opened = false;
	way->last = way->ended = way->told = way->over = way->woken = false;
}
