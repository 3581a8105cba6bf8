/* SPDX-License-Identifier: BSD-2-Clause */
/* What is the same for each stream: which way its bytes go, how much it may do in a row, what its
 * end means, and who counts among the streams. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "expr/view.h"
#include "proxy/proxy.h"
#include "relay/pipe.h"
#include "stream/kind.h"
#include "stream/stream.h"
#include "stream/view.h"

static struct proxy front, back;
static struct origin origin;
static struct stream s;

static int begin(void **state)
{
	(void)state;
	front = (struct proxy){ .name = "f" };
	back = (struct proxy){ .name = "b" };
	origin = (struct origin){ .frontend = &front };
	s = (struct stream){ .origin = &origin, .backend = &back, .closes_halves = true };
	relay_init(&s.relay);
	pipes_init(10, 0);
	return 0;
}

static int end(void **state)
{
	(void)state;
	pipes_free();
	return 0;
}

/* ---- ways ------------------------------------------------------------------------------- */

static void go_by(enum pump_mode request, enum pump_mode response)
{
	s.relay.request.mode = s.relay.response.mode = 0xff;
	stream_choose_ways(&s);
	assert_int_equal(s.relay.request.mode, request);
	assert_int_equal(s.relay.response.mode, response);
}

static void unless_told_they_find_out(void **state)
{
	(void)state;
	go_by(PUMP_ADAPTIVE, PUMP_ADAPTIVE);
	s.backend = NULL;
	go_by(PUMP_ADAPTIVE, PUMP_ADAPTIVE);
}

/* Of each direction; by whichever proxy. */
static void options_say_splice(void **state)
{
	struct proxy *of[] = { &front, &back };
	unsigned i;

	(void)state;
	for (i = 0; i < 2; i++) {
		of[i]->set.options.on = OPT_SPLICE_REQUEST;
		go_by(PUMP_SPLICE, PUMP_ADAPTIVE);
		of[i]->set.options.on = OPT_SPLICE_RESPONSE;
		go_by(PUMP_ADAPTIVE, PUMP_SPLICE);
		of[i]->set.options.on = OPT_SPLICE_AUTO;
		go_by(PUMP_SPLICE, PUMP_SPLICE);
		of[i]->set.options.on = 0;
	}
	back.set.options.on = OPT_SPLICE_AUTO;
	s.backend = NULL;
	go_by(PUMP_ADAPTIVE, PUMP_ADAPTIVE);
}

/* "no option splice-...". */
static void options_say_copy(void **state)
{
	struct proxy *of[] = { &front, &back };
	unsigned i;

	(void)state;
	for (i = 0; i < 2; i++) {
		of[i]->set.options.given = OPT_SPLICE_REQUEST;
		go_by(PUMP_COPY, PUMP_ADAPTIVE);
		of[i]->set.options.given = OPT_SPLICE_RESPONSE;
		go_by(PUMP_ADAPTIVE, PUMP_COPY);
		of[i]->set.options.given = OPT_SPLICE_AUTO;
		go_by(PUMP_COPY, PUMP_COPY);
		of[i]->set.options.given = 0;
	}
	front.set.options.given = OPT_SPLICE_AUTO;
	back.set.options.on = OPT_SPLICE_AUTO;
	go_by(PUMP_SPLICE, PUMP_SPLICE);
}

static void without_pipes_they_copy(void **state)
{
	(void)state;
	pipes_free();
	pipes_init(0, 0);
	front.set.options.on = OPT_SPLICE_AUTO;
	go_by(PUMP_COPY, PUMP_COPY);
}

/* ---- what rules see --------------------------------------------------------------------- */

static void nothing_more(struct stream *stream, struct view *view)
{
	(void)stream;
	(void)view;
}

/* The bytes of a side are all there when it has closed or broken off, or when they go on. */
static void bytes_are_all_there(void **state)
{
	static const struct stream_kind kind = { .name = "test", .view = nothing_more };
	static const uint16_t ends[] = { PUMP_EOF, PUMP_READ_ERROR, PUMP_OPEN };
	struct pump *request = &s.relay.request, *response = &s.relay.response;
	struct view view;
	unsigned i;

	(void)state;
	s.kind = &kind;
	request->flags = response->flags = 0;
	stream_view(&s, &view, NULL);
	assert_false(view.request_final || view.response_final);
	for (i = 0; i < 3; i++) {
		request->flags = ends[i];
		stream_view(&s, &view, NULL);
		assert_true(view.request_final && !view.response_final);
		request->flags = 0;
		response->flags = ends[i];
		stream_view(&s, &view, NULL);
		assert_true(view.response_final && !view.request_final);
		response->flags = 0;
	}
}

/* ---- what its end means ----------------------------------------------------------------- */

static void some_are_broken_off(void **state)
{
	unsigned r;

	(void)state;
	for (r = 0; r < END_REASONS; r++) {
		s.reason = (uint8_t)r;
		assert_int_equal(stream_broken_off(&s),
				 r == END_SERVER_ABORT || r == END_SERVER_DOWN ||
				 r == END_SERVER_UP || r == END_KILLED);
	}
}

static void whose_word_counts_of_who_has_closed(void **state)
{
	(void)state;
	assert_false(stream_aborts_on_close(&s));
	back.set.options.on = OPT_ABORTONCLOSE;
	assert_true(stream_aborts_on_close(&s));
	s.backend = NULL;
	assert_false(stream_aborts_on_close(&s));
	front.set.options.on = OPT_ABORTONCLOSE;
	assert_true(stream_aborts_on_close(&s));
	s.backend = &back;
	back.set.options.on = 0;
	assert_false(stream_aborts_on_close(&s));
}

/* ---- who counts ------------------------------------------------------------------------- */

static unsigned few_left;

static void tell(void)
{
	few_left++;
}

/* Those that ask hold nobody up: who waits for the others is told when these alone are left. */
static void those_that_ask_are_counted_apart(void **state)
{
	(void)state;
	few_left = 0;
	streams_few_left = tell;
	streams_hold();
	streams_hold_asking();
	assert_int_equal(streams_count, 2);
	assert_int_equal(streams_asking, 1);
	assert_int_equal(few_left, 0);
	streams_release();
	assert_int_equal(few_left, 1);
	streams_release_asking();
	assert_int_equal(streams_count, 0);
	assert_int_equal(streams_asking, 0);
	assert_int_equal(few_left, 2);
	streams_few_left = NULL;
	streams_hold();
	streams_release();
	assert_int_equal(few_left, 2);
}

static void one_is_found_by_its_id(void **state)
{
	struct stream other = { .id = 8 };

	(void)state;
	s.id = 7;
	list_append(&streams_all, &s.node);
	list_append(&streams_all, &other.node);
	assert_ptr_equal(stream_find(7), &s);
	assert_ptr_equal(stream_find(8), &other);
	assert_null(stream_find(9));
	list_remove(&s.node);
	list_remove(&other.node);
	assert_null(stream_find(7));
}

#define EACH(test) cmocka_unit_test_setup_teardown(test, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		EACH(unless_told_they_find_out), EACH(options_say_splice), EACH(options_say_copy),
		EACH(without_pipes_they_copy), EACH(bytes_are_all_there), EACH(some_are_broken_off),
		EACH(whose_word_counts_of_who_has_closed), EACH(those_that_ask_are_counted_apart),
		EACH(one_is_found_by_its_id),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
