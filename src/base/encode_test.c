/* SPDX-License-Identifier: BSD-2-Clause */
/* JSON and CBOR of any bytes: what RFC 8259 and RFC 8949 want; and objects cut at each length. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/encode.h"
#include "base/json.h"

#include <stdio.h>

static void escaped(const char *bytes, size_t len, const char *expected)
{
	char memory[256];
	struct text t;

	text_init(&t, memory, sizeof(memory));
	text_str(&t, "{");
	text_add(&t, bytes, len);
	json_escape(&t, 1);
	assert_false(t.cut);
	assert_string_equal(memory + 1, expected);
	assert_int_equal(t.len, 1 + strlen(expected));
}
#define ESCAPED(bytes, expected) escaped(bytes, sizeof(bytes) - 1, expected)

static void json_strings(void **state)
{
	(void)state;
	ESCAPED("", "");
	ESCAPED("plain /text~", "plain /text~");
	ESCAPED("\"\\\b\f\n\r\t", "\\\"\\\\\\b\\f\\n\\r\\t");
	ESCAPED("a\0b\x01\x1f\x7f", "a\\u0000b\\u0001\\u001f\\u007f");
	ESCAPED("caf\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80",
		"caf\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80");
	ESCAPED("caf\xe9", "caf\\u00e9");
	ESCAPED("\xc2\x80\xc2\x9f\xc2\xa0", "\\u0080\\u009f\xc2\xa0");
	ESCAPED("\xed\xa0\x80", "\\u00ed\\u00a0\\u0080");         /* a surrogate */
	ESCAPED("\xc0\xaf\xe0\x80\xaf", "\\u00c0\\u00af\\u00e0\\u0080\\u00af"); /* too long */
	ESCAPED("\xf4\x90\x80\x80", "\\u00f4\\u0090\\u0080\\u0080"); /* beyond U+10FFFF */
	ESCAPED("\xe2\x82", "\\u00e2\\u0082");                    /* the end of it is missing */
	ESCAPED("\xff\xfe", "\\u00ff\\u00fe");
}

/* Each byte and pair of bytes comes back as the character that it is, or as that of Latin-1. */
static void every_byte_comes_back(void **state)
{
	char memory[64], back[64], want[8];
	struct text t, out, character;
	unsigned a, b;

	(void)state;
	for (a = 0; a < 256; a++)
		for (b = 0; b < 256; b++) {
			const char pair[2] = { (char)a, (char)b };
			size_t len = utf8_len(pair, 2), i;

			text_init(&t, memory, sizeof(memory));
			text_add(&t, pair, 2);
			json_escape(&t, 0);
			for (i = 0; i < t.len; i++)
				assert_true((unsigned char)t.ptr[i] >= ' ' && t.ptr[i] != 0x7f);
			text_init(&out, back, sizeof(back));
			assert_true(json_unescape((struct span){ t.ptr, t.len }, &out));
			text_init(&character, want, sizeof(want));
			for (i = 0; i < 2; i++) {
				unsigned char c = (unsigned char)pair[i];

				if (c < 0x80 || len == 2) {
					text_char(&character, (char)c);
				} else {
					text_char(&character, (char)(0xc0 | c >> 6));
					text_char(&character, (char)(0x80 | (c & 0x3f)));
				}
			}
			assert_int_equal(out.len, character.len);
			assert_memory_equal(out.ptr, character.ptr, out.len);
		}
}

static void cbor_is(void (*encode)(struct text *, size_t), const char *bytes, size_t len,
		    const char *hex)
{
	char memory[700];
	struct text t;

	text_init(&t, memory, sizeof(memory));
	text_str(&t, "<");
	text_add(&t, bytes, len);
	encode(&t, 1);
	encode_hex(&t, 1);
	t.ptr[1 + strlen(hex)] = 0;
	assert_string_equal(memory + 1, hex);
}

static void cbor_number(int64_t n, const char *hex)
{
	char memory[40];
	struct text t;

	text_init(&t, memory, sizeof(memory));
	cbor_int(&t, n);
	encode_hex(&t, 0);
	assert_string_equal(memory, hex);
}

/* RFC 8949, appendix A, and what is no UTF-8. */
static void cbor_values(void **state)
{
	static const char many[300];

	(void)state;
	cbor_number(0, "00");
	cbor_number(23, "17");
	cbor_number(24, "1818");
	cbor_number(1000, "1903E8");
	cbor_number(1000000, "1A000F4240");
	cbor_number(1000000000000, "1B000000E8D4A51000");
	cbor_number(-1, "20");
	cbor_number(-1000, "3903E7");
	cbor_number(INT64_MIN, "3B7FFFFFFFFFFFFFFF");
	cbor_is(cbor_text, "", 0, "60");
	cbor_is(cbor_text, "IETF", 4, "6449455446");
	cbor_is(cbor_text, "\xc3\xbc\xff", 3, "64C3BCC3BF");
	cbor_is(cbor_bytes, "\1\2\3\xff", 4, "44010203FF");
	cbor_is(cbor_text, many, 24, "781800");
	cbor_is(cbor_text, many, 300, "79012C00");
}

static void cut_is(enum encoding encoding, const char *object, size_t len, size_t room,
		   const char *expected)
{
	struct span closing;
	size_t keep = encoded_cut(encoding, (struct span){ object, len }, room, &closing);
	char made[200];

	assert_true(keep + closing.len <= room && keep <= len);
	snprintf(made, sizeof(made), "%.*s%.*s", (int)keep, object, (int)closing.len,
		 closing.len ? closing.ptr : "");
	if (expected)
		assert_string_equal(made, expected);
}
#define CUT(encoding, object, room, expected)                                                     \
	cut_is(encoding, object, strlen(object), room, expected)

static void objects_stay_objects(void **state)
{
	static const char object[] = "{\"a\":12,\"b\":\"x\\\"y\\u0000z\xc3\xa9!\",\"c\":null}";

	(void)state;
	CUT(ENCODE_JSON, object, 200, object);
	CUT(ENCODE_JSON, object, strlen(object), object);
	CUT(ENCODE_JSON, object, strlen(object) - 1,
	    "{\"a\":12,\"b\":\"x\\\"y\\u0000z\xc3\xa9!\"}");
	CUT(ENCODE_JSON, object, 27, "{\"a\":12,\"b\":\"x\\\"y\\u0000z\"}");
	CUT(ENCODE_JSON, object, 26, "{\"a\":12,\"b\":\"x\\\"y\\u0000z\"}");
	CUT(ENCODE_JSON, object, 28, "{\"a\":12,\"b\":\"x\\\"y\\u0000z\xc3\xa9\"}");
	CUT(ENCODE_JSON, object, 24, "{\"a\":12,\"b\":\"x\\\"y\"}");
	CUT(ENCODE_JSON, object, 16, "{\"a\":12,\"b\":\"x\"}");
	CUT(ENCODE_JSON, object, 15, "{\"a\":12,\"b\":\"\"}");
	CUT(ENCODE_JSON, object, 14, "{\"a\":12}");
	CUT(ENCODE_JSON, object, 8, "{\"a\":12}");
	CUT(ENCODE_JSON, object, 7, "{}");
	CUT(ENCODE_JSON, object, 2, "{}");
	CUT(ENCODE_JSON, object, 1, "");
	CUT(ENCODE_JSON, object, 0, "");
	CUT(ENCODE_JSON, "{\"a\":1", 200, "{}"); /* the end is missing: 12 may have been meant */
	CUT(ENCODE_JSON, "{\"a\":\"x\\u00", 200, "{\"a\":\"x\"}");
	CUT(ENCODE_JSON, "{\"a\":\"x\xe2\x82", 200, "{\"a\":\"x\"}");
	CUT(ENCODE_JSON, "{\"a", 200, "{}");
	CUT(ENCODE_JSON, "{", 200, "{}");
	CUT(ENCODE_NONE, "text", 2, "te");
}

static void maps_stay_maps(void **state)
{
	static const char map[] = "BF6161181F6162" "6378797A6163F6FF";

	(void)state;
	CUT(ENCODE_CBOR_HEX, map, 200, map);
	CUT(ENCODE_CBOR_HEX, map, 29, "BF6161181F61626378797AFF");
	CUT(ENCODE_CBOR_HEX, map, 23, "BF6161181FFF");
	CUT(ENCODE_CBOR_HEX, map, 11, "BFFF");
	CUT(ENCODE_CBOR_HEX, map, 3, "");
	CUT(ENCODE_CBOR_HEX, "BF61611A000F42", 200, "BFFF");
	CUT(ENCODE_CBOR_HEX, "BF6161", 200, "BFFF");
	cut_is(ENCODE_CBOR, "\xbf\x61" "a\x05\x61" "b\x06\xff", 8, 7, "\xbf\x61" "a\x05\xff");
}

/* However little memory there is, nothing is written behind it, and what is there is sound. */
static void little_memory(void **state)
{
	static const char value[] = "a\"\x01\xff\\b";
	char memory[80];
	size_t size, i;
	struct text t;

	(void)state;
	for (size = 9; size < 60; size++) {
		memset(memory, 'g', sizeof(memory));
		text_init(&t, memory, size);
		text_str(&t, "{\"a\":\"");
		text_add(&t, value, sizeof(value) - 1);
		json_escape(&t, 6);
		for (i = size; i < sizeof(memory); i++)
			assert_int_equal(memory[i], 'g');
		assert_true(t.len < size && !memory[t.len]);
		assert_int_equal(memcmp(t.ptr, "{\"a\":\"a\\\"\\u0001\\u00ff\\\\b", t.len), 0);
	}
	for (size = 1; size < 60; size++) {
		memset(memory, 'g', sizeof(memory));
		text_init(&t, memory, size);
		text_add(&t, value, sizeof(value) - 1);
		cbor_text(&t, 0);
		encode_hex(&t, 0);
		for (i = size; i < sizeof(memory); i++)
			assert_int_equal(memory[i], 'g');
		assert_true(t.len < size && !memory[t.len]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(json_strings),	  cmocka_unit_test(every_byte_comes_back),
		cmocka_unit_test(cbor_values),	  cmocka_unit_test(objects_stay_objects),
		cmocka_unit_test(maps_stay_maps), cmocka_unit_test(little_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
