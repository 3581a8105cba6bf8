/* SPDX-License-Identifier: BSD-2-Clause */
/* Names of servers in stick tables: noted once, found by number; by several processes at once, that
 * are killed anywhere; until there is no room; in memory that somebody has falsified. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "stick/inside.h"
#include "stick/memory.h"

#include "base/err.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { WORKERS = 3 };

static struct err err;
static uint64_t hash_key[2] = { 1, 2 };
static unsigned char *memory;

static int begin(void **state)
{
	(void)state;
	memory = mmap(NULL, names_size(), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	assert_true(memory != MAP_FAILED);
	names_begin(memory, hash_key);
	return 0;
}

static int end(void **state)
{
	(void)state;
	names_begin(NULL, NULL);
	return munmap(memory, names_size());
}

static struct span name_of(unsigned n)
{
	static char text[STICK_NAME_MOST + 1];

	return (struct span){ text, (size_t)snprintf(text, sizeof(text), "server-%u.example", n) };
}

static void each_text_has_one_number(void **state)
{
	uint32_t numbers[1000];
	unsigned i;

	(void)state;
	for (i = 0; i < 1000; i++)
		assert_true((numbers[i] = stick_name_note(name_of(i))) != 0);
	for (i = 0; i < 1000; i++) {
		assert_int_equal(stick_name_note(name_of(i)), numbers[i]);
		assert_true(span_equal(stick_name(numbers[i]), name_of(i)));
		assert_true(!i || numbers[i] != numbers[i - 1]);
	}
}

static void what_is_no_name(void **state)
{
	char text[STICK_NAME_MOST + 1];

	(void)state;
	memset(text, 'x', sizeof(text));
	assert_int_equal(stick_name_note((struct span){ text, 0 }), 0);
	assert_int_equal(stick_name_note((struct span){ text, STICK_NAME_MOST + 1 }), 0);
	assert_int_equal(stick_name(stick_name_note((struct span){ text, STICK_NAME_MOST })).len,
			 STICK_NAME_MOST);
	assert_null(stick_name(0).ptr);
	assert_null(stick_name(1 << 20).ptr);
	assert_null(stick_name(UINT32_MAX).ptr);
	names_begin(NULL, NULL);
	assert_int_equal(stick_name_note(name_of(1)), 0);
	assert_null(stick_name(8).ptr);
}

static void a_full_memory_takes_no_more(void **state)
{
	uint32_t first = stick_name_note(name_of(0));
	unsigned i, refused = 0;

	(void)state;
	for (i = 1; i < 200000; i++)
		refused += !stick_name_note(name_of(i));
	assert_true(refused > 100000);
	assert_true(refused < 150000);
	assert_int_equal(stick_name_note(name_of(0)), first);
	assert_true(span_equal(stick_name(first), name_of(0)));
}

/* The same texts as the others, in its own order. */
static void hammer(unsigned seed)
{
	uint32_t number;
	unsigned n;

	for (;;) {
		n = (unsigned)rand_r(&seed) % 30000;
		number = stick_name_note(name_of(n));
		if (!number || !span_equal(stick_name(number), name_of(n)))
			_exit(1);
	}
}

static pid_t worker(unsigned seed)
{
	pid_t pid = fork();

	if (!pid)
		hammer(seed);
	return pid;
}

static void killed_anywhere_it_stays_sound(void **state)
{
	uint32_t number;
	pid_t pids[WORKERS];
	unsigned i, seed = 1;
	int status;

	(void)state;
	for (i = 0; i < WORKERS; i++)
		pids[i] = worker(i);
	for (i = 0; i < 200; i++) {
		usleep(200 + (unsigned)rand_r(&seed) % 1000);
		kill(pids[i % WORKERS], SIGKILL);
		assert_int_equal(waitpid(pids[i % WORKERS], &status, 0), pids[i % WORKERS]);
		assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
		pids[i % WORKERS] = worker(i + WORKERS);
	}
	for (i = 0; i < WORKERS; i++) {
		kill(pids[i], SIGKILL);
		waitpid(pids[i], &status, 0);
	}
	for (i = 0; i < 30000; i++) {
		number = stick_name_note(name_of(i));
		assert_true(number && span_equal(stick_name(number), name_of(i)));
	}
}

static void falsified_memory_is_lived_with(void **state)
{
	unsigned seed = 1, i, round;
	struct span said;
	size_t k;

	(void)state;
	for (round = 0; round < 50; round++) {
		for (i = 0; i < 100; i++)
			stick_name_note(name_of(i));
		for (k = 0; k < names_size(); k += 1 + (size_t)rand_r(&seed) % 64)
			memory[k] = (unsigned char)rand_r(&seed);
		for (i = 0; i < 1000; i++) {
			stick_name_note(name_of(i));
			said = stick_name((uint32_t)rand_r(&seed) % (1u << 22));
			for (k = 0; k < said.len; k++)
				seed += (unsigned char)said.ptr[k] & 1u;
		}
		memset(memory, 0, names_size());
	}
}

/* With the tables: over a reload they are those that were there. */
static void names_live_with_the_tables(void **state)
{
	uint32_t number;
	int status;

	(void)state;
	names_begin(NULL, NULL);
	assert_int_equal(stick_memory_begin(false, &err), 0);
	number = stick_name_note(name_of(7));
	assert_true(span_equal(stick_name(number), name_of(7)));
	stick_memory_end();
	assert_null(stick_name(number).ptr);
	assert_int_equal(stick_memory_begin(true, &err), 0);
	number = stick_name_note(name_of(7));
	if (!fork())
		_exit(!span_equal(stick_name(number), name_of(7)));
	wait(&status);
	assert_int_equal(status, 0);
	stick_memory_end();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(each_text_has_one_number, begin, end),
		cmocka_unit_test_setup_teardown(what_is_no_name, begin, end),
		cmocka_unit_test_setup_teardown(a_full_memory_takes_no_more, begin, end),
		cmocka_unit_test_setup_teardown(killed_anywhere_it_stays_sound, begin, end),
		cmocka_unit_test_setup_teardown(falsified_memory_is_lived_with, begin, end),
		cmocka_unit_test_setup_teardown(names_live_with_the_tables, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
