/* SPDX-License-Identifier: BSD-2-Clause */
/* Connections that nobody uses any more, and that stay for the sake of their peer: until it has
 * taken the last bytes (net/linger.h, tls/drain.h), or its handshake is done (tls/outlive.c). */
#ifndef NET_ORPHAN_H
#define NET_ORPHAN_H

#include "base/list.h"
#include "base/result.h"

#include <stdbool.h>

struct orphan {
	struct list node; /* those that began before are in front */
	/* The descriptor is wanted for something else: closes the connection now, says orphan_end, and
	 * begins no other orphan. */
	void (*give_up)(struct orphan *orphan);
};

/* There may be ORPHANS_MOST of them, of all kinds: the oldest gives up. */
enum { ORPHANS_MOST = 1000 };
void orphan_begin(struct orphan *orphan, void (*give_up)(struct orphan *orphan));
/* It is about to end, and is not asked to give up any more. */
void orphan_spare(struct orphan *orphan);
/* Its connection is closed, or goes on as another orphan. */
void orphan_end(struct orphan *orphan);
/* The oldest gives up, for its descriptor. False: there is none; errno stays. */
MUST_USE bool orphan_cut(void);
/* A second descriptor of the socket, for an orphan to be; others give up for it. -1: errno. */
MUST_USE int orphan_dup(int fd);

/* Installed by an upper layer, may be NULL: the process does not end between the two. */
extern struct orphan_hooks {
	void (*hold)(void);
	void (*release)(void);
} orphan_hooks;

#endif
