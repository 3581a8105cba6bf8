/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What one process finds out is seen by the others, whole; and what another image of the program
 * takes over of the states of servers, with the same configuration and a changed one.
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
#include "proxy/cell.h"
#include "proxy/eject_conf.h"
#include "proxy/facts.h"
#include "proxy/proxy.h"
#include "proxy/server_asked.h"
#include "proxy/states.h"
#include "proxy/test_config.h"
#include "share/segment.h"
#include "tally/tallies.h"

#include <arpa/inet.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define TIMEOUTS "timeout client 1s\ntimeout server 1s\ntimeout connect 1s\n"

static const char before[] = "defaults\n" TIMEOUTS
			     "backend b\n"
			     " server s1 127.0.0.1:18111 check weight 10 maxconn 100\n"
			     " server s2 127.0.0.1:18112 check weight 10 maxconn 100\n"
			     " server s3 127.0.0.1:18113 track s1\n"
			     " server s4 127.0.0.1:18114 disabled\n"
			     " server s5 127.0.0.1:18115 disabled\n"
			     " server s7 127.0.0.1:18117 weight 100 slowstart 20s\n";
static const char changed[] = "defaults\n" TIMEOUTS
			      "backend b\n"
			      " server s1 127.0.0.1:18111 check weight 20 maxconn 50\n"
			      " server s2 127.0.0.2:18112 weight 10 maxconn 100\n"
			      " server s3 127.0.0.1:18113\n"
			      " server s4 127.0.0.1:18114\n"
			      " server s5 127.0.0.1:18115 disabled\n"
			      " server s6 127.0.0.1:18116\n";

static const struct module *const list[] = { &environment_module, &bind_module, &proxy_module,
					     &server_module, NULL };
static struct config *cfg;

static bool ejects; /* the backend, which is a word of check/ */

static void load(const char *config_text)
{
	static struct eject_conf some;

	cfg = test_config_serve(list, config_text);
	if (ejects)
		proxy_part_set(proxy_find(proxies_running, "b", PROXY_BACKEND), &eject_conf_part,
			       &some);
	facts_restore_states(proxies_running);
}

static struct server *srv(const char *name)
{
	struct server *s = server_find(proxy_find(proxies_running, "b", PROXY_BACKEND), name);

	assert_non_null(s);
	return s;
}

static int setup(void **state)
{
	(void)state;
	clock_freeze(100000);
	tally_room.rows = 4;
	facts_checker.here = false;
	load(before);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	states_own_row(0);
	segment_free(&proxies_running->segment);
	config_free(&cfg);
	tally_room.rows = 1;
	facts_checker.here = ejects = false;
	return 0;
}

/* The program is executed anew with this configuration. */
static void reload(const char *config_text)
{
	struct proxies *all = proxies_running;
	struct config *old = cfg;

	facts_publish_states();
	tally_room.segment = segment_attach(dup(segment_fd(segment)), NULL);
	clock_freeze(clock_now_ms + 7000);
	facts_checker.here = false;
	load(config_text);
	segment_free(&all->segment);
	config_free(&old);
}

static void publish(const char *name, enum check_status status, int health, const char *said)
{
	struct server *s = srv(name);

	facts_checker.here = true;
	s->state->check.status = (uint8_t)status;
	s->state->check.duration_ms = 12;
	s->state->health = health;
	strcpy(s->state->check.said, said);
	facts_publish_checks(s);
	facts_checker.here = false;
}

static void results_are_seen_in_other_rows(void **state)
{
	struct server *s1 = srv("s1");

	(void)state;
	states_own_row(1);
	assert_false(facts_refresh_checks(s1));
	assert_int_equal(s1->state->check.status, CHECK_INIT);
	publish("s1", CHECK_L7STS, 1, "no luck");
	memset(&s1->state->check, 0, sizeof(s1->state->check));
	s1->state->health = 2;
	states_own_row(2);
	assert_true(facts_refresh_checks(s1));
	assert_int_equal(s1->state->check.status, CHECK_L7STS);
	assert_int_equal(s1->state->check.duration_ms, 12);
	assert_string_equal(s1->state->check.said, "no luck");
	assert_int_equal(s1->state->health, 2);
	assert_true(facts_take_checks(s1));
	assert_int_equal(s1->state->health, 1);
	assert_false(facts_refresh_checks(srv("s2")));
	/* Who checks knows better. */
	facts_checker.here = true;
	s1->state->health = 3;
	assert_false(facts_refresh_checks(s1));
	assert_int_equal(s1->state->health, 3);
}

static struct server_cell *cell_of(const char *name)
{
	return segment_cell(segment, 0, srv(name)->slot);
}

/* Who shows keeps what it has; who takes over takes it as it is, and who writes next is whole. */
static void a_writer_dies_in_the_middle(void **state)
{
	struct server *s1 = srv("s1");

	(void)state;
	publish("s1", CHECK_L4CON, 0, "first");
	states_own_row(1);
	assert_true(facts_refresh_checks(s1));
	cell_of("s1")->checks.sequence++;
	strcpy(cell_of("s1")->checks.check.said, "half");
	assert_false(facts_refresh_checks(s1));
	assert_string_equal(s1->state->check.said, "first");
	assert_true(facts_take_checks(s1));
	assert_string_equal(s1->state->check.said, "half");
	publish("s1", CHECK_L4OK, 4, "second");
	assert_int_equal(cell_of("s1")->checks.sequence % 2, 0);
	assert_true(facts_refresh_checks(s1));
	assert_string_equal(s1->state->check.said, "second");
}

/* All that a tally holds may be written without touching the facts beside it. */
static void what_is_counted_lies_beside(void **state)
{
	struct server *s1 = srv("s1");

	(void)state;
	publish("s1", CHECK_L7STS, 1, "beside");
	memset(&cell_of("s1")->tally, 0xff, sizeof(struct server_tally));
	memset((char *)cell_of("s1") - segment_layout.cell, 0xff, segment_layout.cell);
	memset(segment_cell(segment, 0, srv("s2")->slot), 0xff, segment_layout.cell);
	assert_true(facts_refresh_checks(s1));
	assert_int_equal(s1->state->check.status, CHECK_L7STS);
	assert_string_equal(s1->state->check.said, "beside");
	assert_true(sizeof(union cell) <= segment_layout.cell);
}

static void nothing_is_known_at_first(void **state)
{
	(void)state;
	assert_false(facts_known(srv("s1")));
	assert_int_equal(srv("s1")->state->op, SERVER_UP);
	assert_int_equal(srv("s4")->state->op, SERVER_DOWN);
}

static void states_survive_a_reload(void **state)
{
	struct server *s1 = srv("s1"), *s2 = srv("s2");
	struct err err;

	(void)state;
	publish("s1", CHECK_L4CON, 0, "");
	server_set_down(s1, "test");
	assert_int_equal(server_set_weight(s2, "5", &err), 0);
	server_set_admin(s2, ADMIN_FORCED_DRAIN, 0);
	s2->state->maxconn = 7;
	s2->state->addr.port = 99;
	publish("s2", CHECK_L4OK, 4, "");
	s2->state->check.paused = true;
	server_set_admin(srv("s4"), 0, ADMIN_FORCED_MAINT);
	reload(before);
	s1 = srv("s1");
	s2 = srv("s2");
	assert_int_equal(s1->state->op, SERVER_DOWN);
	assert_int_equal(s1->state->health, 0);
	assert_int_equal(s1->state->check.status, CHECK_L4CON);
	assert_int_equal(s1->state->changed_ms, 100000);
	assert_int_equal(s1->state->down_transitions, 1);
	assert_int_equal(s2->state->op, SERVER_UP);
	assert_int_equal(s2->state->health, 4);
	assert_int_equal(s2->state->admin, ADMIN_FORCED_DRAIN);
	assert_int_equal(s2->state->user_weight, 5);
	assert_int_equal(s2->state->effective_weight, 5);
	assert_int_equal(s2->state->maxconn, 7);
	assert_int_equal(s2->state->addr.port, 99);
	assert_true(s2->state->check.paused);
	assert_int_equal(srv("s3")->state->op, SERVER_DOWN); /* tracks s1 */
	assert_int_equal(srv("s4")->state->op, SERVER_UP);   /* was enabled */
	assert_int_equal(srv("s4")->state->admin, 0);
	assert_int_equal(srv("s5")->state->admin, ADMIN_FORCED_MAINT);
	assert_int_equal(srv("s5")->state->op, SERVER_DOWN);
}

static struct addr ip(uint32_t v4, uint16_t port)
{
	struct addr addr = { .family = AF_INET, .port = port };

	addr.v4.s_addr = htonl(v4);
	return addr;
}

/* Everything that has nothing to do with what another process finds out. */
static void each_part_of_a_state_survives(void **state)
{
	struct server_state *st = srv("s1")->state;
	struct proxy_state *be = srv("s1")->proxy->state;

	(void)state;
	ejects = true;
	st->admin = ADMIN_EJECTED | ADMIN_FORCED_DRAIN;
	st->eject_until_ms = 11;
	st->ejections = 12;
	st->changed_ms = 13;
	st->downtime_ms = 14;
	st->down_transitions = 15;
	st->user_weight = 16;
	st->maxconn = 17;
	st->addr = ip(0x7f000012, 18);
	st->check.addr = ip(0x7f000013, 0);
	st->check.port = 19;
	st->agent.addr = ip(0x7f000014, 0);
	st->agent.port = 20;
	st->agent.paused = true;
	be->down_transitions = 21;
	be->changed_ms = 22;
	be->downtime_ms = 23;
	be->unpublished = true;
	publish("s1", CHECK_L4OK, 4, "");
	reload(before);
	st = srv("s1")->state;
	be = srv("s1")->proxy->state;
	assert_int_equal(st->admin, ADMIN_EJECTED | ADMIN_FORCED_DRAIN);
	assert_int_equal(st->eject_until_ms, 11);
	assert_int_equal(st->ejections, 12);
	assert_int_equal(st->changed_ms, 13);
	assert_int_equal(st->downtime_ms, 14);
	assert_int_equal(st->down_transitions, 15);
	assert_int_equal(st->user_weight, 16);
	assert_int_equal(st->maxconn, 17);
	assert_int_equal(st->addr.v4.s_addr, htonl(0x7f000012));
	assert_int_equal(st->addr.port, 18);
	assert_int_equal(st->check.addr.v4.s_addr, htonl(0x7f000013));
	assert_int_equal(st->check.port, 19);
	assert_int_equal(st->agent.addr.v4.s_addr, htonl(0x7f000014));
	assert_int_equal(st->agent.port, 20);
	assert_true(st->agent.paused);
	assert_false(st->check.paused);
	assert_int_equal(be->down_transitions, 21);
	assert_int_equal(be->changed_ms, 22);
	assert_int_equal(be->downtime_ms, 23);
	assert_true(be->unpublished);
	/* Nobody is ejected any more where the configuration does not say so. */
	ejects = false;
	reload(before);
	assert_int_equal(srv("s1")->state->admin, ADMIN_FORCED_DRAIN);
	assert_int_equal(srv("s1")->state->ejections, 0);
	server_set_stopping(srv("s1"), "test");
	publish("s1", CHECK_L7OKC, 4, "");
	reload(before);
	assert_int_equal(srv("s1")->state->op, SERVER_STOPPING);
}

/* The client's plus so much, and back again. */
static void ports_that_follow_survive(void **state)
{
	struct server *s5 = srv("s5");

	(void)state;
	server_set_port(s5, true, 65530);
	reload(before);
	s5 = srv("s5");
	assert_true(s5->state->port_follows);
	assert_int_equal(s5->state->port_offset, 65530);
	assert_int_equal(s5->state->addr.port, 0);
	assert_int_equal(s5->state->addr.v4.s_addr, htonl(0x7f000001));
	server_set_port(s5, false, 99);
	reload(before);
	assert_false(srv("s5")->state->port_follows);
	assert_int_equal(srv("s5")->state->addr.port, 99);
}

/* An address of IPv6, with its scope. */
static void addresses_of_both_families_survive(void **state)
{
	struct addr addr = { .family = AF_INET6, .port = 7, .scope_id = 3 };

	(void)state;
	addr.v6.s6_addr[15] = 9;
	srv("s5")->state->addr = addr;
	reload(before);
	assert_int_equal(srv("s5")->state->addr.family, AF_INET6);
	assert_int_equal(srv("s5")->state->addr.scope_id, 3);
	assert_memory_equal(&srv("s5")->state->addr.v6, &addr.v6, sizeof(addr.v6));
	assert_int_equal(srv("s5")->state->addr.port, 7);
	/* It has none now: that of the file holds. */
	srv("s5")->state->addr.family = AF_UNSPEC;
	reload(before);
	assert_int_equal(srv("s5")->state->addr.v4.s_addr, htonl(0x7f000001));
	assert_int_equal(srv("s5")->state->addr.port, 18115);
}

static void a_ramp_goes_on(void **state)
{
	struct server *s7 = srv("s7");

	(void)state;
	server_set_admin(s7, ADMIN_FORCED_MAINT, 0);
	server_set_admin(s7, 0, ADMIN_FORCED_MAINT);
	assert_int_equal(s7->state->op, SERVER_STARTING);
	timer_cancel(&s7->warm_up);
	reload(before); /* takes seven seconds */
	s7 = srv("s7");
	assert_int_equal(s7->state->op, SERVER_STARTING);
	assert_int_equal(s7->state->effective_weight, 35);
	clock_freeze(clock_now_ms + 14000);
	timer_run();
	assert_int_equal(s7->state->op, SERVER_UP);
	assert_int_equal(s7->state->effective_weight, 100);
}

static void a_changed_configuration_wins(void **state)
{
	struct server *s1 = srv("s1"), *s2 = srv("s2");
	struct err err;

	(void)state;
	publish("s1", CHECK_L4CON, 0, "");
	server_set_down(s1, "test");
	server_set_weight(s1, "5", &err);
	s1->state->maxconn = 7;
	publish("s2", CHECK_L4CON, 0, "");
	server_set_down(s2, "test");
	s2->state->addr.port = 99;
	server_set_admin(srv("s5"), 0, ADMIN_FORCED_MAINT);
	reload(changed);
	s1 = srv("s1");
	s2 = srv("s2");
	assert_int_equal(s1->state->op, SERVER_DOWN);
	assert_int_equal(s1->state->user_weight, 20);
	assert_int_equal(s1->state->maxconn, 50);
	assert_int_equal(s2->state->op, SERVER_UP); /* nobody checks it any more */
	assert_int_equal(s2->state->addr.port, 18112);
	assert_int_equal(s2->state->addr.v4.s_addr, htonl(0x7f000002));
	assert_int_equal(srv("s3")->state->op, SERVER_UP);
	assert_int_equal(srv("s4")->state->op, SERVER_UP);
	assert_int_equal(srv("s5")->state->op, SERVER_UP);
	assert_int_equal(srv("s6")->state->op, SERVER_UP);
	assert_false(facts_known(srv("s6")));
}

/* Writes results whose parts agree, for ever. */
static void write_results(void)
{
	struct server *s = srv("s1");
	unsigned i;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	states_own_row(1);
	facts_checker.here = true;
	for (i = 0;; i++) {
		s->state->check.duration_ms = i;
		s->state->check.code = (int)i;
		memset(s->state->check.said, 'a' + (int)(i % 26), sizeof(s->state->check.said) - 1);
		facts_publish_checks(s);
	}
}

static void results_are_seen_whole(void **state)
{
	const struct check_state *c = &srv("s1")->state->check;
	unsigned n, i, last;
	pid_t pid;

	(void)state;
	states_own_row(2);
	for (n = 0; n < 10; n++) {
		pid = fork();
		if (!pid)
			write_results();
		while (!facts_refresh_checks(srv("s1")))
			;
		last = c->duration_ms;
		for (i = 0; i < 1000 || c->duration_ms == last; i++) {
			facts_refresh_checks(srv("s1"));
			assert_int_equal(c->duration_ms, c->code);
			assert_int_equal(c->said[0], 'a' + c->code % 26);
			assert_int_equal(c->said[0], c->said[CHECK_SAID_SIZE - 2]);
		}
		kill(pid, SIGKILL);
		assert_int_equal(waitpid(pid, NULL, 0), pid);
		facts_refresh_checks(srv("s1")); /* torn perhaps, but it does not hang */
	}
}

/* -- who hears whether this process checks ------------------------------------------------ */

enum { LISTENERS = 8 };
static char heard[LISTENERS + 1];

#define LISTENER(n) \
	static void listener_##n(bool active) \
	{ \
		heard[n] = active ? 'y' : 'n'; \
	}
LISTENER(0) LISTENER(1) LISTENER(2) LISTENER(3)
LISTENER(4) LISTENER(5) LISTENER(6) LISTENER(7)

static void told(bool active, const char *expected)
{
	memset(heard, '-', LISTENERS);
	facts_checker.here = active;
	facts_tell_checker();
	assert_string_equal(heard, expected);
}

/* There is room for eight, and for another one where one has gone. */
static void listeners_hear_who_checks(void **state)
{
	static void (*const listeners[])(bool active) = { listener_0, listener_1, listener_2,
							  listener_3, listener_4, listener_5,
							  listener_6, listener_7 };
	unsigned i;

	(void)state;
	told(true, "--------");
	for (i = 0; i < LISTENERS; i++)
		facts_on_checker(listeners[i]);
	told(true, "yyyyyyyy");
	told(false, "nnnnnnnn");
	facts_off_checker(listener_3);
	told(true, "yyy-yyyy");
	facts_off_checker(listener_3);
	facts_on_checker(listener_3);
	told(true, "yyyyyyyy");
	for (i = 0; i < LISTENERS; i++)
		facts_off_checker(listeners[i]);
	told(true, "--------");
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(results_are_seen_in_other_rows), TEST(nothing_is_known_at_first),
		TEST(states_survive_a_reload),	      TEST(a_changed_configuration_wins),
		TEST(each_part_of_a_state_survives), TEST(ports_that_follow_survive),
		TEST(addresses_of_both_families_survive), TEST(a_ramp_goes_on),
		TEST(a_writer_dies_in_the_middle), TEST(what_is_counted_lies_beside),
		TEST(results_are_seen_whole), TEST(listeners_hear_who_checks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
