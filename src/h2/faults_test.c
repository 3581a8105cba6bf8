/* SPDX-License-Identifier: BSD-2-Clause */
/* What a client of HTTP/2 must not do: faults with their codes, states of streams, floods. */
#include "h2/test_client.h"

#include "base/bug.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>

#include <cmocka.h>

static void faults(void **state)
{
	static const struct {
		enum h2_type type;
		unsigned flags;
		uint32_t stream;
		const char *bytes;
		size_t len;
		const char *expected;
	} rows[] = {
		{ H2_DATA, 0, 1, "a", 1, "GOAWAY 0 PROTOCOL_ERROR; " },
		{ H2_HEADERS, H2_END_HEADERS, 2, "\x82", 1, "GOAWAY 0 PROTOCOL_ERROR; " },
		{ H2_CONTINUATION, H2_END_HEADERS, 1, "\x82", 1, "GOAWAY 0 PROTOCOL_ERROR; " },
		{ H2_RST_STREAM, 0, 1, "\0\0\0\x8", 4, "GOAWAY 0 PROTOCOL_ERROR; " },
		{ H2_WINDOW_UPDATE, 0, 1, "\0\0\1\0", 4, "GOAWAY 0 PROTOCOL_ERROR; " },
		{ H2_WINDOW_UPDATE, 0, 0, "\x7f\xff\xff\xff", 4, "GOAWAY 0 FLOW_CONTROL_ERROR; " },
		{ H2_PUSH_PROMISE, H2_END_HEADERS, 1, "\0\0\0\2", 4, "GOAWAY 0 PROTOCOL_ERROR; " },
		{ H2_SETTINGS, 0, 0, "\0\2\0\0\0\2", 6, "GOAWAY 0 PROTOCOL_ERROR; " },
		{ H2_SETTINGS, 0, 0, "\0\4\xff\xff\xff\xff", 6, "GOAWAY 0 FLOW_CONTROL_ERROR; " },
		{ H2_PING, 0, 0, "1234567", 7, "GOAWAY 0 FRAME_SIZE_ERROR; " },
		{ H2_HEADERS, H2_END_HEADERS | H2_END_STREAM, 1, "\xff\xff", 2,
		  "GOAWAY 1 COMPRESSION_ERROR; " },
		{ H2_HEADERS, H2_END_HEADERS | H2_END_STREAM, 1, "\x82", 1,
		  "1:RST PROTOCOL_ERROR; " },
		{ H2_HEADERS, H2_END_HEADERS | H2_END_STREAM, 1,
		  "\x82\x86\x84\x41\1a\x10\1X\1y", 11, "1:RST PROTOCOL_ERROR; " },
		{ H2_PRIORITY, 0, 1, "\0\0\0\1\0", 5, "1:RST PROTOCOL_ERROR; " },
		{ H2_PRIORITY, 0, 1, "\0\0\0\3\0", 5, "" },
		{ H2_RST_STREAM, 0, 0, "\0\0\0\x8", 4, "GOAWAY 0 PROTOCOL_ERROR; " },
		{ (enum h2_type)77, 0, 1, "abc", 3, "" },
	};
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_LEN(rows); i++) {
		peer_begin();
		peer_frame(rows[i].type, rows[i].flags, rows[i].stream, rows[i].bytes, rows[i].len);
		if (strcmp(peer_heard(), rows[i].expected))
			fail_msg("row %zu: %s, not %s", i, peer.said, rows[i].expected);
		peer_leave();
	}
}

static void the_preface(void **state)
{
	(void)state;
	peer_connect(&peer_usual, 0);
	peer_put("GET / HTTP/1.1\r\n\r\n", 18);
	peer_expect("SETTINGS; GOAWAY 0 PROTOCOL_ERROR; ");
	peer_leave();
	peer_connect(&peer_usual, 0);
	peer_put(h2_preface, H2_PREFACE_LEN);
	peer_frame(H2_PING, 0, 0, "12345678", 8);
	peer_expect("SETTINGS; GOAWAY 0 PROTOCOL_ERROR; ");
	peer_leave();
	peer_connect(&peer_usual, 0); /* theirs are acknowledged before all else that we say */
	peer_put(h2_preface, H2_PREFACE_LEN);
	peer_expect("SETTINGS; ");
	assert_int_equal(peer.windows, 0);
	peer_frame(H2_SETTINGS, 0, 0, NULL, 0);
	peer_expect("ACK; ");
	assert_int_equal(peer.windows, 1);
	peer_leave();
}

static void states_of_streams(void **state)
{
	char block[4000];
	size_t len = peer_block("GET", "/1", NULL, block);

	(void)state;
	peer_begin(); /* a frame in the middle of a block */
	peer_frame(H2_HEADERS, H2_END_STREAM, 1, block, len);
	peer_frame(H2_PING, 0, 0, "12345678", 8);
	peer_expect("GOAWAY 0 PROTOCOL_ERROR; ");
	peer_leave();
	peer_begin(); /* an id that was used */
	peer_ask(3, "/1", H2_END_STREAM);
	peer_ask(1, "/1", H2_END_STREAM);
	assert_non_null(strstr(peer_heard(), "GOAWAY 3 STREAM_CLOSED; "));
	peer_leave();
	peer_begin(); /* behind END_STREAM */
	peer_ask(1, "/wait", H2_END_STREAM);
	peer_frame(H2_DATA, 0, 1, "x", 1);
	peer_expect("1:RST STREAM_CLOSED; ");
	peer_leave();
	peer_begin(); /* on a stream that is over */
	peer_ask(1, "/1", H2_END_STREAM);
	peer_heard();
	peer_frame(H2_WINDOW_UPDATE, 0, 1, "\0\0\1\0", 4);
	peer_frame(H2_RST_STREAM, 0, 1, "\0\0\0\x8", 4);
	peer_frame(H2_DATA, 0, 1, "x", 1);
	peer_expect("1:RST STREAM_CLOSED; ");
	peer_leave();
	peer_begin(); /* a body that is not what was announced */
	peer_ask(1, "/1", 0);
	peer_frame(H2_HEADERS, H2_END_HEADERS, 1, "\0\1t\1r", 5);
	peer_expect("1:RST PROTOCOL_ERROR; ");
	peer_leave();
}

/* A priority that is wrong neither opens nor closes a stream that does not exist. */
static void priorities_open_nothing(void **state)
{
	(void)state;
	peer_begin(); /* an even number stays one of nobody's */
	peer_frame(H2_PRIORITY, 0, 2, "\0\0\0\2\0", 5);
	peer_expect("2:RST PROTOCOL_ERROR; ");
	peer_ask(2, "/1", H2_END_STREAM);
	peer_expect("GOAWAY 0 PROTOCOL_ERROR; ");
	peer_leave();
	peer_begin(); /* one of a wrong size */
	peer_frame(H2_PRIORITY, 0, 2, "\0\0\0\1", 4);
	peer_expect("2:RST FRAME_SIZE_ERROR; ");
	peer_ask(2, "/1", H2_END_STREAM);
	peer_expect("GOAWAY 0 PROTOCOL_ERROR; ");
	peer_leave();
	peer_begin(); /* a number below the last one stays closed */
	peer_ask(5, "/1", H2_END_STREAM);
	peer_heard();
	peer_frame(H2_PRIORITY, 0, 3, "\0\0\0\3\0", 5);
	peer_expect("3:RST PROTOCOL_ERROR; ");
	peer_ask(3, "/1", H2_END_STREAM);
	peer_expect("GOAWAY 5 STREAM_CLOSED; ");
	peer_leave();
	peer_begin(); /* one that is to come may come */
	peer_frame(H2_PRIORITY, 0, 1, "\0\0\0\1\0", 5);
	peer_expect("1:RST PROTOCOL_ERROR; ");
	peer_ask(1, "/1", H2_END_STREAM);
	peer_expect("1:" OK "; 1:DATA 0 end; ");
	peer_leave();
	peer_begin(); /* one that is open ends */
	peer_ask(1, "/wait", H2_END_STREAM);
	peer_frame(H2_PRIORITY, 0, 1, "\0\0\0\1\0", 5);
	peer_expect("1:RST PROTOCOL_ERROR; ");
	assert_int_equal(h2_conn_numbers(peer.server).streams, 0);
	peer_leave();
}

/* Fields of a stream that we have reset are read all the same: the table follows. */
static void the_table_follows(void **state)
{
	(void)state;
	peer_begin();
	peer.refuse_all = true;
	peer_frame(H2_HEADERS, H2_END_STREAM | H2_END_HEADERS, 1, "\x82\x86\x44\2/7\x41\1a", 9);
	peer_expect("1:RST REFUSED_STREAM; ");
	peer.refuse_all = false;
	peer_frame(H2_HEADERS, H2_END_STREAM | H2_END_HEADERS, 3, "\x82\x86\xbf\xbe", 4);
	peer_expect("3:" OK "; 3:DATA 0 end; ");
	assert_int_equal(peer.bodies, 7);
	peer_leave();
}

static void streams_are_limited(void **state)
{
	unsigned i;

	(void)state;
	peer_begin();
	for (i = 0; i < 12; i++)
		peer_ask(1 + 2 * i, "/wait", H2_END_STREAM);
	peer_expect("21:RST REFUSED_STREAM; 23:RST REFUSED_STREAM; ");
	assert_int_equal(h2_conn_numbers(peer.server).streams, 10);
	assert_int_equal(h2_conn_numbers(peer.server).refused, 2);
	peer_frame(H2_RST_STREAM, 0, 1, "\0\0\0\x8", 4);
	peer_expect("");
	assert_int_equal(h2_conn_numbers(peer.server).streams, 9);
	peer_leave();
}

static void floods_end(void **state)
{
	static const struct { enum h2_type type; unsigned flags; uint32_t stream; size_t len; }
	rows[] = {
		{ H2_PING, 0, 0, 8 }, { H2_SETTINGS, 0, 0, 0 }, { H2_PRIORITY, 0, 3, 5 },
		{ H2_DATA, 0, 1, 0 }, { (enum h2_type)99, 0, 1, 0 },
	};
	size_t i;
	unsigned n;

	(void)state;
	for (i = 0; i < ARRAY_LEN(rows); i++) {
		peer_begin();
		peer_ask(1, "/wait", 0);
		peer_heard();
		for (n = 0; n < 1200; n++)
			peer_frame(rows[i].type, rows[i].flags, rows[i].stream, "\0\0\0\0\0\0\0\1",
			      rows[i].len);
		while (!peer.closed)
			peer_turn();
		peer_leave();
	}
	/* Opened and reset at once. */
	peer_begin();
	for (n = 0; n < 1200; n++) {
		peer_ask(1 + 2 * n, "/wait", H2_END_STREAM);
		peer_frame(H2_RST_STREAM, 0, 1 + 2 * n, "\0\0\0\x8", 4);
		peer_turn();
		peer_hear();
	}
	while (!peer.closed)
		peer_turn();
	peer_leave();
	/* CONTINUATION without end. */
	peer_begin();
	peer_frame(H2_HEADERS, H2_END_STREAM, 1, "\x82", 1);
	for (n = 0; n < 100; n++)
		peer_frame(H2_CONTINUATION, 0, 1, "", 0);
	peer_expect("GOAWAY 0 ENHANCE_YOUR_CALM; ");
	peer_leave();
}

/* What makes us reset streams is counted as resets are. */
static void resets_that_the_peer_provokes(void **state)
{
	char window[H2_WINDOW_SIZE];
	unsigned how, n;

	(void)state;
	for (how = 0; how < 3; how++) {
		peer_begin();
		for (n = 0; n < 1200; n++) {
			uint32_t id = 1 + 2 * n;

			peer_ask(id, "/wait", how == 0 ? H2_END_STREAM : 0);
			if (how == 0)
				peer_frame(H2_DATA, 0, id, "x", 1); /* behind its end */
			else if (how == 1)
				peer_frame(H2_HEADERS, H2_END_HEADERS, id, "\0\1t\1r", 5);
			else
				peer_put(window, (size_t)(h2_write_window(window, id, INT32_MAX) - window));
			peer_turn();
			peer_turn();
			peer_hear();
			if (peer.closed)
				break;
		}
		assert_in_range(n, 900, 1150);
		peer_leave();
	}
}

/* Windows that grow without need; several in one SETTINGS. */
static void floods_of_windows_end(void **state)
{
	char window[H2_WINDOW_SIZE], settings[100 * H2_SETTING_SIZE];
	unsigned n;

	(void)state;
	peer_begin();
	for (n = 0; n < 1500; n++)
		peer_put(window, (size_t)(h2_write_window(window, 0, 1000) - window));
	while (!peer.closed)
		peer_turn();
	assert_non_null(strstr(peer_hear(), "ENHANCE_YOUR_CALM"));
	peer_leave();
	peer_begin();
	for (n = 0; n < 100; n++)
		h2_write_setting(settings + n * H2_SETTING_SIZE, H2_INITIAL_WINDOW_SIZE, n);
	for (n = 0; n < 12; n++)
		peer_frame(H2_SETTINGS, 0, 0, settings, sizeof(settings));
	while (!peer.closed)
		peer_turn();
	assert_non_null(strstr(peer_hear(), "ENHANCE_YOUR_CALM"));
	peer_leave();
}

/* Few bytes that stand for many. */
static void a_bomb_ends(void **state)
{
	static char block[8000];
	size_t i, len = 0;

	(void)state;
	peer_begin();
	memcpy(block, "\x82\x86\x84\x41\1a\x40\1b\x7f\xa1\x1e", 12); /* 4,000 bytes */
	memset(block + 12, 'x', 4000);
	peer_frame(H2_HEADERS, H2_END_STREAM | H2_END_HEADERS, 1, block, 4012);
	peer_heard();
	memcpy(block, "\x82\x86\x84\xbf", 4);
	for (i = 4, len = 7; i < len; i++)
		block[i] = '\xbe';
	peer_frame(H2_HEADERS, H2_END_STREAM | H2_END_HEADERS, 3, block, len);
	assert_non_null(strstr(peer_heard(), "3::status=200"));
	memset(block + 4, '\xbe', 5);
	peer_frame(H2_HEADERS, H2_END_STREAM | H2_END_HEADERS, 5, block, 9);
	assert_non_null(strstr(peer_heard(), "5::status=431"));
	memset(block + 4, '\xbe', 4000);
	peer_frame(H2_HEADERS, H2_END_STREAM | H2_END_HEADERS, 7, block, 4004);
	peer_expect("GOAWAY 7 ENHANCE_YOUR_CALM; ");
	peer_leave();
}

/* How many streams began in one turn. */
static uint64_t opened_in_a_turn(void)
{
	uint64_t before = h2_conn_numbers(peer.server).opened;

	peer_turn();
	return h2_conn_numbers(peer.server).opened - before;
}

/* It begins with one; with each stream that ends well it may begin more of them. */
static void a_turn_has_its_share(void **state)
{
	uint64_t most = 0, n;
	unsigned i;

	(void)state;
	peer_begin();
	for (i = 0; i < 300; i++)
		peer_ask(1 + 2 * i, "/0", H2_END_STREAM);
	assert_true(opened_in_a_turn() <= 1);
	do {
		n = opened_in_a_turn();
		most = n > most ? n : most;
	} while (!strstr(peer_hear(), "599:" OK " end; "));
	assert_in_range(most, 2, 16);
	peer_leave();
}

/* Streams that come to nothing, however many ended well before. */
static void who_resets_has_a_small_share(void **state)
{
	uint64_t n;
	unsigned i;

	(void)state;
	peer_begin();
	for (i = 0; i < 100; i++)
		peer_ask(1 + 2 * i, "/0", H2_END_STREAM);
	while (!strstr(peer_hear(), "199:" OK " end; "))
		peer_turn();
	for (i = 100; i < 400; i++) {
		peer_ask(1 + 2 * i, "/wait", H2_END_STREAM);
		peer_frame(H2_RST_STREAM, 0, 1 + 2 * i, "\0\0\0\10", 4);
	}
	for (n = 0; n < 30; )
		n += opened_in_a_turn();
	while (h2_conn_numbers(peer.server).opened < 400)
		assert_in_range(opened_in_a_turn(), 0, 1);
	peer_heard();
	assert_int_equal(h2_conn_numbers(peer.server).glitches, 300);
	peer_leave();
}

/* And streams that are left open. */
static void who_leaves_streams_open_has_a_small_share(void **state)
{
	struct h2_limits limits = peer_usual;
	unsigned i;

	(void)state;
	limits.streams = 60;
	peer_begin_with(&limits);
	for (i = 0; i < 60; i++)
		peer_ask(1 + 2 * i, "/wait", H2_END_STREAM);
	while (h2_conn_numbers(peer.server).opened < 60)
		assert_in_range(opened_in_a_turn(), 0, 1);
	peer_leave();
}

/* Answers that nobody reads: no more is read either. */
static void nobody_reads(void **state)
{
	int size = 65536;
	uint64_t before;
	unsigned id = 1, still = 0;

	(void)state;
	peer_connect(&peer_usual, 5000);
	setsockopt(peer.fd, SOL_SOCKET, SO_RCVBUF, &size, sizeof(size));
	peer_put(h2_preface, H2_PREFACE_LEN);
	peer_frame(H2_SETTINGS, 0, 0, NULL, 0);
	peer.deaf = true;
	while (still < 100) {
		for (; peer.out_len < 1000; id += 2)
			peer_ask(id, "/0", H2_END_STREAM);
		before = h2_conn_numbers(peer.server).opened;
		peer_turn();
		still = h2_conn_numbers(peer.server).opened > before ? 0 : still + 1;
		assert_true(before < 100000);
	}
	peer.deaf = false;
	while (h2_conn_numbers(peer.server).opened == before) {
		peer_turn();
		peer_hear();
	}
	peer_leave();
}

static void settings_in_time(void **state)
{
	(void)state;
	h2_conf.settings_ms = 1;
	peer_connect(&peer_usual, 0);
	peer_put(h2_preface, H2_PREFACE_LEN);
	peer_frame(H2_SETTINGS, 0, 0, NULL, 0);
	while (!peer.closed)
		peer_turn();
	assert_non_null(strstr(peer_hear(), "GOAWAY 0 SETTINGS_TIMEOUT; "));
	h2_conf.settings_ms = 10000;
	peer_leave();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(faults),
		cmocka_unit_test(the_preface),
		cmocka_unit_test(states_of_streams),
		cmocka_unit_test(priorities_open_nothing),
		cmocka_unit_test(the_table_follows),
		cmocka_unit_test(streams_are_limited),
		cmocka_unit_test(floods_end),
		cmocka_unit_test(resets_that_the_peer_provokes),
		cmocka_unit_test(floods_of_windows_end),
		cmocka_unit_test(a_bomb_ends),
		cmocka_unit_test(a_turn_has_its_share),
		cmocka_unit_test(who_resets_has_a_small_share),
		cmocka_unit_test(who_leaves_streams_open_has_a_small_share),
		cmocka_unit_test(nobody_reads),
		cmocka_unit_test(settings_in_time),
	};

	return cmocka_run_group_tests(tests, peer_world_begin, peer_world_end);
}
