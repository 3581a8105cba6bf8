/* SPDX-License-Identifier: BSD-2-Clause */
/* Connections with TLS, as tls/ tells of them, in the tally of the process. */
#include "base/clock.h"
#include "proxy/global.h"
#include "proxy/sums.h"
#include "tally/tally.h"
#include "tls/conn.h"

static void tls_keys(bool accepted)
{
	rate_add(accepted ? &global_tally->tls_front_keys : &global_tally->tls_back_keys,
		 clock_now_ms, 1);
}

static void tls_connects(int change)
{
	global_tally->tls_current += (unsigned)change;
	global_tally->cum_tls += change > 0;
}

static bool tls_may(void)
{
	return !global_state->max_tls ||
	       gauge_sum(&global_tally->tls_current) < global_state->max_tls;
}

void tls_count(void)
{
	tls_keys_made = tls_keys;
	tls_connect_counted = tls_connects;
	tls_may_connect = tls_may;
}
