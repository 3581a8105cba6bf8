/* SPDX-License-Identifier: BSD-2-Clause */
/* Lists of processors, and nodes in a folder that looks like sysfs. */
#include "process/numa.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
/* cmocka wants the four above */
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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

static char folder[] = "/tmp/numa_test.XXXXXX";

static void add_node(unsigned number, const char *list)
{
	char path[128];
	FILE *f;

	snprintf(path, sizeof(path), "%s/node%u", folder, number);
	assert_int_equal(mkdir(path, 0700), 0);
	strcat(path, "/cpulist");
	f = fopen(path, "w");
	assert_non_null(f);
	fputs(list, f);
	fclose(f);
}

static void remove_node(unsigned number)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/node%u/cpulist", folder, number);
	unlink(path);
	*strrchr(path, '/') = 0;
	rmdir(path);
}

static void the_first_of_several_nodes_is_taken(void **state)
{
	cpu_set_t set;

	(void)state;
	assert_non_null(mkdtemp(folder));
	assert_false(numa_first_node(folder, &set));
	add_node(0, "\n"); /* memory alone */
	add_node(1, "4-7\n");
	assert_false(numa_first_node(folder, &set));
	add_node(1200, "0-3\n"); /* their order in the folder is not that of numbers */
	add_node(9, "8-9\n");
	assert_true(numa_first_node(folder, &set));
	assert_int_equal(CPU_COUNT(&set), 4);
	assert_true(CPU_ISSET(4, &set) && CPU_ISSET(7, &set));
	remove_node(0);
	remove_node(1);
	remove_node(9);
	remove_node(1200);
	rmdir(folder);
	assert_false(numa_first_node(folder, &set));
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
