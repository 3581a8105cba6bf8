/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Parts of proxies and servers: what a module hangs at them (base/part.h), and what it does when
 * they come and go while the program serves (proxy/backend_add.h, proxy/server_add.h). A kind of
 * part is an object of the file that owns it, and stands in a list in src/modules.c.
 *
 * Settings are handed on: a defaults section to the proxies that follow or name it, default-server
 * lines to the servers below. An heir shares the part until it asks for its own to write. What is
 * no setting belongs to its proxy or server alone.
 */
#ifndef PROXY_PART_H
#define PROXY_PART_H

#include "base/part.h"
#include "proxy/proxy.h"

struct arena;
struct config;

struct proxy_part {
	struct part_kind kind; /* without a name: it hangs nothing there */
	/* Steps that streams do not pass over (enum stream_trait of stream/steps.h) whose frontend,
	 * whose backend has the part at the end of the configuration. */
	uint32_t front_steps, back_steps;
	/* Of a backend that comes. The settings and the state are there: checks them, and makes
	 * what it needs, in the arena of cfg where that is possible. The backend is in no list yet.
	 * 0, or -1 after a report. May be NULL. */
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

struct server_part {
	struct part_kind kind; /* without a name: it hangs nothing there */
	/* Of a server that comes. The words were read and the state is there: checks them, and
	 * makes what it needs, in the arena of cfg where that is possible. The server is in no list
	 * yet. 0, or -1 after a report. May be NULL. */
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
extern struct proxy_part *const proxy_part_list[];
extern struct server_part *const server_part_list[];
/* Those lists; NULL: none (tests). Set once, by parts_install. */
extern struct proxy_part *const *proxy_parts;
extern struct server_part *const *server_parts;
/* Called by main, before a configuration is read: all get their places. */
void parts_install(struct proxy_part *const *of_proxies, struct server_part *const *of_servers);

/* What the parts that it has say in front_steps, back_steps. */
uint32_t proxy_parts_steps(const struct proxy *px, bool back);

extern struct part_table proxy_table, proxy_settings_table, server_table, server_settings_table;

/* Initializers of kind: what is handed on, of the type that part_make allocates; and what is not,
 * which may be of any size (0: the module allocates it). */
#define PROXY_SETTINGS(name_, type_)                                                       \
	.kind.name = (name_), .kind.table = &proxy_settings_table, .kind.size = sizeof(type_), \
	.kind.at = offsetof(struct proxy, set.parts)
#define PROXY_PART(name_, size_)                                                           \
	.kind.name = (name_), .kind.table = &proxy_table, .kind.size = (size_),            \
	.kind.at = offsetof(struct proxy, parts)
#define SERVER_SETTINGS(name_, type_)                                                      \
	.kind.name = (name_), .kind.table = &server_settings_table, .kind.size = sizeof(type_), \
	.kind.at = offsetof(struct server, set.parts)
#define SERVER_PART(name_, size_)                                                          \
	.kind.name = (name_), .kind.table = &server_table, .kind.size = (size_),           \
	.kind.at = offsetof(struct server, parts)

/* As part_of, part_make, part_set. */
static inline void *proxy_part(const struct proxy *px, const struct proxy_part *part)
{
	return part_of(px, &part->kind);
}

static inline void *proxy_part_make(struct proxy *px, struct proxy_part *part, struct arena *arena)
{
	return part_make(px, &part->kind, arena);
}

static inline void proxy_part_set(struct proxy *px, struct proxy_part *part, void *what)
{
	part_set(px, &part->kind, what);
}

static inline void *server_part(const struct server *s, const struct server_part *part)
{
	return part_of(s, &part->kind);
}

static inline void *server_part_make(struct server *s, struct server_part *part,
				     struct arena *arena)
{
	return part_make(s, &part->kind, arena);
}

static inline void server_part_set(struct server *s, struct server_part *part, void *what)
{
	part_set(s, &part->kind, what);
}

#endif
