/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Fills in the rows of "show stat" from the state of proxies, servers and listeners; which
 * kind of object has a value for which field is that of the management guide, 9.1, and of
 * what the reference shows. Called by the stats socket. It changes nothing.
 */
#include "stats/stat.h"

#include "base/clock.h"
#include "base/kind.h"
#include "check/check.h"
#include "exchange/persist.h"
#include "lb/balance_conf.h"
#include "net/listener.h"
#include "proxy/eject_conf.h"
#include "proxy/facts.h"
#include "proxy/latency.h"
#include "proxy/learn.h"
#include "proxy/observe_conf.h"
#include "proxy/sums.h"

#include <stdio.h>
#include <string.h>

const struct stats_field stat_fields[STAT_FIELDS] = {
#define FIELD(name, tags, help) { #name, tags, help },
#include "stats/stat_fields.def"
#undef FIELD
};

char stat_letter(enum stat_type kind)
{
	return "FBSL"[kind];
}

const char *stat_kind_name(enum stat_type kind)
{
	static const char *const names[] = { "Frontend", "Backend", "Server", "Listener" };

	return names[kind];
}

#define SET(field, value) (row->values[STAT_##field] = (value))

static void stat_begin(struct stat_row *row, enum stat_type kind, const struct proxy *px,
		       const char *svname, int id)
{
	memset(row->values, 0, sizeof(row->values));
	row->strings.used = 0;
	row->kind = kind;
	row->proxy = px;
	row->server = NULL;
	row->proxy_id = px->uuid;
	row->id = id;
	SET(pxname, stats_str(&row->strings, px->name));
	SET(svname, stats_str(&row->strings, svname));
	SET(pid, stats_u32(1));
	SET(iid, stats_u32((unsigned)px->uuid));
	SET(sid, stats_u32((unsigned)id));
	SET(type, stats_u32(kind));
	SET(mode, stats_const(proxy_mode_name(px)));
}

/* What every kind counts. */
static void stat_fill_counters(struct stat_row *row, const struct counters *c, unsigned current)
{
	SET(scur, stats_u32(current));
	SET(smax, stats_u32(c->connections_max));
	SET(stot, stats_u64(c->sessions));
	SET(bin, stats_u64(c->bytes_in));
	SET(bout, stats_u64(c->bytes_out));
	SET(dresp, stats_u64(c->denied_responses));
	SET(eint, stats_u64(c->internal_errors));
	SET(wrew, stats_u64(c->failed_rewrites));
	SET(ssl_sess, stats_u64(c->tls_sessions));
	SET(ssl_reused_sess, stats_u64(c->tls_resumed));
	SET(ssl_failed_handshake, stats_u64(c->tls_failed));
	row->spliced = c->bytes_spliced;
}

/* In mode http. */
static void stat_fill_http(struct stat_row *row, const struct proxy *px, const struct counters *c)
{
	if (px->set.mode != MODE_HTTP)
		return;
	SET(hrsp_1xx, stats_u64(c->responses_1xx));
	SET(hrsp_2xx, stats_u64(c->responses_2xx));
	SET(hrsp_3xx, stats_u64(c->responses_3xx));
	SET(hrsp_4xx, stats_u64(c->responses_4xx));
	SET(hrsp_5xx, stats_u64(c->responses_5xx));
	SET(hrsp_other, stats_u64(c->responses_other));
	SET(req_tot, stats_u64(c->requests));
}

/* Of the connections themselves: those that came to it, or that it has made. */
static void stat_fill_h2(struct stat_row *row, const struct h2_counts *h2)
{
#define H2_COUNT(name, text) SET(h2_##name, stats_u64(h2->name));
#define H2_NOW H2_COUNT
#include "http/h2_counts.def"
#undef H2_COUNT
#undef H2_NOW
}

static void stat_fill_h1(struct stat_row *row, const struct h1_counts *h1)
{
#define H1_COUNT(name, text) SET(h1_##name, stats_u64(h1->name));
#define H1_NOW H1_COUNT
#include "http/h1_counts.def"
#undef H1_COUNT
#undef H1_NOW
}

/* There is no cache yet. */
static void stat_fill_cache(struct stat_row *row, const struct proxy *px)
{
	if (px->set.mode != MODE_HTTP)
		return;
	SET(cache_lookups, stats_u64(0));
	SET(cache_hits, stats_u64(0));
}

static void stat_fill_times(struct stat_row *row, const struct times *t)
{
	SET(qtime, stats_u32(mean_read(&t->queue)));
	SET(ctime, stats_u32(mean_read(&t->connect)));
	SET(rtime, stats_u32(mean_read(&t->response)));
	SET(ttime, stats_u32(mean_read(&t->total)));
	SET(qtime_max, stats_u32(t->queue.max));
	SET(ctime_max, stats_u32(t->connect.max));
	SET(rtime_max, stats_u32(t->response.max));
	SET(ttime_max, stats_u32(t->total.max));
}

static void stat_fill_rate(struct stat_row *row, const struct counters *c)
{
	SET(rate, stats_u32(rate_read(&c->session_rate, clock_now_ms)));
	SET(rate_max, stats_u32(c->session_rate.max));
}

/* -- frontends and listeners ----------------------------------------------------------------- */

static const char *stat_frontend_status(const struct proxy *px)
{
	if (px->run_state == PROXY_PAUSED)
		return "PAUSED";
	if (px->run_state == PROXY_FINISHES || px->run_state == PROXY_STOPPED)
		return "STOP";
	return px->state->maxconn && frontend_sessions(px) >= px->state->maxconn ? "FULL" : "OPEN";
}

void stat_fill_frontend(struct stat_row *row, const struct proxy *px, unsigned options)
{
	struct proxy_tally fe;
	const struct counters *c = &fe.counters;

	(void)options;
	proxy_sum(px, PROXY_FRONTEND, &fe);
	stat_begin(row, STAT_FRONTEND, px, "FRONTEND", 0);
	stat_fill_counters(row, c, fe.current);
	stat_fill_rate(row, c);
	SET(slim, stats_u32(px->state->maxconn));
	SET(dreq, stats_u64(c->denied_requests));
	SET(ereq, stats_u64(c->failed_requests));
	SET(status, stats_const(stat_frontend_status(px)));
	SET(rate_lim, stats_u32(px->state->rate_limit));
	SET(req_rate, stats_u32(rate_read(&c->request_rate, clock_now_ms)));
	SET(req_rate_max, stats_u32(c->request_rate.max));
	SET(req_tot, stats_u64(c->requests));
	stat_fill_http(row, px, c);
	stat_fill_cache(row, px);
	stat_fill_h1(row, &fe.h1);
	stat_fill_h2(row, &fe.h2);
	if (px->set.mode == MODE_HTTP)
		SET(intercepted, stats_u64(c->intercepted));
	SET(comp_in, stats_u64(c->compress_in));
	SET(comp_out, stats_u64(c->compress_out));
	SET(comp_byp, stats_u64(c->compress_bypassed));
	SET(comp_rsp, stats_u64(c->compressed_responses));
	SET(conn_rate, stats_u32(rate_read(&c->connection_rate, clock_now_ms)));
	SET(conn_rate_max, stats_u32(c->connection_rate.max));
	SET(conn_tot, stats_u64(c->connections));
	SET(dcon, stats_u64(c->denied_connections));
	SET(dses, stats_u64(c->denied_sessions));
}

/* "127.0.0.1:80", "[::1]:80", "unix". */
static struct stats_value stat_addr(struct stat_row *row, const struct addr *addr)
{
	char memory[128];
	struct text t;

	text_init(&t, memory, sizeof(memory));
	if (addr->family == AF_UNIX)
		return stats_const("unix");
	if (addr->family == AF_INET6)
		text_char(&t, '[');
	addr_print(addr, &t);
	if (addr->family == AF_INET6)
		text_char(&t, ']');
	if (addr->family == AF_INET || addr->family == AF_INET6)
		text_printf(&t, ":%u", addr->port);
	return stats_str(&row->strings, memory);
}

static const char *stat_listener_status(const struct listener *l)
{
	switch (l->state) {
	case LISTENER_NEW:
	case LISTENER_CLOSED:
		return "STOP";
	case LISTENER_READY:
		return "OPEN";
	case LISTENER_FULL:
		return "FULL";
	case LISTENER_LIMITED:
		return "WAITING";
	case LISTENER_PAUSED:
		return "PAUSED";
	}
	return "";
}

void stat_fill_listener(struct stat_row *row, const struct listener *l, unsigned options)
{
	struct listener_tally sum;
	const struct counters *c = &sum.counters;
	char name[32];

	listener_sum(l, &sum);
	snprintf(name, sizeof(name), "sock-%d", l->id);
	stat_begin(row, STAT_LISTENER, KIND_OF(struct proxy, l->bind->owner),
		   l->bind->name ? l->bind->name : name, l->id);
	stat_fill_counters(row, c, sum.current);
	SET(slim, stats_u32(l->maxconn));
	SET(dreq, stats_u64(c->denied_requests));
	SET(ereq, stats_u64(c->failed_requests));
	SET(status, stats_const(stat_listener_status(l)));
	SET(dcon, stats_u64(c->denied_connections));
	SET(dses, stats_u64(c->denied_sessions));
	if (options & STAT_LEGENDS)
		SET(addr, stat_addr(row, &l->addr));
}

/* -- servers and backends -------------------------------------------------------------------- */

static void stat_fill_server_counters(struct stat_row *row, const struct proxy *px,
				      const struct counters *c)
{
	SET(qmax, stats_u32(c->queue_max));
	SET(econ, stats_u64(c->failed_connections));
	SET(eresp, stats_u64(c->failed_responses));
	SET(wretr, stats_u64(c->retries));
	SET(wredis, stats_u64(c->redispatches));
	if (px->set.budget.given)
		SET(retr_denied, stats_u64(c->retries_denied));
	SET(lbtot, stats_u64(c->balanced));
	SET(cli_abrt, stats_u64(c->client_aborts));
	SET(srv_abrt, stats_u64(c->server_aborts));
	SET(connect, stats_u64(c->connects));
	SET(reuse, stats_u64(c->reuses));
}

/* Seconds since a second of the wall clock; -1: never. */
static struct stats_value stat_age(uint64_t second)
{
	int64_t age = (int64_t)clock_wall().tv_sec - (int64_t)second;

	return stats_s32(!second ? -1 : age < 0 ? 0 : age);
}

static struct stats_value stat_seconds_since(uint64_t ms)
{
	return stats_u32(clock_now_ms > ms ? (clock_now_ms - ms) / 1000 : 0);
}

/* Finished down times, and the present one if it is down now. */
static struct stats_value stat_downtime(uint64_t finished_ms, bool down, uint64_t changed_ms)
{
	uint64_t ms = finished_ms;

	if (down && clock_now_ms > changed_ms)
		ms += clock_now_ms - changed_ms;
	return stats_u32(ms / 1000);
}

/* The server whose checks decide about this one. */
static const struct server *stat_checked_server(const struct server *s)
{
	while (s->tracked)
		s = s->tracked;
	return s;
}

static struct stats_value stat_check_status(struct stat_row *row, const struct check_state *state)
{
	char text[32];

	snprintf(text, sizeof(text), "%s%s", state->running ? "* " : "",
		 check_status_name(state->status));
	return stats_str(&row->strings, text);
}

static struct stats_value stat_last_check(struct stat_row *row, const struct check_state *state)
{
	char buf[256];
	struct text text;

	text_init(&text, buf, sizeof(buf));
	check_say_cause(state, &text);
	return stats_str(&row->strings, buf);
}

static void stat_fill_check(struct stat_row *row, const struct server *s,
			    const struct counters *c)
{
	const struct server_state *st = s->state;

	if (st->check.paused)
		return;
	SET(chkfail, stats_u64(c->failed_checks));
	SET(chkdown, stats_u64(st->down_transitions));
	SET(downtime, stat_downtime(st->downtime_ms, st->op == SERVER_DOWN, st->changed_ms));
	if (st->admin & ADMIN_MAINT)
		return;
	SET(check_status, stat_check_status(row, &st->check));
	if (check_status_has_code(st->check.status))
		SET(check_code, stats_u32((unsigned)st->check.code));
	if (st->check.status > CHECK_INIT)
		SET(check_duration, stats_u64(st->check.duration_ms));
	SET(check_desc, stats_const(check_status_sentence(st->check.status)));
	SET(last_chk, stat_last_check(row, &st->check));
	SET(check_rise, stats_u32((unsigned)s->set.rise));
	SET(check_fall, stats_u32((unsigned)s->set.fall));
	SET(check_health, stats_u32((unsigned)st->health));
}

/* Rise and fall of an agent are 1: its last word counts. */
static void stat_fill_agent(struct stat_row *row, const struct server *s)
{
	const struct check_state *agent = &s->state->agent;

	if (agent->paused)
		return;
	SET(agent_status, stat_check_status(row, agent));
	if (check_status_has_code(agent->status))
		SET(agent_code, stats_u32((unsigned)agent->code));
	if (agent->status > CHECK_INIT)
		SET(agent_duration, stats_u64(agent->duration_ms));
	SET(agent_desc, stats_const(check_status_sentence(agent->status)));
	SET(last_agt, stat_last_check(row, agent));
	SET(agent_rise, stats_u32(1));
	SET(agent_fall, stats_u32(1));
	SET(agent_health, stats_u32(!s->state->agent_down));
}

static struct stats_value stat_tracked(struct stat_row *row, const struct server *s)
{
	char text[STATS_STR_MAX];

	snprintf(text, sizeof(text), "%s/%s", s->proxy->name, s->id);
	return stats_str(&row->strings, text);
}

static unsigned stat_throttle(const struct server *s)
{
	unsigned full = s->state->user_weight;

	return full ? s->state->effective_weight * 100 / full : 100;
}

static void stat_fill_server_state(struct stat_row *row, const struct server *s,
				   const struct server_tally *sum)
{
	const struct server_state *st = s->state;
	bool backup = s->set.options.on & SRV_BACKUP;
	char status[64];

	SET(qcur, stats_u32(sum->queued));
	if (st->maxconn)
		SET(slim, stats_u32(st->maxconn));
	SET(status, stats_str(&row->strings, server_status_text(s, status, sizeof(status))));
	SET(weight, stats_u32(st->effective_weight));
	SET(uweight, stats_u32(st->user_weight));
	SET(act, stats_u32(!backup));
	SET(bck, stats_u32(backup));
	SET(lastchg, stat_seconds_since(st->changed_ms));
	if (s->set.maxqueue)
		SET(qlimit, stats_u32(s->set.maxqueue));
	if (st->op == SERVER_STARTING)
		SET(throttle, stats_u32(stat_throttle(s)));
	if (s->tracked)
		SET(tracked, stat_tracked(row, s->tracked));
	if (observe_conf_of(stat_checked_server(s))->layer != OBSERVE_NONE)
		SET(hanafail, stats_u64(sum->counters.failed_hana));
	if (eject_conf_of(s->proxy))
		SET(ejections, stats_u64(sum->counters.ejections));
	if (s->learns & LEARNS_LATENCY)
		SET(ewma_us, stats_u32(latency_now(s)));
	SET(lastsess, stat_age(sum->last_session_s));
	SET(srv_icur, stats_u32(sum->idle));
	SET(idle_conn_cur, stats_u32(sum->idle - sum->idle_safe));
	SET(safe_conn_cur, stats_u32(sum->idle_safe));
	SET(used_conn_cur, stats_u32(sum->current));
	SET(need_conn_est, stats_u32(sum->idle_need > sum->current ? sum->idle_need : sum->current));
	if (s->set.pool_max_conn >= 0)
		SET(src_ilim, stats_u32((unsigned)s->set.pool_max_conn));
}

static struct stats_value stat_cookie(struct stat_row *row, struct span name)
{
	char text[STATS_STR_MAX + 1];

	if (!name.len)
		return stats_str(&row->strings, NULL);
	snprintf(text, sizeof(text), "%.*s", (int)name.len, name.ptr);
	return stats_str(&row->strings, text);
}

void stat_fill_server(struct stat_row *row, const struct server *s, unsigned options)
{
	struct server_tally sum;

	server_sum(s, &sum);
	facts_refresh_checks(stat_checked_server(s));
	facts_refresh_checks(s);
	stat_begin(row, STAT_SERVER, s->proxy, s->id, s->puid);
	row->server = s;
	stat_fill_counters(row, &sum.counters, sum.current);
	stat_fill_rate(row, &sum.counters);
	stat_fill_server_counters(row, s->proxy, &sum.counters);
	stat_fill_http(row, s->proxy, &sum.counters);
	stat_fill_server_state(row, s, &sum);
	if (check_of(s))
		stat_fill_check(row, s, &sum.counters);
	if (check_agent_of(s))
		stat_fill_agent(row, s);
	stat_fill_times(row, &sum.times);
	if (!(options & STAT_LEGENDS))
		return;
	SET(addr, stat_addr(row, &s->state->addr));
	SET(cookie, stat_cookie(row, persist_value(s)));
}

/* What the servers of a backend come to. */
struct stat_sum {
	unsigned servers, up;             /* all; neither down nor in maintenance */
	unsigned active, backup;          /* usable */
	unsigned weight[2], user_weight[2]; /* of the usable active and backup ones */
};

static struct stat_sum stat_sum_servers(const struct proxy *px)
{
	struct stat_sum sum = { 0 };

	for (const struct server *s = px->servers; s; s = s->next) {
		bool backup = s->set.options.on & SRV_BACKUP;

		sum.servers++;
		sum.up += s->state->op != SERVER_DOWN && !(s->state->admin & ADMIN_MAINT);
		if (!server_usable(s))
			continue;
		if (backup)
			sum.backup++;
		else
			sum.active++;
		/* Of the backups only the first one works, unless option allbackups. */
		if (backup && sum.backup > 1 && !(px->set.options.on & OPT_ALLBACKUPS))
			continue;
		sum.weight[backup] += s->state->effective_weight;
		sum.user_weight[backup] += s->state->user_weight;
	}
	return sum;
}

static void stat_fill_servers_of(struct stat_row *row, const struct proxy *px, unsigned options)
{
	struct stat_sum sum = stat_sum_servers(px);
	bool down = sum.servers && !sum.active && !sum.backup;
	unsigned which = sum.active ? 0 : 1;
	char status[64];

	if (options & (STAT_UP | STAT_NO_MAINT))
		snprintf(status, sizeof(status), "%s (%u/%u)", down ? "DOWN" : "UP", sum.up,
			 sum.servers);
	else
		snprintf(status, sizeof(status), "%s", down ? "DOWN" : "UP");
	SET(status, stats_str(&row->strings, status));
	SET(weight, stats_u32(sum.weight[which]));
	SET(uweight, stats_u32(sum.user_weight[which]));
	SET(act, stats_u32(sum.active));
	SET(bck, stats_u32(sum.backup));
	if (sum.servers)
		SET(downtime, stat_downtime(px->state->downtime_ms, down, px->state->changed_ms));
}

void stat_fill_backend(struct stat_row *row, const struct proxy *px, unsigned options)
{
	struct proxy_tally be;
	const struct counters *c = &be.counters;

	proxy_sum(px, PROXY_BACKEND, &be);
	stat_begin(row, STAT_BACKEND, px, "BACKEND", 0);
	stat_fill_counters(row, c, be.current);
	stat_fill_rate(row, c);
	stat_fill_server_counters(row, px, c);
	stat_fill_http(row, px, c);
	stat_fill_cache(row, px);
	stat_fill_h1(row, &be.h1);
	stat_fill_h2(row, &be.h2);
	stat_fill_servers_of(row, px, options);
	SET(qcur, stats_u32(be.queued));
	SET(slim, stats_u32(px->fullconn));
	SET(dreq, stats_u64(c->denied_requests));
	SET(chkdown, stats_u64(px->state->down_transitions));
	SET(lastchg, stat_seconds_since(px->state->changed_ms));
	SET(comp_in, stats_u64(c->compress_in));
	SET(comp_out, stats_u64(c->compress_out));
	SET(comp_byp, stats_u64(c->compress_bypassed));
	SET(comp_rsp, stats_u64(c->compressed_responses));
	SET(agg_server_status, stats_u32(0));
	SET(agg_server_check_status, stats_u32(0));
	SET(agg_check_status, stats_u32(0));
	SET(lastsess, stat_age(be.last_session_s));
	SET(unpublished, stats_u32(px->state->unpublished));
	stat_fill_times(row, &be.times);
	if (!(options & STAT_LEGENDS))
		return;
	SET(algo, stats_const(balance_name(px->set.balance)));
	if (persist_cookie(px))
		SET(cookie, stat_cookie(row, persist_cookie(px)->name));
}

/* -- checks ---------------------------------------------------------------------------------- */

static const char *const check_names[] = {
	[CHECK_UNKNOWN] = "UNK",   [CHECK_INIT] = "INI",    [CHECK_SOCKERR] = "SOCKERR",
	[CHECK_L4OK] = "L4OK",     [CHECK_L4TOUT] = "L4TOUT", [CHECK_L4CON] = "L4CON",
	[CHECK_L6OK] = "L6OK",     [CHECK_L6TOUT] = "L6TOUT", [CHECK_L6RSP] = "L6RSP",
	[CHECK_L7OK] = "L7OK",     [CHECK_L7OKC] = "L7OKC",   [CHECK_L7TOUT] = "L7TOUT",
	[CHECK_L7RSP] = "L7RSP",   [CHECK_L7STS] = "L7STS",   [CHECK_HANA] = "HANA",
	[CHECK_CHECKED] = "CHECKED",
	[CHECK_PROCERR] = "PROCERR", [CHECK_PROCTOUT] = "PROCTOUT", [CHECK_PROCOK] = "PROCOK",
};

const char *check_status_name(unsigned status)
{
	return status < sizeof(check_names) / sizeof(check_names[0]) ? check_names[status] : "UNK";
}
