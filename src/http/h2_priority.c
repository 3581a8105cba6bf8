/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The priority of a stream, as the field "priority" and PRIORITY_UPDATE say it (RFC 9218 4): a
 * dictionary of structured fields (RFC 8941 3.2), of which two members mean something. All of it is
 * read to the letter, for a text that is none says nothing.
 */
#include "http/h2_frame.h"

#include "http/chars.h"

struct reader {
	const char *p, *end;
};

/* What a member may be, as far as anybody wants to know. */
struct item {
	enum { ITEM_OTHER, ITEM_BOOLEAN, ITEM_INTEGER } kind;
	int64_t value;
};

static bool is_at(const struct reader *r, char c)
{
	return r->p < r->end && *r->p == c;
}

static bool is_digit(const struct reader *r)
{
	return r->p < r->end && char_is(*r->p, CHAR_DIGIT);
}

static bool is_lower(const struct reader *r)
{
	return r->p < r->end && *r->p >= 'a' && *r->p <= 'z';
}

static bool is_alpha(const struct reader *r)
{
	return r->p < r->end && char_lower(*r->p) >= 'a' && char_lower(*r->p) <= 'z';
}

static bool skip(struct reader *r, char c)
{
	if (!is_at(r, c))
		return false;
	r->p++;
	return true;
}

static void skip_blanks(struct reader *r, bool tabs)
{
	while (is_at(r, ' ') || (tabs && is_at(r, '\t')))
		r->p++;
}

/* "u", "*a.b-c_1" (3.1.2). */
static bool read_key(struct reader *r, struct span *key)
{
	const char *start = r->p;

	if (!is_lower(r) && !is_at(r, '*'))
		return false;
	while (is_lower(r) || is_digit(r) || is_at(r, '_') || is_at(r, '-') || is_at(r, '.') ||
	       is_at(r, '*'))
		r->p++;
	*key = (struct span){ start, (size_t)(r->p - start) };
	return true;
}

/* At most 15 digits, or 12 and 3 behind a point (3.3.1, 3.3.2). */
static bool read_number(struct reader *r, struct item *item)
{
	bool negative = skip(r, '-');
	unsigned digits = 0, behind = 0;

	for (; is_digit(r) && digits < 16; digits++)
		item->value = item->value * 10 + (*r->p++ - '0');
	item->kind = ITEM_INTEGER;
	if (negative)
		item->value = -item->value;
	if (!digits || digits > 15)
		return false;
	if (!skip(r, '.'))
		return true;
	for (; is_digit(r) && behind < 4; behind++)
		r->p++;
	item->kind = ITEM_OTHER;
	return digits <= 12 && behind >= 1 && behind <= 3;
}

static bool read_string(struct reader *r)
{
	for (r->p++; r->p < r->end; r->p++) {
		if (*r->p == '"') {
			r->p++;
			return true;
		}
		if (*r->p == '\\' && (++r->p == r->end || (*r->p != '"' && *r->p != '\\')))
			return false;
		if ((uint8_t)*r->p < 0x20 || (uint8_t)*r->p > 0x7e)
			return false;
	}
	return false;
}

static bool read_bytes(struct reader *r)
{
	r->p++;
	while (is_alpha(r) || is_digit(r) || is_at(r, '+') || is_at(r, '/') || is_at(r, '='))
		r->p++;
	return skip(r, ':');
}

static bool read_boolean(struct reader *r, struct item *item)
{
	r->p++;
	if (!is_at(r, '0') && !is_at(r, '1'))
		return false;
	*item = (struct item){ ITEM_BOOLEAN, *r->p++ - '0' };
	return true;
}

static bool read_bare(struct reader *r, struct item *item)
{
	*item = (struct item){ ITEM_OTHER, 0 };
	if (is_digit(r) || is_at(r, '-'))
		return read_number(r, item);
	if (is_at(r, '"'))
		return read_string(r);
	if (is_at(r, ':'))
		return read_bytes(r);
	if (is_at(r, '?'))
		return read_boolean(r, item);
	if (!is_alpha(r) && !is_at(r, '*'))
		return false;
	while (r->p < r->end && (char_is(*r->p, CHAR_TOKEN) || *r->p == ':' || *r->p == '/'))
		r->p++;
	return true;
}

static bool read_parameters(struct reader *r)
{
	struct item ignored;
	struct span key;

	while (skip(r, ';')) {
		skip_blanks(r, false);
		if (!read_key(r, &key) || (skip(r, '=') && !read_bare(r, &ignored)))
			return false;
	}
	return true;
}

static bool read_inner_list(struct reader *r)
{
	struct item ignored;

	for (r->p++;;) {
		skip_blanks(r, false);
		if (skip(r, ')'))
			return true;
		if (!read_bare(r, &ignored) || !read_parameters(r))
			return false;
		if (!is_at(r, ' ') && !is_at(r, ')'))
			return false;
	}
}

static bool read_member(struct reader *r, struct span *key, struct item *item)
{
	if (!read_key(r, key))
		return false;
	*item = (struct item){ ITEM_BOOLEAN, true };
	if (skip(r, '=')) {
		if (is_at(r, '(')) {
			item->kind = ITEM_OTHER;
			if (!read_inner_list(r))
				return false;
		} else if (!read_bare(r, item)) {
			return false;
		}
	}
	return read_parameters(r);
}

/* The last of a name counts; what it must not be says nothing. */
static void take(struct h2_priority *p, struct span key, struct item item)
{
	if (key.len != 1)
		return;
	if (key.ptr[0] == 'u' && item.kind == ITEM_INTEGER && item.value >= 0 &&
	    item.value <= H2_URGENCY_LEAST)
		p->urgency = (uint8_t)item.value;
	if (key.ptr[0] == 'i' && item.kind == ITEM_BOOLEAN)
		p->incremental = item.value;
}

bool h2_priority_read(struct span value, struct h2_priority *p)
{
	struct reader r = { value.ptr, value.ptr + value.len };
	struct h2_priority read = *p;
	struct item item;
	struct span key;

	skip_blanks(&r, false);
	while (r.p < r.end) {
		if (!read_member(&r, &key, &item))
			return false;
		take(&read, key, item);
		skip_blanks(&r, true);
		if (r.p == r.end)
			break;
		if (!skip(&r, ','))
			return false;
		skip_blanks(&r, true);
		if (r.p == r.end)
			return false;
	}
	*p = read;
	return true;
}
