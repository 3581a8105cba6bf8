/* SPDX-License-Identifier: BSD-2-Clause */
/* Walks through streams that begin and end meanwhile. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "stream/scan.h"
#include "stream/stream.h"

#include <string.h>

enum { STREAMS = 6 };
static struct stream streams[STREAMS];

static void begin(int i)
{
	streams[i].id = (uint64_t)i + 1;
	list_append(&streams_all, &streams[i].node);
}

/* As stream_end does; what was freed must not be read any more. */
static void end(int i)
{
	stream_scans_leave(&streams[i]);
	list_remove(&streams[i].node);
	memset(&streams[i], 0xa5, sizeof(streams[i]));
}

static int set_up(void **state)
{
	(void)state;
	list_init(&streams_all);
	memset(streams, 0, sizeof(streams));
	for (int i = 0; i < 5; i++)
		begin(i);
	return 0;
}

static int next_of(struct stream_scan *c)
{
	const struct stream *s = stream_scan_next(c);

	return s ? (int)s->id - 1 : -1;
}

static void all_are_seen_once(void **state)
{
	struct stream_scan c = { 0 };

	(void)state;
	stream_scan_start(&c);
	for (int i = 0; i < 5; i++)
		assert_int_equal(next_of(&c), i);
	assert_int_equal(next_of(&c), -1);
	assert_int_equal(next_of(&c), -1);
	stream_scan_end(&c);
	stream_scan_end(&c);
}

static void ended_ones_are_stepped_over(void **state)
{
	struct stream_scan a = { 0 }, b = { 0 };

	(void)state;
	stream_scan_start(&a);
	stream_scan_start(&b);
	assert_int_equal(next_of(&a), 0);
	end(1);
	end(2);
	end(0);
	assert_int_equal(next_of(&a), 3);
	assert_int_equal(next_of(&b), 3);
	end(4);
	assert_int_equal(next_of(&a), -1);
	stream_scan_end(&a);
	end(3);
	assert_int_equal(next_of(&b), -1);
	stream_scan_end(&b);
}

/* In an order in which nothing else would put the walk right again. */
static void who_is_not_next_leaves_a_walk_alone(void **state)
{
	struct stream_scan c = { 0 };

	(void)state;
	stream_scan_start(&c);
	end(3);
	assert_int_equal(next_of(&c), 0);
	assert_int_equal(next_of(&c), 1);
	end(2);
	assert_int_equal(next_of(&c), 4);
	stream_scan_end(&c);
}

static void new_ones_are_not_shown(void **state)
{
	struct stream_scan c = { 0 };

	(void)state;
	stream_scan_start(&c);
	begin(5);
	for (int i = 0; i < 5; i++)
		assert_int_equal(next_of(&c), i);
	assert_int_equal(next_of(&c), -1);
	stream_scan_end(&c);
}

static void no_streams_at_all(void **state)
{
	struct stream_scan c = { 0 }, never = { 0 };

	(void)state;
	list_init(&streams_all);
	stream_scan_start(&c);
	assert_int_equal(next_of(&c), -1);
	stream_scan_end(&c);
	stream_scan_end(&never);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(all_are_seen_once, set_up),
		cmocka_unit_test_setup(ended_ones_are_stepped_over, set_up),
		cmocka_unit_test_setup(who_is_not_next_leaves_a_walk_alone, set_up),
		cmocka_unit_test_setup(new_ones_are_not_shown, set_up),
		cmocka_unit_test_setup(no_streams_at_all, set_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
