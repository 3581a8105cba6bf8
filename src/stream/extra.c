/* SPDX-License-Identifier: BSD-2-Clause */
/* The part of a stream that most streams do without. */
#include "stream/extra.h"

#include "base/arena.h"
#include "base/pool.h"
#include "event/profile.h"
#include "proxy/budget.h"
#include "stream/do_resolve.h"
#include "stream/stick_kept.h"
#include "stream/stream.h"

static struct pool extra_pool = POOL_INIT("extra", sizeof(struct stream_extra));

void (*stream_scripts_end)(struct stream_scripts **scripts);

static void extra_task(struct task *task)
{
	stream_wake(container_of(task, struct stream_extra, task)->stream);
}

struct stream_extra *extra_get(struct stream *s)
{
	if (s->extra)
		return s->extra;
	s->extra = pool_take(&extra_pool);
	if (!s->extra)
		return NULL;
	s->extra->stream = s;
	task_init(&s->extra->task, extra_task);
	return s->extra;
}

void stream_respond(struct stream *s)
{
	if (!s->responding && s->extra)
		vars_free_scope(&s->extra->vars, VAR_REQ);
	s->responding = true;
}

COLD static void extra_end_more(struct stream *s)
{
	if (s->extra->scripts)
		stream_scripts_end(&s->extra->scripts);
	if (s->extra->retrying)
		budget_give(s->backend);
}

void extra_free(struct stream *s)
{
	if (!s->extra)
		return;
	queue_leave(&s->extra->queue);
	task_cancel(&s->extra->task);
	stick_kept_free(&s->extra->sticks);
	vars_free(&s->extra->vars);
	if (unlikely(s->extra->ends_more))
		extra_end_more(s);
	stream_resolve_end(&s->extra->resolve);
	arena_free(&s->extra->arena);
	pool_give(&extra_pool, &s->extra);
}

const struct profile_name extra_profile = PROFILE_NAME(extra_task);
