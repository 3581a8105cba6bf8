/* SPDX-License-Identifier: BSD-2-Clause */
/* Streams of bytes: how the client's connection is closed, by why the stream ends; when a client
 * has left; when things happened. The stream is made by hand, the connection is a real one. */
#include "stream/bytes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/clock.h"
#include "event/loop.h"
#include "net/test_sockets.h"
#include "proxy/proxy.h"
#include "relay/buffer.h"
#include "stream/extra.h"
#include "stream/kind.h"
#include "stream/service.h"
#include "stream/stream.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { PATIENCE_MS = 30000 }; /* passes only when something is broken */

static struct proxy front, back;
static struct origin origin;
static struct stream s;
static struct stream_extra extra;
static struct conn *conn; /* the client's; gone once the stream has left it */
static int peer;

static void ready(struct conn *c)
{
	(void)c;
}

static void notice(struct relay *relay, struct pump *pump)
{
	(void)relay;
	(void)pump;
}

/* The client is connected, and has sent nothing yet. */
static int begin(void **state)
{
	int fds[2];

	(void)state;
	clock_freeze(500000);
	test_tcp_pair(fds, 0);
	peer = fds[0];
	conn = conn_new();
	assert_non_null(conn);
	assert_int_equal(conn_attach(conn, &fds[1], CONN_WRITABLE | CONN_TCP, ready), 0);
	front = (struct proxy){ .name = "f" };
	back = (struct proxy){ .name = "b" };
	origin = (struct origin){ .frontend = &front, .accepted_ms = 400000, .handshake_ms = 30 };
	extra = (struct stream_extra){ .stream = &s };
	s = (struct stream){ .kind = &stream_of_bytes, .origin = &origin, .phase = PHASE_DATA };
	relay_notice = notice;
	relay_init(&s.relay);
	end_set_applet(&s.relay.client, &end_conn_ops, conn, &conn->flags, NULL);
	return 0;
}

static int end(void **state)
{
	(void)state;
	end_close(&s.relay.client, false);
	close(peer);
	loop_turn(0);
	return 0;
}

static void peer_sends(const char *text)
{
	struct pollfd arrived = { .fd = conn->src.fd, .events = POLLIN };

	assert_int_equal(send(peer, text, strlen(text), MSG_NOSIGNAL), strlen(text));
	assert_int_equal(poll(&arrived, 1, PATIENCE_MS), 1);
}

static void peer_shuts(void)
{
	struct pollfd arrived = { .fd = conn->src.fd, .events = POLLRDHUP };

	shutdown(peer, SHUT_WR);
	assert_int_equal(poll(&arrived, 1, PATIENCE_MS), 1);
}

/* What the peer sees at last: 0, an end; or an error. */
static int peer_sees(void)
{
	struct pollfd comes = { .fd = peer, .events = POLLIN };
	char byte;

	assert_int_equal(poll(&comes, 1, PATIENCE_MS), 1);
	return recv(peer, &byte, 1, 0) < 0 ? errno : 0;
}

/* ---- how it is closed ----------------------------------------------------------------------- */

/* The client has said something that nobody has read; the stream ends so. True: it is to be reset
 * by the caller. */
static bool leaves(enum reason reason)
{
	s.reason = (uint8_t)reason;
	peer_sends("unread");
	return stream_of_bytes.leave(&s);
}

/* It was closed here, and the peer sees that. */
static void is_closed(int how)
{
	assert_null(s.relay.client.ops);
	assert_int_equal(peer_sees(), how);
}

/* What it has sent is missing at the server: it must not take the end for a good one. */
static void unread_bytes_break_off(void **state)
{
	(void)state;
	assert_false(leaves(END_NORMAL));
	is_closed(ECONNRESET);
}

/* Else it is told an end, whatever it has said. */
static void a_failure_takes_them_away(void **state)
{
	static const enum reason reasons[] = { END_SERVER_REFUSED, END_NO_SERVER, END_DENIED,
					       END_SERVER_TIMEOUT, END_RESOURCE, END_LOCAL };
	unsigned i;

	for (i = 0; i < sizeof(reasons) / sizeof(reasons[0]); i++) {
		if (i)
			begin(state);
		assert_false(leaves(reasons[i]));
		is_closed(0);
		if (i + 1 < sizeof(reasons) / sizeof(reasons[0]))
			end(state);
	}
}

static void a_service_takes_them_away(void **state)
{
	(void)state;
	s.traits = HAS_SERVICE;
	assert_false(leaves(END_NORMAL));
	is_closed(0);
}

/* Early data: the handshake goes on behind it, and reads by itself. */
static void what_is_unproven_stays(void **state)
{
	(void)state;
	conn->flags |= CONN_UNPROVEN;
	assert_false(leaves(END_DENIED));
	is_closed(ECONNRESET);
}

/* It takes nothing more: nobody waits for it to do so. */
static void who_was_too_slow_is_closed_at_once(void **state)
{
	(void)state;
	assert_false(leaves(END_CLIENT_TIMEOUT));
	assert_ptr_equal(end_conn(&s.relay.client), conn);
	end_close(&s.relay.client, false);
	is_closed(0);
}

static void who_sees_no_clean_end_is_reset(void **state)
{
	static const enum reason reasons[] = { END_SERVER_ABORT, END_SERVER_DOWN, END_SERVER_UP,
					       END_KILLED };
	unsigned i;

	(void)state;
	peer_sends("unread");
	s.connected = true;
	for (i = 0; i < sizeof(reasons) / sizeof(reasons[0]); i++) {
		s.reason = (uint8_t)reasons[i];
		assert_true(stream_of_bytes.leave(&s));
		assert_ptr_equal(end_conn(&s.relay.client), conn);
	}
	s.connected = false; /* nothing has come of it: there is nothing to be taken for all */
	assert_false(stream_of_bytes.leave(&s));
	is_closed(0);
}

static void without_lingering_it_is_reset(void **state)
{
	(void)state;
	front.set.options.on = OPT_NOLINGER;
	assert_true(leaves(END_NORMAL));
	assert_ptr_equal(end_conn(&s.relay.client), conn);
	s.reason = END_KILLED;
	assert_false(stream_of_bytes.leave(&s));
	assert_null(s.relay.client.ops);
}

/* ---- whether it has left ------------------------------------------------------------------- */

static bool has_left(void)
{
	return stream_of_bytes.client_left(&s);
}

static void who_has_closed_without_a_word_has_left(void **state)
{
	(void)state;
	s.phase = PHASE_CONNECT;
	assert_false(has_left());
	peer_shuts();
	assert_false(has_left()); /* nobody has heard of that */
	conn->flags |= CONN_RDHUP;
	assert_true(has_left());
	s.phase = PHASE_REQUEST; /* rules decide, with what they have */
	assert_false(has_left());
	s.phase = PHASE_CONNECT;
	s.connected = true;
	assert_false(has_left());
}

static void what_it_has_said_is_the_servers(void **state)
{
	(void)state;
	s.phase = PHASE_QUEUE;
	peer_sends("question");
	peer_shuts();
	conn->flags |= CONN_RDHUP;
	assert_false(has_left());
	conn_discard(conn);
	assert_true(has_left());
	s.relay.request.buf = buffer_take();
	s.relay.request.buf->len = 1;
	assert_false(has_left());
	/* Unless the backend takes whoever has closed for one that has left. */
	s.backend = &back;
	front.set.options.on = OPT_ABORTONCLOSE;
	assert_false(has_left());
	back.set.options.on = OPT_ABORTONCLOSE;
	assert_true(has_left());
	s.phase = PHASE_REQUEST;
	assert_false(has_left());
	buffer_give(&s.relay.request.buf);
}

/* ---- what it says of itself ----------------------------------------------------------------- */

static void when_things_happened(void **state)
{
	struct stream_times times = { .sent = true };

	(void)state;
	stream_of_bytes.times(&s, &times);
	assert_int_equal(times.began_ms, 400000);
	assert_int_equal(times.begin_ms, 30);
	assert_int_equal(times.request_ms, 30);
	assert_int_equal(times.response_ms, NOT_REACHED);
	assert_false(times.sent);
}

/* What has come of one that has ended has come, though nobody has sent it on. */
static void what_is_held_counts_at_the_end(void **state)
{
	struct stream_bytes bytes;

	(void)state;
	s.relay.request.buf = buffer_take();
	s.relay.request.buf->len = 11;
	s.relay.response.buf = buffer_take();
	s.relay.response.buf->len = 22;
	bytes = stream_of_bytes.bytes(&s);
	assert_int_equal(bytes.in, 0);
	assert_int_equal(bytes.out, 0);
	s.reason = END_DENIED;
	bytes = stream_of_bytes.bytes(&s);
	assert_int_equal(bytes.in, 11);
	assert_int_equal(bytes.out, 0);
	buffer_give(&s.relay.request.buf);
	buffer_give(&s.relay.response.buf);
}

/* It carries no messages: nothing is asked for, and nothing is wrong with one. */
static void there_is_no_message(void **state)
{
	struct span key = { NULL, 0 };

	(void)state;
	assert_null(stream_of_bytes.message(&s));
	assert_false(stream_of_bytes.balance_key(&s, &key));
	assert_true(stream_of_bytes.connected(&s));
	assert_false(stream_of_bytes.early_repeats(&s));
	assert_false(stream_of_bytes.was_short(&s));
	assert_false(stream_of_bytes.wrong_response(&s));
	assert_false(stream_of_bytes.resets_server(&s));
}

/* ---- early data to the server --------------------------------------------------------------- */

static void first_words_go_along(void **state)
{
	struct span words;

	(void)state;
	peer_sends("first words");
	conn->flags |= CONN_READABLE;
	words = stream_of_bytes.early_words(&s);
	assert_int_equal(words.len, 0); /* proven ones are in no hurry */
	conn->flags |= CONN_UNPROVEN;
	words = stream_of_bytes.early_words(&s);
	assert_int_equal(words.len, 11);
	assert_memory_equal(words.ptr, "first words", 11);
	assert_false(s.relay.request.flags & PUMP_LOOK);
	stream_of_bytes.early_taken(&s, 0);
	assert_int_equal(pump_held(&s.relay.request), 11);
	clock_advance(7);
	stream_of_bytes.early_taken(&s, 6);
	assert_int_equal(pump_held(&s.relay.request), 5);
	assert_int_equal(s.relay.request.copied, 6);
	assert_int_equal(s.relay.request.write_ms, 500007);
	words = stream_of_bytes.early_words(&s);
	assert_int_equal(words.len, 5);
	assert_memory_equal(words.ptr, "words", 5);
	stream_of_bytes.early_taken(&s, 5);
	assert_null(s.relay.request.buf);
	assert_int_equal(s.relay.request.copied, 11);
}

#define EACH(test) cmocka_unit_test_setup_teardown(test, begin, end)

static int group_begin(void **state)
{
	(void)state;
	return loop_init(64);
}

static int group_end(void **state)
{
	(void)state;
	loop_free();
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		EACH(unread_bytes_break_off), EACH(a_failure_takes_them_away),
		EACH(a_service_takes_them_away), EACH(what_is_unproven_stays),
		EACH(who_was_too_slow_is_closed_at_once), EACH(who_sees_no_clean_end_is_reset),
		EACH(without_lingering_it_is_reset),
		EACH(who_has_closed_without_a_word_has_left),
		EACH(what_it_has_said_is_the_servers), EACH(when_things_happened),
		EACH(what_is_held_counts_at_the_end), EACH(there_is_no_message),
		EACH(first_words_go_along),
	};

	return cmocka_run_group_tests(tests, group_begin, group_end);
}
