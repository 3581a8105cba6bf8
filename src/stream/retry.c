/* SPDX-License-Identifier: BSD-2-Clause */
/* The retry budget of a stream's backend: asked before each retry, be it of a connection or of a
 * request; given back with the stream's extra. */
#include "stream/retry.h"

#include "expr/view.h"
#include "proxy/budget.h"
#include "stream/extra.h"
#include "stream/stream.h"

/* Nobody is to wonder why there was no retry. */
static void count_denied(const struct stream *s)
{
	s->server->tally->counters.retries_denied++;
	s->backend->be->counters.retries_denied++;
}

unsigned retries_of(const struct stream *s)
{
	if (unlikely(s->extra && s->extra->treatment.retries))
		return s->extra->treatment.retries - 1u;
	return (unsigned)s->backend->set.retries;
}

bool retry_allowed(struct stream *s)
{
	struct stream_extra *extra;

	if (!s->backend->set.budget.given)
		return true;
	extra = extra_get(s);
	if (!extra)
		return false;
	if (!extra->retrying && !budget_take(s->backend)) {
		count_denied(s);
		return false;
	}
	extra->retrying = extra->ends_more = true;
	return true;
}
