/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What hangs at a server besides its settings, for servers that come and go while the program
 * serves (proxy/server_add.h): each part is made by the file that owns it, which uses the same
 * functions for the servers of the configuration.
 */
#ifndef PROXY_SERVER_PART_H
#define PROXY_SERVER_PART_H

#include <stdbool.h>

struct config;
struct server;

struct server_part {
	/* The words were read and the state is there: checks them, and makes what it needs, in
	 * the arena of cfg where that is possible. The server is in no list yet. 0, or -1 after a
	 * report. May be NULL. */
	int (*make)(struct config *cfg, struct server *s);
	/* It was taken out of its backend's list, and nobody finds it any more: what begins
	 * things on it ends. Streams that are on it go on. Also where make of another part has
	 * failed. May be NULL. */
	void (*leave)(struct server *s);
	/* Who in this process still has servers that have left (server->left): sets
	 * server->in_use of each. May be NULL. */
	void (*mark)(void);
	/* Nobody has it any more: what its arena does not hold goes. May be NULL. */
	void (*free)(struct server *s);
};

/* All of them, in the order in which they are made; ended by NULL: src/modules.c. */
extern const struct server_part *const server_part_list[];
/* That list; set once, by main. NULL: none (tests). */
extern const struct server_part *const *server_parts;

#endif
