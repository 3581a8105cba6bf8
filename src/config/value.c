/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads times and sizes. Called by the stock setters, by parsers and by commands. */
#include "config/value.h"

#include <string.h>

static enum value_result value_digits(const char *s, uint64_t *n, const char **end)
{
	uint64_t v = 0;

	if (*s < '0' || *s > '9')
		return VALUE_NONE;
	for (; *s >= '0' && *s <= '9'; s++)
		if (__builtin_mul_overflow(v, 10u, &v) ||
		    __builtin_add_overflow(v, (uint64_t)(*s - '0'), &v))
			return VALUE_OVERFLOW;
	*n = v;
	*end = s;
	return VALUE_OK;
}

static uint64_t time_factor(const char *unit, char bare)
{
	static const struct {
		const char *name;
		char bare;
		uint64_t us;
	} units[] = {
		{ "us", 'u', 1 },
		{ "ms", 'm', 1000 },
		{ "s", 's', 1000000 },
		{ "m", 'M', 60 * 1000000ull },
		{ "h", 'h', 3600 * 1000000ull },
		{ "d", 'd', 86400 * 1000000ull },
	};
	unsigned i;

	for (i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (*unit ? strcmp(unit, units[i].name) == 0 : bare == units[i].bare)
			return units[i].us;
	return 0;
}

enum value_result value_time(const char *s, char unit, uint64_t *us, const char **bad)
{
	enum value_result rc;
	uint64_t n, factor;
	const char *end;

	rc = value_digits(s, &n, &end);
	if (rc != VALUE_OK)
		return rc;
	if (bad)
		*bad = end;
	factor = time_factor(end, unit);
	if (!factor)
		return VALUE_UNIT;
	return __builtin_mul_overflow(n, factor, us) ? VALUE_OVERFLOW : VALUE_OK;
}

enum value_result value_size(const char *s, uint64_t *bytes, const char **bad)
{
	static const char suffixes[] = "kKmMgG";
	enum value_result rc;
	const char *end, *suffix;
	uint64_t n;

	rc = value_digits(s, &n, &end);
	if (rc != VALUE_OK)
		return rc;
	if (bad)
		*bad = end;
	if (!*end) {
		*bytes = n;
		return VALUE_OK;
	}
	suffix = strchr(suffixes, *end);
	if (!suffix || end[1])
		return VALUE_UNIT;
	n = __builtin_mul_overflow(n, 1ull << (10 * ((suffix - suffixes) / 2 + 1)), bytes);
	return n ? VALUE_OVERFLOW : VALUE_OK;
}
