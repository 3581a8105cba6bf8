/* SPDX-License-Identifier: BSD-2-Clause */
/* Who waits for a slot of a server in other processes: each shows in its row whom it would serve
 * first. Implemented in src/queue/waiters.c; called by the queue alone. */
#ifndef QUEUE_WAITERS_H
#define QUEUE_WAITERS_H

#include <stdbool.h>
#include <stdint.h>

struct proxy;
struct server;

/* Whom a process would serve first: the lower is served earlier. 0: nobody waits there. */
uint64_t waiter_key(int priority_class, uint64_t due_ms);

/* Shows the first of the own queue of a server, or of the backend when that is NULL. */
void waiters_show(const struct proxy *px, const struct server *s, uint64_t key);
/* Does somebody in another process wait for a slot of this server who is to be served before this
 * key? Then that process is woken. backend: those that wait for any server of the backend count,
 * too. */
bool waiters_before(const struct server *s, bool backend, uint64_t key);
/* Wakes the others that keep connections of this server, which has strict-maxconn: their slots are
 * waited for here. */
void waiters_call_keepers(const struct server *s);
/* How long a process may take to move when it is to take a slot. */
extern unsigned waiters_patience_ms;
/* Called from the loop when somebody who was waited for has not moved: those who held back may go
 * on. */
extern void (*waiters_lost_patience)(void);

#endif
