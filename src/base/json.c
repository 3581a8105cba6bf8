/* SPDX-License-Identifier: BSD-2-Clause */
/* JSON (RFC 8259), walked and not stored: what is malformed on the way to a value is found, what
 * lies behind it is not looked at. Called by converters, and by what reads answers of authorities.
 */
#include "base/json.h"

#include <ctype.h>

enum { DEEPEST = 32 };

void json_blanks(struct json *j)
{
	while (j->p < j->end && (*j->p == ' ' || *j->p == '\t' || *j->p == '\n' || *j->p == '\r'))
		j->p++;
}

bool json_take(struct json *j, char c)
{
	json_blanks(j);
	if (j->p == j->end || *j->p != c)
		return false;
	j->p++;
	return true;
}

bool json_string(struct json *j, struct span *raw)
{
	if (!json_take(j, '"'))
		return false;
	raw->ptr = j->p;
	while (j->p < j->end && *j->p != '"')
		j->p += 1 + (*j->p == '\\');
	if (j->p >= j->end)
		return false;
	raw->len = (size_t)(j->p++ - raw->ptr);
	return true;
}

static bool skip(struct json *j, unsigned depth);

/* The rest of an array or object. */
static bool skip_list(struct json *j, char closing, unsigned depth)
{
	struct span key;

	if (json_take(j, closing))
		return true;
	do {
		if (closing == '}' && (!json_string(j, &key) || !json_take(j, ':')))
			return false;
		if (!skip(j, depth + 1))
			return false;
	} while (json_take(j, ','));
	return json_take(j, closing);
}

static bool skip(struct json *j, unsigned depth)
{
	struct span raw;
	const char *start;

	json_blanks(j);
	if (j->p == j->end || depth > DEEPEST)
		return false;
	switch (*j->p) {
	case '"':
		return json_string(j, &raw);
	case '{':
		j->p++;
		return skip_list(j, '}', depth);
	case '[':
		j->p++;
		return skip_list(j, ']', depth);
	default: /* a number, true, false, null */
		for (start = j->p; j->p < j->end; j->p++)
			if (!isalnum((unsigned char)*j->p) && !strchr("+-.", *j->p))
				break;
		return j->p > start;
	}
}

bool json_skip(struct json *j)
{
	return skip(j, 0);
}

bool json_member(struct json *j, struct span name)
{
	struct span key;

	if (!json_take(j, '{'))
		return false;
	do {
		if (!json_string(j, &key) || !json_take(j, ':'))
			return false;
		if (span_equal(key, name))
			return true;
	} while (json_skip(j) && json_take(j, ','));
	return false;
}

bool json_element(struct json *j, uint64_t index)
{
	if (!json_take(j, '['))
		return false;
	for (; index; index--)
		if (!json_skip(j) || !json_take(j, ','))
			return false;
	json_blanks(j);
	return j->p < j->end && *j->p != ']';
}

/* -- strings ---------------------------------------------------------------------------- */

static void put_utf8(struct text *t, uint32_t c)
{
	if (c < 0x80) {
		text_char(t, (char)c);
		return;
	}
	if (c < 0x800) {
		text_char(t, (char)(0xc0 | c >> 6));
	} else {
		if (c < 0x10000) {
			text_char(t, (char)(0xe0 | c >> 12));
		} else {
			text_char(t, (char)(0xf0 | c >> 18));
			text_char(t, (char)(0x80 | (c >> 12 & 63)));
		}
		text_char(t, (char)(0x80 | (c >> 6 & 63)));
	}
	text_char(t, (char)(0x80 | (c & 63)));
}

static bool hex4(const char *p, const char *end, uint32_t *code)
{
	int i, digit;

	*code = 0;
	for (i = 0; i < 4; i++) {
		digit = p + i < end ? str_hex_digit(p[i]) : -1;
		if (digit < 0)
			return false;
		*code = *code << 4 | (uint32_t)digit;
	}
	return true;
}

/* "\u0041" at p, perhaps the first of a pair of surrogates. NULL: malformed. */
static const char *put_unicode(struct text *t, const char *p, const char *end)
{
	uint32_t code, low;

	if (!hex4(p + 2, end, &code))
		return NULL;
	p += 6;
	if (code >= 0xd800 && code < 0xdc00 && end - p >= 6 && p[0] == '\\' && p[1] == 'u' &&
	    hex4(p + 2, end, &low) && low >= 0xdc00 && low < 0xe000) {
		code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
		p += 6;
	}
	put_utf8(t, code);
	return p;
}

bool json_unescape(struct span raw, struct text *t)
{
	static const char escapes[] = "\"\"\\\\//b\bf\fn\nr\rt\t", *e;
	const char *p = raw.ptr, *end = p + raw.len;

	while (p && p < end) {
		if (*p != '\\') {
			text_char(t, *p++);
			continue;
		}
		if (end - p >= 2 && p[1] == 'u') {
			p = put_unicode(t, p, end);
			continue;
		}
		for (e = escapes; *e && (end - p < 2 || *e != p[1]); e += 2)
			;
		if (!*e)
			return false;
		text_char(t, e[1]);
		p += 2;
	}
	return p;
}
