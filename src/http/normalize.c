/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Normal forms of request targets (RFC 3986 6.2.2, and what the manual adds under "normalize-uri").
 * Pure: reads a part of a target and writes another text; called by rules. Which part each of them
 * gets says normalizer_part.
 */
#include "http/normalize.h"

#include <ctype.h>
#include <stdlib.h>

static const struct {
	const char *name;
	enum uri_part part;
} normalizers[NORMALIZERS] = {
	[FRAGMENT_ENCODE] = { "fragment-encode", URI_PATHQ },
	[FRAGMENT_STRIP] = { "fragment-strip", URI_PATHQ },
	[PATH_MERGE_SLASHES] = { "path-merge-slashes", URI_PATH },
	[PATH_STRIP_DOT] = { "path-strip-dot", URI_PATH },
	[PATH_STRIP_DOTDOT] = { "path-strip-dotdot", URI_PATH },
	[PERCENT_DECODE_UNRESERVED] = { "percent-decode-unreserved", URI_PATHQ },
	[PERCENT_TO_UPPERCASE] = { "percent-to-uppercase", URI_PATHQ },
	[QUERY_SORT_BY_NAME] = { "query-sort-by-name", URI_QUERY },
};

const char *normalizer_name(enum normalizer how)
{
	return normalizers[how].name;
}

enum uri_part normalizer_part(enum normalizer how)
{
	return normalizers[how].part;
}

static char *put(char *to, const char *from, size_t len)
{
	memcpy(to, from, len);
	return to + len;
}

/* -- fragments -------------------------------------------------------------------------- */

static char *fragment_encode(struct span in, char *out)
{
	size_t i;

	for (i = 0; i < in.len; i++)
		out = in.ptr[i] == '#' ? put(out, "%23", 3) : put(out, in.ptr + i, 1);
	return out;
}

static char *fragment_strip(struct span in, char *out)
{
	const char *mark = memchr(in.ptr, '#', in.len);

	return put(out, in.ptr, mark ? (size_t)(mark - in.ptr) : in.len);
}

/* -- paths ------------------------------------------------------------------------------ */

static char *merge_slashes(struct span in, char *out)
{
	size_t i;

	for (i = 0; i < in.len; i++) {
		if (in.ptr[i] != '/' || !i || in.ptr[i - 1] != '/')
			*out++ = in.ptr[i];
	}
	return out;
}

/* The segment that begins at *at; moves *at behind it and the slash that ends it, if one does. */
static struct span next_segment(struct span path, size_t *at, bool *slash)
{
	const char *start = path.ptr + *at, *end = memchr(start, '/', path.len - *at);
	struct span segment = { start, end ? (size_t)(end - start) : path.len - *at };

	*slash = end != NULL;
	*at += segment.len + *slash;
	return segment;
}

static char *strip_dot(struct span in, char *out)
{
	struct span segment;
	size_t at = 0;
	bool slash;

	while (at < in.len) {
		segment = next_segment(in, &at, &slash);
		if (!span_equal(segment, span_of(".")))
			out = put(out, segment.ptr, segment.len + slash);
	}
	return out;
}

/* Takes the last segment off what was written since floor. */
static char *drop_segment(const char *floor, char *out)
{
	if (out > floor)
		out--; /* its slash */
	while (out > floor && out[-1] != '/')
		out--;
	return out;
}

/* Everything below floor stays: the first slash, and what leads out of the root. */
static char *strip_dotdot(struct span in, bool full, char *out)
{
	struct span segment;
	const char *floor;
	size_t at = 1;
	bool slash;

	*out++ = '/';
	floor = out;
	while (at < in.len) {
		segment = next_segment(in, &at, &slash);
		if (!span_equal(segment, span_of(".."))) {
			out = put(out, segment.ptr, segment.len + slash);
		} else if (out > floor) {
			out = drop_segment(floor, out);
		} else if (!full) {
			out = put(out, "../", 3);
			floor = out;
		}
	}
	return out;
}

/* -- percent encoding ------------------------------------------------------------------- */

static bool is_unreserved(int c)
{
	return c < 128 && (isalnum(c) || (c && strchr("-._~", c)));
}

static char *percent(struct span in, enum normalizer how, bool strict, char *out)
{
	int high, low;
	size_t i;

	for (i = 0; i < in.len; i++) {
		if (in.ptr[i] != '%') {
			*out++ = in.ptr[i];
			continue;
		}
		high = i + 2 < in.len ? str_hex_digit(in.ptr[i + 1]) : -1;
		low = i + 2 < in.len ? str_hex_digit(in.ptr[i + 2]) : -1;
		if (high < 0 || low < 0) {
			if (strict)
				return NULL;
			*out++ = '%';
			continue;
		}
		if (how == PERCENT_DECODE_UNRESERVED && is_unreserved(high << 4 | low)) {
			*out++ = (char)(high << 4 | low);
		} else if (how == PERCENT_DECODE_UNRESERVED) {
			out = put(out, in.ptr + i, 3);
		} else {
			*out++ = '%';
			*out++ = "0123456789ABCDEF"[high];
			*out++ = "0123456789ABCDEF"[low];
		}
		i += 2;
	}
	return out;
}

/* -- queries ---------------------------------------------------------------------------- */

enum { PARAMETERS = 1024 };

/* By the name, the shorter one first where it begins the other; else as they stood. */
static int by_name(const void *x, const void *y)
{
	const struct span *a = x, *b = y;
	const char *end_a = memchr(a->ptr, '=', a->len), *end_b = memchr(b->ptr, '=', b->len);
	size_t len_a = end_a ? (size_t)(end_a - a->ptr) : a->len;
	size_t len_b = end_b ? (size_t)(end_b - b->ptr) : b->len;
	int r = memcmp(a->ptr, b->ptr, len_a < len_b ? len_a : len_b);

	if (r || len_a != len_b)
		return r ? r : len_a < len_b ? -1 : 1;
	return a->ptr < b->ptr ? -1 : a->ptr > b->ptr;
}

static char *query_sort(struct span in, char *out)
{
	static struct span parameters[PARAMETERS];
	const char *at = in.ptr, *end = in.ptr + in.len, *stop;
	size_t n = 0, i;

	for (; at < end; at = stop + 1) {
		if (n == PARAMETERS)
			return NULL;
		stop = memchr(at, '&', (size_t)(end - at));
		stop = stop ? stop : end;
		parameters[n++] = (struct span){ at, (size_t)(stop - at) };
	}
	qsort(parameters, n, sizeof(*parameters), by_name);
	for (i = 0; i < n; i++) {
		if (i)
			*out++ = '&';
		out = put(out, parameters[i].ptr, parameters[i].len);
	}
	return out;
}

/* -- all of them ------------------------------------------------------------------------ */

bool uri_normalize(enum normalizer how, bool option, struct span in, char *out, size_t *len)
{
	char *end = out;

	switch (how) {
	case FRAGMENT_ENCODE:
		end = fragment_encode(in, out);
		break;
	case FRAGMENT_STRIP:
		end = fragment_strip(in, out);
		break;
	case PATH_MERGE_SLASHES:
		end = merge_slashes(in, out);
		break;
	case PATH_STRIP_DOT:
		end = strip_dot(in, out);
		break;
	case PATH_STRIP_DOTDOT:
		end = strip_dotdot(in, option, out);
		break;
	case PERCENT_DECODE_UNRESERVED:
	case PERCENT_TO_UPPERCASE:
		end = percent(in, how, option, out);
		break;
	case QUERY_SORT_BY_NAME:
		end = query_sort(in, out);
		break;
	case NORMALIZERS:
		break;
	}
	if (end)
		*len = (size_t)(end - out);
	return end != NULL;
}
