/* SPDX-License-Identifier: BSD-2-Clause */
/* Objects found by a number of 64 bits (a hash): they embed a link. Several may have the same
 * number: whoever looks one up compares what it stands for. Grows as it fills. */
#ifndef TLS_INDEX_H
#define TLS_INDEX_H

#include "base/result.h"
#include "base/str.h"

#include <stdint.h>

struct tls_link {
	struct tls_link *next;
	uint64_t key;
};

/* Zeroed: empty. */
struct tls_index {
	struct tls_link **slots;
	unsigned size, count;
};

/* 0, or -1: no memory. */
MUST_USE int tls_index_add(struct tls_index *index, struct tls_link *link, uint64_t key);
void tls_index_remove(struct tls_index *index, struct tls_link *link);
/* The first with that number, and the next one. NULL: none. */
struct tls_link *tls_index_first(const struct tls_index *index, uint64_t key);
struct tls_link *tls_index_next(const struct tls_link *link);
/* Gives back its own memory; those in it stay what they are. */
void tls_index_clear(struct tls_index *index);
uint64_t tls_index_key(struct span text);

#endif
