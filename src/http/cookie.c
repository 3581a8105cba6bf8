/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Cookies (RFC 6265), as lenient as HAProxy is: anything with "=" between ";" or "," is one; quotes
 * protect delimiters, and the name may be empty. Used by rules, persistence and captures. Pure:
 * spans of the field's own bytes.
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

/* Where the pair that begins at p ends: at ";" or ",", but not within quotes. Quotes that are never
 * closed run to the end. */
static const char *pair_end(const char *p, const char *end)
{
	bool quoted = false;

	while (p < end && *p != ';' && *p != ',' && *p != '"')
		p++;
	for (; p < end; p++) {
		if (*p == '"')
			quoted = !quoted;
		else if (*p == '\\' && quoted && p + 1 < end)
			p++;
		else if (!quoted && (*p == ';' || *p == ','))
			break;
	}
	return p;
}

/* Name and value of one pair without delimiters. False: it is none. */
static bool split_pair(const char *start, const char *end, struct cookie *cookie)
{
	const char *equal = memchr(start, '=', (size_t)(end - start));

	if (!equal)
		return false;
	cookie->whole = trim(start, end);
	cookie->name = trim(start, equal);
	cookie->value = trim(equal + 1, cookie->whole.ptr + cookie->whole.len);
	return true;
}

bool cookie_next(struct span field, size_t *at, struct cookie *cookie)
{
	const char *end, *p;

	if (*at >= field.len)
		return false;
	end = field.ptr + field.len;
	p = field.ptr + *at;
	while (p < end) {
		const char *start = p, *stop = pair_end(p, end);

		p = stop < end ? stop + 1 : end;
		*at = (size_t)(p - field.ptr);
		if (split_pair(start, stop, cookie))
			return true;
	}
	return false;
}

bool set_cookie_parse(struct span field, struct cookie *cookie)
{
	const char *start = field.ptr, *end;

	if (!field.len)
		return false;
	end = start + field.len;
	if (!split_pair(start, pair_end(start, end), cookie))
		return false;
	cookie->whole = trim(start, end);
	return true;
}

static bool is_gap(char c)
{
	return char_is(c, CHAR_BLANK) || c == ';' || c == ',';
}

size_t cookie_remove(struct span field, struct span whole, char *memory)
{
	const char *end = field.ptr + field.len, *from = whole.ptr, *to = whole.ptr + whole.len;
	size_t head, tail;

	/* with the delimiter behind it and its blanks; the last one with that in front of it */
	while (to < end && is_gap(*to))
		to++;
	if (to == end)
		while (from > field.ptr && is_gap(from[-1]))
			from--;
	head = from > field.ptr ? (size_t)(from - field.ptr) : 0;
	tail = to < end ? (size_t)(end - to) : 0;
	if (head)
		memcpy(memory, field.ptr, head);
	if (tail)
		memcpy(memory + head, to, tail);
	return head + tail;
}
