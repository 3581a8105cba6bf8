/* SPDX-License-Identifier: BSD-2-Clause */
/* A limit of bandwidth that streams share, in all processes: the entry of a stick table has the
 * bytes of all of them, as a rate. Used by limit.c alone. */
#ifndef FILTER_LIMIT_SHARE_H
#define FILTER_LIMIT_SHARE_H

#include "stick/table.h"

struct stick_line;

struct limit_share {
	struct stick_table *table;
	struct stick_entry *entry; /* pinned; NULL: nothing is shared */
	uint32_t hold;             /* stick_hold */
	enum stick_data what;      /* bytes_in_rate or bytes_out_rate */
	double bytes, period_ms;   /* the limit */
	uint64_t since_ms;         /* clock_now_ms of its begin */
	/* What this stream has had: in the period that began then, and in the one before. */
	uint64_t begin_ms, now, before;
};

/* Fills in *share. False: the table has no room. */
bool limit_share_begin(struct limit_share *share, const struct stick_line *line,
		       enum stick_data what, size_t bytes, struct span key);
/* Nothing is shared any more. */
void limit_share_end(struct limit_share *share);
/* Have all streams together had what they may have, and this one its part of it? It waits then. */
bool limit_share_full(struct limit_share *share);
/* What this stream may have, in bytes a ms, above 0. */
double limit_share_rate(struct limit_share *share);
/* It has had so many more. */
void limit_share_passed(struct limit_share *share, uint64_t bytes);

#endif
