/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * retry-budget: of the requests that a backend has at a moment only so many may be tries beyond the
 * first, all processes together. A request whose retry was allowed counts until it ends.
 */
#ifndef PROXY_BUDGET_H
#define PROXY_BUDGET_H

#include "proxy/proxy.h"

/* How many retries of so many requests there may be. */
unsigned budget_limit(const struct retry_budget *budget, unsigned requests);
/* One of the backend's requests is about to be tried again: counts it. False: it may not be, and
 * nothing is counted. Of two processes that ask for the last place at once, both may hear no. */
bool budget_take(struct proxy *backend);
void budget_give(struct proxy *backend);

#endif
