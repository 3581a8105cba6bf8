/* SPDX-License-Identifier: BSD-2-Clause */
/* What the cells of the stats page's tables are made of. They are said from the values of the row
 * alone: the object may be gone. */
#ifndef STATS_HTML_CELL_H
#define STATS_HTML_CELL_H

#include "stats/html.h"

#include <string.h>

static inline bool cell_has(const struct html *h, enum stat_field f)
{
	return h->row.values[f].type != STATS_NONE;
}

/* 0 for texts, and where there is no value. */
static inline uint64_t cell_num(const struct html *h, enum stat_field f)
{
	const struct stats_value *v = &h->row.values[f];

	return v->type == STATS_NONE || v->type == STATS_STR ? 0 : v->u64;
}

/* "" for numbers, and where there is no value. */
static inline const char *cell_str(const struct html *h, enum stat_field f)
{
	const struct stats_value *v = &h->row.values[f];

	return v->type == STATS_STR ? v->str : "";
}

static inline bool cell_http(const struct html *h)
{
	return !strcmp(cell_str(h, STAT_mode), "http");
}

/* Whole cells. */
void cell_empty(struct text *out);
/* A number; zero is pale. */
void cell_count(const struct html *h, struct text *out, enum stat_field f);
/* A limit; none is a dash. */
void cell_limit(const struct html *h, struct text *out, enum stat_field f);
/* How near to a limit: " hot" from 80 % on, " over" at the limit, else "". */
const char *cell_heat(uint64_t n, uint64_t limit);
/* Seconds: "4s", "1d2h". */
void cell_age(struct text *out, uint64_t seconds);

/* A cell with more behind it. left: it stands in the left half of the table; zero: pale; class:
 * further ones, with a blank in front, or "". */
void tip_begin(struct text *out, bool left, bool zero, const char *class);
/* The lines that appear. */
void tip_open(struct text *out, const char *title);
void tip_close(struct text *out);
void tip_num(struct text *out, const char *label, uint64_t n);
/* Nothing where there is no value. */
void tip_field(const struct html *h, struct text *out, const char *label, enum stat_field f);
void tip_rate(const struct html *h, struct text *out, const char *label, enum stat_field f);
/* A dash where there is no value. */
void tip_limit(const struct html *h, struct text *out, const char *label, enum stat_field f);
void tip_share(struct text *out, const char *label, uint64_t part, uint64_t whole);
/* Nothing for "". */
void tip_text(struct text *out, const char *label, const char *value);
void tip_age(const struct html *h, struct text *out, const char *label, enum stat_field f);

#endif
