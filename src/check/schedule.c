/* SPDX-License-Identifier: BSD-2-Clause */
#include "check/schedule.h"

#include "base/clock.h"
#include "check/check.h"
#include "proxy/agent_conf.h"
#include "proxy/facts.h"
#include "proxy/proxy.h"

#include <stdlib.h>

int schedule_spread;

static unsigned first_of(unsigned a, unsigned b)
{
	return a ? a : b;
}

/* Manual 5.2 "inter": fully up; in between; fully down. */
static unsigned interval(const struct check *check)
{
	const struct server *s = check->server;
	int health = s->state->health;

	if (check->is_agent)
		return agent_conf_of(s)->inter;
	if (health >= s->set.rise + s->set.fall - 1)
		return s->set.inter;
	if (health <= 0)
		return first_of(s->set.downinter, s->set.inter);
	return first_of(s->set.fastinter, s->set.inter);
}

/* The interval, more or less the share of spread-checks. */
static unsigned spread(unsigned ms)
{
	unsigned range = (unsigned)((uint64_t)ms * (unsigned)schedule_spread / 100);

	return range ? ms - range + (unsigned)(random() % (2 * (long)range + 1)) : ms;
}

unsigned schedule_wait(const struct check *check)
{
	return spread(interval(check));
}

unsigned schedule_fast_wait(const struct server *s)
{
	return spread(first_of(s->set.fastinter, s->set.inter));
}

/* In maintenance, or paused by an administrator, nobody asks; agents are asked in maintenance,
 * too: they may end it. */
bool schedule_wanted(const struct check *check)
{
	const struct server_state *state = check->server->state;

	if (!facts_checker.here)
		return false;
	return check->is_agent ? !state->agent.paused :
				 !state->check.paused && !(state->admin & ADMIN_MAINT);
}

void schedule_in(struct check *check, unsigned ms)
{
	timer_set(&check->timer, clock_now_ms + ms);
}

/* Counted from the beginning of the last one, so that its duration does not matter. */
void schedule_next(struct check *check)
{
	uint64_t when = check->started_ms + schedule_wait(check);

	if (schedule_wanted(check))
		timer_set(&check->timer, when > clock_now_ms ? when : clock_now_ms);
}

/* Until connected: timeout connect, but not longer than inter; then timeout check, if there is
 * one, else inter for all (manual 4.2 "timeout check"). */
void schedule_limit(struct check *check)
{
	const struct timeouts *t = &check->server->proxy->set.timeout;
	unsigned inter = check->is_agent ? agent_conf_of(check->server)->inter :
					   check->server->set.inter;
	uint64_t elapsed = clock_now_ms - check->started_ms;

	if (!t->check)
		schedule_in(check, elapsed < inter ? inter - (unsigned)elapsed : 0);
	else if (check->connected)
		schedule_in(check, t->check);
	else
		schedule_in(check, t->connect && t->connect < inter ? t->connect : inter);
}
