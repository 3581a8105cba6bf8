/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Transitions of servers between up, down, stopping, maintenance and drain. Each one changes
 * the state, tells lb/ and stream/ through the hooks, moves waiting streams, writes the lines
 * of the log and then does the same to those that track the server. Called by health checks,
 * the stats socket and observation of traffic. Never talks to a server.
 *
 * In maintenance the operational state is DOWN; leaving it, a server takes over the state of
 * the one that it tracks, or is up until a check says otherwise.
 */
#include "proxy/server.h"

#include "base/clock.h"
#include "event/change.h"
#include "log/log.h"
#include "proxy/facts.h"
#include "proxy/proxy.h"
#include "proxy/server_event.h"
#include "proxy/sums.h"
#include "share/segment.h"

/* -- what changes around a transition ---------------------------------------------------- */

static void count_usable(const struct proxy *px, unsigned *active, unsigned *backup)
{
	const struct server *s;

	*active = *backup = 0;
	for (s = px->servers; s; s = s->next)
		if (server_usable(s))
			(*(s->set.options.on & SRV_BACKUP ? backup : active))++;
}

/* Before anything changes. */
static struct server_event event_begin(struct server *s)
{
	struct server_event ev = { .server = s, .was_usable = server_usable(s),
				   .was_down = s->state->op == SERVER_DOWN,
				   .op_before = s->state->op, .admin_before = s->state->admin };
	unsigned active, backup;

	count_usable(s->proxy, &active, &backup);
	ev.had_servers = active + backup > 0;
	return ev;
}

static void proxy_lost_all(struct proxy *px)
{
	const char *kind = px->caps & PROXY_FRONTEND ? "proxy" : "backend";

	px->state->down_transitions++;
	px->state->changed_ms = clock_now_ms;
	if (!log_printf(px->set.log, LOG_L_EMERG, "%s %s has no server available!", kind, px->name))
		log_stderr(LOG_L_ALERT, "%s '%s' has no server available!", kind, px->name);
}

static void proxy_has_again(struct proxy *px)
{
	px->state->downtime_ms += clock_now_ms - px->state->changed_ms;
	px->state->changed_ms = clock_now_ms;
}

/* After the state was changed: everybody who must know is told. */
static void event_apply(struct server_event *ev)
{
	struct server *s = ev->server;
	bool usable = server_usable(s);

	if (server_hooks.lb_changed)
		server_hooks.lb_changed(s);
	ev->sessions = server_sessions(s);
	if (s->state->op == SERVER_DOWN) {
		if (server_hooks.went_down)
			server_hooks.went_down(s);
		ev->requeued = server_takes_none(s);
	} else if (usable && !ev->was_usable) {
		if (server_hooks.came_up)
			server_hooks.came_up(s);
		ev->requeued = server_has_room(s);
	}
	count_usable(s->proxy, &ev->active, &ev->backup);
}

static void event_end(const struct server_event *ev)
{
	struct proxy *px = ev->server->proxy;
	bool has = ev->active + ev->backup > 0;

	if (ev->had_servers && !has)
		proxy_lost_all(px);
	else if (!ev->had_servers && has)
		proxy_has_again(px);
}

static void event_tell(const struct server_event *ev, unsigned what)
{
	if (ev->op_before != ev->server->state->op)
		what |= SERVER_CHANGED_OP;
	if (server_hooks.changed && what)
		server_hooks.changed(ev, what);
}

/* -- up, down, stopping ------------------------------------------------------------------ */

static void went_down(struct server_state *state)
{
	state->op = SERVER_DOWN;
	state->down_transitions++;
	state->changed_ms = clock_now_ms;
}

static void came_up(struct server *s)
{
	struct server_state *state = s->state;

	if (state->op == SERVER_DOWN)
		state->downtime_ms += clock_now_ms - state->changed_ms;
	if (s->set.slowstart && state->op == SERVER_DOWN)
		server_warm_up(s);
	else
		state->op = SERVER_UP;
	state->changed_ms = clock_now_ms;
}

static void set_op(struct server *s, enum server_op op)
{
	if (op == SERVER_DOWN) {
		went_down(s->state);
		/* Where the agent alone says so, the checks keep their opinion. */
		if (s->state->health >= s->set.rise && !s->state->agent_down)
			s->state->health = 0;
	} else if (op == SERVER_STOPPING) {
		if (s->state->op == SERVER_DOWN)
			s->state->downtime_ms += clock_now_ms - s->state->changed_ms;
		s->state->op = SERVER_STOPPING;
		s->state->changed_ms = clock_now_ms;
	} else {
		if (s->state->health < s->set.rise)
			s->state->health = s->set.rise;
		came_up(s);
	}
	facts_publish_checks(s);
	server_update_weight(s);
}

static void change_op(struct server *s, enum server_op op, const char *reason,
		      const struct server *via, const struct check_state *found);

/* Those that track it follow, unless they are in maintenance by themselves. */
static void trackers_follow(struct server *s, enum server_op op)
{
	struct server *t;

	list_for_each(t, &s->trackers, tracker_node)
		change_op(t, op, NULL, s, NULL);
}

static bool same_op(const struct server *s, enum server_op op)
{
	return op == SERVER_UP ? s->state->op == SERVER_UP || s->state->op == SERVER_STARTING :
				 s->state->op == op;
}

static void change_op(struct server *s, enum server_op op, const char *reason,
		      const struct server *via, const struct check_state *found)
{
	struct server_event ev;

	if ((s->state->admin & ADMIN_MAINT) || same_op(s, op))
		return;
	ev = event_begin(s);
	ev.reason = reason;
	ev.via = via;
	ev.found = found;
	set_op(s, op);
	event_apply(&ev);
	server_log_op(&ev);
	event_end(&ev);
	event_tell(&ev, 0);
	trackers_follow(s, op);
}

void server_set_up(struct server *s, const char *reason)
{
	change_op(s, SERVER_UP, reason, NULL, NULL);
}

void server_set_down(struct server *s, const char *reason)
{
	change_op(s, SERVER_DOWN, reason, NULL, NULL);
}

void server_set_stopping(struct server *s, const char *reason)
{
	change_op(s, SERVER_STOPPING, reason, NULL, NULL);
}

void server_set_found(struct server *s, enum server_op op, const char *reason,
		      const struct check_state *state)
{
	change_op(s, op, reason, NULL, state);
}

/* The ramp has ended: said like a transition, which it is for lb/. Each process finds it out by
 * itself; the parent, or the only one, says it. */
void server_warmed_up(struct server *s)
{
	struct server_event ev = event_begin(s);
	bool first = change_first;

	change_first = first && segment_own_row == 0;
	s->state->op = SERVER_UP;
	s->state->changed_ms = clock_now_ms;
	server_update_weight(s);
	event_apply(&ev);
	server_log_op(&ev);
	event_tell(&ev, 0);
	change_first = first;
}

/* -- maintenance and drain --------------------------------------------------------------- */

static void change_admin(struct server *s, unsigned set, unsigned clear, const struct server *via);

static void enter_maint(struct server_event *ev)
{
	struct server *s = ev->server;

	if (!ev->was_down)
		went_down(s->state);
	server_update_weight(s);
	event_apply(ev);
	server_log_maint(ev);
	event_end(ev);
}

/* Nobody keeps it in maintenance any more: it is what the one is that it tracks, or what it enters
 * service as, until a check says otherwise. */
static void leave_maint(struct server_event *ev)
{
	struct server *s = ev->server;
	int health = server_first_health(s);
	enum server_op op = s->tracked ? s->tracked->state->op :
			    health < s->set.rise ? SERVER_DOWN : SERVER_UP;

	s->state->health = s->tracked && op == SERVER_DOWN ? 0 : health;
	if (op != SERVER_DOWN)
		came_up(s);
	if (op == SERVER_STOPPING)
		s->state->op = SERVER_STOPPING;
	s->state->changed_ms = clock_now_ms;
	facts_publish_checks(s);
	server_update_weight(s);
	event_apply(ev);
	server_log_ready(ev);
	event_end(ev);
}

static void enter_or_leave_drain(struct server_event *ev)
{
	struct server *s = ev->server;

	s->state->changed_ms = clock_now_ms;
	server_update_weight(s);
	event_apply(ev);
	server_log_drain(ev);
	event_end(ev);
}

static void enter_or_leave_ejection(struct server_event *ev)
{
	event_apply(ev);
	server_log_ejection(ev);
	event_end(ev);
}

/* What the trackers inherit of it: the same, whoever caused it. */
static unsigned inherited(unsigned admin)
{
	return (admin & ADMIN_MAINT ? ADMIN_INHERITED_MAINT : 0) |
	       (admin & ADMIN_DRAIN ? ADMIN_INHERITED_DRAIN : 0);
}

static void trackers_inherit(struct server *s, unsigned before)
{
	unsigned was = inherited(before), is = inherited(s->state->admin);
	struct server *t;

	if (was == is)
		return;
	list_for_each(t, &s->trackers, tracker_node)
		change_admin(t, is & ~was, was & ~is, s);
}

static void change_admin_for(struct server *s, unsigned set, unsigned clear, const struct server *via,
			     const char *reason)
{
	struct server_event ev = event_begin(s);
	unsigned before = s->state->admin, after = (before & ~clear) | set;
	bool was_maint = before & ADMIN_MAINT, is_maint = after & ADMIN_MAINT;

	if (after == before)
		return;
	ev.via = via;
	ev.reason = reason;
	s->state->admin = (uint8_t)after;
	if (!was_maint && is_maint)
		enter_maint(&ev);
	else if (was_maint && !is_maint)
		leave_maint(&ev);
	else if (is_maint)
		server_log_still_maint(&ev);
	else if (!(before & ADMIN_DRAIN) != !(after & ADMIN_DRAIN))
		enter_or_leave_drain(&ev);
	else if ((before ^ after) & ADMIN_EJECTED)
		enter_or_leave_ejection(&ev);
	else
		server_log_still_drain(&ev);
	if (server_hooks.admin_changed)
		server_hooks.admin_changed(s);
	event_tell(&ev, SERVER_CHANGED_ADMIN);
	trackers_inherit(s, before);
}

static void change_admin(struct server *s, unsigned set, unsigned clear, const struct server *via)
{
	change_admin_for(s, set, clear, via, NULL);
}

void server_has_come(struct server *s)
{
	struct server_event ev = event_begin(s);
	unsigned active, backup;

	count_usable(s->proxy, &active, &backup);
	ev.had_servers = active + backup > ev.was_usable;
	ev.was_usable = false;
	server_update_weight(s);
	event_apply(&ev);
	event_end(&ev);
}

void server_set_admin(struct server *s, unsigned set, unsigned clear)
{
	change_admin(s, set, clear, NULL);
}

void server_set_unresolved(struct server *s, const char *reason)
{
	change_admin_for(s, ADMIN_RESOLUTION, 0, NULL, reason);
}

void server_eject(struct server *s, const char *reason)
{
	change_admin_for(s, ADMIN_EJECTED, 0, NULL, reason);
}
