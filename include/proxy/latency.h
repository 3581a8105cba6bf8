/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How slowly a server answers: a moving average that jumps to each value above it and sinks slowly
 * towards those below (doc/internals/learning.md). It is one word, the moment of its last value and
 * the average then, so that another process reads it whole. Fades by half in each half-life, also
 * while nothing comes: whom nobody asks is tried again.
 */
#ifndef PROXY_LATENCY_H
#define PROXY_LATENCY_H

#include <stdint.h>

struct server;

enum { LATENCY_BITS = 28 }; /* of microseconds: at most 268 s; the rest are ms of the clock */

/* What is left of it at now, microseconds. 0: nothing, or nothing was ever measured. A word from
 * the future, of a process that has read the clock later, has not faded. half_ms: at least 1. */
uint32_t latency_faded(uint64_t word, uint64_t now_ms, unsigned half_ms);
/* The word behind one more value. */
uint64_t latency_after(uint64_t word, uint64_t us, uint64_t now_ms, unsigned half_ms);

/* In this process, of a server whose backend balances by it: one more value. */
void latency_add(const struct server *s, uint64_t us);
/* The highest of those of all processes now, microseconds: each of them knows what one has met. */
uint32_t latency_now(const struct server *s);

#endif
