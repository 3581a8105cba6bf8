/* SPDX-License-Identifier: BSD-2-Clause */
/* The Prometheus exporter, on a world made by hand. reg-tests/stats/metrics.txt has the metrics as
 * the reference exports them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "check/check.h"
#include "stats/metrics.h"
#include "base/err.h"
#include "proxy/stick_conf.h"
#include "stick/memory.h"
#include "stats/report.h"
#include "stats/test_world.h"

#include <stdio.h>
#include <stdlib.h>

static char said[1 << 22];
static struct world *w;

static int set_up(void **state)
{
	(void)state;
	w = world_new();
	w->one->set.mode = w->fe->set.mode = w->be->set.mode = MODE_HTTP;
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	world_free(&w);
	return 0;
}

static bool say(void *state, struct text *out, bool resumed)
{
	return metrics_say(state, out, resumed);
}

/* The whole answer to a query, taken in buffers of this size. */
static const char *ask_by(const char *query, size_t size)
{
	static struct metrics m;
	static struct report r;
	size_t len = 0, n;

	assert_int_equal(metrics_init(&m, span_of(query)), 0);
	report_init(&r, say, &m);
	do {
		n = report_fill(&r, said + len, size);
		len += n;
		assert_true(len + size < sizeof(said));
	} while (n || !r.done);
	said[len] = 0;
	return said;
}

static const char *ask(const char *query)
{
	return ask_by(query, 16384);
}

static void has(const char *line)
{
	char text[256];

	snprintf(text, sizeof(text), "\n%s\n", line);
	if (!strstr(said, text))
		print_message("missing: %s\n", line);
	assert_non_null(strstr(said, text));
}

/* "name type labels" of the next metric of *at whose name begins with "haproxy_". */
static bool next_metric(const char **at, char *text, size_t size)
{
	char name[128], type[16], labels[64] = "", *comma = labels;
	const char *p = *at, *end, *quote;

	do {
		p = strstr(p, "# TYPE ");
		if (!p)
			return false;
		p += 7;
	} while (strncmp(p, "haproxy_", 8));
	assert_int_equal(sscanf(p, "%127s %15s", name, type), 2);
	p = strchr(p, '\n') + 1;
	assert_int_equal(strncmp(p, name, strlen(name)), 0);
	p += strlen(name);
	end = strchr(p, '\n');
	while (*p == '{' || *p == ',') {
		p++;
		quote = strstr(p, "=\"");
		assert_true(quote && quote < end);
		comma += sprintf(comma, "%s%.*s", comma == labels ? "" : ",", (int)(quote - p), p);
		p = strchr(quote + 2, '"') + 1;
	}
	snprintf(text, size, "%s %s %s\n", name, type, *labels ? labels : "-");
	*at = end;
	return true;
}

static void metrics_are_those_of_the_reference(void **state)
{
	const char *dir = getenv("srcdir"), *at = ask("");
	char path[512], line[512], ours[512];
	FILE *f;

	(void)state;
	snprintf(path, sizeof(path), "%s/reg-tests/stats/metrics.txt", dir ? dir : ".");
	f = fopen(path, "r");
	assert_non_null(f);
	while (fgets(line, sizeof(line), f)) {
		if (*line == '#')
			continue;
		assert_true(next_metric(&at, ours, sizeof(ours)));
		assert_string_equal(ours, line);
	}
	assert_false(next_metric(&at, ours, sizeof(ours)));
	fclose(f);
}

static void values_of_objects(void **state)
{
	(void)state;
	w->one->fe->counters.responses_5xx = 7;
	w->one->fe->counters.bytes_in = UINT64_MAX;
	w->s1->tally->times.queue = (struct mean){ .sum = 1234, .samples = 1, .max = 1234 };
	w->s1->state->check.status = CHECK_L7OK;
	w->s1->state->check.code = 200;
	w->s1->state->check.duration_ms = 7;
	w->s2->state->admin = ADMIN_FORCED_DRAIN;
	w->t2->state->op = SERVER_STOPPING;
	ask("");
	has("haproxy_process_max_connections 500");
	has("haproxy_process_max_zlib_memory NaN");
	has("haproxy_process_start_time_seconds 1700000000");
	has("haproxy_frontend_http_responses_total{proxy=\"one\",code=\"5xx\"} 7");
	has("haproxy_frontend_bytes_in_total{proxy=\"one\"} 18446744073709551615");
	has("haproxy_frontend_status{proxy=\"one\",state=\"DOWN\"} 0");
	has("haproxy_frontend_status{proxy=\"one\",state=\"UP\"} 1");
	has("haproxy_listener_status{proxy=\"one\",listener=\"sockone\",state=\"OPEN\"} 1");
	has("haproxy_listener_status{proxy=\"one\",listener=\"sock-2\",state=\"FULL\"} 0");
	has("haproxy_server_queue_time_average_seconds{proxy=\"one\",server=\"s1\"} 1.234000");
	has("haproxy_server_limit_sessions{proxy=\"one\",server=\"s1\"} 50");
	has("haproxy_server_limit_sessions{proxy=\"one\",server=\"s2\"} NaN");
	has("haproxy_server_status{proxy=\"one\",server=\"s1\",state=\"UP\"} 1");
	has("haproxy_server_status{proxy=\"one\",server=\"s2\",state=\"DRAIN\"} 1");
	has("haproxy_server_status{proxy=\"one\",server=\"s3\",state=\"DOWN\"} 1");
	has("haproxy_server_status{proxy=\"one\",server=\"s4\",state=\"MAINT\"} 1");
	has("haproxy_server_status{proxy=\"be\",server=\"t2\",state=\"NOLB\"} 1");
	has("haproxy_server_check_status{proxy=\"one\",server=\"s1\",state=\"L7OK\"} 1");
	has("haproxy_server_check_status{proxy=\"one\",server=\"s3\",state=\"L4CON\"} 1");
	has("haproxy_server_check_code{proxy=\"one\",server=\"s1\"} 200");
	has("haproxy_server_check_code{proxy=\"one\",server=\"s3\"} 0");
	has("haproxy_server_check_duration_seconds{proxy=\"one\",server=\"s1\"} 0.007000");
	has("haproxy_backend_status{proxy=\"be\",state=\"UP\"} 1");
	has("haproxy_backend_agg_server_status{proxy=\"one\",state=\"DOWN\"} 1");
	has("haproxy_backend_agg_server_status{proxy=\"one\",state=\"MAINT\"} 1");
	has("haproxy_backend_agg_server_check_status{proxy=\"be\",state=\"NOLB\"} 1");
	has("haproxy_backend_agg_check_status{proxy=\"one\",state=\"L4OK\"} 1");
	has("haproxy_backend_downtime_seconds_total{proxy=\"empty\"} NaN");
	has("penstock_splice_pulls_total 0");
}

static void absent(const char *text)
{
	if (strstr(said, text))
		print_message("not expected: %s\n", text);
	assert_null(strstr(said, text));
}

static void what_does_not_apply_is_left_out(void **state)
{
	(void)state;
	w->fe->set.mode = MODE_TCP;
	w->s1->state->check.paused = true;
	ask("");
	absent("http_requests_total{proxy=\"fe\"");
	absent("http_responses_total{proxy=\"fe\"");
	absent("check_code{proxy=\"one\",server=\"s1\"");
	absent("check_status{proxy=\"be\",server=\"t1\"");
	absent("agg_server_status{proxy=\"empty\"");
	absent("GLOBAL");
	w->one->set.options.on &= ~(uint64_t)OPT_SOCKET_STATS;
	assert_string_equal(ask("scope=listener"), "");
}

static void stopped_frontends_are_gone(void **state)
{
	(void)state;
	w->one->run_state = PROXY_PAUSED;
	ask("scope=frontend");
	has("haproxy_frontend_status{proxy=\"one\",state=\"UP\"} 1");
}

/* Which parts the answer has: "PFLBS" or fewer. */
static const char *parts_of(const char *query)
{
	static const char *const names[] = { "process", "frontend", "listener", "backend", "server" };
	static char letters[8];
	char text[64], *to = letters;

	ask(query);
	for (int i = 0; i < 5; i++) {
		snprintf(text, sizeof(text), "# TYPE haproxy_%s_", names[i]);
		if (strstr(said, text))
			*to++ = "PFLBS"[i];
	}
	*to = 0;
	return letters;
}

/* As the reference answered. */
static void scopes(void **state)
{
	static const char *const bad[] = { "scope", "scope=bogus", "scope=global%20", "scope=%7",
					   "scope=%zz", "%", "scope=global&scope=bogus",
					   "scope=Global", "scope=server;no-maint", "scope=+global" };
	static struct metrics m;

	(void)state;
	assert_string_equal(parts_of(""), "PFLBS");
	assert_string_equal(parts_of("scope=*"), "PFLBS");
	assert_string_equal(parts_of("scope=global"), "P");
	assert_string_equal(parts_of("scope=server&scope=global"), "PS");
	assert_string_equal(parts_of("scope=%73erver"), "S");
	assert_string_equal(parts_of("%73cope=backend"), "B");
	assert_string_equal(parts_of("&&scope=listener&bogus=1&"), "L");
	assert_string_equal(parts_of("SCOPE=server"), "PFLBS");
	assert_string_equal(parts_of("scope="), "");
	assert_string_equal(parts_of("scope=&scope=server"), "S");
	assert_string_equal(parts_of("scope=server&scope="), "");
	assert_string_equal(parts_of("scope=sticktable"), ""); /* there is none */
	assert_string_equal(parts_of("no-maint=1&scope=server"), "S");
	absent("s4");
	assert_string_equal(parts_of("scope=server"), "S");
	assert_non_null(strstr(said, "s4"));
	for (size_t i = 0; i < ARRAY_LEN(bad); i++)
		assert_int_equal(metrics_init(&m, span_of(bad[i])), -1);
}

static void stick_tables(void **state)
{
	static struct stick_conf conf;
	static struct stick_line lines[2];
	enum { KEYS = 100000 };
	struct err err;
	unsigned i;
	bool anew;

	(void)state;
	list_init(&conf.lines);
	assert_int_equal(stick_memory_begin(false, &err), 0);
	for (i = 0; i < 2; i++) {
		lines[i].name = lines[i].def.name = i ? "other" : "first";
		lines[i].def = (struct stick_definition){ .name = lines[i].name, .type = STICK_INTEGER,
							  .key_len = 4, .size = KEYS + i };
		stick_layout(&lines[i].def);
		lines[i].table = stick_table_open(&lines[i].def, &anew, &err);
		assert_non_null(lines[i].table);
		list_append(&conf.lines, &lines[i].node);
	}
	for (i = 0; i < KEYS; i++)
		stick_give(lines[i >= 3].table, stick_take(lines[i >= 3].table,
							   (struct span){ (char *)&i, sizeof(i) }, NULL));
	stick_running = &conf;
	ask("scope=sticktable");
	assert_string_equal(said, "# HELP haproxy_sticktable_size Most entries of the stick table.\n"
				  "# TYPE haproxy_sticktable_size gauge\n"
				  "haproxy_sticktable_size{name=\"other\",type=\"integer\"} 100001\n"
				  "haproxy_sticktable_size{name=\"first\",type=\"integer\"} 100000\n"
				  "# HELP haproxy_sticktable_used Entries of the stick table.\n"
				  "# TYPE haproxy_sticktable_used gauge\n"
				  "haproxy_sticktable_used{name=\"other\",type=\"integer\"} 99997\n"
				  "haproxy_sticktable_used{name=\"first\",type=\"integer\"} 3\n");
	list_init(&conf.lines);
	stick_memory_end();
}

/* What is longer than any parameter is refused, at the 64th byte. */
static void long_parameters(void **state)
{
	static struct metrics m;
	char word[64];

	(void)state;
	memset(word, 'x', sizeof(word));
	assert_int_equal(metrics_init(&m, (struct span){ word, 63 }), 0);
	assert_int_equal(metrics_init(&m, (struct span){ word, 64 }), -1);
}

static void labels_are_escaped(void **state)
{
	(void)state;
	w->s1->id = "a\"b\\c\nd";
	ask("scope=server");
	has("haproxy_server_weight{proxy=\"one\",server=\"a\\\"b\\\\c\\nd\"} 10");
}

/* Whatever the room, the bytes are the same. */
static void any_size_of_buffer(void **state)
{
	static const size_t sizes[] = { 1, 7, 100, 4095, 4096, 4097, 65536 };
	char *whole;

	(void)state;
	whole = strdup(ask(""));
	for (size_t i = 0; i < ARRAY_LEN(sizes); i++)
		assert_string_equal(ask_by("", sizes[i]), whole);
	free(whole);
}

/* Servers that go away between two reads are not touched any more. */
static void servers_that_go_away(void **state)
{
	static struct metrics m;
	static struct report r;
	struct proxy *many = world_add_many(w, 500);
	size_t n, pieces = 0;

	(void)state;
	assert_int_equal(metrics_init(&m, span_of("scope=server")), 0);
	report_init(&r, say, &m);
	while ((n = report_fill(&r, said, 4096)) || !r.done) {
		if (pieces++ != 3)
			continue;
		for (struct server *s = many->servers, *next; s; s = next) {
			next = s->next;
			memset(s, 0xa5, sizeof(*s));
		}
		many->servers = NULL;
	}
	assert_true(pieces > 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
		TEST(metrics_are_those_of_the_reference),
		TEST(values_of_objects),
		TEST(what_does_not_apply_is_left_out),
		TEST(stopped_frontends_are_gone),
		TEST(scopes),
		TEST(stick_tables),
		TEST(long_parameters),
		TEST(labels_are_escaped),
		TEST(any_size_of_buffer),
		TEST(servers_that_go_away),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
