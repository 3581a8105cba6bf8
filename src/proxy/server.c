/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a server is beside its transitions (server_change.c): as what it enters service, its port,
 * whether it speaks TLS, how far it has warmed up. And the hooks of upper layers.
 */
#include "proxy/server.h"

#include "base/clock.h"

struct server_hooks server_hooks;

void server_set_port(struct server *s, bool follows, uint16_t port)
{
	s->state->port_follows = follows;
	s->state->port_offset = follows ? port : 0;
	s->state->addr.port = follows ? 0 : port;
}

/* One failed check takes it down, unless "init-state" says otherwise. */
int server_first_health(const struct server *s)
{
	int rise = s->set.rise;

	if (!(s->set.options.on & SRV_CHECK))
		return rise;
	switch ((enum init_state)s->set.init_state) {
	case INIT_STATE_FULLY_UP:
		return rise + s->set.fall - 1;
	case INIT_STATE_DOWN:
		return rise - 1;
	case INIT_STATE_FULLY_DOWN:
		return 0;
	case INIT_STATE_NONE:
	case INIT_STATE_UP:
		break;
	}
	return rise;
}

void server_switch_tls(struct server *s, bool on)
{
	s->tls = on ? s->tls_switch : NULL;
	s->particular = true;
}

/* How much of the ramp lies behind: 1..slowstart, in ms. */
static uint64_t ramp_elapsed(const struct server *s)
{
	uint64_t elapsed = clock_now_ms - s->state->warm_ms;

	return elapsed < 1 ? 1 : elapsed > s->set.slowstart ? s->set.slowstart : elapsed;
}

unsigned server_ramped(const struct server *s, unsigned value)
{
	if (s->state->op != SERVER_STARTING || !value)
		return value;
	return (unsigned)((value * ramp_elapsed(s) + s->set.slowstart - 1) / s->set.slowstart);
}
