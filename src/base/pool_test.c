/* SPDX-License-Identifier: BSD-2-Clause */
/* Pools: what is taken is zeroed, apart, counted, limited, and used again. */
#include "base/pool.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void test_zeroed_and_apart(void **state)
{
	static struct pool pool = POOL_INIT("apart", 24);
	unsigned char *p[3000];
	int i, k;

	(void)state;
	for (i = 0; i < 3000; i++) {
		p[i] = pool_take(&pool);
		for (k = 0; k < 24; k++)
			assert_int_equal(p[i][k], 0);
		memset(p[i], i & 0xff, 24);
	}
	for (i = 0; i < 3000; i++)
		for (k = 0; k < 24; k++)
			assert_int_equal(p[i][k], i & 0xff);
	assert_int_equal(pool.used, 3000);
	assert_true(pool.allocated >= 3000);
	for (i = 0; i < 3000; i++) {
		pool_give(&pool, &p[i]);
		assert_null(p[i]);
	}
	assert_int_equal(pool.used, 0);
}

static void test_used_again(void **state)
{
	static struct pool pool = POOL_INIT("again", 64);
	uint64_t allocated;
	char *a = pool_take(&pool);
	int i;

	(void)state;
	pool_give(&pool, &a);
	allocated = pool.allocated;
	for (i = 0; i < 1000; i++) {
		a = pool_take(&pool);
		assert_int_equal(a[8], 0);
		memset(a, 1, 64);
		pool_give(&pool, &a);
	}
	assert_true(pool.allocated <= allocated);
}

static void test_limit(void **state)
{
	static struct pool pool = { .name = "limit", .size = 32, .limit = 3 };
	void *p[4];
	int i;

	(void)state;
	for (i = 0; i < 3; i++) {
		p[i] = pool_take(&pool);
		assert_non_null(p[i]);
	}
	assert_null(pool_take(&pool));
	assert_int_equal(pool.failed, 1);
	pool_give(&pool, &p[1]);
	p[1] = pool_take(&pool);
	assert_non_null(p[1]);
	for (i = 0; i < 3; i++)
		pool_give(&pool, &p[i]);
}

/* Large objects go back to the system beyond some spares. */
static void test_large_shrinks(void **state)
{
	static struct pool pool = POOL_INIT("large", 16384);
	void *p[100];
	int i;

	(void)state;
	for (i = 0; i < 100; i++)
		p[i] = pool_take_raw(&pool);
	assert_int_equal(pool.allocated, 100);
	for (i = 0; i < 100; i++)
		pool_give(&pool, &p[i]);
	assert_int_equal(pool.used, 0);
	assert_true(pool.allocated < 30);
}

/* Slabs without an object in use go back; what is in use stays where it is. */
static void test_slabs_shrink(void **state)
{
	static struct pool pool = POOL_INIT("slabs", 512);
	static char *p[4000];
	uint64_t most;
	int i;

	(void)state;
	for (i = 0; i < 4000; i++) {
		p[i] = pool_take(&pool);
		memset(p[i], i & 0xff, 512);
	}
	most = pool.allocated;
	for (i = 0; i < 4000; i++)
		if (i != 5 && i != 3000)
			pool_give(&pool, &p[i]);
	pools_trim();
	assert_int_equal(pool.used, 2);
	assert_true(pool.allocated < most / 10);
	assert_int_equal((unsigned char)p[5][511], 5);
	assert_int_equal((unsigned char)p[3000][511], 3000 & 0xff);
	for (i = 0; i < 4000; i++)
		if (!p[i])
			p[i] = pool_take(&pool);
	for (i = 0; i < 4000; i++)
		pool_give(&pool, &p[i]);
	pools_trim();
	assert_int_equal(pool.used, 0);
}

static void test_poison(void **state)
{
	static struct pool pool = POOL_INIT("poison", 48);
	unsigned char *p;

	(void)state;
	memory_debug.how |= MEMORY_POISON;
	p = pool_take_raw(&pool);
	assert_int_equal(p[0], 0x50);
	assert_int_equal(p[47], 0x50);
	pool_give(&pool, &p);
	p = pool_take(&pool);
	assert_int_equal(p[0], 0);
	pool_give(&pool, &p);
	memory_debug.how &= ~(unsigned)MEMORY_POISON;
}

static void test_listed(void **state)
{
	const struct pool *pool;
	int found = 0;

	(void)state;
	for (pool = pool_first(); pool; pool = pool->next)
		found += !strcmp(pool->name, "limit");
	assert_int_equal(found, 1);
}

static void test_give_nothing(void **state)
{
	static struct pool pool = POOL_INIT("nothing", 16);
	void *none = NULL;

	(void)state;
	pool_give(&pool, &none);
	assert_int_equal(pool.used, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_zeroed_and_apart),
		cmocka_unit_test(test_used_again),
		cmocka_unit_test(test_limit),
		cmocka_unit_test(test_large_shrinks),
		cmocka_unit_test(test_slabs_shrink),
		cmocka_unit_test(test_poison),
		cmocka_unit_test(test_listed),
		cmocka_unit_test(test_give_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
