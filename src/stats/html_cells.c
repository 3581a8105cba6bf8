/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The tables of the stats page: columns are rows of a table here, each says the cell of an object
 * and, where there is more to know, the lines that appear when somebody points at it. Called by
 * html.c, one cell a call, with nothing but the values of the row: the object may be gone.
 */
#include "stats/html.h"

#include "proxy/proxy.h"
#include "stats/value.h"

#include <stdio.h>

/* -- values ---------------------------------------------------------------------------------- */

static bool cell_has(const struct html *h, enum stat_field f)
{
	return h->row.values[f].type != STATS_NONE;
}

static uint64_t cell_num(const struct html *h, enum stat_field f)
{
	const struct stats_value *v = &h->row.values[f];

	return v->type == STATS_NONE || v->type == STATS_STR ? 0 : v->u64;
}

static const char *cell_str(const struct html *h, enum stat_field f)
{
	const struct stats_value *v = &h->row.values[f];

	return v->type == STATS_STR ? v->str : "";
}

static bool cell_http(const struct html *h)
{
	return !strcmp(cell_str(h, STAT_mode), "http");
}

static unsigned cell_percent(uint64_t part, uint64_t whole)
{
	return whole ? (unsigned)(part * 100 / whole) : 0;
}

/* -- lines that appear ----------------------------------------------------------------------- */

/* A cell with more behind it; left: it stands in the left half of the table. */
static void tip_begin(struct text *out, bool left, bool zero)
{
	text_printf(out, "<td class=\"t%s%s\" tabindex=0>", left ? " l" : "", zero ? " z" : "");
}

static void tip_open(struct text *out, const char *title)
{
	text_printf(out, "<div><table><caption>%s</caption>", title);
}

static void tip_close(struct text *out)
{
	text_str(out, "</table></div>");
}

static void tip_num(struct text *out, const char *label, uint64_t n)
{
	text_printf(out, "<tr><th>%s<td>", label);
	html_number(out, n);
}

static void tip_field(const struct html *h, struct text *out, const char *label, enum stat_field f)
{
	if (cell_has(h, f))
		tip_num(out, label, cell_num(h, f));
}

static void tip_rate(const struct html *h, struct text *out, const char *label, enum stat_field f)
{
	if (!cell_has(h, f))
		return;
	tip_num(out, label, cell_num(h, f));
	text_str(out, "/s");
}

static void tip_share(struct text *out, const char *label, uint64_t part, uint64_t whole)
{
	tip_num(out, label, part);
	text_printf(out, "<td>%u%%", cell_percent(part, whole));
}

static void tip_text(struct text *out, const char *label, const char *value)
{
	if (!*value)
		return;
	text_printf(out, "<tr><th>%s<td>", label);
	html_text(out, value);
}

/* -- simple cells ---------------------------------------------------------------------------- */

static void cell_empty(struct text *out)
{
	text_str(out, "<td>");
}

static void cell_count(const struct html *h, struct text *out, enum stat_field f)
{
	if (!cell_has(h, f)) {
		cell_empty(out);
		return;
	}
	text_str(out, cell_num(h, f) ? "<td>" : "<td class=z>");
	html_number(out, cell_num(h, f));
}

/* Something that should be zero. */
static void cell_bad(const struct html *h, struct text *out, enum stat_field f)
{
	if (!cell_has(h, f) || !cell_num(h, f)) {
		cell_count(h, out, f);
		return;
	}
	text_str(out, "<td class=bad>");
	html_number(out, cell_num(h, f));
}

/* A limit; none is a dash. */
static void cell_limit(const struct html *h, struct text *out, enum stat_field f)
{
	if (!cell_has(h, f) || !cell_num(h, f)) {
		text_str(out, "<td class=z>–");
		return;
	}
	text_str(out, "<td>");
	html_number(out, cell_num(h, f));
}

/* " hot" from 80 % of a limit on, " full" at the limit. */
static const char *cell_heat(uint64_t n, uint64_t limit)
{
	if (!limit || n * 5 < limit * 4)
		return "";
	return n < limit ? " hot" : " full";
}

/* -- name and state -------------------------------------------------------------------------- */

static const char *cell_kind(const struct html *h)
{
	switch (h->row.kind) {
	case STAT_FRONTEND:
		return "Frontend";
	case STAT_BACKEND:
		return "Backend";
	default:
		return cell_str(h, STAT_svname);
	}
}

/* Addresses and the like, with show-legends. */
static void name_legend(struct html *h, struct text *out)
{
	bool ipv6 = *cell_str(h, STAT_addr) == '[';
	char id[32];

	snprintf(id, sizeof(id), "%d", h->row.id);
	tip_open(out, "");
	if (h->row.kind == STAT_BACKEND)
		tip_text(out, "Balancing", cell_str(h, STAT_algo));
	else
		tip_text(out, ipv6 ? "IPv6" : "Address", cell_str(h, STAT_addr));
	if (h->row.kind != STAT_BACKEND)
		tip_text(out, "Id", id);
	tip_text(out, "Cookie", cell_str(h, STAT_cookie));
	tip_close(out);
}

/* The box of a server, for changes. */
static void name_box(const struct html *h, struct text *out)
{
	text_str(out, "<input type=checkbox name=s aria-label=Change value=\"");
	html_text(out, cell_str(h, STAT_svname));
	text_str(out, "\"> ");
}

static void col_name(struct html *h, struct text *out)
{
	bool legend = h->req.options & STAT_LEGENDS && h->row.kind != STAT_FRONTEND;

	text_printf(out, "<th scope=row%s>", legend ? " class=\"t l\" tabindex=0" : "");
	if (h->form && h->row.kind == STAT_SERVER)
		name_box(h, out);
	text_str(out, "<a href=\"#");
	html_text(out, cell_str(h, STAT_pxname));
	text_char(out, '/');
	if (h->row.kind == STAT_LISTENER)
		text_char(out, '+');
	html_text(out, cell_kind(h));
	text_str(out, "\">");
	html_text(out, cell_kind(h));
	text_str(out, "</a>");
	if (h->backup)
		text_str(out, " <small>backup</small>");
	else if (h->row.kind == STAT_LISTENER)
		text_str(out, " <small>listener</small>");
	if (legend)
		name_legend(h, out);
}

static void say_age(struct text *out, uint64_t seconds)
{
	stats_print_duration(out, seconds * 1000);
}

static void col_status(struct html *h, struct text *out)
{
	text_printf(out, "<td class=s><b title=\"%s\">", html_states[h->state].help);
	html_text(out, cell_str(h, STAT_status));
	text_str(out, "</b>");
	if (cell_has(h, STAT_lastchg)) {
		text_str(out, " <small>");
		say_age(out, cell_num(h, STAT_lastchg));
		text_str(out, "</small>");
	}
}

/* The result of a check or an agent: "L7OK/200 in 3ms". */
static void say_result(const struct html *h, struct text *out, enum stat_field status,
		       enum stat_field code, enum stat_field duration)
{
	html_text(out, cell_str(h, status));
	if (cell_has(h, code))
		text_printf(out, "/%d", (int)h->row.values[code].num);
	if (cell_has(h, duration))
		text_printf(out, " in %llums", (unsigned long long)cell_num(h, duration));
}

static void col_check(struct html *h, struct text *out)
{
	bool agent = *cell_str(h, STAT_agent_status);

	if (*cell_str(h, STAT_tracked)) {
		text_str(out, "<td class=s>via <a href=\"#");
		html_text(out, cell_str(h, STAT_tracked));
		text_str(out, "\">");
		html_text(out, cell_str(h, STAT_tracked));
		text_str(out, "</a>");
		return;
	}
	if (!*cell_str(h, STAT_check_status) && !agent) {
		cell_empty(out);
		return;
	}
	text_str(out, "<td class=\"t l s\" tabindex=0>");
	if (*cell_str(h, STAT_check_status))
		say_result(h, out, STAT_check_status, STAT_check_code, STAT_check_duration);
	else
		say_result(h, out, STAT_agent_status, STAT_agent_code, STAT_agent_duration);
	tip_open(out, "Last check");
	tip_text(out, "Result", cell_str(h, STAT_check_desc));
	tip_text(out, "It said", cell_str(h, STAT_last_chk));
	if (cell_has(h, STAT_check_health))
		text_printf(out, "<tr><th>Health<td>%u of %u; up from %u",
			    (unsigned)cell_num(h, STAT_check_health),
			    (unsigned)(cell_num(h, STAT_check_rise) +
				       cell_num(h, STAT_check_fall) - 1),
			    (unsigned)cell_num(h, STAT_check_rise));
	if (agent) {
		text_str(out, "<tr><th>Agent<td>");
		say_result(h, out, STAT_agent_status, STAT_agent_code, STAT_agent_duration);
	}
	tip_text(out, "Agent's result", cell_str(h, STAT_agent_desc));
	tip_text(out, "Agent said", cell_str(h, STAT_last_agt));
	tip_close(out);
}

static void col_weight(struct html *h, struct text *out)
{
	if (!cell_has(h, STAT_weight)) {
		cell_empty(out);
		return;
	}
	text_str(out, "<td>");
	html_number(out, cell_num(h, STAT_weight));
	text_str(out, "<small>/");
	html_number(out, cell_num(h, STAT_uweight));
	text_str(out, "</small>");
}

static void cell_role(struct html *h, struct text *out, enum stat_field f)
{
	if (h->row.kind == STAT_BACKEND)
		cell_count(h, out, f);
	else if (!cell_has(h, f))
		cell_empty(out);
	else
		text_str(out, cell_num(h, f) ? "<td>Y" : "<td class=z>–");
}

static void col_active(struct html *h, struct text *out)
{
	cell_role(h, out, STAT_act);
}

static void col_backup(struct html *h, struct text *out)
{
	cell_role(h, out, STAT_bck);
}

/* -- queue and rates ------------------------------------------------------------------------- */

static void col_qcur(struct html *h, struct text *out)
{
	cell_bad(h, out, STAT_qcur);
}

static void col_qmax(struct html *h, struct text *out)
{
	cell_count(h, out, STAT_qmax);
}

static void col_qlimit(struct html *h, struct text *out)
{
	if (h->row.kind == STAT_SERVER)
		cell_limit(h, out, STAT_qlimit);
	else
		cell_empty(out);
}

static void col_rate(struct html *h, struct text *out)
{
	if (h->row.kind != STAT_FRONTEND) {
		cell_count(h, out, STAT_rate);
		return;
	}
	tip_begin(out, true, !cell_num(h, STAT_rate));
	html_number(out, cell_num(h, STAT_rate));
	tip_open(out, "Over the last second");
	tip_rate(h, out, "Connections", STAT_conn_rate);
	tip_rate(h, out, "Sessions", STAT_rate);
	if (cell_http(h))
		tip_rate(h, out, "Requests", STAT_req_rate);
	tip_close(out);
}

static void col_rate_max(struct html *h, struct text *out)
{
	if (h->row.kind != STAT_FRONTEND) {
		cell_count(h, out, STAT_rate_max);
		return;
	}
	tip_begin(out, true, !cell_num(h, STAT_rate_max));
	html_number(out, cell_num(h, STAT_rate_max));
	tip_open(out, "Most in a second");
	tip_rate(h, out, "Connections", STAT_conn_rate_max);
	tip_rate(h, out, "Sessions", STAT_rate_max);
	if (cell_http(h))
		tip_rate(h, out, "Requests", STAT_req_rate_max);
	tip_close(out);
}

static void col_rate_limit(struct html *h, struct text *out)
{
	if (h->row.kind == STAT_FRONTEND)
		cell_limit(h, out, STAT_rate_lim);
	else
		cell_empty(out);
}

/* -- sessions -------------------------------------------------------------------------------- */

static void tip_limit(const struct html *h, struct text *out, const char *label, enum stat_field f)
{
	if (cell_has(h, f))
		tip_num(out, label, cell_num(h, f));
	else
		tip_text(out, label, "–");
}

static void col_scur(struct html *h, struct text *out)
{
	const char *heat = cell_heat(cell_num(h, STAT_scur), cell_num(h, STAT_slim));

	if (h->row.kind != STAT_SERVER) {
		text_printf(out, "<td class=\"n%s%s\">", cell_num(h, STAT_scur) ? "" : " z", heat);
		html_number(out, cell_num(h, STAT_scur));
		return;
	}
	text_printf(out, "<td class=\"t n%s%s\" tabindex=0>", cell_num(h, STAT_scur) ? "" : " z", heat);
	html_number(out, cell_num(h, STAT_scur));
	tip_open(out, "Connections to the server");
	tip_field(h, out, "Active", STAT_scur);
	tip_field(h, out, "Used", STAT_used_conn_cur);
	tip_field(h, out, "Idle", STAT_srv_icur);
	tip_field(h, out, "– used once", STAT_idle_conn_cur);
	tip_field(h, out, "– used more than once", STAT_safe_conn_cur);
	tip_field(h, out, "Needed, estimated", STAT_need_conn_est);
	tip_limit(h, out, "Limit of active ones", STAT_slim);
	tip_limit(h, out, "Limit of idle ones", STAT_src_ilim);
	tip_close(out);
}

static void col_smax(struct html *h, struct text *out)
{
	cell_count(h, out, STAT_smax);
}

static void col_slim(struct html *h, struct text *out)
{
	cell_limit(h, out, STAT_slim);
}

static void tip_responses(const struct html *h, struct text *out)
{
	static const struct {
		const char *label;
		enum stat_field field;
	} classes[] = { { "– 1xx", STAT_hrsp_1xx }, { "– 2xx", STAT_hrsp_2xx },
			{ "– 3xx", STAT_hrsp_3xx }, { "– 4xx", STAT_hrsp_4xx },
			{ "– 5xx", STAT_hrsp_5xx }, { "– other", STAT_hrsp_other } };
	uint64_t all = 0;

	for (size_t i = 0; i < ARRAY_LEN(classes); i++)
		all += cell_num(h, classes[i].field);
	tip_field(h, out, "HTTP requests", STAT_req_tot);
	for (size_t i = 0; i < ARRAY_LEN(classes); i++) {
		if (!cell_has(h, classes[i].field))
			continue;
		tip_share(out, classes[i].label, cell_num(h, classes[i].field), all);
		if (classes[i].field == STAT_hrsp_2xx && cell_has(h, STAT_comp_rsp))
			tip_share(out, "– – compressed", cell_num(h, STAT_comp_rsp),
				  cell_num(h, STAT_hrsp_2xx));
	}
	tip_field(h, out, "Answered here", STAT_intercepted);
	tip_field(h, out, "Cache lookups", STAT_cache_lookups);
	if (cell_has(h, STAT_cache_hits))
		tip_share(out, "Cache hits", cell_num(h, STAT_cache_hits),
			  cell_num(h, STAT_cache_lookups));
	tip_field(h, out, "Failed rewrites", STAT_wrew);
	tip_field(h, out, "Internal errors", STAT_eint);
}

static void tip_time(const struct html *h, struct text *out, const char *label,
		     enum stat_field max, enum stat_field mean)
{
	text_printf(out, "<tr><th>%s<td>", label);
	html_number(out, cell_num(h, max));
	text_str(out, " / ");
	html_number(out, cell_num(h, mean));
	text_str(out, "<td>ms");
}

static void tip_times(const struct html *h, struct text *out)
{
	text_str(out, "<tr><th colspan=3>Longest / mean of the last 1024");
	tip_time(h, out, "– in the queue", STAT_qtime_max, STAT_qtime);
	tip_time(h, out, "– to connect", STAT_ctime_max, STAT_ctime);
	if (cell_http(h))
		tip_time(h, out, "– until the response", STAT_rtime_max, STAT_rtime);
	tip_time(h, out, "– in all", STAT_ttime_max, STAT_ttime);
}

/* It has had to do with HTTP/2. */
static bool cell_h2(const struct html *h)
{
	return cell_has(h, STAT_h2_total_connections) && cell_num(h, STAT_h2_total_connections);
}

static void col_stot(struct html *h, struct text *out)
{
	if (h->row.kind == STAT_LISTENER) {
		cell_count(h, out, STAT_stot);
		return;
	}
	tip_begin(out, false, !cell_num(h, STAT_stot));
	html_number(out, cell_num(h, STAT_stot));
	tip_open(out, "So far");
	tip_field(h, out, "Connections", STAT_conn_tot);
	tip_field(h, out, "Sessions", STAT_stot);
	if (cell_h2(h)) {
		tip_field(h, out, "HTTP/2 connections", STAT_h2_total_connections);
		tip_field(h, out, "HTTP/2 streams", STAT_h2_backend_total_streams);
	}
	if (h->row.kind != STAT_FRONTEND) {
		uint64_t all = cell_num(h, STAT_connect) + cell_num(h, STAT_reuse);

		tip_field(h, out, "New connections", STAT_connect);
		tip_share(out, "Reused connections", cell_num(h, STAT_reuse), all);
	}
	if (cell_http(h))
		tip_responses(h, out);
	if (h->row.kind != STAT_FRONTEND)
		tip_times(h, out);
	tip_close(out);
}

static void col_lbtot(struct html *h, struct text *out)
{
	cell_count(h, out, STAT_lbtot);
}

static void col_last(struct html *h, struct text *out)
{
	if (!cell_has(h, STAT_lastsess)) {
		cell_empty(out);
	} else if (h->row.values[STAT_lastsess].num < 0) {
		text_str(out, "<td class=z>?");
	} else {
		text_str(out, "<td>");
		say_age(out, cell_num(h, STAT_lastsess));
	}
}

/* -- HTTP, bytes ----------------------------------------------------------------------------- */

static void col_4xx(struct html *h, struct text *out)
{
	cell_count(h, out, STAT_hrsp_4xx);
}

static void col_5xx(struct html *h, struct text *out)
{
	cell_bad(h, out, STAT_hrsp_5xx);
}

static void col_bin(struct html *h, struct text *out)
{
	tip_begin(out, false, !cell_num(h, STAT_bin));
	html_bytes(out, cell_num(h, STAT_bin));
	tip_open(out, "From clients");
	tip_field(h, out, "Bytes", STAT_bin);
	tip_close(out);
}

static void col_bout(struct html *h, struct text *out)
{
	uint64_t in = cell_num(h, STAT_comp_in), to = cell_num(h, STAT_comp_out);
	uint64_t saved = in > to ? in - to : 0, sent = cell_num(h, STAT_bout);

	tip_begin(out, false, !sent);
	html_bytes(out, sent);
	tip_open(out, "To clients");
	tip_field(h, out, "Bytes", STAT_bout);
	if (cell_has(h, STAT_comp_in) && cell_http(h)) {
		tip_field(h, out, "Into compression", STAT_comp_in);
		tip_share(out, "Out of compression", to, in);
		tip_field(h, out, "Past compression", STAT_comp_byp);
		tip_share(out, "Saved", saved, sent + saved);
	}
	tip_close(out);
}

/* -- denials, errors, warnings --------------------------------------------------------------- */

static void col_dreq(struct html *h, struct text *out)
{
	if (!cell_has(h, STAT_dcon)) {
		cell_count(h, out, STAT_dreq);
		return;
	}
	tip_begin(out, false, !cell_num(h, STAT_dreq));
	html_number(out, cell_num(h, STAT_dreq));
	tip_open(out, "Refused by rules");
	tip_field(h, out, "Connections", STAT_dcon);
	tip_field(h, out, "Sessions", STAT_dses);
	tip_field(h, out, "Requests", STAT_dreq);
	tip_close(out);
}

static void col_dresp(struct html *h, struct text *out)
{
	cell_count(h, out, STAT_dresp);
}

static void col_ereq(struct html *h, struct text *out)
{
	cell_count(h, out, STAT_ereq);
}

static void col_econ(struct html *h, struct text *out)
{
	cell_bad(h, out, STAT_econ);
}

static void col_eresp(struct html *h, struct text *out)
{
	if (!cell_has(h, STAT_eresp)) {
		cell_empty(out);
		return;
	}
	text_printf(out, "<td class=\"t%s\" tabindex=0>", cell_num(h, STAT_eresp) ? " bad" : " z");
	html_number(out, cell_num(h, STAT_eresp));
	tip_open(out, "Broken off during transfers");
	tip_field(h, out, "By clients", STAT_cli_abrt);
	tip_field(h, out, "By servers", STAT_srv_abrt);
	tip_close(out);
}

static void col_wretr(struct html *h, struct text *out)
{
	cell_bad(h, out, STAT_wretr);
}

static void col_wredis(struct html *h, struct text *out)
{
	cell_bad(h, out, STAT_wredis);
}

/* -- health ---------------------------------------------------------------------------------- */

static void col_chkfail(struct html *h, struct text *out)
{
	if (!cell_has(h, STAT_chkfail)) {
		cell_empty(out);
		return;
	}
	text_printf(out, "<td class=\"t%s\" tabindex=0>",
		    cell_num(h, STAT_chkfail) ? " bad" : " z");
	html_number(out, cell_num(h, STAT_chkfail));
	if (cell_has(h, STAT_hanafail)) {
		text_char(out, '/');
		html_number(out, cell_num(h, STAT_hanafail));
	}
	tip_open(out, "Failed");
	tip_field(h, out, "Health checks", STAT_chkfail);
	tip_field(h, out, "Seen in the traffic", STAT_hanafail);
	tip_close(out);
}

static void col_chkdown(struct html *h, struct text *out)
{
	cell_bad(h, out, STAT_chkdown);
}

static void col_downtime(struct html *h, struct text *out)
{
	if (!cell_has(h, STAT_downtime)) {
		cell_empty(out);
		return;
	}
	text_str(out, cell_num(h, STAT_downtime) ? "<td>" : "<td class=z>");
	say_age(out, cell_num(h, STAT_downtime));
}

static void col_throttle(struct html *h, struct text *out)
{
	if (cell_has(h, STAT_throttle))
		text_printf(out, "<td class=hot>%u%%", (unsigned)cell_num(h, STAT_throttle));
	else if (h->row.kind == STAT_SERVER)
		text_str(out, "<td class=z>–");
	else
		cell_empty(out);
}

/* -- modules --------------------------------------------------------------------------------- */

static void col_relay(struct html *h, struct text *out)
{
	uint64_t all = cell_num(h, STAT_bin) + cell_num(h, STAT_bout);

	tip_begin(out, false, !h->row.spliced);
	text_str(out, "relay");
	tip_open(out, "How bytes were forwarded, of streams that have ended");
	tip_share(out, "Through pipes", h->row.spliced, all);
	tip_field(h, out, "TLS handshakes with new keys", STAT_ssl_sess);
	tip_field(h, out, "TLS sessions resumed", STAT_ssl_reused_sess);
	tip_field(h, out, "TLS handshakes failed", STAT_ssl_failed_handshake);
	tip_close(out);
}

static void col_h2(struct html *h, struct text *out)
{
	static const struct { const char *label; enum stat_field field; } rows[] = {
		{ "Connections now", STAT_h2_open_connections },
		{ "Connections so far", STAT_h2_total_connections },
		{ "Streams now", STAT_h2_backend_open_streams },
		{ "Streams so far", STAT_h2_backend_total_streams },
		{ "Streams refused", STAT_h2_refused_streams },
		{ "HEADERS received", STAT_h2_headers_rcvd },
		{ "DATA received", STAT_h2_data_rcvd },
		{ "SETTINGS received", STAT_h2_settings_rcvd },
		{ "RST_STREAM received", STAT_h2_rst_stream_rcvd },
		{ "RST_STREAM sent", STAT_h2_rst_stream_resp },
		{ "GOAWAY received", STAT_h2_goaway_rcvd },
		{ "GOAWAY sent", STAT_h2_goaway_resp },
		{ "Faults of connections", STAT_h2_detected_conn_protocol_errors },
		{ "Faults of streams", STAT_h2_detected_strm_protocol_errors },
		{ "Glitches", STAT_h2_glitches },
	};

	if (!cell_has(h, STAT_h2_total_connections)) {
		cell_empty(out);
		return;
	}
	tip_begin(out, false, !cell_h2(h));
	text_str(out, "h2");
	tip_open(out, "HTTP/2");
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		tip_field(h, out, rows[i].label, rows[i].field);
	tip_close(out);
}

/* -- the table ------------------------------------------------------------------------------- */

struct html_column {
	const char *group; /* NULL: that of the column before */
	const char *name;
	const char *class; /* of its head */
	const char *help;
	void (*say)(struct html *h, struct text *out);
};

static const struct html_column columns[] = {
	{ "", "Name", "w1", "Name of the object", col_name },
	{ "State", "Status", "w2 s", "State, and since when", col_status },
	{ NULL, "Last check", "w3 s", "Result of the last health check", col_check },
	{ NULL, "Wght", "w6", "Weight in force / as set", col_weight },
	{ NULL, "Act", "w6", "Is an active server; in backends: how many are usable", col_active },
	{ NULL, "Bck", "w6", "Is a backup server; in backends: how many are usable", col_backup },
	{ "Queue", "Cur", "w6", "Waiting now", col_qcur },
	{ NULL, "Max", "w6", "Most that waited", col_qmax },
	{ NULL, "Limit", "w6", "maxqueue", col_qlimit },
	{ "Session rate", "Cur", "w6", "Sessions over the last second", col_rate },
	{ NULL, "Max", "w6", "Most in a second", col_rate_max },
	{ NULL, "Limit", "w6", "rate-limit sessions", col_rate_limit },
	{ "Sessions", "Cur", "w6", "Now", col_scur },
	{ NULL, "Max", "w6", "Most at a time", col_smax },
	{ NULL, "Limit", "w6", "maxconn; fullconn of backends", col_slim },
	{ NULL, "Total", "w4", "So far", col_stot },
	{ NULL, "LbTot", "w4", "Chosen by balancing", col_lbtot },
	{ NULL, "Last", "w6", "Since the last one", col_last },
	{ "HTTP", "4xx", "w5", "Responses 4xx", col_4xx },
	{ NULL, "5xx", "w6", "Responses 5xx", col_5xx },
	{ "Bytes", "In", "w5", "From clients", col_bin },
	{ NULL, "Out", "w5", "To clients", col_bout },
	{ "Denied", "Req", "w6", "Requests refused by rules", col_dreq },
	{ NULL, "Resp", "w6", "Responses refused by rules", col_dresp },
	{ "Errors", "Req", "w6", "Of clients, before the request was complete", col_ereq },
	{ NULL, "Conn", "w6", "Connections to servers that failed", col_econ },
	{ NULL, "Resp", "w6", "Of servers during the response", col_eresp },
	{ "Warnings", "Retr", "w6", "Connections tried once more", col_wretr },
	{ NULL, "Redis", "w6", "Moved to another server", col_wredis },
	{ "Health", "Chk", "w6", "Failed checks", col_chkfail },
	{ NULL, "Dwn", "w6", "Times that it went down", col_chkdown },
	{ NULL, "Dwntme", "w6", "Time spent down", col_downtime },
	{ NULL, "Thrtle", "w6", "Share of the weight during slowstart", col_throttle },
	{ "Modules", "relay", "w6", "How bytes were forwarded", col_relay },
	{ NULL, "h2", "w6", "Connections and streams of HTTP/2", col_h2 },
};

static unsigned columns_of_group(size_t i)
{
	unsigned n = 1;

	while (i + n < ARRAY_LEN(columns) && !columns[i + n].group)
		n++;
	return n;
}

/* Modules are there with show-modules only. */
static size_t html_columns(const struct html *h)
{
	enum { MODULES = 2 }; /* the last ones */

	return ARRAY_LEN(columns) - (h->req.page->flags & PAGE_MODULES ? 0 : MODULES);
}

void html_say_columns(const struct html *h, struct text *out)
{
	text_str(out, "<thead><tr>");
	for (size_t i = 0; i < html_columns(h); i++)
		if (columns[i].group)
			text_printf(out, "<th colspan=%u>%s", columns_of_group(i),
				    columns[i].group);
	text_str(out, "<tr>");
	for (size_t i = 0; i < html_columns(h); i++) {
		text_printf(out, "<th class=\"%s\" title=\"%s\">",
			    columns[i].class, columns[i].help);
		if (!i && h->form)
			text_str(out, "<input type=checkbox name=s value=\"*\""
				      " title=\"all servers\" aria-label=\"all servers\"> ");
		text_str(out, columns[i].name);
	}
	text_str(out, "\n<tbody>");
}

bool html_say_cell(struct html *h, struct text *out)
{
	if (h->column == html_columns(h))
		return false;
	columns[h->column++].say(h, out);
	return true;
}
