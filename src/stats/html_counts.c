/* SPDX-License-Identifier: BSD-2-Clause */
/* Columns of the stats page's tables that count something. Red is what happens now; what has
 * happened is a plain number. */
#include "stats/html_cell.h"

#include "base/bug.h"

/* -- queue and rates ------------------------------------------------------------------------- */

static void col_qcur(struct html *h, struct text *out)
{
	uint64_t now = cell_num(h, STAT_qcur);

	if (!cell_has(h, STAT_qcur)) {
		cell_empty(out);
		return;
	}
	tip_begin(out, true, !now, now ? " bad" : "");
	html_short(out, now);
	tip_open(out, "Waiting");
	tip_field(h, out, "Now", STAT_qcur);
	tip_field(h, out, "Most", STAT_qmax);
	if (h->row.kind == STAT_SERVER)
		tip_limit(h, out, "Limit (maxqueue)", STAT_qlimit);
	tip_close(out);
}

static void col_rate(struct html *h, struct text *out)
{
	uint64_t now = cell_num(h, STAT_rate);

	if (h->row.kind != STAT_FRONTEND) {
		cell_count(h, out, STAT_rate);
		return;
	}
	tip_begin(out, true, !now, cell_heat(now, cell_num(h, STAT_rate_lim)));
	html_short(out, now);
	tip_open(out, "Over the last second");
	tip_rate(h, out, "Connections", STAT_conn_rate);
	tip_rate(h, out, "Sessions", STAT_rate);
	if (cell_http(h))
		tip_rate(h, out, "Requests", STAT_req_rate);
	tip_limit(h, out, "Limit (rate-limit sessions)", STAT_rate_lim);
	tip_close(out);
}

static void col_rate_max(struct html *h, struct text *out)
{
	if (h->row.kind != STAT_FRONTEND) {
		cell_count(h, out, STAT_rate_max);
		return;
	}
	tip_begin(out, true, !cell_num(h, STAT_rate_max), "");
	html_short(out, cell_num(h, STAT_rate_max));
	tip_open(out, "Most in a second");
	tip_rate(h, out, "Connections", STAT_conn_rate_max);
	tip_rate(h, out, "Sessions", STAT_rate_max);
	if (cell_http(h))
		tip_rate(h, out, "Requests", STAT_req_rate_max);
	tip_close(out);
}

static void col_curve(struct html *h, struct text *out)
{
	cell_empty(out);
	if (h->has_history)
		history_say(&h->history, cell_http(h) ? "Requests" : "Sessions", out);
}

/* -- sessions -------------------------------------------------------------------------------- */

static void tip_connections(const struct html *h, struct text *out)
{
	tip_open(out, "Connections to the server");
	tip_field(h, out, "Active", STAT_scur);
	tip_field(h, out, "Used", STAT_used_conn_cur);
	tip_field(h, out, "Idle", STAT_srv_icur);
	tip_field(h, out, "– used once", STAT_idle_conn_cur);
	tip_field(h, out, "– used more than once", STAT_safe_conn_cur);
	tip_field(h, out, "Needed, estimated", STAT_need_conn_est);
	tip_limit(h, out, "Limit of active ones (maxconn)", STAT_slim);
	tip_limit(h, out, "Limit of idle ones", STAT_src_ilim);
	tip_close(out);
}

/* fullconn of a backend is no limit: it is where dynamic limits of its servers are reached. */
static void col_scur(struct html *h, struct text *out)
{
	uint64_t now = cell_num(h, STAT_scur);
	bool limited = h->row.kind != STAT_BACKEND;

	tip_begin(out, true, !now, cell_heat(now, limited ? cell_num(h, STAT_slim) : 0));
	html_short(out, now);
	if (h->row.kind == STAT_SERVER) {
		tip_connections(h, out);
		return;
	}
	tip_open(out, "Sessions");
	tip_field(h, out, "Now", STAT_scur);
	tip_field(h, out, "Most at a time", STAT_smax);
	tip_limit(h, out, limited ? "Limit (maxconn)" : "Full load (fullconn)", STAT_slim);
	tip_close(out);
}

static void col_slim(struct html *h, struct text *out)
{
	if (h->row.kind == STAT_BACKEND)
		cell_empty(out);
	else
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
	tip_begin(out, false, !cell_num(h, STAT_stot), "");
	html_short(out, cell_num(h, STAT_stot));
	tip_open(out, "So far");
	tip_field(h, out, "Connections", STAT_conn_tot);
	tip_field(h, out, "Sessions", STAT_stot);
	tip_field(h, out, "Chosen by balancing", STAT_lbtot);
	tip_age(h, out, "Since the last one", STAT_lastsess);
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

/* -- HTTP, bytes ----------------------------------------------------------------------------- */

/* Red while there are some: within the last minute, where that is known. */
static void col_5xx(struct html *h, struct text *out)
{
	if (!h->has_history || !cell_http(h) || !history_fails(&h->history)) {
		cell_count(h, out, STAT_hrsp_5xx);
		return;
	}
	text_str(out, "<td class=bad title=\"some within the last minute\">");
	html_short(out, cell_num(h, STAT_hrsp_5xx));
}

static void col_bin(struct html *h, struct text *out)
{
	tip_begin(out, false, !cell_num(h, STAT_bin), "");
	html_bytes(out, cell_num(h, STAT_bin));
	tip_open(out, "From clients");
	tip_field(h, out, "Bytes", STAT_bin);
	tip_close(out);
}

static void col_bout(struct html *h, struct text *out)
{
	uint64_t in = cell_num(h, STAT_comp_in), to = cell_num(h, STAT_comp_out);
	uint64_t saved = in > to ? in - to : 0, sent = cell_num(h, STAT_bout);

	tip_begin(out, false, !sent, "");
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

/* -- denials, errors, retries ---------------------------------------------------------------- */

static void col_denied(struct html *h, struct text *out)
{
	uint64_t all = cell_num(h, STAT_dreq) + cell_num(h, STAT_dresp) + cell_num(h, STAT_dcon) +
		       cell_num(h, STAT_dses);

	if (!cell_has(h, STAT_dreq) && !cell_has(h, STAT_dresp)) {
		cell_empty(out);
		return;
	}
	tip_begin(out, false, !all, "");
	html_short(out, all);
	tip_open(out, "Refused by rules");
	tip_field(h, out, "Connections", STAT_dcon);
	tip_field(h, out, "Sessions", STAT_dses);
	tip_field(h, out, "Requests", STAT_dreq);
	tip_field(h, out, "Responses", STAT_dresp);
	tip_close(out);
}

static void col_eresp(struct html *h, struct text *out)
{
	if (!cell_has(h, STAT_eresp)) {
		cell_empty(out);
		return;
	}
	tip_begin(out, false, !cell_num(h, STAT_eresp), "");
	html_short(out, cell_num(h, STAT_eresp));
	tip_open(out, "Broken off during transfers");
	tip_field(h, out, "By clients", STAT_cli_abrt);
	tip_field(h, out, "By servers", STAT_srv_abrt);
	tip_close(out);
}

/* -- health ---------------------------------------------------------------------------------- */

static void col_chkfail(struct html *h, struct text *out)
{
	if (!cell_has(h, STAT_chkfail)) {
		cell_empty(out);
		return;
	}
	tip_begin(out, false, !cell_num(h, STAT_chkfail) && !cell_num(h, STAT_hanafail), "");
	html_short(out, cell_num(h, STAT_chkfail) + cell_num(h, STAT_hanafail));
	tip_open(out, "Failed");
	tip_field(h, out, "Health checks", STAT_chkfail);
	tip_field(h, out, "Seen in the traffic", STAT_hanafail);
	tip_close(out);
}

static void col_downtime(struct html *h, struct text *out)
{
	if (!cell_has(h, STAT_downtime)) {
		cell_empty(out);
		return;
	}
	text_str(out, cell_num(h, STAT_downtime) ? "<td>" : "<td class=z>");
	cell_age(out, cell_num(h, STAT_downtime));
}

/* -- modules --------------------------------------------------------------------------------- */

static void col_relay(struct html *h, struct text *out)
{
	uint64_t all = cell_num(h, STAT_bin) + cell_num(h, STAT_bout);

	tip_begin(out, false, !h->row.spliced, "");
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
	tip_begin(out, false, !cell_h2(h), "");
	text_str(out, "h2");
	tip_open(out, "HTTP/2");
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		tip_field(h, out, rows[i].label, rows[i].field);
	tip_close(out);
}

/* -- the columns ----------------------------------------------------------------------------- */

const struct html_column html_counts[] = {
	{ "Queue", "Now", "w6", "Waiting now", .say = col_qcur },
	{ NULL, "Most", "w6", "Most that waited", .field = STAT_qmax },
	{ "Sessions a second", "Now", "w6", "Sessions over the last second", .say = col_rate },
	{ NULL, "Most", "w5", "Most in a second", .say = col_rate_max },
	{ NULL, "5 min", "w7", "Requests a second over the last five minutes; red: 5xx",
	  .say = col_curve },
	{ "Sessions", "Now", "w5", "Now", .say = col_scur },
	{ NULL, "Most", "w5", "Most at a time", .field = STAT_smax },
	{ NULL, "Limit", "w5", "maxconn: others wait", .say = col_slim },
	{ NULL, "Total", "w4", "So far", .say = col_stot },
	{ "HTTP", "4xx", "w5", "Responses 4xx", .field = STAT_hrsp_4xx },
	{ NULL, "5xx", "w5", "Responses 5xx", .say = col_5xx },
	{ "Bytes", "In", "w4", "From clients", .say = col_bin },
	{ NULL, "Out", "w4", "To clients", .say = col_bout },
	{ "Rules", "Deny", "w5", "Refused by rules", .say = col_denied },
	{ "Errors", "Req", "w6", "Of clients, before the request was complete",
	  .field = STAT_ereq },
	{ NULL, "Conn", "w6", "Connections to servers that failed", .field = STAT_econ },
	{ NULL, "Resp", "w6", "Of servers during the response", .say = col_eresp },
	{ "Again", "Retry", "w6", "Connections tried once more", .field = STAT_wretr },
	{ NULL, "Move", "w6", "Moved to another server", .field = STAT_wredis },
	{ "Checks", "Fail", "w6", "Failed checks", .say = col_chkfail },
	{ NULL, "Down", "w6", "Times that it went down", .field = STAT_chkdown },
	{ NULL, "Time", "w5", "Time spent down", .say = col_downtime },
	{ "Modules", "relay", "w5", "How bytes were forwarded", .say = col_relay },
	{ NULL, "h2", "w5", "Connections and streams of HTTP/2", .say = col_h2 },
};

const size_t html_counts_len = ARRAY_LEN(html_counts);
