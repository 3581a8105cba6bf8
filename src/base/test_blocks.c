/* SPDX-License-Identifier: BSD-2-Clause */
/* Counts blocks of memory in unit tests; see the header. */
#include "base/test_blocks.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>

static long blocks;

#ifndef __has_feature
#define __has_feature(feature) 0
#endif
#if !defined(__SANITIZE_ADDRESS__) && !__has_feature(address_sanitizer)
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *block, size_t size);
void __libc_free(void *block);

void *malloc(size_t size)
{
	void *block = __libc_malloc(size);

	blocks += block != NULL;
	return block;
}

void *calloc(size_t count, size_t size)
{
	void *block = __libc_calloc(count, size);

	blocks += block != NULL;
	return block;
}

void *realloc(void *block, size_t size)
{
	void *moved = __libc_realloc(block, size);

	blocks += !block && moved;
	blocks -= block && !size && !moved;
	return moved;
}

void free(void *block)
{
	blocks -= block != NULL;
	__libc_free(block);
}
#endif

long test_blocks(void)
{
	return blocks;
}

void test_gives_back(void (*round)(void))
{
	long before;

	round();
	round();
	before = test_blocks();
	round();
	assert_int_equal(test_blocks(), before);
}
