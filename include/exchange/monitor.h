/* SPDX-License-Identifier: BSD-2-Clause */
/* The words monitor-uri and monitor fail: requests that a frontend answers at once, to tell that it
 * works. */
#ifndef EXCHANGE_MONITOR_H
#define EXCHANGE_MONITOR_H

#include "base/result.h"
#include "config/module.h"
#include "proxy/part.h"

struct exchange;
struct stream;

struct monitor_conf {
	const char *uri;
	struct location loc; /* of its line */
};

extern struct proxy_part monitor_part;
extern struct proxy_part monitor_fail_part;

/* monitor-uri; NULL: none. */
static inline const char *monitor_uri(const struct proxy *px)
{
	const struct monitor_conf *conf = proxy_part(px, &monitor_part);

	return conf ? conf->uri : NULL;
}

/* Does the request ask for the frontend's monitor-uri? Compared with the path where it begins with a
 * slash, so that the form of the target does not matter. */
MUST_USE bool monitor_asked(const struct exchange *x);
/* Step REQ_MONITOR: answers it. */
MUST_USE int monitor_request(struct stream *s);

extern const struct module monitor_module;

#endif
