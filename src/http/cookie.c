/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Cookies (RFC 6265), as lenient as HAProxy is: anything with "=" between ";" or "," is one; quotes
 * protect delimiters, and the name may be empty. Used by rules, persistence and captures. Pure:
 * spans of the field's own bytes.
 */
#include "http/cookie.h"

#include "http/chars.h"
#include "http/scan.h"

static struct span trim(const char *start, const char *end)
{
	return span_trimmed((struct span){ start, (size_t)(end - start) });
}

/* Where the pair that begins at p ends: at ";" or ",", but not within quotes. Quotes that are never
 * closed run to the end. The field begins at `from`. */
static const char *pair_end(const char *from, const char *p, const char *end)
{
	bool quoted = false;

	p = scan_until(from, p, end, ';', ',', '"');
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
		const char *start = p, *stop = pair_end(field.ptr, p, end);

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
	if (!split_pair(start, pair_end(start, start, end), cookie))
		return false;
	cookie->whole = trim(start, end);
	return true;
}

static bool is_gap(char c)
{
	return char_is(c, CHAR_BLANK) || c == ';' || c == ',';
}

void cookie_edit_begin(struct cookie_edit *edit, struct span field, char *memory)
{
	*edit = (struct cookie_edit){ .field = field, .memory = memory, .done = field.ptr };
}

void cookie_edit_cut(struct cookie_edit *edit, const char *from, const char *to)
{
	size_t len = (size_t)(from - edit->done);

	if (len)
		memcpy(edit->memory + edit->len, edit->done, len);
	edit->len += len;
	edit->done = to;
}

/* With the delimiter behind it and its blanks; the last one with those in front of it. */
void cookie_edit_remove(struct cookie_edit *edit, struct span whole)
{
	const char *end = edit->field.ptr + edit->field.len, *to = whole.ptr + whole.len;

	while (to < end && is_gap(*to))
		to++;
	cookie_edit_cut(edit, whole.ptr, to);
	while (to == end && edit->len && is_gap(edit->memory[edit->len - 1]))
		edit->len--;
}

size_t cookie_edit_end(struct cookie_edit *edit)
{
	cookie_edit_cut(edit, edit->field.ptr + edit->field.len, NULL);
	return edit->len;
}
