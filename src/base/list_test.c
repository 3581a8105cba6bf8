/* SPDX-License-Identifier: BSD-2-Clause */
/* Lists: order, removal while walking, removal twice. */
#include "base/list.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

struct item {
	int value;
	struct list node;
};

static int digits(struct list *l)
{
	struct item *item;
	int n = 0;

	list_for_each(item, l, node)
		n = n * 10 + item->value;
	return n;
}

static void test_order(void **state)
{
	struct list l = LIST_INIT(l);
	struct item a = { .value = 1 }, b = { .value = 2 }, c = { .value = 3 };

	(void)state;
	assert_true(list_empty(&l));
	list_append(&l, &a.node);
	list_append(&l, &b.node);
	list_prepend(&l, &c.node);
	assert_int_equal(digits(&l), 312);
	assert_ptr_equal(list_first(&l, struct item, node), &c);
	list_remove(&a.node);
	assert_int_equal(digits(&l), 32);
}

static void test_remove_twice(void **state)
{
	struct list l = LIST_INIT(l);
	struct item a = { .value = 1 }, b = { .value = 2 };

	(void)state;
	list_append(&l, &a.node);
	list_append(&l, &b.node);
	list_remove(&a.node);
	list_remove(&a.node);
	assert_true(list_empty(&a.node));
	assert_int_equal(digits(&l), 2);
}

static void test_remove_while_walking(void **state)
{
	struct list l = LIST_INIT(l);
	struct item items[5], *pos, *tmp;
	int i;

	(void)state;
	for (i = 0; i < 5; i++) {
		items[i].value = i + 1;
		list_append(&l, &items[i].node);
	}
	list_for_each_safe(pos, tmp, &l, node)
		if (pos->value % 2)
			list_remove(&pos->node);
	assert_int_equal(digits(&l), 24);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_order),
		cmocka_unit_test(test_remove_twice),
		cmocka_unit_test(test_remove_while_walking),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
