/* SPDX-License-Identifier: BSD-2-Clause */
/* What commands show and change, on a world made by hand. reg-tests/cli/fields/ holds the names,
 * positions and types of the fields as the reference prints them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/arena.h"
#include "base/clock.h"
#include "cli/cli.h"
#include "cli/stats_conf.h"
#include "event/change.h"
#include "stats/test_world.h"
#include "stats/info.h"
#include "stats/stat.h"

#include <stdio.h>
#include <stdlib.h>

static char said[1 << 22];
static size_t said_len;
static struct world *w;

static int set_up(void **state)
{
	(void)state;
	w = world_new();
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	world_free(&w);
	return 0;
}

/* The answer to one line. */
static const char *ask_as(int level, const char *line)
{
	struct cli *cli = cli_new(level, CLI_SEVERITY_NONE);
	unsigned waited = 0;
	size_t n;

	said_len = 0;
	assert_int_equal(cli_input(cli, line, strlen(line)), strlen(line));
	assert_int_equal(cli_input(cli, "\n", 1), 1);
	do {
		while ((n = cli_output(cli, said + said_len, CLI_OUTPUT_MIN))) {
			said_len += n;
			assert_true(said_len + CLI_OUTPUT_MIN < sizeof(said));
		}
		changes_carry_out();
	} while (!cli_done(cli) && waited++ < 10);
	said[said_len] = 0;
	assert_true(cli_done(cli));
	cli_free(&cli);
	return said;
}

static const char *ask(const char *line)
{
	return ask_as(LEVEL_ADMIN, line);
}

#define says(line, expected) assert_string_equal(ask(line), expected)

/* Value of column number i in the row "pxname,svname,...", as a copy. */
static const char *column(const char *csv, const char *row, int i)
{
	static char value[256];
	const char *p = csv;
	size_t n;

	while (strncmp(p, row, strlen(row))) {
		p = strchr(p, '\n');
		assert_non_null(p);
		p++;
	}
	while (i--)
		p = strchr(p, ',') + 1;
	n = strcspn(p, ",");
	assert_true(n < sizeof(value));
	memcpy(value, p, n);
	value[n] = 0;
	return value;
}

static FILE *fixture(const char *name)
{
	const char *srcdir = getenv("srcdir");
	char path[1024];
	FILE *f;

	snprintf(path, sizeof(path), "%s/reg-tests/cli/fields/%s", srcdir ? srcdir : ".", name);
	f = fopen(path, "r");
	assert_non_null(f);
	return f;
}

/* -- show info ------------------------------------------------------------------------------- */

static void info_has_the_fields_of_the_reference(void **state)
{
	char name[128], tags[8], type[8], line[256], wanted[256];
	FILE *f = fixture("show-info");
	const char *text;
	int pos, n = 0;

	(void)state;
	info_conf.description = "tests";
	text = ask("show info typed");
	info_conf.description = NULL;
	while (fgets(line, sizeof(line), f)) {
		char *last = strrchr(line, ' '), *tag;

		*strchr(line, '\n') = 0;
		strcpy(type, last + 1);
		*last = 0;
		tag = strrchr(line, ' ');
		strcpy(tags, tag + 1);
		*tag = 0;
		pos = atoi(line);
		strcpy(name, strchr(line, ' ') + 1);
		if (!strcmp(name, "Memmax_bytes"))
			strcpy(type, "u64"); /* 32 bits are too few for it */
		snprintf(wanted, sizeof(wanted), "%s%d.%s.1:%s:%s:", pos ? "\n" : "", pos, name,
			 tags, type);
		if (!strstr(text, wanted))
			fail_msg("show info typed lacks %s", wanted);
		n++;
	}
	fclose(f);
	assert_int_equal(n, 70);
}

static void info_shows_values(void **state)
{
	const char *text = ask("show info");

	(void)state;
	assert_non_null(strstr(text, "Name: HAProxy\nVersion: 2.6.99-penstock"));
	assert_non_null(strstr(text, "\nUptime: 1d 2h03m04s\nUptime_sec: 93784\n"));
	assert_non_null(strstr(text, "\nMaxconn: 500\nHard_maxconn: 500\n"));
	assert_non_null(strstr(text, "\nListeners: 4\n"));
	assert_non_null(strstr(text, "\nStart_time_sec: 1700000000\n"));
	assert_non_null(strstr(text, "\nnode: "));
	assert_null(strstr(text, "\ndescription: "));
	assert_non_null(strstr(text, "\nPipesHighWater: 0\n"));
	assert_non_null(strstr(text, "\nSpliceFallbackUrgent: 0\n"));
	assert_string_equal(strstr(text, "\n\n"), "\n\n");
	info_conf.node = "n1";
	info_conf.description = "say \"hi\", \xc3\xa9 \xff\x01";
	assert_non_null(strstr(ask("show info"), "\nnode: n1\ndescription: say \"hi\","));
	assert_non_null(strstr(ask("show info json"),
			       "\"value\":{\"type\":\"str\",\"value\":"
			       "\"say \\\"hi\\\", \xc3\xa9 \\u00ff\\u0001\"}"));
	info_conf.node = info_conf.description = NULL;
}

static void info_knows_desc_and_float(void **state)
{
	(void)state;
	assert_non_null(strstr(ask("show info desc"), "Name: HAProxy:\"name of the product that tools know\"\n"));
	assert_non_null(strstr(ask("show info float"), "\nUptime_sec: 93784\n"));
	assert_non_null(strstr(said, "\nStart_time_sec: 1700000000.25\n"));
	assert_non_null(strstr(ask("show info typed float desc"),
			       "\n8.Uptime_sec.1:MDP:flt:93784:\"seconds since the process was "
			       "started\"\n"));
}

/* -- show stat ------------------------------------------------------------------------------- */

static void stat_has_the_columns_of_the_reference(void **state)
{
	FILE *f = fixture("show-stat-columns");
	const char *p = ask("show stat");
	char name[128];

	(void)state;
	assert_int_equal(strncmp(p, "# ", 2), 0);
	p += 2;
	while (fgets(name, sizeof(name), f)) {
		name[strcspn(name, "\n")] = 0;
		assert_int_equal(strncmp(p, name, strlen(name)), 0);
		p += strlen(name);
		assert_int_equal(*p, ',');
		p++;
	}
	assert_int_equal(*p, '\n');
	fclose(f);
}

/* Each kind has a value for the same fields as in the reference, with the same tags and type. */
static void stat_has_the_typed_fields_of_the_reference(void **state)
{
	char kind[4], name[64], tags[8], type[8], wanted[128];
	FILE *f = fixture("show-stat-typed");
	const char *text, *p;
	int pos, n = 0;

	(void)state;
	w->s3->state->op = SERVER_UP; /* "one" must be up */
	text = ask("show stat typed");
	while (fscanf(f, "%3s %d %63s %7s %7s", kind, &pos, name, tags, type) == 5) {
		if (pos == STAT_cookie)
			continue; /* no cookies in TCP mode */
		snprintf(wanted, sizeof(wanted), ".%d.%s.1:%s:%s:", pos, name, tags, type);
		for (p = text; (p = strstr(p, wanted)); p++) {
			const char *start = p;

			while (start > text && start[-1] != '\n')
				start--;
			if (*start == kind[0])
				break;
		}
		if (!p)
			fail_msg("show stat typed lacks %s%s", kind, wanted);
		n++;
	}
	fclose(f);
	assert_true(n > 160);
}

static void stat_shows_servers(void **state)
{
	const char *csv;

	(void)state;
	w->s1->tally->counters.bytes_in = 18446744073709551615u;
	w->s1->tally->current = 3;
	w->s1->state->check.running = true;
	w->s1->tally->last_session_s = (uint64_t)clock_wall().tv_sec - 5;
	csv = ask("show stat");
	assert_string_equal(column(csv, "one,s1,", STAT_scur), "3");
	assert_string_equal(column(csv, "one,s1,", STAT_slim), "50");
	assert_string_equal(column(csv, "one,s1,", STAT_bin), "18446744073709551615");
	assert_string_equal(column(csv, "one,s1,", STAT_status), "UP");
	assert_string_equal(column(csv, "one,s1,", STAT_check_status), "* L4OK");
	assert_string_equal(column(csv, "one,s1,", STAT_lastchg), "10");
	assert_string_equal(column(csv, "one,s1,", STAT_addr), "127.0.0.1:29001");
	assert_true(atoi(column(csv, "one,s1,", STAT_lastsess)) >= 5);
	assert_string_equal(column(csv, "one,s2,", STAT_act), "0");
	assert_string_equal(column(csv, "one,s2,", STAT_bck), "1");
	assert_string_equal(column(csv, "one,s2,", STAT_lastsess), "-1");
	assert_string_equal(column(csv, "one,s3,", STAT_status), "DOWN");
	assert_string_equal(column(csv, "one,s3,", STAT_last_chk), "Connection refused");
	assert_string_equal(column(csv, "one,s3,", STAT_downtime), "10");
	assert_string_equal(column(csv, "one,s4,", STAT_status), "MAINT");
	assert_string_equal(column(csv, "one,s4,", STAT_check_status), "");
	assert_string_equal(column(csv, "be,t1,", STAT_tracked), "one/s1");
	assert_string_equal(column(csv, "be,t2,", STAT_qlimit), "7");
	assert_string_equal(column(csv, "be,t2,", STAT_status), "no check");
	assert_string_equal(column(csv, "be,t3,", STAT_addr), "[::1]:29002");
}

static void stat_shows_proxies(void **state)
{
	const char *csv;

	(void)state;
	w->one->fe->current = 100;
	csv = ask("show stat");
	assert_string_equal(column(csv, "one,FRONTEND,", STAT_status), "FULL");
	assert_string_equal(column(csv, "one,FRONTEND,", STAT_slim), "100");
	assert_string_equal(column(csv, "one,sockone,", STAT_addr), "127.0.0.1:29080");
	assert_string_equal(column(csv, "one,sock-2,", STAT_type), "3");
	assert_string_equal(column(csv, "one,BACKEND,", STAT_status), "UP");
	assert_string_equal(column(csv, "one,BACKEND,", STAT_weight), "10");
	assert_string_equal(column(csv, "one,BACKEND,", STAT_act), "1");
	assert_string_equal(column(csv, "one,BACKEND,", STAT_bck), "1");
	assert_string_equal(column(csv, "one,BACKEND,", STAT_slim), "10");
	assert_string_equal(column(csv, "fe,FRONTEND,", STAT_rate_lim), "200");
	assert_string_equal(column(csv, "be,BACKEND,", STAT_algo), "leastconn");
	assert_string_equal(column(csv, "be,BACKEND,", STAT_weight), "32");
	assert_string_equal(column(csv, "empty,BACKEND,", STAT_status), "UP");
	assert_string_equal(column(csv, "empty,BACKEND,", STAT_downtime), "");
	assert_null(strstr(csv, "GLOBAL"));
	w->s1->state->effective_weight = 0;
	assert_string_equal(column(ask("show stat"), "one,BACKEND,", STAT_weight), "1");
	w->s2->state->op = SERVER_DOWN;
	assert_string_equal(column(ask("show stat"), "one,BACKEND,", STAT_status), "DOWN");
	assert_string_equal(column(ask("show stat up"), "one,BACKEND,", STAT_status), "DOWN (1/4)");
}

/* The first two columns of all rows, joined by blanks. */
static const char *rows(const char *line)
{
	static char names[2048];
	const char *p = ask(line), *comma;

	names[0] = 0;
	if (*p != '#')
		return p;
	while ((p = strchr(p, '\n') + 1) && *p != '\n') {
		comma = strchr(strchr(p, ',') + 1, ',');
		strncat(names, p, (size_t)(comma - p));
		strcat(names, " ");
	}
	return names;
}

static void stat_filters(void **state)
{
	(void)state;
	assert_string_equal(rows("show stat"),
			    "one,FRONTEND one,sockone one,sock-2 one,s1 one,s2 one,s3 one,s4 "
			    "one,BACKEND fe,FRONTEND be,t1 be,t2 be,t3 be,BACKEND empty,BACKEND ");
	assert_string_equal(rows("show stat 2 7 1"), "one,FRONTEND one,s1 one,BACKEND ");
	assert_string_equal(rows("show stat one -1 2"), "one,FRONTEND one,sock-2 one,s2 one,BACKEND ");
	assert_string_equal(rows("show stat one 8 -1"), "one,sockone one,sock-2 ");
	assert_string_equal(rows("show stat be 4 -1"), "be,t1 be,t2 be,t3 ");
	assert_string_equal(rows("show stat -1 1 -1"), "one,FRONTEND fe,FRONTEND ");
	assert_string_equal(rows("show stat one 4 -1 up"), "one,s1 one,s2 ");
	assert_string_equal(rows("show stat one 4 -1 no-maint"), "one,s1 one,s2 one,s3 ");
	assert_string_equal(rows("show stat domain proxy be 2 -1"), "be,BACKEND ");
	assert_string_equal(rows("show stat up no-maint desc"),
			    "one,FRONTEND one,sockone one,sock-2 one,s1 one,s2 one,BACKEND "
			    "fe,FRONTEND be,t1 be,t2 be,t3 be,BACKEND empty,BACKEND ");
	assert_string_equal(rows("show stat 99 -1 -1"), "");
	says("show stat nosuch 1 1", "No such proxy.\n\n");
	says("show stat domain bogus", "Invalid statistics domain.\n\n");
	assert_non_null(strstr(ask("show stat one x 1"), "<type> must be a number"));
	assert_non_null(strstr(ask("show stat one 1 x"), "<sid> must be the number"));
	assert_non_null(strstr(ask("show stat domain dns"), "not supported yet"));
	w->one->run_state = PROXY_STOPPED;
	assert_string_equal(rows("show stat -1 1 -1"), "fe,FRONTEND ");
}

static void stat_hides_addresses_from_users(void **state)
{
	const char *csv = ask_as(LEVEL_USER, "show stat");

	(void)state;
	assert_string_equal(column(csv, "one,s1,", STAT_addr), "");
	assert_string_equal(column(csv, "one,BACKEND,", STAT_algo), "");
	assert_string_equal(column(csv, "one,s1,", STAT_status), "UP");
}

static void stat_quotes_csv(void **state)
{
	(void)state;
	w->s3->id = "a,\"b";
	assert_non_null(strstr(ask("show stat"), "\none,\"a,\"\"b\",0,"));
}

static void stat_writes_json(void **state)
{
	static const char start[] =
		"[[{\"objType\":\"Frontend\",\"proxyId\":2,\"id\":0,\"field\":{\"pos\":0,"
		"\"name\":\"pxname\"},\"processNum\":1,\"tags\":{\"origin\":\"Key\","
		"\"nature\":\"Name\",\"scope\":\"Service\"},\"value\":{\"type\":\"str\","
		"\"value\":\"one\"}},{\"objType\"";
	const char *text = ask("show stat one 3 -1 json");

	(void)state;
	assert_int_equal(strncmp(text, start, strlen(start)), 0);
	assert_non_null(strstr(text, "}}],[{\"objType\":\"Backend\",\"proxyId\":2,"));
	assert_string_equal(strstr(text, "]]"), "]]\n\n");
	says("show stat 99 1 1 json", "[]\n\n");
}

/* Rows of 1000 servers leave in small pieces; nothing is lost, and memory does not grow. */
static void stat_of_many_servers_in_pieces(void **state)
{
	struct cli *cli = cli_new(LEVEL_ADMIN, CLI_SEVERITY_NONE);
	static char piece[CLI_OUTPUT_MIN];
	size_t n, lines = 0, pieces = 0;

	(void)state;
	world_add_many(w, 1000);
	cli_input(cli, "show stat typed\n", 16);
	while ((n = cli_output(cli, piece, sizeof(piece)))) {
		for (size_t i = 0; i < n; i++)
			lines += i + 16 < n && !memcmp(piece + i, ".addr.1:CGS:str:", 16);
		pieces++;
	}
	assert_true(pieces > 100);
	assert_true(lines > 1000 - 5 && lines <= 1000 + 9);
	cli_free(&cli);
}

/* Servers that go away between two pieces are not touched any more. */
static void servers_that_go_away_are_not_touched(void **state)
{
	static const char *const lines[] = { "show stat\n", "show stat json\n",
					     "show servers state\n", "show servers conn\n" };
	static char piece[CLI_OUTPUT_MIN];

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(lines); i++) {
		struct proxy *many = world_add_many(w, 2000);
		struct cli *cli = cli_new(LEVEL_ADMIN, CLI_SEVERITY_NONE);

		cli_input(cli, lines[i], strlen(lines[i]));
		assert_true(cli_output(cli, piece, sizeof(piece)) > 0);
		for (struct server *s = many->servers, *next; s; s = next) {
			next = s->next;
			memset(s, 0xa5, sizeof(*s));
		}
		many->servers = NULL;
		while (cli_output(cli, piece, sizeof(piece)))
			;
		assert_true(cli_done(cli));
		cli_free(&cli);
		list_remove(&many->node);
	}
}

/* -- the other shows ------------------------------------------------------------------------- */

static void columns_of_servers_are_those_of_the_reference(void **state)
{
	static const char *const names[] = { "show-servers-state", "show-servers-conn" };
	static const char *const lines[] = { "show servers state", "show servers conn" };
	char name[128];

	(void)state;
	for (int i = 0; i < 2; i++) {
		FILE *f = fixture(names[i]);
		const char *p = strchr(ask(lines[i]), '#') + 1;

		while (fscanf(f, "%127s", name) == 1) {
			assert_int_equal(*p++, ' ');
			assert_int_equal(strncmp(p, name, strlen(name)), 0);
			p += strlen(name);
		}
		assert_int_equal(*p, '\n');
		fclose(f);
	}
}

static void servers_state_has_the_numbers_of_the_guide(void **state)
{
	(void)state;
	ask("show servers state one");
	assert_int_equal(strncmp(said, "1\n# be_id ", 10), 0);
	assert_non_null(strstr(said, "\n2 one 1 s1 127.0.0.1 2 0 10 10 10 6 3 4 6 0 0 0 - 29001 - 0 "
				     "0 - - 0\n"));
	assert_non_null(strstr(said, "\n2 one 3 s3 127.0.0.1 0 0 1 1 10 8 2 0 6 0 0 0 - 29003 - 0 0 "
				     "- - 0\n"));
	assert_non_null(strstr(said, "\n2 one 4 s4 127.0.0.1 0 5 1 1 10 1 0 0 8 0 0 0 - 29003 - 0 0 "
				     "- - 0\n"));
	assert_null(strstr(said, "be t1"));
	ask("show servers state #4");
	assert_non_null(strstr(said, "\n4 be 3 t3 ::1 2 0 1 1 "));
	says("show servers state nosuch", "Can't find backend.\n\n");
	w->s1->state->admin = ADMIN_FORCED_DRAIN | ADMIN_RESOLUTION | ADMIN_INHERITED_MAINT;
	assert_non_null(strstr(ask("show servers state one"), "\n2 one 1 s1 127.0.0.1 0 42 10 10 "));
}

/* "level" of the sockets for commands. */
static void allow_sockets(struct arena *arena)
{
	static const int levels[] = { LEVEL_ADMIN, LEVEL_OPERATOR };
	struct bind_conf *bind;
	unsigned n = 0;

	list_for_each(bind, &w->stats->binds, node)
		cli_socket_allow(bind, arena, levels[n++]);
	assert_int_equal(n, ARRAY_LEN(levels));
}

static void lists_of_backends_and_sockets(void **state)
{
	struct arena *arena = arena_new(256);

	(void)state;
	allow_sockets(arena);
	says("show backend", "# name\none\nbe\nempty\n\n");
	proxy_find(proxies_running, "be", PROXY_BACKEND)->state->unpublished = true;
	says("show backend state",
	     "# name state\none published\nbe unpublished\nempty published\n\n");
	says("show backend nope", "Optional argument only supports 'state'.\n\n");
	says("show cli sockets", "# socket lvl processes\nunix@/run/penstock.sock admin all\n"
				 "ipv6@[::1]:29099 operator all\n\n");
	assert_non_null(strstr(ask("show servers conn be"),
			       "\nbe/t1 4/1 127.0.0.1 29001 - 0 0 0 0 0 0 -1 0 0\n"));
	arena_free(&arena);
}

static void environment_is_shown(void **state)
{
	static char huge[30000];

	(void)state;
	setenv("PENSTOCK_TEST", "a\nb", 1);
	says("show env PENSTOCK_TEST", "PENSTOCK_TEST=a b\n\n");
	says("show env PENSTOCK_NONE", "Variable not found\n\n");
	memset(huge, 'x', sizeof(huge) - 1);
	setenv("PENSTOCK_HUGE", huge, 1);
	assert_int_equal(strlen(ask("show env PENSTOCK_HUGE")), 14 + sizeof(huge) - 1 + 2);
	assert_non_null(strstr(ask("show env"), "\nPENSTOCK_TEST=a b\n"));
	unsetenv("PENSTOCK_HUGE");
	unsetenv("PENSTOCK_TEST");
	assert_string_equal(ask_as(LEVEL_USER, "show env"), "Permission denied\n\n");
}

static void pools_activity_errors_fds(void **state)
{
	(void)state;
	assert_non_null(strstr(ask("show pools"), "\nTotal: "));
	assert_non_null(strstr(ask("show activity"), "\nloops: 0\n"));
	assert_non_null(strstr(ask("show errors"), "] : 0\n\n"));
	assert_non_null(strstr(ask("show errors one request"), "Total events captured on ["));
	says("show errors nosuch", "No such proxy.\n\n");
	assert_non_null(strstr(ask("show fd 1"), "      1 : kind=other name="));
	says("show fd x", "The number of a descriptor is expected.\n\n");
	says("show fd 999999", "\n");
}

static void no_sessions_to_be_seen(void **state)
{
	(void)state;
	says("show sess", "\n");
	says("show sess 0x1", "Session not found.\n\n");
	says("show sess bogus", "A session's id or 'all' is expected.\n\n");
	says("shutdown session", "Session pointer expected (use 'show sess').\n\n");
	says("shutdown session 0x123", "No such session (use 'show sess').\n\n");
	says("shutdown sessions server one/zz", "No such server.\n\n");
	says("shutdown sessions server one/s1", "\n");
}

static void events_without_rings(void **state)
{
	(void)state;
	assert_non_null(strstr(ask("show events"), "Supported events sinks are listed below."));
	says("show events nosuch", "No such event sink\n\n");
	assert_string_equal(ask_as(LEVEL_USER, "show events x"), "Permission denied\n\n");
}

/* -- changes --------------------------------------------------------------------------------- */

static void weights(void **state)
{
	(void)state;
	says("get weight one/s1", "10 (initial 10)\n\n");
	says("set weight one/s1 20", "\n");
	says("get weight #2/#1", "20 (initial 10)\n\n");
	says("set server one/s1 weight 50%", "\n");
	says("get weight one/s1", "5 (initial 10)\n\n");
	says("get weight one", "Require 'backend/server'.\n\n");
	says("get weight one/zz", "No such server.\n\n");
	says("get weight zz/s1", "No such backend.\n\n");
	says("set weight one/s1", "Require <weight> or <weight%>.\n\n");
	says("set weight one/s1 300",
	     "Absolute weight can only be between 0 and 256 inclusive.\n\n");
	assert_string_equal(ask_as(LEVEL_OPERATOR, "set weight one/s1 1"),
			    "Permission denied\n\n");
	assert_int_equal(w->s1->state->user_weight, 5);
}

static void states(void **state)
{
	(void)state;
	says("disable server one/s1", "\n");
	assert_int_equal(w->s1->state->admin, ADMIN_FORCED_MAINT);
	assert_true(w->t1->state->admin & ADMIN_INHERITED_MAINT);
	says("enable server one/s1", "\n");
	assert_int_equal(w->s1->state->admin, 0);
	says("set server one/s1 state drain", "\n");
	assert_int_equal(w->s1->state->admin, ADMIN_FORCED_DRAIN);
	says("set server one/s1 state maint", "\n");
	assert_int_equal(w->s1->state->admin, ADMIN_FORCED_MAINT);
	says("set server one/s1 state ready", "\n");
	assert_int_equal(w->s1->state->admin, 0);
	says("set server one/s1 state x",
	     "'set server <srv> state' expects 'ready', 'drain' and 'maint'.\n\n");
	assert_non_null(strstr(ask("set server one/s1"), "usage: set server <backend>/<server> "));
	assert_non_null(strstr(ask("set server one/s1 agent up"), "agent checks are not enabled"));
}

static void health(void **state)
{
	(void)state;
	says("set server one/s1 health down", "\n");
	assert_int_equal(w->s1->state->op, SERVER_DOWN);
	assert_int_equal(w->s1->state->health, 0);
	says("set server one/s1 health up", "\n");
	assert_int_not_equal(w->s1->state->op, SERVER_DOWN);
	assert_int_equal(w->s1->state->health, 4);
	says("set server be/t1 health down", "cannot change health on a tracking server.\n\n");
	says("set server one/s1 health x",
	     "'set server <srv> health' expects 'up', 'stopping', or 'down'.\n\n");
	says("disable health one/s1", "\n");
	assert_true(w->s1->state->check.paused);
	says("enable health one/s1", "\n");
	assert_false(w->s1->state->check.paused);
	says("enable health be/t2",
	     "Health check was not configured on this server, cannot enable.\n\n");
}

static void addresses(void **state)
{
	(void)state;
	says("set server one/s1 addr",
	     "set server <b>/<s> addr requires an address and optionally a port.\n\n");
	says("set server one/s1 addr 127.0.0.2",
	     "IP changed from '127.0.0.1' to '127.0.0.2' by 'stats socket command'\n\n");
	says("set server one/s1 addr 127.0.0.2",
	     "no need to change the addr by 'stats socket command'\n\n");
	says("set server one/s1 addr 127.0.0.1 port 29001",
	     "IP changed from '127.0.0.2' to '127.0.0.1', no need to change the port by 'stats "
	     "socket command'\n\n");
	says("set server one/s1 addr ::1 port 29002",
	     "IP changed from '127.0.0.1' to '::1', port changed from '29001' to '29002' by 'stats "
	     "socket command'\n\n");
	assert_int_equal(w->s1->state->addr.family, AF_INET6);
	assert_int_equal(w->s1->state->addr.port, 29002);
	says("set server one/s1 addr bogus", "Invalid addr 'bogus' by 'stats socket command'\n\n");
	says("set server one/s1 addr ::1 port 70000",
	     "no need to change the addr, provided port is not valid by 'stats socket command'\n\n");
	says("set server one/s1 addr ::1 port",
	     "no need to change the addr, problem converting port '' to an int by 'stats socket "
	     "command'\n\n");
	assert_int_equal(w->s1->state->addr.port, 29002);
	says("set server one/s1 check-port 99", "\n");
	assert_int_equal(w->s1->state->check.port, 99);
	says("set server one/s1 check-addr ::2 port 98", "\n");
	assert_int_equal(w->s1->state->check.addr.family, AF_INET6);
	assert_int_equal(w->s1->state->check.port, 98);
	says("set server one/s1 check-port 65536", "provided port is invalid\n\n");
	says("set server one/s1 check-addr ::2 port -1", "provided port is invalid\n\n");
	assert_int_equal(w->s1->state->check.port, 98);
	says("set server one/s1 check-port x", "provided port is not an integer\n\n");
	says("set server be/t2 check-port 9", "health checks are not enabled on this server\n\n");
}

static void limits(void **state)
{
	(void)state;
	says("set maxconn frontend fe 400", "\n");
	assert_int_equal(w->fe->state->maxconn, 400);
	says("set maxconn frontend fe -5", "Value out of range.\n\n");
	says("set maxconn frontend fe", "Integer value expected.\n\n");
	says("set maxconn frontend fe x", "Integer value expected.\n\n");
	says("set maxconn frontend zz 5", "No such frontend.\n\n");
	says("set maxconn frontend", "A frontend name is expected.\n\n");
	says("set maxconn server one/s1 40", "\n");
	assert_int_equal(w->s1->state->maxconn, 40);
	says("set maxconn server one/s1", "Require <maxconn>.\n\n");
	says("set maxconn server one/s1 x", "maxconn string empty or preceded by garbage\n\n");
	says("set maxconn global 400", "\n");
	assert_int_equal(w->global.maxconn, 400);
	says("set maxconn global 600", "Value out of range.\n\n");
	says("set maxconn global", "Expects an integer value.\n\n");
	says("set maxconn global 0", "\n");
	assert_int_equal(w->global.maxconn, 500);
	says("set rate-limit connections global 50", "\n");
	says("set rate-limit sessions global 60", "\n");
	assert_int_equal(w->global.maxconn_rate, 50);
	assert_int_equal(w->global.maxsess_rate, 60);
	says("set rate-limit connections global x", "Expects an integer value.\n\n");
	says("set rate-limit connections global -1", "Value out of range.\n\n");
	says("set rate-limit ssl-sessions global 70", "\n");
	assert_int_equal(w->global.max_tls_rate, 70);
	says("set rate-limit http-compression global 80", "\n");
	assert_int_equal(w->global.max_comp_rate, 80);
	assert_non_null(strstr(ask("set rate-limit connections bogus 50"),
			       "'set rate-limit' only supports :\n"));
}

static void clearing(void **state)
{
	struct counters *c = &w->s1->tally->counters;

	(void)state;
	c->sessions = 7;
	c->connections_max = 5;
	w->s1->tally->times.total.max = 9;
	assert_string_equal(ask_as(LEVEL_OPERATOR, "clear counters"), "\n");
	assert_int_equal(c->sessions, 7);
	assert_int_equal(c->connections_max, 0);
	assert_int_equal(w->s1->tally->times.total.max, 0);
	assert_string_equal(ask_as(LEVEL_OPERATOR, "clear counters all"), "Permission denied\n\n");
	assert_int_equal(c->sessions, 7);
	says("clear counters all", "\n");
	assert_int_equal(c->sessions, 0);
}

static void what_is_missing_says_so(void **state)
{
	(void)state;
	says("show trace x", "'show trace' is not supported yet.\n\n");
	says("show trace", "'show trace' is not supported yet.\n\n");
	says("show cache", "\n");
}

#define test(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		test(info_has_the_fields_of_the_reference),
		test(info_shows_values),
		test(info_knows_desc_and_float),
		test(stat_has_the_columns_of_the_reference),
		test(stat_has_the_typed_fields_of_the_reference),
		test(stat_shows_servers),
		test(stat_shows_proxies),
		test(stat_filters),
		test(stat_hides_addresses_from_users),
		test(stat_quotes_csv),
		test(stat_writes_json),
		test(stat_of_many_servers_in_pieces),
		test(servers_that_go_away_are_not_touched),
		test(columns_of_servers_are_those_of_the_reference),
		test(servers_state_has_the_numbers_of_the_guide),
		test(lists_of_backends_and_sockets),
		test(environment_is_shown),
		test(pools_activity_errors_fds),
		test(no_sessions_to_be_seen),
		test(events_without_rings),
		test(weights),
		test(states),
		test(health),
		test(addresses),
		test(limits),
		test(clearing),
		test(what_is_missing_says_so),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
