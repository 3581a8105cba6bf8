/* SPDX-License-Identifier: BSD-2-Clause */
/* Called by ocsp.c. Requests say HTTP/1.0, so that answers are not chunked. */
#include "check/ocsp_http.h"

#include <strings.h>

static const struct span http = { "http://", 7 }, port_80 = { "80", 2 }, root = { "/", 1 };

static bool is_plain(struct span s)
{
	size_t i;

	for (i = 0; i < s.len; i++)
		if ((unsigned char)s.ptr[i] <= ' ' || (unsigned char)s.ptr[i] >= 0x7f)
			return false;
	return true;
}

static bool is_port(struct span s)
{
	size_t i;

	for (i = 0; i < s.len; i++)
		if (s.ptr[i] < '0' || s.ptr[i] > '9')
			return false;
	return s.len >= 1 && s.len <= 5;
}

/* "host", "host:port", "[::1]:port". */
static bool cut_host(struct span whole, struct ocsp_uri *u)
{
	const char *end = whole.ptr + whole.len, *colon;

	if (whole.len && *whole.ptr == '[') {
		colon = memchr(whole.ptr, ']', whole.len);
		if (!colon)
			return false;
		u->host = (struct span){ whole.ptr + 1, (size_t)(colon - whole.ptr - 1) };
		colon++;
		if (colon != end && *colon != ':')
			return false;
	} else {
		colon = memchr(whole.ptr, ':', whole.len);
		colon = colon ? colon : end;
		u->host = (struct span){ whole.ptr, (size_t)(colon - whole.ptr) };
	}
	u->port = colon == end ? port_80 : (struct span){ colon + 1, (size_t)(end - colon - 1) };
	return u->host.len && is_port(u->port) && !memchr(u->host.ptr, '@', u->host.len);
}

bool ocsp_uri_parse(struct span uri, struct ocsp_uri *u)
{
	const char *slash;
	struct span rest;

	if (uri.len <= http.len || strncasecmp(uri.ptr, http.ptr, http.len) || !is_plain(uri))
		return false;
	rest = (struct span){ uri.ptr + http.len, uri.len - http.len };
	slash = memchr(rest.ptr, '/', rest.len);
	u->path = root;
	if (slash) {
		u->path = (struct span){ slash, (size_t)(rest.ptr + rest.len - slash) };
		rest.len = (size_t)(slash - rest.ptr);
	}
	return cut_host(rest, u);
}

/* ---- answers ----------------------------------------------------------------------------- */

/* "HTTP/1.x 200" */
static bool is_good(struct span line)
{
	return line.len >= 12 && !memcmp(line.ptr, "HTTP/1.", 7) &&
	       !memcmp(line.ptr + 8, " 200", 4) && (line.len == 12 || line.ptr[12] == ' ');
}

static bool is_field(struct span line, const char *name, struct span *value)
{
	size_t len = strlen(name);

	if (line.len <= len || line.ptr[len] != ':' || strncasecmp(line.ptr, name, len))
		return false;
	for (len++; len < line.len && (line.ptr[len] == ' ' || line.ptr[len] == '\t'); len++)
		;
	*value = (struct span){ line.ptr + len, line.len - len };
	while (value->len && value->ptr[value->len - 1] == ' ')
		value->len--;
	return true;
}

/* -1: it is no number. */
static long number_of(struct span s)
{
	long n = 0;
	size_t i;

	for (i = 0; i < s.len; i++) {
		if (s.ptr[i] < '0' || s.ptr[i] > '9' || i == 8)
			return -1;
		n = 10 * n + s.ptr[i] - '0';
	}
	return s.len ? n : -1;
}

/* The next line, without its end; false: it is not complete. */
static bool cut_line(struct span *rest, struct span *line)
{
	const char *end = memchr(rest->ptr, '\n', rest->len);

	if (!end)
		return false;
	*line = (struct span){ rest->ptr, (size_t)(end - rest->ptr) };
	rest->len -= line->len + 1;
	rest->ptr = end + 1;
	if (line->len && line->ptr[line->len - 1] == '\r')
		line->len--;
	return true;
}

enum ocsp_http ocsp_http_parse(struct span bytes, bool ended, struct span *body)
{
	enum ocsp_http more = ended ? OCSP_HTTP_BAD : OCSP_HTTP_MORE;
	struct span line, value;
	long length = -1;

	if (!cut_line(&bytes, &line))
		return more;
	if (!is_good(line))
		return OCSP_HTTP_BAD;
	do {
		if (!cut_line(&bytes, &line))
			return more;
		if (is_field(line, "Transfer-Encoding", &value))
			return OCSP_HTTP_BAD;
		if (is_field(line, "Content-Length", &value) && (length = number_of(value)) < 0)
			return OCSP_HTTP_BAD;
	} while (line.len);
	*body = bytes;
	if (length < 0)
		return ended ? OCSP_HTTP_DONE : OCSP_HTTP_MORE;
	if (bytes.len < (size_t)length)
		return more;
	body->len = (size_t)length;
	return OCSP_HTTP_DONE;
}
