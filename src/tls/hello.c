/* SPDX-License-Identifier: BSD-2-Clause */
/* TLS hellos (RFC 8446 4.1.2 and 5.1, RFC 6066 3, RFC 7301, RFC 5077, RFC 8422), and the
 * version in the SSLv2 form of a ClientHello (RFC 5246 E.2). Called by fetches of request and
 * response bytes. No state, no allocation; never reads beyond the span. */
#include "tls/hello.h"

enum { RECORD_HEADER = 5, HANDSHAKE_HEADER = 4, RECORD_MAX = 16384 + 2048 };
enum { RECORD_HANDSHAKE = 22 };
enum { EXT_SERVER_NAME = 0, EXT_GROUPS = 10, EXT_ALPN = 16, EXT_TICKET = 35 };

/* Bytes that are being read; once something did not fit, bad stays set. */
struct bytes {
	const uint8_t *p;
	size_t left;
	bool bad;
};

static unsigned take_number(struct bytes *b, size_t size)
{
	unsigned n = 0;

	if (b->left < size) {
		b->bad = true;
		b->left = 0;
		return 0;
	}
	b->left -= size;
	while (size--)
		n = n << 8 | *b->p++;
	return n;
}

static struct bytes take_bytes(struct bytes *b, size_t len)
{
	struct bytes part = { b->p, len, false };

	if (b->left < len) {
		b->bad = true;
		b->left = 0;
		return (struct bytes){ b->p, 0, true };
	}
	b->p += len;
	b->left -= len;
	return part;
}

/* A vector behind a length of `size` bytes. */
static struct bytes take_vector(struct bytes *b, size_t size)
{
	size_t len = take_number(b, size);

	return b->bad ? (struct bytes){ b->p, 0, true } : take_bytes(b, len);
}

static struct span bytes_span(const struct bytes *b)
{
	return (struct span){ (const char *)b->p, b->left };
}

/* -- extensions ------------------------------------------------------------------------- */

static void hello_sni(struct bytes ext, struct hello *hello)
{
	struct bytes list = take_vector(&ext, 2);

	while (list.left && !hello->sni.ptr) {
		unsigned type = take_number(&list, 1);
		struct bytes name = take_vector(&list, 2);

		if (type == 0 && !name.bad && name.left)
			hello->sni = bytes_span(&name);
	}
}

static void hello_extension(unsigned type, struct bytes ext, struct hello *hello)
{
	struct bytes list;

	switch (type) {
	case EXT_SERVER_NAME:
		hello_sni(ext, hello);
		break;
	case EXT_GROUPS:
		hello->groups = true;
		break;
	case EXT_ALPN:
		list = take_vector(&ext, 2);
		if (!list.bad)
			hello->alpn = bytes_span(&list);
		break;
	case EXT_TICKET:
		hello->ticket = true;
		hello->ticket_len = ext.left;
		break;
	}
}

static void hello_extensions(struct bytes body, struct hello *hello)
{
	struct bytes list;

	if (!body.left)
		return;
	list = take_vector(&body, 2);
	while (list.left) {
		unsigned type = take_number(&list, 2);
		struct bytes ext = take_vector(&list, 2);

		if (!ext.bad)
			hello_extension(type, ext, hello);
	}
}

static enum hello_result hello_body(struct bytes body, struct hello *hello)
{
	struct bytes id;

	hello->major = (uint8_t)take_number(&body, 1);
	hello->minor = (uint8_t)take_number(&body, 1);
	if (body.bad || hello->major < 3)
		return HELLO_BAD;
	take_bytes(&body, 32); /* random */
	id = take_vector(&body, 1);
	if (body.bad || id.left > 32)
		return HELLO_BAD;
	hello->session_id = bytes_span(&id);
	if (hello->type == HELLO_SERVER) {
		take_bytes(&body, 3); /* chosen cipher, compression */
	} else {
		take_vector(&body, 2); /* ciphers */
		take_vector(&body, 1); /* compression methods */
	}
	if (body.bad)
		return HELLO_BAD;
	hello_extensions(body, hello);
	return HELLO_OK;
}

/* -- records ---------------------------------------------------------------------------- */

/* The header of a handshake record; its length may exceed what is there. */
static enum hello_result record_header(const struct bytes *in, size_t *len)
{
	if (in->left < 1)
		return HELLO_MORE;
	if (in->p[0] != RECORD_HANDSHAKE || (in->left > 1 && in->p[1] != 3))
		return HELLO_BAD;
	if (in->left < RECORD_HEADER)
		return HELLO_MORE;
	*len = (size_t)in->p[3] << 8 | in->p[4];
	return *len && *len <= RECORD_MAX ? HELLO_OK : HELLO_BAD;
}

static enum hello_result handshake_header(const uint8_t *p, size_t left, size_t *len)
{
	if (left < 1)
		return HELLO_MORE;
	if (p[0] != HELLO_CLIENT && p[0] != HELLO_SERVER)
		return HELLO_BAD;
	if (left < HANDSHAKE_HEADER)
		return HELLO_MORE;
	*len = (size_t)p[1] << 16 | (size_t)p[2] << 8 | p[3];
	return HELLO_OK;
}

/* Puts the payloads of successive records together until the handshake message is whole. */
static enum hello_result hello_gather(struct bytes in, char *scratch, size_t size,
				      struct bytes *whole)
{
	enum hello_result result;
	size_t got = 0, need = 0, len, part;

	for (;;) {
		result = record_header(&in, &len);
		if (result != HELLO_OK)
			return result;
		part = in.left - RECORD_HEADER < len ? in.left - RECORD_HEADER : len;
		if (part > size - got)
			part = size - got;
		memcpy(scratch + got, in.p + RECORD_HEADER, part);
		got += part;
		if (handshake_header((uint8_t *)scratch, got, &need) == HELLO_BAD)
			return HELLO_BAD;
		if (need > size - HANDSHAKE_HEADER)
			return HELLO_BAD;
		if (got >= HANDSHAKE_HEADER && got >= HANDSHAKE_HEADER + need)
			break;
		if (in.left - RECORD_HEADER < len)
			return HELLO_MORE;
		in.p += RECORD_HEADER + len;
		in.left -= RECORD_HEADER + len;
	}
	*whole = (struct bytes){ (uint8_t *)scratch, HANDSHAKE_HEADER + need, false };
	return HELLO_OK;
}

/* Points at the handshake message in place when one record holds all of it. */
static enum hello_result hello_find(struct bytes in, char *scratch, size_t size,
				    struct bytes *whole)
{
	enum hello_result result;
	size_t len, need = 0;

	result = record_header(&in, &len);
	if (result != HELLO_OK)
		return result;
	result = handshake_header(in.p + RECORD_HEADER, in.left - RECORD_HEADER, &need);
	if (result != HELLO_OK && len >= HANDSHAKE_HEADER)
		return result;
	if (len < HANDSHAKE_HEADER || HANDSHAKE_HEADER + need > len)
		return hello_gather(in, scratch, size, whole);
	if (in.left < RECORD_HEADER + HANDSHAKE_HEADER + need)
		return HELLO_MORE;
	*whole = (struct bytes){ in.p + RECORD_HEADER, HANDSHAKE_HEADER + need, false };
	return HELLO_OK;
}

enum hello_result hello_parse(struct span data, char *scratch, size_t size, struct hello *hello)
{
	struct bytes in = { (const uint8_t *)data.ptr, data.len, false }, whole;
	enum hello_result result;

	memset(hello, 0, sizeof(*hello));
	result = hello_find(in, scratch, size, &whole);
	if (result != HELLO_OK)
		return result;
	hello->type = (uint8_t)take_number(&whole, 1);
	take_number(&whole, 3); /* the length, checked */
	return hello_body(whole, hello);
}

/* -- versions --------------------------------------------------------------------------- */

/* "80 len 01 version ...": two bytes of length with the top bit set. */
static bool hello_is_v2(struct span data)
{
	const uint8_t *p = (const uint8_t *)data.ptr;

	return data.len && p[0] & 0x80 && (data.len < 3 || p[2] == 1);
}

/* The lengths of ciphers, session id and challenge make up the length of all. */
static enum hello_result version_v2(struct span data, unsigned *version)
{
	const uint8_t *p = (const uint8_t *)data.ptr;
	size_t len;

	if (data.len < 11)
		return HELLO_MORE;
	len = (size_t)(p[0] & 0x7f) << 8 | p[1];
	if (len != 9 + (size_t)(p[5] << 8 | p[6]) + (size_t)(p[7] << 8 | p[8]) +
			   (size_t)(p[9] << 8 | p[10]))
		return HELLO_BAD;
	*version = (unsigned)p[3] << 16 | p[4];
	return HELLO_OK;
}

enum hello_result hello_version(struct span data, unsigned *version)
{
	struct bytes in = { (const uint8_t *)data.ptr, data.len, false };
	enum hello_result result;
	size_t len, need;

	if (hello_is_v2(data))
		return version_v2(data, version);
	result = record_header(&in, &len);
	if (result == HELLO_OK)
		result = handshake_header(in.p + RECORD_HEADER, in.left - RECORD_HEADER, &need);
	if (result != HELLO_OK)
		return result;
	if (in.p[RECORD_HEADER] != HELLO_CLIENT)
		return HELLO_BAD;
	if (in.left < RECORD_HEADER + HANDSHAKE_HEADER + 2)
		return HELLO_MORE;
	*version = (unsigned)in.p[9] << 16 | in.p[10];
	return *version >> 16 == 3 ? HELLO_OK : HELLO_BAD;
}
