/* SPDX-License-Identifier: BSD-2-Clause */
/* The memory of stick tables over several images of the parent: each stick_memory_begin is one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "stick/inside.h"
#include "stick/memory.h"

#include "base/err.h"
#include "share/kept.h"

#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { KEYS = 20 };

static struct err err;
static struct stick_table *t;

static struct stick_definition definition(const char *name, uint32_t size)
{
	struct stick_definition def = { .name = name, .type = STICK_STRING, .key_len = 100,
					.size = size };

	def.columns[STICK_gpc0].count = 1;
	def.columns[STICK_conn_cur].count = 1;
	stick_layout(&def);
	return def;
}

/* The next image, which declares one table. */
static void begin_with(const char *name, uint32_t size)
{
	struct stick_definition def = definition(name, size);
	bool anew;

	stick_memory_end();
	if (stick_memory_begin(true, &err) < 0)
		fail_msg("%s", err.text);
	t = stick_table_open(&def, &anew, &err);
	if (!t)
		fail_msg("%s", err.text);
}

static int end(void **state)
{
	(void)state;
	stick_memory_end();
	kept_forget();
	return 0;
}

static struct stick_entry *take(uint32_t n)
{
	return stick_take(t, (struct span){ (char *)&n, sizeof(n) }, NULL);
}

/* Follows KEYS entries, is at another one, and is killed. */
static void is_killed(unsigned row)
{
	struct stick_entry *e;
	pid_t pid = fork();
	uint32_t i;
	int status;

	if (!pid) {
		if (stick_memory_confine(row, &err) < 0)
			_exit(2);
		for (i = 0; i < KEYS; i++) {
			e = take(i);
			stick_hold(t, e, true);
		}
		take(KEYS);
		kill(getpid(), SIGKILL);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
}

/* How many use entries, or are counted there. */
static uint32_t in_use(void)
{
	uint32_t at = 0, sum = 0;
	struct stick_entry *e;

	while ((e = stick_next(t, &at, UINT32_MAX))) {
		sum += stick_uses(e) + (uint32_t)stick_value(t, e, STICK_conn_cur, 0);
		stick_give(t, e);
	}
	return sum;
}

static void what_was_held_is_given_back_in_any_table(void **state)
{
	unsigned how;

	(void)state;
	for (how = 0; how < 5; how++) {
		begin_with("t", 100);
		is_killed(1);
		assert_int_equal(in_use(), 2 * KEYS + 1);
		if (how == 1)
			begin_with("other", 50);
		if (how == 2)
			begin_with("t", 101);
		if (how == 3)
			stick_memory_end(); /* no table is declared, or the configuration was refused */
		if (how == 4) {
			stick_memory_end();
			assert_int_equal(stick_memory_begin(true, &err), 0);
		}
		stick_memory_mend(1);
		begin_with("t", 100);
		assert_int_equal(stick_used(t), KEYS + 1);
		assert_int_equal(in_use(), 0);
		if (stick_check(t, &err) < 0)
			fail_msg("%s", err.text);
	}
}

/* What the memory of tables costs, KiB; -1: there is none. */
static long costs(void)
{
	struct stat st;

	return kept_get("stick") >= 0 && fstat(kept_get("stick"), &st) == 0 ?
		       (long)st.st_blocks / 2 : -1;
}

static void fill(uint32_t from, uint32_t count)
{
	struct stick_entry *e;
	uint32_t i;

	for (i = from; i < from + count; i++) {
		e = take(i);
		assert_non_null(e);
		stick_give(t, e);
	}
}

static void what_nobody_declares_is_given_back(void **state)
{
	long empty, full;

	(void)state;
	begin_with("other", 100);
	begin_with("t", 20000);
	empty = costs();
	fill(0, 20000);
	full = costs();
	assert_true(full > empty + 2000);
	begin_with("other", 100);
	fill(0, 10);
	assert_true(costs() >= full); /* workers of before may use it */
	stick_memory_release_unused();
	assert_true(costs() < empty + 200);
	assert_int_equal(stick_used(t), 10);
	begin_with("t", 20000);
	assert_int_equal(stick_used(t), 0);
	fill(0, 20000);
	stick_memory_release_unused();
	assert_int_equal(stick_used(t), 20000);
}

static void without_any_table_all_is_given_back(void **state)
{
	(void)state;
	begin_with("t", 20000);
	fill(0, 20000);
	stick_memory_end();
	stick_memory_mend(1); /* the memory is found again */
	assert_true(costs() > 2000);
	stick_memory_release_unused();
	assert_int_equal(costs(), -1);
	assert_false(stick_memory_is());
	stick_memory_mend(1);
	stick_memory_release_unused();
	begin_with("t", 20000);
	assert_int_equal(stick_used(t), 0);
	fill(0, 10);
	begin_with("t", 20000);
	assert_int_equal(stick_used(t), 10);
}

/* Who knows the order of keys could choose such that meet. Two services have other ones. */
static void each_service_has_a_hash_of_its_own(void **state)
{
	uint32_t hashes[KEYS], i, same = 0;
	unsigned round;

	(void)state;
	for (round = 0; round < 2; round++) {
		begin_with("t", 100);
		for (i = 0; i < KEYS; i++) {
			struct stick_entry *e = take(i);

			same += round && atomic_load(&e->hash) == hashes[i];
			hashes[i] = atomic_load(&e->hash);
			stick_give(t, e);
		}
		stick_memory_end();
		kept_forget();
	}
	assert_int_equal(same, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(what_was_held_is_given_back_in_any_table, end),
		cmocka_unit_test_teardown(what_nobody_declares_is_given_back, end),
		cmocka_unit_test_teardown(without_any_table_all_is_given_back, end),
		cmocka_unit_test_teardown(each_service_has_a_hash_of_its_own, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
