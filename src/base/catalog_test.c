/* SPDX-License-Identifier: BSD-2-Clause */
/* Names and numbers are found, again with equal ones, and in a time that does not grow with
 * them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/arena.h"
#include "base/catalog.h"

#include <stdio.h>
#include <string.h>

static struct arena *arena;

static int setup(void **state)
{
	(void)state;
	arena = arena_new(4096);
	return !arena;
}

static int teardown(void **state)
{
	(void)state;
	arena_free(&arena);
	return 0;
}

static void test_names(void **state)
{
	static char names[2000][8];
	struct catalog c = { 0 };
	const struct catalog_entry *e;
	int i;

	(void)state;
	assert_null(catalog_find(&c, span_of("n0")));
	for (i = 0; i < 2000; i++) {
		snprintf(names[i], sizeof(names[i]), "n%d", i);
		catalog_add(&c, arena, names[i], names[i]);
	}
	for (i = 0; i < 2000; i++) {
		e = catalog_find(&c, span_of(names[i]));
		assert_ptr_equal(e->object, names[i]);
		assert_null(catalog_again(e));
	}
	assert_null(catalog_find(&c, span_of("n2000")));
	assert_null(catalog_find(&c, span_of("")));
	assert_ptr_equal(catalog_find(&c, (struct span){ "n17xyz", 3 })->object, names[17]);
}

static void test_equal_names(void **state)
{
	struct catalog c = { 0 };
	const struct catalog_entry *e;
	int a, b;

	(void)state;
	catalog_add(&c, arena, "same", &a);
	catalog_add(&c, arena, "other", &b);
	catalog_add(&c, arena, "same", &b);
	e = catalog_find(&c, span_of("same"));
	assert_ptr_equal(e->object, &a);
	e = catalog_again(e);
	assert_ptr_equal(e->object, &b);
	assert_null(catalog_again(e));
}

static void test_numbers(void **state)
{
	struct catalog c = { 0 };
	int a, b;

	(void)state;
	assert_int_equal(catalog_free_number(&c, 1), 1);
	assert_null(catalog_number(&c, arena, 2, &a));
	assert_null(catalog_number(&c, arena, 3, &a));
	assert_null(catalog_number(&c, arena, 5, &a));
	assert_ptr_equal(catalog_number(&c, arena, 3, &b), &a);
	assert_int_equal(catalog_free_number(&c, 1), 1);
	assert_int_equal(catalog_free_number(&c, 2), 4);
	assert_int_equal(catalog_free_number(&c, 5), 6);
	assert_int_equal(catalog_free_number(&c, 7), 7);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_equal_names),
		cmocka_unit_test(test_numbers),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
