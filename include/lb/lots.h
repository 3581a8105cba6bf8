/* SPDX-License-Identifier: BSD-2-Clause */
/* A group whose servers are drawn by lot, as likely as their weights are heavy. For the
 * algorithms of src/lb/ that do: their struct lb_algo has lots_create, lots_change for join and
 * leave, lots_reweigh. */
#ifndef LB_LOTS_H
#define LB_LOTS_H

#include "lb/algo.h"

struct lots_group {
	struct lb_group base;   /* first */
	struct lb_node **lots;  /* base.usable of them */
	uint64_t *sums;         /* of the weights up to and with that one */
	bool stale;
};

struct lb_group *lots_create(struct arena *arena, const struct lb_group *like);
void lots_free(struct lb_group *group);
int lots_room(struct lb_group *group, unsigned nodes);
void lots_change(struct lb_node *node);
void lots_reweigh(struct lb_node *node, unsigned old);

/* An index into g->lots; there is at least one. */
unsigned lots_draw(struct lots_group *g);
/* May it be taken: it has room, is below the bound of "hash-balance-factor", not the one to be
 * avoided? */
bool lots_suits(const struct lb_node *node, const struct balance_key *key);
/* Where those that were drawn may not: the first that may, from a random one on; else one that has
 * room. NULL: all are full. Behind lots_draw. */
struct lb_node *lots_look_through(const struct lots_group *g, const struct balance_key *key);

#endif
