/* SPDX-License-Identifier: BSD-2-Clause */
/* SipHash-2-4 with 128 bits (Aumasson, Bernstein): a keyed hash that nobody without the key can
 * foresee. For tables whose keys clients choose, and where two that collide must not be
 * findable. */
#ifndef BASE_SIPHASH_H
#define BASE_SIPHASH_H

#include <stddef.h>
#include <stdint.h>

struct siphash {
	uint64_t low, high;
};

struct siphash siphash(const uint64_t key[2], const void *data, size_t len);
/* SipHash-1-3 with 64 bits, a third of the work: for tables that only must not be slowed down by keys
 * that meet. */
uint64_t siphash_quick(const uint64_t key[2], const void *data, size_t len);

#endif
