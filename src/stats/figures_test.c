/* SPDX-License-Identifier: BSD-2-Clause */
/* Each figure stands in its place: everything that is counted has a number of its own, and what is
 * shown of it is compared, line by line, with the files of reg-tests/stats/figures/. A line there
 * that ends with a * goes on with what differs between runs and machines. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/pool.h"
#include "check/check.h"
#include "expr/regex.h"
#include "expr/state.h"
#include "h2/conn.h"
#include "kernel/kernel.h"
#include "log/log.h"
#include "proxy/learn.h"
#include "proxy/limits.h"
#include "proxy/observe_conf.h"
#include "proxy/part.h"
#include "relay/pipe.h"
#include "relay/pump.h"
#include "session/handshake.h"
#include "stats/html_page.h"
#include "stats/metrics.h"
#include "stats/report.h"
#include "stats/stat_say.h"
#include "stats/test_world.h"
#include "stream/stream.h"
#include "tls/conn.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static struct world *w;
static char said[1 << 20];

/* -- comparing ------------------------------------------------------------------------------- */

static FILE *figures(const char *name)
{
	const char *srcdir = getenv("srcdir");
	char path[1024];
	FILE *f;

	snprintf(path, sizeof(path), "%s/reg-tests/stats/figures/%s", srcdir ? srcdir : ".", name);
	f = fopen(path, "r");
	if (!f)
		fail_msg("%s", path);
	return f;
}

/* With FIGURES=FOLDER the text is left there, to be read and compared by whoever changed it. */
static void keep(const char *name)
{
	const char *folder = getenv("FIGURES");
	char path[1024];
	FILE *f;

	if (!folder)
		return;
	snprintf(path, sizeof(path), "%s/%s", folder, name);
	f = fopen(path, "w");
	assert_non_null(f);
	fputs(said, f);
	fclose(f);
}

/* What was said is what the file has. */
static void as_in(const char *name)
{
	static char line[16384];
	unsigned number = 0;
	const char *at = said;
	size_t len, wanted;
	FILE *f;

	keep(name);
	f = figures(name);
	while (fgets(line, sizeof(line), f)) {
		number++;
		len = strcspn(at, "\n");
		wanted = strcspn(line, "\n");
		line[wanted] = 0;
		if (wanted && line[wanted - 1] == '*' && len >= --wanted ?
			    memcmp(at, line, wanted) : len != wanted || memcmp(at, line, len))
			fail_msg("%s:%u: '%.*s' instead of '%s'", name, number, (int)len, at, line);
		at += len + (at[len] == '\n');
	}
	fclose(f);
	assert_string_equal(at, "");
}

static void say(bool (*more)(void *, struct text *, bool), void *state)
{
	static struct report r;
	size_t len = 0, n;

	report_init(&r, more, state);
	do {
		n = report_fill(&r, said + len, 16384);
		len += n;
		assert_true(len + 16384 < sizeof(said));
	} while (n || !r.done);
	said[len] = 0;
}

/* -- everything has a number of its own ------------------------------------------------------ */

static struct rate a_rate(uint64_t n)
{
	return (struct rate){ .period_start = clock_now_ms, .current = n, .previous = 10000,
			      .max = n + 20000 };
}

static struct mean a_mean(unsigned n)
{
	return (struct mean){ .sum = 2 * (uint64_t)n - 1, .samples = 2, .max = n + 1 };
}

/* Each counter has its number in counters.def, from 1 on, behind that of the object. */
static void count(struct counters *c, uint64_t object)
{
	uint64_t n = object * 1000;

#define COUNTER(name, text) c->name = ++n;
#include "tally/counters.def"
#undef COUNTER
	c->session_rate = a_rate(object * 1000 + 500);
	c->connection_rate = a_rate(object * 1000 + 510);
	c->request_rate = a_rate(object * 1000 + 520);
}

static void time_(struct times *t, unsigned object)
{
	t->queue = a_mean(object * 1000 + 600);
	t->connect = a_mean(object * 1000 + 610);
	t->response = a_mean(object * 1000 + 620);
	t->total = a_mean(object * 1000 + 630);
}

static void count_protocols(struct proxy_tally *t, unsigned object)
{
	unsigned n = object * 1000 + 700;

#define H1_COUNT(name, text) t->h1.name = ++n;
#define H1_NOW H1_COUNT
#include "http/h1_counts.def"
#undef H1_COUNT
#undef H1_NOW
	n = object * 1000 + 750;
#define H2_COUNT(name, text) t->h2.name = ++n;
#define H2_NOW H2_COUNT
#include "http/h2_counts.def"
#undef H2_COUNT
#undef H2_NOW
}

static void count_proxy(struct proxy_tally *t, unsigned object)
{
	count(&t->counters, object);
	time_(&t->times, object);
	count_protocols(t, object);
	t->current = object * 1000 + 800;
	t->queued = object * 1000 + 801;
	t->total_queued = object * 1000 + 802;
	t->last_session_s = (uint64_t)clock_wall().tv_sec - object * 1000 - 803;
}

static void count_server(struct server *s, unsigned object)
{
	struct server_tally *t = s->tally;

	count(&t->counters, object);
	time_(&t->times, object);
	t->current = object * 1000 + 800;
	t->queued = object * 1000 + 801;
	t->last_session_s = (uint64_t)clock_wall().tv_sec - object * 1000 - 803;
	s->idle_count = object * 1000 + 810;
	s->idle_safe = object * 100 + 4;
	s->idle_need = object * 1000 + 850;
}

static struct listener *listener_of(struct proxy *px, int n)
{
	struct bind_conf *bind = list_first(&px->binds, struct bind_conf, node);

	while (--n)
		bind = list_entry(bind->node.next, struct bind_conf, node);
	return list_first(&bind->listeners, struct listener, node);
}

static void result(struct check_state *state, int status, int code, unsigned ms)
{
	state->status = (uint8_t)status;
	state->code = (uint16_t)code;
	state->duration_ms = ms;
}

/* One that is checked, asked by an agent, learns and is watched. */
static void set_one(struct server *s)
{
	static struct observe_conf layer7 = { .layer = OBSERVE_LAYER7 };
	static struct check agent;

	server_part_set(s, &check_agent_part, &agent);
	server_part_set(s, &observe_conf_part, &layer7);
	s->set.pool_max_conn = 77;
	s->set.maxqueue = 78;
	s->state->downtime_ms = 79000;
	s->state->down_transitions = 80;
	result(&s->state->check, CHECK_L7STS, 503, 81);
	result(&s->state->agent, CHECK_L7OK, 0, 82);
	s->state->check.running = true;
}

static void set_proxies(void)
{
	w->one->set.mode = MODE_HTTP;
	w->one->set.budget.given = true;
	w->one->description = "first";
	w->one->state->downtime_ms = 5000;
	w->one->state->down_transitions = 6;
	w->be->state->unpublished = true;
	set_one(w->s1);
	w->s2->tally->counters.failed_hana = 1;
	w->t2->state->op = SERVER_STARTING;
	w->t2->state->user_weight = 200;
	w->t2->state->effective_weight = 151;
	w->t3->state->user_weight = w->t3->state->effective_weight = 0;
}

static int set_up(void **state)
{
	(void)state;
	setenv("TZ", "UTC", 1);
	tzset();
	w = world_new();
	set_proxies();
	count_proxy(w->one->fe, 1);
	count(&listener_of(w->one, 1)->tally->counters, 2);
	listener_of(w->one, 1)->tally->current = 2800;
	listener_of(w->one, 1)->maxconn = 2900;
	listener_of(w->one, 2)->state = LISTENER_LIMITED;
	count_server(w->s1, 3);
	count_server(w->s3, 4);
	count_proxy(w->one->be, 5);
	count_proxy(w->fe->fe, 6);
	count_server(w->t2, 7);
	count_proxy(w->be->be, 8);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	world_free(&w);
	return 0;
}

/* -- show stat ------------------------------------------------------------------------------- */

static bool say_stat(void *state, struct text *out, bool resumed)
{
	(void)resumed;
	return stat_say(state, out);
}

static void stat_as(enum stat_form form, unsigned options)
{
	struct stat_teller teller = { .form = form };

	stat_scan_init(&teller.scan);
	teller.scan.options = options;
	say(say_stat, &teller);
}

static void rows_of_statistics(void **state)
{
	(void)state;
	stat_as(STAT_TYPED, STAT_LEGENDS);
	as_in("stat");
}

/* What is secret to some is not there; the rest is the same. */
static void columns_of_statistics(void **state)
{
	(void)state;
	stat_as(STAT_CSV, 0);
	as_in("stat.csv");
}

/* -- show info ------------------------------------------------------------------------------- */

static void count_relay(void)
{
	relay_stats = (struct relay_stats){ .copied = 101, .spliced = 102, .pulls = 103,
		.pushes = 104, .reads = 105, .writes = 106, .gathered = 107,
		.fallback_refused = 108, .fallback_hidden = 109, .fallback_urgent = 110,
		.fallback_no_pipe = 111 };
	pipe_stats = (struct pipe_stats){ .max = 121, .used = 122, .free = 123, .high_water = 124,
		.taken = 125, .none = 126, .dirty = 127, .failed = 128, .size = 129 };
	kernel_stats.relays = 131;
	kernel_stats.bytes = 132;
	kernel_stats.passed = 133;
	kernel_stats.unfit = 134;
	kernel_stats.no_place = 135;
	kernel_stats.refused = 136;
	kernel_stats.behind = 137;
	kernel_stats.bulk = 138;
	kernel_stats.unprofitable = 139;
	kernel_stats.messages = 140;
	kernel_stats.faults = 141;
}

static void count_layers(void)
{
	log_stats.dropped = 151;
	regex_given_up = 152;
	handshake_stats.taken = 153;
	handshake_stats.refused = 154;
	tls_stats.kernel = 161;
	tls_stats.early = 162;
	tls_stats.early_refused = 163;
	tls_stats.said_early = 164;
	tls_stats.said_early_refused = 165;
	tls_stats.folded = 166;
	tls_cache_stats.lookups = 167;
	tls_cache_stats.misses = 168;
	h2_all.clients = (struct h2_totals){ .connections = 171, .streams = 172,
		.connected = 173, .opened = 174, .refused = 175, .reset = 176, .glitches = 177 };
	h2_all.servers = (struct h2_totals){ .connections = 181, .streams = 182,
		.connected = 183, .opened = 184, .refused = 185, .reset = 186, .glitches = 187 };
	streams_count = 188;
}

static void count_process(void)
{
	struct global_tally *t = &w->global_tally;

	t->current = 201;
	t->cum_conns = 202;
	t->cum_sessions = 203;
	t->cum_requests = 204;
	t->conn_rate = a_rate(210);
	t->sess_rate = a_rate(220);
	t->tls_current = 230;
	t->cum_tls = 231;
	t->tls_rate = a_rate(90000);
	t->tls_front_keys = a_rate(14500); /* three quarters and a half percent resumed */
	t->tls_back_keys = a_rate(260);
	t->bytes_out_rate = a_rate(270);
	t->comp_in_rate = a_rate(280);
	t->comp_out_rate = a_rate(290);
	w->global.maxconn_rate = 301;
	w->global.maxsess_rate = 302;
	w->global.max_tls_rate = 303;
	w->global.max_tls = 304;
	w->global.max_comp_rate = 305;
	limits.ulimit_told = 311;
	limits.maxsock = 312;
	limits.hard_maxconn = 313;
	info_conf.memmax_mb = 5000;
	info_conf.node = "n<1";
	info_conf.description = "a \"node\"";
}

static void say_info(bool as_float)
{
	static struct info info;
	struct text out;

	info_fill(&info, as_float);
	text_init(&out, said, sizeof(said));
	for (int i = 0; i < INFO_FIELDS; i++) {
		if (info.values[i].type == STATS_NONE)
			continue;
		text_printf(&out, "%d.%s.1", i, info_fields[i].name);
		stats_print_typed(&out, &info_fields[i], &info.values[i], true);
	}
}

static void lines_of_information(void **state)
{
	(void)state;
	count_relay();
	count_layers();
	count_process();
	say_info(false);
	as_in("info");
	say_info(true);
	as_in("info.float");
}

/* Of a process that was busy for half of its time, whatever else the machine does meanwhile. It must be
 * asked first: later questions are about the time since earlier ones. */
static void idle_time_is_what_is_left(void **state)
{
	static struct info info;
	clock_t busy;

	(void)state;
	while ((busy = clock()) < 400 * CLOCKS_PER_SEC / 1000)
		;
	w->global.start_ms = clock_read_us() / 1000 - 2 * (uint64_t)busy * 1000 / CLOCKS_PER_SEC;
	info_fill(&info, false);
	assert_in_range(info.values[INFO_IDLE_PCT].u64, 40, 85);
}

/* Memory of pools is what they hold, whichever they are. */
static void memory_of_pools(void **state)
{
	static struct pool pool = POOL_INIT("figures", 4000000);
	static struct info info;
	uint64_t allocated = 0, used = 0, failed = 0;
	void *piece = pool_take(&pool);

	(void)state;
	pool.failed = 17;
	for (const struct pool *p = pool_first(); p; p = p->next) {
		allocated += (uint64_t)p->allocated * p->size;
		used += (uint64_t)p->used * p->size;
		failed += p->failed;
	}
	assert_true(used >= 4000000 && allocated >= used && failed >= 17);
	info_fill(&info, false);
	assert_int_equal(info.values[INFO_POOL_ALLOC_BYTES].u64, allocated);
	assert_int_equal(info.values[INFO_POOL_USED_BYTES].u64, used);
	assert_int_equal(info.values[INFO_POOL_ALLOC_MB].u64, allocated >> 20);
	assert_int_equal(info.values[INFO_POOL_USED_MB].u64, used >> 20);
	assert_int_equal(info.values[INFO_POOL_FAILED].u64, failed);
	info_fill(&info, true);
	assert_true(info.values[INFO_POOL_ALLOC_MB].flt == (double)allocated / (1 << 20));
	assert_true(info.values[INFO_POOL_USED_MB].flt == (double)used / (1 << 20));
	pool_give(&pool, &piece);
	pool.failed = 0;
}

/* -- the page -------------------------------------------------------------------------------- */

static bool say_page(void *state, struct text *out, bool resumed)
{
	return html_say(state, out, resumed);
}

/* A line for each element that a number may stand in; without style and script. */
static void in_lines(void)
{
	static char lines[sizeof(said)];
	char *to = lines, *style = strstr(said, "<style"), *end = strstr(said, "</style>");
	char *script = strstr(said, "<script");

	assert_true(style && end && script);
	*script = 0;
	memmove(style, end, strlen(end) + 1);
	for (const char *at = said; *at; at++) {
		if (at > said && at[-1] != '\n' && *at == '<' && strchr("dtaoscl", at[1]))
			*to++ = '\n';
		*to++ = *at;
	}
	*to = 0;
	strcpy(said, lines);
}

static void page_as(const char *uri, struct stats_page *page, bool admin)
{
	static struct page_request req;
	static struct html h;

	page_request_init(&req, page, w->one, span_of(uri));
	req.admin = admin;
	strcpy(req.nonce, "NONCE");
	html_init(&h, &req);
	say(say_page, &h);
	in_lines();
}

static void cells_of_the_page(void **state)
{
	struct stats_page page = { .uri = "/stats", .refresh_ms = 7001,
		.flags = PAGE_NODE | PAGE_DESC | PAGE_LEGENDS | PAGE_MODULES };

	(void)state;
	count_relay();
	count_layers();
	count_process();
	page_as("/stats", &page, true);
	as_in("page");
}

/* -- metrics --------------------------------------------------------------------------------- */

static bool say_metrics(void *state, struct text *out, bool resumed)
{
	return metrics_say(state, out, resumed);
}

static void lines_of_metrics(void **state)
{
	static struct metrics m;

	(void)state;
	count_relay();
	count_layers();
	count_process();
	assert_int_equal(metrics_init(&m, span_of("")), 0);
	say(say_metrics, &m);
	as_in("metrics");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
		TEST(idle_time_is_what_is_left),
		TEST(rows_of_statistics),
		TEST(columns_of_statistics),
		TEST(lines_of_information),
		TEST(memory_of_pools),
		TEST(cells_of_the_page),
		TEST(lines_of_metrics),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
