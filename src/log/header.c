/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The headers of log lines, byte for byte those of the reference: RFC 3164 with and without a
 * host name, RFC 5424 section 6, and the short forms for local collectors. Called by log.c for
 * each target; knows neither targets nor sockets.
 */
#include "log/header.h"

#include "base/bug.h"
#include "log/date.h"

const char *const log_format_names[] = { "local", "rfc3164", "rfc5424", "priority", "short",
					 "timed", "iso",     "raw",     NULL };
const char *const log_level_names[] = { "emerg",   "alert",  "crit", "err",
					"warning", "notice", "info", "debug", NULL };
const char *const log_facility_names[] = {
	"kern",   "user",   "mail",   "daemon", "auth",   "syslog", "lpr",    "news",   "uucp",
	"cron",   "auth2",  "ftp",    "ntp",    "audit",  "alert",  "cron2",  "local0", "local1",
	"local2", "local3", "local4", "local5", "local6", "local7", NULL
};

static void header_number(struct text *t, unsigned number)
{
	text_char(t, '<');
	text_num(t, number);
	text_char(t, '>');
}

static void header_iso(struct text *t, const struct timeval *now)
{
	const struct date *date = date_of(now->tv_sec);
	unsigned us = (unsigned)now->tv_usec;
	char digits[] = ".000000";
	int i;

	for (i = 6; i > 0; i--, us /= 10)
		digits[i] = (char)('0' + us % 10);
	text_str(t, date->iso);
	text_add(t, digits, sizeof(digits) - 1);
	text_str(t, date->iso_zone);
	text_char(t, ' ');
}

/* "<134>Nov 21 01:49:47 host tag[1234]: " (RFC 3164, 4.1). */
static void header_rfc3164(struct text *t, const struct log_header *h, const char *hostname)
{
	header_number(t, h->facility * 8 + h->level);
	text_str(t, date_of(h->now.tv_sec)->syslog);
	text_char(t, ' ');
	if (hostname) {
		text_str(t, hostname);
		text_char(t, ' ');
	}
	text_str(t, h->tag);
	text_char(t, '[');
	text_num(t, h->pid);
	text_add(t, "]: ", 3);
}

/* "<134>1 2026-11-21T01:49:47.897543+00:00 host tag 1234 - " (RFC 5424, 6.2). */
static void header_rfc5424(struct text *t, const struct log_header *h)
{
	header_number(t, h->facility * 8 + h->level);
	text_add(t, "1 ", 2);
	header_iso(t, &h->now);
	text_str(t, h->hostname ? h->hostname : "-");
	text_char(t, ' ');
	text_str(t, h->tag);
	text_char(t, ' ');
	text_num(t, h->pid);
	text_add(t, " - ", 3);
}

void log_header_write(struct text *t, const struct log_header *h)
{
	switch (h->format) {
	case LOG_FMT_LOCAL:
		header_rfc3164(t, h, NULL);
		return;
	case LOG_FMT_RFC3164:
		header_rfc3164(t, h, h->hostname ? h->hostname : "localhost");
		return;
	case LOG_FMT_RFC5424:
		header_rfc5424(t, h);
		return;
	case LOG_FMT_PRIORITY:
		header_number(t, h->facility * 8 + h->level);
		return;
	case LOG_FMT_SHORT:
		header_number(t, h->level);
		return;
	case LOG_FMT_TIMED:
		header_number(t, h->level);
		header_iso(t, &h->now);
		return;
	case LOG_FMT_ISO:
		header_iso(t, &h->now);
		return;
	case LOG_FMT_RAW:
		return;
	case LOG_FMT_DEFAULT:
		break;
	}
	BUG_ON(h->format == LOG_FMT_DEFAULT);
}
