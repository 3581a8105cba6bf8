/* SPDX-License-Identifier: BSD-2-Clause */
/* MD5 (RFC 1321) and HMAC-MD5 (RFC 2104), for protocols that ask for nothing better: RADIUS. Nobody
 * should build anything new upon it. */
#ifndef BASE_MD5_H
#define BASE_MD5_H

#include "base/str.h"

#include <stdint.h>

enum { MD5_LEN = 16, MD5_BLOCK = 64 };

struct md5 {
	uint32_t state[4];
	uint64_t len;          /* bytes so far */
	uint8_t block[MD5_BLOCK];
};

void md5_begin(struct md5 *md5);
void md5_add(struct md5 *md5, const void *bytes, size_t len);
void md5_end(struct md5 *md5, uint8_t digest[MD5_LEN]);
/* Keys of any length. */
void md5_hmac(struct span key, struct span message, uint8_t code[MD5_LEN]);

#endif
