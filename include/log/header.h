/* SPDX-License-Identifier: BSD-2-Clause */
/* What stands in front of a message: one of eight formats (manual 3.1, "log"). Pure text: no
 * socket, no configuration. */
#ifndef LOG_HEADER_H
#define LOG_HEADER_H

#include "base/str.h"
#include "log/level.h"

#include <sys/time.h>

enum log_format { LOG_FMT_LOCAL, LOG_FMT_RFC3164, LOG_FMT_RFC5424, LOG_FMT_PRIORITY, LOG_FMT_SHORT,
		  LOG_FMT_TIMED, LOG_FMT_ISO, LOG_FMT_RAW, LOG_FMT_DEFAULT };

extern const char *const log_format_names[];   /* in the order of the enum, without DEFAULT */
extern const char *const log_level_names[];    /* in the order of enum log_level, then NULL */
extern const char *const log_facility_names[]; /* by number, 24 of them */

struct log_header {
	enum log_format format;   /* not LOG_FMT_DEFAULT */
	unsigned facility;
	enum log_level level;
	struct timeval now;       /* wall clock */
	const char *hostname;     /* NULL: none was asked for */
	const char *tag;
	unsigned pid;
};

/* Appends the header up to where the message begins; for rfc5424 up to where the structured
 * data begin. */
void log_header_write(struct text *t, const struct log_header *h);

#endif
