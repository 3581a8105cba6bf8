/* SPDX-License-Identifier: BSD-2-Clause */
/* Lists of processors, and nodes in a folder that looks like sysfs. */
#include "process/numa.h"

#include "base/test_folder.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
/* cmocka wants the four above */
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static void lists_are_read(void **state)
{
	cpu_set_t set;

	(void)state;
	assert_true(numa_parse_list("0-3,8,10-11\n", &set));
	assert_int_equal(CPU_COUNT(&set), 7);
	assert_true(CPU_ISSET(3, &set) && !CPU_ISSET(4, &set) && CPU_ISSET(8, &set));
	assert_true(CPU_ISSET(11, &set) && !CPU_ISSET(9, &set));
	assert_true(numa_parse_list("5", &set));
	assert_int_equal(CPU_COUNT(&set), 1);
}

static void what_is_no_list_is_none(void **state)
{
	static const char *const wrong[] = { "", "\n", "x", "3-1", "1,", "1,,2", "1-", "-1", "0 1",
					     "99999999999999999999", "0-4096" };
	cpu_set_t set;

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++)
		assert_false(numa_parse_list(wrong[i], &set));
}

static void add_node(unsigned number, const char *list)
{
	char name[30];

	snprintf(name, sizeof(name), "node%u", number);
	assert_int_equal(mkdir(test_path(name), 0700), 0);
	strcat(name, "/cpulist");
	test_file(name, strdup(list));
}

static bool first_node(cpu_set_t *set)
{
	return numa_first_node(test_folder(), set);
}

static void the_first_of_several_nodes_is_taken(void **state)
{
	cpu_set_t set;

	(void)state;
	test_folder_begin();
	assert_false(first_node(&set));
	add_node(0, "\n"); /* memory alone */
	add_node(1, "4-7\n");
	assert_false(first_node(&set));
	add_node(1200, "0-3\n"); /* their order in the folder is not that of numbers */
	add_node(9, "8-9\n");
	assert_true(first_node(&set));
	assert_int_equal(CPU_COUNT(&set), 4);
	assert_true(CPU_ISSET(4, &set) && CPU_ISSET(7, &set));
	test_folder_end();
	assert_false(first_node(&set));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lists_are_read),
		cmocka_unit_test(what_is_no_list_is_none),
		cmocka_unit_test(the_first_of_several_nodes_is_taken),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
