/* SPDX-License-Identifier: BSD-2-Clause */
/* Converters of dates (manual 7.3.1): seconds since 1970 into text. */
#include "base/err.h"
#include "expr/tables.h"

#include <time.h>

enum { IN_LOCAL_TIME, IN_UTC };

static bool convert_time(const struct expr_arg *args, struct sample *smp,
			 const struct view *view, const struct converter *row)
{
	time_t when = (time_t)smp->num;
	char *out = expr_scratch();
	struct tm tm;

	(void)view;
	if (args[1].type == ARG_INT)
		when += (time_t)args[1].num;
	if (!(row->data == IN_LOCAL_TIME ? localtime_r(&when, &tm) : gmtime_r(&when, &tm)))
		return false;
	smp->str = (struct span){ out, strftime(out, expr_scratch_size, args[0].str.ptr, &tm) };
	smp->type = SMP_STR;
	smp->flags &= ~(unsigned)SMP_CONST;
	return true;
}

/* The unit becomes how many of it make a second. */
static int check_unit(struct expr_arg *args, const struct expr_context *ctx, struct err *err)
{
	const char *unit = args[1].type == ARG_STR ? args[1].str.ptr : "s";
	int64_t scale = 1;

	(void)ctx;
	if (!strcmp(unit, "ms"))
		scale = 1000;
	else if (!strcmp(unit, "us"))
		scale = 1000000;
	else if (*unit && strcmp(unit, "s"))
		return err_set(err, "the unit must be s, ms or us, not '%s'", unit);
	args[1] = (struct expr_arg){ .type = ARG_INT, .num = scale };
	return 0;
}

/* RFC 9110 5.6.7, in English whatever the locale; a fraction only in the finer units. */
static bool convert_http_date(const struct expr_arg *args, struct sample *smp,
			      const struct view *view, const struct converter *row)
{
	static const char days[][4] = { "Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat" };
	static const char months[][4] = { "Jan", "Feb", "Mar", "Apr", "May", "Jun",
					  "Jul", "Aug", "Sep", "Oct", "Nov", "Dec" };
	int64_t scale = args[1].num, when;
	struct text t;
	time_t seconds;
	struct tm tm;

	(void)view;
	(void)row;
	if (__builtin_add_overflow(smp->num, args[0].type == ARG_INT ? args[0].num : 0, &when) ||
	    when < 0)
		return false;
	seconds = (time_t)(when / scale);
	if (!gmtime_r(&seconds, &tm))
		return false;
	text_init(&t, expr_scratch(), expr_scratch_size);
	text_printf(&t, "%s, %02d %s %04d %02d:%02d:%02d", days[tm.tm_wday], tm.tm_mday,
		    months[tm.tm_mon], tm.tm_year + 1900, tm.tm_hour, tm.tm_min, tm.tm_sec);
	if (scale > 1)
		text_printf(&t, ".%lld", (long long)(when % scale));
	text_str(&t, " GMT");
	smp->str = (struct span){ t.ptr, t.len };
	smp->type = SMP_STR;
	smp->flags &= ~(unsigned)SMP_CONST;
	return true;
}

const struct converter converter_times[] = {
	{ "http_date", ARGS(0, ARG_INT, ARG_STR), SMP_INT, SMP_STR, convert_http_date, check_unit,
	  .help = "date as in HTTP headers" },
	{ "ltime", ARGS(1, ARG_STR, ARG_INT), SMP_INT, SMP_STR, convert_time, .data = IN_LOCAL_TIME,
	  .help = "local time in a format of strftime" },
	{ "utime", ARGS(1, ARG_STR, ARG_INT), SMP_INT, SMP_STR, convert_time, .data = IN_UTC,
	  .help = "UTC in a format of strftime" },
	{ 0 },
};
