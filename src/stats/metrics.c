/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The Prometheus exporter: all lines of a metric stand together, so the proxies are walked through
 * once for each metric. Called by the service (service.c) and by tests. What has no value is
 * NaN; metrics of HTTP are left out for proxies in mode tcp, those of checks for servers that
 * are not checked.
 */
#include "stats/metrics.h"

#include "check/check.h"
#include "http/uri.h"
#include "proxy/proxy.h"
#include "proxy/stick_conf.h"

#include <stdio.h>

enum metric_type { COUNTER, GAUGE };

enum metric_how {
	PLAIN,      /* the value */
	SECONDS,    /* the value, in milliseconds, as seconds */
	HTTP,       /* the value, in mode http alone */
	STATE,      /* a line for each state that the object may have */
	CHECK,      /* a line for each result that a health check may have */
	CHECKED,    /* the value, of checked servers alone; none is 0 */
	CHECK_TIME, /* the same, as SECONDS */
	SERVERS,    /* a line for each state: servers in it */
	CHECKS,     /* a line for each result of health checks: servers that had it */
};

struct metric_process {
	enum info_field field;
	const char *name;
	enum metric_type type;
	const char *help;
};

struct metric {
	enum stat_field field;
	const char *name;
	unsigned kinds; /* 1 << enum stat_type or'ed */
	enum metric_type type;
	enum metric_how how;
	const char *code; /* value of a label */
	const char *help;
	const char *program; /* who has named it: the beginning of the name */
};

static const struct metric_process process_metrics[] = {
#define PROCESS(field, name, type, help) { INFO_##field, name, type, help },
#define METRIC(field, name, kinds, type, how, code, help)
#define OWN(field, name, kinds, type)
#include "stats/metrics.def"
#undef PROCESS
#undef METRIC
#undef OWN
};

enum {
	F = 1 << STAT_FRONTEND, L = 1 << STAT_LISTENER, B = 1 << STAT_BACKEND, S = 1 << STAT_SERVER,
	FL = F | L, FB = F | B, BS = B | S, FLB = FL | B, FBS = FB | S, FLBS = FL | BS,
};

static const struct metric metrics[] = {
#define PROCESS(field, name, type, help)
#define METRIC(field, name, kinds, type, how, code, help)                            \
	{ STAT_##field, name, kinds, type, how, code, help, "haproxy" },
#define OWN(field, name, kinds, type)                                                \
	{ STAT_##field, name, kinds, type, PLAIN, NULL, NULL, "penstock" },
#include "stats/metrics.def"
#undef PROCESS
#undef METRIC
#undef OWN
};

/* Kinds of rows and their names, by enum metrics_part. */
static const struct {
	const char *scope, *name;
	enum stat_type kind;
} parts[METRICS_PARTS] = {
	[METRICS_PROCESS] = { "global", NULL, 0 },
	[METRICS_FRONTEND] = { "frontend", "frontend", STAT_FRONTEND },
	[METRICS_LISTENER] = { "listener", "listener", STAT_LISTENER },
	[METRICS_BACKEND] = { "backend", "backend", STAT_BACKEND },
	[METRICS_SERVER] = { "server", "server", STAT_SERVER },
	[METRICS_TABLE] = { "sticktable", "sticktable", 0 },
};

enum { PLACES_A_TURN = 32768 }; /* of stick tables, to be counted */

/* -- what was asked for ---------------------------------------------------------------------- */

static int metrics_take_scope(struct metrics *m, struct span value)
{
	if (!value.len) {
		m->parts = 0;
		return 0;
	}
	if (span_equal(value, span_of("*"))) {
		m->parts = (1 << METRICS_PARTS) - 1;
		return 0;
	}
	for (int i = 0; i < METRICS_PARTS; i++) {
		if (span_equal(value, span_of(parts[i].scope))) {
			m->parts |= 1u << i;
			return 0;
		}
	}
	return -1;
}

/* One "name=value". *scoped: a scope came before. */
static int metrics_take_parameter(struct metrics *m, struct span word, bool *scoped)
{
	char text[64];
	const char *equals;
	struct span name;
	size_t len;

	if (word.len >= sizeof(text))
		return -1;
	memcpy(text, word.ptr, word.len);
	len = url_decode(text, word.len, false);
	if (len == SIZE_MAX)
		return -1;
	equals = memchr(text, '=', len);
	name = (struct span){ text, equals ? (size_t)(equals - text) : len };
	if (span_equal(name, span_of("no-maint")))
		m->options |= STAT_NO_MAINT;
	if (!span_equal(name, span_of("scope")))
		return 0;
	if (!equals)
		return -1;
	if (!*scoped)
		m->parts = 0;
	*scoped = true;
	return metrics_take_scope(m, (struct span){ equals + 1, len - name.len - 1 });
}

int metrics_init(struct metrics *m, struct span query)
{
	bool scoped = false;
	struct span word;
	const char *end;

	*m = (struct metrics){ .parts = (1 << METRICS_PARTS) - 1, .places = PLACES_A_TURN };
	while (query.len) {
		end = memchr(query.ptr, '&', query.len);
		word = (struct span){ query.ptr, end ? (size_t)(end - query.ptr) : query.len };
		if (metrics_take_parameter(m, word, &scoped))
			return -1;
		query.ptr += word.len + (end != NULL);
		query.len -= word.len + (end != NULL);
	}
	return 0;
}

/* -- lines ----------------------------------------------------------------------------------- */

static void metrics_say_header(struct metrics *m, struct text *out, const char *prefix,
			       const char *name, const char *help, enum metric_type type)
{
	m->said = name;
	text_printf(out, "# HELP %s%s %s\n# TYPE %s%s %s\n", prefix, name, help, prefix, name,
		    type == COUNTER ? "counter" : "gauge");
}

static void metrics_say_value(struct text *out, const struct stats_value *v)
{
	if (v->type == STATS_NONE)
		text_str(out, "NaN");
	else
		stats_print_value(out, v);
	text_char(out, '\n');
}

/* The value of a label, between quotes. */
static void metrics_say_label(struct text *out, const char *name, const char *value)
{
	text_printf(out, "%s=\"", name);
	for (; *value; value++) {
		if (*value == '\\' || *value == '"')
			text_char(out, '\\');
		if (*value == '\n')
			text_str(out, "\\n");
		else
			text_char(out, *value);
	}
	text_char(out, '"');
}

static void metrics_say_process(struct metrics *m, struct text *out,
				const struct metric_process *p)
{
	const struct stats_value *v = &m->info.values[p->field];
	const char *help = p->help ? p->help : info_fields[p->field].help;

	metrics_say_header(m, out, "", p->name, help, p->type);
	text_str(out, p->name);
	if (v->type == STATS_STR) {
		text_char(out, '{');
		metrics_say_label(out, "version", v->str);
		text_str(out, "} 1\n");
	} else {
		text_char(out, ' ');
		metrics_say_value(out, v);
	}
}

/* Name and labels of the object. */
static void metrics_say_name(const struct metrics *m, struct text *out, const struct metric *metric,
			     const char *state)
{
	const struct stat_row *row = &m->row;

	text_printf(out, "%s_%s_%s{", metric->program, parts[m->part].name, metric->name);
	metrics_say_label(out, "proxy", row->values[STAT_pxname].str);
	if (row->kind == STAT_LISTENER || row->kind == STAT_SERVER) {
		text_char(out, ',');
		metrics_say_label(out, parts[m->part].name, row->values[STAT_svname].str);
	}
	if (metric->code)
		text_printf(out, ",code=\"%s\"", metric->code);
	if (state)
		text_printf(out, ",state=\"%s\"", state);
	text_str(out, "} ");
}

/* -- states ---------------------------------------------------------------------------------- */

static const char *const proxy_states[] = { "DOWN", "UP", NULL };
static const char *const listener_states[] = { "WAITING", "OPEN", "FULL", NULL };
static const char *const server_states[] = { "DOWN", "UP", "MAINT", "DRAIN", "NOLB", NULL };
enum { STATE_DOWN, STATE_UP, STATE_MAINT, STATE_DRAIN, STATE_NOLB };

/* Results of checks in the order of tools; those of external checks have no number here. */
static const char *const check_states[] = { "HANA", "SOCKERR", "L4OK", "L4TOUT", "L4CON", "L6OK",
					    "L6TOUT", "L6RSP", "L7TOUT", "L7RSP", "L7OK", "L7OKC",
					    "L7STS", "PROCERR", "PROCTOUT", "PROCOK", NULL };
_Static_assert(ARRAY_LEN(check_states) == METRICS_STATES + 1, "room in struct metrics");

static const char *const *metrics_states(const struct metrics *m, const struct metric *metric)
{
	switch (metric->how) {
	case STATE:
		return m->row.kind == STAT_SERVER ? server_states :
		       m->row.kind == STAT_LISTENER ? listener_states : proxy_states;
	case SERVERS:
		return server_states;
	case CHECK:
	case CHECKS:
		return check_states;
	default:
		return NULL;
	}
}

static unsigned metrics_server_state(const struct server *s)
{
	if (s->state->admin & ADMIN_MAINT)
		return STATE_MAINT;
	if (s->state->op == SERVER_DOWN)
		return STATE_DOWN;
	if (s->state->admin & (ADMIN_DRAIN | ADMIN_EJECTED))
		return STATE_DRAIN;
	return s->state->op == SERVER_STOPPING ? STATE_NOLB : STATE_UP;
}

/* Counts one for the state that has this name, if there is one. */
static void metrics_count_name(struct metrics *m, const char *const *names, const char *name)
{
	for (unsigned i = 0; names[i]; i++)
		if (!strcmp(names[i], name))
			m->counts[i]++;
}

static bool metrics_is_checked(const struct server *s)
{
	return check_of(s) && !s->state->check.paused;
}

static void metrics_count_servers(struct metrics *m, bool checks)
{
	for (const struct server *s = m->row.proxy->servers; s; s = s->next) {
		if (!checks)
			m->counts[metrics_server_state(s)]++;
		else if (metrics_is_checked(s))
			metrics_count_name(m, check_states,
					   check_status_name(s->state->check.status));
	}
}

static void metrics_count(struct metrics *m, const struct metric *metric)
{
	const struct stat_row *row = &m->row;
	const char *status = row->values[STAT_status].type == STATS_STR ?
			     row->values[STAT_status].str : "";

	memset(m->counts, 0, sizeof(m->counts));
	if (metric->how == SERVERS || metric->how == CHECKS)
		metrics_count_servers(m, metric->how == CHECKS);
	else if (metric->how == CHECK)
		metrics_count_name(m, check_states,
				   check_status_name(row->server->state->check.status));
	else if (row->kind == STAT_SERVER)
		m->counts[metrics_server_state(row->server)] = 1;
	else if (row->kind == STAT_LISTENER)
		metrics_count_name(m, listener_states, status);
	else
		m->counts[strcmp(status, "DOWN") && strcmp(status, "STOP")] = 1;
}

/* -- one metric of one object ---------------------------------------------------------------- */

/* Has the object this metric? */
static bool metrics_applies(const struct metrics *m, const struct metric *metric)
{
	const struct stat_row *row = &m->row;

	switch (metric->how) {
	case HTTP:
		return row->proxy->set.mode == MODE_HTTP;
	case CHECK:
	case CHECKED:
	case CHECK_TIME:
		return metrics_is_checked(row->server);
	case SERVERS:
	case CHECKS:
		return row->proxy->servers != NULL;
	default:
		return true;
	}
}

static void metrics_say_seconds(struct text *out, uint64_t ms)
{
	text_printf(out, "%llu.%03u000\n", (unsigned long long)(ms / 1000), (unsigned)(ms % 1000));
}

static void metrics_say_row(struct metrics *m, struct text *out, const struct metric *metric)
{
	const struct stats_value *v = &m->row.values[metric->field];

	metrics_say_name(m, out, metric, NULL);
	if (metric->how == CHECKED && v->type == STATS_NONE)
		text_str(out, "0\n");
	else if (metric->how == CHECK_TIME)
		metrics_say_seconds(out, m->row.server->state->check.duration_ms);
	else if (metric->how == SECONDS && v->type != STATS_NONE)
		metrics_say_seconds(out, v->u64);
	else
		metrics_say_value(out, v);
}

/* Takes the next object, if it has the metric; false: no more of them. */
static bool metrics_next_object(struct metrics *m, const struct metric *metric)
{
	if (!stat_next(&m->scan, &m->row))
		return false;
	m->has_object = metrics_applies(m, metric);
	m->state = 0;
	if (m->has_object && metrics_states(m, metric))
		metrics_count(m, metric);
	return true;
}

static void metrics_begin(struct metrics *m)
{
	stat_scan_init(&m->scan);
	m->scan.options = m->options;
	m->scan.types = 1 << parts[m->part].kind;
	m->has_object = false;
}

/* One line of a metric at most, with the header before the first one; false: no more of it. */
static bool metrics_say_metric(struct metrics *m, struct text *out, const struct metric *metric)
{
	const char *const *states;
	const char *help = metric->help ? metric->help : stat_fields[metric->field].help;
	char prefix[32];

	if (!m->has_object && !metrics_next_object(m, metric))
		return false;
	if (!m->has_object)
		return true;
	snprintf(prefix, sizeof(prefix), "%s_%s_", metric->program, parts[m->part].name);
	if (!m->said || strcmp(m->said, metric->name))
		metrics_say_header(m, out, prefix, metric->name, help, metric->type);
	states = metrics_states(m, metric);
	if (!states) {
		metrics_say_row(m, out, metric);
		m->has_object = false;
		return true;
	}
	metrics_say_name(m, out, metric, states[m->state]);
	text_printf(out, "%u\n", m->counts[m->state]);
	m->state++;
	m->has_object = states[m->state] != NULL;
	return true;
}

/* -- stick tables ---------------------------------------------------------------------------- */

enum { TABLE_SIZE, TABLE_USED, TABLE_METRICS };
static void metrics_begin_table(struct metrics *m, const struct stick_line *line)
{
	m->table = line;
	m->place = m->alive = 0;
}

/* "used" is counted, some places a turn. False: not yet. */
static bool metrics_count_table(struct metrics *m)
{
	const struct stick_table *t = m->table->table;
	uint32_t before = m->place;

	m->alive += stick_alive(t, &m->place, m->places);
	m->places -= m->place - before;
	return m->place >= stick_places(t);
}

/* One line of a table at most. False: no more of this metric. */
static bool metrics_say_table(struct metrics *m, struct text *out)
{
	static const char *const names[] = { "size", "used" };
	static const char *const helps[] = { "Most entries of the stick table.",
					     "Entries of the stick table." };
	const struct stick_line *line = m->table;

	if (!line)
		return false;
	if (m->metric == TABLE_USED && !metrics_count_table(m))
		return true;
	if (m->said != names[m->metric])
		metrics_say_header(m, out, "haproxy_sticktable_", names[m->metric], helps[m->metric],
				   GAUGE);
	text_printf(out, "haproxy_sticktable_%s{", names[m->metric]);
	metrics_say_label(out, "name", line->name);
	text_printf(out, ",type=\"%s\"} %u\n", stick_key_type_name(line->def.type),
		    m->metric == TABLE_SIZE ? line->def.size : m->alive);
	metrics_begin_table(m, stick_line_before(stick_running, line));
	return true;
}

/* -- all ------------------------------------------------------------------------------------- */

static void metrics_next_part(struct metrics *m)
{
	m->part++;
	m->metric = 0;
	m->said = NULL;
	if (m->part < METRICS_TABLE)
		metrics_begin(m);
	else if (m->part == METRICS_TABLE)
		metrics_begin_table(m, stick_line_before(stick_running, NULL));
}

/* The same of a part that has no rows of statistics. */
static void metrics_say_tables(struct metrics *m, struct text *out)
{
	if (!(m->parts & 1 << METRICS_TABLE) || m->metric == TABLE_METRICS) {
		metrics_next_part(m);
	} else if (!metrics_say_table(m, out)) {
		m->metric++;
		metrics_begin_table(m, stick_line_before(stick_running, NULL));
	}
}

bool metrics_say(struct metrics *m, struct text *out, bool resumed)
{
	const struct metric *metric;

	if (resumed) {
		stat_scan_resume(&m->scan);
		m->places = PLACES_A_TURN;
	}
	if (m->part == METRICS_PROCESS) {
		if (!(m->parts & 1 << METRICS_PROCESS) ||
		    m->metric == ARRAY_LEN(process_metrics)) {
			metrics_next_part(m);
		} else {
			if (!m->metric)
				info_fill(&m->info, false);
			metrics_say_process(m, out, &process_metrics[m->metric++]);
		}
		return true;
	}
	if (m->part == METRICS_PARTS)
		return false;
	if (m->part == METRICS_TABLE) {
		metrics_say_tables(m, out);
		return true;
	}
	metric = &metrics[m->metric];
	if (!(m->parts & 1u << m->part) || m->metric == ARRAY_LEN(metrics)) {
		metrics_next_part(m);
	} else if (!(metric->kinds & 1u << parts[m->part].kind) ||
		   !metrics_say_metric(m, out, metric)) {
		m->metric++;
		metrics_begin(m);
	}
	return true;
}
