/* SPDX-License-Identifier: BSD-2-Clause */
/* Time limits of a stream; see src/stream/timeouts.c. For the files of stream/. */
#ifndef STREAM_TIMEOUTS_H
#define STREAM_TIMEOUTS_H

#include "base/result.h"
#include "proxy/timeouts.h"
#include "stream/stream.h"

/* The timeout in force, ms (0: none): of the frontend, of the backend once there is one, or as
 * rules have set it for this stream. */
unsigned stream_timeout(const struct stream *s, enum timeout which);
/* Forwarding begins, or a direction was closed: looks at both sides now. May end it. */
void stream_arm_forward(struct stream *s);
/* The request of an exchange has left just now (phase_ms is now): the same, but neither side can
 * have been quiet for long. */
void stream_arm_exchange(struct stream *s);
/* A wait of at most timeout ms (0: for ever) begins now: queue, connect, inspection. */
void stream_arm_wait(struct stream *s, unsigned timeout);
/* Has the time of the last stream_arm_wait passed? */
MUST_USE bool stream_wait_over(const struct stream *s);
/* Inspection of at most delay ms, begun by stream_arm_wait: arms the timer for its rest, or for
 * the rest of the side's own timeout (0: none) since it sent bytes last (read_ms). */
enum inspection { INSPECTION_GOES_ON, INSPECTION_OVER, INSPECTION_QUIET };
MUST_USE enum inspection stream_arm_inspection(struct stream *s, unsigned delay, unsigned timeout,
					       uint32_t read_ms);
/* Its bytes are counted every few seconds while it lives, if its frontend has option contstats. */
void stream_arm_count(struct stream *s);
/* Its timer has fired. */
void stream_timer(struct stream *s);
/* The stream wants to be run again then, or not any more. Setting it anew costs nothing: the
 * session's timer is armed only to fire earlier. */
static inline void stream_expire_at(struct stream *s, uint64_t when_ms)
{
	s->expire_ms = when_ms;
	s->expires = true;
	timer_set_by(s->timer, when_ms);
}
static inline void stream_expire_never(struct stream *s)
{
	s->expire_ms = 0;
	s->expires = false;
}

#endif
