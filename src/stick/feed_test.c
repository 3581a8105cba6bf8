/* SPDX-License-Identifier: BSD-2-Clause */
/* Changes of stick tables: noted, numbered, told in order; by several processes at once. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "stick/feed.h"
#include "stick/inside.h"
#include "stick/memory.h"
#include "stick/test_table.h"

#include "base/err.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static struct err err;
static struct stick_table *t;
static unsigned woken;

static void wakes(uint32_t row)
{
	assert_int_equal(row, 0);
	woken++;
}

static void open_table(uint32_t size, uint32_t expire, bool shared)
{
	struct stick_definition def = { .name = "t", .type = STICK_INTEGER, .key_len = 4,
					.size = size, .expire_ms = expire };

	def.columns[STICK_gpc0].count = 1;
	def.columns[STICK_conn_cur].count = 1;
	def.columns[STICK_http_req_rate] = (struct stick_column){ .count = 1, .period = 10000 };
	stick_layout(&def);
	clock_freeze(1000000);
	t = test_table_open(def, shared, NULL);
	stick_feed_begin(t);
	stick_feed_wakes = wakes;
	woken = 0;
}

static void add(uint32_t key, uint32_t by)
{
	struct stick_entry *e = stick_take(t, (struct span){ (char *)&key, 4 }, NULL);

	assert_non_null(e);
	stick_add(t, e, STICK_gpc0, 0, by);
	stick_give(t, e);
}

static unsigned collect(void)
{
	unsigned found = 0;

	while (stick_feed_collect(t, 8, &found))
		;
	return found;
}

/* What comes next; false: nothing. */
static bool next(struct stick_cursor *c, uint32_t *key, uint32_t *number)
{
	struct stick_entry *e;
	unsigned most;

	do {
		most = 5;
		e = stick_feed_next(t, c, &most, number);
	} while (!e && !most);
	if (!e)
		return false;
	memcpy(key, stick_key(t, e).ptr, 4);
	stick_give(t, e);
	return true;
}

static void tells(struct stick_cursor *c, uint32_t key, uint32_t number)
{
	uint32_t k = 0, n = 0;

	assert_true(next(c, &k, &n));
	assert_int_equal(k, key);
	assert_int_equal(n, number);
}

static void tells_nothing(struct stick_cursor *c)
{
	uint32_t key, number;

	assert_false(next(c, &key, &number));
	assert_true(stick_cursor_is_done(t, c));
}

static void a_change_is_told_once_under_its_newest_number(void **state)
{
	struct stick_cursor c;

	(void)state;
	open_table(100, 0, false);
	stick_cursor_begin(t, &c, 0, false);
	tells_nothing(&c);
	add(1, 1);
	add(2, 1);
	add(1, 1);
	assert_int_equal(collect(), 2);
	assert_int_equal(collect(), 0);
	tells(&c, 1, 0);
	tells(&c, 2, 0);
	tells(&c, 2, 2);
	tells_nothing(&c);
	add(1, 1);
	assert_int_equal(collect(), 1);
	add(2, 1);
	add(1, 1);
	assert_int_equal(collect(), 2);
	assert_int_equal(stick_feed_newest(t), 5);
	tells(&c, 1, 4);
	tells(&c, 2, 5);
	tells_nothing(&c);
	stick_cursor_begin(t, &c, 4, false);
	tells(&c, 2, 5);
	tells_nothing(&c);
}

static void each_way_of_changing_is_noted(void **state)
{
	struct stick_entry *e;
	uint32_t key = 7, hold;

	(void)state;
	open_table(100, 0, false);
	e = stick_take(t, (struct span){ (char *)&key, 4 }, NULL);
	assert_int_equal(collect(), 1);
	assert_int_equal(stick_value(t, e, STICK_gpc0, 0), 0);
	assert_int_equal(collect(), 0);
	stick_set(t, e, STICK_gpc0, 0, 0);
	assert_int_equal(collect(), 1);
	stick_add(t, e, STICK_http_req_rate, 0, 1);
	assert_int_equal(collect(), 1);
	stick_rate_set(t, e, STICK_http_req_rate, 0, (struct stick_rate_state){ 0 });
	assert_int_equal(collect(), 1);
	stick_touch(t, e);
	assert_int_equal(collect(), 1);
	hold = stick_hold(t, e, true);
	assert_int_equal(collect(), 1);
	stick_unhold(t, e, hold, true);
	assert_int_equal(collect(), 1);
	e = stick_find(t, (struct span){ (char *)&key, 4 });
	assert_true(stick_remove(t, e));
	assert_int_equal(collect(), 0);
}

static void the_first_change_wakes_who_sleeps(void **state)
{
	(void)state;
	open_table(100, 0, false);
	stick_feed_own();
	add(1, 1);
	assert_int_equal(woken, 0);
	stick_feed_sleep();
	assert_int_equal(collect(), 1);
	add(1, 1);
	assert_int_equal(woken, 1);
	add(2, 1);
	assert_int_equal(woken, 1);
	stick_feed_sleep();
	add(2, 1); /* noted already: who falls asleep looks once more */
	assert_int_equal(woken, 1);
	assert_int_equal(collect(), 2);
	add(2, 1);
	assert_int_equal(woken, 2);
}

static void what_was_learned_is_not_told(void **state)
{
	struct stick_cursor c;
	struct stick_entry *e;
	uint32_t key = 3;

	(void)state;
	open_table(100, 1000, false);
	add(3, 1);
	add(4, 1);
	collect();
	stick_feed_quiet(t, true);
	e = stick_take(t, (struct span){ (char *)&key, 4 }, NULL);
	stick_set(t, e, STICK_gpc0, 0, 9);
	stick_set_left(t, e, 300);
	assert_int_equal(stick_left(t, e), 300);
	stick_set_left(t, e, 5000);
	assert_int_equal(stick_left(t, e), 1000);
	stick_feed_learned(t, e);
	stick_give(t, e);
	stick_feed_quiet(t, false);
	assert_int_equal(collect(), 0);
	stick_cursor_begin(t, &c, 1, false);
	tells(&c, 4, 2);
	tells_nothing(&c);
	stick_cursor_begin(t, &c, 0, true);
	tells(&c, 3, 2);
	tells(&c, 4, 2);
	tells_nothing(&c);
}

/* So far behind that the ring has forgotten: in the order of the places, then in that of numbers.
 */
static void who_is_far_behind_walks_through_the_table(void **state)
{
	struct stick_cursor c, late;
	uint32_t key, number, i, seen = 0;

	(void)state;
	open_table(64, 0, false);
	for (i = 0; i < 60; i++)
		add(i, 1);
	assert_int_equal(collect(), 60);
	for (i = 0; i < 20; i++) {
		add(59, 1);
		assert_int_equal(collect(), 1);
	}
	stick_cursor_begin(t, &late, 30, false);
	stick_cursor_begin(t, &c, 10, false);
	assert_true(next(&c, &key, &number));
	assert_int_equal(number, 10);
	assert_int_equal(key, 10);
	add(5, 1); /* behind it already: told when the walk is over */
	add(50, 1);
	assert_int_equal(collect(), 2);
	while (next(&c, &key, &number)) {
		seen++;
		if (seen <= 48)
			assert_int_equal(number, 10);
		else if (seen == 49)
			assert_int_equal(number, 80);
		else
			assert_int_equal(key, seen == 50 ? 5 : 50);
	}
	assert_int_equal(seen, 51);
	assert_true(stick_cursor_is_done(t, &c));
	for (seen = 0; next(&late, &key, &number); seen++)
		assert_true(number > 30);
	assert_int_equal(seen, 31);
}

static void numbers_begin_anew_behind_the_last(void **state)
{
	struct stick_cursor c;

	(void)state;
	open_table(100, 0, false);
	add(1, 1);
	collect();
	atomic_store(&t->head->newest, UINT32_MAX - 1);
	t->late_newest = UINT32_MAX - 1;
	stick_cursor_begin(t, &c, UINT32_MAX - 1, false);
	add(1, 1);
	add(2, 1);
	add(3, 1);
	assert_int_equal(collect(), 3);
	tells(&c, 1, UINT32_MAX);
	tells(&c, 2, 1);
	tells(&c, 3, 2);
	tells_nothing(&c);
	stick_cursor_begin(t, &c, UINT32_MAX, false);
	tells(&c, 2, 1);
	tells(&c, 3, 2);
	tells_nothing(&c);
	stick_cursor_begin(t, &c, 77, false); /* ahead of what was said: it has nothing */
	tells(&c, 1, 0);
}

static void acknowledgements_are_remembered(void **state)
{
	unsigned i;

	(void)state;
	open_table(100, 0, false);
	assert_int_equal(stick_feed_acked(t, 5), 0);
	stick_feed_ack(t, 5, 70);
	stick_feed_ack(t, 6, 71);
	stick_feed_ack(t, 5, 72);
	assert_int_equal(stick_feed_acked(t, 5), 72);
	assert_int_equal(stick_feed_acked(t, 6), 71);
	for (i = 0; i < 100; i++)
		stick_feed_ack(t, 100 + i, i);
	assert_int_equal(stick_feed_acked(t, 199), 99);
	assert_false(stick_feed_is_taught(t));
	stick_feed_taught(t);
	assert_true(stick_feed_is_taught(t));
}

/* A slice at a time, while others come: nothing is left over. */
static void a_look_may_be_cut_anywhere(void **state)
{
	unsigned found = 0, i;

	(void)state;
	open_table(100000, 0, false);
	for (i = 0; i < 100000; i++)
		add(i, 1);
	for (i = 0; stick_feed_collect(t, 1, &found); i++)
		if (i < 2000)
			add(i % 7 * 10000, 1);
	assert_true(found >= 100000);
	collect();
	assert_int_equal(collect(), 0);
	for (i = 0; i < t->words; i++)
		assert_int_equal(atomic_load(&t->notes[i]), 0);
}

/* ---- processes ----------------------------------------------------------------------------- */

enum { WRITERS = 4, KEYS = 300, ROUNDS = 20000 };

static void write_on(unsigned seed, unsigned rounds)
{
	while (rounds--) {
		seed = seed * 1103515245 + 12345;
		add(seed >> 8 & 0xffff ? (seed >> 8) % KEYS : 0, 1);
	}
}

static pid_t writer(unsigned row, unsigned rounds)
{
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (pid)
		return pid;
	alarm(60);
	stick_feed_wakes = NULL;
	if (stick_memory_confine(row, &err) < 0)
		_exit(1);
	write_on(row, rounds);
	_exit(0);
}

/* What was told last of each key is what stands there at the end. */
static void look(struct stick_cursor *c, uint32_t told[KEYS])
{
	struct stick_entry *e;
	uint32_t key, number;
	unsigned most = 1000;

	collect();
	while ((e = stick_feed_next(t, c, &most, &number))) {
		memcpy(&key, stick_key(t, e).ptr, 4);
		assert_true(key < KEYS);
		told[key] = (uint32_t)stick_value(t, e, STICK_gpc0, 0);
		stick_give(t, e);
	}
}

static void compare(const uint32_t told[KEYS])
{
	struct stick_entry *e;
	uint32_t key;

	for (key = 0; key < KEYS; key++) {
		e = stick_find(t, (struct span){ (char *)&key, 4 });
		assert_non_null(e);
		assert_int_equal(told[key], stick_value(t, e, STICK_gpc0, 0));
		stick_give(t, e);
	}
}

static void what_several_change_at_once_is_told(void **state)
{
	uint32_t told[KEYS] = { 0 };
	unsigned i, left = WRITERS;
	struct stick_cursor c;
	int status;

	(void)state;
	open_table(1000, 0, true);
	stick_cursor_begin(t, &c, 0, false);
	for (i = 1; i <= WRITERS; i++)
		writer(i, ROUNDS);
	while (left) {
		look(&c, told);
		while (left && waitpid(-1, &status, WNOHANG) > 0) {
			assert_int_equal(status, 0);
			left--;
		}
	}
	look(&c, told);
	assert_true(stick_cursor_is_done(t, &c));
	compare(told);
	assert_int_equal(stick_check(t, &err), 0);
}

static void what_was_killed_has_told_or_is_told(void **state)
{
	uint32_t told[KEYS] = { 0 };
	unsigned i, k;
	uint32_t from;
	struct stick_cursor c;
	pid_t pids[WRITERS];

	(void)state;
	open_table(1000, 0, true);
	write_on(1, 10 * KEYS);
	for (i = 0; i < KEYS; i++)
		add(i, 1);
	stick_cursor_begin(t, &c, 0, false);
	for (k = 0; k < 50; k++) {
		for (i = 0; i < WRITERS; i++)
			pids[i] = writer(i + 1, UINT32_MAX);
		for (from = stick_feed_newest(t); stick_feed_newest(t) - from < 500 + 10 * k; )
			look(&c, told);
		for (i = 0; i < WRITERS; i++) {
			kill(pids[i], SIGKILL);
			waitpid(pids[i], NULL, 0);
			stick_memory_mend(i + 1);
		}
		look(&c, told);
		compare(told);
	}
	assert_int_equal(stick_check(t, &err), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(a_change_is_told_once_under_its_newest_number, test_table_end),
		cmocka_unit_test_teardown(each_way_of_changing_is_noted, test_table_end),
		cmocka_unit_test_teardown(the_first_change_wakes_who_sleeps, test_table_end),
		cmocka_unit_test_teardown(what_was_learned_is_not_told, test_table_end),
		cmocka_unit_test_teardown(who_is_far_behind_walks_through_the_table, test_table_end),
		cmocka_unit_test_teardown(numbers_begin_anew_behind_the_last, test_table_end),
		cmocka_unit_test_teardown(acknowledgements_are_remembered, test_table_end),
		cmocka_unit_test_teardown(a_look_may_be_cut_anywhere, test_table_end),
		cmocka_unit_test_teardown(what_several_change_at_once_is_told, test_table_end),
		cmocka_unit_test_teardown(what_was_killed_has_told_or_is_told, test_table_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
