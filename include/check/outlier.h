/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which servers of a backend stand out by errors or by slowness, and for how long they are left
 * out: pure arithmetic over what was counted in an interval (doc/internals/learning.md). For
 * eject.c.
 */
#ifndef CHECK_OUTLIER_H
#define CHECK_OUTLIER_H

#include "proxy/eject_conf.h"

#include <stdbool.h>
#include <stdint.h>

/* So much slower at least, microseconds, whatever the share: below it is noise. */
enum { OUTLIER_LEAST_US = 5000 };

enum outlier_why { OUTLIER_NOT, OUTLIER_ERRORS, OUTLIER_SLOW };

/* A server in an interval. */
struct outlier {
	uint64_t answered, failed; /* tries; of these, bad ones */
	uint64_t us;               /* sum over the good ones */
	bool usable;               /* gets sessions: may be ejected */
	bool out;                  /* is ejected now */
	enum outlier_why why;      /* the verdict */
	uint64_t own, others;      /* what led to it: percent of errors, or microseconds */
};

/* Sets why of those that are to be ejected: those that differ most, as many as may be. The
 * others are compared by their median, so that two ill ones do not hide each other. Returns how
 * many. */
unsigned outlier_find(const struct eject_conf *conf, struct outlier *servers, unsigned count);
/* How long, ms, after so many ejections before this one. */
unsigned outlier_time(const struct eject_conf *conf, unsigned ejections);

#endif
