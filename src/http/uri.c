/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Request targets, hosts, query strings. Pure: spans in, spans of the same bytes out; only
 * url_decode writes, in place. The codec has refused control characters before; nothing here
 * depends on that.
 */
#include "http/uri.h"

#include "http/chars.h"

#include <arpa/inet.h>

static struct span span_between(const char *from, const char *to)
{
	return (struct span){ from, (size_t)(to - from) };
}

/* Splits what begins with the path at "?". */
static void split_path(const char *p, const char *end, struct uri *uri)
{
	const char *mark = memchr(p, '?', (size_t)(end - p));

	uri->path = span_between(p, mark ? mark : end);
	if (mark)
		uri->query = span_between(mark + 1, end);
}

/* Behind "scheme://", or NULL. */
static const char *skip_scheme(struct span target, struct uri *uri)
{
	size_t i = 0;

	if (!target.len || char_is(target.ptr[0], CHAR_DIGIT))
		return NULL;
	while (i < target.len && char_is(target.ptr[i], CHAR_SCHEME))
		i++;
	if (!i || target.len - i < 3 || memcmp(target.ptr + i, "://", 3) != 0)
		return NULL;
	uri->scheme = (struct span){ target.ptr, i };
	return target.ptr + i + 3;
}

bool uri_split(struct span target, struct uri *uri)
{
	const char *end, *p, *start;
	struct span host;
	unsigned port;

	memset(uri, 0, sizeof(*uri));
	if (!target.len)
		return false;
	end = target.ptr + target.len;
	if (target.ptr[0] == '/') {
		split_path(target.ptr, end, uri);
		return true;
	}
	if (target.len == 1 && target.ptr[0] == '*') {
		uri->path = target;
		return true;
	}
	start = skip_scheme(target, uri);
	if (!start) {
		uri->authority = target;
		uri->path = (struct span){ end, 0 };
		return host_split(target, &host, &port);
	}
	for (p = start; p < end && *p != '/' && *p != '?' && *p != '#'; p++)
		;
	uri->authority = span_between(start, p);
	split_path(p, end, uri);
	return true;
}

struct span uri_path_and_query(struct span target)
{
	struct uri uri;

	if (!target.len || target.ptr[0] == '/')
		return target;
	if (!uri_split(target, &uri))
		return (struct span){ target.ptr + target.len, 0 };
	return span_between(uri.path.ptr, target.ptr + target.len);
}

/* "[...]": an IPv6 address in brackets (zones and "future" forms are not for the wire). The byte
 * behind it; NULL: malformed. */
static const char *skip_literal(const char *p, const char *end)
{
	const char *close = memchr(p, ']', (size_t)(end - p));
	char text[INET6_ADDRSTRLEN];
	struct in6_addr addr;
	size_t len;

	if (!close)
		return NULL;
	len = (size_t)(close - p - 1);
	if (len >= sizeof(text) || memchr(p + 1, 0, len))
		return NULL;
	memcpy(text, p + 1, len);
	text[len] = 0;
	return inet_pton(AF_INET6, text, &addr) == 1 ? close + 1 : NULL;
}

/* A name of unreserved characters, sub-delims and "%XX". */
static const char *skip_name(const char *p, const char *end)
{
	for (;;) {
		while (p < end && char_is(*p, CHAR_HOST))
			p++;
		if (p == end || *p != '%')
			return p;
		if (end - p < 3 || str_hex_digit(p[1]) < 0 || str_hex_digit(p[2]) < 0)
			return NULL;
		p += 3;
	}
}

/* Digits up to the end, at most 65,535; none: 0. */
static bool parse_port(const char *p, const char *end, unsigned *port)
{
	unsigned n = 0;

	for (; p < end; p++) {
		if (!char_is(*p, CHAR_DIGIT))
			return false;
		n = n * 10 + (unsigned)(*p - '0');
		if (n > 65535)
			return false;
	}
	*port = n;
	return true;
}

bool host_split(struct span authority, struct span *host, unsigned *port)
{
	const char *start = authority.ptr, *end, *p;

	*port = 0;
	*host = authority;
	if (!authority.len)
		return true;
	end = start + authority.len;
	p = *start == '[' ? skip_literal(start, end) : skip_name(start, end);
	if (!p)
		return false;
	*host = span_between(start, p);
	if (p == end)
		return true;
	return *p == ':' && parse_port(p + 1, end, port);
}

bool query_find(struct span query, struct span name, char delimiter, struct span *value)
{
	const char *p, *end, *next, *equal;

	if (!query.len)
		return false;
	end = query.ptr + query.len;
	for (p = query.ptr; p < end; p = next + 1) {
		next = memchr(p, delimiter, (size_t)(end - p));
		if (!next)
			next = end;
		equal = memchr(p, '=', (size_t)(next - p));
		if (!equal)
			continue;
		if (span_equal(span_between(p, equal), name)) {
			*value = span_between(equal + 1, next);
			return true;
		}
	}
	return false;
}

size_t url_decode(char *text, size_t len, bool form)
{
	size_t in, out = 0;

	for (in = 0; in < len; in++) {
		char c = text[in];

		if (c == '%') {
			int high = len - in > 2 ? str_hex_digit(text[in + 1]) : -1;
			int low = len - in > 2 ? str_hex_digit(text[in + 2]) : -1;

			if (high < 0 || low < 0)
				return SIZE_MAX;
			c = (char)(high << 4 | low);
			in += 2;
		} else if (c == '+' && form) {
			c = ' ';
		}
		text[out++] = c;
	}
	return out;
}
