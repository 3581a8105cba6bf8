/* SPDX-License-Identifier: BSD-2-Clause */
/* What stands on the stats page above its tables: who it is, links, the result of a change, six
 * tiles of the process, the states of all servers. */
#include "stats/html.h"

#include "base/clock.h"
#include "base/version.h"
#include "proxy/proxy.h"

#include <string.h>
#include <time.h>

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
	return page->desc ? page->desc : info_conf.description;
}

/* Where scripts run, numbers are brought up to date in place, and nothing is loaded again. */
static void html_say_reload(const struct html *h, struct text *out)
{
	unsigned seconds = (h->req.page->refresh_ms + 999) / 1000;

	if (seconds && !h->req.norefresh)
		text_printf(out, "<noscript><meta http-equiv=refresh content=%u></noscript>",
			    seconds);
}

bool html_say_head(struct html *h, struct text *out)
{
	const char *node = html_node(h);

	text_str(out, "<!DOCTYPE html>\n<html lang=en><meta charset=utf-8>"
		      "<meta name=viewport content=\"width=device-width,initial-scale=1,"
		      "minimum-scale=1\">"
		      "<meta name=robots content=noindex><link rel=icon href=\"data:,\"><title>");
	if (node) {
		html_text(out, node);
		text_str(out, " · ");
	}
	text_str(out, "Penstock statistics</title>");
	html_say_reload(h, out);
	text_printf(out, "\n<style nonce=\"%s\">\n", h->req.nonce);
	return false;
}

static void html_say_clock(struct text *out)
{
	time_t now = clock_wall().tv_sec;
	struct tm tm;
	char text[64];

	strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S %z", localtime_r(&now, &tm));
	text_str(out, text);
}

bool html_say_header(struct html *h, struct text *out)
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
	text_str(out, "<p id=\"+clock\">");
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
	text_printf(out, "<input type=search name=scope maxlength=%d "
			 "placeholder=\"Proxy or server\" aria-label=\"Proxy or server\" "
			 "value=\"", PAGE_SCOPE_MAX);
	html_text(out, h->req.scope);
	text_str(out, "\"><button>Filter</button></form>");
}

bool html_say_nav(struct html *h, struct text *out)
{
	struct page_link here = page_link(&h->req), link = here;

	text_str(out, "<nav>");
	html_say_nav_link(h, out, here, "Refresh now");
	link.trouble = !here.trouble;
	link.state = "";
	html_say_nav_link(h, out, link, here.trouble ? "Show all" : "In trouble");
	link = here;
	link.up = !here.up;
	html_say_nav_link(h, out, link,
			  here.up ? "Show all servers" : "Hide servers that are down");
	if (h->req.page->refresh_ms) {
		link = here;
		link.norefresh = !here.norefresh;
		html_say_nav_link(h, out, link,
				  here.norefresh ? "Refresh by itself" : "Stop refreshing");
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

bool html_say_result(struct html *h, struct text *out)
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

static void tile_begin(struct text *out, const char *name)
{
	text_printf(out, "<div class=t tabindex=0><dt>%s<dd>", name);
}

static void tile_more(struct text *out)
{
	text_str(out, "<div><table>");
}

static void tile_end(struct text *out)
{
	text_str(out, "</table></div></div>");
}

static void tile_line(struct text *out, const char *name, uint64_t n)
{
	text_printf(out, "<tr><th>%s<td>", name);
	html_number(out, n);
}

static void tile_bytes(struct text *out, const char *name, uint64_t n)
{
	text_printf(out, "<tr><th>%s<td>", name);
	html_bytes(out, n);
}

static void tile_bits(struct text *out, uint64_t bytes_a_second)
{
	html_bytes(out, bytes_a_second * 8);
	out->len--; /* bits instead of bytes */
	text_str(out, "bit<small>/s</small>");
}

static void tile_connections(const struct html *h, struct text *out)
{
	uint64_t conns = html_info(h, INFO_CURR_CONNS), max = html_info(h, INFO_MAXCONN);

	tile_begin(out, "Connections");
	html_number(out, conns);
	text_str(out, " <small>limit ");
	html_number(out, max);
	text_printf(out, "</small><meter min=0 max=%llu high=%llu optimum=0 value=%llu></meter>",
		    (unsigned long long)max, (unsigned long long)(max * 8 / 10),
		    (unsigned long long)conns);
	tile_more(out);
	tile_line(out, "New ones a second", html_info(h, INFO_CONN_RATE));
	tile_line(out, "– most", html_info(h, INFO_MAX_CONN_RATE));
	tile_line(out, "So far", html_info(h, INFO_CUM_CONNS));
	tile_line(out, "Limit (maxconn)", max);
	tile_end(out);
}

static void tile_sessions(const struct html *h, struct text *out)
{
	tile_begin(out, "Sessions");
	html_number(out, html_info(h, INFO_SESS_RATE));
	text_str(out, "<small>/s, most ");
	html_number(out, html_info(h, INFO_MAX_SESS_RATE));
	text_str(out, "</small>");
	tile_more(out);
	tile_line(out, "Requests so far", html_info(h, INFO_CUM_REQ));
	tile_line(out, "TLS a second", html_info(h, INFO_SSL_RATE));
	tile_end(out);
}

static void tile_traffic(const struct html *h, struct text *out)
{
	tile_begin(out, "Traffic out");
	tile_bits(out, html_info(h, INFO_BYTES_OUT_RATE));
	tile_more(out);
	tile_bytes(out, "Copied", html_info(h, INFO_BYTES_COPIED));
	tile_bytes(out, "Through pipes", html_info(h, INFO_BYTES_SPLICED));
	tile_line(out, "Pipes in use", html_info(h, INFO_PIPES_USED));
	tile_line(out, "– free", html_info(h, INFO_PIPES_FREE));
	tile_line(out, "– limit", html_info(h, INFO_MAXPIPES));
	tile_end(out);
}

static void tile_idle(const struct html *h, struct text *out)
{
	tile_begin(out, "Idle");
	text_printf(out, "%u %%", (unsigned)html_info(h, INFO_IDLE_PCT));
	tile_more(out);
	tile_line(out, "Tasks", html_info(h, INFO_TASKS));
	tile_line(out, "– ready to run", html_info(h, INFO_RUN_QUEUE));
	tile_end(out);
}

/* Public templates of monitoring systems look for these words in the page, byte by byte. */
static void tile_for_tools(const struct html *h, struct text *out)
{
	text_str(out, "<tr><th>For tools<td>");
	if (!(h->req.page->flags & PAGE_HIDE_VERSION))
		text_printf(out, "HAProxy version %s, released %s<br>", version_for_tools, version_date);
	text_printf(out, "<b>pid = </b> %u (process #%u, nbproc = %u, nbthread = 1)<br>\n",
		    (unsigned)html_info(h, INFO_PID), (unsigned)html_info(h, INFO_PROCESS_NUM),
		    (unsigned)html_info(h, INFO_NBPROC));
	text_printf(out, "<b>uptime = </b> %s<br>\n", h->info.values[INFO_UPTIME].str);
}

static void tile_process(const struct html *h, struct text *out)
{
	tile_begin(out, "Process");
	text_printf(out, "%u<small> #%u of %u</small>", (unsigned)html_info(h, INFO_PID),
		    (unsigned)html_info(h, INFO_PROCESS_NUM), (unsigned)html_info(h, INFO_NBPROC));
	tile_more(out);
	text_printf(out, "<tr><th>Up for<td>%s", h->info.values[INFO_UPTIME].str);
	if (html_info(h, INFO_MEMMAX_MB))
		tile_line(out, "Memory limit, MB", html_info(h, INFO_MEMMAX_MB));
	else
		text_str(out, "<tr><th>Memory limit<td>none");
	tile_for_tools(h, out);
	tile_end(out);
}

static void tile_descriptors(const struct html *h, struct text *out)
{
	tile_begin(out, "Descriptors");
	text_str(out, "<small>limit </small>");
	html_number(out, html_info(h, INFO_ULIMIT_N));
	tile_more(out);
	tile_line(out, "For sockets", html_info(h, INFO_MAXSOCK));
	tile_end(out);
}

bool html_say_process(struct html *h, struct text *out)
{
	static void (*const tiles[])(const struct html *h, struct text *out) = {
		tile_connections, tile_sessions, tile_traffic, tile_idle, tile_process,
		tile_descriptors,
	};

	info_fill(&h->info, false);
	text_str(out, "<dl class=now id=\"+now\">");
	for (size_t i = 0; i < ARRAY_LEN(tiles); i++)
		tiles[i](h, out);
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

/* So many servers are so; the link shows them alone, or all again. */
static void html_say_count(const struct html *h, struct text *out, int state, unsigned count)
{
	struct page_link link = page_link(&h->req);
	bool chosen = !strcmp(h->req.state, html_states[state].class);

	link.trouble = false;
	link.state = chosen ? "" : html_states[state].class;
	text_str(out, "<a href=\"");
	html_say_link(h, out, link);
	text_printf(out, "\"%s title=\"%s\"><b class=%s>%u %s</b></a>",
		    chosen ? " aria-current=true" : "",
		    chosen ? "show all" : "show these alone", html_states[state].class, count,
		    html_states[state].name);
}

/* Of all servers that the page shows, at one time: a few flags each. */
bool html_say_sum(struct html *h, struct text *out)
{
	struct html_sum sum = { .servers = 0 };
	const struct server *s;
	const struct proxy *px;
	char memory[8192];
	struct text down;

	text_init(&down, memory, sizeof(memory));
	list_for_each(px, &proxies_running->list, node)
		if (px->be && !px->set.disabled && html_wants(&h->req, px))
			for (s = px->servers; s; s = s->next)
				html_sum_server(&sum, s, &down);
	if (!sum.servers)
		return false;
	text_str(out, "<div class=sum id=\"+sum\">");
	for (int i = 0; i < HTML_STATES; i++)
		if (sum.states[i])
			html_say_count(h, out, i, sum.states[i]);
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
