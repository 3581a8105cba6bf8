/* SPDX-License-Identifier: BSD-2-Clause */
/* When a stream leaves its lines in the log. The default format says nothing of what follows: at
 * accept, in mode http when the request's head is there. Formats that need nothing later, and
 * option logasap: when the server is connected; logasap in mode http when the response's head has
 * left. Others: at the end. With log-steps: at each of them (proxy.log_at). */
#ifndef STREAM_ACCESSLOG_H
#define STREAM_ACCESSLOG_H

#include "log/profile.h"
#include "net/link.h"
#include "stream/stream.h"

struct subscriber;
struct view;

/* Writes their lines at moments. */
extern const struct subscriber accesslog_subscriber;

/* do-log: a line now. profile NULL: that of each target. */
void accesslog_now(struct view *view, enum log_step step, const struct log_profile *profile);

/* The line of a request that was none, and has no stream: what HTTP/2 resets as malformed, or a
 * connection that ends with an error of its own. */
void accesslog_no_request(struct origin *origin, struct link client);

#endif
