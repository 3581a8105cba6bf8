/* SPDX-License-Identifier: BSD-2-Clause */
/* A worker that was taken over writes anything where it may write: nobody leaves the memory, or
 * hangs. What it falsifies is taken for what it is. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "stick/inside.h"
#include "stick/memory.h"
#include "stick/test_table.h"

#include "base/err.h"
#include "share/kept.h"
#include "share/region.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SECONDS = 60 /* a test that hangs ends */ };

static struct err err;
static struct stick_table *t;

static struct stick_definition definition(uint32_t size)
{
	struct stick_definition def = { .name = "t", .type = STICK_INTEGER, .key_len = 4,
					.size = size };

	def.columns[STICK_gpc0].count = 1;
	def.columns[STICK_conn_cur].count = 1;
	def.columns[STICK_http_req_rate] = (struct stick_column){ .count = 1, .period = 10000 };
	stick_layout(&def);
	return def;
}

/* True: there was another one of the name. */
static bool open_table(struct stick_definition def, bool shared)
{
	bool anew;

	t = test_table_open(def, shared, &anew);
	return anew;
}

static bool open_again(uint32_t size)
{
	return open_table(definition(size), true);
}

static int begin(void **state)
{
	(void)state;
	alarm(SECONDS);
	clock_freeze(1000000);
	open_again(100);
	return 0;
}

static struct stick_entry *take(uint32_t n)
{
	return stick_take(t, (struct span){ (char *)&n, sizeof(n) }, NULL);
}

static void take_and_give(uint32_t n)
{
	struct stick_entry *e = take(n);

	stick_give(t, e);
}

/* In a worker, which is killed behind it; the parent mends what it has left. How it ended. */
static int worker(void (*does)(void))
{
	pid_t pid = fork();
	int status;

	if (!pid) {
		if (stick_memory_confine(1, &err) < 0)
			_exit(2);
		does();
		kill(getpid(), SIGKILL);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	stick_memory_mend(1);
	return WIFSIGNALED(status) ? WTERMSIG(status) : -1;
}

static void makes_any_bucket(void)
{
	static const uint32_t buckets[] = { 0xfffffff0, 128, UINT32_C(1) << 31, 127 };
	unsigned i = (unsigned)clock_now_ms % 4;

	take_and_give(1);
	atomic_store(&stick_self.row->bucket,
		     (uint64_t)buckets[i] << 32 | (uint64_t)t->number << 8 | 1);
}

static void the_bucket_that_was_made_may_be_any(void **state)
{
	unsigned i;

	(void)state;
	for (i = 0; i < 4; i++, clock_advance(1))
		assert_int_equal(worker(makes_any_bucket), SIGKILL);
	take_and_give(2);
}

/* Another one writes into its row meanwhile. */
static void holds_by_a_falsified_row(void)
{
	struct stick_entry *e[8];
	uint32_t holds[8], round, i;

	for (round = 0; round < 3; round++) {
		for (i = 0; i < 8; i++) {
			e[i] = take(i);
			holds[i] = stick_hold(t, e[i], true);
		}
		for (i = 0; i < 4; i++)
			stick_unhold(t, e[i], holds[i], true);
		for (i = 0; i < 8; i++)
			atomic_store(&stick_self.slots[i].place, 0xfffffff0);
		atomic_store(&stick_self.row->holds, 0xfffffff0);
	}
}

static void what_is_held_is_known_without_the_row(void **state)
{
	(void)state;
	assert_int_equal(worker(holds_by_a_falsified_row), SIGKILL);
}

static void frees_what_is_not_there(void)
{
	atomic_store(&t->places.free[1], ~UINT64_C(0));
	atomic_store(&t->places.sums[0], ~UINT64_C(0));
	atomic_store(&t->head->freed, 1000);
	atomic_store(&t->head->fresh, 0);
}

static void places_beyond_the_table_are_not_free(void **state)
{
	uint32_t i, round;

	(void)state;
	for (round = 0; round < 3; round++) {
		assert_int_equal(worker(frees_what_is_not_there), SIGKILL);
		for (i = 0; i < 300; i++)
			take_and_give(1000 * round + i);
	}
	assert_int_equal(stick_used(t), 100);
	assert_int_equal(atomic_load(&t->places.free[1]), 0);
}

/* A word of the row that leads somewhere: a table and a place, both perhaps too large. */
static uint64_t any_word(unsigned *seed, unsigned kinds)
{
	bool fits = rand_r(seed) % 4;
	uint64_t place = (unsigned)rand_r(seed), table = fits ? t->number : place % 65536;

	place = fits ? place % 130 : place * 3 % UINT32_MAX;
	return place << 32 | table << 8 | (unsigned)rand_r(seed) % kinds;
}

static void falsifies_its_row_and_the_table(void)
{
	unsigned seed = (unsigned)clock_now_ms, i;

	for (i = 0; i < 30; i++)
		take_and_give((uint32_t)rand_r(&seed) % 200);
	for (i = 0; i < 20; i++) {
		atomic_store(&stick_self.slots[i].what, (uint32_t)any_word(&seed, 256));
		atomic_store(&stick_self.slots[i].place, (uint32_t)(any_word(&seed, 1) >> 32));
	}
	atomic_store(&stick_self.row->holds, (uint32_t)rand_r(&seed) * 3u);
	for (i = 0; i < 20; i++)
		t->entries[(unsigned)rand_r(&seed) % (100 * t->def.entry_size)] =
			(unsigned char)rand_r(&seed);
	for (i = 0; i < 5; i++)
		atomic_store(&t->buckets[(unsigned)rand_r(&seed) % 128],
			     any_word(&seed, 2) ^ (uint64_t)(unsigned)rand_r(&seed) << 33);
	atomic_store(&stick_self.row->generation, (uint32_t)rand_r(&seed) % 3);
	atomic_store(&stick_self.row->bucket, any_word(&seed, 2));
	atomic_store(&stick_self.row->intent, any_word(&seed, INTENT_REMOVES_OWN + 2));
}

static void a_row_may_say_anything(void **state)
{
	unsigned i;

	(void)state;
	for (i = 0; i < 300; i++, clock_advance(1)) {
		assert_int_equal(worker(falsifies_its_row_and_the_table), SIGKILL);
		take_and_give(i);
		if (i % 50 == 49) {
			stick_memory_end();
			kept_forget();
			open_again(100);
		}
	}
}

/* ---- the directory ------------------------------------------------------------------------- */

/* Where it is mapped: the first page of the region behind its head. */
static char *directory(void)
{
	FILE *f = fopen("/proc/self/maps", "r");
	unsigned long from, offset;
	char line[512], *at = NULL;

	while (f && !at && fgets(line, sizeof(line), f))
		if (strstr(line, "memfd:penstock-stick") &&
		    sscanf(line, "%lx-%*x %*s %lx", &from, &offset) == 2 && offset == REGION_PAGE)
			at = (char *)from;
	if (f)
		fclose(f);
	return at;
}

static void writes_the_directory(void)
{
	volatile char *at = directory() + clock_now_ms % sizeof(struct stick_directory);

	signal(SIGSEGV, SIG_DFL);
	*at = 1;
}

static void no_worker_writes_the_directory(void **state)
{
	unsigned i;

	(void)state;
	for (i = 0; i < 5; i++, clock_advance(100003))
		assert_int_equal(worker(writes_the_directory), SIGSEGV);
	take_and_give(1);
	assert_false(open_again(100));
	assert_int_equal(stick_used(t), 1);
}

/* What a line of the directory must not say, whoever has written it. */
static void falsify(struct stick_line_of_table *line, unsigned how)
{
	switch (how) {
	case 0:
		atomic_store(&line->size, REGION_PAGE);
		break;
	case 1:
		line->at += 8;
		break;
	case 2:
		line->at = UINT64_C(1) << 40;
		break;
	case 3:
		line->at = UINT64_MAX - REGION_PAGE + 1;
		break;
	case 4:
		line->at = 0;
		break;
	case 5:
		atomic_store(&line->size, UINT64_MAX - REGION_PAGE + 1);
		break;
	case 6:
		line->definition ^= 1;
		break;
	}
}

static struct stick_directory *map_directory(void)
{
	void *d = mmap(NULL, sizeof(struct stick_directory), PROT_READ | PROT_WRITE, MAP_SHARED,
		       kept_get("stick"), REGION_PAGE);

	assert_true(d != MAP_FAILED);
	return d;
}

static void a_line_that_cannot_be_is_no_table(void **state)
{
	struct stick_directory *d;
	unsigned i;

	(void)state;
	for (i = 0; i < 7; i++) {
		open_again(100 + i);
		take_and_give(1);
		d = map_directory();
		falsify(&d->lines[t->number], i);
		munmap(d, sizeof(*d));
		assert_true(open_again(100 + i));
		assert_int_equal(stick_used(t), 0);
		take_and_give(2);
		stick_memory_release_unused();
		assert_int_equal(stick_used(t), 1);
	}
}

static void lines_that_cannot_be_leave_room(void **state)
{
	struct stick_directory *d = map_directory();
	unsigned i;

	(void)state;
	for (i = 0; i < STICK_TABLES; i++)
		atomic_store(&d->lines[i].size, 1);
	munmap(d, sizeof(*d));
	assert_true(open_again(100));
	take_and_give(1);
}

/* ---- all of it ----------------------------------------------------------------------------- */

static struct stick_definition definition_of_texts(uint32_t expire)
{
	struct stick_definition def = definition(20);

	def.type = STICK_STRING;
	def.key_len = 8;
	def.expire_ms = expire;
	stick_layout(&def);
	return def;
}

/* Any byte may be any. */
static void falsified_memory_is_lived_with(void **state)
{
	unsigned seed = 7, round, i;
	struct stick_entry *e;
	unsigned char *p;
	uint32_t at;

	(void)state;
	for (round = 0; round < 300; round++) {
		open_table(definition_of_texts(10), false);
		for (i = 0; i < 20; i++)
			take_and_give((uint32_t)rand_r(&seed));
		for (i = 0; i < 8; i++) {
			p = rand_r(&seed) % 4 ? (unsigned char *)t->entries : (void *)t->buckets;
			p[(unsigned)rand_r(&seed) % (p == t->entries ? 20 * t->def.entry_size : 256)] =
				(unsigned char)rand_r(&seed);
			((unsigned char *)t->head)[(unsigned)rand_r(&seed) % sizeof(*t->head)] ^=
				(unsigned char)(rand_r(&seed) % 4 ? 0 : 255);
		}
		for (i = 0; i < 100; i++) {
			clock_advance(1);
			e = take((uint32_t)rand_r(&seed) % 40);
			if (e)
				stick_add(t, e, STICK_gpc0, 0, 1);
			stick_give(t, e);
			stick_sweep(t, 7, 7);
			at = 0;
			if ((e = stick_next(t, &at, 20)) && !stick_remove(t, e))
				stick_give(t, e);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(no_worker_writes_the_directory, begin, test_table_end),
		cmocka_unit_test_setup_teardown(a_line_that_cannot_be_is_no_table, begin, test_table_end),
		cmocka_unit_test_setup_teardown(lines_that_cannot_be_leave_room, begin, test_table_end),
		cmocka_unit_test_setup_teardown(falsified_memory_is_lived_with, begin, test_table_end),
		cmocka_unit_test_setup_teardown(the_bucket_that_was_made_may_be_any, begin, test_table_end),
		cmocka_unit_test_setup_teardown(what_is_held_is_known_without_the_row, begin, test_table_end),
		cmocka_unit_test_setup_teardown(places_beyond_the_table_are_not_free, begin, test_table_end),
		cmocka_unit_test_setup_teardown(a_row_may_say_anything, begin, test_table_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
