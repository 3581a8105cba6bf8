/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sums over the rows: one process plays several by changing its row. What is left of a row whose
 * process died or ended; maxima of sums; and another image that finds the numbers by name.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/err.h"
#include "config/environment.h"
#include "config/load.h"
#include "event/timer.h"
#include "net/bind_conf.h"
#include "proxy/budget.h"
#include "proxy/states.h"
#include "proxy/sums.h"
#include "proxy/test_config.h"
#include "share/segment.h"
#include "tally/tally.h"
#include "tally/top.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define TIMEOUTS "timeout client 1s\ntimeout server 1s\ntimeout connect 1s\n"

static const char text[] = "defaults\n" TIMEOUTS
			   "listen x\n"
			   " bind 127.0.0.1:18010\n"
			   " bind 127.0.0.1:18011,127.0.0.1:18012 name two\n"
			   " server s1 127.0.0.1:18111\n"
			   " server s2 127.0.0.1:18112\n";
static const char other_text[] = "defaults\n" TIMEOUTS
				 "backend y\n server s1 127.0.0.1:18111\n"
				 "listen x\n"
				 " bind 127.0.0.1:18013 name two\n"
				 " server s2 127.0.0.1:18119\n";

static const struct module *const list[] = { &environment_module, &bind_module, &proxy_module,
					     &server_module, NULL };
static struct config *cfg;
static struct proxy *x;
static struct server *s1;
static unsigned rows[3];

static void load(const char *config_text)
{
	cfg = test_config_serve(list, config_text);
	x = proxy_find(proxies_running, "x", PROXY_BACKEND);
}

static int setup(void **state)
{
	(void)state;
	clock_freeze(100000);
	tally_room.rows = 8;
	load(text);
	s1 = x->servers;
	for (unsigned i = 0; i < ARRAY_LEN(rows); i++) {
		rows[i] = (unsigned)segment_take_row(segment, 1, i + 1);
		segment_row(segment, rows[i])->pid = getpid();
	}
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	states_own_row(0);
	clock_freeze(clock_now_ms + 5000);
	timer_run();
	clock_freeze(clock_now_ms + 5000);
	timer_run();
	assert_int_equal(timer_count(), 0);
	segment_free(&proxies_running->segment);
	config_free(&cfg);
	tally_room.rows = 1;
	return 0;
}

static void assert_sound(void)
{
	struct err err = { "" };

	if (!segment_check(segment, &err))
		tally_check(&err);
	assert_string_equal(err.text, "");
}

static unsigned session_limit;

static void session_begins(void)
{
	struct counters *c = &s1->tally->counters;

	s1->tally->current++;
	c->sessions++;
	rate_add(&c->session_rate, clock_now_ms, 1);
	tally_raise(&c->connections_max, &c->connections_top, &s1->tally->current,
		    session_limit);
}

static void session_ends(void)
{
	s1->tally->current--;
}

static struct server_tally summed(void)
{
	struct server_tally sum;

	server_sum(s1, &sum);
	return sum;
}

static void rows_are_added_up(void **state)
{
	struct server_tally sum, one;
	unsigned i;

	(void)state;
	for (i = 0; i < 3; i++) {
		states_own_row(rows[i]);
		session_begins();
		s1->tally->queued = i;
		s1->tally->counters.bytes_in += 1000;
		s1->tally->last_session_s = 50 + i;
		x->fe->log_lines = 7;
	}
	sum = summed();
	assert_int_equal(sum.current, 3);
	assert_int_equal(sum.queued, 3);
	assert_int_equal(sum.counters.sessions, 3);
	assert_int_equal(sum.counters.bytes_in, 3000);
	assert_int_equal(sum.last_session_s, 52);
	assert_int_equal(server_sessions(s1), 3);
	assert_int_equal(server_queued(s1), 3);
	assert_int_equal(counter_sum(&x->fe->log_lines), 21);
	server_row(s1, rows[2], &one);
	assert_int_equal(one.queued, 2);
	tally_shown_row = (int)rows[1];
	assert_int_equal(summed().queued, 1);
	tally_shown_row = -1;
	assert_int_equal(server_sessions(s1), 3);
}

/* Another process raises its gauge, finds one too many and lowers it again: no height. */
static void attempts_are_no_heights(void **state)
{
	(void)state;
	states_own_row(rows[0]);
	s1->tally->current = 4;
	states_own_row(rows[1]);
	session_limit = 4;
	session_begins();
	session_limit = 0;
	assert_int_equal(server_sessions(s1), 5);
	assert_int_equal(summed().counters.connections_max, 4);
	session_begins();
	assert_int_equal(summed().counters.connections_max, 6);
}

static void rates_are_those_of_all(void **state)
{
	struct server_tally sum;
	unsigned i;

	(void)state;
	for (i = 0; i < 3; i++) {
		states_own_row(rows[i]);
		clock_freeze(100000 + 100 * i);
		session_begins();
		session_begins();
	}
	assert_int_equal(rate_sum(&s1->tally->counters.session_rate), 6);
	sum = summed();
	assert_int_equal(rate_read(&sum.counters.session_rate, clock_now_ms), 6);
	assert_int_equal(sum.counters.session_rate.max, 6);
	clock_freeze(103000);
	sum = summed();
	assert_int_equal(rate_read(&sum.counters.session_rate, clock_now_ms), 0);
	assert_int_equal(sum.counters.session_rate.max, 6);
}

/* Each process had the same height of its own when it was alone: nobody may take that for a sum. */
static void maxima_are_those_of_sums(void **state)
{
	unsigned i;

	(void)state;
	for (i = 0; i < 3; i++) {
		states_own_row(rows[i]);
		session_begins();
		session_begins();
		session_ends();
		session_ends();
	}
	assert_int_equal(summed().counters.connections_max, 2);
	for (i = 0; i < 3; i++) { /* a second later */
		states_own_row(rows[i]);
		clock_freeze(clock_now_ms + 1000);
		timer_run();
		/* One timer serves all rows here. */
		s1->tally->counters.connections_max = s1->tally->current;
	}
	for (i = 0; i < 3; i++) {
		states_own_row(rows[i]);
		session_begins();
	}
	assert_int_equal(summed().counters.connections_max, 3);
	session_ends();
	assert_int_equal(summed().counters.connections_max, 3);
}

static void a_tick_keeps_what_was_highest(void **state)
{
	(void)state;
	states_own_row(rows[0]);
	session_begins();
	session_begins();
	session_ends();
	clock_freeze(clock_now_ms + 1000);
	timer_run();
	assert_int_equal(s1->tally->counters.connections_max, 1);
	assert_int_equal(summed().counters.connections_max, 2);
	assert_int_equal(summed().counters.session_rate.max, 2);
}

static uint64_t streams_now;

static void say_streams(uint64_t counted[TALLY_COUNTED], uint64_t now[TALLY_NOW])
{
	(void)counted;
	now[NOW_STREAMS] = streams_now;
}

static void seconds_pass(unsigned n)
{
	while (n--) {
		clock_freeze(clock_now_ms + 1000);
		timer_run();
	}
}

/* Nothing rises or falls for long, and then the stream ends: others see it, though they do not ask. */
static void what_is_open_is_looked_at(void **state)
{
	(void)state;
	states_own_row(rows[0]);
	tally_collect = say_streams;
	streams_now = 1;
	session_begins();
	seconds_pass(10);
	assert_int_equal(global_tally->now[NOW_STREAMS], 1);
	streams_now = 0;
	seconds_pass(1);
	assert_int_equal(global_tally->now[NOW_STREAMS], 0);
	seconds_pass(10);
	assert_int_equal(timer_count(), 0);
	tally_collect = NULL;
}

static void means_are_weighed(void **state)
{
	struct server_tally sum;

	(void)state;
	states_own_row(rows[0]);
	for (int i = 0; i < 300; i++)
		mean_add(&s1->tally->times.total, i ? 10 : 50);
	states_own_row(rows[1]);
	for (int i = 0; i < 100; i++)
		mean_add(&s1->tally->times.total, i ? 50 : 60);
	sum = summed();
	assert_int_equal(mean_read(&sum.times.total), 21); /* 8050 of 400 */
	assert_int_equal(sum.times.total.max, 60);
}

static void a_dead_row_has_no_gauges(void **state)
{
	struct proxy_tally sum;
	struct err err;

	(void)state;
	states_own_row(rows[1]);
	session_begins();
	x->be->served = x->be->queued = x->be->total_queued = 1;
	x->fe->h1.open_connections = x->be->h1.open_streams = 1;
	x->fe->current = global_tally->current = 1;
	states_own_row(0);
	segment_row(segment, rows[1])->pid = 0;
	assert_int_equal(tally_check(&err), -1);
	tally_drop_gauges(rows[1]);
	assert_sound();
	assert_int_equal(server_sessions(s1), 0);
	assert_int_equal(backend_served(x), 0);
	assert_int_equal(backend_queued(x), 0);
	assert_int_equal(global_sessions(), 0);
	proxy_sum(x, PROXY_FRONTEND, &sum);
	assert_int_equal(sum.h1.open_connections, 0);
	proxy_sum(x, PROXY_BACKEND, &sum);
	assert_int_equal(sum.h1.open_streams, 0);
	assert_int_equal(summed().counters.sessions, 1);
}

static void a_row_that_ends_is_kept_in_row_0(void **state)
{
	struct server_tally sum;

	(void)state;
	states_own_row(rows[1]);
	session_begins();
	session_begins();
	states_own_row(rows[2]);
	session_begins();
	states_own_row(0);
	tally_fold_row(rows[1]);
	sum = summed();
	assert_int_equal(sum.counters.sessions, 3);
	assert_int_equal(rate_read(&sum.counters.session_rate, clock_now_ms), 3);
	assert_int_equal(sum.counters.connections_max, 3);
	assert_int_equal(sum.current, 1);
	server_row(s1, 0, &sum);
	assert_int_equal(sum.counters.sessions, 2);
	assert_int_equal(segment_take_row(segment, 2, 1), rows[1]);
	assert_sound();
}

static void each_process_clears_its_own(void **state)
{
	(void)state;
	states_own_row(rows[0]);
	session_begins();
	session_begins();
	session_ends();
	states_own_row(rows[1]);
	session_begins();
	tallies_clear(true);
	assert_int_equal(summed().counters.sessions, 2);
	states_own_row(rows[0]);
	tallies_clear(true);
	assert_int_equal(summed().counters.sessions, 0);
	assert_int_equal(summed().counters.connections_max, 0);
	assert_int_equal(summed().current, 2);
}

/* Another image of the program with another configuration, on the same memory. */
static void another_image_finds_its_numbers(void **state)
{
	const struct bind_conf *bind = list_first(&x->binds, struct bind_conf, node);
	struct listener_tally sum;
	struct config *old = cfg;
	struct proxies *before = proxies_running;
	struct listener *l;

	(void)state;
	bind = list_first(&bind->node, struct bind_conf, node);
	l = list_first(&bind->listeners, struct listener, node);
	x->servers->next->tally->counters.sessions = 5;
	x->fe->counters.sessions = 6;
	x->be->counters.sessions = 7;
	l->tally->counters.sessions = 8;
	tally_room.segment = segment_attach(dup(segment_fd(segment)), NULL);
	assert_non_null(tally_room.segment);
	load(other_text);
	assert_null(tally_room.segment);
	server_sum(x->servers, &(struct server_tally){ 0 });
	assert_int_equal(counter_sum(&x->servers->tally->counters.sessions), 5);
	assert_int_equal(counter_sum(&x->fe->counters.sessions), 6);
	assert_int_equal(counter_sum(&x->be->counters.sessions), 7);
	bind = list_first(&x->binds, struct bind_conf, node);
	listener_sum(list_first(&bind->listeners, struct listener, node), &sum);
	assert_int_equal(sum.counters.sessions, 8);
	assert_int_equal(counter_sum(&proxy_find(proxies_running, "y", PROXY_BACKEND)
				     ->servers->tally->counters.sessions), 0);
	/* x/s1 and two listeners. */
	assert_int_equal(segment_release_unused(segment), 3);
	assert_sound();
	segment_free(&before->segment);
	config_free(&old);
}

static void live_and_die(unsigned row)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	states_own_row(row);
	for (;;) {
		session_begins();
		x->fe->current++;
		if (s1->tally->current > 10) {
			session_ends();
			session_ends();
			x->fe->current -= 2;
		}
	}
}

static void killed_processes_leave_nothing(void **state)
{
	uint64_t last = 0, now;
	unsigned n, row;
	pid_t pid;

	(void)state;
	for (n = 0; n < 20; n++) {
		row = rows[n % 3];
		pid = fork();
		if (!pid)
			live_and_die(row);
		segment_row(segment, row)->pid = pid;
		while (counter_sum(&s1->tally->counters.sessions) < last + 1000)
			;
		kill(pid, SIGKILL);
		assert_int_equal(waitpid(pid, NULL, 0), pid);
		segment_row(segment, row)->pid = 0;
		tally_drop_gauges(row);
		if (n % 3 == 2) {
			tally_fold_row(row);
			rows[2] = (unsigned)segment_take_row(segment, n, 1);
		}
		assert_sound();
		now = counter_sum(&s1->tally->counters.sessions);
		assert_true(now >= last + 1000);
		last = now;
	}
	assert_int_equal(server_sessions(s1), 0);
	assert_int_equal(frontend_sessions(x), 0);
}

/* ---- the retry budget ------------------------------------------------------------------ */

static void a_budget_is_a_share_with_a_minimum(void **state)
{
	const struct retry_budget fifth = { true, 20, 3 }, all = { true, 100, 0 },
				  none = { true, 0, 0 };

	(void)state;
	assert_int_equal(budget_limit(&fifth, 0), 3);
	assert_int_equal(budget_limit(&fifth, 19), 3);
	assert_int_equal(budget_limit(&fifth, 20), 4);
	assert_int_equal(budget_limit(&fifth, UINT32_MAX), UINT32_MAX / 5);
	assert_int_equal(budget_limit(&all, UINT32_MAX), UINT32_MAX);
	assert_int_equal(budget_limit(&none, UINT32_MAX), 0);
}

/* 10 requests in one process, 20 in another: three retries, whoever makes them. */
static void a_budget_is_that_of_all_processes(void **state)
{
	(void)state;
	x->set.budget = (struct retry_budget){ true, 10, 1 };
	states_own_row(rows[0]);
	x->be->current = 10;
	assert_true(budget_take(x));
	states_own_row(rows[1]);
	assert_false(budget_take(x));
	x->be->current = 20;
	assert_true(budget_take(x));
	assert_true(budget_take(x));
	assert_false(budget_take(x));
	states_own_row(rows[2]);
	assert_false(budget_take(x));
	assert_int_equal(x->be->retrying, 0);
	segment_row(segment, rows[1])->pid = 0; /* it dies with two of them and 20 requests */
	tally_drop_gauges(rows[1]);
	assert_false(budget_take(x));
	states_own_row(rows[0]);
	budget_give(x);
	states_own_row(rows[2]);
	assert_true(budget_take(x));
	budget_give(x);
	states_own_row(rows[0]);
	x->be->current = 0;
	assert_sound();
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(rows_are_added_up),
		TEST(attempts_are_no_heights),
		TEST(rates_are_those_of_all),
		TEST(maxima_are_those_of_sums),
		TEST(a_tick_keeps_what_was_highest),
		TEST(what_is_open_is_looked_at),
		TEST(means_are_weighed),
		TEST(a_dead_row_has_no_gauges),
		TEST(a_row_that_ends_is_kept_in_row_0),
		TEST(each_process_clears_its_own),
		TEST(another_image_finds_its_numbers),
		TEST(killed_processes_leave_nothing),
		TEST(a_budget_is_a_share_with_a_minimum),
		TEST(a_budget_is_that_of_all_processes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
