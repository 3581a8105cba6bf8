/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * See share/blocks.h. A block that was given back is found by two levels of bits, one that was
 * never used by a number that only grows: so pages that nobody has needed are never touched.
 */
#include "share/blocks.h"

enum { FRESH_TRIES = 1000 };

static uint64_t word_of(uint32_t generation, uint32_t state)
{
	return (uint64_t)(generation & BLOCK_GENERATIONS) << 32 | state;
}

static uint32_t generation_of(const _Atomic uint64_t *word)
{
	return (uint32_t)(atomic_load(word) >> 32) & BLOCK_GENERATIONS;
}

static void set_free(struct blocks *b, uint32_t block)
{
	uint32_t word = block / BLOCKS_A_WORD;

	atomic_fetch_or(&b->free[word], UINT64_C(1) << block % BLOCKS_A_WORD);
	atomic_fetch_or(&b->sums[word / BLOCKS_WORDS_A_SUM],
			UINT64_C(1) << word % BLOCKS_WORDS_A_SUM);
	atomic_fetch_add_explicit(b->freed, 1, memory_order_relaxed);
}

/* The block is this process's: nobody else has it. */
static bool claim(struct blocks *b, uint32_t block, uint32_t row)
{
	_Atomic uint64_t *at = blocks_word(b, block);
	uint32_t generation = generation_of(at);
	uint64_t word = word_of(generation, BLOCK_FREE);

	return atomic_compare_exchange_strong(at, &word, word_of(generation, BLOCK_TAKEN | row));
}

/* Bits of blocks that there are. */
static uint64_t real_bits(const struct blocks *b, uint32_t word)
{
	uint32_t left = b->count - word * BLOCKS_A_WORD;

	return left < BLOCKS_A_WORD ? (UINT64_C(1) << left) - 1 : ~UINT64_C(0);
}

/* A bit of that word. Others set bits meanwhile: each that was there is tried once. */
static bool take_bit(struct blocks *b, uint32_t word, uint32_t row, uint32_t *block)
{
	uint64_t bits = atomic_load(&b->free[word]), real = real_bits(b, word), bit;
	_Atomic uint64_t *sum = &b->sums[word / BLOCKS_WORDS_A_SUM];
	uint64_t in_sum = UINT64_C(1) << word % BLOCKS_WORDS_A_SUM;

	if (bits & ~real)
		atomic_fetch_and(&b->free[word], real);
	for (bits &= real; bits; bits &= bits - 1) {
		*block = word * BLOCKS_A_WORD + (uint32_t)__builtin_ctzll(bits);
		b->intend(b, *block);
		bit = bits & -bits;
		if ((atomic_fetch_and(&b->free[word], ~bit) & bit) && claim(b, *block, row))
			return true;
	}
	/* Between the two somebody may have given one back. */
	atomic_fetch_and(sum, ~in_sum);
	if (atomic_load(&b->free[word]))
		atomic_fetch_or(sum, in_sum);
	return false;
}

/* The same of the words of a sum, which may name words that there are not. */
static bool take_of_sum(struct blocks *b, uint32_t at, uint32_t row, uint32_t *block)
{
	uint64_t sum = atomic_load(&b->sums[at]);
	uint32_t word;

	for (; sum; sum &= sum - 1) {
		word = at * BLOCKS_WORDS_A_SUM + (uint32_t)__builtin_ctzll(sum);
		if (word >= blocks_words(b->count)) {
			atomic_fetch_and(&b->sums[at], ~sum);
			return false;
		}
		if (take_bit(b, word, row, block))
			return true;
	}
	return false;
}

static bool take_given_back(struct blocks *b, uint32_t row, uint32_t *block)
{
	uint32_t sums = (blocks_words(b->count) + BLOCKS_WORDS_A_SUM - 1) / BLOCKS_WORDS_A_SUM;
	uint32_t freed = atomic_load_explicit(b->freed, memory_order_relaxed), i, at;

	if (!freed)
		return false;
	for (i = 0; i < sums; i++) {
		at = (b->hand + i) % sums;
		if (take_of_sum(b, at, row, block)) {
			b->hand = at;
			return true;
		}
	}
	/* What was given back meanwhile is looked for the next time. */
	atomic_compare_exchange_strong(b->freed, &freed, 0);
	return false;
}

static bool take_fresh(struct blocks *b, uint32_t row, uint32_t *block)
{
	unsigned tries = FRESH_TRIES;

	*block = atomic_load(b->fresh);
	while (*block < b->count && tries--) {
		b->intend(b, *block);
		if (!atomic_compare_exchange_strong(b->fresh, block, *block + 1))
			continue;
		if (claim(b, *block, row))
			return true;
		*block = atomic_load(b->fresh);
	}
	return false;
}

bool blocks_take(struct blocks *b, uint32_t row, uint32_t *block)
{
	return take_given_back(b, row, block) || take_fresh(b, row, block);
}

bool blocks_give(struct blocks *b, uint32_t block, uint32_t generation, uint32_t state)
{
	uint64_t word = word_of(generation, state);

	if (!atomic_compare_exchange_strong(blocks_word(b, block), &word,
					    word_of(generation + 1, BLOCK_FREE)))
		return false;
	set_free(b, block);
	return true;
}

void blocks_mend(struct blocks *b, uint32_t block, uint32_t row)
{
	_Atomic uint64_t *at = blocks_word(b, block);
	uint32_t generation;
	uint64_t word;

	if (block >= blocks_reached(b))
		return;
	generation = generation_of(at);
	word = word_of(generation, BLOCK_TAKEN | row);
	if (atomic_compare_exchange_strong(at, &word, word_of(generation, BLOCK_FREE)) ||
	    (uint32_t)word == BLOCK_FREE)
		set_free(b, block);
}

void blocks_mend_given(struct blocks *b, uint32_t block, uint32_t generation)
{
	if (block < b->count &&
	    atomic_load(blocks_word(b, block)) == word_of(generation + 1, BLOCK_FREE))
		set_free(b, block);
}

uint32_t blocks_reached(const struct blocks *b)
{
	uint32_t fresh = atomic_load(b->fresh);

	return fresh < b->count ? fresh : b->count;
}

uint32_t blocks_used(const struct blocks *b)
{
	uint32_t used = blocks_reached(b), i, n = blocks_words(used);

	for (i = 0; i < n; i++)
		used -= (uint32_t)__builtin_popcountll(atomic_load(&b->free[i]));
	return used <= b->count ? used : 0;
}
