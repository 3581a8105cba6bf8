/* SPDX-License-Identifier: BSD-2-Clause */
/* Small pieces keep what lies in them through all sizes, never overlap, and are used again. */
#include "lua/small.h"

#include "base/memory.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { PIECES = 2000, SIZE_MOST = 700, ROUNDS = 20000 };

static struct {
	unsigned char *at;
	size_t size;
	unsigned char filled;
} pieces[PIECES];

static uint64_t dice = 88172645463325252;

static unsigned roll(unsigned most)
{
	dice ^= dice << 13;
	dice ^= dice >> 7;
	dice ^= dice << 17;
	return (unsigned)(dice % most);
}

static void check(unsigned i, size_t len)
{
	size_t n;

	for (n = 0; n < len; n++)
		assert_int_equal(pieces[i].at[n], pieces[i].filled);
}

static void change(unsigned i, size_t size)
{
	size_t common = size < pieces[i].size ? size : pieces[i].size;

	check(i, pieces[i].size);
	pieces[i].at = small_resize(pieces[i].at, pieces[i].size, size);
	assert_non_null(pieces[i].at);
	check(i, common);
	pieces[i].size = size;
	pieces[i].filled = (unsigned char)roll(256);
	memset(pieces[i].at, pieces[i].filled, size);
}

static void drop(unsigned i)
{
	check(i, pieces[i].size);
	small_free(pieces[i].at, pieces[i].size);
	pieces[i].at = NULL;
	pieces[i].size = 0;
}

static void pieces_keep_what_lies_in_them(void **state)
{
	unsigned n, i;

	(void)state;
	for (n = 0; n < ROUNDS; n++) {
		i = roll(PIECES);
		if (pieces[i].at && !roll(3))
			drop(i);
		else
			change(i, 1 + roll(SIZE_MOST));
	}
	for (i = 0; i < PIECES; i++)
		if (pieces[i].at)
			drop(i);
	small_end();
}

static void a_piece_is_used_again(void **state)
{
	void *first = small_resize(NULL, 0, 40), *again;

	(void)state;
	if (memory_debug.how & MEMORY_APART) /* then it is malloc's to say */
		return small_free(first, 40);
	assert_int_equal((uintptr_t)first % 16, 0);
	small_free(first, 40);
	again = small_resize(NULL, 0, 48);
	assert_ptr_equal(first, again);
	assert_ptr_equal(small_resize(again, 48, 33), again);
	small_free(again, 33);
	small_end();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pieces_keep_what_lies_in_them),
		cmocka_unit_test(a_piece_is_used_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
