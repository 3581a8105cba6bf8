/* SPDX-License-Identifier: BSD-2-Clause */
/* The gauge of retries: raised first, then compared, so that processes together never go too far.
 * Called by stream/retry.c. */
#include "proxy/budget.h"

#include "proxy/sums.h"
#include "tally/tally.h"


unsigned budget_limit(const struct retry_budget *budget, unsigned requests)
{
	uint64_t share = (uint64_t)requests * budget->percent / 100;

	return share > budget->least ? (unsigned)share : budget->least;
}

/* Others read it to decide. */
static void change(struct proxy *backend, unsigned by)
{
	__atomic_store_n(&backend->be->retrying, backend->be->retrying + by, __ATOMIC_SEQ_CST);
}

bool budget_take(struct proxy *backend)
{
	unsigned limit = budget_limit(&backend->set.budget, backend_sessions(backend));

	change(backend, 1);
	if (gauge_sum(&backend->be->retrying) <= limit)
		return true;
	change(backend, -1u);
	return false;
}

void budget_give(struct proxy *backend)
{
	change(backend, -1u);
}
