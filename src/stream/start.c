/* SPDX-License-Identifier: BSD-2-Clause */
/* A stream begins: stream_start. Called by carriers, through stream/stream.h. */
#include "stream/stream.h"

#include "base/pool.h"
#include "config/module.h"
#include "net/listener.h"
#include "proxy/proxy.h"
#include "relay/buffer.h"
#include "share/segment.h"
#include "stream/bytes.h"
#include "stream/client_close.h"
#include "stream/extra.h"
#include "stream/kind.h"
#include "stream/moments.h"
#include "stream/run.h"
#include "stream/steps.h"
#include "stream/timeouts.h"
#include "tally/tallies.h"

static uint64_t next_id;

COLD static void stream_watch(struct stream *s)
{
	if (streams_watched & WATCH_MOMENTS)
		s->traits |= steps_heard(moments_of_all);
	if (streams_watched & WATCH_BYTES)
		stream_arm_count(s);
	if (streams_watched & (WATCH_TIMES | WATCH_CALLS))
		s->in_steps = STEPS_MEASURED;
}

/* There is no memory for what it carries. */
COLD static void stream_short(struct stream *s, struct buf **held)
{
	global_tally->no_memory++;
	buffer_give(held);
	client_close_end(&s->relay, s->origin->frontend, true);
	end_close(&s->relay.client, false);
	extra_free(s); /* who lends may have begun one */
	s->origin->carrier->ended(s->origin);
	pool_give(&stream_pool, &s);
}

static void stream_begin(struct stream *s, struct origin *origin, struct timer *timer)
{
	const struct listener *l = origin->listener;

	s->kind = &stream_of_bytes;
	s->closes_halves = true;
	s->origin = origin;
	s->timer = timer;
	s->id = (uint64_t)segment_own_row << STREAM_ROW_SHIFT | ++next_id;
	s->queue_ms = s->connect_ms = NOT_REACHED;
	s->traits = steps_traits_of_frontend(origin->frontend);
	relay_init(&s->relay);
	s->relay.moves = RELAY_MOVES;
	if (likely(l != NULL)) {
		stream_be_nice(s, l->bind->nice);
		s->traits |= l->bind->tls ? LEAVING_EDITS : 0;
	}
}

bool stream_start(struct origin *origin, struct timer *timer)
{
	struct stream *s = pool_take(&stream_pool);
	struct buf *held = NULL;

	if (!s)
		return false;
	stream_begin(s, origin, timer);
	if (!origin->carrier->lend(origin, &s->relay.client, &held)) {
		pool_give(&stream_pool, &s);
		return false;
	}
	if (origin_speaks_http(origin) && !stream_of_messages->begin(s, &held)) {
		stream_short(s, &held);
		return true;
	}
	list_append(&streams_all, &s->node);
	streams_count++;
	streams_asking += origin->frontend->stats_socket;
	if (unlikely(streams_watched))
		stream_watch(s);
	moment_tell(s, MOMENT_BEGUN);
	stream_run(s);
	return true;
}

static int streams_finish(struct config *cfg, void *data)
{
	(void)cfg;
	(void)data;
	relay_notice = stream_notice;
	return 0;
}

const struct module streams_module = {
	.name = "streams",
	.finish = streams_finish,
};
