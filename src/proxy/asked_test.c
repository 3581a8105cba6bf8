/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What is asked of servers at run time: addresses, ports, weights, limits, health; what is
 * answered, word for word, and what has become of them; the words with which a state is shown.
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
#include "proxy/learn.h"
#include "proxy/observe_conf.h"
#include "proxy/proxy.h"
#include "proxy/server_asked.h"
#include "proxy/test_config.h"
#include "share/segment.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static const char text[] =
	"defaults\n timeout client 1s\n timeout server 1s\n timeout connect 1s\n"
	"listen l\n"
	" bind 127.0.0.1:18010\n"
	" server s1 127.0.0.1:81 check fall 3 rise 2\n"
	" server s2 127.0.0.1:82 track s1\n"
	"backend b\n"
	" server s1 127.0.0.1:81 weight 50 maxconn 10\n"
	" server s2 127.0.0.1:+7\n"
	" server s3 127.0.0.1:83 check agent-check slowstart 4s weight 100\n"
	" server s4 [::1]:84 check port 9 id 40\n"
	"frontend f\n"
	" bind 127.0.0.1:18011\n"
	" default_backend b\n";

static const struct module *const list[] = { &environment_module, &bind_module, &proxy_module,
					     &server_module, NULL };
static struct config *cfg;
static int saved_stderr, captured;
static char answer[2048];

static struct server *srv(const char *path)
{
	struct err err;
	struct server *s = server_find_path(path, &err);

	assert_non_null(s);
	return s;
}

static struct proxy *px(const char *name)
{
	struct proxy *found = proxy_find(proxies_running, name, PROXY_BACKEND);

	assert_non_null(found);
	return found;
}

static int setup(void **state)
{
	(void)state;
	clock_freeze(100000);
	cfg = test_config_serve(list, text);
	saved_stderr = dup(STDERR_FILENO);
	captured = memfd_create("stderr", 0);
	dup2(captured, STDERR_FILENO);
	return 0;
}

static int teardown(void **state)
{
	struct proxies *all = proxies_running;

	(void)state;
	dup2(saved_stderr, STDERR_FILENO);
	close(saved_stderr);
	close(captured);
	timer_cancel(&srv("b/s3")->warm_up);
	segment_free(&all->segment);
	config_free(&cfg);
	memset(&server_hooks, 0, sizeof(server_hooks));
	return 0;
}

/* ---- addresses and ports ----------------------------------------------------------------- */

static unsigned moved;

static void count_moved(struct server *s)
{
	(void)s;
	moved++;
}

/* What is answered to a new address, or why not. */
static const char *addr(const char *path, const char *ip, const char *port)
{
	struct err err = { "" };
	struct text t;

	text_init(&t, answer, sizeof(answer));
	server_hooks.moved = count_moved;
	moved = 0;
	if (server_set_addr(srv(path), ip, port, "test", &t, &err) < 0)
		snprintf(answer, sizeof(answer), "refused: %s", err.text);
	return answer;
}

static void addresses(void **state)
{
	struct server *s = srv("b/s1");

	(void)state;
	assert_string_equal(addr("b/s1", "127.0.0.9", NULL),
			    "IP changed from '127.0.0.1' to '127.0.0.9' by 'test'");
	assert_int_equal(moved, 1);
	assert_int_equal(s->moves, 1);
	assert_int_equal(s->state->addr.v4.s_addr, htonl(0x7f000009));
	assert_int_equal(s->state->addr.port, 81);
	assert_string_equal(addr("b/s1", "127.0.0.9", NULL),
			    "no need to change the addr by 'test'");
	assert_int_equal(moved, 0);
	assert_string_equal(addr("b/s1", "::2", "99"),
			    "IP changed from '127.0.0.9' to '::2', port changed from '81' to '99' by "
			    "'test'");
	assert_int_equal(moved, 2);
	assert_int_equal(s->state->addr.port, 99);
	assert_string_equal(addr("b/s1", "nobody", NULL),
			    "refused: Invalid addr 'nobody' by 'test'");
	assert_int_equal(s->state->addr.family, AF_INET6);
}

static void ports(void **state)
{
	static const struct {
		const char *path, *port, *answer;
	} cases[] = {
		{ "b/s1", "81", "no need to change the port" },
		{ "b/s1", "0", "port changed from '81' to '0'" },
		{ "b/s1", "65535", "port changed from '0' to '65535'" },
		{ "b/s1", "65536", "provided port is not valid" },
		{ "b/s1", "8x", "problem converting port '8x' to an int" },
		{ "b/s1", "", "problem converting port '' to an int" },
		{ "b/s1", "+5", "can't change <port> to port map because it is incompatible with "
				"current health check port configuration (use 'port' statement from "
				"the 'server' directive." },
		{ "b/s2", "+7", "no need to change the port" },
		{ "b/s2", "-3", "port changed from '+7' to '-3'" },
		{ "b/s2", "-65533", "port changed from '+65533' to '-65533'" },
		{ "b/s2", "+3", "no need to change the port" },
		{ "b/s2", "3", "port changed from '+3' to '3'" },
		{ "b/s4", "+2", "port changed from '84' to '+2'" },
		{ "b/s4", "-2", "port changed from '+2' to '-2'" },
	};
	char expected[300];
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_LEN(cases); i++) {
		const char *ip = strcmp(cases[i].path, "b/s4") ? "127.0.0.1" : "::1";

		snprintf(expected, sizeof(expected), "no need to change the addr, %s by 'test'",
			 cases[i].answer);
		assert_string_equal(addr(cases[i].path, ip, cases[i].port), expected);
	}
	assert_int_equal(srv("b/s1")->state->addr.port, 65535);
	assert_false(srv("b/s2")->state->port_follows);
	assert_int_equal(srv("b/s2")->state->addr.port, 3);
	assert_true(srv("b/s4")->state->port_follows);
	assert_int_equal(srv("b/s4")->state->port_offset, 65534);
}

/* Who was in maintenance for want of an address has one now. */
static void an_address_ends_that_maintenance(void **state)
{
	struct server *s = srv("b/s1");

	(void)state;
	server_set_unresolved(s, "no such name");
	assert_int_equal(s->state->admin, ADMIN_RESOLUTION);
	assert_int_equal(s->state->op, SERVER_DOWN);
	addr("b/s1", "127.0.0.1", NULL);
	assert_int_equal(s->state->admin, 0);
	assert_int_equal(s->state->op, SERVER_UP);
}

/* ---- limits, health, states -------------------------------------------------------------- */

static void most_sessions(void **state)
{
	struct server *s = srv("b/s1");
	struct err err = { "" };

	(void)state;
	assert_int_equal(s->state->maxconn, 10);
	assert_int_equal(server_set_maxconn(s, "0", &err), 0);
	assert_int_equal(s->state->maxconn, 0);
	assert_int_equal(server_set_maxconn(s, "2147483647", &err), 0);
	assert_int_equal(s->state->maxconn, 2147483647);
	assert_int_equal(server_set_maxconn(s, "2147483648", &err), -1);
	assert_string_equal(err.text, "Value out of range.");
	assert_int_equal(server_set_maxconn(s, "-1", &err), -1);
	assert_string_equal(err.text, "Value out of range.");
	assert_int_equal(server_set_maxconn(s, "9x", &err), -1);
	assert_string_equal(err.text, "maxconn string empty or preceded by garbage");
	assert_int_equal(s->state->maxconn, 2147483647);
}

static void health_that_is_forced(void **state)
{
	struct server *s = srv("l/s1");

	(void)state;
	assert_true(server_force_health(s, SERVER_DOWN, "test"));
	assert_int_equal(s->state->op, SERVER_DOWN);
	assert_int_equal(s->state->health, 0);
	assert_true(server_force_health(s, SERVER_UP, "test"));
	assert_int_equal(s->state->op, SERVER_UP);
	assert_int_equal(s->state->health, 4);
	assert_true(server_force_health(s, SERVER_STOPPING, "test"));
	assert_int_equal(s->state->op, SERVER_STOPPING);
	assert_int_equal(s->state->health, 4);
	assert_false(server_force_health(srv("l/s2"), SERVER_DOWN, "test"));
}

static void states_that_are_asked_for(void **state)
{
	struct server *s = srv("b/s1");

	(void)state;
	server_make_drain(s);
	assert_int_equal(s->state->admin, ADMIN_FORCED_DRAIN);
	server_make_maint(s);
	assert_int_equal(s->state->admin, ADMIN_FORCED_MAINT);
	server_make_drain(s);
	assert_int_equal(s->state->admin, ADMIN_FORCED_DRAIN);
	server_eject(s, "test");
	assert_int_equal(s->state->admin, ADMIN_FORCED_DRAIN | ADMIN_EJECTED);
	server_make_ready(s);
	assert_int_equal(s->state->admin, 0);
}

static void assert_shown(const char *path, const char *expected)
{
	char buf[100];

	assert_string_equal(server_status_text(srv(path), buf, sizeof(buf)), expected);
}

static void states_are_shown(void **state)
{
	struct server *s = srv("b/s3");

	(void)state;
	assert_shown("b/s1", "no check");
	assert_shown("b/s3", "UP 1/3");
	s->state->health = 4;
	assert_shown("b/s3", "UP");
	server_eject(s, "test");
	assert_shown("b/s3", "DRAIN (ejected)");
	server_make_drain(s);
	assert_shown("b/s3", "DRAIN (agent)");
	server_make_ready(s);
	server_set_stopping(s, NULL);
	assert_shown("b/s3", "NOLB");
	s->state->health = 3;
	assert_shown("b/s3", "NOLB 2/3");
	s->state->check.paused = true;
	assert_shown("b/s3", "NOLB");
	s->state->check.paused = false;
	server_set_down(s, NULL);
	assert_shown("b/s3", "DOWN");
	s->state->agent_down = true;
	assert_shown("b/s3", "DOWN (agent)");
	server_set_unresolved(s, NULL);
	assert_shown("b/s3", "MAINT (resolution)");
	s = srv("l/s1");
	s->state->health = 3;
	server_make_drain(s);
	assert_shown("l/s1", "DRAIN 2/3");
	assert_shown("l/s2", "DRAIN 2/3");
	server_make_maint(s);
	assert_shown("l/s2", "MAINT (via l/s1)");
}

/* A ramp has twenty steps, none shorter than a tenth of a second. */
static void steps_of_a_ramp(void **state)
{
	struct server *s = srv("b/s3");

	(void)state;
	server_set_down(s, NULL);
	server_set_up(s, NULL);
	assert_int_equal(s->state->op, SERVER_STARTING);
	clock_advance(199);
	assert_int_equal(timer_run(), 0);
	clock_advance(1);
	assert_int_equal(timer_run(), 1);
	assert_int_equal(s->state->effective_weight, 5);
	assert_int_equal(s->state->fine_weight, 80);
	s->set.slowstart = 1000;
	server_set_down(s, NULL);
	server_set_up(s, NULL);
	clock_advance(99);
	assert_int_equal(timer_run(), 0);
	clock_advance(1);
	assert_int_equal(timer_run(), 1);
}

/* Whoever waits is served when there may be room. */
static unsigned asked_for_room;

static unsigned has_room(struct server *s)
{
	(void)s;
	asked_for_room++;
	return 0;
}

static void who_waits_is_served(void **state)
{
	struct server *s = srv("b/s1");
	struct err err;

	(void)state;
	server_hooks.has_room = has_room;
	asked_for_room = 0;
	server_set_maxconn(s, "11", &err);
	assert_int_equal(asked_for_room, 1);
	server_set_weight(s, "0", &err);
	assert_int_equal(asked_for_room, 1);
	server_set_weight(s, "7", &err);
	assert_int_equal(asked_for_room, 2);
	server_set_weight(s, "8", &err);
	assert_int_equal(asked_for_room, 2);
	server_set_weight(s, "", &err);
	assert_string_equal(err.text, "Require <weight> or <weight%>.");
}

/* ---- what is found by name --------------------------------------------------------------- */

static void paths_of_servers(void **state)
{
	static const struct {
		const char *path, *error;
	} cases[] = {
		{ "", "Require 'backend/server'." },   { "b", "Require 'backend/server'." },
		{ "/s1", "Require 'backend/server'." }, { "b/", "Require 'backend/server'." },
		{ "x/s1", "No such backend." },	       { "f/s1", "No such backend." },
		{ "b/x", "No such server." },
	};
	struct err err;
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_LEN(cases); i++) {
		assert_null(server_find_path(cases[i].path, &err));
		assert_string_equal(err.text, cases[i].error);
	}
	assert_ptr_equal(server_find_path("b/#40", &err), srv("b/s4"));
	assert_true(proxy_is_there(px("b")));
	assert_false(proxy_is_there((struct proxy *)(void *)srv("b/s1")));
	assert_ptr_equal(proxy_behind(0), px("l"));
	assert_ptr_equal(proxy_behind(px("l")->order), px("b"));
	assert_null(proxy_behind(proxies_running->last_order));
}

/* ---- retries and what is learnt ---------------------------------------------------------- */

static void retries_are_bounded(void **state)
{
	static const struct {
		unsigned percent, least, requests, limit;
	} cases[] = {
		{ 20, 3, 0, 3 },   { 20, 3, 15, 3 },  { 20, 3, 19, 3 },	  { 20, 3, 20, 4 },
		{ 100, 0, 7, 7 },  { 0, 0, 100, 0 },  { 50, 1, 3, 1 },	  { 50, 1, 4, 2 },
		{ 100, 0, 4294967295u, 4294967295u },
	};
	struct proxy *b = px("b");
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_LEN(cases); i++) {
		struct retry_budget budget = { true, cases[i].percent, cases[i].least };

		assert_int_equal(budget_limit(&budget, cases[i].requests), cases[i].limit);
	}
	b->set.budget = (struct retry_budget){ true, 20, 2 };
	assert_true(budget_take(b));
	assert_true(budget_take(b));
	assert_false(budget_take(b));
	assert_int_equal(b->be->retrying, 2);
	budget_give(b);
	assert_int_equal(b->be->retrying, 1);
	assert_true(budget_take(b));
	b->be->current = 15;
	assert_true(budget_take(b));
	assert_false(budget_take(b));
}

static unsigned observed_count;
static enum observed observed_last;

static void note_observed(struct server *s, enum observed what)
{
	(void)s;
	observed_count++;
	observed_last = what;
}

static void what_traffic_shows_is_passed_on(void **state)
{
	static struct observe_conf layer4 = { .layer = OBSERVE_LAYER4 };
	struct server *s = srv("b/s1");

	(void)state;
	server_hooks.observed = note_observed;
	observed_count = 0;
	learn_seen(s, OBSERVED_CONNECTED, 5);
	assert_int_equal(observed_count, 0);
	server_part_set(s, &observe_conf_part, &layer4);
	learn_seen(s, OBSERVED_NOT_CONNECTED, 5);
	assert_int_equal(observed_count, 1);
	assert_int_equal(observed_last, OBSERVED_NOT_CONNECTED);
	assert_int_equal(s->tally->answered, 0);
	s->learns = LEARNS_OUTCOME;
	learn_seen(s, OBSERVED_CONNECTED, 5);
	learn_seen(s, OBSERVED_GOOD_RESPONSE, 6);
	learn_seen(s, OBSERVED_TIMEOUT, 7);
	assert_int_equal(s->tally->answered, 3);
	assert_int_equal(s->tally->failed, 1);
	assert_int_equal(s->tally->answered_us, 11);
	/* In mode http only responses count. */
	s->proxy->set.mode = MODE_HTTP;
	learn_seen(s, OBSERVED_CONNECTED, 5);
	assert_int_equal(s->tally->answered, 3);
	learn_seen(s, OBSERVED_NOT_CONNECTED, 5);
	assert_int_equal(s->tally->answered, 4);
	assert_int_equal(s->tally->failed, 2);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(addresses), TEST(ports), TEST(an_address_ends_that_maintenance),
		TEST(most_sessions), TEST(health_that_is_forced), TEST(states_that_are_asked_for),
		TEST(states_are_shown), TEST(steps_of_a_ramp), TEST(who_waits_is_served),
		TEST(paths_of_servers), TEST(retries_are_bounded),
		TEST(what_traffic_shows_is_passed_on),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
