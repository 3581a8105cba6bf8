/* SPDX-License-Identifier: BSD-2-Clause */
/* Allocations that fail on purpose, at random or at the n-th. Called by pools, arenas and whoever
 * else takes memory for traffic; never while the configuration is read. */
#include "base/memory.h"

#include "base/bug.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define WATCHED 1
#endif
#endif
struct memory_debug memory_debug = {
	.poison = 0x50,
#if defined(__SANITIZE_ADDRESS__) || defined(WATCHED)
	.how = MEMORY_APART,
#endif
};

static volatile int64_t *countdown;
static bool serving;
static uint64_t dice = 0x9e3779b97f4a7c15;

int memory_fail_file(const char *path)
{
	int fd = open(path, O_RDWR | O_CLOEXEC);
	void *at;

	if (fd < 0)
		return -1;
	at = mmap(NULL, sizeof(*countdown), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	if (at == MAP_FAILED)
		return -1;
	countdown = at;
	return 0;
}

/* Not by exit(): what would be called there may need memory. */
void memory_exhausted(void)
{
	fputs("penstock: out of memory for the configuration\n", stderr);
	_exit(1);
}

void memory_fail_begin(void)
{
	serving = true;
	dice ^= (uint64_t)getpid() << 32;
}

/* xorshift64: the same in each run of one process id. */
static unsigned dice_percent(void)
{
	dice ^= dice << 13;
	dice ^= dice >> 7;
	dice ^= dice << 17;
	return (unsigned)(dice % 100);
}

COLD bool memory_denied(void)
{
	if (!serving)
		return false;
	if (countdown && *countdown > 0 && --*countdown == 0)
		return true;
	return memory_debug.fail_percent && dice_percent() < memory_debug.fail_percent;
}

void *memory_take(size_t size)
{
	return unlikely(memory_debug.how & MEMORY_FAILS) && memory_denied() ? NULL : malloc(size);
}

void *memory_retake(void *p, size_t size)
{
	return unlikely(memory_debug.how & MEMORY_FAILS) && memory_denied() ? NULL :
									      realloc(p, size);
}
