/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Servers that come and go while the program serves: "add server", "del server", and what is kept
 * of them over a reload (doc/internals/dynamic.md). Every process does the same, in the order of
 * the log of changes.
 */
#ifndef PROXY_SERVER_ADD_H
#define PROXY_SERVER_ADD_H

#include "proxy/proxy.h"

#include <stdbool.h>

struct config;
struct err;

/* Adds the server that words (NULL-terminated) describe: an address, "from ..." and the words of
 * a server line. path: "backend/server". It begins in maintenance unless "enabled" says
 * otherwise. NULL and err; then nothing has changed. */
struct server *server_add(const char *path, char *const *words, struct err *err);

/* May it be removed now? What is found out of all processes: does anything have it, or point at it?
 * 0, or -1 and err in the words of the reference. *never (may be NULL): waiting does not help. */
int server_removable(const struct server *s, bool *never, struct err *err);
/* Removes it from its backend, at once. What this process still has of it goes when the last stream
 * has left it. */
void server_remove(struct server *s);

/* Gives a server another name. 0, or -1 and err. */
int server_rename(struct server *s, const char *name, struct err *err);

/* Reads the words of an added server with cfg, in whose arena it lies then; the first `own` of
 * them are those that were given. In no list yet. NULL and err. */
struct server *server_read_added(struct config *cfg, const struct proxies *all, struct proxy *px,
				 const char *name, char *const *words, unsigned own,
				 struct err *err);
/* "added-servers keep": those that the image before has noted (proxy/servers_note.h), read
 * as if they stood in the configuration. shared: there is a parent. */
void servers_kept(struct config *cfg, struct proxies *all, bool shared);
/* What a module finds wrong in a server (finish: 0, or -1 after a report), or makes of it, at the
 * end of the configuration. A kept server in which something is wrong is left out, with a warning:
 * then it is in the list of its backend no more, but leads on to the next. So are kept servers that
 * track it. 0, or -1 after a report. */
int server_finish_with(struct config *cfg, struct server *s,
		       int (*finish)(struct config *cfg, struct server *s));
/* Parts of a server that has been taken out of its list let it go. */
void server_leave_parts(struct server *s);

/* The last of the modules (added.c): when a generation goes, and no other module looks at its
 * servers and backends any more, the memory of those that were added to it goes, too. */
extern const struct module added_module;
/* Its half: of the generation that goes, the memory of servers that were added, also of those that
 * have left. Its backends have no servers then. */
void servers_release(struct proxies *all);
/* Servers that have left and are not freed yet: of this process. */
unsigned servers_left(void);
/* Are some of them of this backend? */
bool servers_left_of(const struct proxy *px);
/* How many have left so far: who keeps a pointer to a server beside this number knows that it is
 * still there as long as the number is the same. */
extern unsigned servers_gone;
/* Is the pointer one of a server of the backend? It may be one that has gone. */
bool server_is_there(const struct proxy *px, const struct server *s);
bool server_is_anywhere(const struct server *s);

#endif
