/* SPDX-License-Identifier: BSD-2-Clause */
/* SipHash-2-4, the variant with 128 bits, and SipHash-1-3 with 64, as its paper and the addition to it
 * describe them. Pure. */
#include "base/siphash.h"

#include <endian.h>
#include <string.h>

static inline uint64_t turn(uint64_t x, unsigned bits)
{
	return x << bits | x >> (64 - bits);
}

static inline void sip_round(uint64_t v[4])
{
	v[0] += v[1];
	v[1] = turn(v[1], 13) ^ v[0];
	v[0] = turn(v[0], 32);
	v[2] += v[3];
	v[3] = turn(v[3], 16) ^ v[2];
	v[0] += v[3];
	v[3] = turn(v[3], 21) ^ v[0];
	v[2] += v[1];
	v[1] = turn(v[1], 17) ^ v[2];
	v[2] = turn(v[2], 32);
}

static void sip_word(uint64_t v[4], uint64_t word)
{
	v[3] ^= word;
	sip_round(v);
	sip_round(v);
	v[0] ^= word;
}

static uint64_t sip_end(uint64_t v[4])
{
	int i;

	for (i = 0; i < 4; i++)
		sip_round(v);
	return v[0] ^ v[1] ^ v[2] ^ v[3];
}

uint64_t siphash_quick(const uint64_t key[2], const void *data, size_t len)
{
	uint64_t v[4] = { key[0] ^ 0x736f6d6570736575, key[1] ^ 0x646f72616e646f6d,
			  key[0] ^ 0x6c7967656e657261, key[1] ^ 0x7465646279746573 };
	const char *p = data, *end = p + (len & ~(size_t)7);
	uint64_t word;
	unsigned i;

	for (; p < end; p += 8) {
		memcpy(&word, p, 8);
		v[3] ^= le64toh(word);
		sip_round(v);
		v[0] ^= le64toh(word);
	}
	word = 0;
	if (len & 4)
		memcpy(&word, p, 4);
	for (i = len & 4; i < (len & 7); i++)
		((char *)&word)[i] = p[i];
	word = le64toh(word) | (uint64_t)len << 56;
	v[3] ^= word;
	sip_round(v);
	v[0] ^= word;
	v[2] ^= 0xff;
	for (i = 0; i < 3; i++)
		sip_round(v);
	return v[0] ^ v[1] ^ v[2] ^ v[3];
}

struct siphash siphash(const uint64_t key[2], const void *data, size_t len)
{
	uint64_t v[4] = { key[0] ^ 0x736f6d6570736575, key[1] ^ 0x646f72616e646f6d ^ 0xee,
			  key[0] ^ 0x6c7967656e657261, key[1] ^ 0x7465646279746573 };
	const char *p = data, *end = p + (len & ~(size_t)7);
	struct siphash made;
	uint64_t word;

	for (; p < end; p += 8) {
		memcpy(&word, p, 8);
		sip_word(v, le64toh(word));
	}
	word = 0;
	memcpy(&word, p, len & 7);
	sip_word(v, le64toh(word) | (uint64_t)len << 56);
	v[2] ^= 0xee;
	made.low = sip_end(v);
	v[1] ^= 0xdd;
	made.high = sip_end(v);
	return made;
}
