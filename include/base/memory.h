/* SPDX-License-Identifier: BSD-2-Clause */
/* What is done to memory so that faults show (option -dM), and where it can be made to run out.
 * With all of it off, nobody pays: pools and arenas look here only when they ask the system for
 * more. */
#ifndef BASE_MEMORY_H
#define BASE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

enum {
	MEMORY_POISON = 1, /* fresh objects of pools are filled with memory_debug.poison */
	MEMORY_APART = 2,  /* each object, and each piece of a request's arena, is an allocation of
			    * its own, and is freed at once: what looks for uses after free sees
			    * them */
	MEMORY_FAILS = 4,  /* allocations may fail: memory_debug.fail_percent, memory_fail_file */
};

/* Set before anything is taken, by main.c (-dM) and stream/tune.c (tune.fail-alloc); by tests. */
struct memory_debug {
	unsigned how;          /* bits of the above. With an address sanitizer MEMORY_APART is on */
	unsigned fail_percent; /* tune.fail-alloc: how many of 100 allocations fail, where
				* MEMORY_FAILS is on */
	unsigned char poison;  /* the byte of MEMORY_POISON */
};
extern struct memory_debug memory_debug;

/* The first 8 bytes of the file are a number that tests write while the program runs; each
 * allocation that may fail counts it down, and the one that makes it 0 fails. 0 or less: none does.
 * -1: no such file. */
int memory_fail_file(const char *path);
/* From here on traffic is served, and memory may fail. */
void memory_fail_begin(void);
/* Is this allocation one that has to fail? Whoever asks the system for memory on behalf of traffic
 * asks this first, when MEMORY_FAILS is on. */
bool memory_denied(void);

/* The memory for the configuration has run out: says so, and ends the process with 1. */
_Noreturn void memory_exhausted(void);
/* What malloc gave for the configuration. It is there, or the process has ended. */
static inline void *memory_need(void *p)
{
	if (!p)
		memory_exhausted();
	return p;
}

/* malloc for what serves traffic: NULL when there is none, or this one has to fail. free() gives it
 * back. */
void *memory_take(size_t size);

/* realloc, in the same way: what p holds stays where it is when there is no memory. */
void *memory_retake(void *p, size_t size);

/* Zeroes n bytes, several hundred. gcc writes "rep stos" where it knows the size, which begins
 * slowly; the library's memset has wide stores. */
static inline void memory_clear(void *p, size_t n)
{
	__asm__("" : "+r"(n));
	memset(p, 0, n);
}

#endif
