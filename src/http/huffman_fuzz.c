/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Any bytes as the Huffman code of fields. What is read is what a slow reader finds, bit by bit, in
 * codes that another implementation has written; the first byte says how much room there is.
 */
#include "http/huffman.h"

#include "base/bug.h"

#include <stdint.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

enum { SYMBOLS = 256, LONGEST = 30, MOST = 512 };

static const char written[] =
#include "http/huffman_test_codes.def"
	;
static uint32_t codes[SYMBOLS]; /* at the right */
static const uint8_t lengths[SYMBOLS] = {
#include "http/huffman_lengths.def"
};

static unsigned written_bit(size_t at)
{
	return (unsigned)str_hex_digit(written[at / 4]) >> (3 - at % 4) & 1;
}

static bool is_taken(unsigned symbols, uint32_t code, unsigned bits)
{
	unsigned i;

	for (i = 0; i < symbols; i++)
		if (lengths[i] == bits && codes[i] == code)
			return true;
	return false;
}

static void learn(void)
{
	size_t at = 0;
	unsigned i, n;

	for (i = 0; i < SYMBOLS; i++) {
		for (n = 0; n < lengths[i]; n++)
			codes[i] = codes[i] << 1 | written_bit(at++);
		BUG_ON(is_taken(i, codes[i], lengths[i]));
	}
}

/* The symbol of these bits; -1: none yet. */
static int symbol_of(uint32_t code, unsigned bits)
{
	int i;

	for (i = 0; i < SYMBOLS; i++)
		if (lengths[i] == bits && codes[i] == code)
			return i;
	return -1;
}

static bool read_slowly(const uint8_t *in, size_t len, char *out, size_t *made)
{
	uint32_t code = 0;
	unsigned bits = 0;
	size_t at;
	int symbol;

	*made = 0;
	for (at = 0; at < 8 * len; at++) {
		code = code << 1 | (in[at / 8] >> (7 - at % 8) & 1);
		if (++bits > LONGEST)
			return false;
		symbol = symbol_of(code, bits);
		if (symbol < 0)
			continue;
		out[(*made)++] = (char)symbol;
		code = bits = 0;
	}
	return bits < 8 && code == (1u << bits) - 1;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	static char fast[8 * MOST], slow[8 * MOST];
	size_t room, got = 0, made;
	bool good, wanted;

	if (!codes[0])
		learn();
	if (!len || len > MOST)
		return 0;
	room = data[0] == 255 ? sizeof(fast) : data[0];
	wanted = read_slowly(++data, --len, slow, &made);
	good = huffman_decode((struct span){ (const char *)data, len }, fast, room, &got);
	BUG_ON(good != (wanted && made <= room));
	BUG_ON(made > len * 8 / 5);
	if (good)
		BUG_ON(got != made || memcmp(fast, slow, made) != 0);
	return 0;
}
