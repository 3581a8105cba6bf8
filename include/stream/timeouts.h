/* SPDX-License-Identifier: BSD-2-Clause */
/* Time limits of a stream; see src/stream/timeouts.c. For the files of stream/. */
#ifndef STREAM_TIMEOUTS_H
#define STREAM_TIMEOUTS_H

#include <stdbool.h>

struct stream;

/* Forwarding begins, or a direction was closed: looks at both sides now. May end it. */
void stream_arm_forward(struct stream *s);
/* A wait of at most timeout ms (0: for ever) begins now: queue, connect, inspection. */
void stream_arm_wait(struct stream *s, unsigned timeout);
/* Has the time of the last stream_arm_wait passed? */
bool stream_wait_over(const struct stream *s);
/* The timer fired while forwarding. */
void stream_forward_timer(struct stream *s);

#endif
