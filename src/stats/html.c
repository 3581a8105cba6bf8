/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The stats page: head, the process, the states of all servers, a table for each proxy, the
 * foot. Called by the service for HTML, piece by piece; it changes nothing. What comes from the
 * configuration or from servers is escaped.
 */
#include "stats/html.h"

#include "base/clock.h"
#include "base/version.h"
#include "net/listener.h"
#include "proxy/proxy.h"

#include <stdio.h>
#include <time.h>

/* -- small things ---------------------------------------------------------------------------- */

static void html_escape(struct text *out, const char *s, size_t max)
{
	for (; *s && max; s++, max--) {
		switch (*s) {
		case '<':
			text_str(out, "&lt;");
			break;
		case '>':
			text_str(out, "&gt;");
			break;
		case '&':
			text_str(out, "&amp;");
			break;
		case '"':
			text_str(out, "&quot;");
			break;
		case '\'':
			text_str(out, "&#39;");
			break;
		default:
			text_char(out, (unsigned char)*s < ' ' || *s == 0x7f ? ' ' : *s);
		}
	}
}

void html_text(struct text *out, const char *s)
{
	html_escape(out, s, STATS_STR_MAX);
}

void html_number(struct text *out, uint64_t n)
{
	char digits[24];
	int len = snprintf(digits, sizeof(digits), "%llu", (unsigned long long)n);
	int first = (len - 1) % 3 + 1;

	text_add(out, digits, (size_t)first);
	for (int i = first; i < len; i += 3)
		text_printf(out, "<i>%.3s</i>", digits + i);
}

void html_bytes(struct text *out, uint64_t n)
{
	static const char *const units[] = { "kB", "MB", "GB", "TB", "PB", "EB" };
	double d = (double)n / 1000;
	size_t unit = 0;

	if (n < 1000) {
		text_printf(out, "%u B", (unsigned)n);
		return;
	}
	while (d >= 999.5 && unit + 1 < ARRAY_LEN(units)) {
		d /= 1000;
		unit++;
	}
	text_printf(out, d < 9.995 ? "%.2f %s" : d < 99.95 ? "%.1f %s" : "%.0f %s", d, units[unit]);
}

static void html_say_link(const struct html *h, struct text *out, struct page_link link)
{
	char memory[PAGE_URI_MAX + 128];
	struct text t;

	text_init(&t, memory, sizeof(memory));
	page_say_link(&h->req, link, &t);
	html_escape(out, memory, t.len);
}

/* -- states ---------------------------------------------------------------------------------- */

const struct html_state_name html_states[HTML_STATES] = {
	[HTML_UP] = { "up", "UP", "up and checked" },
	[HTML_GOING_DOWN] = { "going_down", "UP, going down", "still up, but checks fail" },
	[HTML_GOING_UP] = { "going_up", "DOWN, going up", "still down, but checks succeed" },
	[HTML_DOWN] = { "down", "DOWN", "down" },
	[HTML_NOLB] = { "nolb", "NOLB", "up, but gets no new sessions: the check said so" },
	[HTML_DRAIN] = { "drain", "DRAIN", "up, but gets no new sessions: drained, or weight 0" },
	[HTML_NO_CHECK] = { "no_check", "no check", "in use, and not checked" },
	[HTML_MAINT] = { "maint", "MAINT", "in maintenance" },
	[HTML_OPEN] = { "open", "OPEN", "accepts connections" },
	[HTML_FULL] = { "full_", "FULL", "at its limit: connections wait" },
	[HTML_PAUSED] = { "paused", "PAUSED", "does not accept connections" },
};

static const struct server *html_checked_server(const struct server *s)
{
	while (s->tracked)
		s = s->tracked;
	return s;
}

static enum html_state html_server_state(const struct server *s)
{
	const struct server_state *st = s->state;
	const struct server *checked = html_checked_server(s);
	bool is_checked = (checked->check && !checked->state->check.paused) || s->agent;
	int full = checked->set.rise + checked->set.fall - 1;

	if (st->admin & ADMIN_MAINT)
		return HTML_MAINT;
	if (st->op == SERVER_DOWN)
		return is_checked && checked->state->health > 0 ? HTML_GOING_UP : HTML_DOWN;
	if (st->admin & ADMIN_DRAIN || (!st->user_weight && is_checked))
		return HTML_DRAIN;
	if (st->op == SERVER_STOPPING)
		return HTML_NOLB;
	if (!is_checked)
		return HTML_NO_CHECK;
	return checked->state->health < full ? HTML_GOING_DOWN : HTML_UP;
}

static enum html_state html_row_state(const struct html *h)
{
	const char *status = h->row.values[STAT_status].str;

	switch (h->row.kind) {
	case STAT_SERVER:
		return html_server_state(h->row.server);
	case STAT_BACKEND:
		return strncmp(status, "DOWN", 4) ? HTML_UP : HTML_DOWN;
	default:
		return !strcmp(status, "OPEN") ? HTML_OPEN :
		       !strcmp(status, "FULL") ? HTML_FULL : HTML_PAUSED;
	}
}

/* -- head ------------------------------------------------------------------------------------ */

static const char *html_node(const struct html *h)
{
	const struct stats_page *page = h->req.page;

	if (!(page->flags & PAGE_NODE))
		return NULL;
	return page->node ? page->node : info_node_name();
}

static const char *html_desc(const struct html *h)
{
	const struct stats_page *page = h->req.page;

	if (!(page->flags & PAGE_DESC))
		return NULL;
	return page->desc ? page->desc : info_description;
}

static bool html_say_head(struct html *h, struct text *out)
{
	const char *node = html_node(h);

	text_str(out, "<!DOCTYPE html>\n<html lang=en><meta charset=utf-8>"
		      "<meta name=viewport content=\"width=device-width,initial-scale=1,minimum-scale=1\">"
		      "<meta name=robots content=noindex><link rel=icon href=\"data:,\"><title>");
	if (node) {
		html_text(out, node);
		text_str(out, " · ");
	}
	text_printf(out, "Penstock statistics</title>\n<style nonce=\"%s\">\n", h->req.nonce);
	return false;
}

static bool html_say_sheet(struct html *h, struct text *out)
{
	return html_say_style(out, h->at++);
}

static void html_say_clock(struct text *out)
{
	time_t now = clock_wall().tv_sec;
	struct tm tm;
	char text[64];

	strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S %z", localtime_r(&now, &tm));
	text_str(out, text);
}

static bool html_say_header(struct html *h, struct text *out)
{
	const char *node = html_node(h), *desc = html_desc(h);

	text_str(out, "</style>\n<body>\n<header><h1>Penstock");
	if (!(h->req.page->flags & PAGE_HIDE_VERSION))
		text_printf(out, " <small>%s</small>", version_penstock);
	text_str(out, "</h1><p>");
	if (node) {
		text_str(out, "<b>");
		html_text(out, node);
		text_str(out, desc ? "</b> – " : "</b>");
	}
	if (desc)
		html_text(out, desc);
	text_str(out, "<p>");
	html_say_clock(out);
	text_str(out, "</header>\n");
	return false;
}

/* -- links ----------------------------------------------------------------------------------- */

static void html_say_nav_link(const struct html *h, struct text *out, struct page_link link,
			      const char *name)
{
	text_str(out, "<a href=\"");
	html_say_link(h, out, link);
	text_printf(out, "\">%s</a>", name);
}

/* A form sends the URI without its query, so what stands there becomes hidden fields. */
static void html_say_scope_form(const struct html *h, struct text *out)
{
	struct page_link link = page_link(&h->req);
	char memory[PAGE_URI_MAX + 128], *query, *value;
	struct text t;

	link.scope = false;
	text_init(&t, memory, sizeof(memory));
	page_say_link(&h->req, link, &t);
	query = strchr(memory, '?');
	if (query)
		*query++ = 0;
	text_str(out, "<form action=\"");
	html_escape(out, memory, PAGE_URI_MAX);
	text_str(out, "\">");
	while (query && *query) {
		char *end = query + strcspn(query, "&"), *next = *end ? end + 1 : end;

		*end = 0;
		value = strchr(query, '=');
		if (value)
			*value++ = 0;
		text_str(out, "<input type=hidden name=\"");
		html_text(out, query);
		text_str(out, "\" value=\"");
		html_text(out, value ? value : "");
		text_str(out, "\">");
		query = next;
	}
	text_printf(out, "<input type=search name=scope maxlength=%d placeholder=\"Name of a proxy\" "
			 "aria-label=\"Name of a proxy\" value=\"", PAGE_SCOPE_MAX);
	html_text(out, h->req.scope);
	text_str(out, "\"><button>Filter</button></form>");
}

static bool html_say_nav(struct html *h, struct text *out)
{
	struct page_link here = page_link(&h->req), link = here;

	text_str(out, "<nav>");
	html_say_nav_link(h, out, here, "Refresh now");
	link.up = !here.up;
	html_say_nav_link(h, out, link, here.up ? "Show all servers" : "Hide servers that are down");
	if (h->req.page->refresh_ms) {
		link = here;
		link.norefresh = !here.norefresh;
		html_say_nav_link(h, out, link, here.norefresh ? "Refresh by itself" : "Stop refreshing");
	}
	link = here;
	link.norefresh = h->req.page->refresh_ms != 0;
	link.form = "csv";
	html_say_nav_link(h, out, link, "CSV");
	link.form = "json";
	html_say_nav_link(h, out, link, "JSON");
	html_say_nav_link(h, out, (struct page_link){ .form = "json-schema" }, "Schema");
	html_say_scope_form(h, out);
	text_str(out, "</nav>\n");
	return false;
}

/* -- the result of a change ------------------------------------------------------------------ */

static bool html_say_result(struct html *h, struct text *out)
{
	static const struct {
		const char *code, *class, *text;
	} results[] = {
		{ "DONE", "up", "The servers were changed." },
		{ "NONE", "going_down", "Nothing has changed." },
		{ "PART", "going_down", "Some servers were changed; others are not known here." },
		{ "ERRP", "down",
		  "Nothing was done, because something in the request is wrong:<ul>"
		  "<li>the action is not known, or none was chosen,"
		  "<li>the backend is not known, or this page does not show it,"
		  "<li>no such server is known.</ul>" },
		{ "EXCD", "down",
		  "Nothing was done, because the request is too long. Take fewer servers at a "
		  "time, or all of them." },
		{ "DENY", "down", "<b>That is not allowed.</b>" },
		{ "UNKN", "no_check", "The result is not known." },
	};
	size_t i = 0;

	if (!*h->req.result)
		return false;
	while (i < ARRAY_LEN(results) - 1 && strcmp(results[i].code, h->req.result))
		i++;
	text_printf(out, "<div class=\"note %s\" role=status><a title=\"Remove this message\" "
			 "href=\"", results[i].class);
	html_say_link(h, out, page_link(&h->req));
	text_printf(out, "\">✕</a>%s</div>\n", results[i].text);
	return false;
}

/* -- the process ----------------------------------------------------------------------------- */

static uint64_t html_info(const struct html *h, enum info_field f)
{
	return h->info.values[f].u64;
}

static void html_say_now(struct text *out, const char *name)
{
	text_printf(out, "<div><dt>%s<dd>", name);
}

static void html_say_load(const struct html *h, struct text *out)
{
	uint64_t conns = html_info(h, INFO_CURR_CONNS), max = html_info(h, INFO_MAXCONN);

	html_say_now(out, "Connections");
	html_number(out, conns);
	text_str(out, " <small>of ");
	html_number(out, max);
	text_printf(out, "</small><meter min=0 max=%llu high=%llu optimum=0 value=%llu></meter></div>",
		    (unsigned long long)max, (unsigned long long)(max * 8 / 10),
		    (unsigned long long)conns);
	html_say_now(out, "Connection rate");
	html_number(out, html_info(h, INFO_CONN_RATE));
	text_str(out, "<small>/s, most ");
	html_number(out, html_info(h, INFO_MAX_CONN_RATE));
	text_str(out, "</small></div>");
	html_say_now(out, "Session rate");
	html_number(out, html_info(h, INFO_SESS_RATE));
	text_str(out, "<small>/s, most ");
	html_number(out, html_info(h, INFO_MAX_SESS_RATE));
	text_str(out, "</small></div>");
	html_say_now(out, "Bit rate out");
	html_bytes(out, html_info(h, INFO_BYTES_OUT_RATE) * 8);
	out->len--; /* bits instead of bytes */
	text_str(out, "bit<small>/s</small></div>");
	html_say_now(out, "Idle");
	text_printf(out, "%u %%</div>", (unsigned)html_info(h, INFO_IDLE_PCT));
	html_say_now(out, "Tasks");
	html_number(out, html_info(h, INFO_RUN_QUEUE));
	text_str(out, "<small> running of ");
	html_number(out, html_info(h, INFO_TASKS));
	text_str(out, "</small></div>");
}

static void html_say_totals(const struct html *h, struct text *out)
{
	html_say_now(out, "Connections so far");
	html_number(out, html_info(h, INFO_CUM_CONNS));
	text_str(out, "</div>");
	html_say_now(out, "Requests so far");
	html_number(out, html_info(h, INFO_CUM_REQ));
	text_str(out, "</div>");
	html_say_now(out, "Copied");
	html_bytes(out, html_info(h, INFO_BYTES_COPIED));
	text_str(out, "</div>");
	html_say_now(out, "Spliced");
	html_bytes(out, html_info(h, INFO_BYTES_SPLICED));
	text_str(out, "</div>");
	html_say_now(out, "Pipes");
	text_printf(out, "%u<small> used, %u free of %u</small></div>",
		    (unsigned)html_info(h, INFO_PIPES_USED), (unsigned)html_info(h, INFO_PIPES_FREE),
		    (unsigned)html_info(h, INFO_MAXPIPES));
}

static void html_say_limits(const struct html *h, struct text *out)
{
	html_say_now(out, "Process");
	text_printf(out, "%u<small> #%u/%u, %u thread</small></div>",
		    (unsigned)html_info(h, INFO_PID), (unsigned)html_info(h, INFO_PROCESS_NUM),
		    (unsigned)html_info(h, INFO_NBPROC), (unsigned)html_info(h, INFO_NBTHREAD));
	html_say_now(out, "Up for");
	text_printf(out, "%s</div>", h->info.values[INFO_UPTIME].str);
	html_say_now(out, "Memory limit");
	if (html_info(h, INFO_MEMMAX_MB))
		text_printf(out, "%u MB</div>", (unsigned)html_info(h, INFO_MEMMAX_MB));
	else
		text_str(out, "none</div>");
	html_say_now(out, "Descriptors");
	html_number(out, html_info(h, INFO_MAXSOCK));
	text_str(out, "<small> sockets of ");
	html_number(out, html_info(h, INFO_ULIMIT_N));
	text_str(out, "</small></div>");
}

static bool html_say_process(struct html *h, struct text *out)
{
	info_fill(&h->info, false);
	text_str(out, "<dl class=now>");
	html_say_load(h, out);
	html_say_totals(h, out);
	html_say_limits(h, out);
	text_str(out, "</dl>\n");
	return false;
}

/* -- the states of all servers --------------------------------------------------------------- */

struct html_sum {
	unsigned states[HTML_STATES];
	unsigned servers, named;
};

static void html_sum_server(struct html_sum *sum, const struct server *s, struct text *down)
{
	enum html_state state = html_server_state(s);

	sum->servers++;
	sum->states[state]++;
	if (state != HTML_DOWN || sum->named == HTML_DOWN_MAX)
		return;
	if (sum->named++)
		text_str(down, ", ");
	text_str(down, "<a href=\"#");
	html_text(down, s->proxy->name);
	text_char(down, '/');
	html_text(down, s->id);
	text_str(down, "\">");
	html_text(down, s->proxy->name);
	text_char(down, '/');
	html_text(down, s->id);
	text_str(down, "</a>");
}

/* Of all servers that the page shows, at one time: a few flags each. */
static bool html_say_sum(struct html *h, struct text *out)
{
	struct html_sum sum = { .servers = 0 };
	const struct server *s;
	const struct proxy *px;
	char memory[8192];
	struct text down;

	text_init(&down, memory, sizeof(memory));
	list_for_each(px, &proxies_running->list, node)
		if (px->be && !px->set.disabled && page_shows(&h->req, px))
			for (s = px->servers; s; s = s->next)
				html_sum_server(&sum, s, &down);
	if (!sum.servers)
		return false;
	text_str(out, "<div class=sum>");
	for (int i = 0; i < HTML_STATES; i++)
		if (sum.states[i])
			text_printf(out, "<b class=%s>%u %s</b>", html_states[i].class,
				    sum.states[i], html_states[i].name);
	if (sum.named && !down.cut) {
		text_str(out, "<span>down: ");
		text_add(out, memory, down.len);
		if (sum.states[HTML_DOWN] > sum.named)
			text_printf(out, " and %u more", sum.states[HTML_DOWN] - sum.named);
		text_str(out, "</span>");
	}
	text_str(out, "</div>\n");
	return false;
}

/* -- proxies --------------------------------------------------------------------------------- */

static const char *html_cap(const struct proxy *px)
{
	return px->caps == (PROXY_FRONTEND | PROXY_BACKEND) ? "proxy" :
	       px->caps & PROXY_FRONTEND ? "frontend" : "backend";
}

static void html_say_proxy(struct html *h, struct text *out)
{
	const struct proxy *px = h->row.proxy;

	text_str(out, "<section id=\"");
	html_text(out, px->name);
	text_str(out, "\"><h2><a href=\"#");
	html_text(out, px->name);
	text_str(out, "\">");
	html_text(out, px->name);
	text_printf(out, "</a> <small>%s, %s", html_cap(px),
		    proxy_mode_name(px));
	if (h->req.options & STAT_LEGENDS)
		text_printf(out, ", id %d", px->uuid);
	text_str(out, "</small>");
	if (px->description) {
		text_str(out, "<small>");
		html_text(out, px->description);
		text_str(out, "</small>");
	}
	text_str(out, "</h2>");
}

static void html_say_form(struct html *h, struct text *out)
{
	text_str(out, "<form method=post action=\"");
	html_say_link(h, out, page_link(&h->req));
	text_str(out, "\">");
}

static void html_say_actions(const struct html *h, struct text *out)
{
	static const struct {
		const char *value, *name;
	} actions[] = {
		{ "", "Choose a change …" },
		{ "ready", "State: ready" },
		{ "drain", "State: drain" },
		{ "maint", "State: maintenance" },
		{ "dhlth", "Health checks: disable" },
		{ "ehlth", "Health checks: enable" },
		{ "hrunn", "Health: up" },
		{ "hnolb", "Health: up, no new sessions" },
		{ "hdown", "Health: down" },
		{ "dagent", "Agent checks: disable" },
		{ "eagent", "Agent checks: enable" },
		{ "arunn", "Agent: up" },
		{ "adown", "Agent: down" },
		{ "shutdown", "Shut down sessions" },
	};

	text_printf(out, "<div class=act><input type=hidden name=b value=\"#%d\">With the servers "
			 "that are ticked: <select name=action aria-label=Change>", h->proxy_id);
	for (size_t i = 0; i < ARRAY_LEN(actions); i++)
		text_printf(out, "<option value=\"%s\">%s", actions[i].value, actions[i].name);
	text_str(out, "</select><button>Apply</button></div></form>");
}

static void html_close_proxy(struct html *h, struct text *out)
{
	text_str(out, "</table>");
	if (h->form)
		html_say_actions(h, out);
	text_str(out, "</section>\n");
}

/* The next row, if there is one; what comes in front of it is said first. */
static bool html_take_row(struct html *h, struct text *out)
{
	bool same, had = h->part != HTML_ROW_FIRST;

	if (!stat_next(&h->scan, &h->row)) {
		if (had)
			html_close_proxy(h, out);
		return false;
	}
	same = had && h->row.proxy_id == h->proxy_id;
	if (had && !same)
		html_close_proxy(h, out);
	h->part = same ? HTML_ROW_BEGIN : HTML_ROW_TABLE;
	h->column = 0;
	h->state = html_row_state(h);
	h->backup = h->row.server && h->row.server->set.options.on & SRV_BACKUP;
	if (same)
		return true;
	h->proxy_id = h->row.proxy_id;
	/* Rows are there for changes when the client may make them, and there are servers. */
	h->form = h->req.admin && h->row.proxy->be && h->row.proxy->servers;
	html_say_proxy(h, out);
	return true;
}

static void html_say_table(struct html *h, struct text *out)
{
	if (h->form)
		html_say_form(h, out);
	text_str(out, "<table>");
	html_say_columns(h, out);
}

static void html_begin_row(struct html *h, struct text *out)
{
	text_printf(out, "<tr class=\"%c %s%s\" id=\"", stat_letter(h->row.kind),
		    html_states[h->state].class, h->backup ? " backup" : "");
	html_text(out, h->row.values[STAT_pxname].str);
	text_str(out, h->row.kind == STAT_LISTENER ? "/+" : "/");
	html_text(out, h->row.kind == STAT_FRONTEND ? "Frontend" :
		       h->row.kind == STAT_BACKEND ? "Backend" : h->row.values[STAT_svname].str);
	text_str(out, "\">");
}

static bool html_say_proxies(struct html *h, struct text *out)
{
	switch (h->part) {
	case HTML_ROW_FIRST:
	case HTML_ROW_NEXT:
		return html_take_row(h, out);
	case HTML_ROW_TABLE:
		html_say_table(h, out);
		h->part = HTML_ROW_BEGIN;
		break;
	case HTML_ROW_BEGIN:
		html_begin_row(h, out);
		h->part = HTML_ROW_CELLS;
		break;
	case HTML_ROW_CELLS:
		if (html_say_cell(h, out))
			break;
		text_char(out, '\n');
		h->part = HTML_ROW_NEXT;
		break;
	}
	return true;
}

/* -- foot ------------------------------------------------------------------------------------ */

static bool html_say_foot(struct html *h, struct text *out)
{
	(void)h;
	text_str(out, "<footer><details><summary>What the colours mean</summary><dl>");
	for (int i = 0; i < HTML_STATES; i++)
		text_printf(out, "<dt><b class=%s>%s</b><dd>%s", html_states[i].class,
			    html_states[i].name, html_states[i].help);
	text_str(out, "</dl>A dashed edge marks backup servers. Point at a number, or tap it, to see "
		      "what is behind it.</details></footer>\n");
	return false;
}

/* -- in order -------------------------------------------------------------------------------- */

/* Each says its next piece; false: it has no more. */
static bool (*const stages[])(struct html *h, struct text *out) = {
	html_say_head, html_say_sheet, html_say_header, html_say_nav, html_say_result,
	html_say_process, html_say_sum, html_say_proxies, html_say_foot,
};

void html_init(struct html *h, const struct page_request *req)
{
	*h = (struct html){ .req = *req };
	stat_scan_init(&h->scan);
	h->scan.options = req->options;
	h->scan.wants = page_shows;
	h->scan.arg = &h->req;
}

bool html_say(struct html *h, struct text *out, bool resumed)
{
	if (resumed)
		stat_scan_resume(&h->scan);
	if (h->stage < ARRAY_LEN(stages) && !stages[h->stage](h, out)) {
		h->stage++;
		h->at = 0;
	}
	return h->stage < ARRAY_LEN(stages);
}

void html_say_policy(const struct page_request *req, struct text *out)
{
	text_printf(out, "default-src 'none'; style-src 'nonce-%s'; img-src data:; form-action "
			 "'self'; base-uri 'none'; frame-ancestors '%s'",
		    req->nonce, req->admin ? "none" : "self");
}
