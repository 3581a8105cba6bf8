/* SPDX-License-Identifier: BSD-2-Clause */
/* What a stream has from its start, by its frontend and its listener, and what is left where none
 * can begin. Its carrier is the test, which looks at it when an end is lent. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "proxy/proxy.h"
#include "relay/buffer.h"
#include "share/segment.h"
#include "stream/bytes.h"
#include "stream/kind.h"
#include "stream/stream.h"

#include <string.h>

static struct global_tally process;
static struct proxy front;
static struct bind_conf bind_line;
static struct listener listener;
static struct origin origin;
static struct timer timer;
static struct stream seen; /* as it was when the end was lent */
static unsigned lent, ended, begun, closed;
static bool lends;
static uint16_t flags;

static void client_close(struct end *end, bool reset)
{
	(void)end;
	assert_false(reset);
	closed++;
}

static const struct end_ops client_ops = { .name = "test", .close = client_close };

static bool lend(struct origin *o, struct end *end, struct buf **held)
{
	assert_ptr_equal(o, &origin);
	lent++;
	seen = *stream_of(container_of(end, struct relay, client));
	if (!lends)
		return false;
	end_set_applet(end, &client_ops, NULL, &flags, NULL);
	*held = buffer_take();
	return true;
}

static void has_ended(struct origin *o)
{
	assert_ptr_equal(o, &origin);
	ended++;
}

static const struct carrier_ops carrier = { .name = "test", .lend = lend, .ended = has_ended };

static bool begin_without_memory(struct stream *s, struct buf **held)
{
	assert_ptr_equal(s->origin, &origin);
	assert_non_null(*held);
	begun++;
	return false;
}

static const struct stream_kind messages = { .name = "test", .begin = begin_without_memory };

static int begin(void **state)
{
	(void)state;
	process = (struct global_tally){ 0 };
	global_tally = &process;
	front = (struct proxy){ .name = "f" };
	bind_line = (struct bind_conf){ 0 };
	listener = (struct listener){ .bind = &bind_line };
	origin = (struct origin){ .carrier = &carrier, .frontend = &front, .listener = &listener };
	lent = ended = begun = closed = 0;
	lends = false;
	stream_of_messages = &messages;
	return 0;
}

/* Its carrier lends nothing: nothing has begun. */
static void is_not_lent(void)
{
	lent = 0;
	assert_false(stream_start(&origin, &timer));
	assert_int_equal(lent, 1);
	assert_int_equal(ended, 0);
	assert_int_equal(streams_count, 0);
	assert_true(list_empty(&streams_all));
}

static void all_begin_alike(void **state)
{
	uint64_t id;

	(void)state;
	is_not_lent();
	assert_ptr_equal(seen.kind, &stream_of_bytes);
	assert_ptr_equal(seen.origin, &origin);
	assert_ptr_equal(seen.timer, &timer);
	assert_true(seen.closes_halves);
	assert_int_equal(seen.queue_ms, NOT_REACHED);
	assert_int_equal(seen.connect_ms, NOT_REACHED);
	assert_int_equal(seen.reason, END_NONE);
	id = seen.id;
	is_not_lent();
	assert_int_equal(seen.id, id + 1);
	assert_int_equal(stream_row(seen.id), segment_own_row);
	assert_int_equal(stream_number(seen.id), stream_number(id) + 1);
	segment_own_row = 3;
	is_not_lent();
	assert_int_equal(stream_row(seen.id), 3);
	assert_int_equal(stream_number(seen.id), stream_number(id) + 2);
	segment_own_row = 0;
}

static void what_the_frontend_asks_for(void **state)
{
	(void)state;
	is_not_lent();
	assert_int_equal(seen.traits, IS_BEGUN);
	front.steps_front = FRONT_RULES | HEARD_ENDED;
	is_not_lent();
	assert_int_equal(seen.traits, IS_BEGUN | FRONT_RULES | HEARD_ENDED);
}

/* Requests that come as early data are marked as they leave. */
static void what_the_bind_line_asks_for(void **state)
{
	(void)state;
	bind_line.tls = (struct tls_bind *)(void *)&bind_line; /* there is some */
	is_not_lent();
	assert_int_equal(seen.traits, IS_BEGUN | LEAVING_EDITS);
	origin.listener = NULL;
	is_not_lent();
	assert_int_equal(seen.traits, IS_BEGUN);
}

static void who_is_nice_does_less_in_a_row(void **state)
{
	static const struct {
		int nice;
		unsigned moves;
	} shares[] = { { 0, RELAY_MOVES }, { 1024, 1 }, { 512, 9 }, { -1024, 4 * RELAY_MOVES },
		       { -512, 5 * RELAY_MOVES / 2 } };
	unsigned i;

	(void)state;
	for (i = 0; i < sizeof(shares) / sizeof(shares[0]); i++) {
		bind_line.nice = shares[i].nice;
		is_not_lent();
		assert_int_equal(seen.relay.moves, shares[i].moves);
	}
	origin.listener = NULL;
	is_not_lent();
	assert_int_equal(seen.relay.moves, RELAY_MOVES);
}

/* Lent, but there is no memory for an exchange: it is over behind that. */
static void one_without_memory(void **state)
{
	(void)state;
	front.set.mode = MODE_HTTP;
	lends = true;
	assert_true(stream_start(&origin, &timer));
	assert_int_equal(lent, 1);
	assert_int_equal(begun, 1);
	assert_int_equal(closed, 1);
	assert_int_equal(ended, 1);
	assert_int_equal(process.no_memory, 1);
	assert_int_equal(streams_count, 0);
	assert_true(list_empty(&streams_all));
}

#define EACH(test) cmocka_unit_test_setup(test, begin)

int main(void)
{
	const struct CMUnitTest tests[] = {
		EACH(all_begin_alike), EACH(what_the_frontend_asks_for),
		EACH(what_the_bind_line_asks_for), EACH(who_is_nice_does_less_in_a_row),
		EACH(one_without_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
