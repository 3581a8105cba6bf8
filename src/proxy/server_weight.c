/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The weight of a server, and the ramp of "slowstart" that lets it and the limit of sessions
 * (slot.c) grow after it came up. And the words with which its state is shown.
 */
#include "proxy/server.h"

#include "base/clock.h"
#include "base/err.h"
#include "proxy/proxy.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RAMP_STEPS 20
#define RAMP_STEP_MIN_MS 100

/* -- slowstart --------------------------------------------------------------------------- */

static void ramp_arm(struct server *s)
{
	unsigned step = s->set.slowstart / RAMP_STEPS;

	timer_set(&s->warm_up, clock_now_ms + (step < RAMP_STEP_MIN_MS ? RAMP_STEP_MIN_MS : step));
}

static void ramp_step(struct timer *timer)
{
	struct server *s = container_of(timer, struct server, warm_up);

	if (s->state->op != SERVER_STARTING)
		return;
	if (clock_now_ms - s->state->warm_ms >= s->set.slowstart) {
		server_warmed_up(s);
		return;
	}
	server_update_weight(s);
	server_has_room(s);
	ramp_arm(s);
}

void server_warm_up(struct server *s)
{
	s->state->op = SERVER_STARTING;
	s->state->warm_ms = clock_now_ms;
	timer_cancel(&s->warm_up);
	timer_init(&s->warm_up, ramp_step);
	ramp_arm(s);
}

/* -- weight ------------------------------------------------------------------------------ */

void server_update_weight(struct server *s)
{
	unsigned fine = server_ramped(s, s->state->user_weight * FINE_WEIGHT);

	if (fine == s->state->fine_weight)
		return;
	s->state->fine_weight = fine;
	s->state->effective_weight = (fine + FINE_WEIGHT - 1) / FINE_WEIGHT;
	if (server_hooks.lb_changed)
		server_hooks.lb_changed(s);
}

/* Algorithms that are laid out once know only none and all of the configured weight. */
static bool static_weights(const struct proxy_settings *set)
{
	return set->balance == BALANCE_STATIC_RR ||
	       (balance_is_hash(set->balance) && set->hash_method == HASH_MAP_BASED);
}

static int parse_weight(const struct server *s, const char *text, unsigned *weight,
			struct err *err)
{
	long value;
	char *end;

	if (!*text)
		return err_set(err, "Require <weight> or <weight%%>.");
	value = strtol(text, &end, 10);
	if (end == text)
		return err_set(err, "Empty weight string empty or preceded by garbage");
	if (*end == '%' && !end[1]) {
		if (value < 0)
			return err_set(err, "Relative weight must be positive.");
		if (value > INT_MAX)
			value = INT_MAX;
		value = (long)s->set.weight * value / 100;
		*weight = value > 256 ? 256 : (unsigned)value;
		return 0;
	}
	if (*end)
		return err_set(err, "Trailing garbage in weight string");
	if (value < 0 || value > 256)
		return err_set(err, "Absolute weight can only be between 0 and 256 inclusive.");
	*weight = (unsigned)value;
	return 0;
}

int server_read_weight(const struct server *s, const char *text, unsigned *weight, struct err *err)
{
	if (parse_weight(s, text, weight, err))
		return -1;
	if (static_weights(&s->proxy->set) && *weight && *weight != (unsigned)s->set.weight)
		return err_set(err, "Backend is using a static LB algorithm and only accepts weights "
			       "'0%%' and '100%%'.");
	return 0;
}

void server_take_weight(struct server *s, unsigned weight)
{
	bool was_usable = server_usable(s);

	s->state->user_weight = weight;
	server_update_weight(s);
	if (!was_usable && server_usable(s))
		server_has_room(s);
}

void server_take_maxconn(struct server *s, unsigned maxconn)
{
	s->state->maxconn = maxconn;
	server_has_room(s);
}

/* -- shown as ---------------------------------------------------------------------------- */

static const struct server *checked_one(const struct server *s)
{
	while (s->tracked)
		s = s->tracked;
	return s;
}

static void maint_text(const struct server *s, char *buf, size_t size)
{
	if (s->state->admin & ADMIN_FORCED_MAINT)
		snprintf(buf, size, "MAINT");
	else if (s->state->admin & ADMIN_INHERITED_MAINT && s->tracked)
		snprintf(buf, size, "MAINT (via %s/%s)", s->tracked->proxy->name, s->tracked->id);
	else
		snprintf(buf, size, "MAINT (resolution)");
}

/* "UP", "UP 2/3": so many more failures until it is down; "DOWN 1/2": successes seen. */
static void up_text(const struct server *s, const char *word, char *buf, size_t size)
{
	const struct server_settings *set = &s->set;
	int health = s->state->health;

	if (health >= set->rise + set->fall - 1)
		snprintf(buf, size, "%s", word);
	else
		snprintf(buf, size, "%s %d/%d", word, health - set->rise + 1, set->fall);
}

const char *server_status_text(const struct server *s, char *buf, size_t size)
{
	const struct server *checked = checked_one(s);
	bool checks = checked->set.options.on & SRV_CHECK && !checked->state->check.paused;

	if (s->state->admin & ADMIN_MAINT) {
		maint_text(s, buf, size);
	} else if (s->state->op == SERVER_DOWN && checked->state->agent_down) {
		snprintf(buf, size, "DOWN (agent)");
	} else if (s->state->op == SERVER_DOWN) {
		if (checks && checked->state->health)
			snprintf(buf, size, "DOWN %d/%d", checked->state->health,
				 checked->set.rise);
		else
			snprintf(buf, size, "DOWN");
	} else if (s->state->admin & ADMIN_DRAIN && checked->set.options.on & SRV_AGENT_CHECK) {
		snprintf(buf, size, "DRAIN (agent)");
	} else if (s->state->admin & ADMIN_DRAIN) {
		if (checks)
			up_text(checked, "DRAIN", buf, size);
		else
			snprintf(buf, size, "DRAIN");
	} else if (s->state->admin & ADMIN_EJECTED) {
		snprintf(buf, size, "DRAIN (ejected)");
	} else if (s->state->op == SERVER_STOPPING) {
		if (checks)
			up_text(checked, "NOLB", buf, size);
		else
			snprintf(buf, size, "NOLB");
	} else if (checks) {
		up_text(checked, "UP", buf, size);
	} else {
		snprintf(buf, size, "no check");
	}
	return buf;
}
