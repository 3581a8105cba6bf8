/* SPDX-License-Identifier: BSD-2-Clause */
/* A small generation of proxies, servers and listeners for the tests of stats/ and cli/, made
 * by hand: what shows and changes things works on it as on a running process. */
#ifndef STATS_TEST_WORLD_H
#define STATS_TEST_WORLD_H

#include "net/listener.h"
#include "proxy/global.h"
#include "proxy/proxy.h"
#include "tally/tallies.h"

struct world {
	struct proxies all;
	struct global_state global;
	struct global_tally global_tally;
	struct proxy *one, *fe, *be, *empty, *stats;
	struct server *s1, *s2, *s3, *s4; /* of one: up, backup, down, disabled; all but the
					   * last checked */
	struct server *t1, *t2, *t3;      /* of be: tracks s1; in slowstart; plain */
};

/* The world anew, the clock standing at 1000 seconds. */
struct world *world_new(void);
void world_free(struct world **world);
/* One more backend "many" with n servers m0, m1, ... */
struct proxy *world_add_many(struct world *world, int n);

#endif
