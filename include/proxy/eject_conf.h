/* SPDX-License-Identifier: BSD-2-Clause */
/* The words of "eject": when servers that do worse than the others are left out, and for how long.
 * Read and obeyed by check/eject.c; here, since who counts what servers do has to know of them. */
#ifndef PROXY_EJECT_CONF_H
#define PROXY_EJECT_CONF_H

#include "proxy/part.h"

struct eject_conf {
	unsigned error_rate;       /* points above the others, percent; 0: errors do not count */
	unsigned slower;           /* percent of the others' time; 0: slowness does not count */
	unsigned requests;         /* fewer in an interval say nothing */
	unsigned most;             /* most ejected ones, percent */
	unsigned inter, time, max_time; /* ms */
};

extern struct proxy_part eject_conf_part;

/* NULL: none is ejected. */
static inline const struct eject_conf *eject_conf_of(const struct proxy *px)
{
	return proxy_part(px, &eject_conf_part);
}

#endif
