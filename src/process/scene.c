/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What this process was about when a signal ended it. Called by obituary.c inside of a handler: it
 * only reads, formats by itself (the C library's printf is not promised to work there), and walks
 * no list further than MOST. The stream at hand is the one to whose connection the loop had called;
 * else the one whose steps ran last, if it is still there.
 */
#include "process/scene.h"

#include "base/clock.h"
#include "base/str.h"
#include "event/loop.h"
#include "event/timer.h"
#include "proxy/proxy.h"
#include "share/segment.h"
#include "stream/kind.h"
#include "stream/stream.h"

#include <netinet/in.h>

enum { MOST = 1000000, LINE = 512 };

static void put_hex(struct text *t, uint64_t n)
{
	char digits[16], *p = digits + sizeof(digits);

	do {
		*--p = "0123456789abcdef"[n & 15];
		n >>= 4;
	} while (n);
	text_add(t, p, (size_t)(digits + sizeof(digits) - p));
}

static void put_number(struct text *t, const char *before, uint64_t n)
{
	text_str(t, before);
	text_num(t, (int64_t)n);
}

static void put_flags(struct text *t, const char *before, uint64_t n)
{
	text_str(t, before);
	put_hex(t, n);
}

static void put_name(struct text *t, const char *before, const char *name)
{
	text_str(t, before);
	text_str(t, name ? name : "none");
}

static void put_address(struct text *t, const struct addr *a)
{
	const uint8_t *byte = (const uint8_t *)&a->v6;
	unsigned i;

	if (a->family != AF_INET && a->family != AF_INET6) {
		text_str(t, "a Unix socket");
		return;
	}
	for (i = 0; i < (a->family == AF_INET ? 4u : 8u); i++) {
		if (i)
			text_char(t, a->family == AF_INET ? '.' : ':');
		if (a->family == AF_INET)
			text_num(t, byte[i]);
		else
			put_hex(t, (uint64_t)byte[2 * i] << 8 | byte[2 * i + 1]);
	}
	put_number(t, ":", a->port);
}

/* ---- the loop ---------------------------------------------------------------------------- */

/* The function that the loop had called; NULL: none. */
static void *loop_called(void)
{
	switch (loop_at.doing) {
	case LOOP_EVENTS:
		return loop_at.source ? (void *)(uintptr_t)loop_at.source->ready : NULL;
	case LOOP_TASKS:
		return (void *)(uintptr_t)loop_at.run;
	case LOOP_TIMERS:
		return (void *)(uintptr_t)timer_at_hand;
	case LOOP_POLLS:
	case LOOP_FREES:
		break;
	}
	return NULL;
}

static void put_doing(struct text *t)
{
	switch (loop_at.doing) {
	case LOOP_POLLS:
		text_str(t, "in the poller");
		break;
	case LOOP_EVENTS:
		put_number(t, "at event ", (uint64_t)loop_at.event + 1);
		put_number(t, " of ", loop_at.events > 0 ? (uint64_t)loop_at.events : 0);
		if (loop_at.source)
			put_number(t, ", descriptor ", (uint64_t)loop_at.source->fd);
		break;
	case LOOP_TASKS:
		text_str(t, "at a task");
		break;
	case LOOP_TIMERS:
		text_str(t, "at a timer");
		break;
	case LOOP_FREES:
		text_str(t, "freeing what was closed");
		break;
	}
}

/* ---- the stream -------------------------------------------------------------------------- */

static bool is_on(const struct end *end, const struct source *source)
{
	const struct conn *conn = end_conn(end);

	return conn && &conn->src == source;
}

static const struct stream *stream_by_source(const struct source *source)
{
	const struct stream *s;
	unsigned n = 0;

	list_for_each(s, &streams_all, node) {
		if (is_on(&s->relay.client, source) || is_on(&s->relay.server, source))
			return s;
		if (++n > MOST)
			break;
	}
	return NULL;
}

static const struct stream *stream_by_id(uint64_t id)
{
	const struct stream *s;
	unsigned n = 0;

	list_for_each(s, &streams_all, node) {
		if (s->id == id)
			return s;
		if (++n > MOST)
			break;
	}
	return NULL;
}

static const struct stream *stream_at_hand(void)
{
	const struct stream *s = NULL;

	if (loop_at.doing == LOOP_EVENTS)
		s = stream_by_source(loop_at.source);
	return s ? s : stream_by_id(segment_own->at_hand.stream);
}

static void put_side(struct text *t, const char *name, const struct end *end,
		     const struct pump *pump)
{
	put_name(t, name, end->ops ? end->ops->name : NULL);
	if (end_conn(end))
		put_number(t, " on descriptor ", (uint64_t)end_conn(end)->src.fd);
	if (end->flags)
		put_flags(t, ", ready=0x", *end->flags);
	put_number(t, ", copied=", pump->copied);
	put_number(t, " spliced=", pump->spliced);
	put_flags(t, " flags=0x", pump->flags);
}

static const char *phase_name(unsigned phase)
{
	static const char *const names[] = { "request", "queue", "connect", "headers",
					     "data",    "last",  "tarpit" };

	return phase < ARRAY_LEN(names) ? names[phase] : "?";
}

static void put_steps(struct text *t, const struct stream *s)
{
	put_name(t, "phase ", phase_name(s->phase));
	if (s->request.step < REQ_STEPS)
		put_name(t, ", request at step \"", s->kind->request[s->request.step].name);
	if (s->response.step < RES_STEPS)
		put_name(t, "\", response at step \"", s->kind->response[s->response.step].name);
	text_str(t, s->in_steps & STEPS_RUN ? "\", inside of a step" : "\", not inside of a step");
	if (s->reason != END_NONE)
		text_str(t, ", ended");
	put_number(t, ", for ms: ", clock_now_ms - s->origin->accepted_ms);
}

static void say_stream(void (*say)(const char *text, size_t len), const struct stream *s)
{
	char memory[LINE];
	struct text t;

	text_init(&t, memory, sizeof(memory));
	put_flags(&t, "penstock: stream 0x", s->id);
	text_str(&t, " of ");
	put_address(&t, &s->origin->src);
	put_name(&t, ": frontend ", s->origin->frontend->name);
	put_name(&t, ", backend ", s->backend ? s->backend->name : NULL);
	put_name(&t, ", server ", s->server ? s->server->id : NULL);
	text_str(&t, s->exchange ? ", http\n" : ", tcp\n");
	say(t.ptr, t.len);

	text_init(&t, memory, sizeof(memory));
	text_str(&t, "penstock: ");
	put_steps(&t, s);
	text_char(&t, '\n');
	say(t.ptr, t.len);

	text_init(&t, memory, sizeof(memory));
	put_side(&t, "penstock: client ", &s->relay.client, &s->relay.request);
	put_side(&t, "; server ", &s->relay.server, &s->relay.response);
	text_char(&t, '\n');
	say(t.ptr, t.len);
}

static void say_below(void (*say)(const char *text, size_t len))
{
	char memory[2 * LINE];
	struct text t;

	text_init(&t, memory, sizeof(memory) - 1);
	text_str(&t, "penstock: ");
	loop_below(&t);
	if (t.len == strlen("penstock: "))
		return;
	memory[t.len++] = '\n'; /* there is room for it, however long the rest was */
	say(memory, t.len);
}

int scene_say(void (*say)(const char *text, size_t len), void *places[SCENE_PLACES])
{
	uint64_t now = clock_read_us() / 1000;
	const struct stream *s;
	char memory[LINE];
	struct text t;

	text_init(&t, memory, sizeof(memory));
	put_number(&t, "penstock: turn ", loop_stats.turns);
	put_number(&t, " of the loop, for ms: ", now > clock_now_ms ? now - clock_now_ms : 0);
	text_str(&t, ", ");
	put_doing(&t);
	put_number(&t, "; streams: ", streams_count);
	put_number(&t, ", descriptors watched: ", loop_stats.sources);
	put_number(&t, ", timers: ", timer_count());
	text_char(&t, '\n');
	say(t.ptr, t.len);
	s = stream_at_hand();
	if (s)
		say_stream(say, s);
	else
		say("penstock: no stream at hand\n", strlen("penstock: no stream at hand\n"));
	if (loop_below)
		say_below(say);
	places[0] = loop_called();
	if (!places[0])
		return 0;
	say("penstock: the loop had called\n", strlen("penstock: the loop had called\n"));
	return 1;
}
