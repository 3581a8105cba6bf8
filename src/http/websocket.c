/* SPDX-License-Identifier: BSD-2-Clause */
/* The answer to a Sec-WebSocket-Key (RFC 6455 4.2.2): SHA-1 (RFC 3174) of it and of a text that the
 * RFC gives, in base64. Called where one side of an exchange has the handshake of HTTP/1 and the
 * other one has none. Its own SHA-1, for a build may be without OpenSSL; it protects nothing. */
#include "http/websocket.h"

#include <string.h>

enum { BLOCK = 64, DIGEST = 20 };

struct sha1 {
	uint32_t state[5];
	uint64_t len;
	unsigned char block[BLOCK];
};

static uint32_t rotate(uint32_t x, unsigned by)
{
	return x << by | x >> (32 - by);
}

static void sha1_block(struct sha1 *h)
{
	uint32_t w[80], a = h->state[0], b = h->state[1], c = h->state[2], d = h->state[3],
			e = h->state[4], f, k, next;
	unsigned i;

	for (i = 0; i < 16; i++)
		w[i] = (uint32_t)h->block[4 * i] << 24 | (uint32_t)h->block[4 * i + 1] << 16 |
		       (uint32_t)h->block[4 * i + 2] << 8 | h->block[4 * i + 3];
	for (; i < 80; i++)
		w[i] = rotate(w[i - 3] ^ w[i - 8] ^ w[i - 14] ^ w[i - 16], 1);
	for (i = 0; i < 80; i++) {
		f = i < 20 ? (b & c) | (~b & d) : i >= 40 && i < 60 ? (b & c) | (b & d) | (c & d) : b ^ c ^ d;
		k = i < 20 ? 0x5a827999 : i < 40 ? 0x6ed9eba1 : i < 60 ? 0x8f1bbcdc : 0xca62c1d6;
		next = rotate(a, 5) + f + e + k + w[i];
		e = d;
		d = c;
		c = rotate(b, 30);
		b = a;
		a = next;
	}
	h->state[0] += a;
	h->state[1] += b;
	h->state[2] += c;
	h->state[3] += d;
	h->state[4] += e;
}

static void sha1_add(struct sha1 *h, const char *bytes, size_t n)
{
	while (n--) {
		h->block[h->len++ % BLOCK] = (unsigned char)*bytes++;
		if (!(h->len % BLOCK))
			sha1_block(h);
	}
}

static void sha1_end(struct sha1 *h, unsigned char digest[DIGEST])
{
	uint64_t bits = h->len * 8;
	char byte = (char)0x80;
	unsigned i;

	do {
		sha1_add(h, &byte, 1);
		byte = 0;
	} while (h->len % BLOCK != BLOCK - 8);
	for (i = 0; i < 8; i++) {
		byte = (char)(bits >> (56 - 8 * i));
		sha1_add(h, &byte, 1);
	}
	for (i = 0; i < DIGEST; i++)
		digest[i] = (unsigned char)(h->state[i / 4] >> (24 - 8 * (i % 4)));
}

void websocket_accept(struct span key, char accept[WEBSOCKET_ACCEPT])
{
	static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	static const char known[] = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
	struct sha1 h = { .state = { 0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0 } };
	unsigned char digest[DIGEST + 1];
	uint32_t three;
	unsigned i, j;

	sha1_add(&h, key.ptr, key.len);
	sha1_add(&h, known, sizeof(known) - 1);
	sha1_end(&h, digest);
	digest[DIGEST] = 0;
	for (i = 0; i < sizeof(digest); i += 3) {
		three = (uint32_t)digest[i] << 16 | (uint32_t)digest[i + 1] << 8 | digest[i + 2];
		for (j = 0; j < 4; j++)
			*accept++ = letters[three >> (18 - 6 * j) & 63];
	}
	accept[-1] = '='; /* of 20 bytes one is missing */
}
