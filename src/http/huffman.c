/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The Huffman code of fields. It is canonical: the lengths of its codes, in the order of symbols,
 * say all (RFC 7541 appendix B has the same codes written out, and the unit test compares). Codes
 * of up to 8 bits, nearly all that is sent, are found by one look into a table.
 */
#include "http/huffman.h"

#include "base/bug.h"

enum { SYMBOLS = 256, LONGEST = 30, SHORT = 8 };

static const uint8_t lengths[SYMBOLS] = {
#include "http/huffman_lengths.def"
};

static struct {
	uint8_t symbol, bits; /* 0: a longer code begins like this */
} short_codes[1 << SHORT];

/* Of each length: the first code behind the last one of it, at the left of 32 bits; and what is
 * added to a code to find its symbol in by_code. */
static uint32_t behind[LONGEST + 1];
static int32_t offset[LONGEST + 1];
static uint8_t by_code[SYMBOLS];
static bool ready;

static void note_short(uint32_t code, unsigned bits, unsigned symbol)
{
	uint32_t first = code << (SHORT - bits), i;

	for (i = 0; i < 1u << (SHORT - bits); i++) {
		short_codes[first + i].symbol = (uint8_t)symbol;
		short_codes[first + i].bits = (uint8_t)bits;
	}
}

static void make_tables(void)
{
	uint32_t code = 0, at = 0;
	unsigned bits, symbol;

	for (bits = 1; bits <= LONGEST; bits++) {
		code <<= 1;
		offset[bits] = (int32_t)(at - code);
		for (symbol = 0; symbol < SYMBOLS; symbol++) {
			if (lengths[symbol] != bits)
				continue;
			if (bits <= SHORT)
				note_short(code, bits, symbol);
			by_code[at++] = (uint8_t)symbol;
			code++;
		}
		behind[bits] = code << (32 - bits);
	}
	ready = true;
}

/* The code at the left of bits, which is longer than the short ones; 0: there is none. */
static unsigned long_code(uint32_t bits, uint8_t *symbol)
{
	unsigned n;

	for (n = SHORT + 1; n <= LONGEST; n++)
		if (bits < behind[n]) {
			*symbol = by_code[(int32_t)(bits >> (32 - n)) + offset[n]];
			return n;
		}
	return 0;
}

/* What is left is the beginning of the longest code, less than a byte of it. */
static bool is_padding(uint64_t bits, unsigned have)
{
	return have < 8 && (!have || bits >> (64 - have) == (1u << have) - 1);
}

/* Bits to work on, at the left. Behind them are zeros, or bits that come again. */
struct bits {
	const uint8_t *at, *end;
	uint64_t bits;
	unsigned have;
};

static inline void refill(struct bits *b)
{
	uint64_t next;

	if (likely(b->end - b->at >= (int)sizeof(next))) {
		memcpy(&next, b->at, sizeof(next));
		b->bits |= __builtin_bswap64(next) >> b->have;
		b->at += (63 - b->have) / 8;
		b->have |= 56; /* whole bytes alone count */
		return;
	}
	for (; b->have <= 56 && b->at < b->end; b->have += 8)
		b->bits |= (uint64_t)*b->at++ << (56 - b->have);
}

bool huffman_decode(struct span in, char *out, size_t room, size_t *len)
{
	struct bits b = { .at = (const uint8_t *)in.ptr };
	size_t made = 0;
	uint8_t symbol;
	unsigned n;

	if (unlikely(!ready))
		make_tables();
	b.end = b.at + in.len;
	for (;;) {
		if (b.have < LONGEST)
			refill(&b);
		n = short_codes[b.bits >> 56].bits;
		symbol = short_codes[b.bits >> 56].symbol;
		if (unlikely(!n))
			n = long_code((uint32_t)(b.bits >> 32), &symbol);
		if (!n || n > b.have)
			break;
		if (unlikely(made == room))
			return false;
		out[made++] = (char)symbol;
		b.bits <<= n;
		b.have -= n;
	}
	*len = made;
	return is_padding(b.bits, b.have);
}
