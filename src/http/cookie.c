/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Cookies (RFC 6265), as lenient as browsers and servers are with each other: anything between
 * delimiters is a cookie, with or without "=". Used by rules, persistence and captures. Pure: spans
 * of the field's own bytes.
 */
#include "http/cookie.h"

#include "http/chars.h"

static struct span trim(const char *start, const char *end)
{
	while (start < end && char_is(*start, CHAR_BLANK))
		start++;
	while (end > start && char_is(end[-1], CHAR_BLANK))
		end--;
	return (struct span){ start, (size_t)(end - start) };
}

/* Name and value of one pair without delimiters. False: it is blank. */
static bool split_pair(const char *start, const char *end, struct cookie *cookie)
{
	const char *equal = memchr(start, '=', (size_t)(end - start));

	cookie->whole = trim(start, end);
	cookie->name = trim(start, equal ? equal : end);
	cookie->value = equal ? trim(equal + 1, end) : (struct span){ end, 0 };
	return cookie->whole.len > 0;
}

bool cookie_next(struct span field, size_t *at, struct cookie *cookie)
{
	const char *end = field.ptr + field.len, *p = field.ptr + *at, *delimiter;

	while (p < end) {
		const char *start = p;

		delimiter = memchr(p, ';', (size_t)(end - p));
		p = delimiter ? delimiter + 1 : end;
		*at = (size_t)(p - field.ptr);
		if (split_pair(start, delimiter ? delimiter : end, cookie))
			return true;
	}
	return false;
}

bool set_cookie_parse(struct span field, struct cookie *cookie)
{
	const char *start = field.ptr, *end = start + field.len;
	const char *delimiter = field.len ? memchr(start, ';', field.len) : NULL;

	if (!split_pair(start, delimiter ? delimiter : end, cookie))
		return false;
	cookie->whole = trim(start, end);
	return cookie->name.len > 0 && cookie->name.ptr + cookie->name.len < end;
}

size_t cookie_remove(struct span field, struct span whole, char *memory)
{
	const char *end = field.ptr + field.len, *from = whole.ptr, *to = whole.ptr + whole.len;
	size_t head, tail;

	/* with the delimiter behind it and its blanks; the last one with that in front of it */
	while (to < end && (char_is(*to, CHAR_BLANK) || *to == ';'))
		to++;
	if (to == end)
		while (from > field.ptr && (char_is(from[-1], CHAR_BLANK) || from[-1] == ';'))
			from--;
	head = (size_t)(from - field.ptr);
	tail = (size_t)(end - to);
	if (head)
		memcpy(memory, field.ptr, head);
	if (tail)
		memcpy(memory + head, to, tail);
	return head + tail;
}
