/* SPDX-License-Identifier: BSD-2-Clause */
/* The table of byte classes, worked out by the compiler from one expression a class; and what
 * parsers ask of a whole text. */
#include "http/chars.h"

#define IS_DIGIT(c) ((c) >= '0' && (c) <= '9')
#define IS_ALPHA(c) (((c) >= 'a' && (c) <= 'z') || ((c) >= 'A' && (c) <= 'Z'))
#define IS_ALNUM(c) (IS_DIGIT(c) || IS_ALPHA(c))
#define IS_CTL(c) ((c) < 0x20 || (c) == 0x7f)
#define IS_BLANK(c) ((c) == ' ' || (c) == '\t')
/* RFC 9110 5.6.2 */
#define IS_TOKEN(c)                                                                               \
	(IS_ALNUM(c) || (c) == '!' || (c) == '#' || (c) == '$' || (c) == '%' || (c) == '&' ||     \
	 (c) == '\'' || (c) == '*' || (c) == '+' || (c) == '-' || (c) == '.' || (c) == '^' ||     \
	 (c) == '_' || (c) == '`' || (c) == '|' || (c) == '~')
#define IS_TARGET(c) ((c) > 0x20 && (c) < 0x7f && (c) != '#')
#define IS_VALUE(c) (!IS_CTL(c) || (c) == '\t')
/* RFC 3986 3.2.2: unreserved, sub-delims */
#define IS_HOST(c)                                                                                \
	(IS_ALNUM(c) || (c) == '-' || (c) == '.' || (c) == '_' || (c) == '~' || (c) == '!' ||     \
	 (c) == '$' || (c) == '&' || (c) == '\'' || (c) == '(' || (c) == ')' || (c) == '*' ||     \
	 (c) == '+' || (c) == ',' || (c) == ';' || (c) == '=')
#define IS_SCHEME(c) (IS_ALNUM(c) || (c) == '+' || (c) == '-' || (c) == '.')

#define CLASSES(c)                                                                                \
	((IS_TOKEN(c) ? CHAR_TOKEN : 0) | (IS_TARGET(c) ? CHAR_TARGET : 0) |                      \
	 (IS_VALUE(c) ? CHAR_VALUE : 0) | (IS_HOST(c) ? CHAR_HOST : 0) |                          \
	 (IS_BLANK(c) ? CHAR_BLANK : 0) | (IS_SCHEME(c) ? CHAR_SCHEME : 0) |                      \
	 (IS_DIGIT(c) ? CHAR_DIGIT : 0) | (IS_CTL(c) ? CHAR_CTL : 0))

#define ROW4(c) CLASSES(c), CLASSES((c) + 1), CLASSES((c) + 2), CLASSES((c) + 3)
#define ROW16(c) ROW4(c), ROW4((c) + 4), ROW4((c) + 8), ROW4((c) + 12)
#define ROW64(c) ROW16(c), ROW16((c) + 16), ROW16((c) + 32), ROW16((c) + 48)

const uint8_t http_chars[256] = { ROW64(0), ROW64(64), ROW64(128), ROW64(192) };

bool span_is_token(struct span s)
{
	size_t i;

	for (i = 0; i < s.len && char_is(s.ptr[i], CHAR_TOKEN); i++)
		;
	return s.len && i == s.len;
}

struct span span_cut_blanks(struct span s)
{
	while (s.len && char_is(*s.ptr, CHAR_BLANK)) {
		s.ptr++;
		s.len--;
	}
	while (s.len && char_is(s.ptr[s.len - 1], CHAR_BLANK))
		s.len--;
	return s;
}
