/* SPDX-License-Identifier: BSD-2-Clause */
/* The line that a stream leaves in the log. */
#ifndef STREAM_ACCESSLOG_H
#define STREAM_ACCESSLOG_H

#include "proxy/proxy.h"

struct view;

/* Writes the line of the stream behind the view (view->log is filled in), by the frontend's
 * log-format, option tcplog or the default, unless dontlognull, dontlog-normal or an absent
 * target say otherwise. */
void accesslog_write(const struct view *view);
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
