/* SPDX-License-Identifier: BSD-2-Clause */
/* Quotas of processor time, in folders that look as the kernel's do. */
#include "event/quota.h"

#include "base/test_folder.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
/* cmocka wants the four above */
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static int begin(void **state)
{
	(void)state;
	test_folder_begin();
	mkdir(test_path("a"), 0700);
	mkdir(test_path("a/b"), 0700);
	mkdir(test_path("cpu,cpuacct"), 0700);
	mkdir(test_path("cpu,cpuacct/g"), 0700);
	return 0;
}

static int end(void **state)
{
	(void)state;
	test_folder_end();
	return 0;
}

/* With 4 processors. */
static bool below(const char *groups)
{
	return quota_below(test_file("groups", strdup(groups)), test_folder(), 4);
}

static void file(const char *name, const char *text)
{
	test_file(name, strdup(text));
}

static void groups_of_version_2(void **state)
{
	(void)state;
	assert_false(below("0::/a/b\n"));
	file("a/b/cpu.max", "max 100000\n");
	assert_false(below("0::/a/b\n"));
	file("a/b/cpu.max", "50000 100000\n");
	assert_true(below("0::/a/b\n"));
	assert_false(below("0::/a\n"));
	file("a/b/cpu.max", "399999 100000\n");
	assert_true(below("3:pids:/x\n0::/a/b\n"));
	file("a/b/cpu.max", "400000 100000\n");
	assert_false(below("0::/a/b\n"));
	file("a/cpu.max", "100000 100000\n"); /* a group above */
	assert_true(below("0::/a/b\n"));
	file("a/cpu.max", "max 100000\n");
	file("cpu.max", "100000 100000\n"); /* what a container sees: its group is the root */
	assert_true(below("0::/a/b\n"));
	assert_true(below("0::/\n"));
	assert_true(below("0::/gone/from/here\n"));
	file("cpu.max", "max 100000\n");
	assert_false(below("0::/\n"));
}

static void groups_of_version_1(void **state)
{
	(void)state;
	file("cpu,cpuacct/g/cpu.cfs_quota_us", "-1\n");
	file("cpu,cpuacct/g/cpu.cfs_period_us", "100000\n");
	assert_false(below("4:cpu,cpuacct:/g\n"));
	file("cpu,cpuacct/g/cpu.cfs_quota_us", "150000\n");
	assert_true(below("5:pids:/g\n4:cpu,cpuacct:/g\n"));
	assert_false(below("4:cpu:/g\n"));
	assert_false(below("4:cpuset:/g\n"));
	file("cpu,cpuacct/g/cpu.cfs_quota_us", "400000\n");
	assert_false(below("4:cpu,cpuacct:/g\n"));
}

static void what_tells_nothing(void **state)
{
	char line[5000];

	(void)state;
	assert_false(quota_below("/nowhere", test_folder(), 4));
	assert_false(below(""));
	assert_false(below("\n0\n0:\n:::\n0::\n"));
	file("a/cpu.max", "");
	assert_false(below("0::/a\n"));
	file("a/cpu.max", "1\n");
	assert_false(below("0::/a\n"));
	file("a/cpu.max", "100 0\n");
	assert_false(below("0::/a\n"));
	file("a/cpu.max", "words\n");
	assert_false(below("0::/a"));
	memset(line, 'x', sizeof(line) - 1);
	line[sizeof(line) - 1] = 0;
	memcpy(line, "0::/", 4);
	assert_false(below(line));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(groups_of_version_2, begin, end),
		cmocka_unit_test_setup_teardown(groups_of_version_1, begin, end),
		cmocka_unit_test_setup_teardown(what_tells_nothing, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
