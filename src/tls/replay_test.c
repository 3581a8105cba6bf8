/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The memory of ClientHellos: each is taken once within the window, by one of several processes
 * that are shown the same at the same moment; whatever is doubtful counts as seen.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/err.h"
#include "share/kept.h"
#include "tls/replay.h"

#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { NOW = 100000, PROCESSES = 4, HELLOS = 20000 };

/* n tells all of it, or its set alone (same). */
static const unsigned char *hash_of(uint64_t n, bool same)
{
	static unsigned char hash[REPLAY_HASH];
	uint64_t x = (n + 1) * UINT64_C(0x9e3779b97f4a7c15);

	x ^= x >> 29;
	x *= UINT64_C(0xbf58476d1ce4e5b9);
	memcpy(hash, &x, 8);
	x = same ? 7 : x >> 32 ^ x << 32;
	memcpy(hash + 8, &x, 8);
	return hash;
}

static struct replay *fresh(bool shared, bool outlived)
{
	struct err err;
	struct replay *r = replay_new(shared, outlived, NOW, &err);

	assert_non_null(r);
	return r;
}

static void test_once_within_the_window(void **state)
{
	struct replay *r = fresh(false, false);
	int64_t t;

	(void)state;
	assert_true(replay_first(r, hash_of(1, false), NOW - 5, NOW));
	for (t = NOW; t <= NOW + REPLAY_WINDOW; t++)
		assert_false(replay_first(r, hash_of(1, false), NOW - 5, t));
	assert_true(replay_first(r, hash_of(2, false), NOW - 5, NOW + REPLAY_WINDOW));
	assert_true(replay_first(r, hash_of(1, false), NOW - 5, NOW + REPLAY_WINDOW + 1));
	replay_free(&r);
	assert_null(r);
}

/* Eight have room in one place; the ninth is refused, until the window has passed. */
static void test_a_full_place_refuses(void **state)
{
	struct replay *r = fresh(false, false);
	unsigned n, taken = 0;

	(void)state;
	for (n = 0; n < 20; n++)
		taken += replay_first(r, hash_of(n, true), NOW, NOW);
	assert_int_equal(taken, 8);
	assert_true(replay_first(r, hash_of(20, true), NOW, NOW + REPLAY_WINDOW + 1));
	replay_free(&r);
}

static void test_a_clock_set_back_refuses(void **state)
{
	struct replay *r = fresh(false, false);

	(void)state;
	assert_true(replay_first(r, hash_of(1, false), NOW, NOW));
	assert_true(replay_first(r, hash_of(2, false), NOW, NOW - 1)); /* another worker's look */
	assert_false(replay_first(r, hash_of(3, false), NOW, NOW - 2));
	assert_false(replay_first(r, hash_of(4, false), NOW, NOW - 3600));
	assert_true(replay_first(r, hash_of(4, false), NOW, NOW));
	replay_free(&r);
}

static void test_older_sessions_wait(void **state)
{
	struct replay *r = fresh(false, true);

	(void)state;
	assert_false(replay_first(r, hash_of(1, false), NOW - 100, NOW));
	assert_true(replay_first(r, hash_of(2, false), NOW + 1, NOW + 2));
	assert_false(replay_first(r, hash_of(1, false), NOW, NOW + REPLAY_WINDOW));
	assert_true(replay_first(r, hash_of(1, false), NOW - 100, NOW + REPLAY_WINDOW + 1));
	replay_free(&r);
}

static void test_the_next_image_knows(void **state)
{
	struct replay *r = fresh(true, false), *next;

	(void)state;
	assert_true(replay_first(r, hash_of(1, false), NOW, NOW));
	next = replay_attach();
	assert_non_null(next);
	assert_false(replay_first(next, hash_of(1, false), NOW, NOW + 1));
	assert_true(replay_first(next, hash_of(2, false), NOW, NOW + 1));
	assert_false(replay_first(r, hash_of(2, false), NOW, NOW + 1));
	replay_free(&next);
	replay_free(&r);
	kept_forget();
	assert_null(replay_attach());
}

/* All are shown all, in the same order, beginning together. */
static void test_one_of_many_processes(void **state)
{
	_Atomic unsigned *seen = mmap(NULL, (HELLOS + 1) * sizeof(*seen), PROT_READ | PROT_WRITE,
				      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct replay *r = fresh(false, false);
	unsigned p, n, taken = 0;
	int status;

	(void)state;
	assert_ptr_not_equal(seen, MAP_FAILED);
	for (p = 0; p < PROCESSES; p++) {
		if (fork())
			continue;
		atomic_fetch_add(&seen[HELLOS], 1);
		while (atomic_load(&seen[HELLOS]) < PROCESSES)
			usleep(100);
		for (n = 0; n < HELLOS; n++)
			if (replay_first(r, hash_of(n, false), NOW, NOW + p % 2))
				atomic_fetch_add(&seen[n], 1);
		_exit(0);
	}
	for (p = 0; p < PROCESSES; p++)
		assert_true(wait(&status) > 0 && status == 0);
	for (n = 0; n < HELLOS; n++) {
		assert_true(seen[n] <= 1);
		taken += seen[n];
	}
	assert_true(taken > HELLOS / 2); /* two at the same moment may both hear no */
	munmap((void *)seen, (HELLOS + 1) * sizeof(*seen));
	replay_free(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_once_within_the_window),
		cmocka_unit_test(test_a_full_place_refuses),
		cmocka_unit_test(test_a_clock_set_back_refuses),
		cmocka_unit_test(test_older_sessions_wait),
		cmocka_unit_test(test_the_next_image_knows),
		cmocka_unit_test(test_one_of_many_processes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
