/* SPDX-License-Identifier: BSD-2-Clause */
/* Texts, numbers and links as the stats page says them. What comes from the configuration or from
 * servers is escaped. */
#include "stats/html.h"

#include "base/bug.h"

#include <stdio.h>

void html_escape(struct text *out, const char *s, size_t max)
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

void html_short(struct text *out, uint64_t n)
{
	static const char units[] = "kMGTPE";
	double d = (double)n / 1000;
	size_t unit = 0;

	if (n < 100000) {
		html_number(out, n);
		return;
	}
	while (d >= 999.5 && units[unit + 1]) {
		d /= 1000;
		unit++;
	}
	text_printf(out, d < 9.995 ? "%.2f%c" : d < 99.95 ? "%.1f%c" : "%.0f%c", d, units[unit]);
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

void html_say_link(const struct html *h, struct text *out, struct page_link link)
{
	char memory[PAGE_URI_MAX + 128];
	struct text t;

	text_init(&t, memory, sizeof(memory));
	page_say_link(&h->req, link, &t);
	html_escape(out, memory, t.len);
}
