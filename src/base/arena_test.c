/* SPDX-License-Identifier: BSD-2-Clause */
/* Arenas: alignment, zeroing, growth beyond a block, reset. */
#include "base/arena.h"
#include "base/memory.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static void test_alignment_and_zero(void **state)
{
	struct arena *arena = arena_new(128);
	size_t i, k;

	(void)state;
	for (i = 1; i < 300; i++) {
		unsigned char *p = arena_alloc(arena, i);

		assert_int_equal((uintptr_t)p % _Alignof(max_align_t), 0);
		for (k = 0; k < i; k++)
			assert_int_equal(p[k], 0);
		memset(p, 0xff, i);
	}
	arena_free(&arena);
	assert_null(arena);
}

static void test_neighbours_do_not_overlap(void **state)
{
	struct arena *arena = arena_new(64);
	char *a[50];
	int i;

	(void)state;
	for (i = 0; i < 50; i++)
		a[i] = arena_printf(arena, "number %d", i);
	for (i = 0; i < 50; i++) {
		char want[20];

		snprintf(want, sizeof(want), "number %d", i);
		assert_string_equal(a[i], want);
	}
	arena_free(&arena);
}

static void test_larger_than_a_block(void **state)
{
	struct arena *arena = arena_new(16);
	char *big = arena_alloc(arena, 100000), *small = arena_strdup(arena, "after");

	(void)state;
	memset(big, 'x', 100000);
	assert_string_equal(small, "after");
	assert_true(arena_used(arena) >= 100006);
	arena_free(&arena);
}

static void test_reset(void **state)
{
	struct arena *arena = arena_new(1024);
	char *first = arena_alloc(arena, 10), *again;

	(void)state;
	memset(first, 1, 10);
	arena_alloc(arena, 5000);
	arena_reset(arena);
	assert_int_equal(arena_used(arena), 0);
	again = arena_alloc(arena, 10);
	assert_ptr_equal(again, first); /* the first block is kept */
	assert_int_equal(again[9], 0);
	arena_free(&arena);
}

static void test_copies(void **state)
{
	struct arena *arena = arena_new(64);

	(void)state;
	assert_string_equal(arena_strndup(arena, "abcdef", 3), "abc");
	assert_string_equal(arena_strdup(arena, ""), "");
	assert_string_equal(arena_strndup(arena, NULL, 0), ""); /* an empty span; the sanitizers
								 * watch */
	assert_memory_equal(arena_strndup(arena, "a\0b", 3), "a\0b", 4);
	arena_free(&arena);
	arena_free(&arena); /* nothing left: harmless */
}

static void test_limited_arena_runs_out(void **state)
{
	struct arena *arena = arena_new_limited(64);
	char text[100] = "";
	struct span kept;

	(void)state;
	memset(text, 'a', sizeof(text) - 1);
	assert_false(arena->failed);
	memory_debug.how |= MEMORY_FAILS;
	memory_debug.fail_percent = 100;
	memory_fail_begin();
	assert_null(arena_alloc(arena, 1000));
	assert_true(arena->failed);
	kept = arena_keep(arena, span_of(text));
	assert_non_null(kept.ptr);
	assert_int_equal(kept.len, 0);
	assert_null(arena_printf(arena, "%s", text));
	memory_debug.fail_percent = 0;
	assert_true(arena->failed); /* until it is reset */
	arena_reset(arena);
	assert_false(arena->failed);
	assert_non_null(arena_alloc(arena, 1000));
	memory_debug.how &= ~(unsigned)MEMORY_FAILS;
	arena_free(&arena);
}

/* Where somebody looks for uses after free, no two pieces share an allocation. */
static void test_pieces_apart(void **state)
{
	unsigned before = memory_debug.how;
	struct arena *arena;
	const struct arena_block *block;
	unsigned n = 0;

	(void)state;
	memory_debug.how |= MEMORY_APART;
	arena = arena_new_limited(4096);
	arena_alloc(arena, 16);
	arena_alloc(arena, 32);
	arena_strdup(arena, "third");
	for (block = arena->first; block != &arena->own; block = block->next)
		n++;
	assert_int_equal(n, 3);
	assert_int_equal(arena->own.used, 0);
	arena_free(&arena);
	memory_debug.how = before;
}

static void test_first_block_comes_later(void **state)
{
	static char block[512] __attribute__((aligned));
	unsigned before = memory_debug.how;
	struct arena arena;
	char *p;

	(void)state;
	memory_debug.how &= ~(unsigned)MEMORY_APART;
	arena_init_limited(&arena, NULL, sizeof(block));
	p = arena_alloc(&arena, 16);
	assert_non_null(p);
	arena_lend(&arena, block);
	p = arena_alloc(&arena, 16);
	assert_false(p >= block && p < block + sizeof(block));
	arena_reset(&arena);
	p = arena_alloc(&arena, 16);
	assert_true(p >= block && p < block + sizeof(block));
	arena_reset(&arena);
	memory_debug.how = before;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_alignment_and_zero),
		cmocka_unit_test(test_limited_arena_runs_out),
		cmocka_unit_test(test_pieces_apart),
		cmocka_unit_test(test_first_block_comes_later),
		cmocka_unit_test(test_neighbours_do_not_overlap),
		cmocka_unit_test(test_larger_than_a_block),
		cmocka_unit_test(test_reset),
		cmocka_unit_test(test_copies),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
