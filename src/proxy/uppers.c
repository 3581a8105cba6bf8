/* SPDX-License-Identifier: BSD-2-Clause */
/* Which frontends may use a backend, by the configuration, and how many sessions they bring. */
#include "base/arena.h"
#include "proxy/proxy_conf.h"

/* A frontend that may use a backend: in backend->uppers. */
struct upper {
	struct list node;
	const struct proxy *frontend;
};

void proxy_link(struct config *cfg, struct proxy *frontend, struct proxy *backend)
{
	struct upper *upper;

	list_for_each(upper, &backend->uppers, node)
		if (upper->frontend == frontend)
			return;
	upper = arena_alloc(cfg->arena, sizeof(*upper));
	upper->frontend = frontend;
	list_append(&backend->uppers, &upper->node);
}

bool proxy_leads(const struct proxy *frontend, const struct proxy *backend)
{
	const struct upper *upper;

	if (!(frontend->caps & PROXY_FRONTEND) || !(backend->caps & PROXY_BACKEND))
		return false;
	if (frontend->switch_anywhere)
		return true;
	list_for_each(upper, &backend->uppers, node)
		if (upper->frontend == frontend)
			return true;
	return false;
}

unsigned proxy_uppers_maxconn(const struct proxy *backend)
{
	const struct upper *upper;
	uint64_t sum = 0;

	list_for_each(upper, &backend->uppers, node)
		sum += upper->frontend->state->maxconn;
	return sum > UINT32_MAX ? UINT32_MAX : (unsigned)sum;
}
