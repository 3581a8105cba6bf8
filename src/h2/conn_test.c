/* SPDX-License-Identifier: BSD-2-Clause */
/* Connections of HTTP/2 as they should be: exchanges, windows, who goes first, what was configured,
 * the end. */
#include "h2/test_client.h"

#include "base/clock.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include <poll.h>

/* ---- exchanges ---- */

static void exchanges(void **state)
{
	(void)state;
	peer_begin();
	peer_ask(1, "/5", H2_END_STREAM);
	peer_expect("1:" OK "; 1:DATA 0 end; ");
	assert_int_equal(peer.bodies, 5);
	assert_false(peer.busy);
	peer_ask(3, "/0", H2_END_STREAM);
	peer_expect("3:" OK " end; ");
	peer_ask(5, "/404", H2_END_STREAM);
	peer_ask(7, "/1", H2_END_STREAM);
	peer_expect("5::status=404,x-size=some; 5:DATA 0 end; 7:" OK "; 7:DATA 0 end; ");
	assert_int_equal(h2_conn_numbers(peer.server).opened, 4);
	assert_int_equal(h2_conn_numbers(peer.server).streams, 0);
	peer_leave();
}

/* The same bytes, split at each position. */
static void at_every_split(void **state)
{
	size_t cut, len;
	char all[2000];

	(void)state;
	for (cut = 1, len = 2; cut < len; cut++) {
		peer_connect(&peer_usual, 0);
		peer_put(h2_preface, H2_PREFACE_LEN);
		peer_frame(H2_SETTINGS, 0, 0, "\0\3\0\0\0\x64", 6);
		peer_ask(1, "/3", 0);
		peer_frame(H2_DATA, H2_PADDED, 1, "\2abc\0\0", 6);
		peer_frame(H2_HEADERS, H2_END_STREAM | H2_END_HEADERS, 1, "\0\1t\1r", 5);
		peer_frame(H2_PING, 0, 0, "12345678", 8);
		len = peer.out_len;
		memcpy(all, peer.out, len);
		peer.out_len = cut;
		peer_turn();
		peer_put(all + cut, len - cut);
		peer_expect("SETTINGS; ACK; 1:" OK "; 1:DATA 0 end; PING 12345678; ");
		assert_int_equal(peer.lanes[0].body, 3);
		assert_string_equal(peer.lanes[0].trailers, "t: r\r\n\r\n");
		peer_leave();
	}
}

static void fields_in_pieces(void **state)
{
	char block[4000];
	size_t len = peer_block("GET", "/1", NULL, block), i;

	(void)state;
	peer_begin();
	peer_frame(H2_HEADERS, H2_END_STREAM, 1, block, 1);
	for (i = 1; i < len; i++)
		peer_frame(H2_CONTINUATION, i + 1 == len ? H2_END_HEADERS : 0, 1, block + i, 1);
	peer_expect("1:" OK "; 1:DATA 0 end; ");
	peer_leave();
}

/* ---- windows ---- */

static void windows_hold_bodies_back(void **state)
{
	char update[H2_WINDOW_SIZE];

	(void)state;
	peer_begin();
	peer_ask(1, "/100000", H2_END_STREAM);
	peer_expect("1:" OK "; ");
	assert_int_equal(peer.bodies, 65535); /* the stream's and the connection's */
	peer_ask(3, "/10", H2_END_STREAM);
	peer_expect("3:" OK "; ");
	peer_put(update, (size_t)(h2_write_window(update, 1, 100000) - update));
	peer_expect("");
	assert_int_equal(peer.bodies, 65535);
	peer_put(update, (size_t)(h2_write_window(update, 0, 1) - update));
	peer_expect("");
	assert_int_equal(peer.bodies, 65536);
	peer_put(update, (size_t)(h2_write_window(update, 0, 100000) - update));
	assert_non_null(strstr(peer_heard(), "1:DATA 0 end; "));
	assert_non_null(strstr(peer.said, "3:DATA 0 end; "));
	assert_int_equal(peer.bodies, 100010);
	peer_leave();
}

/* 6.9.2: a smaller window may leave streams below 0. */
/* A piece of a body is told whether the next one lies here already. */
static void pieces_that_follow(void **state)
{
	char part[H2_FRAME_HEADER + 1] = { 0, 0, 2, H2_DATA, 0, 0, 0, 0, 3 };

	(void)state;
	peer_begin();
	peer_ask(1, "/wait", 0);
	peer_ask(3, "/wait", 0);
	peer_heard();
	peer_frame(H2_DATA, 0, 1, "abc", 3);   /* f */
	peer_frame(H2_DATA, 0, 3, "abc", 3);   /* 3: nothing of it behind */
	peer_frame(H2_PING, 0, 0, "01234567", 8);
	peer_frame(H2_DATA, 0, 1, "de", 2);    /* . for padding may be all that follows */
	peer_frame(H2_DATA, H2_PADDED, 1, "\0f", 2); /* . for the next one is empty */
	peer_frame(H2_DATA, 0, 1, "", 0);
	peer_turn();
	assert_string_equal(peer.lanes[0].follows, "f..");
	assert_string_equal(peer.lanes[1].follows, ".");
	peer_frame(H2_DATA, 0, 3, "x", 1);     /* the header of the next alone has come */
	peer_put(part, H2_FRAME_HEADER);
	peer_turn();
	assert_string_equal(peer.lanes[1].follows, "..");
	peer_put("y", 1);
	peer_turn();
	peer_put("z", 1);
	peer_frame(H2_DATA, 0, 3, "x", 1);     /* a byte of it */
	peer_put(part, sizeof(part));
	peer_turn();
	assert_string_equal(peer.lanes[1].follows, "...ff.");
	peer_put("z", 1);
	peer_frame(H2_DATA, 0, 1, "g", 1);     /* the client gives up */
	peer_frame(H2_RST_STREAM, 0, 1, "\0\0\0\10", 4);
	peer_turn();
	assert_string_equal(peer.lanes[0].follows, "f...");
	peer_leave();
}

static void settings_change_windows(void **state)
{
	char bytes[H2_SETTING_SIZE], update[H2_WINDOW_SIZE];

	(void)state;
	peer_begin();
	h2_write_setting(bytes, H2_INITIAL_WINDOW_SIZE, 1000);
	peer_frame(H2_SETTINGS, 0, 0, bytes, sizeof(bytes));
	peer_ask(1, "/5000", H2_END_STREAM);
	peer_expect("ACK; 1:" OK "; ");
	assert_int_equal(peer.bodies, 1000);
	h2_write_setting(bytes, H2_INITIAL_WINDOW_SIZE, 500);
	peer_frame(H2_SETTINGS, 0, 0, bytes, sizeof(bytes));
	peer_put(update, (size_t)(h2_write_window(update, 1, 500) - update));
	peer_expect("ACK; ");
	assert_int_equal(peer.bodies, 1000);
	h2_write_setting(bytes, H2_INITIAL_WINDOW_SIZE, 5001);
	peer_frame(H2_SETTINGS, 0, 0, bytes, sizeof(bytes));
	peer_expect("ACK; 1:DATA 0 end; ");
	assert_int_equal(peer.bodies, 5000);
	peer_leave();
}

/* What was given is allowed again; what nobody takes is not. */
static void our_windows_fill_up(void **state)
{
	static char bytes[H2_FRAME_LEAST];
	unsigned i;

	(void)state;
	peer_begin();
	peer_ask(1, "/0", 0);
	for (i = 0; i < 20; i++) {
		peer_frame(H2_DATA, i == 19 ? H2_END_STREAM : 0, 1, bytes, sizeof(bytes));
		peer_turn();
		peer_turn();
	}
	peer_expect("1:" OK " end; ");
	assert_int_equal(peer.lanes[0].body, 20 * sizeof(bytes));
	peer.hold = true;
	peer_ask(3, "/0", 0);
	for (i = 0; i < 5; i++)
		peer_frame(H2_DATA, 0, 3, bytes, sizeof(bytes));
	peer_expect("3:RST FLOW_CONTROL_ERROR; ");
	assert_true(peer.lanes[0].broken);
	peer_leave();
}

/* More than leaves at once, said outside the connection's own turn, while the socket takes all: no
 * event comes by which the stream would go on. */
static void a_large_piece_goes_on(void **state)
{
	static char body[150000];
	char bytes[H2_SETTING_SIZE], update[H2_WINDOW_SIZE];
	struct end *client = &peer.lanes[0].relay.client;
	struct message res;
	size_t sent;

	(void)state;
	peer_begin();
	h2_write_setting(bytes, H2_INITIAL_WINDOW_SIZE, 1 << 20);
	peer_frame(H2_SETTINGS, 0, 0, bytes, sizeof(bytes));
	peer_put(update, (size_t)(h2_write_window(update, 0, 1 << 20) - update));
	peer_ask(1, "/wait", H2_END_STREAM);
	peer_heard();
	message_init(&res, true, NULL, 0);
	res.status = 200;
	assert_int_equal(end_head_out(client, &res), IO_OK);
	peer_heard();
	assert_int_equal(client->ops->send(client, body, sizeof(body), false, &sent), IO_OK);
	assert_int_equal(sent, 65536);
	assert_false(*client->flags & CONN_WRITABLE);
	peer_turn();
	assert_true(*client->flags & CONN_WRITABLE);
	lane_leave(&peer.lanes[0]);
	peer_leave();
}

/* ---- who goes first ---- */

/* A large download does not hold a small answer up; the more urgent goes first. */
static void a_small_answer_overtakes(void **state)
{
	char block[4000], update[H2_WINDOW_SIZE];
	const char *small, *large;
	char all[1000] = "";

	(void)state;
	peer_connect(&peer_usual, 20000);
	peer_put(h2_preface, H2_PREFACE_LEN);
	peer_frame(H2_SETTINGS, 0, 0, "\0\4\0\x7f\0\0", 6);
	peer_put(update, (size_t)(h2_write_window(update, 0, 1 << 24) - update));
	peer.deaf = true; /* so the large ones are not over before */
	peer_ask(1, "/4000000", H2_END_STREAM);
	peer_turn();
	peer_ask(3, "/4000001", H2_END_STREAM);
	peer_turn();
	peer_turn();
	peer_frame(H2_HEADERS, H2_END_STREAM | H2_END_HEADERS, 5, block,
	      peer_block("GET", "/20000", "u=1", block));
	peer_turn();
	peer_turn();
	peer.deaf = false;
	while (!(small = strstr(all, "5:DATA 0 end")) || !(large = strstr(all, "1:DATA 0 end")) ||
	       !strstr(all, "3:DATA 0 end")) {
		peer_turn();
		strncat(all, peer_hear(), sizeof(all) - strlen(all) - 1);
	}
	assert_true(small < large);
	assert_int_equal(peer.bodies, 4000000 + 4000001 + 20000);
	peer_leave();
}

/* ---- what was configured ---- */

static void limits_are_announced(void **state)
{
	struct h2_limits limits = { .streams = 7, .window = 1000, .table = 0, .frame = 20000,
				    .total = 2, .glitches = 4 };

	(void)state;
	peer_connect(&limits, 0);
	peer_put(h2_preface, H2_PREFACE_LEN);
	peer_frame(H2_SETTINGS, 0, 0, NULL, 0);
	peer_turn();
	peer_turn();
	assert_true(peer.in_len > 9 + 24);
	assert_memory_equal(peer.in + 9, "\0\3\0\0\0\7\0\4\0\0\3\xe8\0\1\0\0\0\0"
				    "\0\5\0\0\x4e\x20", 24);
	peer_frame(H2_SETTINGS, H2_ACK, 0, NULL, 0);
	peer_ask(1, "/0", H2_END_STREAM); /* the second is the last */
	peer_ask(3, "/wait", H2_END_STREAM);
	assert_non_null(strstr(peer_heard(), "1:" OK " end; GOAWAY 3 NO_ERROR; "));
	peer_frame(H2_HEADERS, H2_END_STREAM | H2_END_HEADERS, 5, "\x82\x86\x84\x41\1a", 6);
	peer_frame(H2_HEADERS, H2_END_STREAM | H2_END_HEADERS, 7, "\xbe", 1); /* no table */
	peer_expect("GOAWAY 7 COMPRESSION_ERROR; ");
	peer_leave();
}

static void glitches_have_a_threshold(void **state)
{
	struct h2_limits limits = peer_usual;
	unsigned n;

	(void)state;
	limits.glitches = 8;
	peer_connect(&limits, 0);
	peer_put(h2_preface, H2_PREFACE_LEN);
	peer_frame(H2_SETTINGS, 0, 0, NULL, 0);
	peer_frame(H2_SETTINGS, H2_ACK, 0, NULL, 0);
	peer_ask(1, "/wait", H2_END_STREAM);
	for (n = 0; n < 5; n++)
		peer_frame(H2_PING, H2_ACK, 0, "12345678", 8);
	peer_expect("SETTINGS; ACK; ");
	peer_frame(H2_PING, H2_ACK, 0, "12345678", 8);
	peer_expect("GOAWAY 1 NO_ERROR; ");
	assert_int_equal(h2_conn_numbers(peer.server).glitches, 6);
	peer_frame(H2_PING, H2_ACK, 0, "12345678", 8);
	peer_frame(H2_PING, H2_ACK, 0, "12345678", 8);
	peer_expect("GOAWAY 1 ENHANCE_YOUR_CALM; ");
	peer_leave();
}

/* ---- the end ---- */

static void draining_lets_streams_end(void **state)
{
	unsigned i;

	(void)state;
	peer_begin();
	peer_ask(1, "/wait", H2_END_STREAM);
	peer_heard();
	h2_conn_drain(peer.server);
	peer_ask(3, "/1", H2_END_STREAM);
	peer_expect("GOAWAY 1 NO_ERROR; ");
	assert_false(peer.closed);
	lane_answer(&peer.lanes[0]);
	peer_expect("1:" OK " end; ");
	for (i = 0; i < 20 && !peer.closed; i++)
		peer_turn();
	assert_true(peer.closed);
	peer_leave();
}

/* What is on its way when leaving is announced is served; what comes behind the answer is not. */
static void leaving_loses_nothing(void **state)
{
	unsigned i;

	(void)state;
	peer_begin();
	peer_ask(1, "/wait", H2_END_STREAM);
	peer_heard();
	h2_conn_leave(peer.server);
	h2_conn_leave(peer.server);
	peer_ask(3, "/1", H2_END_STREAM);
	peer_expect("GOAWAY 2147483647 NO_ERROR; PING leaving.; 3:" OK "; 3:DATA 0 end; ");
	peer_frame(H2_PING, H2_ACK, 0, "leaving.", 8);
	peer_ask(5, "/1", H2_END_STREAM);
	peer_expect("GOAWAY 3 NO_ERROR; ");
	assert_false(peer.closed);
	lane_answer(&peer.lanes[0]);
	peer_expect("1:" OK " end; ");
	for (i = 0; i < 20 && !peer.closed; i++)
		peer_turn();
	assert_true(peer.closed);
	peer_leave();
}

static void streams_learn_that_the_client_has_gone(void **state)
{
	(void)state;
	peer_begin();
	peer_ask(1, "/wait", H2_END_STREAM);
	peer_ask(3, "/wait", 0);
	peer_heard();
	peer_leave();
	assert_true(peer.lanes[0].broken && peer.lanes[1].broken);
}

/* Not all at once: each may have a connection to close. */
static void streams_learn_it_in_turn(void **state)
{
	unsigned i, now, before;

	(void)state;
	peer_begin();
	for (i = 0; i < 10; i++)
		peer_ask(1 + 2 * i, "/wait", H2_END_STREAM);
	peer_heard();
	close(peer.fd);
	peer.fd = -1;
	for (now = before = 0; now < 10; before = now) {
		clock_update();
		loop_turn(0);
		for (i = now = 0; i < 10; i++)
			now += peer.lanes[i].broken;
		assert_in_range(now - before, 0, 2);
	}
	peer_leave();
}

/* An answer before the request is complete: its rest is not wanted. */
static void an_early_answer(void **state)
{
	(void)state;
	peer_begin();
	peer.hold = true;
	peer_ask(1, "/4", 0);
	peer_heard();
	lane_answer(&peer.lanes[0]);
	peer_expect("1:" OK "; 1:DATA 0 end; ");
	peer_frame(H2_DATA, 0, 1, "late", 4);
	peer_expect("");
	peer_frame(H2_DATA, H2_END_STREAM, 1, "late", 4);
	peer_expect("");
	assert_int_equal(h2_conn_numbers(peer.server).streams, 0);
	peer_leave();
}

/* And one that goes on: it is reset, though not so soon that its client loses the answer. */
static void an_early_answer_to_who_goes_on(void **state)
{
	(void)state;
	peer_begin();
	peer.hold = true;
	peer_ask(1, "/4", 0);
	peer_heard();
	lane_answer(&peer.lanes[0]);
	peer_expect("1:" OK "; 1:DATA 0 end; ");
	while (h2_conn_numbers(peer.server).streams) {
		peer_frame(H2_DATA, 0, 1, NULL, 0);
		peer_turn();
		poll(NULL, 0, 1); /* h2_conf.linger_ms pass */
	}
	peer_expect("1:RST NO_ERROR; ");
	peer_frame(H2_DATA, H2_END_STREAM, 1, "late", 4);
	peer_expect("");
	peer_leave();
}

/* Its place is another's as soon as that comes; a reset ends it, and its own end. */
static void who_lingers_makes_room(void **state)
{
	struct h2_limits limits = peer_usual;
	static char much[16384];
	unsigned i;

	(void)state;
	limits.streams = 2;
	peer_begin_with(&limits);
	peer.hold = true;
	peer_ask(1, "/4", 0);
	peer_ask(3, "/4", 0);
	peer_heard();
	lane_answer(&peer.lanes[0]);
	lane_answer(&peer.lanes[1]);
	peer_expect("1:" OK "; 1:DATA 0 end; 3:" OK "; 3:DATA 0 end; ");
	peer_ask(5, "/4", 0);
	peer_expect("1:RST NO_ERROR; ");
	peer_frame(H2_RST_STREAM, 0, 3, "\0\0\0\10", 4);
	peer_expect("");
	assert_int_equal(h2_conn_numbers(peer.server).streams, 1);
	lane_answer(&peer.lanes[0]);
	peer_expect("5:" OK "; 5:DATA 0 end; ");
	for (i = 0; i < 20; i++) { /* more than its window, which is filled up */
		peer_frame(H2_DATA, 0, 5, much, sizeof(much));
		peer_expect("");
	}
	peer_frame(H2_DATA, 0, 5, "", 0);
	peer_frame(H2_DATA, H2_END_STREAM, 5, "", 0);
	peer_expect("");
	assert_int_equal(h2_conn_numbers(peer.server).streams, 0);
	peer_leave();
}

static void a_stream_that_breaks_off(void **state)
{
	(void)state;
	peer_begin();
	peer_ask(1, "/wait", H2_END_STREAM);
	peer_heard();
	lane_leave(&peer.lanes[0]);
	peer_expect("1:RST INTERNAL_ERROR; ");
	peer_leave();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(exchanges),
		cmocka_unit_test(at_every_split),
		cmocka_unit_test(fields_in_pieces),
		cmocka_unit_test(windows_hold_bodies_back),
		cmocka_unit_test(pieces_that_follow),
		cmocka_unit_test(settings_change_windows),
		cmocka_unit_test(our_windows_fill_up),
		cmocka_unit_test(a_large_piece_goes_on),
		cmocka_unit_test(a_small_answer_overtakes),
		cmocka_unit_test(limits_are_announced),
		cmocka_unit_test(glitches_have_a_threshold),
		cmocka_unit_test(draining_lets_streams_end),
		cmocka_unit_test(leaving_loses_nothing),
		cmocka_unit_test(streams_learn_that_the_client_has_gone),
		cmocka_unit_test(streams_learn_it_in_turn),
		cmocka_unit_test(an_early_answer),
		cmocka_unit_test(an_early_answer_to_who_goes_on),
		cmocka_unit_test(who_lingers_makes_room),
		cmocka_unit_test(a_stream_that_breaks_off),
	};

	return cmocka_run_group_tests(tests, peer_world_begin, peer_world_end);
}
