/* SPDX-License-Identifier: BSD-2-Clause */
/* What sessions and streams follow in stick tables. Called by rules that begin it, by fetches, by
 * the stream for what it counts, and at the end of a session or stream. */
#include "expr/track.h"

#include "base/pool.h"
#include "expr/view.h"
#include "proxy/stick_conf.h"

struct tracks_conf tracks_conf = { .count = TRACKS_USUAL };

static struct pool tracks_pool = POOL_INIT("tracked entries", sizeof(struct tracks));

void tracks_prepare(void)
{
	tracks_pool.size = offsetof(struct tracks, at) + tracks_conf.count * sizeof(struct tracked);
}

static struct tracked *tracked_of(const struct vars *owner, unsigned number)
{
	struct tracked *t = owner && owner->tracks ? &owner->tracks->at[number] : NULL;

	return t && t->line ? t : NULL;
}

struct tracked *track_find(const struct view *view, unsigned number)
{
	struct tracked *t;

	if (number >= tracks_conf.count)
		return NULL;
	t = tracked_of(view->stream_vars, number);
	return t ? t : tracked_of(view->session_vars, number);
}

bool track_begin(struct vars *owner, unsigned number, struct stick_line *line, struct span key)
{
	struct stick_table *table = line->table;
	struct stick_entry *e;

	if (!owner->tracks)
		owner->tracks = pool_take(&tracks_pool);
	e = owner->tracks ? stick_take(table, key, NULL) : NULL;
	if (!e)
		return false;
	stick_touch(table, e);
	owner->tracks->at[number] = (struct tracked){ line, e, stick_hold(table, e, true) };
	track_count(&owner->tracks->at[number], STICK_conn_cnt, STICK_conn_rate, 1);
	return true;
}

void track_count(struct tracked *t, enum stick_data what, enum stick_data rate, uint64_t by)
{
	const struct stick_definition *def = &t->line->def;

	if (stick_stores(def, what))
		stick_add(t->line->table, t->entry, what, 0, by);
	if (stick_stores(def, rate))
		stick_add(t->line->table, t->entry, rate, 0, by);
	if (stick_stores(def, what) || stick_stores(def, rate))
		stick_touch(t->line->table, t->entry);
}

void track_add(const struct vars *session, const struct vars *stream, enum stick_data what,
	       enum stick_data rate, uint64_t by)
{
	struct tracked *t;
	unsigned i;

	if (!((stick_stored >> what | stick_stored >> rate) & 1))
		return;
	for (i = 0; i < tracks_conf.count; i++) {
		t = tracked_of(stream, i);
		t = t ? t : tracked_of(session, i);
		if (t)
			track_count(t, what, rate, by);
	}
}

/* Its end renews the life of an entry only where it is counted. */
void tracks_free(struct vars *owner)
{
	struct tracked *t = owner->tracks->at, *end = t + tracks_conf.count;

	for (; t < end; t++) {
		if (!t->line)
			continue;
		if (stick_stores(&t->line->def, STICK_conn_cur))
			stick_touch(t->line->table, t->entry);
		stick_unhold(t->line->table, t->entry, t->hold, true);
	}
	pool_give(&tracks_pool, &owner->tracks);
}
