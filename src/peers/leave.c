/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The end of a process that has spoken. Whoever replaces it may be another program, or the same one
 * with tables of its own (-sf): the old process calls its own address under its own name, teaches
 * all it has, and ends when the other one has confirmed that. It takes 5 s at the most; where nobody
 * listens at that address, no time.
 */
#include "peers/peers.h"

#include "base/clock.h"
#include "log/log.h"
#include "peers/life.h"
#include "peers/section.h"

enum { LEAVE_MS = 5000, LEAVE_RETRY_MS = 100 };

bool leave_began;
static void (*leave_done)(void);
static struct timer leave_timer;
static uint64_t leave_until;

static void leave_soon(unsigned ms)
{
	timer_set_by(&leave_timer, clock_now_ms + ms);
}

void leave_taught(struct section_life *life)
{
	life->leaves = false;
	peers_log(life->section, LOG_L_NOTICE, "Peers %s: the process that replaces this one has been taught.",
		  life->section->name);
	leave_soon(0);
}

void leave_lost(struct section_life *life, bool nobody)
{
	if (nobody)
		life->leaves = false;
	leave_soon(nobody ? 0 : LEAVE_RETRY_MS);
}

static void leave_call(struct section_life *life)
{
	struct peer_life *peer = life->section->local->life;

	if (peer->link)
		return;
	peer->link = peer_link_call(life, peer);
	if (peer->link)
		peer->link->successor = true;
	else
		life->leaves = false;
}

/* True: somebody is to be taught still. */
static bool leave_go_on(void)
{
	struct peers_section *s;
	bool left = false;

	list_for_each(s, &peers_running->sections, node) {
		if (!s->life || !s->life->leaves)
			continue;
		leave_call(s->life);
		left |= s->life->leaves;
	}
	return left;
}

static void leave_over(void)
{
	void (*done)(void) = leave_done;

	leave_done = NULL;
	peers_speak(false);
	if (done)
		done();
}

static void leave_fire(struct timer *timer)
{
	if (clock_now_ms < leave_until && leave_go_on())
		timer_set(timer, clock_now_ms + LEAVE_RETRY_MS);
	else
		leave_over();
}

/* What a section has is worth being taught when it is whole. */
static bool leave_wants(const struct section_life *life)
{
	return life->resync == RESYNC_DONE && life->section->table_count &&
	       life->section->local->has_address;
}

bool peers_leave(bool teach, void (*done)(void))
{
	struct peers_section *s;
	bool wants = false;

	leave_began = true;
	list_for_each(s, &peers_running->sections, node) {
		if (!s->life)
			continue;
		s->life->leaves = teach && leave_wants(s->life);
		wants |= s->life->leaves;
	}
	peers_quiet();
	if (!wants) {
		peers_speak(false);
		return false;
	}
	leave_done = done;
	leave_until = clock_now_ms + LEAVE_MS;
	timer_init(&leave_timer, leave_fire);
	leave_soon(0);
	return true;
}
