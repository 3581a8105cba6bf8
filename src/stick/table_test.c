/* SPDX-License-Identifier: BSD-2-Clause */
/* Stick tables: keys, values, rates, expiry, purge; several processes at once, killed anywhere. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "stick/inside.h"
#include "stick/memory.h"
#include "stick/test_table.h"

#include "base/err.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static struct err err;
static struct stick_table *t;

static struct stick_definition definition(enum stick_key_type type, uint32_t len, uint32_t size,
					  uint32_t expire)
{
	struct stick_definition def = { .name = "t", .type = type, .key_len = len, .size = size,
					.expire_ms = expire };

	def.columns[STICK_gpc0].count = 1;
	def.columns[STICK_conn_cur].count = 1;
	def.columns[STICK_bytes_in_cnt].count = 1;
	def.columns[STICK_http_req_rate] = (struct stick_column){ .count = 1, .period = 10000 };
	def.columns[STICK_gpt].count = 3;
	stick_layout(&def);
	return def;
}

static void open_with(struct stick_definition def, bool shared)
{
	clock_freeze(1000000);
	t = test_table_open(def, shared, NULL);
}

static bool has(struct span key)
{
	struct stick_entry *e = stick_find(t, key);

	stick_give(t, e);
	return e;
}

static bool take(struct span key)
{
	struct stick_entry *e;
	bool made;

	e = stick_take(t, key, &made);
	stick_give(t, e);
	return e && made;
}

static void keys_are_cut_and_filled_up(void **state)
{
	(void)state;
	open_with(definition(STICK_STRING, 4, 10, 0), false);
	assert_true(take(span_of("abcdef")));
	assert_false(take(span_of("abcdxy")));
	assert_true(take(span_of("abc")));
	assert_true(take(span_of("")));
	assert_true(has(span_of("")));
	assert_false(has(span_of("ab")));
	test_table_is_sound(t);
	open_with(definition(STICK_BINARY, 4, 10, 0), false);
	assert_true(take(span_of("ab")));
	assert_true(has((struct span){ "ab\0\0xyz", 7 }));
	assert_false(has((struct span){ "ab\0x", 4 }));
	assert_int_equal(stick_used(t), 1);
	test_table_is_sound(t);
}

static void values_are_counted(void **state)
{
	struct stick_entry *e;

	(void)state;
	open_with(definition(STICK_INTEGER, 4, 10, 0), false);
	e = stick_take(t, test_table_key(7), NULL);
	assert_int_equal(stick_add(t, e, STICK_gpc0, 0, 3), 3);
	assert_int_equal(stick_add(t, e, STICK_gpc0, 0, UINT32_MAX), 2);
	stick_set(t, e, STICK_bytes_in_cnt, 0, UINT64_C(1) << 40);
	assert_int_equal(stick_add(t, e, STICK_bytes_in_cnt, 0, 1), (UINT64_C(1) << 40) + 1);
	stick_set(t, e, STICK_gpt, 2, 5);
	stick_set(t, e, STICK_gpt, 3, 9); /* there is no such element */
	assert_int_equal(stick_value(t, e, STICK_gpt, 2), 5);
	assert_int_equal(stick_value(t, e, STICK_gpt, 3), 0);
	assert_int_equal(stick_value(t, e, STICK_conn_cnt, 0), 0);
	stick_give(t, e);
	test_table_is_sound(t);
}

static void rates_fade_over_a_period(void **state)
{
	struct stick_entry *e;

	(void)state;
	open_with(definition(STICK_INTEGER, 4, 10, 0), false);
	e = stick_take(t, test_table_key(7), NULL);
	assert_int_equal(stick_value(t, e, STICK_http_req_rate, 0), 0);
	assert_int_equal(stick_add(t, e, STICK_http_req_rate, 0, 100), 100);
	clock_advance(9990);
	assert_int_equal(stick_add(t, e, STICK_http_req_rate, 0, 0), 100);
	clock_advance(2510); /* a quarter of the next one */
	assert_in_range(stick_value(t, e, STICK_http_req_rate, 0), 74, 76);
	assert_in_range(stick_add(t, e, STICK_http_req_rate, 0, 10), 84, 86);
	clock_advance(7500); /* the third: ten of the second */
	assert_in_range(stick_value(t, e, STICK_http_req_rate, 0), 9, 10);
	clock_advance(20000);
	assert_int_equal(stick_value(t, e, STICK_http_req_rate, 0), 0);
	stick_rate_set(t, e, STICK_http_req_rate, 0, (struct stick_rate_state){ 5000, 20, 40 });
	assert_int_equal(stick_value(t, e, STICK_http_req_rate, 0), 40);
	assert_int_equal(stick_rate_state(t, e, STICK_http_req_rate, 0).age, 5000);
	stick_give(t, e);
}

static void a_rate_that_was_quiet_for_weeks_is_none(void **state)
{
	static const uint64_t weeks[] = { INT32_MAX, UINT64_C(1) << 31, 40 * UINT64_C(86400000) };
	struct stick_entry *e;
	unsigned i, k;

	(void)state;
	for (i = 0; i < 3; i++) {
		open_with(definition(STICK_INTEGER, 4, 10, 0), false);
		e = stick_take(t, test_table_key(7), NULL);
		assert_int_equal(stick_add(t, e, STICK_http_req_rate, 0, 100), 100);
		clock_advance(weeks[i] + 12345);
		assert_int_equal(stick_value(t, e, STICK_http_req_rate, 0), 0);
		assert_true(stick_idle(t, e) > INT32_MAX);
		for (k = 0; k < 1000; k++, clock_advance(1000))
			stick_add(t, e, STICK_http_req_rate, 0, 1);
		assert_in_range(stick_value(t, e, STICK_http_req_rate, 0), 9, 11);
		stick_give(t, e);
	}
}

/* Another process has looked at the clock a moment later. */
static void what_is_of_a_moment_ahead_is_of_now(void **state)
{
	struct stick_entry *e;

	(void)state;
	open_with(definition(STICK_INTEGER, 4, 10, 5000), false);
	e = stick_take(t, test_table_key(7), NULL);
	assert_int_equal(stick_add(t, e, STICK_http_req_rate, 0, 100), 100);
	clock_freeze(clock_now_ms - 9000);
	assert_int_equal(stick_add(t, e, STICK_http_req_rate, 0, 1), 101);
	assert_int_equal(stick_left(t, e), 5000);
	stick_give(t, e);
}

static uint64_t count_bytes(enum stick_data what, unsigned times, uint64_t bytes)
{
	struct stick_entry *e = stick_take(t, test_table_key(what), NULL);
	uint64_t value = 0;

	while (times--)
		value = stick_add(t, e, what, 0, bytes);
	assert_int_equal(stick_value(t, e, what, 0), value);
	stick_give(t, e);
	return value;
}

static void rates_of_bytes_may_count_blocks(void **state)
{
	struct stick_definition def = definition(STICK_INTEGER, 4, 10, 0);
	struct stick_entry *e;

	(void)state;
	def.columns[STICK_bytes_in_rate] = (struct stick_column){ .count = 1, .period = 10000 };
	def.columns[STICK_bytes_out_rate] = (struct stick_column){ .count = 1, .period = 10000 };
	def.block = 1000;
	stick_layout(&def);
	open_with(def, false);
	/* What 32 bits would not hold. */
	assert_int_equal(count_bytes(STICK_bytes_in_rate, 1000, 50000000), 50000000000);
	/* Each less than a block. */
	assert_in_range(count_bytes(STICK_bytes_out_rate, 1000000, 79), 78500000, 79500000);
	/* The other rates count one by one. */
	assert_int_equal(count_bytes(STICK_http_req_rate, 5, 3), 15);
	e = stick_take(t, test_table_key(77), NULL);
	stick_set(t, e, STICK_bytes_in_rate, 0, 5000000000);
	assert_int_equal(stick_value(t, e, STICK_bytes_in_rate, 0), 5000000000);
	assert_int_equal(stick_rate_state(t, e, STICK_bytes_in_rate, 0).now, 5000000);
	assert_int_equal(stick_add(t, e, STICK_bytes_in_rate, 0, 1000), 5000001000);
	stick_give(t, e);
}

static void what_is_old_expires(void **state)
{
	struct stick_entry *e;

	(void)state;
	open_with(definition(STICK_INTEGER, 4, 10, 5000), false);
	assert_true(take(test_table_key(1)));
	clock_advance(3000);
	assert_true(take(test_table_key(2)));
	e = stick_find(t, test_table_key(1));
	assert_int_equal(stick_left(t, e), 2000);
	stick_give(t, e);
	clock_advance(2000);
	assert_false(has(test_table_key(1)));
	assert_true(has(test_table_key(2)));
	e = stick_find(t, test_table_key(2));
	clock_advance(60000); /* it is in use */
	assert_ptr_equal(stick_find(t, test_table_key(2)), e);
	stick_give(t, e);
	assert_false(stick_sweep(t, 100, 100));
	assert_int_equal(stick_used(t), 1);
	stick_give(t, e);
	assert_false(stick_sweep(t, 100, 100));
	assert_int_equal(stick_used(t), 0);
	test_table_is_sound(t);
}

static void single_names_are_elements_of_arrays(void **state)
{
	struct stick_definition def = definition(STICK_INTEGER, 4, 10, 0);
	unsigned at = 0;

	(void)state;
	assert_int_equal(stick_stored_as(&def, STICK_gpc0, &at), STICK_gpc0);
	assert_int_equal(stick_stored_as(&def, STICK_gpt0, &at), STICK_gpt);
	assert_int_equal(at, 0);
	assert_int_equal(stick_stored_as(&def, STICK_gpc1, &at), STICK_DATA);
	def.columns[STICK_gpc].count = 1;
	assert_int_equal(stick_stored_as(&def, STICK_gpc1, &at), STICK_DATA);
	def.columns[STICK_gpc].count = 2;
	assert_int_equal(stick_stored_as(&def, STICK_gpc1, &at), STICK_gpc);
	assert_int_equal(at, 1);
	at = 2;
	assert_int_equal(stick_stored_as(&def, STICK_gpt, &at), STICK_gpt);
	assert_int_equal(at, 2);
	at = 3;
	assert_int_equal(stick_stored_as(&def, STICK_gpt, &at), STICK_DATA);
}

static uint32_t alive(unsigned most)
{
	uint32_t at = 0, sum = 0;

	while (at < stick_places(t))
		sum += stick_alive(t, &at, most);
	return sum;
}

static void who_is_alive_is_counted(void **state)
{
	struct stick_entry *e, *f;
	uint32_t i, at = 0;

	(void)state;
	open_with(definition(STICK_INTEGER, 4, 1000, 5000), false);
	assert_int_equal(alive(10), 0);
	for (i = 0; i < 200; i++)
		assert_true(take(test_table_key(i)));
	clock_advance(4000);
	for (; i < 300; i++)
		assert_true(take(test_table_key(i)));
	assert_int_equal(stick_alive(t, &at, 70), 70);
	assert_int_equal(at, 70);
	assert_int_equal(alive(7), 300);
	e = stick_take(t, test_table_key(5), NULL);
	clock_advance(1000); /* no entry was removed yet; one of those that are old is in use */
	assert_int_equal(stick_used(t), 300);
	assert_int_equal(alive(1000), 101);
	f = stick_find(t, test_table_key(250));
	assert_true(stick_remove(t, f));
	assert_int_equal(alive(64), 100);
	stick_give(t, e);
	assert_int_equal(alive(64), 99);
	clock_advance(4000);
	assert_int_equal(alive(64), 0);
	test_table_is_sound(t);
}

static void entries_have_numbers_of_their_own(void **state)
{
	struct stick_entry *e;
	uint64_t first;

	(void)state;
	open_with(definition(STICK_INTEGER, 4, 10, 0), false);
	e = stick_take(t, test_table_key(1), NULL);
	first = stick_number(t, e);
	assert_int_not_equal(first, 0);
	stick_give(t, e);
	e = stick_find(t, test_table_key(1));
	assert_true(stick_number(t, e) == first);
	assert_true(stick_remove(t, e));
	e = stick_take(t, test_table_key(1), NULL);
	assert_true(stick_number(t, e) != first);
	stick_give(t, e);
}

static void the_oldest_goes_when_it_is_full(void **state)
{
	uint32_t i;

	(void)state;
	open_with(definition(STICK_INTEGER, 4, 3, 0), false);
	for (i = 1; i <= 3; i++, clock_advance(1))
		assert_true(take(test_table_key(i)));
	stick_touch(t, stick_find(t, test_table_key(1)));
	stick_give(t, stick_find(t, test_table_key(1)));
	stick_give(t, stick_find(t, test_table_key(1)));
	assert_int_equal(stick_used(t), 3);
	clock_advance(1);
	assert_true(take(test_table_key(4)));
	assert_false(has(test_table_key(2)));
	assert_true(take(test_table_key(5))); /* of one millisecond: in their order */
	assert_true(take(test_table_key(6)));
	assert_true(take(test_table_key(7)));
	assert_false(has(test_table_key(4)));
	assert_true(has(test_table_key(6)));
	assert_int_equal(stick_used(t), 3);
	test_table_is_sound(t);
}

static void the_oldest_goes_after_weeks(void **state)
{
	(void)state;
	open_with(definition(STICK_INTEGER, 4, 2, 0), false);
	assert_true(take(test_table_key(1)));
	clock_advance(1);
	assert_true(take(test_table_key(2)));
	clock_advance(INT32_MAX);
	assert_true(take(test_table_key(3)));
	assert_false(has(test_table_key(1)));
	assert_true(has(test_table_key(2)));
	test_table_is_sound(t);
}

static void nothing_goes_with_nopurge(void **state)
{
	struct stick_definition def = definition(STICK_INTEGER, 4, 2, 1000);

	(void)state;
	def.nopurge = true;
	open_with(def, false);
	assert_true(take(test_table_key(1)));
	assert_true(take(test_table_key(2)));
	assert_null(stick_take(t, test_table_key(3), NULL));
	clock_advance(1000);
	assert_true(take(test_table_key(3)));
	test_table_is_sound(t);
}

static void what_is_in_use_stays(void **state)
{
	struct stick_entry *a, *b;

	(void)state;
	open_with(definition(STICK_INTEGER, 4, 2, 0), false);
	a = stick_take(t, test_table_key(1), NULL);
	b = stick_take(t, test_table_key(2), NULL);
	assert_null(stick_take(t, test_table_key(3), NULL));
	assert_ptr_equal(stick_find(t, test_table_key(1)), a);
	assert_false(stick_remove(t, a));
	stick_give(t, a);
	assert_true(stick_remove(t, a));
	assert_true(take(test_table_key(3)));
	stick_give(t, b);
	test_table_is_sound(t);
}

static void a_million_keys_are_found(void **state)
{
	enum { N = 1 << 20 };
	uint32_t i, at = 0, seen = 0;
	struct stick_entry *e;

	(void)state;
	open_with(definition(STICK_INTEGER, 4, N, 0), false);
	for (i = 0; i < N; i++)
		assert_true(take(test_table_key(i)));
	for (i = 0; i < N; i++)
		assert_true(has(test_table_key(i)));
	assert_false(has(test_table_key(N)));
	while ((e = stick_next(t, &at, UINT32_MAX))) {
		seen++;
		stick_give(t, e);
	}
	assert_int_equal(seen, N);
	clock_advance(1);
	for (i = N; i < N + 10000; i++)
		assert_true(take(test_table_key(i)));
	assert_true(has(test_table_key(N + 9999)));
	test_table_is_sound(t);
}

static void tables_are_found_by_name_and_definition(void **state)
{
	struct stick_definition def = definition(STICK_INTEGER, 4, 100, 0), other;
	struct stick_table *u;
	bool anew;

	(void)state;
	open_with(def, true);
	assert_true(take(test_table_key(1)));
	stick_memory_end(); /* its descriptor is kept */
	assert_int_equal(stick_memory_begin(true, &err), 0);
	t = stick_table_open(&def, &anew, &err);
	assert_non_null(t);
	assert_false(anew);
	assert_true(has(test_table_key(1)));
	other = definition(STICK_INTEGER, 4, 101, 0);
	u = stick_table_open(&other, &anew, &err);
	assert_true(anew);
	assert_int_equal(stick_used(u), 0);
	other.name = "u";
	u = stick_table_open(&other, &anew, &err);
	assert_false(anew);
	assert_int_equal(stick_used(u), 0);
}

/* ---- several processes --------------------------------------------------------------------- */

enum { KEYS = 64 };

/* Everything that a worker does, at random, until it is killed. */
static void hammer(unsigned row, unsigned seed, unsigned rounds)
{
	struct stick_entry *held[4] = { NULL }, *e;
	uint32_t holds[4] = { 0 }, at = 0;
	unsigned i, n;

	if (stick_memory_confine(row, &err) < 0)
		_exit(2);
	for (i = 0; !rounds || i < rounds; i++) {
		n = (unsigned)rand_r(&seed);
		clock_update();
		if (n % 16 < 8 && (e = stick_take(t, test_table_key(n >> 8 & (KEYS - 1)), NULL))) {
			stick_add(t, e, STICK_gpc0, 0, 1);
			stick_touch(t, e);
			stick_give(t, e);
		} else if (n % 16 < 11) {
			if (held[n & 3]) {
				stick_unhold(t, held[n & 3], holds[n & 3], true);
				held[n & 3] = NULL;
			} else if ((held[n & 3] = stick_find(t, test_table_key(n >> 8 & (KEYS - 1))))) {
				holds[n & 3] = stick_hold(t, held[n & 3], true);
			}
		} else if (n % 16 < 13) {
			e = stick_find(t, test_table_key(n >> 8 & (KEYS - 1)));
			if (e && !stick_remove(t, e))
				stick_give(t, e);
		} else if (n % 16 < 15) {
			if (!(e = stick_next(t, &at, 8)))
				at = at < stick_places(t) ? at : 0;
			stick_give(t, e);
		} else {
			stick_sweep(t, 16, 2);
		}
	}
	for (i = 0; i < 4; i++)
		if (held[i])
			stick_unhold(t, held[i], holds[i], true);
	_exit(0);
}

static pid_t begin(unsigned row, unsigned seed, unsigned rounds)
{
	pid_t pid = fork();

	if (!pid)
		hammer(row, seed, rounds);
	return pid;
}

static void nothing_is_in_use(void)
{
	struct stick_entry *e;
	uint32_t at = 0;

	while ((e = stick_next(t, &at, UINT32_MAX))) {
		if (stick_uses(e) || stick_value(t, e, STICK_conn_cur, 0))
			fail_msg("place %u: %u uses, %u connections", at - 1, stick_uses(e),
				 (unsigned)stick_value(t, e, STICK_conn_cur, 0));
		stick_give(t, e);
	}
}

static void killed_anywhere_it_stays_sound(void **state)
{
	enum { WORKERS = 3, ROUNDS = 400 };
	const char *rounds = getenv("PENSTOCK_STICK_KILLS");
	unsigned i, n = rounds ? (unsigned)atoi(rounds) : ROUNDS, seed = 1;
	pid_t pids[WORKERS];
	int status;

	(void)state;
	open_with(definition(STICK_INTEGER, 4, 48, 2), true);
	for (i = 0; i < WORKERS; i++)
		pids[i] = begin(i + 1, i, 0);
	for (i = 0; i < n; i++) {
		usleep(200 + (unsigned)rand_r(&seed) % 3000);
		assert_int_equal(kill(pids[i % WORKERS], SIGKILL), 0);
		assert_int_equal(waitpid(pids[i % WORKERS], &status, 0), pids[i % WORKERS]);
		assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
		stick_memory_mend(i % WORKERS + 1);
		pids[i % WORKERS] = begin(i % WORKERS + 1, i + 100, 0);
	}
	for (i = 0; i < WORKERS; i++) {
		kill(pids[i], SIGKILL);
		waitpid(pids[i], &status, 0);
		stick_memory_mend(i + 1);
	}
	clock_update();
	test_table_is_sound(t);
	nothing_is_in_use();
}

static void nothing_is_lost_between_processes(void **state)
{
	enum { WORKERS = 4, ROUNDS = 20000 };
	struct stick_entry *e;
	uint64_t sum = 0;
	pid_t pids[WORKERS];
	uint32_t at = 0, i, k;
	int status;

	(void)state;
	open_with(definition(STICK_INTEGER, 4, 1000 + WORKERS, 0), true);
	for (i = 0; i < WORKERS; i++) {
		pids[i] = fork();
		if (pids[i])
			continue;
		if (stick_memory_confine(i + 1, &err) < 0)
			_exit(2);
		for (k = 0; k < ROUNDS; k++) {
			e = stick_take(t, test_table_key(k % 1000), NULL);
			if (!e)
				_exit(3);
			stick_add(t, e, STICK_gpc0, 0, 1);
			stick_add(t, e, STICK_http_req_rate, 0, 1);
			stick_give(t, e);
		}
		_exit(0);
	}
	for (i = 0; i < WORKERS; i++) {
		waitpid(pids[i], &status, 0);
		assert_int_equal(status, 0);
		stick_memory_mend(i + 1);
	}
	assert_int_equal(stick_used(t), 1000);
	while ((e = stick_next(t, &at, UINT32_MAX))) {
		assert_int_equal(stick_value(t, e, STICK_gpc0, 0), WORKERS * ROUNDS / 1000);
		sum += stick_value(t, e, STICK_http_req_rate, 0);
		stick_give(t, e);
	}
	assert_int_equal(sum, WORKERS * ROUNDS);
	test_table_is_sound(t);
}

static void *shared(size_t size)
{
	void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	assert_true(memory != MAP_FAILED);
	return memory;
}

/* All children have ended well. */
static void wait_for(const pid_t *pids, unsigned count)
{
	unsigned i;
	int status;

	for (i = 0; i < count; i++) {
		waitpid(pids[i], &status, 0);
		assert_int_equal(status, 0);
		stick_memory_mend(i + 1);
	}
}

/* Both ask for the same key at the same moment, again and again. */
static void one_of_two_makes_a_key(void **state)
{
	enum { N = 20000 };
	struct { _Atomic uint32_t at, made[N]; } *game = shared(sizeof(*game));
	struct stick_entry *e;
	pid_t pids[2];
	uint32_t i, k;
	bool made;

	(void)state;
	open_with(definition(STICK_INTEGER, 4, N + 2, 0), true); /* both begin to make one */
	for (i = 0; i < 2; i++) {
		pids[i] = fork();
		if (pids[i])
			continue;
		if (stick_memory_confine(i + 1, &err) < 0)
			_exit(2);
		for (k = 0; k < N; k++) {
			atomic_fetch_add(&game->at, 1);
			while (atomic_load(&game->at) < 2 * (k + 1))
				sched_yield();
			e = stick_take(t, test_table_key(k), &made);
			if (!e)
				_exit(3);
			atomic_fetch_add(&game->made[k], made);
			stick_add(t, e, STICK_gpc0, 0, 1);
			stick_give(t, e);
		}
		_exit(0);
	}
	wait_for(pids, 2);
	assert_int_equal(stick_used(t), N);
	for (k = 0; k < N; k++) {
		assert_int_equal(atomic_load(&game->made[k]), 1);
		e = stick_find(t, test_table_key(k));
		assert_int_equal(stick_value(t, e, STICK_gpc0, 0), 2);
		stick_give(t, e);
	}
	test_table_is_sound(t);
	munmap(game, sizeof(*game));
}

/* Four processes count one key as fast as they can, each for so many milliseconds, and note in which
 * they did. What a period has at its end is what they noted within it: to 1 %, as a process may look
 * at the clock a moment before another one. */
enum { COUNTERS = 4, LASTS = 2800, PERIOD = 400 };

struct noted {
	_Atomic uint32_t in[LASTS + 1000];
	_Atomic uint64_t all;
	_Atomic uint32_t done;
};

/* The clock of these processes goes on. */
static uint64_t clock_goes(void)
{
	clock_now_ms = clock_read_us() / 1000;
	return clock_now_ms;
}

static void count_and_note(struct noted *noted, uint64_t start)
{
	struct stick_entry *e;
	uint64_t now;

	for (;;) {
		now = clock_goes() - start;
		if (now >= LASTS)
			break;
		e = stick_take(t, test_table_key(1), NULL);
		if (!e)
			_exit(3);
		stick_add(t, e, STICK_http_req_rate, 0, 1);
		stick_give(t, e);
		atomic_fetch_add(&noted->in[now], 1);
		atomic_fetch_add(&noted->all, 1);
	}
	atomic_fetch_add(&noted->done, 1);
	_exit(0);
}

static uint32_t noted_within(const struct noted *noted, uint32_t from, uint32_t end)
{
	uint32_t i, sum = 0;

	for (i = from; i < end; i++)
		sum += atomic_load(&noted->in[i]);
	return sum;
}

static void periods_have_what_happened_in_them(void **state)
{
	struct stick_definition def = definition(STICK_INTEGER, 4, 10, 0);
	struct noted *noted = shared(sizeof(*noted));
	uint32_t i, begin, events, truth, periods = 0, wrong = 0, seen = 0;
	uint64_t start, sum = 0, before;
	struct stick_entry *e;
	struct stick_rate *r;
	pid_t pids[COUNTERS];

	(void)state;
	def.columns[STICK_http_req_rate].period = PERIOD;
	open_with(def, true);
	start = clock_goes();
	for (i = 0; i < COUNTERS; i++) {
		pids[i] = fork();
		if (!pids[i] && stick_memory_confine(i + 1, &err) < 0)
			_exit(2);
		if (!pids[i])
			count_and_note(noted, start);
	}
	e = stick_take(t, test_table_key(1), NULL);
	r = (struct stick_rate *)(void *)((char *)e + t->def.columns[STICK_http_req_rate].at);
	while (atomic_load(&noted->done) < COUNTERS) {
		before = atomic_load(&r->before);
		begin = (uint32_t)(before >> 32) - (uint32_t)start;
		if (!before || (uint32_t)(before >> 32) == seen) {
			usleep(1000);
			continue;
		}
		seen = (uint32_t)(before >> 32);
		events = (uint32_t)before;
		/* The first one may begin up to 1 ms behind its first events: no begin is 0. */
		truth = noted_within(noted, periods ? begin : 0, begin + PERIOD);
		sum += events;
		periods++;
		if (events + truth / 100 + COUNTERS < truth || events > truth + truth / 100 + COUNTERS) {
			printf("period %u: %u events, counted as %u\n", periods, truth, events);
			wrong++;
		}
	}
	wait_for(pids, COUNTERS);
	sum += (uint32_t)atomic_load(&r->now);
	before = atomic_load(&r->before);
	if ((uint32_t)(before >> 32) != seen)
		sum += (uint32_t)before;
	stick_give(t, e);
	assert_int_equal(wrong, 0);
	assert_true(periods >= 5);
	assert_true(sum == atomic_load(&noted->all));
	munmap(noted, sizeof(*noted));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(keys_are_cut_and_filled_up),
		cmocka_unit_test(values_are_counted),
		cmocka_unit_test(rates_fade_over_a_period),
		cmocka_unit_test(a_rate_that_was_quiet_for_weeks_is_none),
		cmocka_unit_test(what_is_of_a_moment_ahead_is_of_now),
		cmocka_unit_test(rates_of_bytes_may_count_blocks),
		cmocka_unit_test(what_is_old_expires),
		cmocka_unit_test(single_names_are_elements_of_arrays),
		cmocka_unit_test(who_is_alive_is_counted),
		cmocka_unit_test(entries_have_numbers_of_their_own),
		cmocka_unit_test(the_oldest_goes_when_it_is_full),
		cmocka_unit_test(the_oldest_goes_after_weeks),
		cmocka_unit_test(nothing_goes_with_nopurge),
		cmocka_unit_test(what_is_in_use_stays),
		cmocka_unit_test(a_million_keys_are_found),
		cmocka_unit_test(tables_are_found_by_name_and_definition),
		cmocka_unit_test(nothing_is_lost_between_processes),
		cmocka_unit_test(one_of_two_makes_a_key),
		cmocka_unit_test(periods_have_what_happened_in_them),
		cmocka_unit_test(killed_anywhere_it_stays_sound),
	};

	return cmocka_run_group_tests(tests, NULL, test_table_end);
}
