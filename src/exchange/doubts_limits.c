/* SPDX-License-Identifier: BSD-2-Clause */
/* Limits of servers that the section's own makes meaningless. Called by doubts.c for each section,
 * once all is known. */
#include "exchange/doubts.h"

#include "proxy/proxy.h"

static void doubt_server(struct config *cfg, const struct proxy *px, const struct server *s)
{
	unsigned front = px->caps & PROXY_FRONTEND ? px->set.maxconn : 0;

	if (front && s->set.maxconn > front)
		config_note(cfg, &s->loc,
			    "server '%s': maxconn %u is never reached: '%s' itself has "
			    "maxconn %u",
			    s->id, s->set.maxconn, px->name, front);
}

void doubt_limits(struct config *cfg, const struct proxy *px)
{
	const struct server *s;

	for (s = px->servers; s; s = s->next)
		doubt_server(cfg, px, s);
}
