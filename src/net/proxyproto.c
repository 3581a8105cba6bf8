/* SPDX-License-Identifier: BSD-2-Clause */
/* The PROXY protocol. Version 1 is one line of text, version 2 a binary header; both come in front
 * of everything else. stream/ writes and reads it, check/ writes it. Where the specification leaves
 * it to the receiver whether something wrong is tolerated, it is not: who sends headers is trusted
 * with addresses, and what it means must be beyond doubt. */
#include "net/proxyproto.h"

#include "base/hash.h"

#include <arpa/inet.h>

static const char signature[PROXYPROTO_SIGNATURE + 1] = "\r\n\r\n\0\r\nQUIT\n";

enum { V2_FIXED = 16, V2_LOCAL = 0x20, V2_PROXY = 0x21, V2_UNSPEC = 0x00, V2_TCP4 = 0x11,
       V2_UDP4 = 0x12, V2_TCP6 = 0x21, V2_UDP6 = 0x22, V2_UNIX = 0x31, V2_UNIX_DGRAM = 0x32,
       V2_TCP4_LEN = 12, V2_TCP6_LEN = 36, V2_UNIX_LEN = 216,
       V1_LONGEST = 107,
       VECTOR_HEAD = 3, CRC_LEN = 4,
       SSL_HEAD = 5, SSL_USED = 1, SSL_CERT_CONN = 2, SSL_CERT_SESS = 4 };

/* ---- writing ---------------------------------------------------------------------------- */

/* An address of IPv4 as one of IPv6: ::ffff:1.2.3.4. */
static void as_v6(struct addr *addr)
{
	struct in_addr v4 = addr->v4;

	if (addr->family != AF_INET)
		return;
	addr->family = AF_INET6;
	addr->scope_id = 0;
	memset(&addr->v6, 0, sizeof(addr->v6));
	addr->v6.s6_addr[10] = addr->v6.s6_addr[11] = 0xff;
	memcpy(&addr->v6.s6_addr[12], &v4, sizeof(v4));
}

static bool is_ip(const struct addr *addr)
{
	return addr && (addr->family == AF_INET || addr->family == AF_INET6);
}

/* Both as addresses of one family, and without the scope: that is a number of this machine's. */
static bool one_family(const struct addr *src, const struct addr *dst, struct addr both[2])
{
	if (!is_ip(src) || !is_ip(dst))
		return false;
	both[0] = *src;
	both[1] = *dst;
	if (src->family != dst->family) {
		as_v6(&both[0]);
		as_v6(&both[1]);
	}
	if (both[0].family == AF_INET6)
		both[0].scope_id = both[1].scope_id = 0;
	return true;
}

size_t proxyproto_v1(char *line, const struct addr *src, const struct addr *dst)
{
	struct addr both[2];
	struct text t;

	text_init(&t, line, PROXYPROTO_V1_MAX);
	if (!one_family(src, dst, both)) {
		text_str(&t, "PROXY UNKNOWN\r\n");
		return t.len;
	}
	text_printf(&t, "PROXY TCP%c ", both[0].family == AF_INET ? '4' : '6');
	addr_print(&both[0], &t);
	text_char(&t, ' ');
	addr_print(&both[1], &t);
	text_printf(&t, " %u %u\r\n", both[0].port, both[1].port);
	return t.len;
}

static void put(struct proxyproto_out *out, const void *bytes, size_t len)
{
	if (out->cut || out->size - out->len < len) {
		out->cut = true;
		return;
	}
	if (len)
		memcpy(out->memory + out->len, bytes, len);
	out->len += len;
}

static void put_number(struct proxyproto_out *out, uint16_t number)
{
	uint16_t n = htons(number);

	put(out, &n, sizeof(n));
}

static void put_addrs(struct proxyproto_out *out, const struct addr both[2])
{
	size_t size = both[0].family == AF_INET ? sizeof(both[0].v4) : sizeof(both[0].v6);

	put(out, &both[0].v6, size); /* a union: v4 begins there, too */
	put(out, &both[1].v6, size);
	put_number(out, both[0].port);
	put_number(out, both[1].port);
}

void proxyproto_begin(struct proxyproto_out *out, char *memory, size_t size,
		      const struct addr *src, const struct addr *dst, bool crc32c)
{
	struct addr both[2];
	bool known = one_family(src, dst, both);
	const char head[2] = { known ? V2_PROXY : V2_LOCAL,
			       !known ? V2_UNSPEC : both[0].family == AF_INET ? V2_TCP4 : V2_TCP6 };

	*out = (struct proxyproto_out){ .memory = memory, .size = size };
	put(out, signature, PROXYPROTO_SIGNATURE);
	put(out, head, sizeof(head));
	put_number(out, 0); /* proxyproto_end knows */
	if (known)
		put_addrs(out, both);
	if (!crc32c)
		return;
	proxyproto_add(out, PROXYPROTO_CRC32C, (struct span){ "\0\0\0", CRC_LEN });
	out->crc = out->memory + out->len - CRC_LEN;
}

/* The lower half of the byte behind the command is the transport: 1 a stream, 2 datagrams. */
void proxyproto_of_datagram(struct proxyproto_out *out)
{
	char *transport = out->memory + PROXYPROTO_SIGNATURE + 1;

	if (*transport != V2_UNSPEC)
		(*transport)++;
}

void proxyproto_add(struct proxyproto_out *out, uint8_t type, struct span value)
{
	if (value.len > UINT16_MAX) {
		out->cut = true;
		return;
	}
	put(out, &type, 1);
	put_number(out, (uint16_t)value.len);
	put(out, value.ptr, value.len);
}

static void add_known(struct proxyproto_out *out, uint8_t type, struct span value)
{
	if (value.len)
		proxyproto_add(out, type, value);
}

/* The length of what stands behind at, into the two bytes before it. */
static void set_length(struct proxyproto_out *out, size_t at)
{
	uint16_t n = htons((uint16_t)(out->len - at));

	if (!out->cut)
		memcpy(out->memory + at - sizeof(n), &n, sizeof(n));
}

void proxyproto_add_ssl(struct proxyproto_out *out, const struct proxyproto_ssl *ssl)
{
	bool good = (ssl->cert_conn || ssl->cert_sess) && ssl->verified;
	const char head[SSL_HEAD] = { !ssl->used ? 0 : (char)(SSL_USED |
						      (ssl->cert_conn ? SSL_CERT_CONN : 0) |
						      (ssl->cert_sess ? SSL_CERT_SESS : 0)),
				      0, 0, 0, ssl->used && good ? 0 : 1 };
	size_t at;

	proxyproto_add(out, PROXYPROTO_SSL, (struct span){ head, sizeof(head) });
	if (!ssl->used || out->cut)
		return;
	at = out->len - sizeof(head);
	add_known(out, PROXYPROTO_SSL_VERSION, ssl->version);
	add_known(out, PROXYPROTO_SSL_CN, ssl->cn);
	add_known(out, PROXYPROTO_SSL_KEY_ALG, ssl->key_alg);
	add_known(out, PROXYPROTO_SSL_SIG_ALG, ssl->sig_alg);
	add_known(out, PROXYPROTO_SSL_CIPHER, ssl->cipher);
	set_length(out, at);
}

size_t proxyproto_end(struct proxyproto_out *out)
{
	uint32_t crc;

	set_length(out, V2_FIXED);
	if (out->cut)
		return 0;
	if (out->crc) {
		crc = htonl(hash_crc32c(out->memory, out->len));
		memcpy(out->crc, &crc, sizeof(crc));
	}
	return out->len;
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
	if (memchr(*at, 0, (size_t)(stop - *at)))
		return false; /* the text would end before its word does */
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
	if (word[0] == '0' && word[1])
		return false; /* could be meant to be octal */
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

/* Another family, or transport, that the line may name: a word and a blank. */
static bool v1_other(const char *at, const char *end)
{
	char word[16];

	return take_word(&at, end, word, sizeof(word)) && strncmp(word, "TCP4", 4) &&
	       strncmp(word, "TCP6", 4);
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
	else if (end - at >= 7 && !memcmp(at, "UNKNOWN", 7) && (end - at == 7 || at[7] == ' '))
		ok = true; /* what follows is to be ignored */
	else
		return v1_other(at, end) ? PROXYPROTO_UNHANDLED : PROXYPROTO_BAD;
	return ok ? PROXYPROTO_DONE : PROXYPROTO_BAD;
}

/* ---- version 2 -------------------------------------------------------------------------- */

static uint16_t number_at(const char *bytes)
{
	uint16_t n;

	memcpy(&n, bytes, sizeof(n));
	return ntohs(n);
}

bool proxyproto_next(struct span *vectors, uint8_t *type, struct span *value)
{
	const char *at = vectors->ptr;

	if (vectors->len < VECTOR_HEAD)
		return false;
	*type = (uint8_t)*at;
	*value = (struct span){ at + VECTOR_HEAD, number_at(at + 1) };
	if (vectors->len - VECTOR_HEAD < value->len)
		return false;
	vectors->ptr += VECTOR_HEAD + value->len;
	vectors->len -= VECTOR_HEAD + value->len;
	return true;
}

/* A vector of vectors. */
static bool ssl_find(struct span ssl, uint8_t wanted, struct span *value)
{
	struct span inner = { ssl.ptr + SSL_HEAD, ssl.len - SSL_HEAD };
	uint8_t type;

	while (proxyproto_next(&inner, &type, value))
		if (type == wanted)
			return true;
	return false;
}

static bool is_inner(uint8_t type)
{
	return type >= PROXYPROTO_SSL_VERSION && type <= PROXYPROTO_SSL_KEY_ALG;
}

bool proxyproto_find(struct span *vectors, uint8_t wanted, struct span *value)
{
	uint8_t type;

	while (proxyproto_next(vectors, &type, value)) {
		if (type == wanted)
			return true;
		if (type == PROXYPROTO_SSL && is_inner(wanted) && ssl_find(*value, wanted, value))
			return true;
	}
	return false;
}

static bool are_whole(struct span vectors)
{
	struct span value;
	uint8_t type;

	while (proxyproto_next(&vectors, &type, &value))
		;
	return !vectors.len;
}

/* Section 2.2.3: of the whole header, as if the checksum were 0. */
static bool is_sum(const char *header, size_t len, struct span sum)
{
	static const char nothing[CRC_LEN];
	size_t before = (size_t)(sum.ptr - header);
	uint32_t crc, told;

	if (sum.len != CRC_LEN)
		return false;
	crc = hash_crc32c(header, before);
	crc = hash_crc32c_more(crc, nothing, CRC_LEN);
	crc = hash_crc32c_more(crc, sum.ptr + CRC_LEN, len - before - CRC_LEN);
	memcpy(&told, sum.ptr, sizeof(told));
	return ntohl(told) == crc;
}

static bool vector_ok(const char *header, size_t len, uint8_t type, struct span value)
{
	switch (type) {
	case PROXYPROTO_AUTHORITY:
		return value.len <= PROXYPROTO_AUTHORITY_MAX;
	case PROXYPROTO_CRC32C:
		return is_sum(header, len, value);
	case PROXYPROTO_UNIQUE_ID:
		return value.len <= PROXYPROTO_UNIQUE_ID_MAX;
	case PROXYPROTO_SSL:
		return value.len >= SSL_HEAD &&
		       are_whole((struct span){ value.ptr + SSL_HEAD, value.len - SSL_HEAD });
	default:
		return true;
	}
}

/* A second checksum would be part of what the first one is of. */
static bool vectors_ok(const char *header, size_t len, struct span vectors)
{
	struct span value;
	unsigned sums = 0;
	uint8_t type;

	while (proxyproto_next(&vectors, &type, &value)) {
		sums += type == PROXYPROTO_CRC32C;
		if (sums > 1 || !vector_ok(header, len, type, value))
			return false;
	}
	return !vectors.len;
}

static void v2_addrs(const char *at, int family, size_t size, struct proxyproto *header)
{
	header->has_addrs = true;
	header->src = header->dst = (struct addr){ .family = (uint16_t)family };
	if (family == AF_UNIX)
		return;
	memcpy(&header->src.v6, at, size);
	memcpy(&header->dst.v6, at + size, size);
	header->src.port = number_at(at + 2 * size);
	header->dst.port = number_at(at + 2 * size + 2);
}

static const struct v2_family {
	uint8_t code;
	bool dgram;
	int family;
	size_t need, size;
} v2_families[] = {
	{ V2_UNSPEC, false, AF_UNSPEC, 0, 0 },
	{ V2_TCP4, false, AF_INET, V2_TCP4_LEN, 4 },
	{ V2_TCP6, false, AF_INET6, V2_TCP6_LEN, 16 },
	{ V2_UNIX, false, AF_UNIX, V2_UNIX_LEN, 108 },
	{ V2_UDP4, true, AF_INET, V2_TCP4_LEN, 4 },
	{ V2_UDP6, true, AF_INET6, V2_TCP6_LEN, 16 },
	{ V2_UNIX_DGRAM, true, AF_UNIX, V2_UNIX_LEN, 108 },
};

static const struct v2_family *v2_family(uint8_t code)
{
	size_t i;

	for (i = 0; i < sizeof(v2_families) / sizeof(*v2_families); i++)
		if (v2_families[i].code == code)
			return &v2_families[i];
	return NULL;
}

/* The fixed part is there: what can be said of the header without its rest. */
static enum proxyproto_result v2_head(const char *bytes, size_t body)
{
	const struct v2_family *f = v2_family((uint8_t)bytes[13]);
	uint8_t command = (uint8_t)bytes[12];

	if (V2_FIXED + body > PROXYPROTO_V2_LONGEST || (command != V2_LOCAL && command != V2_PROXY))
		return PROXYPROTO_BAD;
	if (command == V2_LOCAL)
		return PROXYPROTO_DONE; /* whatever the family is */
	if (!f || body < f->need)
		return PROXYPROTO_BAD;
	return f->dgram ? PROXYPROTO_UNHANDLED : PROXYPROTO_DONE;
}

/* All is there: len bytes of addresses and vectors behind the fixed part. LOCAL and UNSPEC: "the
 * receiver must discard the protocol block", "should ignore address information", whose length is
 * then anybody's guess. */
static enum proxyproto_result v2_body(const char *bytes, size_t len, struct proxyproto *header)
{
	const struct v2_family *f = v2_family((uint8_t)bytes[13]);
	const char *body = bytes + V2_FIXED;

	if ((uint8_t)bytes[12] == V2_LOCAL || f->family == AF_UNSPEC)
		return PROXYPROTO_DONE;
	v2_addrs(body, f->family, f->size, header);
	header->vectors = (struct span){ body + f->need, len - f->need };
	return vectors_ok(bytes, V2_FIXED + len, header->vectors) ? PROXYPROTO_DONE :
								   PROXYPROTO_BAD;
}

static enum proxyproto_result parse_v2(const char *bytes, size_t len, struct proxyproto *header)
{
	enum proxyproto_result r;
	size_t body;

	if (len < V2_FIXED)
		return PROXYPROTO_INCOMPLETE;
	body = number_at(bytes + 14);
	header->len = V2_FIXED + body;
	r = v2_head(bytes, body);
	if (r != PROXYPROTO_DONE)
		return r;
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
