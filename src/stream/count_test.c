/* SPDX-License-Identifier: BSD-2-Clause */
/* Whose counters a stream adds to when it ends, and what its bytes add: each counter that has moved
 * is named with its number, and no other one has. The stream is made by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/clock.h"
#include "relay/bypass.h"
#include "relay/chain.h"
#include "stream/count.h"
#include "stream/extra.h"
#include "stream/kind.h"
#include "stream/stream.h"

#include <stdio.h>
#include <string.h>

static struct global_tally process;
static struct proxy_tally fe, be;
static struct server_tally st;
static struct listener_tally lt;
static struct proxy front, back;
static struct server server;
static struct listener listener;
static struct origin origin;
static struct stream s;
static bool wrong;
static struct stream_bytes heads; /* besides what the pumps have moved */

static bool says_a_wrong_response(const struct stream *stream)
{
	assert_ptr_equal(stream, &s);
	return wrong;
}

static struct stream_bytes bytes_of_heads(const struct stream *stream)
{
	assert_ptr_equal(stream, &s);
	return heads;
}

static const struct stream_kind kind = { .name = "test", .wrong_response = says_a_wrong_response,
					 .bytes = bytes_of_heads };

/* Nothing is counted yet. */
static void afresh(void)
{
	process = (struct global_tally){ 0 };
	fe = be = (struct proxy_tally){ 0 };
	st = (struct server_tally){ 0 };
	lt = (struct listener_tally){ 0 };
	origin_uncounted = (struct counters){ 0 };
}

static int begin(void **state)
{
	(void)state;
	clock_freeze(500000);
	afresh();
	global_tally = &process;
	wrong = false;
	heads = (struct stream_bytes){ 0, 0 };
	front = (struct proxy){ .name = "f", .fe = &fe };
	back = (struct proxy){ .name = "b", .be = &be };
	server = (struct server){ .id = "s", .tally = &st };
	listener = (struct listener){ .tally = &lt };
	origin = (struct origin){ .frontend = &front, .listener = &listener };
	s = (struct stream){ .kind = &kind, .origin = &origin, .backend = &back,
			     .server = &server };
	relay_init(&s.relay);
	return 0;
}

static size_t name_moved(char *text, const char *name, const struct counters *c)
{
	size_t len = 0;

#define COUNTER(field, help)                                                              \
	if (c->field)                                                                     \
		len += (size_t)sprintf(text + len, "%s %s %llu\n", name, #field,            \
				       (unsigned long long)c->field);
#include "tally/counters.def"
#undef COUNTER
	return len;
}

static void moved(const char *expected)
{
	char text[2000] = "";
	size_t len = name_moved(text, "front", &fe.counters);

	len += name_moved(text + len, "listener", &lt.counters);
	len += name_moved(text + len, "back", &be.counters);
	len += name_moved(text + len, "server", &st.counters);
	len += name_moved(text + len, "nobody", &origin_uncounted);
	if (process.no_memory)
		len += (size_t)sprintf(text + len, "no memory %llu\n",
				       (unsigned long long)process.no_memory);
	if (process.bytes_out)
		sprintf(text + len, "process bytes_out %llu\n",
			(unsigned long long)process.bytes_out);
	assert_string_equal(text, expected);
	afresh();
}

static void ends(enum reason reason, const char *expected)
{
	s.reason = (uint8_t)reason;
	stream_count_end(&s);
	moved(expected);
}

static void the_client_breaks_off(void **state)
{
	static const char bad[] = "front failed_requests 1\nlistener failed_requests 1\n";
	static const char aborted[] = "front client_aborts 1\nback client_aborts 1\n"
				      "server client_aborts 1\n";

	(void)state;
	s.phase = PHASE_REQUEST;
	ends(END_CLIENT_ABORT, bad);
	ends(END_CLIENT_TIMEOUT, bad);
	ends(END_BAD_REQUEST, bad);
	s.phase = PHASE_DATA;
	ends(END_CLIENT_ABORT, aborted);
	ends(END_CLIENT_TIMEOUT, aborted);
	ends(END_BAD_REQUEST, bad);
}

static void the_server_breaks_off(void **state)
{
	static const char aborted[] = "front server_aborts 1\n"
				      "back failed_responses 1\nback server_aborts 1\n"
				      "server failed_responses 1\nserver server_aborts 1\n";
	static const char failed[] = "back failed_responses 1\nserver failed_responses 1\n";

	(void)state;
	s.phase = PHASE_DATA;
	ends(END_SERVER_ABORT, aborted);
	ends(END_BAD_RESPONSE, failed);
	ends(END_SERVER_TIMEOUT, "front server_aborts 1\nback server_aborts 1\n"
				 "server server_aborts 1\n");
	wrong = true;
	ends(END_SERVER_ABORT, failed);
	ends(END_BAD_RESPONSE, failed);
	ends(END_SERVER_TIMEOUT, failed);
}

static void no_server_is_reached(void **state)
{
	static const char both[] = "back failed_connections 1\nserver failed_connections 1\n";
	static const char one[] = "back failed_connections 1\n";

	(void)state;
	s.phase = PHASE_QUEUE;
	ends(END_QUEUE_FULL, both);
	ends(END_QUEUE_TIMEOUT, both);
	ends(END_NO_SERVER, one);
	s.server = NULL;
	ends(END_QUEUE_FULL, one);
	ends(END_QUEUE_TIMEOUT, one);
}

static void the_program_fails(void **state)
{
	static const char failed[] = "front internal_errors 1\nlistener internal_errors 1\n"
				     "back internal_errors 1\nserver internal_errors 1\n";

	(void)state;
	ends(END_INTERNAL, failed);
	ends(END_UNWRITTEN, failed);
	ends(END_RESOURCE, "no memory 1\n");
}

static void the_rest_is_counted_elsewhere(void **state)
{
	static const enum reason rest[] = {
		END_NORMAL, END_SERVER_REFUSED, END_CONNECT_TIMEOUT, END_DENIED, END_LIMIT,
		END_LOCAL, END_FILTERED, END_SERVER_DOWN, END_SERVER_UP, END_KILLED,
	};
	unsigned i;

	(void)state;
	for (i = 0; i < sizeof(rest) / sizeof(rest[0]); i++)
		ends(rest[i], "");
}

/* There is none yet, or it counts nothing: a frontend that answers by itself. */
static void without_a_backend(void **state)
{
	unsigned i;

	(void)state;
	s.server = NULL;
	s.phase = PHASE_DATA;
	origin.listener = NULL;
	back.be = NULL;
	for (i = 0; i < 2; i++) {
		s.backend = i ? &back : NULL;
		ends(END_CLIENT_ABORT, "front client_aborts 1\n");
		ends(END_BAD_REQUEST, "front failed_requests 1\nnobody failed_requests 1\n");
		ends(END_BAD_RESPONSE, "");
		ends(END_SERVER_ABORT, "front server_aborts 1\n");
		ends(END_SERVER_TIMEOUT, "front server_aborts 1\n");
		ends(END_NO_SERVER, "");
		ends(END_INTERNAL, "front internal_errors 1\nnobody internal_errors 1\n");
	}
}

/* ---- bytes -------------------------------------------------------------------------------- */

static void bytes_are_everybodys(void **state)
{
	(void)state;
	s.reason = END_NORMAL;
	s.relay.request.copied = 100;
	s.relay.request.spliced = 20;
	s.relay.response.copied = 3000;
	s.relay.response.spliced = 400;
	heads = (struct stream_bytes){ 7, 80 };
	stream_count_bytes(&s);
	assert_int_equal(process.bytes_out_rate.current, 3480 / 32);
	moved("front bytes_in 127\nfront bytes_out 3480\n"
	      "listener bytes_in 127\nlistener bytes_out 3480\n"
	      "back bytes_in 127\nback bytes_out 3480\n"
	      "server bytes_in 127\nserver bytes_out 3480\nprocess bytes_out 3480\n");
	stream_count_spliced(&s);
	moved("front bytes_spliced 420\nlistener bytes_spliced 420\nback bytes_spliced 420\n"
	      "server bytes_spliced 420\n");
	s.server = NULL;
	back.be = NULL;
	stream_count_bytes(&s);
	moved("front bytes_in 127\nfront bytes_out 3480\n"
	      "listener bytes_in 127\nlistener bytes_out 3480\nprocess bytes_out 3480\n");
	s.backend = NULL;
	origin.listener = NULL;
	stream_count_spliced(&s);
	moved("front bytes_spliced 420\nnobody bytes_spliced 420\n");
	s.relay.request.spliced = s.relay.response.spliced = 0;
	stream_count_spliced(&s);
	moved("");
}

/* One that lives says what is new since; behind a retry that sends some again, when that is more
 * than before. */
static void one_that_lives_counts_on(void **state)
{
	(void)state;
	s.server = NULL;
	s.backend = NULL;
	origin.listener = NULL;
	stream_count_bytes(&s);
	moved("");
	assert_null(s.extra);
	s.relay.request.copied = 100;
	stream_count_bytes(&s);
	moved("front bytes_in 100\nnobody bytes_in 100\n");
	stream_count_bytes(&s);
	moved("");
	s.relay.request.copied = 60;
	s.relay.response.copied = 5;
	stream_count_bytes(&s);
	moved("front bytes_out 5\nnobody bytes_out 5\nprocess bytes_out 5\n");
	s.relay.request.copied = 101;
	s.reason = END_NORMAL;
	s.relay.response.copied = 7;
	stream_count_bytes(&s);
	moved("front bytes_in 1\nfront bytes_out 2\nnobody bytes_in 1\nnobody bytes_out 2\n"
	      "process bytes_out 2\n");
	extra_free(&s);
}

/* ... by itself where its frontend asks for that, when counters are shown. */
static void some_are_counted_all_along(void **state)
{
	(void)state;
	s.backend = NULL;
	s.server = NULL;
	s.relay.request.copied = 9;
	list_append(&streams_all, &s.node);
	streams_count_bytes();
	moved("");
	front.set.options.on = OPT_CONTSTATS;
	s.reason = END_NORMAL;
	streams_count_bytes();
	moved("");
	s.reason = END_NONE;
	streams_count_bytes();
	moved("front bytes_in 9\nlistener bytes_in 9\n");
	list_remove(&s.node);
	extra_free(&s);
}

/* What came in counts, where filters make something else of it. */
static void filters_change_nothing_of_that(void **state)
{
	struct pump_chain chain = { .taken = 1000 };
	struct stream_bytes all;

	(void)state;
	s.relay.request.copied = s.relay.response.copied = 40;
	s.relay.request.chain = s.relay.response.chain = &chain;
	all = stream_bytes_of(&s);
	assert_int_equal(all.in, 40);
	assert_int_equal(all.out, 40);
	chain.changing = 1;
	s.relay.response.chain = NULL;
	all = stream_bytes_of(&s);
	assert_int_equal(all.in, 1000);
	assert_int_equal(all.out, 40);
	s.relay.request.chain = NULL;
}

#define EACH(test) cmocka_unit_test_setup(test, begin)

int main(void)
{
	const struct CMUnitTest tests[] = {
		EACH(the_client_breaks_off), EACH(the_server_breaks_off),
		EACH(no_server_is_reached), EACH(the_program_fails),
		EACH(the_rest_is_counted_elsewhere), EACH(without_a_backend),
		EACH(bytes_are_everybodys), EACH(one_that_lives_counts_on),
		EACH(some_are_counted_all_along), EACH(filters_change_nothing_of_that),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
