/* SPDX-License-Identifier: BSD-2-Clause */
/* The kernel relay between sockets of this process, so that what comes when is known: who tells
 * without end, and what goes into memory as a stream leaves. Needs rights, as the relay does. */
#include "kernel/way.h"

#include "base/clock.h"
#include "net/test_sockets.h"
#include "relay/buffer.h"
#include "relay/pipe.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
/* cmocka wants the three above */
#include <cmocka.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { PATIENCE_S = 60, MOST = 1 << 20, TURNS = 1000, PLACES = 64 };

static bool possible;

static int setup(void **state)
{
	struct err err = { "" };

	(void)state;
	alarm(PATIENCE_S); /* what never ends fails */
	assert_int_equal(loop_init(64), 0);
	pipes_init(8, 0);
	possible = kernel_start(PLACES, &err) == 0;
	if (!possible)
		printf("no kernel relay: %s\n", err.text);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	loop_turn(0); /* frees what was closed */
	kernel_stop();
	pipes_free();
	loop_free();
	alarm(0);
	return 0;
}

static void note(struct relay *relay, struct pump *pump)
{
	(void)relay;
	assert_false(pump->flags & (PUMP_READ_ERROR | PUMP_WRITE_ERROR | PUMP_NO_MEMORY));
}

static void attach(struct end *end, int fd)
{
	struct conn *conn = conn_new();

	assert_non_null(conn);
	assert_int_equal(conn_attach(conn, &fd, CONN_WRITABLE | CONN_TCP, NULL), 0);
	end_take_conn(end, &conn);
}

/* Between two sockets, forwarding unseen. */
static void start(struct relay *relay, int client, int server)
{
	memset(relay, 0, sizeof(*relay));
	relay_init(relay);
	relay_notice = note;
	attach(&relay->client, client);
	attach(&relay->server, server);
	relay->request.flags = relay->response.flags = PUMP_OPEN;
	pump_allow(&relay->request, UINT64_MAX);
	pump_allow(&relay->response, UINT64_MAX);
}

static void take_over(struct relay *relay)
{
	kernel_want(relay, false);
	kernel_take(relay);
	assert_non_null(kernel_wanted_of(relay)->has);
	assert_ptr_equal(kernel_way_of(&relay->request), &kernel_wanted_of(relay)->has->ways[0]);
	assert_ptr_equal(kernel_way_of(&relay->response), &kernel_wanted_of(relay)->has->ways[1]);
}

static void turn_until(bool (*done)(const void *what), const void *what)
{
	while (!done(what))
		loop_turn(1);
}

/* ---- who tells without end ----------------------------------------------------------------- */

static bool has_moved(const void *what)
{
	return ((const struct relay *)what)->request.copied > 0;
}

/* Two relays in a circle: what one of them sends tells of the other one before the call returns. A
 * turn must end all the same, for others are to be served. */
static void a_turn_ends_while_more_is_told(void **state)
{
	enum { LARGE = 3 * SOCKMAP_LARGEST };
	static const char bytes[LARGE];
	struct relay one, other;
	int there[2], back[2], i;
	uint64_t before;

	(void)state;
	if (!possible)
		skip();
	test_tcp_pair(there, 0);
	test_tcp_pair(back, 0);
	start(&one, back[1], there[0]);
	start(&other, there[1], back[0]);
	/* On their way, and they arrive when all are with the kernel: as lost, and sent again. */
	assert_int_equal(sockmap_hold(back[1]), 0);
	assert_int_equal(send(back[0], bytes, LARGE, MSG_NOSIGNAL), LARGE);
	take_over(&one);
	take_over(&other);
	kernel_wanted_of(&one)->has->leave_ms = UINT64_MAX;
	kernel_wanted_of(&other)->has->leave_ms = UINT64_MAX; /* as bulk they would */
	sockmap_let(back[1]);
	turn_until(has_moved, &one);
	for (i = 0; i < TURNS; i++) {
		before = one.request.copied + other.request.copied;
		loop_turn(1);
		assert_true(one.request.copied + other.request.copied - before <= 4 * LARGE);
	}
	assert_true(one.request.copied > LARGE);
	assert_int_equal(kernel_stats.faults, 0);
	relay_close(&one, true, true);
	relay_close(&other, true, true);
}

/* ---- out of the kernel --------------------------------------------------------------------- */

/* A row of bytes that is its own, through a relay that is with the kernel. */
struct stream {
	struct relay relay;
	int client, server;
	uint64_t sent, received;
};

static char byte_at(uint64_t pos)
{
	return (char)((pos / 251 * 0x9e3779b1u >> 16) + pos);
}

static void send_some(struct stream *s, size_t most)
{
	static char bytes[MOST];
	ssize_t n;
	size_t i;

	for (i = 0; i < most; i++)
		bytes[i] = byte_at(s->sent + i);
	n = send(s->client, bytes, most, MSG_NOSIGNAL);
	if (n > 0)
		s->sent += (uint64_t)n;
}

static void receive_some(struct stream *s)
{
	static char bytes[MOST];
	ssize_t n = recv(s->server, bytes, sizeof(bytes), 0), i;

	for (i = 0; i < n; i++)
		assert_int_equal(bytes[i], byte_at(s->received + (uint64_t)i));
	if (n > 0)
		s->received += (uint64_t)n;
}

static bool all_there(const void *what)
{
	struct stream *s = (struct stream *)(uintptr_t)what;

	receive_some(s);
	return s->received == s->sent;
}

/* The kernel has it, and the first bytes have passed. */
static bool is_settled(const struct stream *s)
{
	return kernel_wanted_of(&s->relay)->has && kernel_wanted_of(&s->relay)->has->ways[0].synced;
}

static bool is_gone(const void *what)
{
	return !kernel_wanted_of(&((const struct stream *)what)->relay)->has;
}

static void begin(struct stream *s, int bufsize)
{
	int c[2], b[2];

	*s = (struct stream){ 0 };
	test_tcp_pair(c, 0);
	test_tcp_pair(b, bufsize);
	s->client = c[0];
	s->server = b[1];
	start(&s->relay, c[1], b[0]);
	take_over(&s->relay);
	send_some(s, 100);
	turn_until(all_there, s);
	assert_true(is_settled(s));
}

static void send_more_then_end(struct stream *s)
{
	unsigned i;

	for (i = 0; i < 20; i++) {
		send_some(s, MOST);
		turn_until(all_there, s);
	}
	assert_int_equal(kernel_stats.faults, 0);
	relay_close(&s->relay, false, false);
	close(s->client);
	close(s->server);
}

/* What was left to the process, and nobody has received yet, may be more than any other buffer
 * holds. */
static void what_waits_leaves_into_memory(void **state)
{
	uint64_t left = kernel_stats.bulk;
	struct stream s;
	size_t waits;

	(void)state;
	if (!possible)
		skip();
	begin(&s, 0);
	send_some(&s, 2 * SCRATCH_SIZE + 5000); /* large segments: left to the process */
	waits = (size_t)(kernel_wanted_of(&s.relay)->has->ways[0].route->passed - 100);
	assert_true(waits > SCRATCH_SIZE);
	kernel_leave_begin(kernel_wanted_of(&s.relay)->has, &kernel_stats.bulk);
	while (kernel_wanted_of(&s.relay)->has) /* nothing is forwarded meanwhile */
		kernel_leave_try(kernel_wanted_of(&s.relay)->has);
	assert_int_equal(kernel_stats.bulk, left + 1);
	assert_true(s.relay.request.buf && s.relay.request.buf->len >= waits);
	assert_true(s.relay.request.buf->size > SCRATCH_SIZE);
	turn_until(all_there, &s);
	assert_null(s.relay.request.buf);
	send_more_then_end(&s);
}

/* Behind what the pump holds already, for a receiver that does not take it. */
static void what_waits_comes_behind_what_is_held(void **state)
{
	size_t held, all;
	struct stream s;
	unsigned i;

	(void)state;
	if (!possible)
		skip();
	begin(&s, 4096);
	for (i = 0; i < TURNS && !s.relay.request.buf; i++) {
		send_some(&s, MOST);
		loop_turn(0);
	}
	assert_non_null(s.relay.request.buf);
	send_some(&s, MOST);
	held = pump_held(&s.relay.request);
	all = held + (size_t)(kernel_wanted_of(&s.relay)->has->ways[0].route->passed -
			      kernel_wanted_of(&s.relay)->has->ways[0].route->forwarded - held);
	assert_true(all > held);
	kernel_leave_begin(kernel_wanted_of(&s.relay)->has, &kernel_stats.bulk);
	while (kernel_wanted_of(&s.relay)->has)
		kernel_leave_try(kernel_wanted_of(&s.relay)->has);
	assert_true(pump_held(&s.relay.request) >= all);
	assert_true(s.relay.request.buf->size > SCRATCH_SIZE);
	turn_until(all_there, &s);
	send_more_then_end(&s);
}

/* With the timer of its own, while traffic goes on; and it comes back behind that. */
static void a_stream_comes_and_goes(void **state)
{
	struct stream s;
	unsigned i, n;

	(void)state;
	if (!possible)
		skip();
	begin(&s, 0);
	for (i = 0; i < 10; i++) {
		send_some(&s, 1 + i * 20000);
		kernel_leave_begin(kernel_wanted_of(&s.relay)->has, &kernel_stats.bulk);
		turn_until(is_gone, &s);
		turn_until(all_there, &s);
		for (n = 0; n < TURNS && !is_settled(&s); n++) {
			send_some(&s, 1);
			turn_until(all_there, &s);
		}
		assert_true(is_settled(&s));
	}
	send_more_then_end(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_turn_ends_while_more_is_told, setup, teardown),
		cmocka_unit_test_setup_teardown(what_waits_leaves_into_memory, setup, teardown),
		cmocka_unit_test_setup_teardown(what_waits_comes_behind_what_is_held, setup,
						teardown),
		cmocka_unit_test_setup_teardown(a_stream_comes_and_goes, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
