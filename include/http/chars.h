/* SPDX-License-Identifier: BSD-2-Clause */
/* Classes of bytes in HTTP (RFC 9110 5.6, RFC 3986), one table for all parsers. */
#ifndef HTTP_CHARS_H
#define HTTP_CHARS_H

#include "base/str.h"

#include <stdbool.h>
#include <stdint.h>

enum {
	CHAR_TOKEN = 1 << 0,   /* tchar: names, methods */
	CHAR_TARGET = 1 << 1,  /* visible ASCII but "#": a request target, as lenient as browsers
				* need: they send "|", "{" and the like as they are */
	CHAR_VALUE = 1 << 2,   /* in a field value: visible, blank, tab, obs-text */
	CHAR_HOST = 1 << 3,    /* in a reg-name but for "%": unreserved, sub-delims */
	CHAR_BLANK = 1 << 4,   /* SP, HTAB */
	CHAR_SCHEME = 1 << 5,  /* ALPHA DIGIT + - . */
	CHAR_DIGIT = 1 << 6,
	CHAR_CTL = 1 << 7,     /* 0-31 and 127 */
};

extern const uint8_t http_chars[256];

static inline bool char_is(char c, unsigned classes)
{
	return http_chars[(uint8_t)c] & classes;
}

/* Lower case of an ASCII letter; everything else as it is. */
static inline char char_lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c | 0x20) : c;
}

/* Is it a token: tchars alone, and one at least (RFC 9110 5.6.2)? */
bool span_is_token(struct span s);
struct span span_cut_blanks(struct span s);

/* Without the blanks around it, which most texts have none of. */
static inline struct span span_trimmed(struct span s)
{
	if (!s.len || !(char_is(s.ptr[0], CHAR_BLANK) || char_is(s.ptr[s.len - 1], CHAR_BLANK)))
		return s;
	return span_cut_blanks(s);
}

#endif
