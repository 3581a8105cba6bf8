/* SPDX-License-Identifier: BSD-2-Clause */
/* Channels: order, length, descriptors, a peer that does not read, one that breaks the rules. */
#include "process/channel.h"

#include "event/loop.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
/* cmocka wants the four above */
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

enum { TURNS = 100000 };

/* What one side has heard. */
struct ear {
	struct channel *c;
	unsigned frames, gone, fds;
	uint32_t last_id;
	size_t bytes;
	bool hang_up;
};

static void heard(struct channel *c, struct frame *frame, void *arg)
{
	struct ear *ear = arg;
	const char *p = frame->bytes;
	size_t i;

	assert_int_equal(frame->id, ear->last_id + 1);
	assert_int_equal(p[frame->len], 0);
	for (i = 0; i < frame->len && frame->kind == 7; i++)
		assert_int_equal(p[i], (char)(frame->id + i));
	ear->last_id = frame->id;
	ear->frames++;
	ear->bytes += frame->len;
	if (frame->fd >= 0) {
		char text[8] = "";

		assert_true(read(frame->fd, text, sizeof(text) - 1) > 0);
		assert_string_equal(text, p);
		ear->fds++;
	}
	if (ear->hang_up)
		channel_free(&ear->c);
	(void)c;
}

static void ended(struct channel *c, void *arg)
{
	struct ear *ear = arg;

	assert_ptr_equal(c, ear->c);
	ear->gone++;
	channel_free(&ear->c);
}

static struct ear left, right;

static int setup(void **state)
{
	int fds[2];

	(void)state;
	left = right = (struct ear){ 0 };
	assert_int_equal(loop_init(10), 0);
	assert_int_equal(channel_pair(fds), 0);
	left.c = channel_new(fds[0], heard, ended, &left);
	right.c = channel_new(fds[1], heard, ended, &right);
	assert_true(left.c && right.c);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	channel_free(&left.c);
	channel_free(&right.c);
	loop_turn(0);
	loop_free();
	return 0;
}

static void say(struct ear *from, uint32_t id, size_t len)
{
	char *bytes = malloc(len + 1);
	size_t i;

	for (i = 0; i < len; i++)
		bytes[i] = (char)(id + i);
	assert_int_equal(channel_send(from->c, 7, id, bytes, len, -1), 0);
	free(bytes);
}

static void turn_until(const unsigned *value, unsigned wanted)
{
	unsigned i;

	for (i = 0; *value < wanted && i < TURNS; i++)
		loop_turn(0);
	assert_int_equal(*value, wanted);
}

static void test_order_and_length(void **state)
{
	static const size_t lengths[] = { 0, 1, 19, 65515, 65516, 65536, 3000000, 5, 1000000, 0 };
	size_t total = 0;
	unsigned i;

	(void)state;
	for (i = 0; i < 10; i++) {
		say(&left, i + 1, lengths[i]);
		total += lengths[i];
	}
	assert_true(channel_backlog(left.c) > 0);
	turn_until(&right.frames, 10);
	assert_int_equal(right.bytes, total);
	assert_int_equal(channel_backlog(left.c), 0);
	say(&right, 1, 3);
	turn_until(&left.frames, 1);
}

static void test_many_small(void **state)
{
	unsigned i;

	(void)state;
	for (i = 1; i <= 20000; i++) {
		say(&left, i, i % 50);
		say(&right, i, i % 30);
	}
	turn_until(&right.frames, 20000);
	turn_until(&left.frames, 20000);
}

/* Each descriptor arrives with its own frame, also behind frames that wait. */
static void test_descriptors(void **state)
{
	char text[8];
	int p[2];
	unsigned i;

	(void)state;
	say(&left, 1, 2000000);
	for (i = 2; i < 40; i++) {
		assert_int_equal(pipe(p), 0);
		snprintf(text, sizeof(text), "%u", i);
		assert_int_equal(write(p[1], text, strlen(text)), (ssize_t)strlen(text));
		assert_int_equal(channel_send(left.c, 1, i, text, strlen(text), p[0]), 0);
		close(p[0]);
		close(p[1]);
	}
	assert_true(channel_waiting_fds(left.c) > 0);
	turn_until(&right.frames, 39);
	assert_int_equal(right.fds, 38);
	assert_int_equal(channel_waiting_fds(left.c), 0);
}

/* One for which there is no room is missing in its frame, and nothing else. */
static void test_no_room_for_descriptors(void **state)
{
	struct rlimit limit, none;
	unsigned i;

	(void)state;
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
	none = limit;
	none.rlim_cur = 0;
	for (i = 1; i < 5; i++)
		assert_int_equal(channel_send(left.c, 1, i, "x", 1, 0), 0);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
	turn_until(&right.frames, 4);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
	assert_int_equal(right.fds, 0);
	assert_int_equal(right.gone, 0);
	say(&left, 5, 10);
	turn_until(&right.frames, 5);
}

/* What was sent before the end is heard before it. */
static void test_end_comes_last(void **state)
{
	(void)state;
	say(&left, 1, 100);
	say(&left, 2, 100);
	channel_free(&left.c);
	turn_until(&right.gone, 1);
	assert_int_equal(right.frames, 2);
	assert_null(right.c);
}

/* Sending to one who has gone fails; gone is called from the loop. */
static void test_send_to_nobody(void **state)
{
	(void)state;
	channel_free(&right.c);
	channel_send(left.c, 7, 1, "x", 1, -1);
	assert_int_equal(channel_send(left.c, 7, 1, "x", 1, -1), -1);
	assert_int_equal(left.gone, 0);
	turn_until(&left.gone, 1);
}

static void test_freed_while_called(void **state)
{
	(void)state;
	right.hang_up = true;
	say(&left, 1, 10);
	say(&left, 2, 10);
	turn_until(&left.gone, 1);
	assert_int_equal(right.frames, 1);
}

static void test_no_frame(void **state)
{
	int fds[2];

	(void)state;
	channel_free(&left.c);
	turn_until(&right.gone, 1);
	right = (struct ear){ 0 };
	assert_int_equal(channel_pair(fds), 0);
	right.c = channel_new(fds[0], heard, ended, &right);
	assert_int_equal(write(fds[1], "this is no frame at all, is it?", 31), 31);
	turn_until(&right.gone, 1);
	assert_int_equal(right.frames, 0);
	close(fds[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_order_and_length, setup, teardown),
		cmocka_unit_test_setup_teardown(test_many_small, setup, teardown),
		cmocka_unit_test_setup_teardown(test_descriptors, setup, teardown),
		cmocka_unit_test_setup_teardown(test_no_room_for_descriptors, setup, teardown),
		cmocka_unit_test_setup_teardown(test_end_comes_last, setup, teardown),
		cmocka_unit_test_setup_teardown(test_send_to_nobody, setup, teardown),
		cmocka_unit_test_setup_teardown(test_freed_while_called, setup, teardown),
		cmocka_unit_test_setup_teardown(test_no_frame, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
