/* SPDX-License-Identifier: BSD-2-Clause */
/* Listening sockets handed over from one process to the next without being closed in between:
 * "expose-fd listeners" on a stats socket of the old one, -x of the new one. The new process
 * asks "_getsocks N"; the old one answers with up to INHERIT_BATCH descriptors from number N
 * on and a line for each. */
#ifndef NET_INHERIT_H
#define NET_INHERIT_H

#include "base/result.h"

#include <stdbool.h>
#include <stddef.h>

struct err;
struct listener;

enum { INHERIT_BATCH = 100 };

/* -- the new process -- */

/* Asks the process behind the stats socket at path for all of its listening sockets and keeps
 * them. Waits at most some seconds. 0, or -1 and err (nothing was kept then). */
MUST_USE int inherit_fetch(const char *path, struct err *err);
/* A socket that was fetched and is what the listener wants: address, interface, namespace, kind.
 * The caller owns it from now on. -1: there is none. */
MUST_USE int inherit_take(const struct listener *l);
/* Closes those that nobody took. Returns how many. */
unsigned inherit_close(void);

/* -- one program that executes itself anew ------------------------------------------------- */

enum { INHERIT_KEY = 400 };
/* What a listener is found by. Returns buf. */
const char *inherit_key(const struct listener *l, char *buf, size_t size);
/* Keeps a socket that was passed on, as if it was fetched. Takes over fd. */
void inherit_keep(int fd, const char *key);
/* Those that nobody took yet. */
void inherit_each(void (*fn)(int fd, const char *key, void *arg), void *arg);

/* -- the old process -- */

/* Sends the listeners, count of them beginning with number first of total, over a connected
 * Unix socket. 0, or -1 with errno. */
MUST_USE int inherit_send(int fd, struct listener *const *list, size_t count, size_t first,
			  size_t total);

#endif
