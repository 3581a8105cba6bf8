/* SPDX-License-Identifier: BSD-2-Clause */
/* Exchanges have no parts until one is asked for; each kind has its own; they go with the memory of
 * the exchange; without memory there is none, and the exchange knows it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/arena.h"
#include "base/clock.h"
#include "base/memory.h"
#include "exchange/exchange_part.h"
#include "exchange/tarpit.h"

#include <string.h>

struct colour {
	int red, blue;
};

static struct exchange_part colour_part = { EXCHANGE_PART("colour", struct colour) };
static struct exchange_part size_part = { EXCHANGE_PART("size", int) };
static struct exchange x;

static int begin(void **state)
{
	(void)state;
	memset(&x, 0, sizeof(x));
	arena_init_limited(&x.memory, NULL, 512);
	x.arena = &x.memory;
	return 0;
}

static int end(void **state)
{
	(void)state;
	arena_reset(&x.memory);
	return 0;
}

static void none_until_asked_for(void **state)
{
	struct colour *colour;

	(void)state;
	assert_null(exchange_part(&x, &colour_part));
	assert_int_equal(tarpit_left(&x), 0);
	tarpit_end(&x);
	assert_null(x.parts);
	assert_int_equal(arena_used(&x.memory), 0);
	colour = exchange_part_make(&x, &colour_part);
	assert_non_null(colour);
	assert_int_equal(colour->red, 0);
	colour->red = 3;
	assert_ptr_equal(exchange_part(&x, &colour_part), colour);
	assert_ptr_equal(exchange_part_make(&x, &colour_part), colour);
	assert_int_equal(colour->red, 3);
}

static void each_kind_has_its_own(void **state)
{
	struct colour *colour = exchange_part_make(&x, &colour_part);

	(void)state;
	assert_null(exchange_part(&x, &size_part));
	assert_non_null(exchange_part_make(&x, &size_part));
	assert_ptr_not_equal(exchange_part(&x, &size_part), colour);
	assert_ptr_equal(exchange_part(&x, &colour_part), colour);
}

static void memory_is_there(bool there)
{
	memory_debug.fail_percent = there ? 0 : 100;
}

/* Each block of the arena has room for the table alone: first that fails, then the part. */
static void none_without_memory(void **state)
{
	(void)state;
	x.memory.block_size = sizeof(struct exchange_parts);
	memory_is_there(false);
	assert_null(exchange_part_make(&x, &colour_part));
	assert_true(x.memory.failed);
	assert_null(x.parts);
	arena_reset(&x.memory);
	memory_is_there(true);
	x.parts = arena_alloc(&x.memory, sizeof(*x.parts));
	memory_is_there(false);
	assert_null(exchange_part_make(&x, &colour_part));
	assert_true(x.memory.failed);
	assert_null(exchange_part(&x, &colour_part));
	memory_is_there(true);
	assert_non_null(exchange_part_make(&x, &colour_part));
}

static void a_tarpit_without_memory_is_none(void **state)
{
	(void)state;
	memory_is_there(false);
	tarpit_begin(&x, 1000);
	assert_int_equal(tarpit_left(&x), 0);
	assert_true(x.memory.failed);
	memory_is_there(true);
	tarpit_begin(&x, 1000);
	assert_int_equal(tarpit_left(&x), 1000);
	clock_now_ms += 400;
	assert_int_equal(tarpit_left(&x), 600);
	clock_now_ms += 600;
	assert_int_equal(tarpit_left(&x), 0);
	tarpit_begin(&x, 1000);
	tarpit_end(&x);
	assert_int_equal(tarpit_left(&x), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(none_until_asked_for, begin, end),
		cmocka_unit_test_setup_teardown(each_kind_has_its_own, begin, end),
		cmocka_unit_test_setup_teardown(none_without_memory, begin, end),
		cmocka_unit_test_setup_teardown(a_tarpit_without_memory_is_none, begin, end),
	};

	memory_debug.how |= MEMORY_FAILS;
	memory_fail_begin();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
