/* SPDX-License-Identifier: BSD-2-Clause */
/* The memory that OpenSSL uses: private keys, what is computed with them, secrets of connections.
 * It is in no core dump. */
#ifndef TLS_MEMORY_H
#define TLS_MEMORY_H

#include "base/result.h"

#include <stdbool.h>
#include <stddef.h>

/* Makes OpenSSL use it, before it has allocated anything: called first thing by main. */
void tls_memory_start(void);
/* It does use it. False: it was too late, or memory is looked after by a sanitizer: OpenSSL goes on
 * with malloc. */
extern bool tls_memory_started;

/* As malloc, realloc and free. One thread at a time. */
void *tls_memory_take(size_t size, const char *file, int line);
void *tls_memory_resize(void *memory, size_t size, const char *file, int line);
void tls_memory_give(void *memory, const char *file, int line);

/* The pages that a piece has for itself alone, and its size. */
struct tls_pages {
	size_t size;
	char *at;
	size_t len;
};
/* false: it has none. */
MUST_USE bool tls_memory_pages(void *memory, struct tls_pages *pages);

/* Bytes asked from the system that are in use or at hand. */
size_t tls_memory_mapped(void);

#endif
