/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The time as text, made once a second: log headers, %t, %T and their like share it. A line
 * asks for two seconds, that of the accept and that of now, hence a handful of entries
 * instead of one. The month's names are those of the protocols, whatever the locale.
 */
#include "log/date.h"

#include "base/bug.h"
#include "base/str.h"

enum { DATE_ENTRIES = 8 };

static const char *const date_months[] = { "Jan", "Feb", "Mar", "Apr", "May", "Jun",
					   "Jul", "Aug", "Sep", "Oct", "Nov", "Dec" };

/* Two digits; everything here is below 100. */
static void date_two(struct text *t, int number, char pad)
{
	text_char(t, number < 10 ? pad : (char)('0' + number / 10 % 10));
	text_char(t, (char)('0' + number % 10));
}

static void date_clock(struct text *t, const struct tm *tm)
{
	date_two(t, tm->tm_hour, '0');
	text_char(t, ':');
	date_two(t, tm->tm_min, '0');
	text_char(t, ':');
	date_two(t, tm->tm_sec, '0');
}

/* "21/Nov/2026:01:49:47" */
static void date_slashes(char out[static DATE_SIZE], const struct tm *tm)
{
	struct text t;

	text_init(&t, out, DATE_SIZE);
	date_two(&t, tm->tm_mday, '0');
	text_char(&t, '/');
	text_str(&t, date_months[tm->tm_mon]);
	text_char(&t, '/');
	text_num(&t, tm->tm_year + 1900);
	text_char(&t, ':');
	date_clock(&t, tm);
}

/* "Nov 21 01:49:47" (RFC 3164, 4.1.2: the day padded with a blank) */
static void date_syslog(char out[static DATE_SIZE], const struct tm *tm)
{
	struct text t;

	text_init(&t, out, DATE_SIZE);
	text_str(&t, date_months[tm->tm_mon]);
	text_char(&t, ' ');
	date_two(&t, tm->tm_mday, ' ');
	text_char(&t, ' ');
	date_clock(&t, tm);
}

/* "2026-11-21T01:49:47" (RFC 5424, 6.2.3) */
static void date_iso(char out[static DATE_SIZE], const struct tm *tm)
{
	struct text t;

	text_init(&t, out, DATE_SIZE);
	text_num(&t, tm->tm_year + 1900);
	text_char(&t, '-');
	date_two(&t, tm->tm_mon + 1, '0');
	text_char(&t, '-');
	date_two(&t, tm->tm_mday, '0');
	text_char(&t, 'T');
	date_clock(&t, tm);
}

static void date_zone(char *out, size_t size, const struct tm *tm, const char *colon)
{
	int minutes = (int)(tm->tm_gmtoff / 60);
	struct text t;

	text_init(&t, out, size);
	text_char(&t, minutes < 0 ? '-' : '+');
	minutes = minutes < 0 ? -minutes : minutes;
	date_two(&t, minutes / 60, '0');
	text_str(&t, colon);
	date_two(&t, minutes % 60, '0');
}

static void date_fill(struct date *d, time_t seconds)
{
	struct tm local, gmt;

	localtime_r(&seconds, &local);
	gmtime_r(&seconds, &gmt);
	d->seconds = seconds;
	date_slashes(d->local, &local);
	date_slashes(d->gmt, &gmt);
	date_syslog(d->syslog, &local);
	date_iso(d->iso, &local);
	date_zone(d->zone, sizeof(d->zone), &local, "");
	date_zone(d->iso_zone, sizeof(d->iso_zone), &local, ":");
}

const struct date *date_of(time_t seconds)
{
	static struct date entries[DATE_ENTRIES];
	struct date *d = &entries[(uint64_t)seconds % DATE_ENTRIES];

	if (unlikely(d->seconds != seconds || !d->local[0]))
		date_fill(d, seconds);
	return d;
}
