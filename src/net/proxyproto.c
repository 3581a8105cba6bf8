/* SPDX-License-Identifier: BSD-2-Clause */
/* The PROXY protocol. Version 1 is one line of text, version 2 a binary header; both come in front
 * of everything else. stream/ writes and reads it, check/ writes it. */
#include "net/proxyproto.h"

#include "base/str.h"

#include <arpa/inet.h>
#include <string.h>

static const char signature[PROXYPROTO_SIGNATURE + 1] = "\r\n\r\n\0\r\nQUIT\n";

enum { V2_FIXED = 16, V2_LOCAL = 0x20, V2_PROXY = 0x21, V2_UNSPEC = 0x00, V2_TCP4 = 0x11,
       V2_TCP6 = 0x21, V2_UNIX = 0x31,
       V2_TCP4_LEN = 12, V2_TCP6_LEN = 36, V2_UNIX_LEN = 216,
       V1_LONGEST = 107 };

/* ---- writing ---------------------------------------------------------------------------- */

static bool one_family(const struct addr *src, const struct addr *dst)
{
	return src->family == dst->family &&
	       (src->family == AF_INET || src->family == AF_INET6);
}

size_t proxyproto_v1(char *line, const struct addr *src, const struct addr *dst)
{
	struct text t;

	text_init(&t, line, PROXYPROTO_V1_MAX);
	if (!one_family(src, dst)) {
		text_str(&t, "PROXY UNKNOWN\r\n");
		return t.len;
	}
	text_printf(&t, "PROXY TCP%c ", src->family == AF_INET ? '4' : '6');
	addr_print(src, &t);
	text_char(&t, ' ');
	addr_print(dst, &t);
	text_printf(&t, " %u %u\r\n", src->port, dst->port);
	return t.len;
}

static char *put_bytes(char *at, const void *bytes, size_t len)
{
	memcpy(at, bytes, len);
	return at + len;
}

static char *put_port(char *at, uint16_t port)
{
	uint16_t n = htons(port);

	return put_bytes(at, &n, sizeof(n));
}

size_t proxyproto_v2(char *header, const struct addr *src, const struct addr *dst, bool local)
{
	char *at = put_bytes(header, signature, PROXYPROTO_SIGNATURE);
	bool known = !local && one_family(src, dst), v4 = src->family == AF_INET;
	size_t size = v4 ? sizeof(src->v4) : sizeof(src->v6);
	const char head[2] = { local ? V2_LOCAL : V2_PROXY,
			       !known ? V2_UNSPEC : v4 ? V2_TCP4 : V2_TCP6 };

	at = put_bytes(at, head, sizeof(head));
	at = put_port(at, !known ? 0 : v4 ? V2_TCP4_LEN : V2_TCP6_LEN);
	if (!known)
		return (size_t)(at - header);
	at = put_bytes(at, &src->v6, size); /* a union: v4 begins there, too */
	at = put_bytes(at, &dst->v6, size);
	at = put_port(at, src->port);
	at = put_port(at, dst->port);
	return (size_t)(at - header);
}

/* ---- version 1 -------------------------------------------------------------------------- */

/* The next word of the line; it ends with one blank, or with the line. */
static bool take_word(const char **at, const char *end, char *word, size_t size)
{
	const char *stop = *at;

	while (stop < end && *stop != ' ')
		stop++;
	if (stop == *at || (size_t)(stop - *at) >= size)
		return false;
	memcpy(word, *at, (size_t)(stop - *at));
	word[stop - *at] = 0;
	*at = stop < end ? stop + 1 : stop;
	return true;
}

static bool take_addr(const char **at, const char *end, int family, struct addr *addr)
{
	char word[INET6_ADDRSTRLEN];

	*addr = (struct addr){ .family = (uint16_t)family };
	return take_word(at, end, word, sizeof(word)) && inet_pton(family, word, &addr->v6) == 1;
}

static bool take_port(const char **at, const char *end, struct addr *addr)
{
	char word[6], *c;
	int64_t port;

	if (!take_word(at, end, word, sizeof(word)))
		return false;
	for (c = word; *c; c++)
		if (*c < '0' || *c > '9')
			return false;
	if (!str_to_int(word, 0, UINT16_MAX, &port))
		return false;
	addr->port = (uint16_t)port;
	return true;
}

static bool v1_addrs(const char *at, const char *end, int family, struct proxyproto *header)
{
	header->has_addrs = take_addr(&at, end, family, &header->src) &&
			    take_addr(&at, end, family, &header->dst) &&
			    take_port(&at, end, &header->src) &&
			    end > at && end[-1] != ' ' && take_port(&at, end, &header->dst) && at == end;
	return header->has_addrs;
}

static enum proxyproto_result parse_v1(const char *bytes, size_t len, struct proxyproto *header)
{
	const char *end = memchr(bytes, '\n', len < V1_LONGEST ? len : V1_LONGEST);
	const char *at = bytes + 6; /* "PROXY " */
	bool ok;

	if (!end)
		return len < V1_LONGEST ? PROXYPROTO_INCOMPLETE : PROXYPROTO_BAD;
	if (end[-1] != '\r')
		return PROXYPROTO_BAD;
	header->len = (size_t)(end + 1 - bytes);
	end--;
	if (end - at >= 5 && !memcmp(at, "TCP4 ", 5))
		ok = v1_addrs(at + 5, end, AF_INET, header);
	else if (end - at >= 5 && !memcmp(at, "TCP6 ", 5))
		ok = v1_addrs(at + 5, end, AF_INET6, header);
	else /* what follows UNKNOWN is to be ignored */
		ok = end - at >= 7 && !memcmp(at, "UNKNOWN", 7) && (end - at == 7 || at[7] == ' ');
	return ok ? PROXYPROTO_DONE : PROXYPROTO_BAD;
}

/* ---- version 2 -------------------------------------------------------------------------- */

static uint16_t port_at(const char *bytes)
{
	uint16_t n;

	memcpy(&n, bytes, sizeof(n));
	return ntohs(n);
}

static void v2_addrs(const char *at, int family, size_t size, struct proxyproto *header)
{
	header->has_addrs = true;
	header->src = header->dst = (struct addr){ .family = (uint16_t)family };
	if (family == AF_UNIX)
		return;
	memcpy(&header->src.v6, at, size);
	memcpy(&header->dst.v6, at + size, size);
	header->src.port = port_at(at + 2 * size);
	header->dst.port = port_at(at + 2 * size + 2);
}

/* The part behind the signature is complete: len bytes of addresses and options. */
static enum proxyproto_result v2_body(const char *bytes, size_t len, struct proxyproto *header)
{
	const char *body = bytes + V2_FIXED;
	static const struct {
		uint8_t code;
		int family;
		size_t need, size;
	} rows[] = { { V2_TCP4, AF_INET, V2_TCP4_LEN, 4 },
		     { V2_TCP6, AF_INET6, V2_TCP6_LEN, 16 },
		     { V2_UNIX, AF_UNIX, V2_UNIX_LEN, 108 } };
	size_t i;

	if ((uint8_t)bytes[12] == V2_LOCAL)
		return PROXYPROTO_DONE;
	if ((uint8_t)bytes[12] != V2_PROXY)
		return PROXYPROTO_BAD;
	if ((uint8_t)bytes[13] == V2_UNSPEC)
		return PROXYPROTO_DONE;
	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		if ((uint8_t)bytes[13] != rows[i].code)
			continue;
		if (len < rows[i].need)
			return PROXYPROTO_BAD;
		v2_addrs(body, rows[i].family, rows[i].size, header);
		return PROXYPROTO_DONE;
	}
	return PROXYPROTO_UNHANDLED;
}

static enum proxyproto_result parse_v2(const char *bytes, size_t len, struct proxyproto *header)
{
	size_t body;

	if (len < V2_FIXED)
		return PROXYPROTO_INCOMPLETE;
	body = port_at(bytes + 14);
	header->len = V2_FIXED + body;
	return len < header->len ? PROXYPROTO_INCOMPLETE : v2_body(bytes, body, header);
}

/* ---- either ----------------------------------------------------------------------------- */

/* 1: bytes begin with text; 0: so far they may; -1: they do not. */
static int begins(const char *bytes, size_t len, const char *text, size_t text_len)
{
	size_t n = len < text_len ? len : text_len;

	if (n && memcmp(bytes, text, n))
		return -1;
	return len >= text_len;
}

enum proxyproto_result proxyproto_parse(const char *bytes, size_t len, struct proxyproto *header)
{
	int v1 = begins(bytes, len, "PROXY ", 6);
	int v2 = begins(bytes, len, signature, PROXYPROTO_SIGNATURE);

	*header = (struct proxyproto){ .len = 0 };
	if (v1 > 0)
		return parse_v1(bytes, len, header);
	if (v2 > 0)
		return parse_v2(bytes, len, header);
	return v1 < 0 && v2 < 0 ? PROXYPROTO_FOREIGN : PROXYPROTO_INCOMPLETE;
}
