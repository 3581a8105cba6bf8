/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What hangs at a backend besides its settings, for backends that come and go while the program
 * serves (proxy/backend_add.h): each part is made by the file that owns it, which uses the same
 * functions for the backends of the configuration.
 */
#ifndef PROXY_BACKEND_PART_H
#define PROXY_BACKEND_PART_H

struct config;
struct proxy;

struct backend_part {
	/* The settings and the state are there: checks them, and makes what it needs, in the arena
	 * of cfg where that is possible. The backend is in no list yet. 0, or -1 after a report.
	 * May be NULL. */
	int (*make)(struct config *cfg, struct proxy *px);
	/* Nobody finds it any more: what begins things with it ends. Streams that have it go on.
	 * Also where make of another part has failed. May be NULL. */
	void (*leave)(struct proxy *px);
	/* Who in this process still has backends that have left: sets in_use of each. May be
	 * NULL. */
	void (*mark)(void);
	/* Nobody has it any more: what its arena does not hold goes. May be NULL. */
	void (*free)(struct proxy *px);
};

/* All of them, in the order in which they are made; ended by NULL: src/modules.c. */
extern const struct backend_part *const backend_part_list[];
/* That list; set once, by main. NULL: none (tests). */
extern const struct backend_part *const *backend_parts;

#endif
