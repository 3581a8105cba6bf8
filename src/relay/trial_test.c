/* SPDX-License-Identifier: BSD-2-Clause */
/* Which way of resting is found to pay, on machines that are made up: each way has a speed and a
 * price, and what is measured of them is blurred. */
#include "relay/trial.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
/* cmocka wants the four above */
#include <cmocka.h>

enum { TURN_US = 500, SECOND_US = 1000000 };

/* Of each way, relative to the first: bytes a microsecond, CPU time a byte. */
struct machine {
	double speed[TRIAL_WAYS], cost[TRIAL_WAYS], blur;
};

static const struct machine rests_pay = {
	{ 1, 1, 1, 1, 1, 1 }, { 1, 0.6, 0.65, 0.8, 0.65, 2.5 }, 0.03 };
static const struct machine rests_lose = {
	{ 1, 0.8, 0.7, 0.9, 0.8, 1 }, { 1, 0.55, 0.5, 0.7, 0.6, 2.5 }, 0.03 };
static const struct machine short_rests_pay = {
	{ 1, 0.9, 0.8, 1, 0.9, 1 }, { 1, 0.6, 0.55, 0.7, 0.65, 2.5 }, 0.03 };
static const struct machine rests_save_nothing = {
	{ 1, 1, 1, 1, 1, 1 }, { 1, 1, 1, 1.2, 0.99, 2.5 }, 0.01 };
static const struct machine wakes_are_dear = {
	{ 1, 1.05, 1.2, 1, 1, 1 }, { 1, 0.6, 0.9, 0.9, 0.65, 2.5 }, 0.03 };
static const struct machine noisy = {
	{ 1, 0.75, 0.7, 0.8, 0.8, 1 }, { 1, 0.55, 0.5, 0.7, 0.6, 2.5 }, 0.2 };
static const struct machine copies_are_faster = {
	{ 1, 1, 1, 1.02, 1, 1.15 }, { 1, 0.6, 0.6, 0.7, 0.65, 2.5 }, 0.03 };
static const struct machine copies_are_hardly_faster = {
	{ 1, 1, 1, 1, 1, 1.01 }, { 1, 1.1, 1.1, 1.2, 1.1, 2.5 }, 0.03 };

static struct trial trial;
static struct trial_mark now;
static uint64_t at_way[TRIAL_WAYS]; /* time spent */

/* About normally distributed, spread 1. */
static double noise(void)
{
	static uint32_t x = 4711;
	double sum = 0;

	for (int i = 0; i < 12; i++) {
		x ^= x << 13;
		x ^= x >> 17;
		x ^= x << 5;
		sum += x / 4294967296.0;
	}
	return sum - 6;
}

/* So long under load; returns the bytes of that time, relative to those without rests. Blur lasts
 * for some milliseconds, as on a machine that others use. */
static double run(const struct machine *machine, uint64_t us)
{
	uint64_t begin = now.us, bytes = now.bytes;
	double blur = 1;

	for (; now.us < begin + us; now.us += TURN_US) {
		if (now.us % 8000 < TURN_US)
			blur = 1 + noise() * machine->blur;
		if (blur < 0.1)
			blur = 0.1;
		at_way[trial.way] += TURN_US;
		now.bytes += (uint64_t)(1000 * TURN_US * machine->speed[trial.way] * blur);
		now.cpu_ns += (uint64_t)(100 * TURN_US * machine->cost[trial.way] *
					 machine->speed[trial.way]);
		if (now.us >= trial.due_us)
			trial_step(&trial, &now);
	}
	return (double)(now.bytes - bytes) / (1000.0 * (double)us);
}

static int setup(void **state)
{
	(void)state;
	now = (struct trial_mark){ .us = 5000000000 };
	for (int i = 0; i < TRIAL_WAYS; i++)
		at_way[i] = 0;
	trial_begin(&trial, now.us);
	return 0;
}

static void begins_without_a_rest(void **state)
{
	(void)state;
	assert_int_equal(trial.way, 0);
	assert_int_equal(trial_ways[0].us, 0);
	assert_false(trial_ways[0].gives_way);
}

static void takes_the_cheapest_that_is_as_fast(void **state)
{
	(void)state;
	run(&rests_pay, 10ULL * SECOND_US);
	assert_int_equal(trial.kept, 1);
	setup(NULL);
	run(&short_rests_pay, 30ULL * SECOND_US);
	assert_true(trial.kept == 3);
}

/* Where a rest makes the work faster, since nobody has to wake us, the fastest way is taken. */
static void takes_the_fastest(void **state)
{
	(void)state;
	run(&wakes_are_dear, 10ULL * SECOND_US);
	assert_int_equal(trial.kept, 2);
	assert_true(run(&wakes_are_dear, 10ULL * SECOND_US) > 1.1);
}

/* Speed first, but a copy that is no faster is CPU for nothing. */
static void copies_where_that_is_faster(void **state)
{
	(void)state;
	run(&copies_are_faster, 20ULL * SECOND_US);
	assert_int_equal(trial.kept, 5);
	assert_true(trial_ways[5].copies);
	assert_true(run(&copies_are_faster, 20ULL * SECOND_US) > 1.1);
	run(&rests_pay, 20ULL * SECOND_US);
	assert_int_not_equal(trial.kept, 5);
	setup(NULL);
	run(&copies_are_hardly_faster, 60ULL * SECOND_US);
	assert_true(at_way[5] < 2ULL * SECOND_US);
	setup(NULL);
	run(&rests_pay, 60ULL * SECOND_US);
	assert_true(at_way[5] < 2ULL * SECOND_US);
}

/* Nearly all the time, that is. */
static void keeps_what_pays(void **state)
{
	(void)state;
	run(&rests_pay, 60ULL * SECOND_US);
	assert_true(at_way[1] + at_way[2] + at_way[3] > 45ULL * SECOND_US);
	assert_true(at_way[1] > 30ULL * SECOND_US);
}

/* Speed first: trying costs a hundredth, from the first second on. */
static void a_bad_way_costs_no_speed(void **state)
{
	double first, all;

	(void)state;
	first = run(&rests_lose, SECOND_US);
	all = run(&rests_lose, 60ULL * SECOND_US);
	assert_int_equal(trial.kept, 0);
	assert_true(first > 0.97);
	assert_true(all > 0.985);
}

static void what_saves_nothing_is_not_kept(void **state)
{
	(void)state;
	run(&rests_save_nothing, 20ULL * SECOND_US);
	assert_int_equal(trial.kept, 0);
	assert_true(at_way[0] > 15ULL * SECOND_US);
}

/* On a machine whose figures vary by a fifth a bad way is not believed to be good for long. */
static void noise_is_not_believed(void **state)
{
	(void)state;
	run(&noisy, 120ULL * SECOND_US);
	assert_true(at_way[0] > 108ULL * SECOND_US);
}

/* The load changes, and what paid costs speed now: within three seconds it is dropped. */
static void what_no_longer_pays_is_dropped(void **state)
{
	(void)state;
	run(&rests_pay, 10ULL * SECOND_US);
	assert_int_not_equal(trial.kept, 0);
	run(&rests_lose, 3ULL * SECOND_US);
	assert_int_equal(trial.kept, 0);
	assert_true(run(&rests_lose, 10ULL * SECOND_US) > 0.98);
}

/* And what did not pay is tried again. */
static void what_pays_now_is_found(void **state)
{
	(void)state;
	run(&rests_lose, 10ULL * SECOND_US);
	assert_int_equal(trial.kept, 0);
	run(&rests_pay, 30ULL * SECOND_US);
	assert_int_not_equal(trial.kept, 0);
}

/* The load comes in bursts of 50 ms: pauses are neither slow nor fast. */
static void pauses_count_nothing(void **state)
{
	(void)state;
	for (int i = 0; i < 100; i++) {
		run(&rests_pay, 50000);
		now.us += 200000;
		now.cpu_ns += 50000;
	}
	assert_int_not_equal(trial.kept, 0);
	setup(NULL);
	for (int i = 0; i < 100; i++) {
		run(&rests_lose, 50000);
		now.us += 200000;
	}
	assert_int_equal(trial.kept, 0);
}

static void nothing_moved_is_no_division(void **state)
{
	const struct machine still = { { 0 }, { 0 }, 0 };

	(void)state;
	run(&still, 5ULL * SECOND_US);
	assert_int_equal(trial.kept, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(begins_without_a_rest, setup),
		cmocka_unit_test_setup(takes_the_cheapest_that_is_as_fast, setup),
		cmocka_unit_test_setup(takes_the_fastest, setup),
		cmocka_unit_test_setup(copies_where_that_is_faster, setup),
		cmocka_unit_test_setup(keeps_what_pays, setup),
		cmocka_unit_test_setup(a_bad_way_costs_no_speed, setup),
		cmocka_unit_test_setup(what_saves_nothing_is_not_kept, setup),
		cmocka_unit_test_setup(noise_is_not_believed, setup),
		cmocka_unit_test_setup(what_no_longer_pays_is_dropped, setup),
		cmocka_unit_test_setup(what_pays_now_is_found, setup),
		cmocka_unit_test_setup(pauses_count_nothing, setup),
		cmocka_unit_test_setup(nothing_moved_is_no_division, setup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
