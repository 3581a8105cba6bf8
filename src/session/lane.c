/* SPDX-License-Identifier: BSD-2-Clause */
/* Lanes (session/lane.h): origins and timers of the streams of one connection. Called by carriers
 * of multiplexed connections and, as their carrier_ops, by streams. */
#include "session/lane.h"

#include "base/pool.h"
#include "stream/stream.h"
#include "stream/timeouts.h"

#include <string.h>

struct lane {
	struct origin origin;
	struct timer timer;
	void *lent;
	struct stream *stream;
};

static struct pool lane_pool = POOL_INIT("lane", sizeof(struct lane));

static struct lane *lane_of(struct origin *origin)
{
	return container_of(origin, struct lane, origin);
}

static const struct lane_kind *kind_of(const struct origin *origin)
{
	return container_of(origin->carrier, const struct lane_kind, carrier);
}

bool lane_lends(struct origin *origin, struct end *end, struct buf **held)
{
	struct lane *lane = lane_of(origin);

	(void)held;
	kind_of(origin)->lend(lane->lent, end);
	lane->stream = stream_of(container_of(end, struct relay, client));
	return true;
}

void lane_takes_back(struct origin *origin, struct end *end)
{
	kind_of(origin)->take_back(end);
}

static void lane_free(struct lane **lane)
{
	timer_cancel(&(*lane)->timer);
	if ((*lane)->origin.told)
		(*lane)->origin.told->vectors = NULL; /* the session's */
	origin_free(&(*lane)->origin);
	pool_give(&lane_pool, lane);
}

void lane_ended(struct origin *origin)
{
	struct lane *lane = lane_of(origin);

	lane_free(&lane);
}

static void lane_timer(struct timer *timer)
{
	struct lane *lane = container_of(timer, struct lane, timer);

	stream_timer(lane->stream);
}

/* The connection's, but for what each stream has of its own. */
static bool lane_origin(struct origin *o, const struct lane_kind *kind, const struct origin *from)
{
	*o = *from;
	o->carrier = &kind->carrier;
	memset(&o->vars, 0, sizeof(o->vars));
	memset(&o->idle, 0, sizeof(o->idle));
	o->told = NULL;
	if (!from->told)
		return true;
	if (!origin_told(o))
		return false;
	*o->told = *from->told;
	return true;
}

struct lane *lane_new(const struct lane_kind *kind, const struct origin *from, unsigned requests,
		      void *lent)
{
	struct lane *lane = pool_take(&lane_pool);

	if (!lane)
		return NULL;
	lane->lent = lent;
	timer_init(&lane->timer, lane_timer);
	if (!lane_origin(&lane->origin, kind, from)) {
		lane_free(&lane);
		return NULL;
	}
	lane->origin.requests = requests;
	return lane;
}

bool lane_start(struct lane **lane)
{
	if (stream_start(&(*lane)->origin, &(*lane)->timer)) {
		*lane = NULL;
		return true;
	}
	lane_free(lane);
	return false;
}
