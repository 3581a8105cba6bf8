/* SPDX-License-Identifier: BSD-2-Clause */
/* Requests of the program's own, to a host and through a backend. Servers are scripted sockets
 * (exchange/test_served.h), the clock stands still. */
#include "client/own_request.h"

#include "base/clock.h"
#include "base/memory.h"
#include "base/pool.h"
#include "client/client_conf.h"
#include "client/own_host.h"
#include "config/module.h"
#include "dns/resolvers.h"
#include "exchange/test_served.h"
#include "exchange/test_world.h"
#include "http/uri.h"
#include "proxy/proxy.h"
#include "stream/stream.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
/* cmocka wants the four above */
#include <cmocka.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/un.h>
#include <unistd.h>

static char served_name[100];
static struct own_request own;
static struct own_target target;
static unsigned wakes;

/* What has come of the answer. */
static struct {
	enum own_step last;
	unsigned status;
	char field[50]; /* of "x" */
	char body[300];
	size_t len;
} heard;

static void ready(struct own_request *r)
{
	assert_ptr_equal(r, &own);
	wakes++;
}

static void note_head(const struct message *msg)
{
	const struct field *f;
	unsigned at = 0;

	heard.status = msg->status;
	f = message_find(msg, span_of("x"), &at);
	if (f)
		snprintf(heard.field, sizeof(heard.field), "%.*s", (int)f->value.len, f->value.ptr);
}

/* As far as it gets, with turns of the loop between. */
static void go_on(void)
{
	do {
		wakes = 0;
		heard.last = own_request_go(&own);
		if (heard.last == OWN_WAITS)
			turns(QUIET);
		if (heard.last == OWN_HEAD)
			note_head(&own.msg);
		if (heard.last != OWN_PIECE)
			continue;
		assert_true(heard.len + own.piece.len < sizeof(heard.body));
		memcpy(heard.body + heard.len, own.piece.ptr, own.piece.len);
		heard.len += own.piece.len;
	} while (heard.last == OWN_HEAD || heard.last == OWN_PIECE ||
		 (heard.last == OWN_WAITS && wakes));
	turns(QUIET);
}

static void ask_within(struct own_limits limits, enum method method, const char *head,
		       const char *body)
{
	struct own_words words = { method, span_of(head), span_of(body) };

	memset(&heard, 0, sizeof(heard));
	own.owner = &heard;
	own.ready = ready;
	own_request_begin(&own, &target, &words, limits);
	go_on();
}

static void ask(enum method method, const char *head, const char *body, unsigned silence_ms)
{
	ask_within((struct own_limits){ .silence_ms = silence_ms }, method, head, body);
}

static void get(void)
{
	ask(METHOD_GET, "GET /9 HTTP/1.1\r\nhost: a\r\n\r\n", "", 0);
}

static void post(void)
{
	ask(METHOD_POST, "POST /9 HTTP/1.1\r\nhost: a\r\ncontent-length: 5\r\n\r\n", "hello", 0);
}

static void is_answered(unsigned status, size_t len)
{
	assert_int_equal(heard.last, OWN_DONE);
	assert_int_equal(heard.status, status);
	assert_int_equal(heard.len, len);
	assert_int_equal(streams_count, 0);
}

static void has_failed(enum own_fault fault)
{
	assert_int_equal(heard.last, OWN_FAILED);
	assert_int_equal(own.fault, fault);
	assert_non_null(own.why);
	turns(QUIET);
	assert_int_equal(streams_count, 0);
}

/* ---- the world ------------------------------------------------------------------------------ */

/* "a" at an abstract socket. */
static void aim_at(const char *name)
{
	struct sockaddr_un un = { .sun_family = AF_UNIX };

	memset(&target, 0, sizeof(target));
	target.host = span_of("a");
	target.port = 80;
	memcpy(un.sun_path + 1, name, strlen(name));
	memcpy(&target.to, &un, sizeof(un));
	target.to_len = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + strlen(name));
}

static int begin(void **state)
{
	static const struct module *const front[] = { &resolvers_module, &client_module, NULL };
	char text[700];

	(void)state;
	snprintf(served_name, sizeof(served_name), "%s", served_begin());
	snprintf(text, sizeof(text),
		 "global\n httpclient.retries 1\n"
		 "defaults\n mode http\n timeout connect 5s\n timeout server 60s\n"
		 "backend b\n http-request set-header x y\n http-response set-header x %%[srv_name]\n"
		 " server s abns@%s\n", served_name);
	clock_freeze(1000000);
	world_begin_with(front, text);
	return 0;
}

static int end(void **state)
{
	(void)state;
	own_request_module.stop();
	world_end();
	client_module.stop();
	served_end();
	return 0;
}

static int afresh(void **state)
{
	(void)state;
	served_afresh();
	pass(20000); /* nothing is kept */
	aim_at(served_name);
	return 0;
}

/* ---- tests ---------------------------------------------------------------------------------- */

static void a_host_answers(void **state)
{
	(void)state;
	get();
	is_answered(200, 9);
	assert_int_equal(served.asked, 1);
}

static void a_backend_does_as_for_any_client(void **state)
{
	struct proxy *b = world_backend("b");
	uint64_t requests = b->be->counters.requests, reuses = b->be->counters.reuses;

	(void)state;
	memset(&target, 0, sizeof(target));
	target.backend = b;
	get();
	is_answered(200, 9);
	assert_string_equal(heard.field, "s");
	get();
	is_answered(200, 9);
	assert_int_equal(b->be->counters.requests, requests + 2);
	assert_int_equal(b->be->counters.reuses, reuses + 1);
}

static void a_connection_serves_the_next_one(void **state)
{
	int first;

	(void)state;
	get();
	first = served.by;
	get();
	is_answered(200, 9);
	assert_int_equal(served.by, first);
	target.host = span_of("b");
	get();
	is_answered(200, 9);
	assert_int_not_equal(served.by, first);
}

static void post_takes_one_that_was_busy_just_now(void **state)
{
	int first;

	(void)state;
	get();
	first = served.by;
	clock_advance(900);
	post();
	is_answered(200, 0);
	assert_int_equal(served.by, first);
	clock_advance(1000);
	post();
	is_answered(200, 0);
	assert_int_not_equal(served.by, first);
}

/* The server has closed it, and that is seen when the request is on its way. */
static void what_died_is_asked_once_more(void **state)
{
	(void)state;
	get();
	served.mute = 1;
	get();
	is_answered(200, 9);
	assert_int_equal(served.asked, 3);
	served.mute = 1;
	post();
	has_failed(OWN_BROKEN);
	assert_int_equal(served.asked, 4);
}

/* A new connection that says nothing is a server that fails. */
static void a_silent_end_is_no_answer(void **state)
{
	(void)state;
	served.mute = 1;
	get();
	has_failed(OWN_BROKEN);
	assert_int_equal(served.asked, 1);
}

static void nonsense_is_no_answer(void **state)
{
	(void)state;
	served.says = "What?\r\n\r\n";
	get();
	has_failed(OWN_BROKEN);
	served.says = "HTTP/1.1 200 OK\r\ncontent-length: 20\r\n\r\nhalf";
	served.leaves = 1;
	get();
	assert_int_equal(heard.len, 4);
	has_failed(OWN_BROKEN);
}

static void chunks_and_interim_answers_are_not_seen(void **state)
{
	(void)state;
	served.says = "HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 200 OK\r\nx: y\r\n"
		      "transfer-encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\nz: trailer\r\n\r\n";
	get();
	is_answered(200, 5);
	assert_string_equal(heard.field, "y");
	assert_memory_equal(heard.body, "abcde", 5);
}

static void a_body_leaves_in_its_framing(void **state)
{
	size_t before = served.bytes;

	(void)state;
	served.says = "HTTP/1.1 204 No Content\r\n\r\n";
	ask(METHOD_GET, "GET / HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\n", "hello", 0);
	is_answered(204, 0);
	assert_int_equal(served.bytes - before,
			 strlen("GET / HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\n"
				"5\r\nhello\r\n0\r\n\r\n"));
}

static void a_server_may_be_silent_so_long(void **state)
{
	(void)state;
	served.says = "";
	ask(METHOD_GET, "GET / HTTP/1.1\r\nhost: a\r\n\r\n", "", 300);
	assert_int_equal(heard.last, OWN_WAITS);
	pass(299);
	go_on();
	assert_int_equal(heard.last, OWN_WAITS);
	pass(1);
	go_on();
	has_failed(OWN_LATE);
}

static void nobody_is_there(void **state)
{
	(void)state;
	aim_at("penstock-nobody-listens-here");
	get();
	assert_int_equal(heard.last, OWN_WAITS); /* to try again */
	pass(1000);
	go_on();
	has_failed(OWN_UNREACHED);
	assert_string_equal(own.why, "no connection to it can be made");
}

static void it_ends_wherever_it_is(void **state)
{
	(void)state;
	served.says = "";
	get();
	assert_int_equal(heard.last, OWN_WAITS);
	assert_int_equal(streams_count, 1);
	own_request_end(&own);
	own_request_end(&own);
	turns(QUIET);
	assert_int_equal(streams_count, 0);
	served_afresh();
	get();
	is_answered(200, 9);
}

/* ---- no memory -------------------------------------------------------------------------------- */

static const struct pool *pool_named(const char *name)
{
	const struct pool *pool = pool_first();

	while (pool && strcmp(pool->name, name) != 0)
		pool = pool->next;
	assert_non_null(pool);
	return pool;
}

/* A number in a file: memory_fail_file. */
static int64_t *fails_begin(void)
{
	int fd = memfd_create("fails", 0);
	char path[40];
	int64_t *at;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	assert_int_equal(ftruncate(fd, sizeof(*at)), 0);
	assert_int_equal(memory_fail_file(path), 0);
	at = mmap(NULL, sizeof(*at), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	assert_ptr_not_equal(at, MAP_FAILED);
	close(fd);
	memory_fail_begin();
	memory_debug.how |= MEMORY_FAILS;
	return at;
}

static void fails_end(int64_t *at)
{
	memory_debug.how &= ~(unsigned)MEMORY_FAILS;
	munmap(at, sizeof(*at));
}

static void held_ready(struct own_request *r)
{
	(void)r;
}

/* One that gets no answer has the exchange that was kept. */
static void held_begin(struct own_request *held, unsigned silence_ms)
{
	struct own_words words = { METHOD_GET, span_of("GET / HTTP/1.1\r\nhost: a\r\n\r\n"),
				   span_of("") };

	*held = (struct own_request){ .ready = held_ready };
	served_afresh();
	served.says = "";
	own_request_begin(held, &target, &words, (struct own_limits){ .silence_ms = silence_ms });
	assert_int_equal(own_request_go(held), OWN_WAITS);
	turns(QUIET);
	assert_int_equal(served.asked, 1);
	served.says = NULL;
}

static void ends_by_itself(void)
{
	unsigned seconds;

	for (seconds = 0; heard.last == OWN_WAITS; seconds++) {
		assert_true(seconds < 70);
		pass(1000);
		go_on();
	}
}

/* Each allocation is missing once, that of the exchange among them: the request fails with a
 * sentence, or does without. Another one that is under way goes on. */
static void without_memory_it_fails(void **state)
{
	int64_t n = 0, left, *fails = fails_begin();
	struct own_request held;
	unsigned failed = 0;
	uint64_t exchanges;

	(void)state;
	get();
	held_begin(&held, 0);
	exchanges = pool_named("exchange")->failed;
	do {
		*fails = ++n;
		get();
		ends_by_itself();
		left = *fails;
		*fails = 0;
		assert_int_equal(streams_count, 1);
		assert_true(heard.last == OWN_DONE || own.why);
		failed += heard.last == OWN_FAILED;
		pass(20000);
	} while (left <= 0);
	assert_int_equal(heard.last, OWN_DONE);
	assert_int_equal(pool_named("exchange")->failed, exchanges + 1);
	assert_true(failed > 0);
	own_request_end(&held);
	turns(QUIET);
	fails_end(fails);
	get();
	is_answered(200, 9);
}

/* One whose silence cannot be limited for want of memory asks nobody: it might never end. */
static void without_memory_no_silence_is_endless(void **state)
{
	int64_t n = 0, left, *fails = fails_begin();
	struct own_request held;
	uint64_t extras;

	(void)state;
	served.says = "";
	ask(METHOD_GET, "GET / HTTP/1.1\r\nhost: a\r\n\r\n", "", 1000);
	ends_by_itself();
	held_begin(&held, INT32_MAX);
	served.says = "";
	extras = pool_named("extra")->failed;
	do {
		*fails = ++n;
		ask(METHOD_GET, "GET / HTTP/1.1\r\nhost: a\r\n\r\n", "", 1000);
		left = *fails;
		*fails = 0;
		ends_by_itself();
		assert_int_equal(heard.last, OWN_FAILED);
		assert_int_equal(streams_count, 1);
		pass(20000);
	} while (left <= 0);
	assert_int_equal(own.fault, OWN_LATE);
	assert_int_equal(pool_named("extra")->failed, extras + 1);
	own_request_end(&held);
	turns(QUIET);
	fails_end(fails);
}

/* A server that says a byte now and then is never silent. */
static void it_takes_no_longer_than_it_may(void **state)
{
	unsigned i;

	(void)state;
	served.says = "HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n";
	ask_within((struct own_limits){ .silence_ms = 5000, .whole_ms = 20000 }, METHOD_GET,
		   "GET / HTTP/1.1\r\nhost: a\r\n\r\n", "");
	for (i = 0; heard.last == OWN_WAITS; i++) {
		assert_true(i < 5);
		assert_int_equal(send(served.by, "x", 1, MSG_NOSIGNAL), 1);
		pass(4000);
		go_on();
	}
	has_failed(OWN_LATE);
	assert_int_equal(i, 5);
	assert_int_equal(heard.len, 4);
}

static void the_limit_counts_pauses(void **state)
{
	(void)state;
	aim_at("penstock-nobody");
	ask_within((struct own_limits){ .whole_ms = 500 }, METHOD_GET,
		   "GET / HTTP/1.1\r\nhost: a\r\n\r\n", "");
	assert_int_equal(heard.last, OWN_WAITS);
	pass(500);
	go_on();
	has_failed(OWN_LATE);
}

/* What is wrong with the request is no fault of the server's. */
static void a_request_that_cannot_be_said(void **state)
{
	char head[2000];
	size_t len = (size_t)sprintf(head, "GET /9 HTTP/1.1\r\nhost: a\r\n");
	unsigned i;

	(void)state;
	for (i = 0; i < 150; i++)
		len += (size_t)sprintf(head + len, "x: y\r\n");
	sprintf(head + len, "\r\n");
	ask(METHOD_GET, head, "", 0);
	has_failed(OWN_UNSAID);
	assert_int_equal(own_status(own.fault), 400);
	assert_non_null(strstr(own.why, "tune.http.maxhdr"));
	assert_int_equal(served.asked, 0);
}

static void urls(void **state)
{
	struct own_target t;
	struct uri uri;

	(void)state;
	assert_null(own_url(span_of("https://[::1]:8443/a?b"), &uri, &t));
	assert_true(t.tls);
	assert_int_equal(t.port, 8443);
	assert_true(span_equal(t.host, span_of("::1")));
	assert_null(own_url(span_of("http://x"), &uri, &t));
	assert_int_equal(t.port, 80);
	assert_non_null(own_url(span_of("ftp://x/"), &uri, &t));
	assert_non_null(own_url(span_of("http:///a"), &uri, &t));
	assert_non_null(own_url(span_of("http://x/a b"), &uri, &t));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(a_host_answers, afresh),
		cmocka_unit_test_setup(a_backend_does_as_for_any_client, afresh),
		cmocka_unit_test_setup(a_connection_serves_the_next_one, afresh),
		cmocka_unit_test_setup(it_takes_no_longer_than_it_may, afresh),
		cmocka_unit_test_setup(the_limit_counts_pauses, afresh),
		cmocka_unit_test_setup(a_request_that_cannot_be_said, afresh),
		cmocka_unit_test_setup(post_takes_one_that_was_busy_just_now, afresh),
		cmocka_unit_test_setup(what_died_is_asked_once_more, afresh),
		cmocka_unit_test_setup(a_silent_end_is_no_answer, afresh),
		cmocka_unit_test_setup(nonsense_is_no_answer, afresh),
		cmocka_unit_test_setup(chunks_and_interim_answers_are_not_seen, afresh),
		cmocka_unit_test_setup(a_body_leaves_in_its_framing, afresh),
		cmocka_unit_test_setup(a_server_may_be_silent_so_long, afresh),
		cmocka_unit_test_setup(nobody_is_there, afresh),
		cmocka_unit_test_setup(it_ends_wherever_it_is, afresh),
		cmocka_unit_test_setup(without_memory_it_fails, afresh),
		cmocka_unit_test_setup(without_memory_no_silence_is_endless, afresh),
		cmocka_unit_test(urls),
	};

	return cmocka_run_group_tests(tests, begin, end);
}
