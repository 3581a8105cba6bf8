/* SPDX-License-Identifier: BSD-2-Clause */
/* Dates as HTTP writes them (RFC 9110, 5.6.7), as functions of core. The name of the day says
 * nothing new, so it is only known to be one; what stands behind the date is not looked at, and a
 * day that a month does not have is one of the next month: as in the reference. */
#include "lua/classes.h"

#include <stdbool.h>
#include <string.h>
#include <time.h>

#include <lauxlib.h>

static const char days[] = "SunMonTueWedThuFriSat";
static const char months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
static const char *const long_days[] = { "Sunday", "Monday", "Tuesday", "Wednesday", "Thursday",
					 "Friday", "Saturday" };

/* Each of these reads at *at and moves it on. */

static bool take_text(const char **at, const char *text)
{
	size_t len = strlen(text);

	if (strncmp(*at, text, len))
		return false;
	*at += len;
	return true;
}

/* One of the names of three letters: which. */
static bool take_name(const char **at, const char *names, int *which)
{
	const char *n;

	for (n = names; *n; n += 3)
		if (!strncmp(*at, n, 3)) {
			*which = (int)(n - names) / 3;
			*at += 3;
			return true;
		}
	return false;
}

static bool take_long_day(const char **at)
{
	unsigned i;

	for (i = 0; i < sizeof(long_days) / sizeof(*long_days); i++)
		if (take_text(at, long_days[i]))
			return true;
	return false;
}

static bool take_digits(const char **at, unsigned count, int *number)
{
	for (*number = 0; count; count--, ++*at) {
		if (**at < '0' || **at > '9')
			return false;
		*number = *number * 10 + (**at - '0');
	}
	return true;
}

static bool take_time(const char **at, struct tm *tm)
{
	return take_digits(at, 2, &tm->tm_hour) && take_text(at, ":") &&
	       take_digits(at, 2, &tm->tm_min) && take_text(at, ":") &&
	       take_digits(at, 2, &tm->tm_sec);
}

static bool take_year(const char **at, struct tm *tm)
{
	if (!take_digits(at, 4, &tm->tm_year))
		return false;
	tm->tm_year -= 1900;
	return true;
}

/* Two digits stand for the years from 1969 on; some write four. */
static bool take_short_year(const char **at, struct tm *tm)
{
	const char *whole = *at;

	if (take_year(&whole, tm)) {
		*at = whole;
		return true;
	}
	if (!take_digits(at, 2, &tm->tm_year))
		return false;
	if (tm->tm_year < 69)
		tm->tm_year += 100;
	return true;
}

/* "Sun, 06 Nov 1994 08:49:37 GMT" */
static bool read_imf(const char *at, struct tm *tm)
{
	return take_name(&at, days, &tm->tm_wday) && take_text(&at, ", ") &&
	       take_digits(&at, 2, &tm->tm_mday) && take_text(&at, " ") &&
	       take_name(&at, months, &tm->tm_mon) && take_text(&at, " ") && take_year(&at, tm) &&
	       take_text(&at, " ") && take_time(&at, tm) && take_text(&at, " GMT");
}

/* "Sunday, 06-Nov-94 08:49:37 GMT" */
static bool read_rfc850(const char *at, struct tm *tm)
{
	return take_long_day(&at) && take_text(&at, ", ") && take_digits(&at, 2, &tm->tm_mday) &&
	       take_text(&at, "-") && take_name(&at, months, &tm->tm_mon) && take_text(&at, "-") &&
	       take_short_year(&at, tm) && take_text(&at, " ") && take_time(&at, tm) &&
	       take_text(&at, " GMT");
}

/* "Sun Nov  6 08:49:37 1994" */
static bool read_asctime(const char *at, struct tm *tm)
{
	return take_name(&at, days, &tm->tm_wday) && take_text(&at, " ") &&
	       take_name(&at, months, &tm->tm_mon) && take_text(&at, " ") &&
	       take_digits(&at, take_text(&at, " ") ? 1 : 2, &tm->tm_mday) && take_text(&at, " ") &&
	       take_time(&at, tm) && take_text(&at, " ") && take_year(&at, tm);
}

typedef bool date_read(const char *text, struct tm *tm);

/* The date at 1 in one of these forms, as seconds; nil: it is none. */
static int push_date(lua_State *L, date_read *const *forms)
{
	const char *text = luaL_checkstring(L, 1);

	for (; *forms; forms++) {
		struct tm tm = { 0 };

		if ((*forms)(text, &tm)) {
			lua_pushinteger(L, (lua_Integer)timegm(&tm));
			return 1;
		}
	}
	lua_pushnil(L);
	return 1;
}

int core_http_date(lua_State *L)
{
	static date_read *const forms[] = { read_imf, read_rfc850, read_asctime, NULL };

	return push_date(L, forms);
}

int core_imf_date(lua_State *L)
{
	static date_read *const forms[] = { read_imf, NULL };

	return push_date(L, forms);
}

int core_rfc850_date(lua_State *L)
{
	static date_read *const forms[] = { read_rfc850, NULL };

	return push_date(L, forms);
}

int core_asctime_date(lua_State *L)
{
	static date_read *const forms[] = { read_asctime, NULL };

	return push_date(L, forms);
}
