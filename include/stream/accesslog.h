/* SPDX-License-Identifier: BSD-2-Clause */
/* When a stream leaves its line in the log: stream_log (stream/stream.h) writes it. */
#ifndef STREAM_ACCESSLOG_H
#define STREAM_ACCESSLOG_H

#include "proxy/proxy.h"

/* When the line is written. The default format says nothing of what follows: at accept, in mode
 * http when the request's head is there. Formats that need nothing later, and option logasap: when
 * the server is connected; logasap in mode http when the response's head has left. Others: at the
 * end. */
bool accesslog_at_accept(const struct proxy *frontend);
static inline bool accesslog_at_request(const struct proxy *frontend)
{
	return !frontend->set.logformat;
}
bool accesslog_at_connect(const struct proxy *frontend);
static inline bool accesslog_at_response(const struct proxy *frontend)
{
	return frontend->set.logformat && frontend->set.options.on & OPT_LOGASAP;
}

#endif
