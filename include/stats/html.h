/* SPDX-License-Identifier: BSD-2-Clause */
/* What the files of the stats page share: a page that is being said, and its pieces. */
#ifndef STATS_HTML_H
#define STATS_HTML_H

#include "stats/history.h"
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
	bool together;         /* in the table of all frontends */
	const char *description; /* of the frontend there, or NULL */
	bool has_history;
	struct history history; /* of the row, if it has one */
	struct stat_scan scan;
	union {
		struct stat_row row;
		struct info info;
	};
};

/* Text with what HTML reserves escaped; cut at STATS_STR_MAX bytes. */
void html_text(struct text *out, const char *s);
/* "12<i>345</i>". */
void html_number(struct text *out, uint64_t n);
/* The same, from 100,000 on with three digits and a letter: "1.23M". */
void html_short(struct text *out, uint64_t n);
/* "1.23 GB". */
void html_bytes(struct text *out, uint64_t n);
/* Where a link leads. */
void html_say_link(const struct html *h, struct text *out, struct page_link link);
/* Text of the page's request, escaped; cut at max bytes. */
void html_escape(struct text *out, const char *s, size_t max);

/* What stands above the tables. Each says its next piece; false: it has no more. */
bool html_say_head(struct html *h, struct text *out);
bool html_say_header(struct html *h, struct text *out);
bool html_say_nav(struct html *h, struct text *out);
bool html_say_result(struct html *h, struct text *out);
bool html_say_process(struct html *h, struct text *out);
bool html_say_sum(struct html *h, struct text *out);
/* The script; a whole element. */
void html_say_script(const struct html *h, struct text *out);

/* Does the page tell of this proxy? By what was asked for: its name or that of a server. */
bool html_wants(const struct page_request *req, const struct proxy *px);
/* Does the name hold what was asked for, letters of either case? */
bool html_name_has(const struct page_request *req, const char *name);
/* The cells of a row, one a call, from h->column on; false: there were no more. */
bool html_say_cell(struct html *h, struct text *out);
/* The lines above the columns. */
void html_say_columns(const struct html *h, struct text *out);
/* Columns from h->column on that count; said by html_say_cell. */
struct html_column {
	const char *group; /* NULL: that of the column before */
	const char *name;
	const char *class; /* of its width */
	const char *help;
	void (*say)(struct html *h, struct text *out); /* NULL: the number of field */
	enum stat_field field;
};
extern const struct html_column html_counts[];
extern const size_t html_counts_len;

/* A piece of the style sheet, at = 0, 1, ...; false: no more. */
bool html_say_style(struct text *out, unsigned at);
struct html_state_name {
	const char *class, *name, *help;
};
extern const struct html_state_name html_states[HTML_STATES];
/* By class; -1: there is none. */
int html_state_find(const char *class);
enum html_state html_server_state(const struct server *s);
/* Of the row, just after it was filled. */
enum html_state html_row_state(const struct html *h);
/* Does the row want somebody's attention now? h->state and h->history are set. */
bool html_in_trouble(const struct html *h);

#endif
