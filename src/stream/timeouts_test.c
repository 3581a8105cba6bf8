/* SPDX-License-Identifier: BSD-2-Clause */
/* Time limits of a stream that forwards: whose silence counts, from when on, and whom it is blamed
 * on. Both ends are made up; the clock stands still but for what a test lets pass. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/clock.h"
#include "proxy/proxy.h"
#include "stream/extra.h"
#include "stream/kind.h"
#include "stream/run.h"
#include "stream/steps.h"
#include "stream/stream.h"
#include "stream/timeouts.h"

#include <string.h>

enum { CLIENT = 60000, SERVER = 50000, BEGIN = 500000 };

static struct proxy front, back;
static struct origin origin;
static struct stream s;
static struct timer timer;
static struct stream_extra extra;
static uint16_t client_flags, server_flags;
static enum reason over;          /* whose silence it was; END_NONE: nobody's yet */
static unsigned woken;
static unsigned own_timeout;      /* of the server's end */
static bool busy;
static struct buf held = { .len = 10 };

static bool quiet(struct stream *stream, enum reason reason)
{
	assert_ptr_equal(stream, &s);
	assert_int_equal(over, END_NONE);
	over = reason;
	return false;
}

static struct stream_bytes no_bytes(const struct stream *stream)
{
	(void)stream;
	return (struct stream_bytes){ 0, 0 };
}

static unsigned end_timeout(const struct end *end)
{
	(void)end;
	return own_timeout;
}

static bool end_busy(const struct end *end)
{
	(void)end;
	return busy;
}

static void notice(struct relay *relay, struct pump *pump)
{
	(void)relay;
	(void)pump;
	woken++;
}

static void fired(struct timer *t)
{
	(void)t;
}

static const struct stream_kind kind = { .name = "test", .quiet = quiet, .bytes = no_bytes };
static const struct end_ops plain_ops = { .name = "test" };
static const struct end_ops own_ops = { .name = "own", .timeout = end_timeout };
static const struct end_ops busy_ops = { .name = "busy", .busy = end_busy };

/* Both sides are connected, and have said nothing since BEGIN. */
static int begin(void **state)
{
	(void)state;
	clock_freeze(BEGIN);
	over = END_NONE;
	woken = own_timeout = 0;
	busy = false;
	client_flags = server_flags = CONN_WRITABLE;
	front = back = (struct proxy){ .name = "test" };
	front.set.timeout = (struct timeouts){ .client = CLIENT };
	back.set.timeout = (struct timeouts){ .server = SERVER };
	origin = (struct origin){ .frontend = &front };
	extra = (struct stream_extra){ .stream = &s };
	timer_cancel(&timer);
	timer_init(&timer, fired);
	s = (struct stream){ .kind = &kind, .origin = &origin, .timer = &timer, .backend = &back,
			     .phase_ms = BEGIN, .closes_halves = true, .connected = true };
	stream_move_request(&s, REQ_FORWARD);
	stream_move_response(&s, RES_FORWARD);
	relay_init(&s.relay);
	s.relay.request.read_ms = s.relay.request.write_ms = BEGIN;
	s.relay.response.read_ms = s.relay.response.write_ms = BEGIN;
	end_set_applet(&s.relay.client, &plain_ops, NULL, &client_flags, NULL);
	end_set_applet(&s.relay.server, &plain_ops, NULL, &server_flags, NULL);
	relay_notice = notice;
	return 0;
}

/* It looks again so many ms from now, and nothing is over. */
static void looks_in(uint64_t ms)
{
	assert_int_equal(over, END_NONE);
	assert_true(s.expires);
	assert_int_equal(s.expire_ms, clock_now_ms + ms);
	assert_true(timer_armed(&timer));
	assert_true(timer.when <= s.expire_ms);
}

static void never_looks(void)
{
	assert_int_equal(over, END_NONE);
	assert_false(s.expires);
	assert_int_equal(s.expire_ms, 0);
}

static void is_over(enum reason reason)
{
	assert_int_equal(over, reason);
}

static void the_nearest_limit_counts(void **state)
{
	(void)state;
	stream_arm_forward(&s);
	looks_in(SERVER);
	clock_advance(SERVER - 1);
	stream_arm_forward(&s);
	looks_in(1);
	clock_advance(1);
	stream_arm_forward(&s);
	is_over(END_SERVER_TIMEOUT);
}

static void the_client_has_its_own(void **state)
{
	(void)state;
	front.set.timeout.client = 10000;
	stream_arm_forward(&s);
	looks_in(10000);
	clock_advance(10000);
	stream_arm_forward(&s);
	is_over(END_CLIENT_TIMEOUT);
}

static void without_limits_it_waits_for_ever(void **state)
{
	(void)state;
	front.set.timeout.client = back.set.timeout.server = 0;
	stream_arm_forward(&s);
	never_looks();
	stream_arm_exchange(&s);
	never_looks();
	back.set.timeout.server = SERVER;
	stream_arm_exchange(&s);
	looks_in(SERVER);
	front.set.timeout.client = SERVER - 1;
	stream_arm_exchange(&s);
	looks_in(SERVER - 1);
	front.set.timeout.client = SERVER + 1;
	stream_arm_exchange(&s);
	looks_in(SERVER);
	back.set.timeout.server = 0;
	stream_arm_exchange(&s);
	looks_in(SERVER + 1);
}

/* What was sent to a side, or came from it, excuses it. */
static void any_byte_excuses_both(void **state)
{
	(void)state;
	clock_advance(20000);
	s.relay.request.read_ms = (uint32_t)clock_now_ms;
	stream_arm_forward(&s);
	looks_in(SERVER - 20000);
	s.relay.request.write_ms = (uint32_t)clock_now_ms;
	stream_arm_forward(&s);
	looks_in(SERVER);
	clock_advance(5000);
	s.relay.response.read_ms = s.relay.response.write_ms = (uint32_t)clock_now_ms;
	stream_arm_forward(&s);
	looks_in(SERVER);
}

/* ... unless its option says that bytes towards it do not. */
static void with_independent_streams_they_do_not(void **state)
{
	(void)state;
	back.set.options.on = OPT_INDEPENDENT;
	clock_advance(20000);
	s.relay.request.read_ms = s.relay.request.write_ms = (uint32_t)clock_now_ms;
	stream_arm_forward(&s);
	looks_in(SERVER - 20000);
	/* They wait for it to take them: then that is what counts. */
	s.relay.request.buf = &held;
	stream_arm_forward(&s);
	looks_in(SERVER);
	s.relay.request.buf = NULL;
	back.set.options.on = 0;
	front.set.options.on = OPT_INDEPENDENT;
	front.set.timeout.client = 30000;
	s.relay.request.read_ms = BEGIN;
	s.relay.response.write_ms = (uint32_t)clock_now_ms;
	stream_arm_forward(&s);
	looks_in(10000);
}

/* It is not the server's fault that the client takes nothing. */
static void who_is_not_expected_is_not_blamed(void **state)
{
	(void)state;
	s.relay.response.buf = &held;
	client_flags = 0;
	clock_advance(SERVER);
	stream_arm_forward(&s);
	looks_in(1000);
	clock_advance(CLIENT - SERVER);
	stream_arm_forward(&s);
	is_over(END_CLIENT_TIMEOUT);
	s.relay.response.buf = NULL;
}

/* The client has ended, the server has not: it alone may bring something yet. */
static void who_has_ended_is_not_expected(void **state)
{
	(void)state;
	s.relay.request.flags |= PUMP_EOF;
	front.set.timeout.client = 10000;
	clock_advance(10000);
	stream_arm_forward(&s);
	looks_in(1000);
	clock_advance(SERVER - 10000);
	stream_arm_forward(&s);
	is_over(END_SERVER_TIMEOUT);
}

static void who_is_stopped_is_not_expected(void **state)
{
	(void)state;
	s.relay.response.flags |= PUMP_STOPPED;
	clock_advance(SERVER);
	stream_arm_forward(&s);
	looks_in(1000);
}

/* ... or there is no such side. */
static void who_is_not_there_has_no_limit(void **state)
{
	(void)state;
	end_forget(&s.relay.server);
	stream_arm_forward(&s);
	looks_in(CLIENT);
}

static void both_are_over_at_once(void **state)
{
	(void)state;
	front.set.timeout.client = SERVER;
	clock_advance(SERVER);
	/* Nobody has asked for anything: it was the client's turn. */
	stream_arm_forward(&s);
	is_over(END_CLIENT_TIMEOUT);
	/* It has asked, and got nothing. */
	over = END_NONE;
	s.relay.request.copied = 10;
	stream_arm_forward(&s);
	is_over(END_SERVER_TIMEOUT);
	/* It has got something behind what it asked. */
	over = END_NONE;
	s.relay.response.copied = 10;
	s.relay.request.write_ms = BEGIN - 2;
	s.relay.response.write_ms = BEGIN - 1;
	stream_arm_forward(&s);
	is_over(END_CLIENT_TIMEOUT);
	/* It has asked again since. */
	over = END_NONE;
	s.relay.request.write_ms = BEGIN;
	stream_arm_forward(&s);
	is_over(END_SERVER_TIMEOUT);
}

static void a_half_that_is_closed_has_limits_of_its_own(void **state)
{
	(void)state;
	front.set.timeout.client_fin = 3000;
	back.set.timeout.server_fin = 2000;
	stream_arm_forward(&s);
	looks_in(SERVER);
	s.relay.request.flags |= PUMP_EOF;
	stream_arm_forward(&s);
	looks_in(2000);
	back.set.timeout.server_fin = 0;
	stream_arm_forward(&s);
	looks_in(3000);
	/* Exchanges do not close halves. */
	s.closes_halves = false;
	stream_arm_forward(&s);
	looks_in(SERVER);
}

static void a_tunnel_has_one_limit(void **state)
{
	(void)state;
	back.set.timeout.tunnel = 100000;
	stream_arm_forward(&s);
	looks_in(100000);
	s.relay.response.flags |= PUMP_STOPPED;
	back.set.timeout.server_fin = 5000;
	stream_arm_forward(&s);
	looks_in(5000);
	s.closes_halves = false;
	stream_arm_forward(&s);
	looks_in(SERVER);
}

static void a_rule_has_set_others(void **state)
{
	(void)state;
	s.extra = &extra;
	extra.treatment.timeout_ms[TIMEOUT_SERVER] = 7000;
	stream_arm_forward(&s);
	looks_in(7000);
	extra.treatment.timeout_ms[TIMEOUT_CLIENT] = 6000;
	stream_arm_forward(&s);
	looks_in(6000);
	extra.treatment.timeout_ms[TIMEOUT_TUNNEL] = 9000;
	stream_arm_forward(&s);
	looks_in(9000);
	assert_int_equal(stream_timeout(&s, TIMEOUT_CLIENT), 6000);
	assert_int_equal(stream_timeout(&s, TIMEOUT_SERVER), 7000);
	s.extra = NULL;
	assert_int_equal(stream_timeout(&s, TIMEOUT_CLIENT), CLIENT);
	assert_int_equal(stream_timeout(&s, TIMEOUT_SERVER), SERVER);
	front.set.timeout.server = 1234;
	s.backend = NULL;
	assert_int_equal(stream_timeout(&s, TIMEOUT_SERVER), 1234);
}

/* An applet that says how long it waits for the client; 0: as the proxy does. */
static void an_applet_has_limits_of_its_own(void **state)
{
	(void)state;
	end_set_applet(&s.relay.server, &own_ops, NULL, &server_flags, NULL);
	stream_arm_forward(&s);
	looks_in(SERVER);
	own_timeout = 4000;
	stream_arm_forward(&s);
	looks_in(4000);
}

static void nobody_is_quiet_while_it_is_at_work(void **state)
{
	(void)state;
	end_set_applet(&s.relay.server, &busy_ops, NULL, &server_flags, NULL);
	busy = true;
	clock_advance(2 * CLIENT);
	stream_arm_forward(&s);
	looks_in(1000);
	busy = false;
	stream_arm_forward(&s);
	looks_in(CLIENT);
	clock_advance(CLIENT);
	stream_arm_forward(&s);
	is_over(END_CLIENT_TIMEOUT);
}

/* A step that arms the time is at work: it may go on. The end is told between two steps. */
static void nothing_is_over_within_a_step(void **state)
{
	(void)state;
	end_set_applet(&s.relay.server, &busy_ops, NULL, &server_flags, NULL);
	busy = true;
	client_flags = CONN_HUP;
	s.in_steps = STEPS_RUN;
	stream_arm_forward(&s);
	looks_in(1);
	s.in_steps = 0;
	stream_arm_forward(&s);
	is_over(END_CLIENT_ABORT);
}

/* "timeout try": from the last byte of the request on. */
static void each_try_has_a_limit(void **state)
{
	(void)state;
	s.traits = TRIES_END;
	stream_move_response(&s, RES_HEAD);
	back.set.timeout.attempt = 3000;
	clock_advance(1000);
	stream_arm_forward(&s);
	looks_in(3000); /* the client is not through yet */
	s.relay.request.flags |= PUMP_FINISHED;
	stream_arm_forward(&s);
	looks_in(2000);
	s.relay.request.write_ms = (uint32_t)clock_now_ms;
	stream_arm_exchange(&s);
	looks_in(3000);
	clock_advance(3000);
	stream_move_response(&s, RES_FORWARD); /* the head is there */
	stream_arm_forward(&s);
	looks_in(SERVER - 3000);
	stream_move_response(&s, RES_HEAD);
	s.traits |= HAS_SERVICE;
	stream_arm_forward(&s);
	looks_in(SERVER - 3000);
	s.traits = TRIES_END;
	stream_arm_forward(&s);
	is_over(END_SERVER_TIMEOUT);
}

/* ---- waits of a step ------------------------------------------------------------------------- */

static void a_wait_is_over_in_time(void **state)
{
	(void)state;
	clock_advance(10);
	stream_arm_wait(&s, 500);
	looks_in(500);
	assert_int_equal(s.phase_ms, (uint32_t)clock_now_ms);
	assert_false(stream_wait_over(&s));
	clock_advance(499);
	stream_timer(&s);
	assert_false(stream_wait_over(&s));
	assert_int_equal(woken, 0);
	clock_advance(1);
	stream_move_request(&s, REQ_QUEUE);
	stream_timer(&s);
	assert_int_equal(woken, 1);
	assert_true(stream_wait_over(&s));
	stream_arm_wait(&s, 0);
	never_looks();
	assert_false(stream_wait_over(&s));
	stream_timer(&s);
	assert_int_equal(woken, 1);
}

/* The timer of one that forwards looks at its sides, and nothing else. */
static void the_timer_looks(void **state)
{
	(void)state;
	stream_arm_forward(&s);
	clock_advance(20000);
	s.relay.response.read_ms = (uint32_t)clock_now_ms;
	stream_timer(&s);
	assert_int_equal(s.expire_ms, BEGIN + SERVER);
	clock_advance(SERVER - 20000);
	stream_timer(&s);
	looks_in(CLIENT - SERVER);
	clock_advance(10000);
	stream_timer(&s);
	is_over(END_CLIENT_TIMEOUT);
	assert_int_equal(woken, 0);
}

/* ... unless the answer drains, or its head is waited for by bytes. */
static void else_its_step_does(void **state)
{
	(void)state;
	s.draining = true;
	stream_expire_at(&s, clock_now_ms + 5);
	clock_advance(5);
	stream_timer(&s);
	assert_int_equal(woken, 1);
	s.draining = false;
	stream_move_response(&s, RES_HEAD);
	stream_expire_at(&s, clock_now_ms + 5);
	clock_advance(5);
	stream_timer(&s);
	assert_int_equal(woken, 2);
	is_over(END_NONE);
}

static void an_inspection_ends(void **state)
{
	(void)state;
	stream_arm_wait(&s, 0);
	assert_int_equal(stream_arm_inspection(&s, 5000, 0, BEGIN), INSPECTION_GOES_ON);
	looks_in(5000);
	assert_int_equal(stream_arm_inspection(&s, 5000, 6000, BEGIN), INSPECTION_GOES_ON);
	looks_in(5000);
	clock_advance(1000);
	assert_int_equal(stream_arm_inspection(&s, 5000, 3000, BEGIN), INSPECTION_GOES_ON);
	looks_in(2000);
	/* It has sent something since. */
	assert_int_equal(stream_arm_inspection(&s, 5000, 3000, BEGIN + 500), INSPECTION_GOES_ON);
	looks_in(2500);
	clock_advance(2500);
	assert_int_equal(stream_arm_inspection(&s, 5000, 3000, BEGIN + 500), INSPECTION_QUIET);
	clock_advance(1499);
	assert_int_equal(stream_arm_inspection(&s, 5000, 0, BEGIN), INSPECTION_GOES_ON);
	looks_in(1);
	clock_advance(1);
	assert_int_equal(stream_arm_inspection(&s, 5000, 0, BEGIN), INSPECTION_OVER);
}

#define EACH(test) cmocka_unit_test_setup(test, begin)

int main(void)
{
	const struct CMUnitTest tests[] = {
		EACH(the_nearest_limit_counts), EACH(the_client_has_its_own),
		EACH(without_limits_it_waits_for_ever), EACH(any_byte_excuses_both),
		EACH(with_independent_streams_they_do_not),
		EACH(who_is_not_expected_is_not_blamed), EACH(who_has_ended_is_not_expected),
		EACH(who_is_stopped_is_not_expected), EACH(who_is_not_there_has_no_limit),
		EACH(both_are_over_at_once), EACH(a_half_that_is_closed_has_limits_of_its_own),
		EACH(a_tunnel_has_one_limit), EACH(a_rule_has_set_others),
		EACH(an_applet_has_limits_of_its_own), EACH(nobody_is_quiet_while_it_is_at_work),
		EACH(nothing_is_over_within_a_step),
		EACH(each_try_has_a_limit), EACH(a_wait_is_over_in_time), EACH(the_timer_looks),
		EACH(else_its_step_does), EACH(an_inspection_ends),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
