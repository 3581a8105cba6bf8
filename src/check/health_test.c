/* SPDX-License-Identifier: BSD-2-Clause */
/* When servers are asked, and what the results make of their health: intervals, counts,
 * maintenance, trackers, errors of the traffic; the lines of the log are those of the reference. */
#include "check/test_world.h"

#include "base/clock.h"
#include "event/change.h"
#include "event/loop.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* -- when
 * ---------------------------------------------------------------------------------------- */

static void intervals_follow_the_state(void **state)
{
	(void)state;
	begin("", " server s1 127.0.0.1:$ check inter 4s fastinter 1s downinter 2s fall 2\n");
	work();
	assert_int_equal(next_in("s1"), 4000);
	close_port();
	pass(4000);
	assert_int_equal(next_in("s1"), 1000);
	pass(1000);
	assert_state("s1", "DOWN", CHECK_L4CON);
	assert_int_equal(next_in("s1"), 2000);
	open_port(100);
	pass(2000);
	assert_int_equal(next_in("s1"), 1000);
	pass(1000);
	assert_int_equal(next_in("s1"), 4000);
}

static void the_start_is_spread(void **state)
{
	(void)state;
	begin("", " server s1 127.0.0.1:$ check inter 400\n server s2 127.0.0.1:$ check inter 4s\n"
	      " server s3 127.0.0.1:$ check\n server s4 127.0.0.1:$ check\n"
	      " server off 127.0.0.1:$ check disabled\n");
	assert_int_equal(next_in("s1"), 0);
	assert_int_equal(next_in("s2"), 80);
	assert_int_equal(next_in("s3"), 160);
	assert_int_equal(next_in("s4"), 240);
	assert_false(timer_armed(&check_of(srv("off"))->timer));
}

static void max_spread_checks_shortens_it(void **state)
{
	(void)state;
	begin(" max-spread-checks 100\n",
	      " server s1 127.0.0.1:$ check\n server s2 127.0.0.1:$ check\n");
	assert_int_equal(next_in("s1"), 0);
	assert_int_equal(next_in("s2"), 50);
}

static void spread_checks_varies_the_interval(void **state)
{
	unsigned least = UINT32_MAX, most = 0, i;

	(void)state;
	begin(" spread-checks 20\n", " server s1 127.0.0.1:$ check inter 1s\n");
	work();
	for (i = 0; i < 60; i++) {
		least = next_in("s1") < least ? next_in("s1") : least;
		most = next_in("s1") > most ? next_in("s1") : most;
		pass(next_in("s1"));
	}
	assert_in_range(least, 800, 950);
	assert_in_range(most, 1050, 1200);
}

/* In maintenance and while paused there is no timer at all. */
static void maintenance_stops_it(void **state)
{
	struct server *s;

	(void)state;
	begin("", " server s1 127.0.0.1:$ check inter 1s\n");
	work();
	s = srv("s1");
	server_set_admin(s, ADMIN_FORCED_MAINT, 0);
	assert_false(timer_armed(&check_of(s)->timer));
	server_set_admin(s, 0, ADMIN_FORCED_MAINT);
	assert_true(timer_armed(&check_of(s)->timer));
	check_pause(s, true);
	assert_false(timer_armed(&check_of(s)->timer));
	server_set_admin(s, ADMIN_FORCED_MAINT, 0);
	check_pause(s, false);
	assert_false(timer_armed(&check_of(s)->timer));
	server_set_admin(s, 0, ADMIN_FORCED_MAINT);
	assert_int_equal(next_in("s1"), 1000);
	clock_advance(1000);
	loop_turn(0);
	check_pause(s, true);
	assert_false(s->state->check.running);
	assert_null(check_of(s)->conn);
}

/* -- health, without sockets ----------------------------------------------------------------- */

/* Results by letter: o L4OK, c L4CON, t L4TOUT; what the status is afterwards. */
static void health_counts_as_the_reference(void **state)
{
	static const struct {
		const char *result, *status;
	} steps[] = { { "o", "UP" },   { "c", "UP 2/3" },   { "o", "UP" },       { "t", "UP 2/3" },
		      { "c", "UP 1/3" }, { "o", "UP" },     { "ccc", "DOWN" },   { "t", "DOWN" },
		      { "o", "DOWN 1/2" }, { "c", "DOWN" }, { "oo", "UP" } };
	const char *r;
	unsigned i;

	(void)state;
	begin("", " server s1 127.0.0.1:$ check\n");
	for (i = 0; i < ARRAY_LEN(steps); i++) {
		for (r = steps[i].result; *r; r++)
			health_result(srv("s1"), *r == 'o' ? CHECK_L4OK :
						 *r == 'c' ? CHECK_L4CON : CHECK_L4TOUT);
		assert_state("s1", steps[i].status, srv("s1")->state->check.status);
	}
}

/* At the start, and behind maintenance: what one check makes of it, and what it takes. */
static void init_state_holds_until_checks_say_more(void **state)
{
	static const struct {
		const char *word, *before, *passed, *failed;
	} rows[] = { { "none", "UP 1/3", "UP", "DOWN" },       { "up", "UP 1/3", "UP", "DOWN" },
		     { "fully-up", "UP", "UP", "UP 2/3" },     { "down", "DOWN 1/2", "UP", "DOWN" },
		     { "fully-down", "DOWN", "DOWN 1/2", "DOWN" } };
	char line[128];
	unsigned i;

	(void)state;
	for (i = 0; i < ARRAY_LEN(rows); i++) {
		snprintf(line, sizeof(line), " server s1 127.0.0.1:$ check init-state %s\n"
			 " server t1 127.0.0.1:$ track s1\n", rows[i].word);
		begin("", line);
		assert_state("s1", rows[i].before, CHECK_INIT);
		assert_int_equal(srv("t1")->state->op, srv("s1")->state->op);
		health_result(srv("s1"), CHECK_L4OK);
		assert_state("s1", rows[i].passed, CHECK_L4OK);
		server_set_admin(srv("s1"), ADMIN_FORCED_MAINT, 0);
		server_set_admin(srv("s1"), 0, ADMIN_FORCED_MAINT);
		assert_state("s1", rows[i].before, CHECK_L4OK);
		assert_int_equal(srv("t1")->state->op, srv("s1")->state->op);
		health_result(srv("s1"), CHECK_L4CON);
		assert_state("s1", rows[i].failed, CHECK_L4CON);
		teardown(NULL);
	}
	begin("", " server s1 127.0.0.1:$ init-state down\n");
	assert_int_equal(srv("s1")->state->op, SERVER_UP);
}

static void log_health_checks_says_each_change(void **state)
{
	struct server *s;

	(void)state;
	begin("", " option log-health-checks\n server s1 127.0.0.1:$ check fall 2\n"
	      " server s2 127.0.0.1:$ check backup\n");
	s = srv("s1");
	health_result(s, CHECK_L4OK);
	health_result(s, CHECK_L4OK);
	health_result(srv("s2"), CHECK_L4OK);
	s->state->check.error = ECONNREFUSED;
	health_result(s, CHECK_L4CON);
	health_result(s, CHECK_L4CON);
	health_result(s, CHECK_L4CON);
	assert_string_equal(said(),
		"Health check for server be/s1 succeeded, reason: Layer4 check passed, check duration: "
		"Nms, status: 2/2 UP.\n"
		"Health check for backup server be/s2 succeeded, reason: Layer4 check passed, check "
		"duration: Nms, status: 3/3 UP.\n"
		"Health check for server be/s1 failed, reason: Layer4 connection problem, info: "
		"\"Connection refused\", check duration: Nms, status: 1/2 UP.\n"
		"Health check for server be/s1 failed, reason: Layer4 connection problem, info: "
		"\"Connection refused\", check duration: Nms, status: 0/2 DOWN.\n"
		"Server be/s1 is DOWN. 0 active and 1 backup servers left. Running on backup. 0 "
		"sessions active, 0 requeued, 0 remaining in queue.\n");
}

/* "set server health stopping" holds until the next check says otherwise. */
static void a_success_ends_stopping(void **state)
{
	(void)state;
	begin("", " server s1 127.0.0.1:$ check\n");
	server_set_stopping(srv("s1"), "changed from CLI");
	health_result(srv("s1"), CHECK_L4OK);
	assert_int_equal(srv("s1")->state->op, SERVER_UP);
}

/* 404 of disable-on-404, then failures: what it does not pass does not bring it back, and enough of
 * them take it down. */
static void a_failure_does_not_end_stopping(void **state)
{
	struct server *s;

	(void)state;
	begin("", " server s1 127.0.0.1:$ check\n");
	s = srv("s1");
	health_result(s, CHECK_L7OK);
	health_result(s, CHECK_L7OKC);
	health_result(s, CHECK_L7STS);
	assert_int_equal(s->state->op, SERVER_STOPPING);
	health_result(s, CHECK_L7OKC);
	assert_int_equal(s->state->op, SERVER_STOPPING);
	health_result(s, CHECK_L7STS);
	health_result(s, CHECK_L7RSP);
	assert_int_equal(s->state->op, SERVER_STOPPING);
	health_result(s, CHECK_L4CON);
	assert_int_equal(s->state->op, SERVER_DOWN);
	assert_null(strstr(said(), "is UP"));
}

static void trackers_follow(void **state)
{
	(void)state;
	begin("", " server s1 127.0.0.1:$ check fall 1\n server s2 127.0.0.1:$ track s1\n");
	health_result(srv("s1"), CHECK_L4OK);
	assert_null(check_of(srv("s2")));
	said();
	health_result(srv("s1"), CHECK_L4TOUT);
	assert_int_equal(srv("s2")->state->op, SERVER_DOWN);
	assert_non_null(strstr(said(), "Server be/s2 is DOWN via be/s1."));
}

/* -- observed traffic -------------------------------------------------------------------------- */

static void errors(struct server *s, unsigned n)
{
	while (n--) {
		server_hooks.observed(s, OBSERVED_NOT_CONNECTED);
		changes_carry_out();
	}
}

static void begin_observing(const char *on_error)
{
	char backend[200];

	snprintf(backend, sizeof(backend), " server s1 127.0.0.1:$ check inter 10s fastinter 2s "
		 "fall 4 observe layer4 error-limit 3 %s\n", on_error);
	begin("", backend);
	work();
	assert_state("s1", "UP", CHECK_L4OK);
}

static void errors_count_as_a_failed_check(void **state)
{
	struct server *s;

	(void)state;
	begin_observing("");
	s = srv("s1");
	errors(s, 2);
	server_hooks.observed(s, OBSERVED_CONNECTED);
	errors(s, 2);
	assert_state("s1", "UP", CHECK_L4OK);
	assert_int_equal(next_in("s1"), 10000);
	errors(s, 1);
	assert_state("s1", "UP 3/4", CHECK_HANA);
	assert_int_equal(next_in("s1"), 2000);
	assert_int_equal(s->tally->counters.failed_hana, 1);
	assert_int_equal(s->state->check.error, 3);
	errors(s, 9);
	assert_state("s1", "DOWN", CHECK_HANA);
	assert_string_equal(said(),
		"Server be/s1 is DOWN, reason: Health analyze, info: \"Detected 3 consecutive errors, "
		"last one was: L4 unsuccessful connection\". 0 active and 0 backup servers left. 0 "
		"sessions active, 0 requeued, 0 remaining in queue.\n"
		"backend 'be' has no server available!\n");
	errors(s, 30);
	assert_int_equal(s->tally->counters.failed_hana, 4);
}

static void on_error_fastinter_only_hurries(void **state)
{
	(void)state;
	begin_observing("on-error fastinter");
	errors(srv("s1"), 3);
	assert_state("s1", "UP", CHECK_L4OK);
	assert_int_equal(next_in("s1"), 2000);
	assert_int_equal(srv("s1")->tally->counters.failed_hana, 1);
}

static void on_error_sudden_death_leaves_one_try(void **state)
{
	(void)state;
	begin_observing("on-error sudden-death");
	errors(srv("s1"), 3);
	assert_state("s1", "UP 1/4", CHECK_HANA);
	errors(srv("s1"), 3);
	assert_state("s1", "DOWN", CHECK_HANA);
}

static void on_error_mark_down_does_so(void **state)
{
	(void)state;
	begin_observing("on-error mark-down");
	errors(srv("s1"), 3);
	assert_state("s1", "DOWN", CHECK_HANA);
	assert_int_equal(srv("s1")->tally->counters.failed_checks, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(intervals_follow_the_state),
		TEST(the_start_is_spread),
		TEST(max_spread_checks_shortens_it),
		TEST(spread_checks_varies_the_interval),
		TEST(maintenance_stops_it),
		TEST(health_counts_as_the_reference),
		TEST(init_state_holds_until_checks_say_more),
		TEST(log_health_checks_says_each_change),
		TEST(a_success_ends_stopping),
		TEST(a_failure_does_not_end_stopping),
		TEST(trackers_follow),
		TEST(errors_count_as_a_failed_check),
		TEST(on_error_fastinter_only_hurries),
		TEST(on_error_sudden_death_leaves_one_try),
		TEST(on_error_mark_down_does_so),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
