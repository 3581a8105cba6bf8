/* SPDX-License-Identifier: BSD-2-Clause */
/* The field Forwarded (RFC 7239 section 4 to 6): reading an element, and writing the nodes of one.
 * Called by converters and by option forwarded. Allocates nothing. */
#include "http/rfc7239.h"

#include <arpa/inet.h>
#include <ctype.h>

enum { PORT_MAX = 65535 };

static const char *const names[RFC7239_NAMES] = {
	[RFC7239_BY] = "by",
	[RFC7239_FOR] = "for",
	[RFC7239_HOST] = "host",
	[RFC7239_PROTO] = "proto",
};

enum rfc7239_name rfc7239_name_find(struct span name)
{
	enum rfc7239_name n = 0;

	while (n < RFC7239_NAMES && !span_equal(name, span_of(names[n])))
		n++;
	return n;
}

/* -- pieces ----------------------------------------------------------------------------- */

/* Letters of names: RFC 7239 6.3. */
static bool is_name_char(char c)
{
	return isalnum((unsigned char)c) || c == '.' || c == '_' || c == '-';
}

static bool is_name(struct span s)
{
	size_t i;

	for (i = 0; i < s.len && is_name_char(s.ptr[i]); i++)
		;
	return s.len && i == s.len;
}

/* '_' and at least one more. */
static bool is_made_up(struct span s)
{
	return s.len > 1 && *s.ptr == '_' && is_name(s);
}

/* 1 to 65535; 0: it is none. */
static unsigned port_number(struct span s)
{
	unsigned n = 0;
	size_t i;

	for (i = 0; i < s.len; i++) {
		if (!isdigit((unsigned char)s.ptr[i]))
			return 0;
		n = n * 10 + (unsigned)(s.ptr[i] - '0');
		if (n > PORT_MAX)
			return 0;
	}
	return n;
}

static bool parse_v4(struct span s, struct in_addr *v4)
{
	char text[INET_ADDRSTRLEN];

	if (!s.len || s.len >= sizeof(text) || memchr(s.ptr, 0, s.len))
		return false;
	memcpy(text, s.ptr, s.len);
	text[s.len] = 0;
	return inet_pton(AF_INET, text, v4) == 1;
}

/* With its brackets. */
static bool parse_v6(struct span s, struct in6_addr *v6)
{
	char text[INET6_ADDRSTRLEN];

	if (s.len < 4 || s.len - 2 >= sizeof(text) || *s.ptr != '[' || s.ptr[s.len - 1] != ']' ||
	    memchr(s.ptr, 0, s.len))
		return false;
	memcpy(text, s.ptr + 1, s.len - 2);
	text[s.len - 2] = 0;
	return inet_pton(AF_INET6, text, v6) == 1;
}

/* Cuts ":port" off: what follows the last colon outside of brackets. False: there is no colon. */
static bool cut_port(struct span *s, struct span *port)
{
	size_t i;

	for (i = s->len; i > 0 && s->ptr[i - 1] != ']'; i--) {
		if (s->ptr[i - 1] != ':')
			continue;
		*port = (struct span){ s->ptr + i, s->len - i };
		s->len = i - 1;
		return true;
	}
	return false;
}

/* -- nodes ------------------------------------------------------------------------------ */

static bool parse_node_port(struct span text, struct rfc7239_node *node)
{
	node->port = port_number(text);
	if (!node->port)
		node->port_name = text;
	return node->port || is_made_up(text);
}

bool rfc7239_node_parse(struct span text, struct rfc7239_node *node)
{
	struct span port;

	*node = (struct rfc7239_node){ .family = 0 };
	if (cut_port(&text, &port) && !parse_node_port(port, node))
		return false;
	if (parse_v4(text, &node->v4)) {
		node->family = AF_INET;
		return true;
	}
	if (parse_v6(text, &node->v6)) {
		node->family = AF_INET6;
		return true;
	}
	node->name = text;
	return span_equal(text, span_of("unknown")) || is_made_up(text);
}

/* Labels of letters, digits and '-', which is not at their ends. */
static bool is_host_name(struct span s)
{
	char before = '.', c;
	size_t i;

	for (i = 0; i < s.len; i++, before = c) {
		c = s.ptr[i];
		if (!isalnum((unsigned char)c) && c != '.' && c != '-')
			return false;
		if ((c == '-' && before == '.') || (c == '.' && before == '-'))
			return false;
	}
	return s.len && before != '-';
}

bool rfc7239_host_is_valid(struct span text)
{
	struct in6_addr v6;
	struct span port;

	if (cut_port(&text, &port) && !port_number(port))
		return false;
	return is_host_name(text) || parse_v6(text, &v6);
}

/* -- elements --------------------------------------------------------------------------- */

/* Takes the value at *s, quoted or not. False: there is none, or its quotes do not end. */
static bool take_value(struct span *s, struct span *value, bool *quoted)
{
	const char *p = s->ptr, *end = p + s->len, *stop;

	*quoted = p < end && *p == '"';
	p += *quoted;
	stop = memchr(p, *quoted ? '"' : ';', (size_t)(end - p));
	if (!stop && *quoted)
		return false;
	if (!stop)
		stop = end;
	*value = (struct span){ p, (size_t)(stop - p) };
	p = stop + *quoted;
	*s = (struct span){ p, (size_t)(end - p) };
	return true;
}

/* What has a colon, a bracket or nothing in it needs quotes (RFC 7239 4). */
static bool value_is_valid(enum rfc7239_name name, struct span value, bool quoted)
{
	struct rfc7239_node node;

	if (name == RFC7239_PROTO)
		return !quoted && (span_equal(value, span_of("http")) ||
				   span_equal(value, span_of("https")));
	if (!quoted && (!value.len || memchr(value.ptr, ':', value.len)))
		return false;
	if (name == RFC7239_HOST)
		return !value.len || rfc7239_host_is_valid(value);
	return rfc7239_node_parse(value, &node);
}

static bool take_parameter(struct span *s, struct rfc7239 *parts)
{
	const char *equal = memchr(s->ptr, '=', s->len);
	enum rfc7239_name name;
	bool quoted;

	if (!equal)
		return false;
	name = rfc7239_name_find((struct span){ s->ptr, (size_t)(equal - s->ptr) });
	if (name == RFC7239_NAMES || parts->value[name].ptr)
		return false;
	*s = (struct span){ equal + 1, s->len - (size_t)(equal + 1 - s->ptr) };
	return take_value(s, &parts->value[name], &quoted) &&
	       value_is_valid(name, parts->value[name], quoted);
}

bool rfc7239_parse(struct span element, struct rfc7239 *parts)
{
	*parts = (struct rfc7239){ 0 };
	for (; element.len; element.ptr++, element.len--) { /* ';' */
		if (!take_parameter(&element, parts))
			return false;
		if (!element.len)
			return true;
		if (*element.ptr != ';')
			return false;
	}
	return false;
}

/* -- writing ---------------------------------------------------------------------------- */

void rfc7239_put_v4(struct text *t, struct in_addr addr)
{
	char text[INET_ADDRSTRLEN];

	text_str(t, inet_ntop(AF_INET, &addr, text, sizeof(text)));
}

void rfc7239_put_v6(struct text *t, const struct in6_addr *addr)
{
	char text[INET6_ADDRSTRLEN];

	text_char(t, '[');
	text_str(t, inet_ntop(AF_INET6, addr, text, sizeof(text)));
	text_char(t, ']');
}

static void put_made_up(struct text *t, struct span name)
{
	if (!is_made_up(name))
		text_char(t, '_');
	text_add(t, name.ptr, name.len);
}

void rfc7239_put_node(struct text *t, struct span text)
{
	struct in6_addr v6;
	struct in_addr v4;

	if (parse_v4(text, &v4) || parse_v6(text, &v6))
		text_add(t, text.ptr, text.len);
	else if (!is_name(text) || span_equal(text, span_of("unknown")))
		text_str(t, "unknown");
	else
		put_made_up(t, text);
}

bool rfc7239_put_port(struct text *t, struct span text)
{
	if (port_number(text))
		text_add(t, text.ptr, text.len);
	else if (is_name(text))
		put_made_up(t, text);
	else
		return false;
	return true;
}
