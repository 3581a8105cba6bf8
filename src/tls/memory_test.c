/* SPDX-License-Identifier: BSD-2-Clause */
/* OpenSSL's memory: pieces do not overlap and keep what is in them, whatever is taken and given
 * back in between; nothing of it is in a core dump; what is not used goes back. */
#include "tls/memory.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <cmocka.h>

enum { PIECES = 3000, STEPS = 200000 };

static struct {
	unsigned char *memory;
	size_t size;
	unsigned char byte;
} pieces[PIECES];

static uint32_t seed = 1;

static uint32_t below(uint32_t n)
{
	seed = seed * 1664525 + 1013904223;
	return (uint32_t)((uint64_t)seed * n >> 32);
}

static size_t some_size(void)
{
	switch (below(8)) {
	case 0:
		return 1 + below(100000);
	case 1:
		return 1 + below(33000);
	case 2:
		return 1 + below(4000);
	default:
		return 1 + below(300);
	}
}

static void fill(unsigned i, size_t from)
{
	memset(pieces[i].memory + from, pieces[i].byte, pieces[i].size - from);
}

static void holds(unsigned i, size_t size)
{
	size_t at;

	for (at = 0; at < size; at += size < 64 ? 1 : 61)
		if (pieces[i].memory[at] != pieces[i].byte)
			fail_msg("byte %zu of a piece of %zu was overwritten", at, pieces[i].size);
	if (size && pieces[i].memory[size - 1] != pieces[i].byte)
		fail_msg("the last of %zu bytes was overwritten", pieces[i].size);
}

static void give(unsigned i)
{
	holds(i, pieces[i].size);
	tls_memory_give(pieces[i].memory, "", 0);
	pieces[i].memory = NULL;
}

static void take(unsigned i)
{
	pieces[i].size = some_size();
	pieces[i].byte = (unsigned char)below(256);
	pieces[i].memory = tls_memory_take(pieces[i].size, "", 0);
	assert_non_null(pieces[i].memory);
	assert_int_equal((uintptr_t)pieces[i].memory % 16, 0);
	fill(i, 0);
}

static void resize(unsigned i)
{
	size_t size = some_size(), had = pieces[i].size;

	pieces[i].memory = tls_memory_resize(pieces[i].memory, size, "", 0);
	assert_non_null(pieces[i].memory);
	pieces[i].size = size;
	holds(i, size < had ? size : had);
	fill(i, 0);
}

static void pieces_keep_what_is_in_them(void **state)
{
	unsigned step, i;
	size_t most;

	(void)state;
	for (step = 0; step < STEPS; step++) {
		i = below(PIECES);
		if (!pieces[i].memory)
			take(i);
		else if (below(3))
			give(i);
		else
			resize(i);
	}
	most = tls_memory_mapped();
	for (i = 0; i < PIECES; i++)
		if (pieces[i].memory)
			give(i);
	assert_true(tls_memory_mapped() < most);
}

static void nothing_and_too_much(void **state)
{
	void *memory;

	(void)state;
	assert_null(tls_memory_take(0, "", 0));
	assert_null(tls_memory_take(SIZE_MAX - 4096, "", 0));
	tls_memory_give(NULL, "", 0);
	memory = tls_memory_resize(NULL, 100, "", 0);
	assert_non_null(memory);
	assert_null(tls_memory_resize(memory, 0, "", 0));
}

/* Does the mapping that holds the address stay out of dumps? (man 5 proc, VmFlags) */
static bool stays_out(const void *memory)
{
	unsigned long from = 0, to = 0, at = (unsigned long)memory;
	FILE *f = fopen("/proc/self/smaps", "r");
	char line[512];
	bool out = false;

	assert_non_null(f);
	while (fgets(line, sizeof(line), f)) {
		unsigned long a, b;

		if (sscanf(line, "%lx-%lx ", &a, &b) == 2)
			from = a, to = b;
		else if (!strncmp(line, "VmFlags:", 8) && at >= from && at < to)
			out = strstr(line, " dd");
	}
	fclose(f);
	return out;
}

static void dumps_leave_it_out(void **state)
{
	static const size_t sizes[] = { 1, 16, 17, 512, 513, 640, 641, 16384, 32736, 32737, 200000 };
	void *memory;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		memory = tls_memory_take(sizes[i], "", 0);
		memset(memory, 1, sizes[i]);
		assert_true(stays_out(memory));
		tls_memory_give(memory, "", 0);
	}
	memory = malloc(10);
	assert_false(stays_out(memory));
	free(memory);
}

/* A record's buffer that comes and goes finds its pages where it left them, though most of what is
 * free was never used. */
static void what_comes_and_goes_keeps_its_pages(void **state)
{
	enum { SIZE = 16800, TIMES = 2000 };
	struct rusage before, after;
	void *memory;
	int i;

	(void)state;
	for (i = 0; i < TIMES + 1; i++) {
		if (i == 1)
			getrusage(RUSAGE_SELF, &before);
		memory = tls_memory_take(SIZE, "", 0);
		assert_non_null(memory);
		memset(memory, i, SIZE);
		tls_memory_give(memory, "", 0);
	}
	getrusage(RUSAGE_SELF, &after);
	assert_true(after.ru_minflt - before.ru_minflt < TIMES / 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pieces_keep_what_is_in_them),
		cmocka_unit_test(nothing_and_too_much),
		cmocka_unit_test(dumps_leave_it_out),
		cmocka_unit_test(what_comes_and_goes_keeps_its_pages),
	};

	tls_memory_start();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
