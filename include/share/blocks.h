/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Blocks: places of one size in memory that several processes share (share/region.h), taken and
 * given back by any of them, sound whichever is killed at whichever instruction. What is in a
 * block, and what keeps blocks together (a list, a table, a chain of blocks), is the owner's.
 *
 * Each block has a word, wherever the owner has it: generation << 32 | state. The generation counts
 * how often the block was given back. State 0 is free; BLOCK_TAKEN | row is of a process that has
 * not said what for. All other states are the owner's, who moves the word by compare-and-swap.
 *
 * A process says which block it is at (`intend', one word that outlives it) before each try to take
 * it, so one that is killed leaves at most that one block. Whoever finds the process dead, once
 * nobody else does so, calls blocks_mend for it.
 *
 *   killed                             leaves                       blocks_mend
 *   before the bit was cleared         nothing                      sets it: harmless
 *   between the bit and the word       a free block without a bit   sets it
 *   behind the word                    a block of BLOCK_TAKEN       frees it, sets the bit
 *   (giving) between word and bit      a free block without a bit   blocks_mend_given sets it
 *
 * A bit that says free of a block that is not is harmless: whoever takes a block asks its word, and
 * clears the bit. Until then blocks_is_free and blocks_used take the block for a free one. A bit
 * that is missing would be a block that is lost. Bits and words may be falsified by a process that
 * was taken over: nothing beyond `count' is ever named or touched.
 *
 * There is one size. What needs more is a chain of blocks (share/chains.h). Blocks that lie behind
 * one another are not to be had on purpose.
 */
#ifndef SHARE_BLOCKS_H
#define SHARE_BLOCKS_H

#include "base/result.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define BLOCK_GENERATIONS ((UINT32_C(1) << 30) - 1) /* behind the last one comes 0 again */
enum { BLOCK_FREE = 0, BLOCK_TAKEN = 1u << 29 /* | row of the process: below 1 << 28 */ };
enum { BLOCKS_A_WORD = 64, BLOCKS_WORDS_A_SUM = 64 };

/* Of this process: where blocks lie. All that it leads to is zeroed at first. */
struct blocks {
	uint32_t count;               /* of all blocks: 1 << 30 at most */
	uint32_t hand;                /* where this process has found one last */
	_Atomic uint32_t *fresh;      /* blocks from here on were never used */
	_Atomic uint32_t *freed;      /* blocks below that may be free; a hint */
	_Atomic uint64_t *free;       /* a bit of each that was given back: blocks_free_size bytes */
	_Atomic uint64_t *sums;       /* a bit of each word of these with some: blocks_sums_size */
	char *first;                  /* the word of the first block */
	size_t stride;                /* from one word to the next: a multiple of 8 */
	/* The process is at that block from now on. The write is not to be reordered with what
	 * follows: release, and a fence for signals. */
	void (*intend)(const struct blocks *b, uint32_t block);
};

static inline uint32_t blocks_words(uint32_t count)
{
	return (count + BLOCKS_A_WORD - 1) / BLOCKS_A_WORD;
}
static inline size_t blocks_free_size(uint32_t count)
{
	return blocks_words(count) * sizeof(uint64_t);
}
static inline size_t blocks_sums_size(uint32_t count)
{
	return (blocks_words(count) + BLOCKS_WORDS_A_SUM - 1) / BLOCKS_WORDS_A_SUM * sizeof(uint64_t);
}
static inline _Atomic uint64_t *blocks_word(const struct blocks *b, uint32_t block)
{
	return (_Atomic uint64_t *)(void *)(b->first + (size_t)block * b->stride);
}

/* Takes one for the process of that row: its word is BLOCK_TAKEN | row, and it is intended. False:
 * none is to be had now, and something may be intended that is not this process's: the caller
 * intends nothing. */
MUST_USE bool blocks_take(struct blocks *b, uint32_t row, uint32_t *block);
/* Gives one back, whose word has that state of the owner's in that generation. False: it has not,
 * somebody else has given it back. */
bool blocks_give(struct blocks *b, uint32_t block, uint32_t generation, uint32_t state);
/* A process of that row is dead, that was taking this block when it was killed. May be repeated. */
void blocks_mend(struct blocks *b, uint32_t block, uint32_t row);
/* The same of one that was giving back the block of that generation, if the word has been moved. */
void blocks_mend_given(struct blocks *b, uint32_t block, uint32_t generation);

/* How many were ever used, and of these are not free. */
uint32_t blocks_reached(const struct blocks *b);
uint32_t blocks_used(const struct blocks *b);
/* Was it given back? A fresh one was not. */
static inline bool blocks_is_free(const struct blocks *b, uint32_t block)
{
	return atomic_load_explicit(&b->free[block / BLOCKS_A_WORD], memory_order_relaxed) >>
	       block % BLOCKS_A_WORD & 1;
}

#endif
