/* SPDX-License-Identifier: BSD-2-Clause */
/* Where subscribers (stream/subscriber.h) are told of the moments of streams. A stream has a trait
 * for each moment of which somebody wants to know, so that the others cost nothing. Moments at
 * which the stream may wait are rows of the step tables; others are told where they happen. */
#ifndef STREAM_MOMENTS_H
#define STREAM_MOMENTS_H

#include "base/result.h"
#include "stream/steps.h"
#include "stream/stream.h"
#include "stream/subscriber.h"

#include <stdbool.h>

/* The rows of the step tables. */
MUST_USE int moment_request(struct stream *s);
MUST_USE int moment_backend(struct stream *s);
MUST_USE int moment_ruled(struct stream *s);
MUST_USE int moment_connected(struct stream *s);
MUST_USE int moment_response(struct stream *s);
MUST_USE int moment_answer(struct stream *s);

/* Why a stream ends where this was said. */
MUST_USE enum reason moments_reason(enum moment_said said);

/* Tells, where nobody can wait. */
void moments_tell(struct stream *s, enum moment moment);
static inline void moment_tell(struct stream *s, enum moment moment)
{
	if (unlikely(s->traits & steps_told(moment)))
		moments_tell(s, moment);
}

#endif
