/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * HPACK: the examples of RFC 7541 appendix C, what must be refused, what is too large, and the
 * table under changes of its limit. Everything that is written reads as what it was.
 */
#include "http/hpack_table.h"

#include "base/bug.h"
#include "http/chars.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

enum { FIELDS = 64, ROOM = 4096 };

static struct field_table table;
static struct field fields[FIELDS];
static char memory[ROOM], said[ROOM];
static struct hpack_fields list;

static void begin(size_t room, unsigned max, uint64_t limit)
{
	list = (struct hpack_fields){ .fields = fields, .max = max, .memory = memory, .room = room,
				      .limit = limit };
}

/* The bytes end where the memory does. */
static enum hpack_result read_bytes(const char *bytes, size_t len)
{
	char *copy = malloc(len ? len : 1);
	enum hpack_result result;

	assert_non_null(copy);
	memcpy(copy, bytes, len);
	result = hpack_read(&table, (struct span){ copy, len }, &list);
	free(copy);
	return result;
}

static size_t unhex(const char *hex, char *to)
{
	size_t len = 0;

	for (; hex[0] && hex[1]; hex += 2)
		to[len++] = (char)(str_hex_digit(hex[0]) << 4 | str_hex_digit(hex[1]));
	return len;
}

static enum hpack_result read_hex(const char *hex)
{
	char bytes[1024];

	begin(ROOM, FIELDS, ROOM);
	return read_bytes(bytes, unhex(hex, bytes));
}

/* What was read: "name: value|...", then the size of the table. */
static const char *text(void)
{
	struct text t;
	unsigned i;

	text_init(&t, said, sizeof(said));
	for (i = 0; i < list.count; i++) {
		text_add(&t, fields[i].name.ptr, fields[i].name.len);
		text_str(&t, ": ");
		text_add(&t, fields[i].value.ptr, fields[i].value.len);
		text_char(&t, '|');
	}
	text_num(&t, table.size);
	return said;
}

static void check(const char *hex, const char *expected)
{
	assert_int_equal(read_hex(hex), HPACK_OK);
	assert_string_equal(text(), expected);
}

static void literal_fields(void **state)
{
	(void)state;
	check("400a637573746f6d2d6b65790d637573746f6d2d686561646572",
	      "custom-key: custom-header|55");
	check("040c2f73616d706c652f70617468", ":path: /sample/path|55");
	check("100870617373776f726406736563726574", "password: secret|55");
	check("82", ":method: GET|55");
	assert_int_equal(fields[0].id, PSEUDO_METHOD);
	check("be", "custom-key: custom-header|55");
}

static void requests(void **state)
{
	(void)state;
	check("828684410f7777772e6578616d706c652e636f6d",
	      ":method: GET|:scheme: http|:path: /|:authority: www.example.com|57");
	check("828684be58086e6f2d6361636865",
	      ":method: GET|:scheme: http|:path: /|:authority: www.example.com|"
	      "cache-control: no-cache|110");
	assert_int_equal(fields[4].id, FIELD_CACHE_CONTROL);
	check("828785bf400a637573746f6d2d6b65790c637573746f6d2d76616c7565",
	      ":method: GET|:scheme: https|:path: /index.html|:authority: www.example.com|"
	      "custom-key: custom-value|164");
}

static void requests_in_huffman_code(void **state)
{
	(void)state;
	check("828684418cf1e3c2e5f23a6ba0ab90f4ff",
	      ":method: GET|:scheme: http|:path: /|:authority: www.example.com|57");
	check("828684be5886a8eb10649cbf",
	      ":method: GET|:scheme: http|:path: /|:authority: www.example.com|"
	      "cache-control: no-cache|110");
	check("828785bf408825a849e95ba97d7f8925a849e95bb8e8b4bf",
	      ":method: GET|:scheme: https|:path: /index.html|:authority: www.example.com|"
	      "custom-key: custom-value|164");
}

/* A table of 256 bytes: the oldest go. */
static void responses_with_eviction(void **state)
{
	(void)state;
	field_table_init(&table, 256);
	check("488264025885aec3771a4b6196d07abe941054d444a8200595040b8166e082a62d1bff6e919d29ad171863"
	      "c78f0b97c8e9ae82ae43d3",
	      ":status: 302|cache-control: private|date: Mon, 21 Oct 2013 20:13:21 GMT|"
	      "location: https://www.example.com|222");
	check("4883640effc1c0bf",
	      ":status: 307|cache-control: private|date: Mon, 21 Oct 2013 20:13:21 GMT|"
	      "location: https://www.example.com|222");
	check("88c16196d07abe941054d444a8200595040b8166e084a62d1bffc05a839bd9ab77ad94e7821dd7f2e6c7b3"
	      "35dfdfcd5b3960d5af27087f3672c1ab270fb5291f9587316065c003ed4ee5b1063d5007",
	      ":status: 200|cache-control: private|date: Mon, 21 Oct 2013 20:13:22 GMT|"
	      "location: https://www.example.com|content-encoding: gzip|"
	      "set-cookie: foo=ASDJKHQKBZXOQWEOPIUAXQWEOIU; max-age=3600; version=1|215");
}

static void bad_blocks_are_refused(void **state)
{
	static const char *const bad[] = {
		"80",           /* index 0 */
		"be",           /* nothing in the table */
		"7f7f",         /* an integer that is cut */
		"ffffffffff0f", /* too large */
		"ff8080808080808001", /* endless zeros */
		"40",           /* no name */
		"4001",         /* a name that is cut */
		"400161",       /* no value */
		"4001610261",   /* a value that is cut */
		"3fe21f",       /* a limit above ours: 4097 */
		"8220",         /* a change of the limit behind a field */
		"04811e",       /* padding that is not ones */
		"04821fff",     /* more than seven bits of padding */
		"0484ffffffff", /* the end of the string within it */
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		field_table_init(&table, HPACK_DEFAULT);
		if (read_hex(bad[i]) != HPACK_BAD)
			fail_msg("%s was read", bad[i]);
		field_table_free(&table);
	}
}

/* Each prefix of a sound block ends at a field's end, or is refused. */
static void blocks_that_are_cut(void **state)
{
	char bytes[256];
	size_t len = unhex("828785be408825a849e95ba97d7f8925a849e95bb8e8b4bf", bytes), n;

	(void)state;
	for (n = 0; n < len; n++) {
		field_table_init(&table, HPACK_DEFAULT);
		read_hex("410f7777772e6578616d706c652e636f6d");
		begin(ROOM, FIELDS, ROOM);
		assert_int_equal(read_bytes(bytes, n), n <= 4 ? HPACK_OK : HPACK_BAD);
		field_table_free(&table);
	}
}

/* The table follows all the same. */
static void large_lists_are_read_to_their_end(void **state)
{
	char block[128];
	size_t len = unhex("4003616161036161614003626262036262624003636363036363638286be", block);

	(void)state;
	begin(ROOM, FIELDS, 100);
	assert_int_equal(read_bytes(block, len), HPACK_LARGE);
	assert_int_equal(list.count, 0);
	assert_int_equal(table.count, 3);
	begin(ROOM, 2, ROOM);
	assert_int_equal(read_bytes(block, len), HPACK_LARGE);
	assert_int_equal(table.count, 6);
	begin(8, FIELDS, ROOM);
	assert_int_equal(read_bytes(block, len), HPACK_LARGE);
	assert_int_equal(table.count, 9);
	check("c6c0be", "aaa: aaa|aaa: aaa|ccc: ccc|342");
	begin(5, FIELDS, ROOM);
	assert_int_equal(read_bytes(block, len), HPACK_BAD);
}

static void limits_come_and_go(void **state)
{
	(void)state;
	check("400161016140016201624001630163", "a: a|b: b|c: c|102");
	check("3f25", "68"); /* 68: the oldest goes */
	check("be", "c: c|68");
	check("20", "0");
	assert_null(table.bytes);
	assert_int_equal(read_hex("be"), HPACK_BAD);
	check("4001610161", "a: a|0"); /* larger than the table */
	check("203fe11f", "0");       /* as it was */
	check("4001610161be", "a: a|a: a|34");
	check("203f1182", ":method: GET|0");
	assert_int_equal(read_hex("203f112082"), HPACK_BAD); /* two changes suffice */
}

/* An empty name and an empty value are entries, too. */
static void empty_fields(void **state)
{
	unsigned i;

	(void)state;
	for (i = 0; i < 1000; i++)
		assert_int_equal(read_hex("400000"), HPACK_OK);
	assert_int_equal(table.count, 128);
	check("ff3e", ": |4096");
	assert_int_equal(read_hex("ff3f"), HPACK_BAD);
}

/* Entries of all sizes go round and round; each is what went in. */
static void the_table_turns(void **state)
{
	static char value[8192];
	struct field f = { .name = span_of("x"), .value = { value, 0 } }, got;
	unsigned i, age;
	size_t lens[2000];

	(void)state;
	for (i = 0; i < 2000; i++) {
		lens[i] = i * 7919 % 1500;
		memset(value, 'a' + (int)(i % 26), lens[i]);
		f.value.len = lens[i];
		assert_true(field_table_add(&table, &f));
		assert_true(table.size <= table.limit);
		assert_true(table.room <= table.limit);
		for (age = 0; age < table.count; age++) {
			assert_true(hpack_table_get(&table, HPACK_STATICS + 1 + age, &got));
			assert_int_equal(got.value.len, lens[i - age]);
			if (got.value.len)
				assert_int_equal(got.value.ptr[got.value.len - 1],
						 'a' + (int)((i - age) % 26));
		}
	}
}

static void what_is_written_reads_the_same(void **state)
{
	static char block[1024];
	struct hpack_writer w = { block, block + sizeof(block), false };
	size_t len, room;

	(void)state;
	hpack_write_status(&w, 200);
	hpack_write_status(&w, 418);
	hpack_write_pseudo(&w, PSEUDO_METHOD, span_of("POST"));
	hpack_write_pseudo(&w, PSEUDO_METHOD, span_of("PATCH"));
	hpack_write_pseudo(&w, PSEUDO_PATH, span_of("/"));
	hpack_write_pseudo(&w, PSEUDO_PROTOCOL, span_of("websocket"));
	hpack_write_field(&w, FIELD_CONTENT_LENGTH, span_of("Content-Length"), span_of("17"));
	hpack_write_field(&w, FIELD_OTHER, span_of("X-Some"), span_of(""));
	assert_false(w.full);
	len = (size_t)(w.at - block);
	begin(ROOM, FIELDS, ROOM);
	assert_int_equal(read_bytes(block, len), HPACK_OK);
	assert_string_equal(text(), ":status: 200|:status: 418|:method: POST|:method: PATCH|:path: /|"
				    ":protocol: websocket|content-length: 17|x-some: |0");
	for (room = 0; room < 34; room++) {
		w = (struct hpack_writer){ block, block + room, false };
		hpack_write_field(&w, FIELD_OTHER, span_of("X-Some"), span_of("0123456789abcdef0123"));
		hpack_write_status(&w, 418);
		assert_true(w.at <= block + room);
		assert_true(w.full);
	}
}

static int setup(void **state)
{
	(void)state;
	field_table_init(&table, HPACK_DEFAULT);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	field_table_free(&table);
	return 0;
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(literal_fields),
		TEST(requests),
		TEST(requests_in_huffman_code),
		TEST(responses_with_eviction),
		TEST(bad_blocks_are_refused),
		TEST(blocks_that_are_cut),
		TEST(large_lists_are_read_to_their_end),
		TEST(limits_come_and_go),
		TEST(empty_fields),
		TEST(the_table_turns),
		TEST(what_is_written_reads_the_same),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
