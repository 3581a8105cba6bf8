/* SPDX-License-Identifier: BSD-2-Clause */
/* The forms in which log lines write a second; made once and kept for a few seconds. */
#ifndef LOG_DATE_H
#define LOG_DATE_H

#include <time.h>

enum { DATE_SIZE = 24 };

struct date {
	time_t seconds;
	char local[DATE_SIZE]; /* "21/Nov/2026:01:49:47" */
	char gmt[DATE_SIZE];   /* the same in UTC */
	char zone[8];          /* "+0100": of local */
	char iso_zone[8];      /* "+01:00" */
	char syslog[DATE_SIZE]; /* "Nov 21 01:49:47", "Nov  1 01:49:47" */
	char iso[DATE_SIZE];   /* "2026-11-21T01:49:47", local time */
};

/* Valid until seven further seconds have been asked for. */
const struct date *date_of(time_t seconds);

#endif
