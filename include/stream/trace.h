/* SPDX-License-Identifier: BSD-2-Clause */
/* What streams do, on stdout, one line an event: -d. */
#ifndef STREAM_TRACE_H
#define STREAM_TRACE_H

struct subscriber;

/* By moments_everywhere. */
extern const struct subscriber trace_subscriber;

#endif
