/* SPDX-License-Identifier: BSD-2-Clause */
/* TLS hellos, whole, in pieces, over several records, broken; versions. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tls/hello.h"

static char scratch[2048];

/* Extensions: server_name "test.example", ALPN h2 and http/1.1, groups, an empty ticket. */
static const unsigned char extensions[] =
	"\0\0\0\21\0\17\0\0\14test.example"
	"\0\20\0\16\0\14\2h2\10http/1.1"
	"\0\12\0\4\0\2\0\35"
	"\0\43\0\0";

/* A hello in one record; returns its size. */
static size_t make_hello(unsigned char *out, int type, size_t ext_len)
{
	unsigned char *p = out + 9;
	size_t body;

	*p++ = 3, *p++ = 3;
	memset(p, 7, 32), p += 32;
	*p++ = 4;
	memcpy(p, "sess", 4), p += 4;
	if (type == HELLO_CLIENT) {
		memcpy(p, "\0\2\23\1", 4), p += 4; /* one cipher */
		memcpy(p, "\1\0", 2), p += 2;      /* no compression */
	} else {
		memcpy(p, "\23\1\0", 3), p += 3;
	}
	*p++ = (unsigned char)(ext_len >> 8), *p++ = (unsigned char)ext_len;
	memcpy(p, extensions, ext_len), p += ext_len;
	body = (size_t)(p - out) - 9;
	out[0] = 22, out[1] = 3, out[2] = 1;
	out[3] = (unsigned char)((body + 4) >> 8), out[4] = (unsigned char)(body + 4);
	out[5] = (unsigned char)type, out[6] = 0;
	out[7] = (unsigned char)(body >> 8), out[8] = (unsigned char)body;
	return body + 9;
}

static enum hello_result parse(const unsigned char *data, size_t len, struct hello *hello)
{
	struct span s = { (const char *)data, len };

	return hello_parse(s, scratch, sizeof(scratch), hello);
}

static void assert_span(struct span s, const char *text)
{
	assert_int_equal(s.len, strlen(text));
	assert_memory_equal(s.ptr, text, s.len);
}

static void assert_all(const struct hello *hello)
{
	assert_int_equal(hello->type, HELLO_CLIENT);
	assert_int_equal(hello->major << 8 | hello->minor, 0x303);
	assert_span(hello->session_id, "sess");
	assert_span(hello->sni, "test.example");
	assert_span(hello->alpn, "\2h2\10http/1.1");
	assert_true(hello->groups);
	assert_true(hello->ticket);
	assert_int_equal(hello->ticket_len, 0);
}

static void client_hello_in_pieces(void **state)
{
	unsigned char data[512];
	size_t len = make_hello(data, HELLO_CLIENT, sizeof(extensions) - 1), i;
	struct hello hello;

	(void)state;
	for (i = 0; i < len; i++)
		assert_int_equal(parse(data, i, &hello), HELLO_MORE);
	assert_int_equal(parse(data, len, &hello), HELLO_OK);
	assert_all(&hello);
	assert_int_equal(parse(data, len + 3, &hello), HELLO_OK); /* something follows */
}

/* Each record carries n bytes of the handshake message. */
static size_t split(unsigned char *out, const unsigned char *data, size_t len, size_t n)
{
	size_t at, part, size = 0;

	for (at = 5; at < len; at += part) {
		part = len - at < n ? len - at : n;
		memcpy(out + size, "\26\3\1\0", 4);
		out[size + 4] = (unsigned char)part;
		memcpy(out + size + 5, data + at, part);
		size += 5 + part;
	}
	return size;
}

static void client_hello_over_records(void **state)
{
	unsigned char data[512], parts[2048];
	size_t len = make_hello(data, HELLO_CLIENT, sizeof(extensions) - 1), n, size, i;
	struct hello hello;

	(void)state;
	for (n = 1; n < 120; n += 7) {
		size = split(parts, data, len, n);
		for (i = 0; i < size; i++)
			assert_int_equal(parse(parts, i, &hello), HELLO_MORE);
		assert_int_equal(parse(parts, size, &hello), HELLO_OK);
		assert_all(&hello);
	}
	size = split(parts, data, len, 60);
	assert_int_equal(hello_parse((struct span){ (char *)parts, size }, scratch, 50, &hello),
			 HELLO_BAD);
}

static void server_hello(void **state)
{
	unsigned char data[512];
	size_t len = make_hello(data, HELLO_SERVER, 0);
	struct hello hello;

	(void)state;
	assert_int_equal(parse(data, len, &hello), HELLO_OK);
	assert_int_equal(hello.type, HELLO_SERVER);
	assert_null(hello.sni.ptr);
}

static void no_hello(void **state)
{
	unsigned char data[512];
	size_t len = make_hello(data, HELLO_CLIENT, sizeof(extensions) - 1);
	struct hello hello;

	(void)state;
	assert_int_equal(parse((const unsigned char *)"GET / HTTP", 10, &hello), HELLO_BAD);
	assert_int_equal(parse((const unsigned char *)"\26\2", 2, &hello), HELLO_BAD);
	data[5] = 11; /* a certificate */
	assert_int_equal(parse(data, len, &hello), HELLO_BAD);
	make_hello(data, HELLO_CLIENT, sizeof(extensions) - 1);
	data[9] = 2; /* version 2.3 */
	assert_int_equal(parse(data, len, &hello), HELLO_BAD);
	make_hello(data, HELLO_CLIENT, sizeof(extensions) - 1);
	data[43] = 200; /* a session id beyond the end */
	assert_int_equal(parse(data, len, &hello), HELLO_BAD);
}

static void lengths_say(unsigned char *data, size_t len)
{
	data[3] = (unsigned char)((len - 5) >> 8), data[4] = (unsigned char)(len - 5);
	data[7] = (unsigned char)((len - 9) >> 8), data[8] = (unsigned char)(len - 9);
}

/* One that ends before its extensions is none, whichever part is cut; without any, or in the middle
 * of them, it is one. */
static void a_hello_that_is_cut(void **state)
{
	static const int types[] = { HELLO_CLIENT, HELLO_SERVER };
	unsigned char data[512];
	enum hello_result result;
	size_t len, whole, before, i;
	struct hello hello;

	(void)state;
	for (i = 0; i < 2; i++) {
		whole = make_hello(data, types[i], sizeof(extensions) - 1);
		before = whole - 2 - (sizeof(extensions) - 1);
		for (len = 10; len <= whole; len++) {
			make_hello(data, types[i], sizeof(extensions) - 1);
			lengths_say(data, len);
			if (len >= before + 2)
				data[before + 1] = (unsigned char)(len - before - 2);
			result = parse(data, len, &hello);
			assert_int_equal(result, len < before ? HELLO_BAD : HELLO_OK);
			assert_int_equal(hello.sni.len, len < before + 2 + 21 ? 0 : 12);
			assert_int_equal(hello.alpn.len, len < before + 2 + 21 + 18 ? 0 : 12);
			assert_int_equal(hello.groups, len >= before + 2 + 21 + 18 + 8);
			assert_int_equal(hello.ticket, len == whole);
		}
	}
}

/* A session's id has at most 32 bytes. */
static void long_ids(void **state)
{
	unsigned char data[512];
	struct hello hello;
	size_t len;

	(void)state;
	make_hello(data, HELLO_CLIENT, sizeof(extensions) - 1);
	for (len = 32; len <= 33; len++) {
		data[43] = (unsigned char)len;
		memset(data + 44 + len, 0, 3); /* no ciphers, no compression */
		lengths_say(data, 44 + len + 3);
		assert_int_equal(parse(data, 44 + len + 3, &hello),
				 len <= 32 ? HELLO_OK : HELLO_BAD);
	}
}

/* What does not fit is not there; the rest is. */
static void broken_extensions(void **state)
{
	unsigned char data[512];
	size_t len = make_hello(data, HELLO_CLIENT, sizeof(extensions) - 1);
	struct hello hello;

	(void)state;
	data[9 + 2 + 32 + 5 + 6 + 2 + 8] = 99; /* length of the name */
	assert_int_equal(parse(data, len, &hello), HELLO_OK);
	assert_null(hello.sni.ptr);
	assert_span(hello.alpn, "\2h2\10http/1.1");
}

static void versions(void **state)
{
	static const char v2[] = "\x80\x1c\1\3\1\0\3\0\0\0\x10\0\0\4challengechalleng";
	unsigned char data[512];
	size_t len = make_hello(data, HELLO_CLIENT, 0);
	struct hello hello;
	unsigned version;

	(void)state;
	assert_int_equal(hello_version((struct span){ (char *)data, len }, &version), HELLO_OK);
	assert_int_equal(version, 0x30003);
	assert_int_equal(hello_version((struct span){ (char *)data, 11 }, &version), HELLO_OK);
	assert_int_equal(hello_version((struct span){ (char *)data, 10 }, &version), HELLO_MORE);
	data[9] = 2;
	assert_int_equal(hello_version((struct span){ (char *)data, len }, &version), HELLO_BAD);
	assert_int_equal(hello_version((struct span){ v2, sizeof(v2) - 1 }, &version), HELLO_OK);
	assert_int_equal(version, 0x30001);
	assert_int_equal(hello_version((struct span){ v2, 2 }, &version), HELLO_MORE);
	assert_int_equal(parse((const unsigned char *)v2, sizeof(v2) - 1, &hello), HELLO_BAD);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(client_hello_in_pieces),
		cmocka_unit_test(client_hello_over_records),
		cmocka_unit_test(server_hello),
		cmocka_unit_test(no_hello),
		cmocka_unit_test(a_hello_that_is_cut),
		cmocka_unit_test(long_ids),
		cmocka_unit_test(broken_extensions),
		cmocka_unit_test(versions),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
