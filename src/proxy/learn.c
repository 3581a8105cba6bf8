/* SPDX-License-Identifier: BSD-2-Clause */
/* Passes on what was seen of a server. Called by the steps of streams for each response of a server
 * that somebody learns from; it writes this process's tally, and changes nothing else by itself. */
#include "proxy/learn.h"

#include "proxy/latency.h"
#include "proxy/observe_conf.h"

struct proxy_part eject_conf_part = { PROXY_SETTINGS("eject", struct eject_conf) };

static unsigned learns_if(bool is, unsigned bits)
{
	return is ? bits : 0;
}

/* In mode http a connection that was made says little, so that only responses count there. */
unsigned learn_wanted(const struct server *s)
{
	const struct proxy_settings *set = &s->proxy->set;

	return learns_if(observe_conf_of(s)->layer == OBSERVE_LAYER4, LEARNS_CONNECTIONS) |
	       learns_if(observe_conf_of(s)->layer == OBSERVE_LAYER7, LEARNS_RESPONSES) |
	       learns_if(learn_times(s->proxy), LEARNS_CONNECTIONS | LEARNS_RESPONSES) |
	       learns_if(set->balance == BALANCE_PEAK_EWMA, LEARNS_LATENCY) |
	       learns_if(eject_conf_of(s->proxy) != NULL, LEARNS_OUTCOME);
}

/* Is it what the mode of the backend is judged by? */
static bool counts(const struct server *s, enum observed what)
{
	return what != OBSERVED_CONNECTED || s->proxy->set.mode != MODE_HTTP;
}

static void count_outcome(struct server_tally *tally, bool good, uint64_t us)
{
	tally->answered++;
	tally->failed += !good;
	tally->answered_us += good ? us : 0;
}

void learn_seen(struct server *s, enum observed what, uint64_t us)
{
	bool good = what == OBSERVED_CONNECTED || what == OBSERVED_GOOD_RESPONSE;

	if (s->learns & LEARNS_LATENCY && counts(s, what))
		latency_add(s, good || us > LEARN_FAILED_US ? us : LEARN_FAILED_US);
	if (s->learns & LEARNS_OUTCOME && counts(s, what))
		count_outcome(s->tally, good, us);
	if (observe_conf_of(s)->layer != OBSERVE_NONE && server_hooks.observed)
		server_hooks.observed(s, what);
}
