/* SPDX-License-Identifier: BSD-2-Clause */
/* What rules have set for one stream (explain/treated.h), seen by comparing it before and after a
 * rule. Called by record.c; changes nothing. */
#include "explain/treated.h"

#include "base/arena.h"
#include "expr/view.h"
#include "proxy/proxy.h"
#include "stream/extra.h"
#include "stream/stream.h"

#include <inttypes.h>

static const char *const timeout_names[TIMEOUTS] = {
	[TIMEOUT_SERVER] = "timeout server",   [TIMEOUT_TUNNEL] = "timeout tunnel",
	[TIMEOUT_CLIENT] = "timeout client",   [TIMEOUT_CONNECT] = "timeout connect",
	[TIMEOUT_QUEUE] = "timeout queue",     [TIMEOUT_TARPIT] = "timeout tarpit",
};

void treated_look(const struct stream *s, struct treated *t)
{
	const struct view_treatment *set = s->extra ? &s->extra->treatment : NULL;
	const struct proxy *fe = s->origin->frontend, *be = s->backend ? s->backend : fe;
	unsigned i;

	for (i = 0; i < TIMEOUTS; i++)
		t->timeout_ms[i] = timeout_in_force(
			set, &(i == TIMEOUT_CLIENT ? fe : be)->set.timeout, (enum timeout)i);
	t->retries = set && set->retries ? set->retries - 1u : (unsigned)be->set.retries;
	t->tos = set && set->has_tos ? set->tos : -1;
	t->mark = set && set->has_mark ? (int64_t)set->mark : -1;
	t->priority_class = set ? set->priority_class : 0;
	t->priority_offset = set ? set->priority_offset : 0;
}

static const char *ms_text(struct arena *arena, unsigned ms)
{
	return ms ? arena_printf(arena, "%u ms", ms) : "for ever";
}

void treated_compare(const struct treated *before, const struct treated *now, struct arena *arena,
		     void (*tell)(void *of, const char *name, const char *text), void *of)
{
	unsigned i;

	for (i = 0; i < TIMEOUTS; i++)
		if (now->timeout_ms[i] != before->timeout_ms[i])
			tell(of, timeout_names[i],
			     arena_printf(arena, "%s   (was: %s)",
					  ms_text(arena, now->timeout_ms[i]),
					  ms_text(arena, before->timeout_ms[i])));
	if (now->retries != before->retries)
		tell(of, "retries", arena_printf(arena, "%u   (was: %u)", now->retries,
						 before->retries));
	if (now->tos != before->tos)
		tell(of, "tos of packets to the server", arena_printf(arena, "%d", now->tos));
	if (now->mark != before->mark)
		tell(of, "mark of packets to the server",
		     arena_printf(arena, "%" PRId64, now->mark));
	if (now->priority_class != before->priority_class)
		tell(of, "class in queues", arena_printf(arena, "%d", now->priority_class));
	if (now->priority_offset != before->priority_offset)
		tell(of, "offset in queues", arena_printf(arena, "%d ms", now->priority_offset));
}
