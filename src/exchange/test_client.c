/* SPDX-License-Identifier: BSD-2-Clause */
/* Fake connections of clients for tests (exchange/test_client.h). */
#include "exchange/test_client.h"

#include "base/clock.h"
#include "http/message.h"
#include "stream/stream.h"
#include "stream/timeouts.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
/* cmocka wants the four above */
#include <cmocka.h>
#include <stdio.h>

char test_byte(size_t n, size_t at)
{
	return (char)('a' + (n * 7 + at / 3) % 26);
}

static void add_field(struct message *msg, const char *name, struct span value)
{
	struct span n = span_of(name);

	msg->fields[msg->count++] = (struct field){ .name = n, .value = value, .id = field_id(n) };
}

static enum io lane_head_in(struct end *end, struct message *msg)
{
	struct lane *lane = end_applet(end);

	if (lane->wire->dead)
		return IO_ERR;
	assert_false(lane->asked);
	message_init(msg, false, msg->fields, msg->max);
	msg->major = msg->minor = 1;
	msg->flags = MSG_KEEP_ALIVE | MSG_HAS_HOST;
	msg->method = METHOD_GET;
	msg->method_text = method_span(METHOD_GET);
	msg->target = span_of(lane->target);
	msg->host = span_of("a");
	add_field(msg, "host", msg->host);
	lane->asked = true;
	lane->flags &= (uint16_t)~CONN_READABLE;
	lane->framing.ended = true;
	return IO_OK;
}

static enum io lane_head_out(struct end *end, struct message *msg)
{
	struct lane *lane = end_applet(end);

	if (lane->wire->dead)
		return IO_ERR;
	assert_int_equal(lane->status, 0);
	lane->status = msg->status;
	return IO_OK;
}

static enum io lane_recv(struct end *end, void *buf, size_t size, size_t *got)
{
	const struct lane *lane = end_applet(end);

	(void)buf;
	(void)size;
	*got = 0;
	return lane->wire->dead ? IO_ERR : IO_EOF;
}

static enum io lane_send(struct end *end, const void *buf, size_t len, bool more, size_t *sent)
{
	struct lane *lane = end_applet(end);
	const char *bytes = buf;
	size_t i;

	(void)more;
	*sent = 0;
	if (lane->wire->dead)
		return IO_ERR;
	if (lane->blocked) {
		lane->flags &= (uint16_t)~CONN_WRITABLE;
		return IO_AGAIN;
	}
	for (i = 0; i < len && lane->status == 200; i++)
		assert_int_equal(bytes[i], test_byte(lane->n, lane->got + i));
	lane->got += len;
	*sent = len;
	return IO_OK;
}

static void lane_finish(struct end *end)
{
	struct lane *lane = end_applet(end);

	lane->finished = true;
}

static void lane_close(struct end *end, bool reset)
{
	struct lane *lane = end_applet(end);

	lane->reset = reset || !lane->finished;
	lane->end = NULL;
}

/* There is no body: all of the request is at hand. */
static bool lane_mark(struct end *end)
{
	struct lane *lane = end_applet(end);

	lane->marks++;
	return true;
}

static void lane_rewind(struct end *end)
{
	(void)end;
}

static struct link lane_link(const struct end *end)
{
	const struct lane *lane = end_applet(end);

	return lane->wire->link;
}

static const struct message_ops lane_ops = {
	.end = {
		.name = "lane",
		.recv = lane_recv,
		.send = lane_send,
		.finish = lane_finish,
		.close = lane_close,
	},
	.head_in = lane_head_in,
	.head_out = lane_head_out,
	.mark = lane_mark,
	.rewind = lane_rewind,
	.link = lane_link,
};

static bool wire_lend(struct origin *origin, struct end *end, struct buf **held)
{
	struct wire *w = container_of(origin, struct wire, origin);
	struct lane *lane = w->next;

	(void)held;
	lane->flags = CONN_READABLE | CONN_WRITABLE;
	lane->framing = (struct framing){ .passable = UINT64_MAX };
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
	(void)origin;
	return false;
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

void wire_open(struct wire *w, struct proxy *frontend)
{
	unsigned i;

	*w = (struct wire){
		.origin = { .carrier = &wire_carrier, .frontend = frontend,
			    .accepted_ms = clock_now_ms, .accepted = clock_wall() },
	};
	w->origin.session_vars = &w->origin.vars;
	w->origin.src.family = AF_UNSPEC;
	for (i = 0; i < LANES; i++) {
		w->lanes[i].wire = w;
		timer_init(&w->lanes[i].timer, lane_expired);
	}
}

struct lane *wire_ask(struct wire *w, unsigned at, size_t n)
{
	struct lane *lane = &w->lanes[at];

	assert_null(lane->end);
	lane->asked = lane->kept = lane->reset = lane->finished = false;
	lane->blocked = lane->begins_blocked;
	lane->begins_blocked = false;
	lane->status = lane->marks = 0;
	lane->n = n;
	lane->got = 0;
	snprintf(lane->target, sizeof(lane->target), "/%zu", n);
	w->next = lane;
	assert_true(stream_start(&w->origin, &lane->timer));
	return lane;
}

void lane_unblock(struct lane *lane)
{
	lane->blocked = false;
	lane->flags |= CONN_WRITABLE;
	if (lane->end)
		end_ready(lane->end);
}

void wire_die(struct wire *w)
{
	unsigned i;

	w->dead = true;
	for (i = 0; i < LANES; i++) {
		struct lane *lane = &w->lanes[i];

		lane->flags |= CONN_HUP | CONN_ERROR | CONN_READABLE | CONN_WRITABLE;
		if (lane->end)
			end_ready(lane->end);
	}
}

void wire_close(struct wire *w)
{
	unsigned i;

	assert_int_equal(w->ended, w->lent);
	for (i = 0; i < LANES; i++)
		timer_cancel(&w->lanes[i].timer);
	origin_free(&w->origin);
}

void lane_is_whole(const struct lane *lane)
{
	assert_null(lane->end);
	assert_int_equal(lane->status, 200);
	assert_int_equal(lane->got, lane->n);
	assert_true(lane->finished);
	assert_false(lane->reset);
	assert_true(lane->kept);
}
