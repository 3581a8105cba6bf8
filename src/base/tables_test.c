/* SPDX-License-Identifier: BSD-2-Clause */
/* Lists of tables: walking, finding, adding, and what is refused. */
#include "base/tables.h"

#include "base/err.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stddef.h>

#include <cmocka.h>

struct row {
	const char *name;
	int number;
};

static const struct row first[] = { { "one", 1 }, { "three", 3 }, { 0 } };
static const struct row none[] = { { 0 } };
static const struct row second[] = { { "four", 4 }, { 0 } };

static void rows_come_in_order(void **state)
{
	struct tables tables = TABLES("row", struct row, none, first, none, second, none);
	static const int numbers[] = { 1, 3, 4 };
	struct tables_walk walk = { 0 };
	const struct row *row;
	size_t n = 0;

	(void)state;
	while ((row = tables_next(&tables, &walk)))
		assert_int_equal(row->number, numbers[n++]);
	assert_int_equal(n, 3);
	assert_null(tables_next(&tables, &walk));
	assert_ptr_equal(tables_find(&tables, span_of("four")), &second[0]);
	assert_null(tables_find(&tables, span_of("thre")));
	assert_null(tables_find(&tables, span_of("")));
}

static void the_nearest_name(void **state)
{
	struct tables tables = TABLES("row", struct row, first, second);
	char longest[200];

	(void)state;
	assert_string_equal(tables_nearest(&tables, span_of("thre")), "three");
	assert_string_equal(tables_nearest(&tables, span_of("four")), "four");
	assert_string_equal(tables_nearest(&tables, span_of("ome")), "one");
	assert_null(tables_nearest(&tables, span_of("")));
	assert_null(tables_nearest(&tables, span_of("seventeen")));
	memset(longest, 'x', sizeof(longest));
	assert_null(tables_nearest(&tables, (struct span){ longest, sizeof(longest) }));
}

static void tables_are_added(void **state)
{
	struct tables tables = TABLES("row", struct row, first);
	struct err err = { "" };

	(void)state;
	assert_null(tables_find(&tables, span_of("four")));
	assert_int_equal(tables_add(&tables, second, &err), 0);
	assert_ptr_equal(tables_find(&tables, span_of("four")), &second[0]);
	assert_string_equal(tables_nearest(&tables, span_of("foru")), "four");
	assert_string_equal(err.text, "");
}

static void doubles_are_refused(void **state)
{
	static const struct row again[] = { { "new", 9 }, { "three", 3 }, { 0 } };
	static const struct row twice[] = { { "two", 2 }, { "five", 5 }, { "two", 2 }, { 0 } };
	struct tables tables = TABLES("row", struct row, first);
	struct err err = { "" };

	(void)state;
	assert_int_equal(tables_add(&tables, again, &err), -1);
	assert_string_equal(err.text, "the row 'three' cannot be added: there is one of this name");
	assert_null(tables_find(&tables, span_of("new")));
	assert_int_equal(tables_add(&tables, twice, &err), -1);
	assert_string_equal(err.text, "the row 'two' cannot be added twice");
	assert_int_equal(tables_add(&tables, first, &err), -1);
}

static bool is_three(const void *row)
{
	return ((const struct row *)row)->number == 3;
}

static void some_rows_yield(void **state)
{
	static const struct row better[] = { { "three", 33 }, { 0 } };
	struct tables tables = TABLES("row", struct row, first);
	struct err err = { "" };

	(void)state;
	tables.yields = is_three;
	assert_int_equal(tables_add(&tables, better, &err), 0);
	assert_int_equal(tables_add(&tables, better, &err), -1);
	assert_string_equal(err.text, "the row 'three' cannot be added: there is one of this name");
}

static void the_room_ends(void **state)
{
	struct tables tables = TABLES("row", struct row, first);
	struct err err = { "" };
	int i;

	(void)state;
	for (i = 1; i < TABLES_MAX; i++)
		assert_int_equal(tables_add(&tables, none, &err), 0);
	assert_int_equal(tables_add(&tables, second, &err), -1);
	assert_string_equal(err.text, "the row 'four' cannot be added: there are 64 tables already");
	assert_null(tables_find(&tables, span_of("four")));
	assert_ptr_equal(tables_find(&tables, span_of("one")), &first[0]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_come_in_order), cmocka_unit_test(the_nearest_name),
		cmocka_unit_test(tables_are_added),   cmocka_unit_test(doubles_are_refused),
		cmocka_unit_test(some_rows_yield),    cmocka_unit_test(the_room_ends),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
