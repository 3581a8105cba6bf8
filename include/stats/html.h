/* SPDX-License-Identifier: BSD-2-Clause */
/* The stats page as HTML, piece by piece. No script, nothing from elsewhere. */
#ifndef STATS_HTML_H
#define STATS_HTML_H

#include "stats/info.h"
#include "stats/page.h"

/* How an object is, as the page shows it: html_states has names and explanations. */
enum html_state { HTML_UP, HTML_GOING_DOWN, HTML_GOING_UP, HTML_DOWN, HTML_NOLB, HTML_DRAIN,
		  HTML_NO_CHECK, HTML_MAINT, HTML_OPEN, HTML_FULL, HTML_PAUSED, HTML_STATES };

enum { HTML_DOWN_MAX = 12 }; /* servers that are down, named on top */

/* A page that is being said. */
struct html {
	struct page_request req;
	/* How far it has come: */
	unsigned stage;    /* row of the table of stages */
	unsigned at;       /* within it */
	enum { HTML_ROW_FIRST, HTML_ROW_NEXT, HTML_ROW_TABLE, HTML_ROW_BEGIN, HTML_ROW_CELLS } part;
	bool form;         /* in a form for changes */
	unsigned column;
	int proxy_id;
	enum html_state state; /* of the row */
	bool backup;
	struct stat_scan scan;
	union {
		struct stat_row row;
		struct info info;
	};
};

/* The page that was asked for, from its begin; req is copied. */
void html_init(struct html *h, const struct page_request *req);
/* The next piece; false: it was the last. resumed: something else has run since. */
bool html_say(struct html *h, struct text *out, bool resumed);
/* The security policy that the page works under: the value of Content-Security-Policy. */
void html_say_policy(const struct page_request *req, struct text *out);

/* For the files of the page. */

/* Text with what HTML reserves escaped; cut at STATS_STR_MAX bytes. */
void html_text(struct text *out, const char *s);
/* "12<i>345</i>". */
void html_number(struct text *out, uint64_t n);
/* "1.23 GB". */
void html_bytes(struct text *out, uint64_t n);
/* The cells of a row, one a call, from h->column on; false: there were no more. */
bool html_say_cell(struct html *h, struct text *out);
/* The lines above the columns. */
void html_say_columns(const struct html *h, struct text *out);
/* A piece of the style sheet, at = 0, 1, ...; false: no more. */
bool html_say_style(struct text *out, unsigned at);
struct html_state_name {
	const char *class, *name, *help;
};
extern const struct html_state_name html_states[HTML_STATES];

#endif
