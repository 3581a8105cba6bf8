/* SPDX-License-Identifier: BSD-2-Clause */
/* Numbers, times and sizes of a statement: read, or reported with what was probably meant. */
#include "config/config.h"

#include "base/str.h"
#include "config/cure.h"
#include "config/reader.h"
#include "config/value.h"

#include <limits.h>
#include <string.h>

enum { DOUBTFUL_MS = 100 }; /* below it a bare number was hardly meant as milliseconds */

int stmt_int(struct statement *st, const char *what, int64_t min, int64_t max, int64_t *value)
{
	const char *word = statement_next(st);

	if (!word)
		return stmt_error(st, st->at, "%s needs a number from %lld to %lld", what,
				  (long long)min, (long long)max);
	if (str_to_int(word, min, max, value))
		return 0;
	stmt_error(st, st->at - 1, "%s must be a number from %lld to %lld, not '%s'", what,
		   (long long)min, (long long)max, word);
	cure_number(st, st->at - 1);
	return -1;
}

int stmt_duration(struct statement *st, const char *what, char unit, unsigned *ms)
{
	const char *word = statement_next(st), *bad;
	uint64_t us;

	if (!word)
		return stmt_error(st, st->at, "%s needs a time such as 500ms, 30s or 5m", what);
	switch (value_time(word, unit, &us, &bad)) {
	case VALUE_OK:
		break;
	case VALUE_NONE:
		stmt_error(st, st->at - 1, "%s must be a time such as 500ms, 30s or 5m, not '%s'",
			   what, word);
		cure_time(st, st->at - 1);
		return -1;
	case VALUE_UNIT:
		stmt_error(st, st->at - 1,
			   "%s: '%s' is no unit of time; there are us, ms, s, m, h, d", what, bad);
		cure_time(st, st->at - 1);
		return -1;
	case VALUE_OVERFLOW:
		us = UINT64_MAX;
		break;
	}
	/* Timers compare signed 32-bit differences of milliseconds: 24.8 days. */
	us = us / 1000 + (us % 1000 != 0);
	if (us > INT_MAX)
		return stmt_error(st, st->at - 1, "%s: '%s' is more than 2147483647ms (24.8 days)",
				  what, word);
	*ms = (unsigned)us;
	if (*ms && *ms < DOUBTFUL_MS && unit == 'm' && strspn(word, "0123456789") == strlen(word))
		stmt_note(st, st->at - 1, "%s: '%s' without a unit is %u ms", what, word, *ms);
	return 0;
}

int stmt_size(struct statement *st, const char *what, size_t *bytes)
{
	const char *word = statement_next(st), *bad;
	uint64_t n;

	if (!word)
		return stmt_error(st, st->at, "%s needs a size such as 16384, 64k or 1m", what);
	switch (value_size(word, &n, &bad)) {
	case VALUE_OK:
		break;
	case VALUE_NONE:
		stmt_error(st, st->at - 1, "%s must be a size such as 16384, 64k or 1m, not '%s'",
			   what, word);
		cure_size(st, st->at - 1);
		return -1;
	case VALUE_UNIT:
		stmt_error(st, st->at - 1, "%s: '%s' is no unit of size; there are k, m, g", what,
			   bad);
		cure_size(st, st->at - 1);
		return -1;
	case VALUE_OVERFLOW:
		n = UINT64_MAX;
		break;
	}
	if (n > SSIZE_MAX)
		return stmt_error(st, st->at - 1, "%s: '%s' is too large", what, word);
	*bytes = (size_t)n;
	return 0;
}
