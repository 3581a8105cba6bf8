/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The stats page: what stands above (html_top.c), a table of all frontends, a table for each proxy
 * with servers, the foot. Called by the service for HTML, piece by piece; it changes nothing.
 */
#include "stats/html_page.h"

#include "base/version.h"
#include "net/listener.h"
#include "proxy/proxy.h"

/* -- what is shown --------------------------------------------------------------------------- */

/* For the scan: those of the table that is being said. */
static bool html_scan_wants(const void *arg, const struct proxy *px)
{
	const struct html *h = arg;

	return h->together == (px->caps == PROXY_FRONTEND) && html_wants(&h->req, px);
}

static bool html_row_wanted(const struct html *h)
{
	if (*h->req.state && html_state_find(h->req.state) != (int)h->state)
		return false;
	if (h->req.trouble && !html_in_trouble(h))
		return false;
	return !*h->req.scope || html_name_has(&h->req, h->row.proxy->name) ||
	       (h->row.kind == STAT_SERVER && html_name_has(&h->req, h->row.server->id));
}

static void html_take_history(struct html *h)
{
	const struct proxy *px = h->row.proxy;
	const struct history *history = NULL;

	if (h->row.kind == STAT_FRONTEND || (h->row.kind == STAT_BACKEND && !px->fe))
		history = history_of(px);
	h->has_history = history != NULL;
	if (history)
		h->history = *history;
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

/* All frontends that are nothing else share a table. */
static void html_say_frontends_title(struct text *out)
{
	text_str(out, "<section id=\"+frontends\"><h2>Frontends</h2>");
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
	h->state = html_row_state(h);
	html_take_history(h);
	if (!html_row_wanted(h))
		return true;
	same = had && (h->together || h->row.proxy_id == h->proxy_id);
	if (had && !same)
		html_close_proxy(h, out);
	h->part = same ? HTML_ROW_BEGIN : HTML_ROW_TABLE;
	h->column = 0;
	h->description = h->together ? h->row.proxy->description : NULL;
	h->backup = h->row.server && h->row.server->set.options.on & SRV_BACKUP;
	if (same)
		return true;
	h->proxy_id = h->row.proxy_id;
	/* Rows are there for changes when the client may make them, and there are servers. */
	h->form = h->req.admin && h->row.proxy->be && h->row.proxy->servers;
	if (h->together)
		html_say_frontends_title(out);
	else
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

static bool html_say_rows(struct html *h, struct text *out)
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

static void html_scan_begin(struct html *h, bool together)
{
	h->together = together;
	h->part = HTML_ROW_FIRST;
	h->at = 1;
	stat_scan_init(&h->scan);
	h->scan.options = h->req.options;
	h->scan.wants = html_scan_wants;
	h->scan.arg = h;
}

static bool html_say_frontends(struct html *h, struct text *out)
{
	if (!h->at)
		html_scan_begin(h, true);
	return html_say_rows(h, out);
}

static bool html_say_proxies(struct html *h, struct text *out)
{
	if (!h->at)
		html_scan_begin(h, false);
	return html_say_rows(h, out);
}

/* -- foot ------------------------------------------------------------------------------------ */

static bool html_say_foot(struct html *h, struct text *out)
{
	text_str(out, "<footer><details><summary>What the colours mean</summary><dl>");
	for (int i = 0; i < HTML_STATES; i++)
		text_printf(out, "<dt><b class=%s>%s</b><dd>%s", html_states[i].class,
			    html_states[i].name, html_states[i].help);
	text_str(out, "</dl>A dashed edge marks backup servers. Point at a number, or tap it, to "
		      "see what is behind it. Red is what happens now; sums are plain. Curves are "
		      "requests a second over the last five minutes, red bars 5xx responses."
		      "</details></footer>\n");
	html_say_script(h, out);
	return false;
}

/* -- in order -------------------------------------------------------------------------------- */

static bool html_say_sheet(struct html *h, struct text *out)
{
	return html_say_style(out, h->at++);
}

/* Each says its next piece; false: it has no more. */
static bool (*const stages[])(struct html *h, struct text *out) = {
	html_say_head, html_say_sheet, html_say_header, html_say_nav, html_say_result,
	html_say_process, html_say_sum, html_say_frontends, html_say_proxies, html_say_foot,
};

void html_init(struct html *h, const struct page_request *req)
{
	*h = (struct html){ .req = *req };
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
	text_printf(out, "default-src 'none'; style-src 'nonce-%s'; script-src 'nonce-%s'; "
			 "connect-src 'self'; img-src data:; form-action 'self'; base-uri 'none'; "
			 "frame-ancestors '%s'",
		    req->nonce, req->nonce, req->admin ? "none" : "self");
}
