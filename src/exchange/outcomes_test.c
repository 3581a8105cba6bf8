/* SPDX-License-Identifier: BSD-2-Clause */
/* What becomes of exchanges: requests that are sent once more and why, what is learnt of servers and
 * what not, the status that is logged. Servers are scripted sockets, the clock stands still. */
#include "exchange/exchange.h"
#include "exchange/test_client.h"
#include "exchange/test_served.h"
#include "exchange/test_world.h"

#include "base/clock.h"
#include "config/config.h"
#include "config/diag.h"
#include "proxy/latency.h"
#include "proxy/learn.h"
#include "proxy/observe_conf.h"
#include "proxy/proxy.h"
#include "stream/stream.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
/* cmocka wants the four above */
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct wire w;
static unsigned responses; /* that somebody was told of */

static int begin(void **state)
{
	(void)state;
	served_world_begin(SERVED_HTTP " retries 1\n"
			   "frontend f\n bind 127.0.0.1:1\n"
			   " http-request redirect location %[req.hdr(nowhere)] ignore-empty\n"
			   " http-request return status 201 content-type text/plain string x"
			   " if { path /7 }\n"
			   " use_backend junk if { path /4 }\n use_backend empty if { path /5 }\n"
			   " use_backend fast if { path /6 }\n use_backend used if { path /8 }\n"
			   " default_backend b\n"
			   "backend b\n http-response set-status 100 if { status 418 }\n"
			   " server s abns@%s\n"
			   "backend junk\n retry-on junk-response\n server s abns@%s\n"
			   "backend empty\n retry-on empty-response\n server s abns@%s\n"
			   "backend fast\n balance peak-ewma\n server s abns@%s\n"
			   "backend used\n option redispatch 1\n use-server dead if TRUE\n"
			   " server dead abns@%s-nobody\n server s abns@%s\n");
	return 0;
}

static int afresh(void **state)
{
	responses = 0;
	return served_world_afresh(state);
}

static void ask(size_t n, unsigned status)
{
	wire_open(&w, world_frontend("f"));
	wire_ask(&w, 0, n);
	turns(QUIET);
	assert_null(w.lanes[0].end);
	assert_int_equal(w.lanes[0].status, status);
	wire_close(&w);
}

/* Half a head is junk, nothing at all is empty: each is tried once more where it is to be. */
static void half_a_head_is_junk(void **state)
{
	(void)state;
	served.says = "HTTP/1.1 2";
	served.leaves = 2;
	ask(4, 502);
	assert_int_equal(served.asked, 2);
	served.asked = 0;
	served.leaves = 1;
	ask(5, 502);
	assert_int_equal(served.asked, 1);
}

static void nothing_is_empty(void **state)
{
	(void)state;
	served.says = "";
	served.leaves = 2;
	ask(5, 502);
	assert_int_equal(served.asked, 2);
	assert_int_equal(w.lanes[0].marks, 1); /* kept for both tries at once */
	served.asked = 0;
	served.leaves = 1;
	ask(4, 502);
	assert_int_equal(served.asked, 1);
}

static void nonsense_is_junk(void **state)
{
	(void)state;
	served.says = "nonsense\r\n\r\n";
	ask(4, 502);
	assert_int_equal(served.asked, 2);
	served.asked = 0;
	ask(5, 502);
	assert_int_equal(served.asked, 1);
}

/* A rule's server that cannot be reached is not chosen once more by the rule. */
static void another_try_is_not_by_the_rule(void **state)
{
	(void)state;
	wire_open(&w, world_frontend("f"));
	wire_ask(&w, 0, 8);
	turns(QUIET);
	pass(2000); /* between two tries */
	assert_int_equal(served.asked, 1);
	lane_is_whole(&w.lanes[0]);
	assert_int_equal(world_backend("used")->be->counters.redispatches, 1);
	wire_close(&w);
}

/* Nobody waits for the answer any more, whichever of the two the system says of the connection. */
static void a_client_that_is_gone_is_served_no_more(void **state)
{
	static const uint16_t flags[] = { CONN_HUP, CONN_ERROR };
	struct counters *c = &world_frontend("f")->fe->counters;
	uint64_t aborts = c->client_aborts;
	unsigned i;

	(void)state;
	served.says = "";
	for (i = 0; i < 2; i++) {
		wire_open(&w, world_frontend("f"));
		wire_ask(&w, 0, 50);
		turns(QUIET);
		assert_int_equal(served.asked, i + 1);
		assert_non_null(w.lanes[0].end);
		w.lanes[0].flags |= flags[i] | CONN_READABLE;
		end_ready(w.lanes[0].end);
		turns(QUIET);
		assert_null(w.lanes[0].end);
		assert_int_equal(w.lanes[0].status, 0);
		assert_int_equal(c->client_aborts, aborts + i + 1);
		wire_close(&w);
	}
}

/* ---- what is learnt --------------------------------------------------------------------------- */

static void note_response(struct server *server, enum observed what)
{
	(void)server;
	responses += what != OBSERVED_CONNECTED && what != OBSERVED_NOT_CONNECTED;
}

static void who_does_not_learn_is_not_told(void **state)
{
	static struct observe_conf layer7 = { .layer = OBSERVE_LAYER7 };
	struct server *server = world_backend("b")->servers;

	(void)state;
	server_part_set(server, &observe_conf_part, &layer7);
	server_hooks.observed = note_response;
	server->learns = LEARNS_CONNECTIONS;
	ask(50, 200);
	assert_int_equal(responses, 0);
	server->learns = LEARNS_RESPONSES;
	ask(50, 200);
	assert_int_equal(responses, 1);
	server->learns = LEARNS_CONNECTIONS;
	served.says = "nonsense\r\n\r\n";
	ask(50, 502);
	assert_int_equal(responses, 1);
	server->learns = LEARNS_RESPONSES;
	ask(50, 502);
	assert_int_equal(responses, 2);
	server_hooks.observed = NULL;
}

/* From when the request left: far less than a minute. */
static void answers_are_timed(void **state)
{
	const struct server *server = world_backend("fast")->servers;
	uint64_t began = clock_read_us();

	(void)state;
	ask(6, 200);
	assert_in_range(latency_now(server), 1, clock_read_us() - began);
}

/* ---- rules ------------------------------------------------------------------------------------ */

/* A redirection to nowhere is passed over. */
static void an_empty_location_redirects_nobody(void **state)
{
	(void)state;
	ask(3, 200);
}

/* ... which is why rules behind it are no mistake; nor is the type of an answer that has a body. */
static void nothing_is_said_of_the_rules(void **state)
{
	char *text = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&text, &len);

	(void)state;
	assert_non_null(out);
	diag_print(world_config()->diag, out, false, 0, DIAG_NOTE);
	fclose(out);
	assert_string_equal(text, "");
	free(text);
	ask(7, 201);
}

#define EACH(test) cmocka_unit_test_setup(test, afresh)

int main(void)
{
	const struct CMUnitTest tests[] = {
		EACH(half_a_head_is_junk), EACH(nothing_is_empty), EACH(nonsense_is_junk),
		EACH(another_try_is_not_by_the_rule), EACH(a_client_that_is_gone_is_served_no_more),
		EACH(who_does_not_learn_is_not_told), EACH(answers_are_timed),
		EACH(an_empty_location_redirects_nobody),
		EACH(nothing_is_said_of_the_rules),
	};

	return cmocka_run_group_tests(tests, begin, served_world_end);
}
