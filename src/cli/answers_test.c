/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What commands answer, word for word, to what is right, to each thing that can be wrong, and to
 * words too many; and what has become of the objects then. On a world made by hand.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/clock.h"
#include "check/check.h"
#include "cli/cli.h"
#include "event/change.h"
#include "event/timer.h"
#include "stats/test_world.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>

static char said[1 << 16];
static size_t said_len;
static struct world *w;
static struct check agent;

static int set_up(void **state)
{
	(void)state;
	w = world_new();
	agent = (struct check){ .server = w->s2 };
	server_part_set(w->s2, &check_agent_part, &agent);
	w->s2->set.options.on |= SRV_AGENT_CHECK;
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	world_free(&w);
	return 0;
}

/* All that there is to be said now. */
static const char *drain(struct cli *cli)
{
	size_t n;

	while ((n = cli_output(cli, said + said_len, CLI_OUTPUT_MIN))) {
		said_len += n;
		assert_true(said_len + CLI_OUTPUT_MIN < sizeof(said));
	}
	said[said_len] = 0;
	return said;
}

static struct cli *say(int level, const char *line)
{
	struct cli *cli = cli_new(level, CLI_SEVERITY_NONE);

	said_len = 0;
	assert_int_equal(cli_input(cli, line, strlen(line)), strlen(line));
	assert_int_equal(cli_input(cli, "\n", 1), 1);
	drain(cli);
	return cli;
}

/* The answer to one line. */
static const char *ask_as(int level, const char *line)
{
	struct cli *cli = say(level, line);
	unsigned turns;

	for (turns = 0; !cli_done(cli) && turns < 10; turns++) {
		changes_carry_out();
		drain(cli);
	}
	assert_true(cli_done(cli));
	cli_free(&cli);
	return said;
}

struct said {
	const char *line, *answer; /* without the empty line behind it */
};

static void assert_answers(const struct said *rows, size_t count)
{
	char expected[4096];
	size_t i;

	for (i = 0; i < count; i++) {
		snprintf(expected, sizeof(expected), "%s\n%s", rows[i].answer,
			 *rows[i].answer ? "\n" : "");
		assert_string_equal(ask_as(LEVEL_ADMIN, rows[i].line), expected);
	}
}

#define ANSWERS(rows) assert_answers(rows, ARRAY_LEN(rows))

/* ---- set server -------------------------------------------------------------------------- */

#define USAGE                                                                               \
	"usage: set server <backend>/<server> addr | agent | agent-addr | agent-port | "   \
	"agent-send | check-addr | check-port | fqdn | health | name | ssl | state | weight"

static void words_of_set_server(void **state)
{
	static const struct said rows[] = {
		{ "set server", "Require 'backend/server'." },
		{ "set server one/zz weight 1", "No such server." },
		{ "set server zz/s1 weight 1", "No such backend." },
		{ "set server one/s1", USAGE },
		{ "set server one/s1 nosuch 1", USAGE },
		{ "set server one/s1 weight 1 2", "'2' is one word too many behind 'weight'." },
		{ "set server one/s1 state ready x", "'x' is one word too many behind 'state'." },
		{ "set server one/s1 health up x", "'x' is one word too many behind 'health'." },
		{ "set server one/s1 agent up x", "'x' is one word too many behind 'agent'." },
		{ "set server one/s1 agent-port 1 x",
		  "'x' is one word too many behind 'agent-port'." },
		{ "set server one/s1 agent-send 1 x",
		  "'x' is one word too many behind 'agent-send'." },
		{ "set server one/s1 check-port 1 x",
		  "'x' is one word too many behind 'check-port'." },
		{ "set server one/s1 fqdn a x", "'x' is one word too many behind 'fqdn'." },
		{ "set server one/s1 name a x", "'x' is one word too many behind 'name'." },
		{ "set server one/s1 ssl on x", "'x' is one word too many behind 'ssl'." },
		{ "set server one/s1 addr ::1 port 1 x", "'x' is one word too many behind 'addr'." },
		{ "set server one/s1 check-addr ::1 port 1 x",
		  "'x' is one word too many behind 'check-addr'." },
		{ "set server one/s1 agent-addr ::1 port 1 x",
		  "'x' is one word too many behind 'agent-addr'." },
		{ "set server one/s1 addr ::1 prt 1", "'port' expected instead of 'prt'" },
		{ "set server one/s1 fqdn", "set server <b>/<s> fqdn requires a FQDN." },
		{ "set server one/s1 weight", "Require <weight> or <weight%>." },
		{ "set server one/s1 health", "'set server <srv> health' expects 'up', 'stopping', or "
					       "'down'." },
		{ "set server one/s1 ssl on", "'set server <srv> ssl' cannot be set.  default-server "
					       "should define ssl settings" },
	};

	(void)state;
	ANSWERS(rows);
}

static void commands_about_servers(void **state)
{
	static const struct said rows[] = {
		{ "enable server one/zz", "No such server." },
		{ "disable server one/zz", "No such server." },
		{ "enable health one/zz", "No such server." },
		{ "disable health one/zz", "No such server." },
		{ "enable agent one/zz", "No such server." },
		{ "disable agent one/zz", "No such server." },
		{ "set maxconn server one/zz 1", "No such server." },
		{ "set weight one/zz 1", "No such server." },
		{ "get weight one/zz", "No such server." },
		{ "enable agent one/s1",
		  "Agent was not configured on this server, cannot enable." },
		{ "disable agent one/s2", "" },
		{ "set maxconn server one/s1", "Require <maxconn>." },
		{ "set maxconn server one/s1 -1", "Value out of range." },
		{ "set server one/s1 health stopping", "" },
	};

	(void)state;
	ANSWERS(rows);
	assert_int_equal(w->s1->state->op, SERVER_STOPPING);
	assert_true(w->s2->state->agent.paused);
	ask_as(LEVEL_ADMIN, "enable agent one/s2");
	assert_false(w->s2->state->agent.paused);
	w->one->set.disabled = true;
	assert_string_equal(ask_as(LEVEL_ADMIN, "disable server one/s1"), "Proxy is disabled.\n\n");
	assert_int_equal(w->s1->state->admin, 0);
}

static void checks_and_agents(void **state)
{
	static const struct said rows[] = {
		{ "set server one/s1 check-port", "set server <b>/<s> check-port requires a port." },
		{ "set server one/s1 check-port -1", "provided port is invalid" },
		{ "set server one/s1 check-port 65535", "" },
		{ "set server one/s1 check-port 0", "" },
		{ "set server one/s1 check-addr", "set server <b>/<s> check-addr requires an address "
						   "and optionally a port." },
		{ "set server one/s1 check-addr x", "invalid addr 'x'" },
		{ "set server one/s1 check-addr ::9 prt 5", "'port' expected instead of 'prt'" },
		{ "set server one/s1 check-addr ::9 port x", "provided port is not an integer" },
		{ "set server one/s1 check-addr 127.0.0.9", "" },
		{ "set server one/s4 check-addr ::9", "health checks are not enabled on this server" },
		{ "set server one/s4 check-port 9", "health checks are not enabled on this server" },
		{ "set server one/s1 agent up", "agent checks are not enabled on this server." },
		{ "set server one/s1 agent-send x", "agent checks are not enabled on this server." },
		{ "set server one/s1 agent-port 9", "agent checks are not enabled on this server" },
		{ "set server one/s1 agent-addr ::9", "agent checks are not enabled on this server" },
		{ "set server one/s2 agent x", "'set server <srv> agent' expects 'up' or 'down'." },
		{ "set server one/s2 agent-port", "set server <b>/<s> agent-port requires a port." },
		{ "set server one/s2 agent-port 65536", "provided port is invalid" },
		{ "set server one/s2 agent-port 77", "" },
		{ "set server one/s2 agent-addr", "set server <b>/<s> agent-addr requires an address "
						   "and optionally a port." },
		{ "set server one/s2 agent-addr x", "invalid addr 'x'" },
		{ "set server one/s2 agent-addr ::9 port 70000", "provided port is invalid" },
		{ "set server one/s2 agent-addr 127.0.0.8", "" },
	};

	(void)state;
	ANSWERS(rows);
	assert_int_equal(w->s1->state->check.port, 0);
	assert_int_equal(w->s1->state->check.addr.v4.s_addr, htonl(0x7f000009));
	assert_int_equal(w->s2->state->agent.port, 77);
	assert_int_equal(w->s2->state->agent.addr.v4.s_addr, htonl(0x7f000008));
	ask_as(LEVEL_ADMIN, "set server one/s2 agent-addr ::9 port 78");
	assert_int_equal(w->s2->state->agent.port, 78);
	assert_int_equal(w->s2->state->agent.addr.family, AF_INET6);
	ask_as(LEVEL_ADMIN, "set server one/s2 agent down");
	assert_int_equal(w->s2->state->op, SERVER_DOWN);
	assert_true(w->s2->state->agent_down);
	ask_as(LEVEL_ADMIN, "set server one/s2 agent up");
	assert_int_equal(w->s2->state->op, SERVER_UP);
	assert_false(w->s2->state->agent_down);
	/* One that is paused counts as none. */
	w->s2->state->agent.paused = true;
	assert_string_equal(ask_as(LEVEL_ADMIN, "set server one/s2 agent up"),
			    "agent checks are not enabled on this server.\n\n");
}

/* ---- backends and frontends -------------------------------------------------------------- */

static void commands_about_proxies(void **state)
{
	static const struct said rows[] = {
		{ "add backend one from x", "Already exists a backend with the same name." },
		{ "del backend zz", "No such backend." },
		{ "del backend be", "Backend 'be' is published: 'unpublish backend be' comes first." },
		{ "publish backend zz", "No such backend." },
		{ "unpublish backend be", "Backend unpublished." },
		{ "publish backend be", "Backend published." },
		{ "add server zz/x 127.0.0.1:1", "No such backend." },
		{ "add server", "Require 'backend/server'." },
		{ "del server one/zz", "No such server." },
		{ "del server one/s2", "Only servers in maintenance mode can be deleted." },
		{ "enable frontend", "A frontend name is expected." },
		{ "disable frontend zz", "No such frontend." },
		{ "shutdown frontend be", "No such frontend." },
		{ "enable frontend fe", "All sockets are already enabled." },
		{ "set maxconn frontend fe 2147483647", "" },
		{ "set maxconn frontend fe 2147483648", "Value out of range." },
		{ "enable dynamic-cookie backend", "A backend name is expected." },
		{ "enable dynamic-cookie backend zz", "No such backend." },
		{ "disable dynamic-cookie backend fe", "No such backend." },
		{ "set dynamic-cookie-key backend be", "String value expected." },
		{ "set dynamic-cookie-key backend zz k", "No such backend." },
	};

	(void)state;
	ANSWERS(rows);
	assert_int_equal(w->fe->state->maxconn, 2147483647);
	w->fe->run_state = PROXY_PAUSED;
	assert_string_equal(ask_as(LEVEL_ADMIN, "disable frontend fe"),
			    "All sockets are already disabled.\n\n");
	w->fe->run_state = PROXY_STOPPED;
	assert_string_equal(ask_as(LEVEL_ADMIN, "enable frontend fe"),
			    "Frontend was previously shut down, cannot enable.\n\n");
	assert_string_equal(ask_as(LEVEL_ADMIN, "disable frontend fe"),
			    "Frontend was previously shut down, cannot disable.\n\n");
	assert_string_equal(ask_as(LEVEL_ADMIN, "shutdown frontend fe"),
			    "Frontend was already shut down.\n\n");
	w->be->set.mode = MODE_UDP;
	assert_string_equal(ask_as(LEVEL_ADMIN, "publish backend be"),
			    "'be' is a section udp-lb: no rule chooses it.\n\n");
}

static void limits_of_the_process(void **state)
{
	static const struct said rows[] = {
		{ "set maxconn global 500", "" },
		{ "set maxconn global 501", "Value out of range." },
		{ "set maxconn global -1", "Value out of range." },
		{ "set maxconn global x", "Expects an integer value." },
		{ "set rate-limit sessions global 2147483648", "Value out of range." },
		{ "set rate-limit sessions global 2147483647", "" },
		{ "set rate-limit connections global 0", "" },
		{ "clear counters x", "'clear counters' only knows 'all'." },
	};
	static const char usage[] =
		"'set rate-limit' only supports :\n"
		"   - 'connections global' to set the per-process maximum connection rate\n"
		"   - 'sessions global' to set the per-process maximum session rate\n"
		"   - 'ssl-sessions global' to set the per-process maximum SSL session rate\n"
		"   - 'http-compression global' to set the per-process maximum compression speed in "
		"kB/s\n\n";

	(void)state;
	ANSWERS(rows);
	assert_int_equal(w->global.maxsess_rate, 2147483647);
	assert_int_equal(w->global.maxconn_rate, 0);
	assert_string_equal(ask_as(LEVEL_ADMIN, "set rate-limit sessions"), usage);
	assert_string_equal(ask_as(LEVEL_ADMIN, "set rate-limit x global 1"), usage);
}

/* ---- show servers state ------------------------------------------------------------------ */

/* The line of the first server of "be", behind its title. */
static const char *line_of_t2(void)
{
	char *begin = strstr((char *)(uintptr_t)ask_as(LEVEL_ADMIN, "show servers state be"),
			     "\n4 be 2 ");

	assert_non_null(begin);
	begin++;
	begin[strcspn(begin, "\n")] = 0;
	return begin;
}

/* Each field has a value that no other has. */
static void each_field_of_a_state(void **state)
{
	struct server *s = w->t2;
	struct server_state *st = s->state;

	(void)state;
	server_part_set(s, &check_part, &agent);
	server_part_set(s, &check_agent_part, &agent);
	s->set.weight = 31;
	s->set.tls.options.given |= TLS_SSL;
	s->forced_id = true;
	w->be->forced_id = true;
	st->user_weight = 32;
	st->changed_ms = clock_now_ms - 33999;
	st->check.status = CHECK_L7STS;
	st->health = 3;
	st->op = SERVER_STOPPING;
	st->check.port = 35;
	inet_pton(AF_INET, "127.0.0.36", &st->check.addr.v4);
	st->check.addr.family = AF_INET;
	inet_pton(AF_INET, "127.0.0.37", &st->agent.addr.v4);
	st->agent.addr.family = AF_INET;
	st->agent.port = 38;
	s->spec.hostname = "host";
	assert_string_equal(line_of_t2(), "4 be 2 t2 127.0.0.1 3 0 32 31 33 17 2 3 6 22 1 1 host "
					  "29002 - -1 35 127.0.0.36 127.0.0.37 38");
	s->is_service = true;
	s->spec.hostname = "_http._tcp.x";
	st->hostname = (char *)(uintptr_t)"found";
	st->addr.family = AF_UNSPEC;
	st->check.addr.family = AF_UNIX;
	assert_string_equal(line_of_t2(), "4 be 2 t2 - 3 64 32 31 33 17 2 3 6 22 1 1 found 29002 "
					  "_http._tcp.x -1 35 - 127.0.0.37 38");
	st->hostname = NULL;
}

/* The value of one field, from 0. */
static unsigned field(unsigned n)
{
	const char *at = line_of_t2();

	while (n--)
		at = strchr(at, ' ') + 1;
	return (unsigned)atoi(at);
}

static void reasons_to_be_out_of_service(void **state)
{
	static const struct {
		unsigned bit, shown;
	} rows[] = {
		{ ADMIN_FORCED_MAINT, 0x01 },  { ADMIN_REMOVED, 0x01 },
		{ ADMIN_INHERITED_MAINT, 0x02 }, { ADMIN_FORCED_DRAIN, 0x08 },
		{ ADMIN_INHERITED_DRAIN, 0x10 }, { ADMIN_RESOLUTION, 0x20 },
		{ ADMIN_EJECTED, 0x80 },
	};
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_LEN(rows); i++) {
		w->t2->state->admin = (uint8_t)rows[i].bit;
		assert_int_equal(field(6), rows[i].shown);
		assert_int_equal(field(5), rows[i].bit & ADMIN_MAINT ? SERVER_DOWN : SERVER_UP);
		assert_int_equal(field(12), rows[i].bit & ADMIN_MAINT ? 0 : 4);
	}
	w->t2->state->admin = 0;
	w->t2->set.options.on |= SRV_DISABLED;
	assert_int_equal(field(6), 0x04);
}

/* Status, and what it comes to, as the reference numbers them. */
static void results_of_checks(void **state)
{
	static const struct {
		enum check_status status;
		unsigned number, result;
	} rows[] = {
		{ CHECK_UNKNOWN, 0, 0 }, { CHECK_INIT, 1, 0 },    { CHECK_SOCKERR, 5, 2 },
		{ CHECK_L4OK, 6, 3 },	 { CHECK_L4TOUT, 7, 2 },  { CHECK_L4CON, 8, 2 },
		{ CHECK_L6OK, 9, 3 },	 { CHECK_L6TOUT, 10, 2 }, { CHECK_L6RSP, 11, 2 },
		{ CHECK_L7TOUT, 12, 2 }, { CHECK_L7RSP, 13, 2 },  { CHECK_L7OK, 15, 3 },
		{ CHECK_L7OKC, 16, 4 },	 { CHECK_L7STS, 17, 2 },  { CHECK_HANA, 4, 2 },
		{ CHECK_CHECKED, 3, 2 }, { CHECK_PROCERR, 18, 2 }, { CHECK_PROCTOUT, 19, 2 },
		{ CHECK_PROCOK, 20, 3 },
	};
	struct check_state *check = &w->t2->state->check;
	size_t i;

	(void)state;
	server_part_set(w->t2, &check_part, &agent);
	for (i = 0; i < ARRAY_LEN(rows); i++) {
		check->status = (uint8_t)rows[i].status;
		assert_int_equal(field(10), rows[i].number);
		assert_int_equal(field(11), rows[i].result);
	}
	assert_int_equal(field(13), 6);
	check->running = true;
	assert_int_equal(field(11), 0);
	assert_int_equal(field(13), 7);
	check->paused = true;
	assert_int_equal(field(13), 3);
	check->running = false;
	assert_int_equal(field(13), 2);
	check->paused = false;
	w->t2->state->admin = ADMIN_FORCED_MAINT;
	assert_int_equal(field(13), 14);
	server_part_set(w->t2, &check_part, NULL);
	assert_int_equal(field(10), 1);
	assert_int_equal(field(11), 0);
	assert_int_equal(field(13), 0);
	w->t2->set.options.on |= SRV_DISABLED;
	assert_int_equal(field(13), 8);
}

static void states_of_agents(void **state)
{
	struct check_state *st = &w->t2->state->agent;

	(void)state;
	assert_int_equal(field(14), 0);
	server_part_set(w->t2, &check_agent_part, &agent);
	assert_int_equal(field(14), 22);
	st->running = true;
	assert_int_equal(field(14), 23);
	st->paused = true;
	assert_int_equal(field(14), 19);
	st->running = false;
	assert_int_equal(field(14), 18);
}

static void connections_of_servers(void **state)
{
	struct server *s = w->t2;

	(void)state;
	s->set.pool_purge_delay = 41;
	s->tally->current = 42;
	s->tally->counters.connections_max = 43;
	s->idle_need = 44;
	s->idle_count = 95;
	s->idle_safe = 50;
	s->set.pool_max_conn = 47;
	assert_non_null(strstr(ask_as(LEVEL_ADMIN, "show servers conn be"),
			       "\nbe/t2 4/2 127.0.0.1 29002 - 41 42 43 44 45 50 47 95 95\n"));
	assert_null(strstr(said, "\none/"));
	assert_string_equal(ask_as(LEVEL_ADMIN, "show servers conn zz"), "Can't find backend.\n\n");
}

static void guids(void **state)
{
	(void)state;
	w->one->guid = "g-one";
	w->s2->guid = "g-s2";
	w->s4->guid = "g-s4";
	w->be->guid = "g-be";
	list_first(&list_first(&w->one->binds, struct bind_conf, node)->listeners, struct listener,
		   node)->guid = "g-sock";
	assert_string_equal(ask_as(LEVEL_USER, "show guid"),
			    "g-one listen one\ng-sock socket 127.0.0.1:29080 of listen one\n"
			    "g-s2 server one/s2\ng-s4 server one/s4\ng-be backend be\n\n");
	assert_string_equal(ask_as(LEVEL_USER, "show guid g-s4"), "g-s4 server one/s4\n\n");
	assert_string_equal(ask_as(LEVEL_USER, "show guid nosuch"), "No such guid.\n\n");
}

/* ---- wait -------------------------------------------------------------------------------- */

#define WAIT_USAGE                                                                          \
	"wait { -h | <delay> } [<condition>]: waits for so many ms (or another unit), at most " \
	"for a condition: srv-removable <backend>/<server>, srv-stopped <backend>/<server>, "  \
	"be-removable <backend>"

static void words_of_wait(void **state)
{
	static const struct said rows[] = {
		{ "wait -h", WAIT_USAGE },
		{ "wait", "A delay is expected: " WAIT_USAGE },
		{ "wait x", "A delay is expected: " WAIT_USAGE },
		{ "wait 5 nosuch", "Unknown condition 'nosuch': " WAIT_USAGE },
		{ "wait 0", "" },
		{ "wait 0 srv-removable one/zz", "Failed: No such server." },
		{ "wait 5 srv-removable one/s2",
		  "Failed: Only servers in maintenance mode can be deleted." },
		{ "wait 5 srv-stopped one/zz", "Failed: No such server." },
		{ "wait 5 srv-stopped one/s2", "Done." },
		{ "wait 5 be-removable zz", "Failed: No such backend." },
		{ "wait 5 be-removable be",
		  "Failed: Backend 'be' is published: 'unpublish backend be' comes first." },
		{ "wait 5 srv-removable one/s4", "Done." },
	};

	(void)state;
	ANSWERS(rows);
}

static void turn(struct cli *cli, unsigned ms)
{
	clock_advance(ms);
	timer_run();
	drain(cli);
}

static void a_wait_that_expires(void **state)
{
	struct cli *cli;

	(void)state;
	w->s2->tally->current = 1;
	cli = say(LEVEL_USER, "wait 50 srv-stopped one/s2");
	turn(cli, 49);
	assert_false(cli_done(cli));
	turn(cli, 1);
	assert_true(cli_done(cli));
	assert_string_equal(said, "Wait delay expired.\n\n");
	cli_free(&cli);
	cli = say(LEVEL_USER, "wait 2s");
	turn(cli, 1000);
	turn(cli, 999);
	assert_false(cli_done(cli));
	turn(cli, 1);
	assert_true(cli_done(cli));
	assert_string_equal(said, "\n");
	cli_free(&cli);
}

static void a_wait_that_is_met(void **state)
{
	struct cli *cli;

	(void)state;
	w->s2->tally->current = 1;
	cli = say(LEVEL_USER, "wait 5m srv-stopped one/s2");
	turn(cli, 20);
	assert_false(cli_done(cli));
	w->s2->tally->current = 0;
	turn(cli, 20);
	assert_true(cli_done(cli));
	assert_string_equal(said, "Done.\n\n");
	cli_free(&cli);
	/* Whoever goes takes the timer along. */
	w->s2->tally->current = 1;
	cli = say(LEVEL_USER, "wait 5m srv-stopped one/s2");
	assert_int_equal(timer_count(), 1);
	cli_free(&cli);
	assert_int_equal(timer_count(), 0);
}

/* ---- maps, ACLs, variables, requests to be told ------------------------------------------- */

#define UNKNOWN(what) "Unknown " what " identifier. Please use #<id> or <file>."
#define ADD_MAP                                                                                    \
	"'add map' expects three parameters (map identifier, key and value) or one parameter "     \
	"(map identifier) and a payload"

static void words_of_maps(void **state)
{
	static const struct said rows[] = {
		{ "get map", "Missing map identifier and/or key." },
		{ "get acl x", "Missing ACL identifier and/or key." },
		{ "get map #7 x", UNKNOWN("map") },
		{ "get acl #7 x", UNKNOWN("ACL") },
		{ "show map #7", UNKNOWN("map") },
		{ "clear map #7", UNKNOWN("map") },
		{ "clear acl #7", UNKNOWN("ACL") },
		{ "prepare map #7", UNKNOWN("map") },
		{ "add map", ADD_MAP },
		{ "add map x k", ADD_MAP },
		{ "add map x k v", UNKNOWN("map") },
		{ "add map @x m k v", "'@x' is no version number." },
		{ "add acl x", "'add acl' expects two parameters: ACL identifier and pattern." },
		{ "add acl x k", UNKNOWN("ACL") },
		{ "commit map", "Missing version number." },
		{ "commit map x", "Missing version number." },
		{ "commit map @1", "Missing map identifier." },
		{ "commit acl @1", "Missing ACL identifier." },
		{ "commit acl @1 x", UNKNOWN("ACL") },
		{ "commit map @ m", "'@' is no version number." },
		{ "commit map @-1 m", "'@-1' is no version number." },
		{ "commit map @4294967296 m", "'@4294967296' is no version number." },
		{ "commit map @4294967295 m", UNKNOWN("map") },
		{ "del map x", "This command expects two parameters: map identifier and key." },
		{ "del acl x", "This command expects two parameters: ACL identifier and key." },
		{ "del map x k", UNKNOWN("map") },
		{ "set map x k", "'set map' expects three parameters: map identifier, key and value." },
		{ "set map x k v", UNKNOWN("map") },
	};

	(void)state;
	ANSWERS(rows);
}

static void words_of_variables(void **state)
{
	static const struct said rows[] = {
		{ "get var", "Missing process-wide variable identifier." },
		{ "get var proc.nosuch", "Variable not found." },
		{ "get var txn.nosuch", "Variable not found." },
	};
	static const struct said experimental[] = {
		{ "set var", "Missing process-wide variable identifier." },
		{ "set var txn.x 1", "'set var': cannot set variable 'txn.x', only scope 'proc' is "
				     "permitted here." },
		{ "set var proc.x", "Missing either 'expr', 'fmt' or expression." },
		{ "set var proc.x how 1", "'set var': arg type must be either 'expr' or 'fmt' but got 'how'." },
		{ "set var proc.x expr int(1) more", "'set var': 'more' is one word too many: blanks stand "
						     "behind a backslash" },
		{ "set var proc.x expr src", "'src' looks at the client connection, and there is none here" },
		{ "set var proc.x src", "'src' looks at the client connection, and there is none here" },
		{ "set var proc.x expr var(proc.y)", "'var(proc.y)' has no value" },
	};
	char line[200], expected[200];
	size_t i;

	(void)state;
	ANSWERS(rows);
	for (i = 0; i < ARRAY_LEN(experimental); i++) {
		snprintf(line, sizeof(line), "experimental-mode on;%s", experimental[i].line);
		snprintf(expected, sizeof(expected), "\n%s\n\n", experimental[i].answer);
		assert_string_equal(ask_as(LEVEL_ADMIN, line), expected);
	}
}

static void words_of_requests_to_be_told(void **state)
{
	static const struct said rows[] = {
		{ "trace request width 39",
		  "width: columns of a terminal, 40 to 10000, are expected, not '39'." },
		{ "trace request width 10001",
		  "width: columns of a terminal, 40 to 10000, are expected, not '10001'." },
		{ "trace request width", "width: columns of a terminal, 40 to 10000, are expected, not ''." },
		{ "trace request frontend nosuch", "There is no frontend 'nosuch'." },
		{ "trace request path", "'trace request [width COLUMNS] [colour] [frontend NAME] "
					"[if CONDITION]' is expected, not 'path'." },
		{ "trace request if", "Behind 'if' a condition is expected." },
		{ "trace request if {", "Behind '{' an expression is expected." },
		{ "trace request if { }", "Behind '{' an expression is expected." },
		{ "trace request width 40 colour if { path /", "The '}' that closes the condition is missing." },
		{ "trace request if { path -m nosuch / }", "Unknown matching method 'nosuch'." },
		{ "trace request if { path -x / }", "'-x' cannot stand here; -i, -m and -- can." },
		{ "trace request if nosuch", "There is no ACL 'nosuch' in any frontend." },
		{ "trace request if { path / } or { path /a }", "Alternatives ('or') are not possible here." },
		{ "trace request if { status 200 }", "'status' looks at the server, which is not there yet "
						     "when a request comes." },
	};

	(void)state;
	ANSWERS(rows);
}

/* Who asks first is told; and the next one, when that one has gone. */
static void a_request_is_told_to_one(void **state)
{
	static const char waits[] = "The next request that matches is told here. Any key stops.\n";
	struct cli *first, *second;
	unsigned i;

	(void)state;
	for (i = 0; i < 2; i++) {
		first = say(LEVEL_ADMIN, "trace request");
		assert_string_equal(said, waits);
		second = say(LEVEL_ADMIN, "trace request");
		assert_string_equal(said, "Another 'trace request' waits in this process.\n\n");
		cli_free(&second);
		cli_free(&first);
	}
}

/* ---- the conversation -------------------------------------------------------------------- */

static void words_of_modes(void **state)
{
	static const struct said rows[] = {
		{ "show cli level", "admin" },
		{ "operator; show cli level", "\noperator" },
		{ "user; show cli level", "\nuser" },
		{ "expert-mode", "expert-mode is OFF" },
		{ "expert-mode on; expert-mode", "\nexpert-mode is ON" },
		{ "expert-mode on; expert-mode off; expert-mode", "\n\nexpert-mode is OFF" },
		{ "expert-mode x", "'expert-mode' expects 'on' or 'off'." },
		{ "experimental-mode", "experimental-mode is OFF" },
		{ "experimental-mode on; experimental-mode", "\nexperimental-mode is ON" },
		{ "set severity-output x",
		  "one of 'none', 'number', 'string' is a required argument" },
		{ "set timeout x 1", "'set timeout' only supports 'cli'." },
		{ "set timeout cli", "Expects an integer value." },
		{ "set timeout cli 0", "Invalid timeout value." },
		{ "set timeout cli x", "Invalid timeout value." },
		{ "set timeout cli 5x", "Invalid timeout value." },
		{ "set timeout cli 5mm", "Invalid timeout value." },
		{ "set timeout cli 1234567890123456", "Invalid timeout value." },
		{ "set timeout cli 2073600", "" },
		{ "set timeout cli 2073601", "Invalid timeout value." },
		{ "set timeout cli 24d", "" },
		{ "set timeout cli 25d", "Invalid timeout value." },
		{ "set timeout cli 576h", "" },
		{ "set timeout cli 577h", "Invalid timeout value." },
		{ "set timeout cli 34560m", "" },
		{ "set timeout cli 34561m", "Invalid timeout value." },
		{ "_getsocks", "This socket does not hand over listeners: it needs 'expose-fd "
			       "listeners' and must be a Unix socket." },
		{ "show resolvers zz", "Can't find that resolvers section" },
		{ "get var", "Missing process-wide variable identifier." },
		{ "get var proc.nosuch", "Variable not found." },
	};

	(void)state;
	ANSWERS(rows);
}

#define test(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		test(words_of_set_server), test(commands_about_servers), test(checks_and_agents),
		test(commands_about_proxies), test(limits_of_the_process),
		test(each_field_of_a_state), test(reasons_to_be_out_of_service),
		test(results_of_checks), test(states_of_agents), test(connections_of_servers),
		test(guids), test(words_of_wait), test(a_wait_that_expires),
		test(a_wait_that_is_met), test(words_of_maps), test(words_of_variables),
		test(words_of_requests_to_be_told), test(a_request_is_told_to_one),
		test(words_of_modes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
