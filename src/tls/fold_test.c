/* SPDX-License-Identifier: BSD-2-Clause */
/* Folding: what was in a piece is in it again, byte for byte, whatever it was and whatever happened
 * to the pieces around it in between; its pages are not the process's meanwhile. */
#include "tls/fold.h"

#include "tls/memory.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
/* cmocka wants the four above */
#include <cmocka.h>

enum { SIZE = 7608, PIECES = 40, STEPS = 20000 };

static uint32_t seed = 7;

static uint32_t below(uint32_t n)
{
	seed = seed * 1664525 + 1013904223;
	return (uint32_t)((uint64_t)seed * n >> 32);
}

static struct {
	unsigned char *memory, copy[SIZE];
	void *folded;
} pieces[PIECES];
static unsigned folds;

/* Mostly zero, with runs of anything: in other places each time. */
static void scribble(unsigned i)
{
	unsigned run, at, n;

	memset(pieces[i].copy, 0, SIZE);
	for (run = below(12); run; run--) {
		at = below(SIZE);
		for (n = below(200); n && at < SIZE; n--)
			pieces[i].copy[at++] = (unsigned char)below(256);
	}
	memcpy(pieces[i].memory, pieces[i].copy, SIZE);
}

static void is_as_it_was(unsigned i)
{
	assert_memory_equal(pieces[i].memory, pieces[i].copy, SIZE);
}

static void a_step(unsigned i)
{
	if (!pieces[i].memory) {
		pieces[i].memory = tls_memory_take(SIZE, "", 0);
		assert_non_null(pieces[i].memory);
		scribble(i);
	} else if (pieces[i].folded) {
		tls_unfold(pieces[i].memory, &pieces[i].folded);
		assert_null(pieces[i].folded);
		is_as_it_was(i);
	} else if (below(8)) {
		is_as_it_was(i);
		scribble(i);
		pieces[i].folded = tls_fold(pieces[i].memory);
		folds += pieces[i].folded != NULL;
	} else {
		is_as_it_was(i);
		tls_memory_give(pieces[i].memory, "", 0);
		pieces[i].memory = NULL;
	}
}

static void all_is_as_it_was(void **state)
{
	unsigned step, i;

	(void)state;
	for (step = 0; step < STEPS; step++)
		a_step(below(PIECES));
	assert_true(folds > STEPS / 8);
	for (i = 0; i < PIECES; i++) {
		if (pieces[i].folded)
			tls_unfold(pieces[i].memory, &pieces[i].folded);
		if (pieces[i].memory) {
			is_as_it_was(i);
			tls_memory_give(pieces[i].memory, "", 0);
		}
	}
}

/* Pages of it that are in memory. */
static unsigned resident(const struct tls_pages *pages)
{
	unsigned char in[64];
	unsigned n = 0, i;

	assert_int_equal(mincore(pages->at, pages->len, in), 0);
	for (i = 0; i < pages->len / 4096; i++)
		n += in[i] & 1;
	return n;
}

static void its_pages_go(void **state)
{
	struct tls_pages pages;
	unsigned char *first, *second;
	void *folded;

	(void)state;
	first = tls_memory_take(SIZE, "", 0);
	second = tls_memory_take(SIZE, "", 0);
	memset(second, 0, SIZE);
	second[100] = second[SIZE - 1] = 1;
	memset(first, 2, SIZE);
	assert_true(tls_memory_pages(second, &pages));
	assert_true(pages.len >= 4096);
	assert_int_equal(resident(&pages), pages.len / 4096);
	folded = tls_fold(second);
	assert_non_null(folded);
	assert_int_equal(resident(&pages), 0);
	assert_int_equal(first[0], 2);
	assert_int_equal(first[SIZE - 1], 2);
	tls_unfold(second, &folded);
	assert_int_equal(second[100] + second[SIZE - 1], 2);
	tls_memory_give(first, "", 0);
	tls_memory_give(second, "", 0);
}

static void what_gains_nothing_stays(void **state)
{
	unsigned char *full = tls_memory_take(SIZE, "", 0), *small = tls_memory_take(100, "", 0);
	unsigned char *large = tls_memory_take(100000, "", 0);

	(void)state;
	memset(full, 3, SIZE);
	memset(small, 0, 100);
	assert_null(tls_fold(full));
	assert_null(tls_fold(small));
	assert_null(tls_fold(large));
	assert_int_equal(full[SIZE / 2], 3);
	tls_memory_give(full, "", 0);
	tls_memory_give(small, "", 0);
	tls_memory_give(large, "", 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_is_as_it_was),
		cmocka_unit_test(its_pages_go),
		cmocka_unit_test(what_gains_nothing_stays),
	};

	tls_memory_start();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
