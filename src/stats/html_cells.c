/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The tables of the stats page: columns are rows of a table here and in html_counts.c; each says
 * the cell of an object and, where there is more to know, the lines that appear when somebody
 * points at it. Called by html.c, one cell a call.
 */
#include "stats/html_cell.h"

#include "base/bug.h"
#include "proxy/proxy.h"

#include <stdio.h>

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

static void name_id(const struct html *h, struct text *out)
{
	text_str(out, "<span id=\"");
	html_text(out, cell_str(h, STAT_pxname));
	text_str(out, "\"></span>");
}

static void name_role(const struct html *h, struct text *out)
{
	if (h->backup)
		text_str(out, " <small>backup</small>");
	else if (h->row.kind == STAT_LISTENER)
		text_str(out, " <small>listener</small>");
	else if (h->together)
		text_printf(out, " <small>%s</small>", cell_str(h, STAT_mode));
	if (h->description && h->row.kind == STAT_FRONTEND) {
		text_str(out, " <small>");
		html_text(out, h->description);
		text_str(out, "</small>");
	}
}

static void col_name(struct html *h, struct text *out)
{
	bool legend = h->req.options & STAT_LEGENDS &&
		      (h->row.kind != STAT_FRONTEND || h->together);

	text_printf(out, "<th scope=row%s>", legend ? " class=\"t l\" tabindex=0" : "");
	if (h->form && h->row.kind == STAT_SERVER)
		name_box(h, out);
	/* In the table of all frontends the name of the section leads there. */
	if (h->together && h->row.kind == STAT_FRONTEND)
		name_id(h, out);
	text_str(out, "<a href=\"#");
	html_text(out, cell_str(h, STAT_pxname));
	text_char(out, '/');
	if (h->row.kind == STAT_LISTENER)
		text_char(out, '+');
	html_text(out, cell_kind(h));
	text_str(out, "\">");
	html_text(out, h->together && h->row.kind == STAT_FRONTEND ? cell_str(h, STAT_pxname) :
		       cell_kind(h));
	text_str(out, "</a>");
	name_role(h, out);
	if (legend)
		name_legend(h, out);
}

/* Of a backend: how many servers can be used, and how many of them are spare. */
static void status_usable(const struct html *h, struct text *out)
{
	uint64_t active = cell_num(h, STAT_act), backup = cell_num(h, STAT_bck);

	text_printf(out, " <small>%llu", (unsigned long long)active);
	if (backup)
		text_printf(out, "+%llu", (unsigned long long)backup);
	text_str(out, "</small>");
	if (h->row.proxy->state->unpublished)
		text_str(out, " <small title=\"rules pass over it\">unpublished</small>");
}

static void col_status(struct html *h, struct text *out)
{
	bool backend = h->row.kind == STAT_BACKEND;

	text_printf(out, "<td class=\"%ss\"%s><b title=\"%s\">", backend ? "t l " : "",
		    backend ? " tabindex=0" : "", html_states[h->state].help);
	html_text(out, cell_str(h, STAT_status));
	text_str(out, "</b>");
	if (backend) {
		status_usable(h, out);
	} else if (cell_has(h, STAT_lastchg)) {
		text_str(out, " <small>");
		cell_age(out, cell_num(h, STAT_lastchg));
		text_str(out, "</small>");
	}
	if (!backend)
		return;
	tip_open(out, "State");
	tip_field(h, out, "Active servers that can be used", STAT_act);
	tip_field(h, out, "Backup servers that can be used", STAT_bck);
	tip_age(h, out, "So for", STAT_lastchg);
	tip_close(out);
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
	if (cell_has(h, STAT_throttle)) {
		tip_begin(out, true, false, " hot");
		html_number(out, cell_num(h, STAT_weight));
		tip_open(out, "Slow start");
		text_printf(out, "<tr><th>Share of the weight<td>%u%%",
			    (unsigned)cell_num(h, STAT_throttle));
		tip_num(out, "Weight as set", cell_num(h, STAT_uweight));
		tip_close(out);
		return;
	}
	text_str(out, "<td>");
	html_number(out, cell_num(h, STAT_weight));
	if (cell_num(h, STAT_weight) == cell_num(h, STAT_uweight))
		return;
	text_str(out, "<small>/");
	html_number(out, cell_num(h, STAT_uweight));
	text_str(out, "</small>");
}

/* -- the table ------------------------------------------------------------------------------- */

static const struct html_column first[] = {
	{ "", "Name", "w1 s", "Name of the object", .say = col_name },
	{ "State", "Status", "w2 s", "State, and since when; of backends: how many servers can be "
	  "used", .say = col_status },
	{ NULL, "Last check", "w3 s", "Result of the last health check", .say = col_check },
	{ NULL, "Weight", "w5", "Weight in force / as set, if they differ", .say = col_weight },
};

static const struct html_column *html_column_at(size_t i)
{
	return i < ARRAY_LEN(first) ? &first[i] : &html_counts[i - ARRAY_LEN(first)];
}

/* Modules are there with show-modules only. */
static size_t html_columns(const struct html *h)
{
	enum { MODULES = 2 }; /* the last ones */
	size_t all = ARRAY_LEN(first) + html_counts_len;

	return all - (h->req.page->flags & PAGE_MODULES ? 0 : MODULES);
}

static unsigned columns_of_group(const struct html *h, size_t i)
{
	unsigned n = 1;

	while (i + n < html_columns(h) && !html_column_at(i + n)->group)
		n++;
	return n;
}

void html_say_columns(const struct html *h, struct text *out)
{
	text_str(out, "<colgroup>");
	for (size_t i = 0; i < html_columns(h); i++)
		text_printf(out, "<col class=\"%s\">", html_column_at(i)->class);
	text_str(out, "<thead><tr>");
	for (size_t i = 0; i < html_columns(h); i++)
		if (html_column_at(i)->group)
			text_printf(out, "<th colspan=%u>%s", columns_of_group(h, i),
				    html_column_at(i)->group);
	text_str(out, "<tr>");
	for (size_t i = 0; i < html_columns(h); i++) {
		const struct html_column *column = html_column_at(i);

		text_printf(out, "<th class=\"%s\" title=\"%s\">", column->class, column->help);
		if (!i && h->form)
			text_str(out, "<input type=checkbox name=s value=\"*\""
				      " title=\"all servers\" aria-label=\"all servers\"> ");
		text_str(out, column->name);
	}
	text_str(out, "\n<tbody>");
}

bool html_say_cell(struct html *h, struct text *out)
{
	const struct html_column *column;

	if (h->column == html_columns(h))
		return false;
	column = html_column_at(h->column++);
	if (column->say)
		column->say(h, out);
	else
		cell_count(h, out, column->field);
	return true;
}
