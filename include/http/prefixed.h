/* SPDX-License-Identifier: BSD-2-Clause */
/* Integers that begin within a byte: the encoding that HPACK and QPACK share (RFC 7541 5.1, RFC
 * 9204 4.1.1). mask: the bits of the first byte that are the integer's, all at its low end. */
#ifndef HTTP_PREFIXED_H
#define HTTP_PREFIXED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What is read is less than PREFIXED_MOST; what is written takes PREFIXED_LEN bytes at most. */
enum { PREFIXED_MOST = 1 << 28, PREFIXED_SHIFT_MOST = 21, PREFIXED_LEN = 6 };

/* Reads one from *at, which stands before end, and steps behind it. False: too large, or cut. */
static inline bool prefixed_read(const uint8_t **at, const uint8_t *end, uint8_t mask,
				 uint32_t *value)
{
	unsigned shift = 0;
	uint8_t byte;

	*value = *(*at)++ & mask;
	if (*value < mask)
		return true;
	do {
		if (*at == end || shift > PREFIXED_SHIFT_MOST)
			return false;
		byte = *(*at)++;
		*value += (uint32_t)(byte & 0x7f) << shift;
		shift += 7;
	} while (byte & 0x80);
	return *value < PREFIXED_MOST;
}

/* Writes value, less than PREFIXED_MOST, behind the other bits of its first byte; to has room for
 * PREFIXED_LEN bytes. Returns what is behind it. */
static inline char *prefixed_write(char *to, uint8_t pattern, uint8_t mask, size_t value)
{
	if (value < mask) {
		*to++ = (char)(pattern | value);
		return to;
	}
	*to++ = (char)(pattern | mask);
	for (value -= mask; value >= 0x80; value >>= 7)
		*to++ = (char)(value | 0x80);
	*to++ = (char)value;
	return to;
}

#endif
