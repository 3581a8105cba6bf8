/* SPDX-License-Identifier: BSD-2-Clause */
/* Buffers in reserve: there when memory has run out, and again when they were given back. */
#include "relay/buffer.h"

#include "base/memory.h"
#include "base/pool.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

#include <cmocka.h>

enum { SIZE = 1 << 20, RESERVE = 4, MOST = 64 };

static const struct pool *reserve(void)
{
	const struct pool *p;

	for (p = pool_first(); p && strcmp(p->name, "buffer reserve"); p = p->next)
		;
	return p;
}

static rlim_t address_space(void)
{
	unsigned long pages = 0;
	FILE *f = fopen("/proc/self/statm", "re");

	assert_non_null(f);
	assert_int_equal(fscanf(f, "%lu", &pages), 1);
	fclose(f);
	return (rlim_t)pages * 4096;
}

static unsigned take_all(struct buf **bufs)
{
	unsigned n = 0;

	while (n < MOST && (bufs[n] = buffer_take()))
		n++;
	return n;
}

static void reserve_is_used_last(void **state)
{
	struct buf *bufs[MOST];
	struct rlimit limit;
	unsigned turn, n, i;

	(void)state;
	if (memory_debug.how & MEMORY_APART)
		return; /* a sanitizer needs its address space */
	buffer_configure(SIZE, 1024, 0);
	assert_true(buffer_reserve_some(RESERVE));
	assert_int_equal(reserve()->used, 0);
	getrlimit(RLIMIT_AS, &limit);
	limit.rlim_cur = address_space() + 8 * SIZE;
	assert_int_equal(setrlimit(RLIMIT_AS, &limit), 0);
	for (turn = 0; turn < 3; turn++) {
		n = take_all(bufs);
		assert_true(n > RESERVE && n < MOST);
		assert_int_equal(reserve()->used, RESERVE);
		for (i = 0; i < n; i++) {
			memset(bufs[i]->data, 'x', SIZE);
			buffer_give(&bufs[i]);
		}
		assert_int_equal(reserve()->used, 0);
		assert_int_equal(reserve()->allocated, RESERVE);
	}
}

static void bytes_move_with_the_size(void **state)
{
	struct buf *buf;
	char text[BUFFER_SMALL + 1];

	(void)state;
	memset(text, 'x', sizeof(text));
	buf = buffer_take();
	buf->head = 100;
	buf->len = BUFFER_SMALL;
	memcpy(buf_first(buf), text, BUFFER_SMALL);
	buffer_shrink(&buf);
	assert_true(buffer_is_small(buf));
	assert_int_equal(buf->len, BUFFER_SMALL);
	assert_int_equal(buf_room(buf), 0);
	assert_memory_equal(buf_first(buf), text, BUFFER_SMALL);
	assert_true(buffer_grow(&buf));
	assert_false(buffer_is_small(buf));
	assert_int_equal(buf->len, BUFFER_SMALL);
	assert_memory_equal(buf_first(buf), text, BUFFER_SMALL);
	*buf_tail(buf) = 'x';
	buf->len++;
	buffer_shrink(&buf); /* one too many */
	assert_false(buffer_is_small(buf));
	assert_memory_equal(buf_first(buf), text, BUFFER_SMALL + 1);
	buffer_give(&buf);
}

/* As large as is asked for, from no pool. */
static void one_of_no_pool_holds_more(void **state)
{
	enum { HELD = 10000, LARGE = 3 * SCRATCH_SIZE };
	struct buf *buf = buffer_take(), *heap = buffer_take_heap(LARGE);

	(void)state;
	assert_int_equal(buf_room(heap), LARGE);
	buf->head = 100;
	buf->len = HELD;
	memset(buf_first(buf), 'a', HELD);
	buffer_move(&buf, heap);
	assert_ptr_equal(buf, heap);
	assert_int_equal(buf_room(buf), LARGE - HELD);
	memset(buf_tail(buf), 'b', buf_room(buf));
	buf->len = LARGE;
	assert_int_equal(buf_first(buf)[HELD - 1], 'a');
	assert_int_equal(buf_first(buf)[HELD], 'b');
	buf_skip(buf, LARGE - BUFFER_SMALL);
	buffer_shrink(&buf); /* which gives it back */
	assert_true(buffer_is_small(buf));
	assert_int_equal(buf_first(buf)[BUFFER_SMALL - 1], 'b');
	buffer_give(&buf);
	heap = buffer_take_heap(LARGE);
	buffer_give(&heap);
	assert_null(heap);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reserve_is_used_last),
		cmocka_unit_test(bytes_move_with_the_size),
		cmocka_unit_test(one_of_no_pool_holds_more),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
