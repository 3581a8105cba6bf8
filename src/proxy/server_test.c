/* SPDX-License-Identifier: BSD-2-Clause */
/* Transitions of servers: what the log says, word for word as the reference does (its lines
 * were recorded with the same configuration and commands), who follows whom, weights, ramps. */
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
#include "proxy/proxy.h"
#include "proxy/server_asked.h"
#include "proxy/test_config.h"
#include "share/segment.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define TIMEOUTS "timeout client 1s\ntimeout server 1s\ntimeout connect 1s\n"

static const char text[] =
	"defaults\n" TIMEOUTS
	"listen x\n"
	" bind 127.0.0.1:18010\n"
	" server s1 127.0.0.1:18111 check fall 2 rise 2\n"
	" server s2 127.0.0.1:18112 track s1\n"
	" server s3 127.0.0.1:18113 backup\n"
	"backend b\n"
	" server t1 127.0.0.1:18111 track x/s1\n"
	" server t2 127.0.0.1:18111 track b/t1\n"
	"backend c\n"
	" server u1 127.0.0.1:18111 check slowstart 2s weight 50 maxconn 100\n"
	" server u2 127.0.0.1:18112 weight 20\n"
	"backend d\n"
	" server v1 127.0.0.1:18112 weight 20\n"
	" server v2 127.0.0.1:18112 weight 20 disabled\n";

static const struct module *const list[] = { &environment_module, &bind_module, &proxy_module,
					     &server_module, NULL };
static struct config *cfg;
static int saved_stderr, captured;

static struct server *srv(const char *path)
{
	struct err err;
	struct server *s = server_find_path(path, &err);

	assert_non_null(s);
	return s;
}

static int setup(void **state)
{
	struct err err = { "" };

	(void)state;
	clock_freeze(100000);
	cfg = test_config_read(list, text);
	proxy_find(config_data(cfg, &proxy_module), "d", PROXY_BACKEND)->set.balance =
		BALANCE_STATIC_RR; /* lb/ has the word */
	if (proxies_prepare(cfg, config_data(cfg, &proxy_module), &err)) {
		fprintf(stderr, "%s\n", err.text);
		return -1;
	}
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
	segment_free(&all->segment);
	config_free(&cfg);
	memset(&server_hooks, 0, sizeof(server_hooks));
	return 0;
}

/* What was said since the last call, without the marks in front of each line. */
static const char *said(void)
{
	static char buf[8192];
	char raw[8192], *line, *rest = raw;
	ssize_t n = pread(captured, raw, sizeof(raw) - 1, 0);

	assert_true(n >= 0);
	raw[n] = 0;
	buf[0] = 0;
	while ((line = strsep(&rest, "\n")))
		if (strstr(line, " : "))
			strcat(strcat(buf, strstr(line, " : ") + 3), "\n");
	assert_int_equal(ftruncate(captured, 0), 0);
	assert_int_equal(lseek(captured, 0, SEEK_SET), 0);
	return buf;
}

static void assert_status(const char *path, const char *expected)
{
	char buf[100];

	assert_string_equal(server_status_text(srv(path), buf, sizeof(buf)), expected);
}

static void down_and_up(void **state)
{
	(void)state;
	server_set_down(srv("x/s1"), "reason: Layer4 connection problem, check duration: 0ms");
	assert_string_equal(said(),
		"Server x/s1 is DOWN, reason: Layer4 connection problem, check duration: 0ms. "
		"1 active and 1 backup servers left. 0 sessions active, 0 requeued, 0 remaining in "
		"queue.\n"
		"Server b/t1 is DOWN via x/s1. 1 active and 0 backup servers left. 0 sessions "
		"active, 0 requeued, 0 remaining in queue.\n"
		"Server b/t2 is DOWN via b/t1. 0 active and 0 backup servers left. 0 sessions "
		"active, 0 requeued, 0 remaining in queue.\n"
		"backend 'b' has no server available!\n"
		"Server x/s2 is DOWN via x/s1. 0 active and 1 backup servers left. Running on "
		"backup. 0 sessions active, 0 requeued, 0 remaining in queue.\n");
	assert_status("x/s1", "DOWN");
	assert_status("b/t2", "DOWN");
	assert_int_equal(srv("x/s1")->state->down_transitions, 1);
	assert_int_equal(srv("b/t1")->proxy->state->down_transitions, 1);
	clock_advance(5000);
	server_set_up(srv("x/s1"), NULL);
	assert_string_equal(said(),
		"Server x/s1 is UP. 1 active and 1 backup servers online. 0 sessions requeued, 0 "
		"total in queue.\n"
		"Server b/t1 is UP via x/s1. 1 active and 0 backup servers online. 0 sessions "
		"requeued, 0 total in queue.\n"
		"Server b/t2 is UP via b/t1. 2 active and 0 backup servers online. 0 sessions "
		"requeued, 0 total in queue.\n"
		"Server x/s2 is UP via x/s1. 2 active and 1 backup servers online. 0 sessions "
		"requeued, 0 total in queue.\n");
	assert_int_equal(srv("x/s1")->state->downtime_ms, 5000);
	assert_int_equal(srv("b/t1")->proxy->state->downtime_ms, 5000);
	/* A second time nothing happens. */
	server_set_up(srv("x/s1"), NULL);
	assert_string_equal(said(), "");
}

static void maintenance(void **state)
{
	struct server *s1 = srv("x/s1");

	(void)state;
	server_set_admin(s1, ADMIN_FORCED_MAINT, 0);
	assert_string_equal(said(),
		"Server x/s1 is going DOWN for maintenance. 1 active and 1 backup servers left. 0 "
		"sessions active, 0 requeued, 0 remaining in queue.\n"
		"Server b/t1 is going DOWN for maintenance via x/s1. 1 active and 0 backup servers "
		"left. 0 sessions active, 0 requeued, 0 remaining in queue.\n"
		"Server b/t2 is going DOWN for maintenance via b/t1. 0 active and 0 backup servers "
		"left. 0 sessions active, 0 requeued, 0 remaining in queue.\n"
		"backend 'b' has no server available!\n"
		"Server x/s2 is going DOWN for maintenance via x/s1. 0 active and 1 backup servers "
		"left. Running on backup. 0 sessions active, 0 requeued, 0 remaining in queue.\n");
	assert_status("x/s1", "MAINT");
	assert_status("b/t2", "MAINT (via b/t1)");
	/* Checks have no say meanwhile. */
	server_set_up(s1, NULL);
	assert_string_equal(said(), "");
	server_set_admin(s1, 0, ADMIN_FORCED_MAINT);
	assert_string_equal(said(),
		"Server x/s1 is UP/READY (leaving forced maintenance).\n"
		"Server b/t1 is UP/READY (leaving maintenance).\n"
		"Server b/t2 is UP/READY (leaving maintenance).\n"
		"Server x/s2 is UP/READY (leaving maintenance).\n");
	/* One failure is enough now. */
	assert_int_equal(s1->state->health, s1->set.rise);
	assert_status("x/s1", "UP 1/2");
}

static void maintenance_while_down(void **state)
{
	(void)state;
	server_set_down(srv("x/s1"), NULL);
	said();
	server_set_admin(srv("b/t1"), ADMIN_FORCED_MAINT, 0);
	assert_string_equal(said(), "Server b/t1 was DOWN and now enters maintenance.\n"
				    "Server b/t2 was DOWN and now enters maintenance via b/t1.\n");
	server_set_admin(srv("x/s1"), ADMIN_FORCED_MAINT, 0);
	assert_string_equal(said(), "Server x/s1 was DOWN and now enters maintenance.\n"
				    "Server x/s2 was DOWN and now enters maintenance via x/s1.\n");
	server_set_admin(srv("x/s1"), 0, ADMIN_FORCED_MAINT);
	assert_string_equal(said(), "Server x/s1 is UP/READY (leaving forced maintenance).\n"
				    "Server b/t1 remains in forced maintenance.\n"
				    "Server x/s2 is UP/READY (leaving maintenance).\n");
	server_set_down(srv("x/s1"), NULL);
	said();
	/* A tracking server is what the tracked one is. */
	server_set_admin(srv("b/t1"), 0, ADMIN_FORCED_MAINT);
	assert_string_equal(said(), "Server b/t1 is DOWN/READY (leaving forced maintenance).\n"
				    "Server b/t2 is DOWN/READY (leaving maintenance).\n");
}

static void drain(void **state)
{
	struct server *s1 = srv("x/s1");

	(void)state;
	s1->state->health = 3;
	server_set_admin(s1, ADMIN_FORCED_DRAIN, ADMIN_FORCED_MAINT);
	assert_string_equal(said(),
		"Server x/s1 enters drain state. 1 active and 1 backup servers online. 0 sessions "
		"requeued, 0 total in queue.\n"
		"Server b/t1 enters drain state via x/s1. 1 active and 0 backup servers online. 0 "
		"sessions requeued, 0 total in queue.\n"
		"Server b/t2 enters drain state via b/t1. 0 active and 0 backup servers online. 0 "
		"sessions requeued, 0 total in queue.\n"
		"backend 'b' has no server available!\n"
		"Server x/s2 enters drain state via x/s1. 0 active and 1 backup servers online. "
		"Running on backup. 0 sessions requeued, 0 total in queue.\n");
	assert_status("b/t2", "DRAIN");
	server_set_admin(s1, 0, ADMIN_FORCED_DRAIN);
	assert_string_equal(said(), "Server x/s1 is UP (leaving forced drain).\n"
				    "Server b/t1 is UP (leaving forced drain).\n"
				    "Server b/t2 is UP (leaving forced drain).\n"
				    "Server x/s2 is UP (leaving forced drain).\n");
	server_set_down(s1, NULL);
	said();
	server_set_admin(s1, ADMIN_FORCED_DRAIN, 0);
	assert_non_null(strstr(said(),
		"Server x/s1 enters drain state. 0 active and 1 backup servers left. Running on "
		"backup. 0 sessions active, 0 requeued, 0 remaining in queue.\n"));
	assert_status("x/s1", "DOWN");
}

static void drain_out_of_maintenance(void **state)
{
	(void)state;
	server_set_admin(srv("x/s1"), ADMIN_FORCED_MAINT, 0);
	said();
	server_set_admin(srv("x/s1"), ADMIN_FORCED_DRAIN, ADMIN_FORCED_MAINT);
	assert_string_equal(said(),
		"Server x/s1 is UP/DRAIN (leaving forced maintenance).\n"
		"Server x/s1 remains in forced drain mode.\n"
		"Server b/t1 is UP/DRAIN (leaving maintenance).\n"
		"Server b/t1 is leaving forced drain but remains in drain mode via x/s1.\n"
		"Server b/t2 is UP/DRAIN (leaving maintenance).\n"
		"Server b/t2 is leaving forced drain but remains in drain mode via b/t1.\n"
		"Server x/s2 is UP/DRAIN (leaving maintenance).\n"
		"Server x/s2 is leaving forced drain but remains in drain mode via x/s1.\n");
	server_set_down(srv("x/s1"), NULL);
	said();
	server_set_up(srv("x/s1"), "changed from CLI");
	assert_non_null(strstr(said(),
		"Server x/s1 is UP, changed from CLI. 0 active and 1 backup servers online. "
		"Running on backup. 0 sessions requeued, 0 total in queue.\n"
		"Server x/s1 remains in forced drain mode.\n"));
}

static void stopping(void **state)
{
	(void)state;
	server_set_stopping(srv("c/u2"), "changed from CLI");
	assert_string_equal(said(), "Server c/u2 is stopping, changed from CLI. 1 active and 0 "
				    "backup servers online. 0 sessions requeued, 0 total in "
				    "queue.\n");
	assert_status("c/u2", "NOLB");
	assert_false(server_usable(srv("c/u2")));
	server_set_up(srv("c/u2"), NULL);
	assert_status("c/u2", "no check");
	assert_true(server_usable(srv("c/u2")));
}

static void the_last_backup(void **state)
{
	(void)state;
	server_set_down(srv("x/s1"), NULL);
	said();
	server_set_admin(srv("x/s3"), ADMIN_FORCED_MAINT, 0);
	assert_string_equal(said(),
		"Backup Server x/s3 is going DOWN for maintenance. 0 active and 0 backup servers "
		"left. 0 sessions active, 0 requeued, 0 remaining in queue.\n"
		"proxy 'x' has no server available!\n");
}

static void health_is_shown(void **state)
{
	struct server *s1 = srv("x/s1");

	(void)state;
	s1->state->health = 3;
	assert_status("x/s1", "UP");
	s1->state->health = 2;
	assert_status("x/s1", "UP 1/2");
	assert_status("b/t2", "UP 1/2");
	server_set_down(s1, NULL);
	s1->state->health = 1;
	assert_status("x/s1", "DOWN 1/2");
	s1->state->check.paused = true;
	server_set_up(s1, NULL);
	assert_status("x/s1", "no check");
}

static unsigned changes;

static void count_change(struct server *s)
{
	(void)s;
	changes++;
}

static void slowstart(void **state)
{
	struct server *u1 = srv("c/u1");

	(void)state;
	assert_int_equal(u1->state->effective_weight, 50); /* never at the start */
	server_set_down(u1, NULL);
	server_set_up(u1, NULL);
	said();
	server_hooks.lb_changed = count_change;
	changes = 0;
	assert_int_equal(u1->state->effective_weight, 1);
	assert_int_equal(server_ramped(u1, u1->state->maxconn), 1);
	clock_advance(1000);
	assert_int_equal(timer_run(), 1);
	assert_int_equal(u1->state->effective_weight, 25);
	assert_int_equal(server_ramped(u1, u1->state->maxconn), 50);
	assert_int_equal(changes, 1);
	assert_string_equal(said(), "");
	clock_advance(1000);
	timer_run();
	assert_int_equal(u1->state->effective_weight, 50);
	assert_int_equal(u1->state->op, SERVER_UP);
	assert_string_equal(said(), "Server c/u1 is UP. 2 active and 0 backup servers online. 0 "
				    "sessions requeued, 0 total in queue.\n");
	clock_advance(5000);
	assert_int_equal(timer_run(), 0);
}

static void slowstart_is_broken_off(void **state)
{
	struct server *u1 = srv("c/u1");

	(void)state;
	server_set_down(u1, NULL);
	server_set_up(u1, NULL);
	clock_advance(500);
	server_set_down(u1, NULL);
	clock_advance(5000);
	timer_run();
	assert_int_equal(u1->state->op, SERVER_DOWN);
	assert_status("c/u1", "DOWN");
}

static void weights(void **state)
{
	static const struct {
		const char *path, *weight, *error;
		unsigned result;
	} cases[] = {
		{ "c/u1", "30", NULL, 30 },
		{ "c/u1", "50%", NULL, 25 },
		{ "c/u1", "0", NULL, 0 },
		{ "c/u1", "1000%", NULL, 256 },
		{ "c/u1", "256", NULL, 256 },
		{ "c/u1", "257", "Absolute weight can only be between 0 and 256 inclusive.", 256 },
		{ "c/u1", "-1", "Absolute weight can only be between 0 and 256 inclusive.", 256 },
		{ "c/u1", "-5%", "Relative weight must be positive.", 256 },
		{ "c/u1", "x", "Empty weight string empty or preceded by garbage", 256 },
		{ "c/u1", "50x", "Trailing garbage in weight string", 256 },
		{ "c/u1", "50%x", "Trailing garbage in weight string", 256 },
		{ "d/v1", "5", "Backend is using a static LB algorithm and only accepts weights "
			       "'0%' and '100%'.", 20 },
		{ "d/v1", "0%", NULL, 0 },
		{ "d/v1", "20", NULL, 20 },
	};
	struct err err;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		int rc = server_set_weight(srv(cases[i].path), cases[i].weight, &err);

		assert_int_equal(rc, cases[i].error ? -1 : 0);
		if (cases[i].error)
			assert_string_equal(err.text, cases[i].error);
		assert_int_equal(srv(cases[i].path)->state->effective_weight, cases[i].result);
	}
}

static void disabled_from_the_start(void **state)
{
	(void)state;
	assert_status("d/v2", "MAINT");
	assert_false(server_usable(srv("d/v2")));
	server_set_admin(srv("d/v2"), 0, ADMIN_FORCED_MAINT);
	assert_string_equal(said(), "Server d/v2 is UP/READY (leaving forced maintenance).\n");
	assert_true(server_usable(srv("d/v2")));
}

/* -- queued streams --------------------------------------------------------------------- */

static struct server *called;

static unsigned serves_one(struct server *s)
{
	called = s;
	return 1;
}

static unsigned moves_two(struct server *s)
{
	called = s;
	return 2;
}

/* Which ones they are: src/queue/slot_test.c. */
static void queued_streams_are_told(void **state)
{
	struct server *u1 = srv("c/u1");

	(void)state;
	server_hooks.has_room = serves_one;
	server_hooks.takes_none = moves_two;
	u1->tally->current = 1;
	called = NULL;
	server_set_down(u1, NULL);
	assert_string_equal(said(), "Server c/u1 is DOWN. 1 active and 0 backup servers left. 1 "
				    "sessions active, 2 requeued, 0 remaining in queue.\n");
	assert_ptr_equal(called, u1);
	u1->tally->current = 0;
	called = NULL;
	server_set_up(u1, NULL);
	assert_string_equal(said(), "Server c/u1 is UP. 2 active and 0 backup servers online. 1 "
				    "sessions requeued, 0 total in queue.\n");
	assert_ptr_equal(called, u1);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(down_and_up), TEST(maintenance), TEST(maintenance_while_down), TEST(drain),
		TEST(drain_out_of_maintenance), TEST(stopping), TEST(the_last_backup),
		TEST(health_is_shown), TEST(slowstart), TEST(slowstart_is_broken_off),
		TEST(weights), TEST(disabled_from_the_start), TEST(queued_streams_are_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
