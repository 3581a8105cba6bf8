/* SPDX-License-Identifier: BSD-2-Clause */
/* RFC 4648, section 4, strictly: padding is wanted and nothing stands behind it. Pure. Called by
 * what reads keys and OCSP responses. */
#include "tls/base64.h"

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

static int value_of(char c)
{
	const char *at = c ? strchr(digits, c) : NULL;

	return at ? (int)(at - digits) : -1;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* Four digits; pad of them are "=". */
static long put_group(unsigned char *out, size_t room, uint32_t bits, unsigned pad)
{
	unsigned char bytes[3] = { (unsigned char)(bits >> 16), (unsigned char)(bits >> 8),
				   (unsigned char)bits };
	unsigned n = 3 - pad;

	if (pad > 2 || n > room || (pad == 1 && bytes[2]) || (pad == 2 && bytes[1]))
		return -1;
	memcpy(out, bytes, n);
	return n;
}

long base64_decode(struct span text, void *bytes, size_t size)
{
	unsigned char *out = bytes;
	uint32_t bits = 0;
	unsigned have = 0, pad = 0;
	size_t len = 0, i;
	long n;
	int v;

	for (i = 0; i < text.len; i++) {
		if (is_blank(text.ptr[i]))
			continue;
		v = value_of(text.ptr[i]);
		if (text.ptr[i] == '=' && have >= 2)
			pad++;
		else if (v < 0 || pad)
			return -1;
		bits = bits << 6 | (uint32_t)(v < 0 ? 0 : v);
		if (++have < 4)
			continue;
		n = put_group(out + len, size - len, bits, pad);
		if (n < 0)
			return -1;
		len += (size_t)n;
		have = 0;
		bits = 0;
		if (pad)
			pad = 3; /* nothing may follow */
	}
	return have ? -1 : (long)len;
}

void base64_encode(struct text *out, const void *bytes, size_t len)
{
	const unsigned char *in = bytes;
	uint32_t bits;
	size_t i;

	for (i = 0; i < len; i += 3) {
		bits = (uint32_t)in[i] << 16;
		bits |= i + 1 < len ? (uint32_t)in[i + 1] << 8 : 0;
		bits |= i + 2 < len ? in[i + 2] : 0;
		text_char(out, digits[bits >> 18]);
		text_char(out, digits[bits >> 12 & 63]);
		text_char(out, i + 1 < len ? digits[bits >> 6 & 63] : '=');
		text_char(out, i + 2 < len ? digits[bits & 63] : '=');
	}
}
