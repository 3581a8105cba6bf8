/* SPDX-License-Identifier: BSD-2-Clause */
/* Assertions that stay on: a broken invariant ends the process with a sentence. */
#ifndef BASE_BUG_H
#define BASE_BUG_H

#include <stddef.h>

#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)
/* Called when something has gone wrong: kept apart from what runs all the time, and so are the
 * places that call it. */
#define COLD __attribute__((cold))
/* Not rare, but no part of its callers: they need no room on the stack for it. */
#define APART __attribute__((noinline))
#define ALWAYS_INLINE inline __attribute__((always_inline))
#define container_of(ptr, type, member) ((type *)((char *)(ptr)-offsetof(type, member)))
#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))

/* Prints "BUG: cond at file:line (function)" on stderr and aborts. */
void bug_report(const char *cond, const char *file, int line, const char *func)
	__attribute__((noreturn, cold));

#define BUG_ON(cond)                                                        \
	do {                                                                \
		if (unlikely(cond))                                         \
			bug_report(#cond, __FILE__, __LINE__, __func__);    \
	} while (0)

#endif
