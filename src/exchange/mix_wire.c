/* SPDX-License-Identifier: BSD-2-Clause */
/* The clients of the random mix (exchange/mix.h): fake connections, carriers of many ends at once. An
 * end gives heads that were never text, bodies in pieces of any size at any time, takes what its
 * window allows, and goes at any moment; so does the connection below. What comes is judged byte by
 * byte, and so is how each exchange ends: whole, or broken off for a reason. */
#include "exchange/mix.h"

#include "base/clock.h"
#include "proxy/proxy.h"
#include "relay/message_end.h"
#include "stream/stream.h"
#include "stream/timeouts.h"

#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef HAVE_ZLIB
#include <zlib.h>
#endif

enum { WIRES_MOST = 8, LANES_MOST = 16, LOOK_MOST = 6000 };

/* What one stream is lent. */
struct lane {
	uint16_t flags;        /* CONN_*: readiness of the end */
	struct framing framing;
	struct wire *wire;
	struct end *end;       /* NULL: not lent */
	struct timer timer;    /* of its stream */
	struct stream *stream;
	struct mix_plan plan;
	char target[40], id[12], length[12];
	bool used;             /* an exchange was begun, and is not judged yet */
	bool head_given;
	size_t arrived, given; /* of the request's body: here; taken by the stream */
	size_t marked;
	char look[LOOK_MOST];  /* of the same, for who wants to see it */
	size_t window;         /* so many bytes it takes */
	unsigned status;       /* of the answer; 0: none */
	bool own;              /* the program's own answer */
	size_t got, told;      /* bytes of the answer's body; announced, or SIZE_MAX */
	bool finished, reset, kept, gone, drained;
	unsigned reason;       /* of its end: enum reason */
	bool packed;           /* gzip */
#ifdef HAVE_ZLIB
	z_stream unpack;
	bool unpacked;         /* to its end */
#endif
};

/* A fake connection. */
struct wire {
	struct origin origin;
	struct lane lanes[LANES_MOST];
	struct lane *next;     /* to be lent */
	unsigned lent, ended;
	bool open, dead, drains;
};

unsigned wires_whole, wires_given_up, wires_broken;

static struct wire wires[WIRES_MOST];
static struct proxy *wires_frontend;
static unsigned begun;
static const char own_answer[] = "own answer";

/* ---- requests --------------------------------------------------------------------------------- */

static void add_field(struct message *msg, const char *name, const char *value)
{
	struct span n = span_of(name);

	if (msg->count == msg->max)
		mix_found("no room for %s", name);
	msg->fields[msg->count++] = (struct field){ .name = n, .value = span_of(value), .id = field_id(n) };
}

static void put_request(struct lane *lane, struct message *msg)
{
	const struct mix_plan *p = &lane->plan;

	message_init(msg, false, msg->fields, msg->max);
	msg->major = msg->minor = 1;
	msg->method = p->method;
	msg->method_text = method_span(p->method);
	msg->target = span_of(lane->target);
	msg->host = span_of("mix.example");
	msg->flags = MSG_KEEP_ALIVE | MSG_HAS_HOST;
	add_field(msg, "host", "mix.example");
	add_field(msg, "x-id", lane->id);
	if (p->takes_gzip)
		add_field(msg, "accept-encoding", "gzip");
	if (p->expects) {
		msg->flags |= MSG_EXPECT_100;
		add_field(msg, "expect", "100-continue");
	}
	if (p->asks == MIX_LENGTH) {
		msg->framing = BODY_LENGTH;
		msg->length = p->asked;
		add_field(msg, "content-length", lane->length);
	} else if (p->asks == MIX_CHUNKED) {
		msg->framing = BODY_CHUNKED;
		add_field(msg, "transfer-encoding", "chunked");
	}
}

static bool lane_broken(const struct lane *lane)
{
	return lane->wire->dead || lane->gone;
}

static enum io lane_head_in(struct end *end, struct message *msg)
{
	struct lane *lane = end_applet(end);

	if (lane_broken(lane))
		return IO_ERR;
	if (!(lane->flags & CONN_READABLE))
		return IO_AGAIN;
	if (lane->head_given)
		mix_found("request %u: its head is asked for twice", lane->plan.id);
	put_request(lane, msg);
	lane->head_given = true;
	lane->framing.ended = !lane->plan.asked;
	lane->flags &= (uint16_t)~CONN_READABLE;
	return IO_OK;
}

/* So much of the body is here and was not taken. */
static size_t lane_here(const struct lane *lane)
{
	return lane->arrived - lane->given;
}

static void lane_ready_to_read(struct lane *lane)
{
	lane->flags &= (uint16_t)~(CONN_READABLE | CONN_HELD);
	if (lane_here(lane))
		lane->flags |= CONN_HELD;
	lane->framing.ended = lane->given == lane->plan.asked;
}

/* None of it passes from where it lies: there are no bytes, they are made when asked for. */
static bool lane_held(struct end *end, struct span *bytes, enum held_next *next)
{
	(void)end;
	(void)bytes;
	(void)next;
	return false;
}

static enum io lane_recv(struct end *end, void *buf, size_t size, size_t *got)
{
	struct lane *lane = end_applet(end);
	size_t i, n = lane_here(lane);

	*got = 0;
	if (lane_broken(lane))
		return IO_ERR;
	if (lane->given == lane->plan.asked)
		return IO_EOF;
	if (n > size)
		n = size;
	if (n > 1 && !mix_rnd(4))
		n = 1 + mix_rnd((unsigned)n);
	for (i = 0; i < n; i++)
		((char *)buf)[i] = mix_byte(lane->plan.id, false, lane->given + i);
	lane->given += n;
	mix_moved += n;
	*got = n;
	lane_ready_to_read(lane);
	return n ? IO_OK : IO_AGAIN;
}

static bool lane_whole(const struct end *end)
{
	const struct lane *lane = end_applet(end);

	return lane->arrived == lane->plan.asked;
}

static enum io lane_body_in(struct end *end)
{
	struct lane *lane = end_applet(end);

	if (lane_broken(lane))
		return IO_ERR;
	lane_ready_to_read(lane);
	return lane_whole(end) || lane_here(lane) >= LOOK_MOST ? IO_OK : IO_AGAIN;
}

static struct span lane_body(const struct end *end, bool *final)
{
	struct lane *lane = end_applet(end);
	size_t n = lane_here(lane), i;

	*final = lane_whole(end) || n >= LOOK_MOST;
	if (n > LOOK_MOST)
		n = LOOK_MOST;
	for (i = 0; i < n; i++)
		lane->look[i] = mix_byte(lane->plan.id, false, lane->given + i);
	return (struct span){ lane->look, n };
}

static uint64_t lane_left(const struct end *end)
{
	const struct lane *lane = end_applet(end);

	return lane->plan.asked - lane->given;
}

static bool lane_drain(struct end *end, size_t *most)
{
	struct lane *lane = end_applet(end);
	size_t n = lane_here(lane) < *most ? lane_here(lane) : *most;

	lane->given += n;
	*most -= n;
	lane_ready_to_read(lane);
	return lane->framing.ended;
}

static bool lane_mark(struct end *end)
{
	struct lane *lane = end_applet(end);

	lane->marked = lane->given;
	return lane_whole(end);
}

static void lane_rewind(struct end *end)
{
	struct lane *lane = end_applet(end);

	lane->given = lane->marked;
	lane_ready_to_read(lane);
}

/* ---- answers ---------------------------------------------------------------------------------- */

static void judge_fields(struct lane *lane, const struct message *msg)
{
	const struct field *f;

	lane->own = true;
	for (f = msg->fields; f < msg->fields + msg->count; f++) {
		if (field_name_is(f, span_of("x-id")) || field_name_is(f, span_of("x-var"))) {
			if (!span_equal(f->value, span_of(lane->id)))
				mix_found("exchange %u: answer of %.*s", lane->plan.id,
					  (int)f->value.len, f->value.ptr);
			lane->own &= !field_name_is(f, span_of("x-id"));
		}
		lane->packed |= field_name_is(f, span_of("content-encoding"));
	}
}

static void unpack_begin(struct lane *lane)
{
#ifdef HAVE_ZLIB
	lane->unpack = (z_stream){ 0 };
	lane->unpacked = false;
	if (inflateInit2(&lane->unpack, 15 + 16) != Z_OK)
		abort();
#else
	mix_found("exchange %u: a coding nobody knows", lane->plan.id);
#endif
}

static enum io lane_head_out(struct end *end, struct message *msg)
{
	struct lane *lane = end_applet(end);
	const struct mix_plan *p = &lane->plan;
	bool none = p->method == METHOD_HEAD || msg->status == 204 || msg->status == 304;

	if (lane_broken(lane))
		return IO_ERR;
	if (lane->status)
		mix_found("exchange %u: answered twice", p->id);
	judge_fields(lane, msg);
	if (msg->flags & MSG_INTERIM) {
		if (msg->status != 100 && (lane->own || !p->interims))
			mix_found("exchange %u: interim answer %u", p->id, msg->status);
		lane->own = false;
		return IO_OK;
	}
	end_decode(end_peer(end)); /* what an end takes that speaks otherwise than its peer */
	lane->status = msg->status;
	lane->told = none || msg->framing == BODY_NONE ? 0 : msg->framing == BODY_LENGTH ? msg->length :
									      SIZE_MAX;
	if (none)
		lane->packed = false;
	if (lane->packed)
		unpack_begin(lane);
	return IO_OK;
}

static void judge_byte(struct lane *lane, char c)
{
	const struct mix_plan *p = &lane->plan;

	if (!lane->own && (lane->got >= p->answered || c != mix_byte(p->id, true, lane->got)))
		mix_found("exchange %u: byte %zu of the answer (%zu) is wrong", p->id, lane->got, p->answered);
	if (lane->own && p->kind == MIX_RETURNED && lane->status == 200 &&
	    (lane->got >= sizeof(own_answer) - 1 || c != own_answer[lane->got]))
		mix_found("exchange %u: the program's answer is wrong", p->id);
	lane->got++;
}

static void judge_bytes(struct lane *lane, const char *bytes, size_t len)
{
	size_t i;
#ifdef HAVE_ZLIB
	char plain[4096];
	int r = Z_OK;

	if (lane->packed) {
		lane->unpack.next_in = (Bytef *)(uintptr_t)bytes;
		lane->unpack.avail_in = (uInt)len;
		do {
			lane->unpack.next_out = (Bytef *)plain;
			lane->unpack.avail_out = sizeof(plain);
			r = inflate(&lane->unpack, Z_NO_FLUSH);
			if (r != Z_OK && r != Z_STREAM_END && r != Z_BUF_ERROR)
				mix_found("exchange %u: the coding is broken", lane->plan.id);
			for (i = 0; i < sizeof(plain) - lane->unpack.avail_out; i++)
				judge_byte(lane, plain[i]);
		} while (!lane->unpack.avail_out);
		lane->unpacked |= r == Z_STREAM_END;
		return;
	}
#endif
	for (i = 0; i < len; i++)
		judge_byte(lane, bytes[i]);
	if (lane->got > lane->told)
		mix_found("exchange %u: more than was announced", lane->plan.id);
}

static enum io lane_send(struct end *end, const void *buf, size_t len, bool more, size_t *sent)
{
	struct lane *lane = end_applet(end);

	(void)more;
	*sent = 0;
	if (lane_broken(lane))
		return IO_ERR;
	if (!lane->status || lane->finished)
		mix_found("exchange %u: bytes %s", lane->plan.id, lane->finished ? "behind the end" :
										   "before the head");
	if (len > lane->window) {
		len = lane->window;
		lane->flags &= (uint16_t)~CONN_WRITABLE;
	}
	judge_bytes(lane, buf, len);
	lane->window -= len;
	mix_moved += len;
	*sent = len;
	return len ? IO_OK : IO_AGAIN;
}

static void lane_finish(struct end *end)
{
	struct lane *lane = end_applet(end);

	if (!lane->status)
		mix_found("exchange %u: ends without an answer", lane->plan.id);
	lane->finished = true;
}

static void lane_close(struct end *end, bool reset)
{
	struct lane *lane = end_applet(end);

	lane->reset = reset || !lane->finished;
	lane->reason = lane->stream->reason;
	lane->end = NULL;
}

static const struct message_ops lane_ops = {
	.end = {
		.name = "lane",
		.recv = lane_recv,
		.held = lane_held,
		.send = lane_send,
		.finish = lane_finish,
		.close = lane_close,
	},
	.head_in = lane_head_in,
	.head_out = lane_head_out,
	.body_in = lane_body_in,
	.body = lane_body,
	.whole = lane_whole,
	.left = lane_left,
	.drain = lane_drain,
	.mark = lane_mark,
	.rewind = lane_rewind,
};

/* ---- how an exchange has ended ---------------------------------------------------------------- */

/* May the program have answered so by itself? */
static bool own_fits(const struct lane *lane)
{
	const struct mix_plan *p = &lane->plan;

	switch (lane->status) {
	case 403:
		return p->kind == MIX_DENIED;
	case 200:
		return p->kind == MIX_RETURNED;
	case 302:
		return p->kind == MIX_REDIRECTED;
	case 502:
		return p->fault != MIX_GOOD || mix_round.sly_servers;
	case 503:
		return mix_round.slow_servers;
	default:
		return false;
	}
}

/* The server was asked to say no so often. */
static bool was_busy(const struct lane *lane)
{
	return lane->plan.fault == MIX_BUSY && lane->status == 503;
}

static size_t body_due(const struct lane *lane)
{
	const struct mix_plan *p = &lane->plan;

	if (p->method == METHOD_HEAD || lane->status == 204 || lane->status == 304)
		return 0;
	return p->answered;
}

static void judge_whole(const struct lane *lane)
{
	const struct mix_plan *p = &lane->plan;

	if (lane->own && !own_fits(lane))
		mix_found("exchange %u: the program answers %u", p->id, lane->status);
	if (!lane->own && (p->kind == MIX_DENIED || p->kind == MIX_RETURNED || p->kind == MIX_REDIRECTED))
		mix_found("exchange %u: it has reached a server", p->id);
	if (!lane->own && lane->status != p->status && !was_busy(lane))
		mix_found("exchange %u: answer %u instead of %u", p->id, lane->status, p->status);
	if (!lane->own && lane->got != body_due(lane))
		mix_found("exchange %u: %zu bytes of %zu, and looks whole", p->id, lane->got, body_due(lane));
	if (lane->told != SIZE_MAX && !lane->packed && lane->got != lane->told)
		mix_found("exchange %u: %zu bytes of %zu announced", p->id, lane->got, lane->told);
#ifdef HAVE_ZLIB
	if (lane->packed && !lane->unpacked && lane->got)
		mix_found("exchange %u: the coding has no end", p->id);
#endif
}

static void judge_end(struct lane *lane)
{
	const struct mix_plan *p = &lane->plan;
	bool broken = lane->reset || !lane->finished;

	if (lane->kept && (broken || lane->drained))
		mix_found("exchange %u: kept, though it %s", p->id, broken ? "is not whole" : "was to be the last");
	if (!broken)
		judge_whole(lane);
	else if (!lane_broken(lane) && p->fault == MIX_GOOD && !mix_round.sly_servers)
		mix_found("exchange %u: broken off behind %zu bytes, status %u: %s", p->id, lane->got,
			  lane->status, reason_text(lane->reason));
	wires_whole += !broken && !lane_broken(lane);
	wires_given_up += lane_broken(lane);
	wires_broken += broken && !lane_broken(lane);
#ifdef HAVE_ZLIB
	if (lane->packed)
		inflateEnd(&lane->unpack);
#endif
	lane->used = false;
}

/* ---- the carrier ------------------------------------------------------------------------------ */

static bool wire_lend(struct origin *origin, struct end *end, struct buf **held)
{
	struct wire *w = container_of(origin, struct wire, origin);
	struct lane *lane = w->next;

	(void)held;
	lane->end = end;
	lane->stream = stream_of(container_of(end, struct relay, client));
	end_set_applet(end, &lane_ops.end, lane, &lane->flags, &lane->framing);
	w->lent++;
	return true;
}

static void wire_take_back(struct origin *origin, struct end *end)
{
	struct lane *lane = end_applet(end);

	(void)origin;
	lane->kept = true;
	lane->end = NULL;
	end_forget(end);
}

static void wire_ended(struct origin *origin)
{
	container_of(origin, struct wire, origin)->ended++;
}

static bool wire_draining(const struct origin *origin)
{
	return container_of(origin, struct wire, origin)->drains;
}

static const struct carrier_ops wire_carrier = {
	.name = "wire",
	.lend = wire_lend,
	.take_back = wire_take_back,
	.ended = wire_ended,
	.draining = wire_draining,
};

static void lane_expired(struct timer *timer)
{
	struct lane *lane = container_of(timer, struct lane, timer);

	if (lane->end)
		stream_timer(lane->stream);
}

static void wire_open(struct wire *w)
{
	unsigned i;

	*w = (struct wire){
		.origin = { .carrier = &wire_carrier, .frontend = wires_frontend,
			    .accepted_ms = clock_now_ms, .accepted = clock_wall() },
		.open = true,
	};
	w->origin.session_vars = &w->origin.vars;
	w->origin.src = (struct addr){ .family = AF_INET, .port = 7 };
	for (i = 0; i < LANES_MOST; i++) {
		w->lanes[i].wire = w;
		timer_init(&w->lanes[i].timer, lane_expired);
	}
}

static bool wire_in_use(const struct wire *w)
{
	unsigned i;

	for (i = 0; i < mix_round.lanes; i++)
		if (w->lanes[i].used)
			return true;
	return false;
}

static void wire_close(struct wire *w)
{
	unsigned i;

	if (w->ended != w->lent)
		mix_found("%u ends lent, %u ended", w->lent, w->ended);
	for (i = 0; i < LANES_MOST; i++)
		timer_cancel(&w->lanes[i].timer);
	origin_free(&w->origin);
	w->open = false;
}

/* The connection is gone: all that are lent an end of it are told. */
static void wire_die(struct wire *w)
{
	unsigned i;

	w->dead = true;
	for (i = 0; i < mix_round.lanes; i++) {
		struct lane *lane = &w->lanes[i];

		lane->flags |= CONN_HUP | CONN_ERROR | CONN_READABLE | CONN_WRITABLE;
		if (lane->end)
			end_ready(lane->end);
	}
}

/* ---- what happens ----------------------------------------------------------------------------- */

static void lane_ask(struct wire *w, struct lane *lane)
{
	static const char *const paths[] = { "pass", "deny", "return", "redirect", "wait" };

	lane->plan = mix_plan(begun++);
	snprintf(lane->target, sizeof(lane->target), "/%s/%u", paths[lane->plan.kind], lane->plan.id);
	snprintf(lane->id, sizeof(lane->id), "%u", lane->plan.id);
	snprintf(lane->length, sizeof(lane->length), "%zu", lane->plan.asked);
	lane->flags = CONN_WRITABLE | (mix_rnd(4) ? CONN_READABLE : 0);
	lane->framing = (struct framing){ .passable = UINT64_MAX };
	lane->used = true;
	lane->head_given = lane->own = lane->packed = false;
	lane->finished = lane->reset = lane->kept = lane->gone = false;
	lane->drained = w->drains;
	lane->arrived = mix_rnd(2) ? lane->plan.asked : 0;
	lane->given = lane->got = lane->status = lane->reason = 0;
	lane->window = mix_rnd(3) ? 1u << 20 : mix_rnd(3000);
	w->next = lane;
	if (!stream_start(&w->origin, &lane->timer))
		mix_found("exchange %u: no stream begins", lane->plan.id);
}

static size_t pace_of(const struct lane *lane, size_t so_far)
{
	return so_far < 400 ? 1 + mix_rnd(lane->plan.pace) : 1 + mix_rnd(60000);
}

/* Bytes come, the window opens, its head is there; or the client has had enough. */
static void lane_event(struct lane *lane)
{
	size_t more = pace_of(lane, lane->arrived);

	if (!mix_rnd(400)) {
		lane->gone = true;
		lane->flags |= CONN_HUP | CONN_ERROR;
	} else if (lane->head_given) {
		lane->arrived += more < lane->plan.asked - lane->arrived ? more : lane->plan.asked - lane->arrived;
		lane->window += pace_of(lane, lane->got);
	}
	lane->flags |= CONN_READABLE | CONN_WRITABLE;
	mix_moved += lane->status && lane->window > 1u << 20;
	end_ready(lane->end);
}

static void wire_event(struct wire *w)
{
	struct lane *lane = &w->lanes[mix_rnd(mix_round.lanes)];

	if (lane->end)
		lane_event(lane);
	if (lane->used && !lane->end)
		judge_end(lane);
	if (!lane->used && !w->dead && begun < mix_round.exchanges && mix_rnd(2))
		lane_ask(w, lane);
	if (!mix_rnd(300))
		w->drains = true;
	if (!mix_rnd(1500))
		wire_die(w);
}

void wires_turn(void)
{
	unsigned i;

	for (i = 0; i < mix_round.wires; i++) {
		struct wire *w = &wires[i];

		if (!w->open && begun < mix_round.exchanges)
			wire_open(w);
		if (w->open && mix_rnd(2))
			wire_event(w);
		if (w->open && (w->dead || w->drains) && !wire_in_use(w))
			wire_close(w);
	}
}

bool wires_done(void)
{
	unsigned i;

	if (begun < mix_round.exchanges)
		return false;
	for (i = 0; i < mix_round.wires; i++)
		if (wires[i].open && wire_in_use(&wires[i]))
			return false;
	return true;
}

void wires_open(struct proxy *frontend)
{
	wires_frontend = frontend;
	begun = 0;
}

void wires_close(void)
{
	unsigned i;

	for (i = 0; i < mix_round.wires; i++)
		if (wires[i].open)
			wire_close(&wires[i]);
}

static void lane_print(const struct lane *lane)
{
	const struct mix_plan *p = &lane->plan;

	printf("exchange %u: %.*s /%u asks %u %zu answers %u %u %zu fault %u x%u at %zu%s%s; here %zu given %zu, "
	       "status %u got %zu window %zu flags %x%s%s%s\n",
	       p->id, (int)method_span(p->method).len, method_span(p->method).ptr, p->kind, p->asks, p->asked,
	       p->status, p->answers, p->answered, p->fault, p->faults, p->fault_at, p->early ? " early" : "",
	       p->expects ? " expects" : "", lane->arrived, lane->given, lane->status, lane->got, lane->window,
	       lane->flags, lane->finished ? " finished" : "", lane->gone ? " gone" : "", lane->end ? "" : " over");
	if (lane->end)
		printf("    step %u/%u phase %s\n", lane->stream->request.step, lane->stream->response.step,
		       stream_phase_name(lane->stream));
}

void wires_print(void)
{
	unsigned i, n;

	for (i = 0; i < mix_round.wires; i++)
		for (n = 0; n < mix_round.lanes; n++)
			if (wires[i].lanes[n].used)
				lane_print(&wires[i].lanes[n]);
}
