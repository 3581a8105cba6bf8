/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sections at run time, in the one process that speaks for all: who listens, which member is called
 * when, and what is logged of it. The others hold the listening sockets, and wake the speaker when
 * they change an entry (pace.c). Connections are link.c's, teaching resync.c's.
 *
 * Invariant: a member has one connection at the most; the one that has said hello last wins.
 */
#include "peers/peers.h"

#include "base/arena.h"
#include "base/bug.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/hash.h"
#include "log/log.h"
#include "net/conn.h"
#include "net/listener.h"
#include "peers/life.h"
#include "peers/pace.h"
#include "peers/section.h"
#include "proxy/facts.h"
#include "proxy/proxy.h"
#include "proxy/stick_conf.h"
#include "stick/feed.h"
#include "tally/top.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TIE_LEAST_MS = 50, TIE_RANGE_MS = 2000, /* who has closed a connection for another one */
       QUIET_MS = 60000,   /* a member that comes and goes is told of once in that time */
       STAYED_MS = 10000,  /* ... unless its connection has lasted so long */
       STRANGERS_MS = 10000,
       WHYS_MOST = 4 };

static bool began, speaking;
static unsigned strangers_untold;
static uint64_t strangers_told_ms;

static bool peers_up_to_date(void *home)
{
	return ((struct section_life *)home)->resync == RESYNC_DONE;
}

/* ---- what the log is told of a member ----------------------------------------------------------
 */

static bool tells(struct peer_life *peer)
{
	if (peer->said_ms && clock_now_ms - peer->said_ms < QUIET_MS) {
		peer->untold++;
		return false;
	}
	peer->said_ms = clock_now_ms;
	return true;
}

static void say_up(const struct peer_link *link)
{
	const struct peers_section *s = link->home->section;
	struct peer_life *peer = link->peer;
	char more[64] = "";

	if (peer->known_up || (peer->untold && !tells(peer)))
		return;
	if (peer->untold)
		snprintf(more, sizeof(more), " (%u changes were not told)", peer->untold);
	peer->untold = 0;
	peer->known_up = true;
	peer->told_whys = 0;
	peer->told_why = 0;
	peers_log(s, LOG_L_NOTICE, "Peers %s: %s is connected, %s%s.", s->name,
		  peer->peer->local ? "the process before this one" : peer->peer->name,
		  link->called ? "called by us" : "it has called", more);
}

/* Its connection is lost: once, where it comes and goes. */
static void say_lost(const struct peer_link *link, const char *why)
{
	const struct peers_section *s = link->home->section;
	struct peer_life *peer = link->peer;

	if (clock_now_ms - link->since_ms >= STAYED_MS)
		peer->said_ms = 0;
	if (!peer->known_up || !tells(peer))
		return;
	peer->known_up = false;
	peers_log(s, LOG_L_WARNING, "Peers %s: %s is lost: %s.", s->name, peer->peer->name, why);
}

/* Is that why another one than it was when the log was told last? A few times, until it talks. */
static bool is_news(struct peer_life *peer)
{
	size_t len = strlen(peer->why);
	uint32_t hash = hash_djb2(peer->why, len);

	if (hash == peer->told_why || peer->told_whys >= WHYS_MOST)
		return false;
	peer->told_why = hash;
	peer->told_whys++;
	return true;
}

/* The log says that it is connected, since it was not told of each loss: after a while it is told.
 */
static bool seems_up(struct peer_life *peer)
{
	if (peer->known_up && clock_now_ms - peer->said_ms >= QUIET_MS) {
		peer->known_up = false;
		peer->said_ms = clock_now_ms;
	}
	return peer->known_up;
}

/* It could not be reached, or has refused: once for each reason, until it talks. */
static void say_away(struct peer_life *peer, int status)
{
	const struct peers_section *s = peer->peer->section;

	if (seems_up(peer) || !is_news(peer))
		return;
	if (status)
		peers_log(s, LOG_L_WARNING, "Peers %s: %s refuses, with %d: %s.", s->name,
			  peer->peer->name, status, peer->why);
	else
		peers_log(s, LOG_L_WARNING, "Peers %s: %s cannot be reached: %s; it is tried every 5 "
			  "seconds.", s->name, peer->peer->name, peer->why);
}

/* Somebody without a name, or with one that is not ours to know: one line in 10 s. Who connects and
 * closes is not worth one. */
static void say_stranger(const struct peers_section *s, int status, const char *why)
{
	if (strangers_told_ms && clock_now_ms - strangers_told_ms < STRANGERS_MS) {
		strangers_untold++;
		return;
	}
	strangers_told_ms = clock_now_ms;
	if (status)
		peers_log(s, LOG_L_WARNING, "Peers %s: somebody who has called was refused with %d (and %u "
			  "others before).", s->name, status, strangers_untold);
	else
		peers_log(s, LOG_L_WARNING, "Peers %s: somebody who has called is lost: %s (and %u others "
			  "before).", s->name, why, strangers_untold);
	strangers_untold = 0;
}

/* ---- calling ------------------------------------------------------------------------------------
 */

static void call_at(struct peer_life *peer, uint64_t when)
{
	if (!peer->peer->local && !leave_began)
		timer_set(&peer->timer, when);
}

/* Counted from the last call; where that is long ago, in a moment: who has just gone may call
 * itself. */
static void call_again(struct peer_life *peer)
{
	uint64_t when = peer->tried_ms + (peer->refused ? PEERS_REFUSED_MS : PEERS_RETRY_MS);
	uint64_t soon = clock_now_ms + 100 + (uint64_t)random() % 400;

	call_at(peer, when > soon ? when : soon);
}

static void call_failed(struct peer_life *peer, int status)
{
	peer->status = status;
	peer->refused = status != 0;
	peer->refusals += status != 0;
	say_away(peer, status);
	call_again(peer);
}

static void call_fire(struct timer *timer)
{
	struct peer_life *peer = container_of(timer, struct peer_life, timer);
	struct section_life *home = peer->peer->section->life;

	if (peer->link)
		return;
	peer->tried_ms = clock_now_ms;
	peer->calls++;
	peer->link = peer_link_call(home, peer);
	if (!peer->link)
		call_failed(peer, 0);
}

/* ---- connections come and go ------------------------------------------------------------------- */

static void add_counts(struct talk_counts *sum, const struct talk_counts *c)
{
	sum->messages_in += c->messages_in;
	sum->messages_out += c->messages_out;
	sum->bytes_in += c->bytes_in;
	sum->bytes_out += c->bytes_out;
	sum->updates_in += c->updates_in;
	sum->updates_out += c->updates_out;
	sum->beats_in += c->beats_in;
	sum->beats_out += c->beats_out;
	sum->acks_in += c->acks_in;
	sum->acks_out += c->acks_out;
	sum->errors += c->errors;
	sum->ignored += c->ignored;
}

/* The member has no connection any more. */
static void forget_link(struct peer_link *link)
{
	struct peer_life *peer = link->peer;

	peer->link = NULL;
	tally_stir();
	if (link->state != LINK_TALKS)
		return;
	add_counts(&peer->before, talk_counts(link->talk));
	link->home->talking--;
	pace_listeners(-1);
	resync_lost(link->home, link);
}

/* Another connection of the member has come, or nobody is to have one any more. */
static void drop_link(struct peer_life *peer)
{
	struct peer_link *link = peer->link;

	if (!link)
		return;
	forget_link(link);
	peer_link_close(&link, false);
}

static struct peer_life *find_life(struct section_life *home, struct span name)
{
	unsigned i;

	for (i = 0; i < home->life_count; i++)
		if (span_equal(span_of(home->lives[i].peer->name), name))
			return &home->lives[i];
	return NULL;
}

static enum hello_status peers_hello(const struct peer_link *link, struct span caller)
{
	const struct peer_life *peer = find_life(link->home, caller);

	if (!peer)
		return HELLO_STRANGER;
	return peer->peer->local && peer->link ? HELLO_TWICE : HELLO_ACCEPTED;
}

static void peers_takes(struct peer_link *link, struct span caller)
{
	struct peer_life *peer = find_life(link->home, caller);

	link->tie = peer->link != NULL;
	peer->collisions += link->tie;
	drop_link(peer);
	timer_cancel(&peer->timer);
	link->home->fresh--;
	link->peer = peer;
	peer->link = link;
	peer->accepted++;
	peer->status = HELLO_ACCEPTED;
	peer->refused = false;
}

static void peers_talks(struct peer_link *link)
{
	struct peer_life *peer = link->peer;

	link->home->talking++;
	pace_listeners(1);
	peer->hello_ms = clock_now_ms;
	tally_stir();
	if (link->called) {
		peer->calls_taken++;
		peer->status = HELLO_ACCEPTED;
		peer->refused = false;
	}
	if (link->successor) {
		talk_teach(link->talk);
		return;
	}
	say_up(link);
	resync_talks(link->home);
}

static void peers_said(struct peer_link *link)
{
	unsigned events = link->events;
	struct peer_life *peer = link->peer;

	if (events & (SAID_FINISHED | SAID_PARTIAL))
		resync_taught(link->home, link, events & SAID_FINISHED);
	if (events & SAID_CONFIRMED && link->successor) {
		leave_taught(link->home);
		drop_link(peer);
	}
}

/* Both sides may have closed the connection of the other one: they do not call at once. */
static uint64_t tie_break(void)
{
	return clock_now_ms + TIE_LEAST_MS + (uint64_t)random() % TIE_RANGE_MS;
}

static void peers_lost(struct peer_link *link, int status, const char *why)
{
	struct peer_life *peer = link->peer;
	bool talked = link->state == LINK_TALKS;

	if (!peer) {
		link->home->fresh--;
		if (status || link->state == LINK_SHAKES)
			say_stranger(link->home->section, status, why);
		return;
	}
	if (peer->link != link)
		return;
	snprintf(peer->why, sizeof(peer->why), "%s", why);
	forget_link(link);
	if (link->successor) {
		leave_lost(link->home, link->conn->error == ECONNREFUSED);
	} else if (!talked) {
		call_failed(peer, status);
	} else if (peer->peer->local) {
		peer->known_up = false;
	} else if (link->tie && clock_now_ms - link->since_ms < TIE_LEAST_MS + TIE_RANGE_MS) {
		call_at(peer, tie_break());
	} else {
		say_lost(link, why);
		call_again(peer);
	}
}

/* ---- listening ----------------------------------------------------------------------------------
 */

/* Members say hello at once: who has waited longest without a name is none. */
static void drop_oldest(struct section_life *home)
{
	struct peer_link *link;

	list_for_each(link, &home->links, node) {
		if (link->peer)
			continue;
		home->fresh--;
		peer_link_close(&link, true);
		return;
	}
}

static void accepted(struct listener *l, int *fd, const struct addr *from)
{
	struct peers_section *s;

	(void)from;
	list_for_each(s, &peers_running->sections, node) {
		if (s->proxy != l->bind->owner || !s->life)
			continue;
		if (s->life->fresh >= PEERS_FRESH_MOST)
			drop_oldest(s->life);
		peer_link_accept(s->life, l, fd);
		return;
	}
	close(*fd);
	*fd = -1;
}

static void each_listener(const struct peers_section *s, void (*fn)(struct listener *l))
{
	struct listener *l;

	list_for_each(l, &s->bind->listeners, node)
		fn(l);
}

static void tie_listener(struct listener *l)
{
	l->accepted = accepted;
	l->light = true;
}

static void hear(struct listener *l)
{
	if (l->src.fd >= 0 && listener_start(l) < 0)
		log_process(LOG_L_ALERT, "Peers: the poller does not take a listening socket.");
}

/* ---- sections ---------------------------------------------------------------------------------- */

static void section_begin(struct peers_section *s)
{
	struct section_life *life;
	struct peer *p;
	unsigned n = 0;

	list_for_each(p, &s->peers, node)
		n++;
	life = calloc(1, sizeof(*life) + n * sizeof(life->lives[0]));
	if (!life) {
		peers_log(s, LOG_L_ALERT, "Peers %s: out of memory: it does not speak.", s->name);
		return;
	}
	s->life = life;
	life->section = s;
	list_init(&life->links);
	list_for_each(p, &s->peers, node) {
		struct peer_life *peer = &life->lives[life->life_count++];

		peer->peer = p;
		p->life = peer;
		timer_init(&peer->timer, call_fire);
		call_at(peer, clock_now_ms);
	}
	resync_begin(life, peers_running->succeeds);
	each_listener(s, hear);
}

/* Of all links, also those without a name. */
static void section_quiet(struct section_life *life)
{
	struct peer_link *link, *next;
	unsigned i;

	for (i = 0; i < life->life_count; i++) {
		timer_cancel(&life->lives[i].timer);
		drop_link(&life->lives[i]);
	}
	list_for_each_safe(link, next, &life->links, node)
		peer_link_close(&link, false);
	life->fresh = 0;
	resync_end(life);
}

static void section_end(struct peers_section *s)
{
	struct peer *p;

	if (!s->life)
		return;
	section_quiet(s->life);
	list_for_each(p, &s->peers, node)
		p->life = NULL;
	free(s->life);
	s->life = NULL;
}

/* ---- for peers_conf.c and leave.c -------------------------------------------------------------- */

void peers_speak(bool on)
{
	struct peers_section *s;

	if (on == speaking || (on && (!began || leave_began)))
		return;
	speaking = on;
	if (on)
		pace_begin();
	list_for_each(s, &peers_running->sections, node) {
		if (!peers_section_speaks(s))
			continue;
		if (on) {
			section_begin(s);
		} else {
			each_listener(s, listener_full);
			section_end(s);
		}
	}
	if (!on)
		pace_end();
}

void peers_quiet(void)
{
	struct peers_section *s;

	list_for_each(s, &peers_running->sections, node)
		if (s->life)
			section_quiet(s->life);
}

/* A table of the section itself is "section/name" here, and "/name" there. */
static const char *wire_name(const struct peers_section *s, const char *name)
{
	size_t len = strlen(s->name);

	return !strncmp(name, s->name, len) && name[len] == '/' ? name + len : name;
}

/* The tables that name the section, as they are called there. */
static void gather_tables(struct config *cfg, struct peers_section *s)
{
	struct peers_table *tables = NULL;
	struct stick_line *line;
	unsigned n = 0;

	list_for_each(line, &stick_running->lines, node)
		n += line->peers && !strcmp(line->peers, s->name);
	tables = arena_alloc(cfg->arena, (n + 1) * sizeof(*tables));
	list_for_each(line, &stick_running->lines, node)
		if (line->peers && !strcmp(line->peers, s->name))
			tables[s->table_count++] = (struct peers_table){
				.table = line->table,
				.name = wire_name(s, line->name),
				.write_to = line->written_to ? line->written_to->table : NULL,
				.recv_only = line->recv_only,
			};
	s->tables = tables;
}

void peers_open(struct config *cfg)
{
	struct peers_section *s;
	unsigned i;

	link_hooks.hello = peers_hello;
	link_hooks.takes = peers_takes;
	link_hooks.talks = peers_talks;
	link_hooks.said = peers_said;
	link_hooks.lost = peers_lost;
	link_hooks.up_to_date = peers_up_to_date;
	list_for_each(s, &peers_running->sections, node) {
		if (!peers_section_speaks(s))
			continue;
		each_listener(s, tie_listener);
		gather_tables(cfg, s);
		for (i = 0; i < s->table_count; i++)
			stick_feed_begin(s->tables[i].table);
	}
	pace_prepare();
}

static bool any_speaks(void)
{
	const struct peers_section *s;

	list_for_each(s, &peers_running->sections, node)
		if (peers_section_speaks(s))
			return true;
	return false;
}

int peers_begin(struct err *err)
{
	if (!any_speaks())
		return 0;
	if (pace_start(err) < 0)
		return -1;
	began = true;
	facts_on_checker(peers_speak);
	peers_speak(facts_checker.here);
	return 0;
}

void peers_end(void)
{
	facts_off_checker(peers_speak);
	peers_speak(false);
	began = false;
}

struct peers_totals peers_totals(void)
{
	struct peers_totals totals = { .connected = 0 };
	const struct peers_section *s;
	unsigned i;

	list_for_each(s, &peers_running->sections, node)
		for (i = 0; s->life && i < s->life->life_count; i++) {
			const struct peer_link *link = s->life->lives[i].link;

			totals.connected += link && link->state != LINK_CONNECTS;
			totals.active += link && link->state == LINK_TALKS;
		}
	return totals;
}
