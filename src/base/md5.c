/* SPDX-License-Identifier: BSD-2-Clause */
/* See base/md5.h. The rounds are those of RFC 1321, 3.4. */
#include "base/md5.h"

#include <string.h>

static uint32_t left(uint32_t x, unsigned n)
{
	return x << n | x >> (32 - n);
}

static uint32_t load(const uint8_t *p)
{
	return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static void store(uint8_t *p, uint32_t x)
{
	unsigned i;

	for (i = 0; i < 4; i++)
		p[i] = (uint8_t)(x >> (8 * i));
}

/* floor(2^32 * |sin(i + 1)|) */
static const uint32_t sines[64] = {
	0xd76aa478, 0xe8c7b756, 0x242070db, 0xc1bdceee,
	0xf57c0faf, 0x4787c62a, 0xa8304613, 0xfd469501,
	0x698098d8, 0x8b44f7af, 0xffff5bb1, 0x895cd7be,
	0x6b901122, 0xfd987193, 0xa679438e, 0x49b40821,
	0xf61e2562, 0xc040b340, 0x265e5a51, 0xe9b6c7aa,
	0xd62f105d, 0x02441453, 0xd8a1e681, 0xe7d3fbc8,
	0x21e1cde6, 0xc33707d6, 0xf4d50d87, 0x455a14ed,
	0xa9e3e905, 0xfcefa3f8, 0x676f02d9, 0x8d2a4c8a,
	0xfffa3942, 0x8771f681, 0x6d9d6122, 0xfde5380c,
	0xa4beea44, 0x4bdecfa9, 0xf6bb4b60, 0xbebfbc70,
	0x289b7ec6, 0xeaa127fa, 0xd4ef3085, 0x04881d05,
	0xd9d4d039, 0xe6db99e5, 0x1fa27cf8, 0xc4ac5665,
	0xf4292244, 0x432aff97, 0xab9423a7, 0xfc93a039,
	0x655b59c3, 0x8f0ccc92, 0xffeff47d, 0x85845dd1,
	0x6fa87e4f, 0xfe2ce6e0, 0xa3014314, 0x4e0811a1,
	0xf7537e82, 0xbd3af235, 0x2ad7d2bb, 0xeb86d391,
};

static void turn(uint32_t state[4], const uint8_t *block)
{
	static const uint8_t shifts[4][4] = {
		{ 7, 12, 17, 22 }, { 5, 9, 14, 20 }, { 4, 11, 16, 23 }, { 6, 10, 15, 21 }
	};
	uint32_t a = state[0], b = state[1], c = state[2], d = state[3], f;
	unsigned i, at;

	for (i = 0; i < 64; i++) {
		switch (i / 16) {
		case 0: f = (b & c) | (~b & d); at = i; break;
		case 1: f = (d & b) | (~d & c); at = (5 * i + 1) % 16; break;
		case 2: f = b ^ c ^ d; at = (3 * i + 5) % 16; break;
		default: f = c ^ (b | ~d); at = 7 * i % 16; break;
		}
		f += a + sines[i] + load(block + 4 * at);
		a = d;
		d = c;
		c = b;
		b += left(f, shifts[i / 16][i % 4]);
	}
	state[0] += a;
	state[1] += b;
	state[2] += c;
	state[3] += d;
}

void md5_begin(struct md5 *md5)
{
	*md5 = (struct md5){ .state = { 0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476 } };
}

void md5_add(struct md5 *md5, const void *bytes, size_t len)
{
	const uint8_t *p = bytes;
	size_t have = md5->len % MD5_BLOCK, n;

	md5->len += len;
	while (len) {
		n = MD5_BLOCK - have < len ? MD5_BLOCK - have : len;
		memcpy(md5->block + have, p, n);
		if (have + n == MD5_BLOCK)
			turn(md5->state, md5->block);
		have = (have + n) % MD5_BLOCK;
		p += n;
		len -= n;
	}
}

void md5_end(struct md5 *md5, uint8_t digest[MD5_LEN])
{
	static const uint8_t padding[MD5_BLOCK] = { 0x80 };
	uint64_t bits = md5->len * 8;
	size_t have = md5->len % MD5_BLOCK;
	uint8_t tail[8];
	unsigned i;

	store(tail, (uint32_t)bits);
	store(tail + 4, (uint32_t)(bits >> 32));
	md5_add(md5, padding, (have < 56 ? 56 : 120) - have);
	md5_add(md5, tail, sizeof(tail));
	for (i = 0; i < 4; i++)
		store(digest + 4 * i, md5->state[i]);
}

void md5_hmac(struct span key, struct span message, uint8_t code[MD5_LEN])
{
	uint8_t inner[MD5_BLOCK] = { 0 }, outer[MD5_BLOCK];
	struct md5 md5;
	unsigned i;

	if (key.len > MD5_BLOCK) {
		md5_begin(&md5);
		md5_add(&md5, key.ptr, key.len);
		md5_end(&md5, inner);
	} else if (key.len) {
		memcpy(inner, key.ptr, key.len);
	}
	for (i = 0; i < MD5_BLOCK; i++) {
		outer[i] = inner[i] ^ 0x5c;
		inner[i] ^= 0x36;
	}
	md5_begin(&md5);
	md5_add(&md5, inner, sizeof(inner));
	md5_add(&md5, message.ptr, message.len);
	md5_end(&md5, code);
	md5_begin(&md5);
	md5_add(&md5, outer, sizeof(outer));
	md5_add(&md5, code, MD5_LEN);
	md5_end(&md5, code);
}
