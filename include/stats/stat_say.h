/* SPDX-License-Identifier: BSD-2-Clause */
/* Rows of statistics in the forms that programs read, piece by piece. */
#ifndef STATS_STAT_SAY_H
#define STATS_STAT_SAY_H

#include "stats/stat.h"

enum stat_form { STAT_CSV, STAT_TYPED, STAT_JSON };

/* A walk that is being said. Zeroed but for form, help and the scan at the start. */
struct stat_teller {
	enum stat_form form;
	bool help;    /* STAT_TYPED: with the help of each field */
	bool begun, row_comma, comma, has_row;
	int at;       /* field of the row */
	struct stat_scan scan;
	struct stat_row row;
};

/* The next piece, at most 4 kB; false: that was the last. The caller has called
 * stat_scan_resume when anything else has run since. */
bool stat_say(struct stat_teller *state, struct text *out);
/* The JSON schema of all that show info, show stat and the stats page say, as one piece. */
void stat_say_schema(struct text *out);

#endif
