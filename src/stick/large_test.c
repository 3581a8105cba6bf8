/* SPDX-License-Identifier: BSD-2-Clause */
/* Large stick tables: what it takes to open one, to fill it, to take out all at once what expires, and
 * to make room when it is full: never more than a millisecond of a process in a row. It has as many
 * entries as PENSTOCK_STICK_ENTRIES says; by hand 10000000 (10 s, 1 GB). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "stick/inside.h"
#include "stick/memory.h"
#include "stick/test_table.h"

#include "base/err.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { EXPIRE = 60000, PLACES = 2048, REMOVALS = 32 /* as proxy/stick_sweep.c has it */ };

static struct stick_table *t;
static uint32_t size = 200000;

/* What the process itself has worked, us: others on the machine do not count. */
static double worked(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec * 1e6 + (double)now.tv_nsec / 1e3;
}

static double resident_mb(void)
{
	unsigned long pages = 0, unused;
	FILE *f = fopen("/proc/self/statm", "r");

	if (f && fscanf(f, "%lu %lu", &unused, &pages) != 2)
		pages = 0;
	if (f)
		fclose(f);
	return (double)pages * (double)sysconf(_SC_PAGESIZE) / 1e6;
}

/* Steps that were measured: how many, how many took more than a millisecond, the longest. */
static struct steps {
	unsigned count, slow;
	double sum, most;
} steps;

static void step(double took)
{
	steps.count++;
	steps.slow += took > 1000;
	steps.sum += took;
	steps.most = took > steps.most ? took : steps.most;
}

/* The kernel may count work of its own in one that was interrupted, so one in a thousand may take
 * longer. A program that the sanitizers watch is several times slower. */
static void report(const char *what)
{
	printf("%s: %u steps, %.3f us each, the longest %.0f us, %u above 1 ms\n", what, steps.count,
	       steps.sum / steps.count, steps.most, steps.slow);
#ifndef __SANITIZE_ADDRESS__
	assert_true(steps.slow <= 1 + steps.count / 1000);
#endif
	steps = (struct steps){ 0 };
}

static bool take(uint32_t n)
{
	struct stick_entry *e = stick_take(t, test_table_key(n), NULL);

	if (e) {
		stick_add(t, e, STICK_http_req_rate, 0, 1);
		stick_touch(t, e);
	}
	stick_give(t, e);
	return e;
}

static void fill(uint32_t first, uint32_t count, const char *what)
{
	double began;
	uint32_t i;

	for (i = 0; i < count; i++) {
		began = worked();
		assert_true(take(first + i));
		step(worked() - began);
	}
	report(what);
}

static void sound(void)
{
	struct err err;

	if (stick_check(t, &err) < 0)
		fail_msg("%s", err.text);
}

static int begin(void **state)
{
	struct stick_definition def = { .name = "t", .type = STICK_INTEGER, .key_len = 4, .size = size,
					.expire_ms = EXPIRE };
	struct err err;
	bool anew;

	(void)state;
	def.columns[STICK_gpc0].count = 1;
	def.columns[STICK_conn_cur].count = 1;
	def.columns[STICK_conn_cnt].count = 1;
	def.columns[STICK_http_req_rate] = (struct stick_column){ .count = 1, .period = 10000 };
	stick_layout(&def);
	clock_freeze(1000000);
	if (stick_memory_begin(true, &err) < 0)
		return -1;
	t = stick_table_open(&def, &anew, &err);
	return t ? 0 : -1;
}

static void it_costs_nothing_until_it_is_filled(void **state)
{
	double before, began, memory;

	(void)state;
	assert_int_equal(test_table_end(NULL), 0);
	before = resident_mb();
	began = worked();
	assert_int_equal(begin(NULL), 0);
	printf("opened in %.0f us, %.1f MB\n", worked() - began, resident_mb() - before);
	assert_true(resident_mb() - before < 8);
	fill(0, size, "new keys");
	memory = (resident_mb() - before) * 1e6 / size;
	printf("%u entries, %.1f bytes each\n", size, memory);
	/* The entry has 60 (24, its key, three counters, a rate), its time 4, its bucket 8 to 16. */
	assert_true(memory < 100);
	assert_int_equal(stick_used(t), size);
	sound();
}

static void a_full_table_makes_room_in_short_steps(void **state)
{
	(void)state;
	clock_advance(1000);
	fill(size, size / 4, "new keys in a full table");
	assert_true(stick_used(t) <= size);
	sound();
}

static void all_at_once_expire_in_short_steps(void **state)
{
	double began;
	bool more = true;

	(void)state;
	clock_advance(EXPIRE + 1);
	while (more) {
		began = worked();
		more = stick_sweep(t, PLACES, REMOVALS);
		step(worked() - began);
	}
	report("expiry");
	assert_int_equal(stick_used(t), 0);
	fill(0, size, "keys in places that were used");
	assert_int_equal(stick_used(t), size);
	sound();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_costs_nothing_until_it_is_filled),
		cmocka_unit_test(a_full_table_makes_room_in_short_steps),
		cmocka_unit_test(all_at_once_expire_in_short_steps),
	};
	const char *entries = getenv("PENSTOCK_STICK_ENTRIES");

	if (entries && atoi(entries) >= 1000)
		size = (uint32_t)atoi(entries);
	return cmocka_run_group_tests(tests, begin, test_table_end);
}
