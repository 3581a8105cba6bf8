/* SPDX-License-Identifier: BSD-2-Clause */
/* The line that a stream leaves in the log. Implemented in src/stream/accesslog.c. */
#ifndef STREAM_ACCESSLOG_H
#define STREAM_ACCESSLOG_H

struct view;

/* Writes the line of the stream behind the view (view->log is filled in), by the frontend's
 * log-format, option tcplog or the default, unless dontlognull, dontlog-normal or an absent
 * target say otherwise. */
void accesslog_write(const struct view *view);

#endif
