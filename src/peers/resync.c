/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Is a section up to date, and who teaches it if it is not. One member is asked at a time, until one
 * says that it has finished; until all have said that they lack something themselves; or until
 * nobody was there to be asked for 5 s. Where this process replaces another one (-sf), that one may
 * come by itself in the first 5 s, and nobody is asked before. Called by peers.c.
 *
 * The mark lies beside the tables: those that a reload has found again are up to date.
 */
#include "peers/life.h"

#include "base/clock.h"
#include "log/log.h"
#include "peers/section.h"
#include "stick/feed.h"

#include <stdio.h>

static bool tables_are_taught(const struct peers_section *s)
{
	unsigned i;

	for (i = 0; i < s->table_count; i++)
		if (!stick_feed_is_taught(s->tables[i].table))
			return false;
	return true;
}

static void resync_done(struct section_life *life, const char *how)
{
	const struct peers_section *s = life->section;
	unsigned i;

	life->resync = RESYNC_DONE;
	life->teacher = NULL;
	timer_cancel(&life->resync_timer);
	for (i = 0; i < s->table_count; i++)
		stick_feed_taught(s->tables[i].table);
	peers_log(s, LOG_L_NOTICE, "Peers %s: up to date: %s.", s->name, how);
}

/* What a teacher has said: also of tables that we do not have, or before those that we have. */
static uint64_t resync_said(const struct peer_life *peer)
{
	const struct talk_counts *counts = talk_counts(peer->link->talk);

	return counts->updates_in + counts->ignored;
}

static void resync_ask(struct section_life *life, struct peer_life *peer)
{
	life->resync = RESYNC_ASKED;
	life->teacher = peer;
	life->heard = resync_said(peer);
	talk_ask(peer->link->talk);
	peer_link_wake(peer->link);
	timer_set(&life->resync_timer, clock_now_ms + PEERS_WAIT_MS);
}

/* Asks the next one, if there is one. */
static void resync_look(struct section_life *life)
{
	bool hope = false;
	unsigned i;

	life->teacher = NULL;
	for (i = 0; i < life->life_count; i++) {
		struct peer_life *peer = &life->lives[i];

		if (peer->peer->local || peer->partial)
			continue;
		if (peer->link && peer->link->state == LINK_TALKS) {
			resync_ask(life, peer);
			return;
		}
		hope = true;
	}
	if (!hope) {
		resync_done(life, life->life_count > 1 ? "no other member knows more" :
							 "there is no other member");
		return;
	}
	if (life->resync != RESYNC_LOOKS)
		timer_set(&life->resync_timer, clock_now_ms + PEERS_WAIT_MS);
	life->resync = RESYNC_LOOKS;
}

/* One that teaches nothing any more is not waited for. Heartbeats are no teaching. */
static void resync_judge_teacher(struct section_life *life)
{
	struct peer_life *peer = life->teacher;
	uint64_t heard = resync_said(peer);

	if (heard != life->heard) {
		life->heard = heard;
		timer_set(&life->resync_timer, clock_now_ms + PEERS_WAIT_MS);
		return;
	}
	peers_log(life->section, LOG_L_WARNING, "Peers %s: %s does not teach what it has within 5 seconds: "
		  "the next one is asked.", life->section->name, peer->peer->name);
	peer->partial = true;
	resync_look(life);
}

static void resync_fire(struct timer *timer)
{
	struct section_life *life = container_of(timer, struct section_life, resync_timer);

	switch (life->resync) {
	case RESYNC_DONE:
		break;
	case RESYNC_PREDECESSOR:
		resync_look(life);
		break;
	case RESYNC_LOOKS:
		resync_done(life, "no other member was there to be asked for 5 seconds");
		break;
	case RESYNC_ASKED:
		resync_judge_teacher(life);
		break;
	}
}

void resync_begin(struct section_life *life, bool predecessor)
{
	timer_init(&life->resync_timer, resync_fire);
	if (tables_are_taught(life->section)) {
		life->resync = RESYNC_DONE;
		return;
	}
	life->resync = RESYNC_PREDECESSOR;
	if (predecessor)
		timer_set(&life->resync_timer, clock_now_ms + PEERS_WAIT_MS);
	else
		resync_look(life);
}

void resync_talks(struct section_life *life)
{
	if (life->resync == RESYNC_LOOKS)
		resync_look(life);
}

void resync_taught(struct section_life *life, struct peer_link *link, bool wholly)
{
	struct peer_life *peer = link->peer;
	char how[PEERS_WHY];

	if (life->resync == RESYNC_DONE || (peer != life->teacher && !peer->peer->local))
		return;
	if (wholly) {
		snprintf(how, sizeof(how), "%s has taught it", peer->peer->local ?
			 "the process before this one" : peer->peer->name);
		resync_done(life, how);
	} else if (peer == life->teacher) {
		peer->partial = true;
		resync_look(life);
	}
}

void resync_lost(struct section_life *life, struct peer_link *link)
{
	if (life->resync == RESYNC_ASKED && link->peer == life->teacher)
		resync_look(life);
}

void resync_end(struct section_life *life)
{
	timer_cancel(&life->resync_timer);
}
