/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The chunked coding, whole, one byte at a time, and split in two at every position: scanned,
 * decoded, and scanned with the payload skipped unseen.
 */
#include "http/h1.h"

#include "base/bug.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

struct outcome {
	enum h1_result result;
	size_t consumed; /* or where it is wrong */
	size_t payload_len;
	char payload[64];
	unsigned status;
};

/* One more piece; the bytes end where the memory does. */
static void feed(struct h1_chunks *c, struct outcome *out, const char *bytes, size_t len)
{
	struct message_error error = { 0 };
	size_t consumed = 0, payload = 0;
	char *copy = malloc(len ? len : 1);

	BUG_ON(!copy);
	memcpy(copy, bytes, len);
	out->result = h1_chunks_decode(c, copy, len, &consumed, &payload, &error);
	assert_true(out->payload_len + payload <= sizeof(out->payload));
	if (out->result == H1_BAD) {
		out->consumed += error.position;
		out->status = error.status;
		assert_non_null(error.text);
	} else {
		assert_true(out->result == H1_DONE || consumed == len);
		out->consumed += consumed;
		memcpy(out->payload + out->payload_len, copy, payload);
		out->payload_len += payload;
	}
	free(copy);
}

static void assert_same(const struct outcome *a, const struct outcome *b)
{
	assert_int_equal(a->result, b->result);
	assert_int_equal(a->consumed, b->consumed);
	assert_int_equal(a->status, b->status);
	if (a->result == H1_BAD)
		return;
	assert_int_equal(a->payload_len, b->payload_len);
	assert_memory_equal(a->payload, b->payload, a->payload_len);
}

/* Scans, and jumps over payload without showing it. */
static void check_skipping(const char *bytes, size_t len, bool response,
			   const struct outcome *whole)
{
	struct h1_chunks c = { .response = response };
	struct message_error error = { 0 };
	enum h1_result r = H1_INCOMPLETE;
	size_t at = 0, consumed;

	while (at < len && r == H1_INCOMPLETE) {
		if (c.left && c.left <= len - at) {
			at += c.left;
			h1_chunks_skip(&c, c.left);
			continue;
		}
		consumed = 0;
		r = h1_chunks_scan(&c, bytes + at, 1, &consumed, &error);
		at += r == H1_BAD ? error.position : consumed;
	}
	assert_int_equal(r, whole->result);
	assert_int_equal(at, whole->consumed);
}

/* The trailer section is kept when it fits. */
static void test_trailers_kept(void **state)
{
	static const char body[] = "3\r\nabc\r\n0\r\nA: b\r\nC: d\r\n\r\n";
	static const char trailers[] = "A: b\r\nC: d\r\n\r\n";
	char copy[sizeof(body)], kept[sizeof(trailers)];
	size_t consumed, payload, room;
	struct message_error error;

	(void)state;
	for (room = 0; room < sizeof(kept); room++) {
		struct h1_chunks c = { .kept = kept, .kept_room = (uint16_t)room };

		memcpy(copy, body, sizeof(body));
		assert_int_equal(h1_chunks_decode(&c, copy, sizeof(body) - 1, &consumed, &payload, &error),
				 H1_DONE);
		assert_int_equal(payload, 3);
		assert_int_equal(c.kept_len, room < sizeof(trailers) - 1 ? 0 : sizeof(trailers) - 1);
		assert_memory_equal(kept, trailers, c.kept_len);
	}
}

/* What a response's trailers must not say is not kept, wherever the pieces end; it stops in front
 * of them where it is asked to. */
static void test_trailers_dropped(void **state)
{
	static const char body[] = "1\r\nx\r\n0\r\nContent-Length: 0\r\nA: b\r\nTE: x\r\n"
				   "Keep-Alive: 1\r\nC: d\r\nconnection:\r\n\r\n";
	static const char trailers[] = "A: b\r\nC: d\r\n\r\n";
	const size_t len = sizeof(body) - 1, before = 9;
	struct message_error error;
	size_t split, consumed;
	char kept[64];

	(void)state;
	for (split = 0; split <= len; split++) {
		struct h1_chunks c = { .response = true, .halts = true };
		size_t first = split < before ? split : before;

		assert_int_equal(h1_chunks_scan(&c, body, split, &consumed, &error), H1_INCOMPLETE);
		assert_int_equal(consumed, first);
		assert_int_equal(h1_chunks_scan(&c, body + first, before - first + 1, &consumed, &error),
				 H1_INCOMPLETE);
		assert_int_equal(consumed, before - first);
		c.halts = false;
		c.kept = kept;
		c.kept_room = sizeof(kept);
		first = split < before ? 0 : split - before;
		assert_int_equal(h1_chunks_scan(&c, body + before, first, &consumed, &error),
				 split == len ? H1_DONE : H1_INCOMPLETE);
		if (split < len)
			assert_int_equal(h1_chunks_scan(&c, body + before + first, len - before - first,
							&consumed, &error), H1_DONE);
		assert_int_equal(c.kept_len, sizeof(trailers) - 1);
		assert_memory_equal(kept, trailers, c.kept_len);
	}
}

static struct outcome decode(const char *bytes, size_t len, bool response)
{
	struct outcome whole = { 0 }, parts;
	struct h1_chunks c = { .response = response };
	size_t i;

	feed(&c, &whole, bytes, len);
	for (i = 0; i <= len; i++) {
		parts = (struct outcome){ 0 };
		c = (struct h1_chunks){ .response = response };
		feed(&c, &parts, bytes, i);
		if (parts.result == H1_INCOMPLETE)
			feed(&c, &parts, bytes + i, len - i);
		assert_same(&whole, &parts);
	}
	parts = (struct outcome){ 0 };
	c = (struct h1_chunks){ .response = response };
	for (i = 0; i < len && parts.result != H1_BAD; i++) {
		feed(&c, &parts, bytes + i, 1);
		if (parts.result == H1_DONE)
			break;
	}
	assert_same(&whole, &parts);
	check_skipping(bytes, len, response, &whole);
	return whole;
}

static void test_good(void **state)
{
	static const struct {
		const char *bytes, *payload;
		bool response;
	} cases[] = {
		{ "0\r\n\r\n", "", false },
		{ "1\r\nx\r\n0\r\n\r\n", "x", false },
		{ "3\r\nabc\r\nA\r\n0123456789\r\n000\r\n\r\n", "abc0123456789", false },
		{ "0000000000000001\r\nx\r\n0\r\n\r\n", "x", false },
		{ "2\r\n\r\n\r\n1\r\n\n\r\n0\r\n\r\n", "\r\n\n", false },
		{ "1;a\r\nx\r\n0;b\r\n\r\n", "x", false },
		{ "1 ; a = b ; c\r\nx\r\n0\r\n\r\n", "x", false },
		{ "1;a=\"b;\\\"\tc\"\r\nx\r\n0\r\n\r\n", "x", false },
		{ "0\r\nA: b\r\nC:\r\n\r\n", "", false },
		{ "0\r\nContent-Lengths: 1\r\nHos: a\r\n\r\n", "", false },
		{ "1 \t\r\nx\r\n0  \r\n\r\n", "x", true },
		{ "0\r\nhost: b\r\nA: b\r\n\r\n", "", true },
	};
	struct outcome out;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		out = decode(cases[i].bytes, strlen(cases[i].bytes), cases[i].response);
		assert_int_equal(out.result, H1_DONE);
		assert_int_equal(out.consumed, strlen(cases[i].bytes));
		assert_int_equal(out.payload_len, strlen(cases[i].payload));
		assert_memory_equal(out.payload, cases[i].payload, out.payload_len);
	}
}

static void test_bad(void **state)
{
	static const struct {
		const char *bytes;
		unsigned at;
		bool response;
	} cases[] = {
		{ "1\nx\r\n0\r\n\r\n", 1, false },
		{ "1\r\nx\n0\r\n\r\n", 4, false },
		{ "1\r\nx\r0\r\n\r\n", 5, false },
		{ "1\r\nxy0\r\n\r\n", 4, false },
		{ "0\n\n", 1, false },
		{ "0\r\n\n", 3, false },
		{ "0\r\n\r\r\n", 4, false },
		{ "0\r\r\n\r\n", 2, false },
		{ " 1\r\nx\r\n", 0, false },
		{ "1 \r\nx\r\n", 2, false },
		{ "1\v\r\nx\r\n", 1, false },
		{ "1 2\r\nx\r\n", 2, true },
		{ "+1\r\nx\r\n", 0, false },
		{ "-1\r\nx\r\n", 0, false },
		{ "0x1\r\nx\r\n", 1, false },
		{ "\r\nx\r\n", 0, false },
		{ ";a\r\nx\r\n", 0, false },
		{ "g\r\n", 0, false },
		{ "00000000000000001\r\n", 16, false },
		{ "10000000000000001\r\n", 16, false },
		{ "8000000000000000\r\n", 15, false },
		{ "ffffffffffffffff\r\n", 15, false },
		{ "1;\r\nx\r\n", 2, false },
		{ "1;;a\r\nx\r\n", 2, false },
		{ "1;=a\r\nx\r\n", 2, false },
		{ "1;a=\r\nx\r\n", 4, false },
		{ "1;a b\r\nx\r\n", 4, false },
		{ "1;a=b c\r\nx\r\n", 6, false },
		{ "1;a=\"b\"c\r\nx\r\n", 7, false },
		{ "1;a=\"b\r\nx\r\n", 6, false },
		{ "1;a=\"\\\r\nx\r\n", 6, false },
		{ "1;a\001\r\nx\r\n", 3, false },
		{ "1;a\nb\r\nx\r\n", 3, false },
		{ "1;a\rb\r\nx\r\n", 4, false },
		{ "1;(\r\nx\r\n", 2, false },
		{ "0\r\nA : b\r\n\r\n", 4, false },
		{ "0\r\n: b\r\n\r\n", 3, false },
		{ "0\r\nA\r\n\r\n", 4, false },
		{ "0\r\nA: b\n\r\n", 7, false },
		{ "0\r\nA: b\r\n c\r\n\r\n", 9, false },
		{ "0\r\nA: \001\r\n\r\n", 6, false },
		{ "0\r\ncontent-LENGTH: 1\r\n\r\n", 17, false },
		{ "0\r\nA: b\r\nTransfer-Encoding: chunked\r\n\r\n", 26, false },
	};
	struct outcome out;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		out = decode(cases[i].bytes, strlen(cases[i].bytes), cases[i].response);
		if (out.result != H1_BAD || out.consumed != cases[i].at)
			fail_msg("%s: %d at %zu", cases[i].bytes, out.result, out.consumed);
		assert_int_equal(out.status, cases[i].response ? 502 : 400);
	}
}

/* What follows the end is not touched. */
static void test_pipelined(void **state)
{
	static const char bytes[] = "1\r\nx\r\n0\r\nA: b\r\n\r\nGET / HTTP/1.1\r\n\r\n";
	struct h1_chunks c = { 0 };
	struct message_error error;
	size_t consumed;

	(void)state;
	assert_int_equal(h1_chunks_scan(&c, bytes, sizeof(bytes) - 1, &consumed, &error), H1_DONE);
	assert_memory_equal(bytes + consumed, "GET", 3);
	assert_int_equal(h1_chunks_scan(&c, bytes, 5, &consumed, &error), H1_DONE);
	assert_int_equal(consumed, 0);
}

/* left is what comes next, and nothing while a size is under way. */
static void test_left(void **state)
{
	struct h1_chunks c = { 0 };
	struct message_error error;
	size_t consumed;

	(void)state;
	assert_int_equal(h1_chunks_scan(&c, "10", 2, &consumed, &error), H1_INCOMPLETE);
	assert_int_equal(c.left, 0);
	assert_int_equal(h1_chunks_scan(&c, "0\r\nab", 5, &consumed, &error), H1_INCOMPLETE);
	assert_int_equal(consumed, 5);
	assert_int_equal(c.left, 254);
	h1_chunks_skip(&c, 254);
	assert_int_equal(h1_chunks_scan(&c, "\r\n0\r\n\r\n", 7, &consumed, &error), H1_DONE);
}

/* An endless line and an endless trailer section end nevertheless. */
static void test_bounds(void **state)
{
	struct h1_chunks c = { 0 };
	struct message_error error;
	enum h1_result r;
	size_t consumed;
	unsigned n;

	(void)state;
	r = h1_chunks_scan(&c, "1;a", 3, &consumed, &error);
	for (n = 0; n < 100000 && r == H1_INCOMPLETE; n++)
		r = h1_chunks_scan(&c, "a", 1, &consumed, &error);
	assert_int_equal(r, H1_BAD);
	assert_in_range(n, 1000, 10000);
	c = (struct h1_chunks){ 0 };
	r = h1_chunks_scan(&c, "0\r\n", 3, &consumed, &error);
	for (n = 0; n < 100000 && r == H1_INCOMPLETE; n++)
		r = h1_chunks_scan(&c, "A: b\r\n", 6, &consumed, &error);
	assert_int_equal(r, H1_BAD);
	assert_in_range(n, 1000, 10000);
}

static void test_trailers_counted(void **state)
{
	struct h1_chunks c = { .max = 2 };
	struct message_error error;
	size_t consumed;

	(void)state;
	assert_int_equal(h1_chunks_scan(&c, "0\r\nA: b\r\nC:", 11, &consumed, &error), H1_INCOMPLETE);
	assert_int_equal(h1_chunks_scan(&c, "d\r\n\r\n", 5, &consumed, &error), H1_DONE);
	assert_int_equal(c.fields, 2);
	c = (struct h1_chunks){ .max = 2 };
	assert_int_equal(h1_chunks_scan(&c, "0\r\nA:\r\nC:\r\n", 11, &consumed, &error), H1_INCOMPLETE);
	assert_int_equal(h1_chunks_scan(&c, "E:\r\n\r\n", 6, &consumed, &error), H1_BAD);
	assert_int_equal(error.position, 0);
	assert_int_equal(error.status, 400);
	assert_string_equal(error.text, "too many trailer fields (tune.http.maxhdr)");
}

static void test_chunk_line(void **state)
{
	static const struct {
		uint64_t n;
		const char *line;
	} cases[] = {
		{ 0, "0\r\n" },	       { 1, "1\r\n" },
		{ 16, "10\r\n" },      { 0xabcdef, "abcdef\r\n" },
		{ 1u << 28, "10000000\r\n" }, { UINT64_MAX, "ffffffffffffffff\r\n" },
	};
	char line[20];
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_int_equal(h1_chunk_line(line, cases[i].n), strlen(cases[i].line));
		assert_memory_equal(line, cases[i].line, strlen(cases[i].line));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_trailers_kept),
		cmocka_unit_test(test_trailers_dropped),
		cmocka_unit_test(test_trailers_counted),
		cmocka_unit_test(test_good),	  cmocka_unit_test(test_bad),
		cmocka_unit_test(test_pipelined), cmocka_unit_test(test_left),
		cmocka_unit_test(test_bounds),	  cmocka_unit_test(test_chunk_line),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
