/* SPDX-License-Identifier: BSD-2-Clause */
/* Rings: order, wrapping, forgetting the oldest, readers that are overtaken, servers that hold
 * messages back. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "log/ring.h"

#include <stdio.h>

static struct ring ring;

static void make(size_t size, unsigned max_len)
{
	ring = (struct ring){ .size = size, .max_len = max_len };
	list_init(&ring.servers);
	list_init(&ring.readers);
	assert_int_equal(ring_alloc(&ring), 0);
}

static bool put(const char *a, const char *b)
{
	struct iovec iov[2] = { { (void *)a, strlen(a) }, { (void *)b, strlen(b) } };

	return ring_write(&ring, iov, 2);
}

static void expect(uint64_t *position, const char *text)
{
	char buf[256];
	ssize_t len = ring_read(&ring, position, buf, sizeof(buf) - 1);

	assert_int_equal(len, strlen(text));
	buf[len] = 0;
	assert_string_equal(buf, text);
}

static void messages_come_out_in_order(void **state)
{
	uint64_t at;
	char buf[4];

	(void)state;
	make(100, 0);
	at = ring_oldest(&ring);
	assert_int_equal(ring_read(&ring, &at, buf, sizeof(buf)), -1);
	assert_true(put("<6>", "first"));
	assert_true(put("", ""));
	assert_true(put("second", ""));
	expect(&at, "<6>first");
	expect(&at, "");
	expect(&at, "second");
	assert_int_equal(ring_read(&ring, &at, buf, sizeof(buf)), -1);
	assert_int_equal(at, ring_end(&ring));
	ring_release(&ring);
}

static void reading_cuts_at_size(void **state)
{
	uint64_t at;
	char buf[4];

	(void)state;
	make(100, 0);
	at = ring_oldest(&ring);
	put("12345", "678");
	put("x", "");
	assert_int_equal(ring_read(&ring, &at, buf, sizeof(buf)), 4);
	assert_memory_equal(buf, "1234", 4);
	expect(&at, "x");
	ring_release(&ring);
}

static void writing_cuts_at_max_len(void **state)
{
	uint64_t at;

	(void)state;
	make(100, 6);
	at = ring_oldest(&ring);
	put("1234", "5678");
	put("12345678", "9");
	expect(&at, "123456");
	expect(&at, "123456");
	ring_release(&ring);
}

/* Every size around the wrap, many times: what is read is what was written last. */
static void wraps_at_any_offset(void **state)
{
	size_t size;

	(void)state;
	for (size = 40; size < 75; size++) {
		uint64_t at;
		int i, n = 0;

		make(size, 0);
		for (i = 0; i < 500; i++) {
			char text[24];

			snprintf(text, sizeof(text), "%d-%.*s", i, i % 11, "abcdefghijk");
			assert_true(put(text, "!"));
		}
		at = ring_oldest(&ring);
		for (i = 499; at != ring_end(&ring); n++) {
			char buf[24];

			assert_true(ring_read(&ring, &at, buf, sizeof(buf)) > 0);
		}
		assert_in_range(n, 1, 10);
		/* once more, now comparing, from the message that must be the oldest */
		at = ring_oldest(&ring);
		for (i = 500 - n; i < 500; i++) {
			char text[24];

			snprintf(text, sizeof(text), "%d-%.*s!", i, i % 11, "abcdefghijk");
			expect(&at, text);
		}
		assert_int_equal(ring.written, 500);
		assert_int_equal(ring.dropped, 0);
		ring_release(&ring);
	}
}

static void overtaken_reader_goes_on_with_the_oldest(void **state)
{
	uint64_t at;
	int i;

	(void)state;
	make(40, 0);
	at = ring_oldest(&ring);
	for (i = 0; i < 20; i++) {
		char text[16];

		snprintf(text, sizeof(text), "m%02d", i);
		put(text, "");
	}
	expect(&at, "m15"); /* five messages of 4 + 3 bytes fit into 40 */
	expect(&at, "m16");
	ring_release(&ring);
}

static void too_long_message_is_dropped(void **state)
{
	uint64_t at;

	(void)state;
	make(20, 0);
	put("kept", "");
	assert_false(put("12345678901234567", ""));
	assert_int_equal(ring.dropped, 1);
	at = ring_oldest(&ring);
	expect(&at, "kept");
	assert_true(put("1234567890123456", ""));
	expect(&at, "1234567890123456");
	ring_release(&ring);
}

static int told;

static void count(struct ring_reader *reader)
{
	(void)reader;
	told++;
}

static void server_holds_unread_messages(void **state)
{
	struct ring_reader server = { .written = count };
	char buf[16];

	(void)state;
	make(21, 0);
	told = 0;
	list_append(&ring.servers, &server.node);
	assert_true(put("aaa", ""));
	assert_true(put("bbb", ""));
	assert_true(put("ccc", ""));
	assert_false(put("ddd", ""));
	assert_int_equal(ring.dropped, 1);
	assert_int_equal(told, 3);
	ring_read(&ring, &server.position, buf, sizeof(buf));
	assert_true(put("eee", ""));
	assert_int_equal(ring_message_len(&ring, server.position), 3);
	expect(&server.position, "bbb");
	expect(&server.position, "ccc");
	expect(&server.position, "eee");
	ring_release(&ring);
}

/* A message that fits exactly needs no room of older ones; the oldest that a server has read go. */
static void room_to_the_last_byte(void **state)
{
	uint64_t at;

	(void)state;
	make(20, 0);
	at = ring_oldest(&ring);
	assert_true(put("123456", "")); /* 10 bytes each, with their length */
	assert_true(put("abcdef", ""));
	assert_int_equal(ring_oldest(&ring), 0);
	expect(&at, "123456");
	expect(&at, "abcdef");
	assert_true(put("x", ""));
	assert_int_equal(ring_oldest(&ring), 10);
	expect(&at, "x");
	ring_release(&ring);
	assert_null(ring.data);
	assert_int_equal(ring_oldest(&ring), 0);
	assert_int_equal(ring_end(&ring), 0);
	assert_false(put("no memory", ""));
	assert_int_equal(ring.dropped, 1);
}

/* Of several servers the one that is behind holds what it has not read. */
static void the_slowest_server_counts(void **state)
{
	struct ring_reader fast = { .position = 0 }, slow = { .position = 0 };
	char buf[16];

	(void)state;
	make(21, 0);
	list_append(&ring.servers, &fast.node);
	list_append(&ring.servers, &slow.node);
	assert_true(put("aaa", "") && put("bbb", "") && put("ccc", ""));
	ring_read(&ring, &fast.position, buf, sizeof(buf));
	assert_false(put("ddd", ""));
	ring_read(&ring, &slow.position, buf, sizeof(buf));
	assert_true(put("eee", ""));
	assert_false(put("fff", ""));
	assert_int_equal(ring.dropped, 2);
	assert_int_equal(ring.written, 4);
	ring_release(&ring);
}

/* A position from another time goes on with the oldest message. */
static void positions_that_are_not_kept(void **state)
{
	uint64_t at = 1000;

	(void)state;
	make(50, 0);
	put("a", "");
	put("b", "");
	expect(&at, "a");
	ring_empty(&ring);
	assert_int_equal(ring.written, 0);
	assert_int_equal(ring_oldest(&ring), ring_end(&ring));
	at = 0;
	put("c", "");
	expect(&at, "c");
	ring_release(&ring);
}

static void readers_are_told(void **state)
{
	struct ring_reader reader = { .written = count };

	(void)state;
	make(50, 0);
	told = 0;
	ring_follow(&ring, &reader);
	put("a", "");
	put("b", "");
	assert_int_equal(told, 2);
	ring_unfollow(&reader);
	put("c", "");
	assert_int_equal(told, 2);
	ring_release(&ring);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(messages_come_out_in_order),
		cmocka_unit_test(reading_cuts_at_size),
		cmocka_unit_test(writing_cuts_at_max_len),
		cmocka_unit_test(wraps_at_any_offset),
		cmocka_unit_test(overtaken_reader_goes_on_with_the_oldest),
		cmocka_unit_test(too_long_message_is_dropped),
		cmocka_unit_test(server_holds_unread_messages),
		cmocka_unit_test(room_to_the_last_byte),
		cmocka_unit_test(the_slowest_server_counts),
		cmocka_unit_test(positions_that_are_not_kept),
		cmocka_unit_test(readers_are_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
