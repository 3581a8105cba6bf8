/* SPDX-License-Identifier: BSD-2-Clause */
/* Cells of the stats page's tables, and the lines that appear when somebody points at one. */
#include "stats/html_cell.h"

#include "stats/value.h"

void cell_empty(struct text *out)
{
	text_str(out, "<td>");
}

void cell_count(const struct html *h, struct text *out, enum stat_field f)
{
	if (!cell_has(h, f)) {
		cell_empty(out);
		return;
	}
	text_str(out, cell_num(h, f) ? "<td>" : "<td class=z>");
	html_short(out, cell_num(h, f));
}

void cell_limit(const struct html *h, struct text *out, enum stat_field f)
{
	if (!cell_has(h, f) || !cell_num(h, f)) {
		text_str(out, "<td class=z>–");
		return;
	}
	text_str(out, "<td>");
	html_short(out, cell_num(h, f));
}

const char *cell_heat(uint64_t n, uint64_t limit)
{
	if (!limit || n * 5 < limit * 4)
		return "";
	return n < limit ? " hot" : " over";
}

void cell_age(struct text *out, uint64_t seconds)
{
	stats_print_duration(out, seconds * 1000);
}

/* -- lines that appear ----------------------------------------------------------------------- */

void tip_begin(struct text *out, bool left, bool zero, const char *class)
{
	text_printf(out, "<td class=\"t%s%s%s\" tabindex=0>", left ? " l" : "", zero ? " z" : "",
		    class);
}

void tip_open(struct text *out, const char *title)
{
	text_printf(out, "<div><table><caption>%s</caption>", title);
}

void tip_close(struct text *out)
{
	text_str(out, "</table></div>");
}

void tip_num(struct text *out, const char *label, uint64_t n)
{
	text_printf(out, "<tr><th>%s<td>", label);
	html_number(out, n);
}

void tip_field(const struct html *h, struct text *out, const char *label, enum stat_field f)
{
	if (cell_has(h, f))
		tip_num(out, label, cell_num(h, f));
}

void tip_rate(const struct html *h, struct text *out, const char *label, enum stat_field f)
{
	if (!cell_has(h, f))
		return;
	tip_num(out, label, cell_num(h, f));
	text_str(out, "/s");
}

void tip_limit(const struct html *h, struct text *out, const char *label, enum stat_field f)
{
	if (cell_has(h, f) && cell_num(h, f))
		tip_num(out, label, cell_num(h, f));
	else
		tip_text(out, label, "none");
}

void tip_share(struct text *out, const char *label, uint64_t part, uint64_t whole)
{
	tip_num(out, label, part);
	text_printf(out, "<td>%u%%", whole ? (unsigned)(part * 100 / whole) : 0);
}

void tip_text(struct text *out, const char *label, const char *value)
{
	if (!*value)
		return;
	text_printf(out, "<tr><th>%s<td>", label);
	html_text(out, value);
}

void tip_age(const struct html *h, struct text *out, const char *label, enum stat_field f)
{
	if (!cell_has(h, f) || h->row.values[f].num < 0)
		return;
	text_printf(out, "<tr><th>%s<td>", label);
	cell_age(out, cell_num(h, f));
}
