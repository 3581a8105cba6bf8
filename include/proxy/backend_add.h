/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Backends that come and go while the program serves: "add backend", "del backend", "publish
 * backend", "unpublish backend" (doc/internals/dynamic.md). Every process does the same, in the
 * order of the log of changes.
 */
#ifndef PROXY_BACKEND_ADD_H
#define PROXY_BACKEND_ADD_H

#include "proxy/proxy.h"

#include <stdbool.h>

struct config;
struct err;

/* Adds the backend that words (NULL-terminated) describe: "from <defaults> [mode tcp|http]". It
 * begins unpublished and without servers. NULL and err; then nothing has changed. */
struct proxy *backend_add(const char *name, char *const *words, struct err *err);

/* May it be removed now? What is found out of all processes: does anything have it, or name it?
 * 0, or -1 and err. *never (may be NULL): waiting does not help. */
int backend_removable(const struct proxy *px, bool *never, struct err *err);
/* Removes it, at once. What this process still has of it goes when the last stream has left it. */
void backend_remove(struct proxy *px);

/* use_backend and default_backend choose it, or pass over it. */
void backend_publish(struct proxy *px, bool published);

/* Reads the words of an added backend with cfg, in whose arena it lies then. In no list yet. NULL
 * and err. */
struct proxy *backend_read_added(struct config *cfg, const struct proxies *all, const char *name,
				 char *const *words, struct err *err);

/* Of the generation that goes: the memory of those that were added. Behind servers_release. */
void backends_release(struct proxies *all);
/* Backends that have left and are not freed yet: of this process. */
unsigned backends_left(void);
/* How many have left so far: who keeps a pointer to a backend beside this number knows that it is
 * still there as long as the number is the same. */
extern unsigned backends_gone;

#endif
