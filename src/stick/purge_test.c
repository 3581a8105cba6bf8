/* SPDX-License-Identifier: BSD-2-Clause */
/* Full stick tables in which nothing can go: when there is room again, and what it costs to hear that
 * there is none. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "stick/inside.h"
#include "stick/memory.h"
#include "stick/test_table.h"

#include <time.h>

static struct stick_table *t;

static struct stick_definition definition(uint32_t size, uint32_t expire)
{
	struct stick_definition def = { .name = "t", .type = STICK_INTEGER, .key_len = 4,
					.size = size, .expire_ms = expire };

	def.columns[STICK_gpc0].count = 1;
	stick_layout(&def);
	return def;
}

static void open_table(struct stick_definition def)
{
	clock_freeze(1000000);
	t = test_table_open(def, false, NULL);
}

static bool has(struct span key)
{
	struct stick_entry *e = stick_find(t, key);

	stick_give(t, e);
	return e;
}

static bool take(struct span key)
{
	struct stick_entry *e;
	bool made;

	e = stick_take(t, key, &made);
	stick_give(t, e);
	return e && made;
}

/* They come one a millisecond, and so they expire. */
static void a_full_table_has_room_soon(void **state)
{
	struct stick_definition def = definition(300, 1000);
	unsigned i, ms;

	(void)state;
	def.nopurge = true;
	open_table(def);
	for (i = 0; i < 300; i++, clock_advance(1))
		assert_true(take(test_table_key(i)));
	for (ms = 300; !take(test_table_key(1000)); ms++)
		clock_advance(1);
	assert_in_range(ms, 1000, 1005);
	for (i = 0; i < 200; i++, clock_advance(1))
		if (take(test_table_key(2000 + i)))
			ms++;
	assert_in_range(ms, 1190, 1206);
	test_table_is_sound(t);
}

static void what_is_given_back_makes_room_soon(void **state)
{
	struct stick_entry *a, *b;

	(void)state;
	open_table(definition(2, 0));
	a = stick_take(t, test_table_key(1), NULL);
	b = stick_take(t, test_table_key(2), NULL);
	assert_null(stick_take(t, test_table_key(3), NULL));
	stick_give(t, a);
	clock_advance(5);
	assert_true(take(test_table_key(3)));
	stick_give(t, b);
	test_table_is_sound(t);
}

static uint64_t work_of(uint32_t from, uint32_t count, bool known)
{
	struct timespec begin, now;
	uint32_t i;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &begin);
	for (i = 0; i < count; i++) {
		assert_false(take(test_table_key(from + i)));
		assert_true(has(test_table_key(from + i)) == known);
		if (i % 20 == 0)
			clock_advance(1);
	}
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (uint64_t)(now.tv_sec - begin.tv_sec) * 1000000000 +
	       (uint64_t)(now.tv_nsec - begin.tv_nsec);
}

enum { TIMES = 10000 };

static void refuses_cheaply(uint32_t size)
{
	struct stick_definition def = definition(size, 3600000);
	uint64_t known;
	uint32_t i;

	def.nopurge = true;
	open_table(def);
	for (i = 0; i < size; i++)
		assert_true(take(test_table_key(i)));
	known = work_of(0, TIMES, true);
	assert_in_range(work_of(size, TIMES, false), 0, 30 * known);
}

/* To look for room in vain costs 200 us. */
static void what_a_full_table_refuses_is_cheap(void **state)
{
	(void)state;
	refuses_cheaply(1 << 16);
	refuses_cheaply(300000);
}

static void what_is_in_use_is_not_looked_through_each_time(void **state)
{
	enum { N = 30000 };
	uint64_t known;
	uint32_t i;

	(void)state;
	open_table(definition(N, 0));
	for (i = 0; i < N; i++)
		assert_non_null(stick_take(t, test_table_key(i), NULL));
	known = work_of(0, TIMES, true);
	assert_in_range(work_of(N, TIMES, false), 0, 30 * known);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_full_table_has_room_soon),
		cmocka_unit_test(what_is_given_back_makes_room_soon),
		cmocka_unit_test(what_a_full_table_refuses_is_cheap),
		cmocka_unit_test(what_is_in_use_is_not_looked_through_each_time),
	};

	return cmocka_run_group_tests(tests, NULL, test_table_end);
}
