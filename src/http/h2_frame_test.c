/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Frames of HTTP/2: each type as it is written and read, whole, byte by byte and split at each
 * position; each thing that can be wrong with a frame, with its code and reach; settings and their
 * values; priorities.
 */
#include "http/h2_frame.h"

#include "base/bug.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

enum { ROOM = 4096 };

static char said[ROOM];
static struct text t;

static size_t unhex(const char *hex, char *to)
{
	size_t len = 0;

	for (; *hex; hex++) {
		if (*hex == ' ')
			continue;
		to[len++] = (char)(str_hex_digit(hex[0]) << 4 | str_hex_digit(hex[1]));
		hex++;
	}
	return len;
}

/* What is the same in however many pieces: bodies are put together. */
static uint32_t flow;
static bool in_body;

static void say(enum h2_result result, const struct h2_read *out)
{
	size_t i;

	if (result == H2_BAD) {
		text_printf(&t, "%s %s; ", h2_code_name(out->fault.code),
			    out->fault.connection ? "connection" : "stream");
		return;
	}
	if (!in_body)
		text_printf(&t, "%u.%u/%u[", out->frame.type, out->frame.flags, out->frame.stream);
	for (i = 0; i < out->payload.len; i++)
		text_printf(&t, "%02x", (uint8_t)out->payload.ptr[i]);
	flow += result == H2_PIECE ? out->flow : 0;
	in_body = result == H2_PIECE && !out->last;
	if (in_body)
		return;
	text_printf(&t, "]");
	if (out->dependency && result == H2_WHOLE)
		text_printf(&t, "on %u", out->dependency);
	if (result == H2_PIECE)
		text_printf(&t, "flow %u", flow);
	text_printf(&t, "; ");
	flow = 0;
}

/* Feeds all that there is, which ends where its memory does; what is left stays. False: it is
 * over. */
static bool feed(struct h2_reader *r, const char *bytes, size_t len, size_t *taken)
{
	char *copy = malloc(len ? len : 1);
	struct span rest = { copy, len };
	struct h2_read out = { 0 };
	enum h2_result result;

	assert_non_null(copy);
	memcpy(copy, bytes, len);
	while ((result = h2_read(r, &rest, &out)) != H2_MORE) {
		say(result, &out);
		if (result == H2_BAD && out.fault.connection)
			break;
	}
	*taken += len - rest.len;
	free(copy);
	return result == H2_MORE;
}

/* The bytes come in pieces that end at each of the places. */
static const char *read_in(const char *bytes, size_t len, size_t first, size_t step)
{
	struct h2_reader r = { .max = H2_FRAME_LEAST };
	size_t to = first, taken = 0;

	text_init(&t, said, sizeof(said));
	flow = 0;
	in_body = false;
	while (feed(&r, bytes + taken, to - taken, &taken) && to < len)
		to = to + step < len ? to + step : len;
	if (taken < len || r.begun)
		text_printf(&t, "more");
	return said;
}

static void check(const char *hex, const char *expected)
{
	char bytes[ROOM];
	size_t len = unhex(hex, bytes), cut;

	for (cut = 0; cut <= len; cut++)
		assert_string_equal(read_in(bytes, len, cut, len), expected);
	assert_string_equal(read_in(bytes, len, 0, 1), expected);
}

/* ---- what is good ---- */

static void frames_are_read(void **state)
{
	(void)state;
	check("000003 00 01 00000005 616263", "0.1/5[616263]flow 3; ");
	check("000000 00 01 00000005", "0.1/5[]flow 0; ");
	check("000006 00 08 00000001 02 616263 0000", "0.8/1[616263]flow 6; ");
	check("000001 00 09 00000001 00", "0.9/1[]flow 1; ");
	check("000003 00 08 00000001 02 0000", "0.8/1[]flow 3; ");
	check("000002 01 05 00000003 8286", "1.5/3[8286]; ");
	check("000005 01 0c 00000003 02 8286 0000", "1.12/3[8286]; ");
	check("000007 01 24 00000003 80000001 0f 8286", "1.36/3[8286]on 1; ");
	check("000009 01 2c 00000003 01 00000007 0f 8286 00", "1.44/3[8286]on 7; ");
	check("000005 02 00 00000003 00000001 0f", "2.0/3[]on 1; ");
	check("000004 03 00 00000003 00000008", "3.0/3[00000008]; ");
	check("000006 04 00 00000000 000300000064", "4.0/0[000300000064]; ");
	check("000000 04 01 00000000", "4.1/0[]; ");
	check("000008 06 01 00000000 0102030405060708", "6.1/0[0102030405060708]; ");
	check("00000a 07 00 00000000 00000003 00000002 6162", "7.0/0[00000003000000026162]; ");
	check("000004 08 00 00000000 00000001", "8.0/0[00000001]; ");
	check("000004 08 00 00000009 80000001", "8.0/9[80000001]; ");
	check("000001 09 04 00000003 82", "9.4/3[82]; ");
	check("000007 10 00 00000000 00000003 753d31", "16.0/0[00000003753d31]; ");
}

/* 4.1, 5.5: reserved bits, flags and types that are not known are ignored. */
static void unknown_things_are_ignored(void **state)
{
	(void)state;
	check("000001 00 f0 80000001 61", "0.0/1[61]flow 1; ");
	check("000000 04 fe 00000000", "4.0/0[]; ");
	check("000002 fa ff 00000007 6162", "250.255/7[6162]; ");
}

static void frames_follow_each_other(void **state)
{
	(void)state;
	check("000002 01 04 00000001 8286 000002 00 00 00000001 6162 000001 00 09 00000001 00"
	      "000004 08 00 00000000 0000ffff 000000 04 01 00000000",
	      "1.4/1[8286]; 0.0/1[6162]flow 2; 0.9/1[]flow 1; 8.0/0[0000ffff]; 4.1/0[]; ");
	check("000004 08 00 00000001 00000000 000000 04 01 00000000",
	      "PROTOCOL_ERROR stream; 4.1/0[]; ");
	check("000002 01 04 00000001 82", "more");
}

/* ---- what is wrong ---- */

static void faults_have_code_and_reach(void **state)
{
	static const struct {
		const char *hex, *expected;
	} rows[] = {
		{ "004001 00 00 00000001", "FRAME_SIZE_ERROR connection; more" },
		{ "ffffff fa 00 00000001", "FRAME_SIZE_ERROR connection; more" },
		{ "000001 00 00 00000000 61", "PROTOCOL_ERROR connection; more" },
		{ "000001 01 04 00000000 82", "PROTOCOL_ERROR connection; more" },
		{ "000005 02 00 00000000 00000001 0f", "PROTOCOL_ERROR connection; more" },
		{ "000004 03 00 00000000 00000008", "PROTOCOL_ERROR connection; more" },
		{ "000000 04 00 00000001", "PROTOCOL_ERROR connection; more" },
		{ "000004 05 04 00000000 00000002", "PROTOCOL_ERROR connection; more" },
		{ "000008 06 00 00000001 0102030405060708", "PROTOCOL_ERROR connection; more" },
		{ "000008 07 00 00000001 0000000000000000", "PROTOCOL_ERROR connection; more" },
		{ "000001 09 04 00000000 82", "PROTOCOL_ERROR connection; more" },
		{ "000004 10 00 00000001 00000003", "PROTOCOL_ERROR connection; more" },
		{ "000004 02 00 00000003 00000001", "FRAME_SIZE_ERROR stream; " },
		{ "000006 02 00 00000003 000000010f00", "FRAME_SIZE_ERROR stream; " },
		{ "000003 03 00 00000003 000000", "FRAME_SIZE_ERROR connection; more" },
		{ "000005 03 00 00000003 0000000800", "FRAME_SIZE_ERROR connection; more" },
		{ "000005 04 00 00000000 0003000000", "FRAME_SIZE_ERROR connection; more" },
		{ "000006 04 01 00000000 000300000064", "FRAME_SIZE_ERROR connection; more" },
		{ "000003 05 04 00000001 000000", "FRAME_SIZE_ERROR connection; more" },
		{ "000007 06 00 00000000 01020304050607", "FRAME_SIZE_ERROR connection; more" },
		{ "000009 06 00 00000000 010203040506070809", "FRAME_SIZE_ERROR connection; more" },
		{ "000007 07 00 00000000 00000003000000", "FRAME_SIZE_ERROR connection; more" },
		{ "000003 08 00 00000000 000001", "FRAME_SIZE_ERROR connection; more" },
		{ "000005 08 00 00000000 0000000100", "FRAME_SIZE_ERROR connection; more" },
		{ "000003 10 00 00000000 000003", "FRAME_SIZE_ERROR connection; more" },
		{ "000000 00 08 00000001", "FRAME_SIZE_ERROR connection; more" },
		{ "000004 01 20 00000001 00000003", "FRAME_SIZE_ERROR connection; more" },
		{ "000005 01 28 00000001 0000000003", "FRAME_SIZE_ERROR connection; more" },
		{ "000004 08 00 00000000 80000000", "PROTOCOL_ERROR connection; " },
		{ "000004 08 00 00000001 00000000", "PROTOCOL_ERROR stream; " },
		{ "000004 10 00 00000000 80000000", "PROTOCOL_ERROR connection; " },
		/* 6.1, 6.2: padding as long as the payload */
		{ "000003 00 08 00000001 03 0000", "PROTOCOL_ERROR connection; more" },
		{ "000003 01 08 00000001 03 0000", "PROTOCOL_ERROR connection; " },
		{ "000007 01 28 00000001 02 00000003 0f 00", "PROTOCOL_ERROR connection; " },
		{ "000006 05 0c 00000001 06 00000002 00", "PROTOCOL_ERROR connection; " },
	};
	char bytes[ROOM];
	size_t i, len, cut;

	(void)state;
	for (i = 0; i < ARRAY_LEN(rows); i++) {
		len = unhex(rows[i].hex, bytes);
		if (strcmp(read_in(bytes, len, len, len), rows[i].expected))
			fail_msg("%s: %s, not %s", rows[i].hex, said, rows[i].expected);
		for (cut = 0; cut < len; cut++)
			assert_memory_equal(read_in(bytes, len, cut, len), rows[i].expected,
					    strcspn(rows[i].expected, ";"));
		assert_memory_equal(read_in(bytes, len, 0, 1), rows[i].expected,
				    strcspn(rows[i].expected, ";"));
	}
}

/* A length is refused when its header has come, before anybody waits for the rest. */
static void a_long_frame_is_not_waited_for(void **state)
{
	struct h2_reader r = { .max = 20000 };
	char bytes[H2_FRAME_HEADER];
	struct h2_read out;
	struct span s;

	(void)state;
	h2_write_header(bytes, H2_HEADERS, 0, 1, 20000);
	s = (struct span){ bytes, sizeof(bytes) };
	assert_int_equal(h2_read(&r, &s, &out), H2_MORE);
	h2_write_header(bytes, H2_HEADERS, 0, 1, 20001);
	s = (struct span){ bytes, sizeof(bytes) };
	assert_int_equal(h2_read(&r, &s, &out), H2_BAD);
	assert_int_equal(out.fault.code, H2_FRAME_SIZE_ERROR);
}

/* ---- settings ---- */

static void settings_are_listed(void **state)
{
	char bytes[ROOM];
	struct span payload;
	size_t at = 0;
	uint16_t id;
	uint32_t value;

	(void)state;
	payload.ptr = bytes;
	payload.len = (size_t)(h2_write_setting(
		h2_write_setting(bytes, H2_MAX_CONCURRENT_STREAMS, 100), H2_INITIAL_WINDOW_SIZE,
		0x7fffffff) - bytes);
	assert_true(h2_setting_next(payload, &at, &id, &value));
	assert_int_equal(id, H2_MAX_CONCURRENT_STREAMS);
	assert_int_equal(value, 100);
	assert_true(h2_setting_next(payload, &at, &id, &value));
	assert_int_equal(id, H2_INITIAL_WINDOW_SIZE);
	assert_int_equal(value, 0x7fffffff);
	assert_false(h2_setting_next(payload, &at, &id, &value));
}

static void values_of_settings_are_checked(void **state)
{
	static const struct {
		unsigned id;
		uint32_t value;
		bool server;
		enum h2_code code;
	} rows[] = {
		{ H2_HEADER_TABLE_SIZE, UINT32_MAX, false, H2_NO_ERROR },
		{ H2_ENABLE_PUSH, 0, true, H2_NO_ERROR },
		{ H2_ENABLE_PUSH, 1, false, H2_NO_ERROR },
		{ H2_ENABLE_PUSH, 1, true, H2_PROTOCOL_ERROR },
		{ H2_ENABLE_PUSH, 2, false, H2_PROTOCOL_ERROR },
		{ H2_MAX_CONCURRENT_STREAMS, 0, false, H2_NO_ERROR },
		{ H2_INITIAL_WINDOW_SIZE, 0x7fffffff, false, H2_NO_ERROR },
		{ H2_INITIAL_WINDOW_SIZE, 0x80000000, false, H2_FLOW_CONTROL_ERROR },
		{ H2_MAX_FRAME_SIZE, 16383, false, H2_PROTOCOL_ERROR },
		{ H2_MAX_FRAME_SIZE, 16384, false, H2_NO_ERROR },
		{ H2_MAX_FRAME_SIZE, 0xffffff, false, H2_NO_ERROR },
		{ H2_MAX_FRAME_SIZE, 0x1000000, false, H2_PROTOCOL_ERROR },
		{ H2_MAX_HEADER_LIST_SIZE, 0, false, H2_NO_ERROR },
		{ H2_ENABLE_CONNECT_PROTOCOL, 1, true, H2_NO_ERROR },
		{ H2_ENABLE_CONNECT_PROTOCOL, 2, true, H2_PROTOCOL_ERROR },
		{ H2_NO_RFC7540_PRIORITIES, 2, false, H2_PROTOCOL_ERROR },
		{ 7, 12345, false, H2_NO_ERROR },
	};
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_LEN(rows); i++) {
		struct h2_fault fault = { 0 };
		bool good = h2_setting_check(rows[i].id, rows[i].value, rows[i].server, &fault);

		assert_int_equal(good, rows[i].code == H2_NO_ERROR);
		assert_int_equal(fault.code, rows[i].code);
	}
}

/* ---- writing ---- */

static void written_frames_are_read(void **state)
{
	char bytes[ROOM], *p = bytes;

	(void)state;
	p = h2_write_rst(p, 7, H2_CANCEL);
	p = h2_write_ping(p, H2_ACK, "12345678");
	p = h2_write_goaway(p, 0x7fffffff, H2_ENHANCE_YOUR_CALM);
	p = h2_write_window(p, 5, 65535);
	p = h2_write_priority_update(p, 9, span_of("u=1"));
	p = h2_write_header(p, H2_DATA, H2_END_STREAM, 11, 0);
	assert_string_equal(read_in(bytes, (size_t)(p - bytes), 0, 1),
			    "3.0/7[00000008]; 6.1/0[3132333435363738]; 7.0/0[7fffffff0000000b]; "
			    "8.0/5[0000ffff]; 16.0/0[00000009753d31]; 0.1/11[]flow 0; ");
	assert_string_equal(h2_code_name(H2_HTTP_1_1_REQUIRED), "HTTP_1_1_REQUIRED");
	assert_string_equal(h2_code_name(99), "unknown");
	assert_int_equal(strlen(h2_preface), H2_PREFACE_LEN);
}

/* ---- priorities ---- */

static void priorities_are_read(void **state)
{
	static const struct {
		const char *text;
		int urgency; /* -1: it says nothing at all */
		bool incremental;
	} rows[] = {
		{ "", 3, false },
		{ "u=0", 0, false },
		{ "u=7, i", 7, true },
		{ "i", 3, true },
		{ "i=?1", 3, true },
		{ "i=?0,u=5", 5, false },
		{ "u=2,u=6", 6, false },
		{ "u=8", 3, false },
		{ "u=-1", 3, false },
		{ "u=1.5", 3, false },
		{ "u=\"1\"", 3, false },
		{ "i=1, u=1", 1, false },
		{ "u=(1 2);a, i", 3, true },
		{ "a=\"x\\\"y\", b=:YWI=:;c=1.25, *k=tok/en:, u=4;v=?0", 4, false },
		{ "  u=1  ,\t i  ", 1, true },
		{ "u=000000000000005", 5, false },
		{ "u=0000000000000005", -1, false },
		{ "u=1,", -1, false },
		{ "u=1;", -1, false },
		{ "u=1 i", -1, false },
		{ "U=1", -1, false },
		{ "u=", -1, false },
		{ "u=1.", -1, false },
		{ "u=-", -1, false },
		{ "u=?2", -1, false },
		{ "u=\"x", -1, false },
		{ "u=\"\\x\"", -1, false },
		{ "u=:x", -1, false },
		{ "u=(1", -1, false },
		{ "u=(1;)", -1, false },
		{ "u=(1\"a\")", -1, false },
		{ ",u=1", -1, false },
		{ "u=1.2345", -1, false },
	};
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_LEN(rows); i++) {
		struct h2_priority p = { H2_URGENCY_USUAL, false };
		size_t len = strlen(rows[i].text);
		char *copy = malloc(len + 1);
		bool read;

		assert_non_null(copy);
		memcpy(copy, rows[i].text, len + 1);
		copy = realloc(copy, len ? len : 1);
		read = h2_priority_read((struct span){ copy, len }, &p);
		free(copy);
		if (read != (rows[i].urgency >= 0))
			fail_msg("%s", rows[i].text);
		assert_int_equal(p.urgency, read ? rows[i].urgency : H2_URGENCY_USUAL);
		assert_int_equal(p.incremental, read && rows[i].incremental);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(frames_are_read),
		cmocka_unit_test(unknown_things_are_ignored),
		cmocka_unit_test(frames_follow_each_other),
		cmocka_unit_test(faults_have_code_and_reach),
		cmocka_unit_test(a_long_frame_is_not_waited_for),
		cmocka_unit_test(settings_are_listed),
		cmocka_unit_test(values_of_settings_are_checked),
		cmocka_unit_test(written_frames_are_read),
		cmocka_unit_test(priorities_are_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
