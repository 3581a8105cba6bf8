/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What an algorithm of balancing is to src/lb/balance.c: a table of functions over a group of
 * servers, the active ones or the backup ones of a backend. Only usable servers are in a group;
 * balance.c lets them join and leave. For the files of src/lb/ alone.
 */
#ifndef LB_ALGO_H
#define LB_ALGO_H

#include "base/tree.h"

#include <stdbool.h>
#include <stdint.h>

struct arena;
struct balance_key;

struct lb_node;
struct proxy;
struct server;

/* A group; the algorithm's own struct begins with it. */
struct lb_group {
	struct proxy *proxy;
	struct lb_node **nodes; /* of all servers that may be in it, in the order of the file:
				 * allocated, as many as node_room */
	unsigned node_count, node_room;
	unsigned usable;        /* of these, in it now */
	uint64_t weight;        /* sum of their weights */
	uint32_t walk;          /* the last one around the servers for "hash-preserve-affinity" */
	bool running;           /* the start is over: what joins now has come up */
	uint64_t *turn;         /* static-rr: next slot, for both groups of the backend */
};

/* A server in its group. */
struct lb_node {
	struct server *server;
	struct lb_group *group;
	unsigned index;         /* in group->nodes */
	unsigned weight;        /* in force; 0: not in the group */
	uint32_t walk;          /* group->walk that has asked it last */
	struct tree_node place; /* in the algorithm's tree */
	union {
		struct {        /* roundrobin.c */
			struct tree *tree;
			struct lb_node *skipped; /* chain during one pick */
			uint32_t position, last, remainder;
		} rr;
		struct {        /* leastconn.c */
			unsigned others; /* load by other processes, when last seen */
			unsigned chosen; /* how often by all processes, when last seen */
		} lc;
		struct {        /* ring.c */
			struct ring_point *points; /* allocated */
			unsigned count;
			struct ring_key {
				uint32_t word, seed;
			} key;  /* that their places come from: "hash-key" */
		} ring;
	};
};

struct lb_algo {
	/* Weights are those of the file, divided by what they have in common, for as long as the
	 * server is usable; otherwise sixteenths of the weight in force, ramps included. */
	bool static_weights;
	/* A group that is zeroed but for proxy, nodes and node_count; NULL: out of memory. */
	struct lb_group *(*create)(struct arena *arena, const struct lb_group *like);
	void (*free)(struct lb_group *group); /* what is not in the arena; may be NULL */
	/* Nodes come while it serves: room for so many in all. 0; -1: no memory. NULL: it needs
	 * none. Nodes have come or gone, none of which is in use: what knows indexes is stale. */
	int (*room)(struct lb_group *group, unsigned nodes);
	/* The node has become usable: node->weight and the group's sums are set already. */
	void (*join)(struct lb_node *node);
	/* It is not any more; node->weight is still the old one, the sums are the new ones. */
	void (*leave)(struct lb_node *node);
	/* Another weight, set already like the sums. NULL: static_weights. */
	void (*reweigh)(struct lb_node *node, unsigned old);
	/* What the configuration and the state say of the server otherwise (its address) may have
	 * changed. May be NULL. */
	void (*moved)(struct lb_node *node);
	/* Its sessions or those waiting for it have changed. May be NULL. */
	void (*load)(struct lb_node *node);
	/* Other processes have made so many choices since the last call. Not of each; what is
	 * not told does not matter. NULL: choices have nothing to do with each other. */
	void (*others_chose)(struct lb_group *group, uint32_t n);
	/* This process begins to serve: its row is known. May be NULL. */
	void (*start)(struct lb_group *group);
	/* As balance_pick; there is at least one usable server in the group. */
	struct server *(*pick)(struct lb_group *group, const struct balance_key *key, bool *full);
};

extern const struct lb_algo lb_roundrobin;
extern const struct lb_algo lb_static_rr;
extern const struct lb_algo lb_leastconn;
extern const struct lb_algo lb_first;
extern const struct lb_algo lb_map;
extern const struct lb_algo lb_ring;
extern const struct lb_algo lb_random;
extern const struct lb_algo lb_peak_ewma;

#endif
