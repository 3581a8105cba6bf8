/* SPDX-License-Identifier: BSD-2-Clause */
/* Blocks that are taken and given back by a process that is killed behind each of its instructions,
 * one after the other (ptrace): nothing is lost, nothing is had twice. The owner here is a table of
 * blocks, as small as one can be. */
#include "share/blocks.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

enum { COUNT = 70, HELD = 80, DEAD_ROW = 3, OWN_ROW = 1, STATE_HELD = 1u << 30 };

/* What a process is at: block << 8 | this. */
enum at { AT_NOTHING, AT_TAKES, AT_HOLDS, AT_GIVES };

static struct memory {
	_Atomic uint32_t fresh, freed;
	_Atomic uint64_t free[2], sums[1];
	_Atomic uint64_t words[COUNT];
	_Atomic uint32_t held[HELD]; /* the owner's table: block + 1; 0: nothing */
	_Atomic uint64_t intent;
	_Atomic uint32_t generation;
} *m;

static void intend(enum at what, uint32_t block)
{
	atomic_store(&m->intent, (uint64_t)block << 8 | what);
	atomic_signal_fence(memory_order_seq_cst);
}

static void takes(const struct blocks *b, uint32_t block)
{
	(void)b;
	intend(AT_TAKES, block);
}

static struct blocks begin(void)
{
	memset(m, 0, sizeof(*m));
	return (struct blocks){ .count = COUNT, .fresh = &m->fresh, .freed = &m->freed,
				.free = m->free, .sums = m->sums, .first = (char *)m->words,
				.stride = sizeof(m->words[0]), .intend = takes };
}

static uint32_t generation_of(const struct blocks *b, uint32_t block)
{
	return (uint32_t)(atomic_load(blocks_word(b, block)) >> 32);
}

static bool hold(struct blocks *b, uint32_t row, unsigned place)
{
	uint32_t block, generation;

	if (!blocks_take(b, row, &block)) {
		intend(AT_NOTHING, 0);
		return false;
	}
	generation = generation_of(b, block);
	atomic_store(&m->generation, generation);
	intend(AT_HOLDS, block);
	atomic_store(blocks_word(b, block), (uint64_t)generation << 32 | STATE_HELD);
	atomic_store(&m->held[place], block + 1);
	intend(AT_NOTHING, 0);
	return true;
}

static void let_go(struct blocks *b, unsigned place)
{
	uint32_t block = atomic_load(&m->held[place]) - 1, generation = generation_of(b, block);

	atomic_store(&m->generation, generation);
	intend(AT_GIVES, block);
	atomic_store(&m->held[place], 0);
	blocks_give(b, block, generation, STATE_HELD);
	intend(AT_NOTHING, 0);
}

/* Where the table has it; NULL: nowhere. */
static _Atomic uint32_t *holder_of(uint32_t block)
{
	unsigned i;

	for (i = 0; i < HELD; i++)
		if (atomic_load(&m->held[i]) == block + 1)
			return &m->held[i];
	return NULL;
}

/* The process is dead. */
static void mend(struct blocks *b)
{
	uint64_t intent = atomic_load(&m->intent);
	uint32_t block = (uint32_t)(intent >> 8), generation = atomic_load(&m->generation);
	enum at at = (enum at)(intent & 0xff);
	_Atomic uint32_t *holder = holder_of(block);

	if (at == AT_GIVES && holder)
		atomic_store(holder, 0);
	if (at == AT_TAKES || at == AT_HOLDS)
		blocks_mend(b, block, DEAD_ROW);
	if (at == AT_GIVES || (at == AT_HOLDS && !holder)) {
		blocks_give(b, block, generation, STATE_HELD);
		blocks_mend_given(b, block, generation);
	}
	/* A block that was taken and is in the table already is the table's. */
	intend(AT_NOTHING, 0);
}

/* Each block is in the table once, or can be had once. */
static void check_sound(struct blocks *b)
{
	unsigned times[COUNT] = { 0 }, i;
	uint32_t block;

	for (i = 0; i < HELD; i++) {
		block = atomic_load(&m->held[i]);
		assert_in_range(block, 0, COUNT);
		if (block)
			times[block - 1]++;
	}
	while (blocks_take(b, OWN_ROW, &block))
		times[block]++;
	for (i = 0; i < COUNT; i++)
		if (times[i] != 1)
			fail_msg("block %u is there %u times", i, times[i]);
	assert_int_equal(blocks_used(b), COUNT);
}

/* ---- without deaths ---------------------------------------------------------------------- */

static void each_is_had_once(void **state)
{
	struct blocks b = begin();
	uint32_t block;
	unsigned i;

	(void)state;
	for (i = 0; i < COUNT; i++)
		assert_true(hold(&b, OWN_ROW, i));
	assert_int_equal(blocks_reached(&b), COUNT);
	assert_int_equal(blocks_used(&b), COUNT);
	assert_false(hold(&b, OWN_ROW, COUNT));
	let_go(&b, 66);
	let_go(&b, 2);
	assert_int_equal(blocks_used(&b), COUNT - 2);
	assert_true(blocks_is_free(&b, 66));
	assert_true(blocks_take(&b, OWN_ROW, &block));
	assert_int_equal(block, 2);
	assert_int_equal(generation_of(&b, 2), 1);
	assert_false(blocks_is_free(&b, 2));
	assert_true(blocks_take(&b, OWN_ROW, &block));
	assert_int_equal(block, 66);
	assert_false(blocks_take(&b, OWN_ROW, &block));
	assert_false(blocks_give(&b, 66, 0, STATE_HELD)); /* of an earlier generation */
}

static void what_others_have_written_leads_nowhere(void **state)
{
	struct blocks b = begin();
	unsigned taken = 0;
	uint32_t block;

	(void)state;
	atomic_store(&m->fresh, UINT32_MAX);
	atomic_store(&m->freed, UINT32_MAX);
	atomic_store(&m->sums[0], UINT64_MAX);
	atomic_store(&m->free[1], UINT64_MAX);
	atomic_store(&m->words[65], UINT64_MAX);
	assert_int_equal(blocks_reached(&b), COUNT);
	while (blocks_take(&b, OWN_ROW, &block)) {
		assert_in_range(block, 64, COUNT - 1);
		assert_int_not_equal(block, 65);
		taken++;
	}
	assert_int_not_equal(taken, 0);
	blocks_mend(&b, UINT32_MAX, DEAD_ROW);
	blocks_mend_given(&b, COUNT, 0);
}

/* ---- killed behind each instruction ------------------------------------------------------- */

/* Runs so many instructions of work in a process, which is killed then: 1. 0: the work was done
 * before; -1: this machine lets nobody trace. */
static int killed_behind(struct blocks *b, void (*work)(struct blocks *b), unsigned long steps)
{
	pid_t pid = fork();
	int status;

	assert_true(pid >= 0);
	if (!pid) {
		if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) < 0)
			_exit(7);
		raise(SIGSTOP);
		work(b);
		raise(SIGSTOP);
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	if (WIFEXITED(status))
		return -1;
	for (; steps; steps--) {
		assert_int_equal(ptrace(PTRACE_SINGLESTEP, pid, NULL, NULL), 0);
		assert_int_equal(waitpid(pid, &status, 0), pid);
		if (WIFSTOPPED(status) && WSTOPSIG(status) == SIGSTOP)
			break;
		assert_true(WIFSTOPPED(status) && WSTOPSIG(status) == SIGTRAP);
	}
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return !steps;
}

/* Deaths at all places of the work, from the state that prepare makes. */
static void at_all_places(void (*prepare)(struct blocks *b), void (*work)(struct blocks *b))
{
	unsigned long steps;
	struct blocks b;
	int killed = 1;

	for (steps = 1; killed > 0; steps++) {
		b = begin();
		prepare(&b);
		killed = killed_behind(&b, work, steps);
		if (killed < 0)
			skip();
		mend(&b);
		mend(&b);
		check_sound(&b);
	}
	assert_true(steps > 50);
}

static void nothing(struct blocks *b)
{
	(void)b;
}

static void some_free(struct blocks *b)
{
	unsigned i;

	for (i = 0; i < COUNT; i++)
		assert_true(hold(b, OWN_ROW, i));
	let_go(b, 1);
	let_go(b, 68);
}

static void holds_one(struct blocks *b)
{
	if (!hold(b, DEAD_ROW, HELD - 1))
		abort();
}

static void gives_one(struct blocks *b)
{
	let_go(b, 5);
}

static void takes_a_fresh_one(void **state)
{
	(void)state;
	at_all_places(nothing, holds_one);
}

static void takes_one_that_was_given_back(void **state)
{
	(void)state;
	at_all_places(some_free, holds_one);
}

static void gives_one_back(void **state)
{
	(void)state;
	at_all_places(some_free, gives_one);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_is_had_once),
		cmocka_unit_test(what_others_have_written_leads_nowhere),
		cmocka_unit_test(takes_a_fresh_one),
		cmocka_unit_test(takes_one_that_was_given_back),
		cmocka_unit_test(gives_one_back),
	};

	m = mmap(NULL, sizeof(*m), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (m == MAP_FAILED)
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
