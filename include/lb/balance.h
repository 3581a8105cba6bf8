/* SPDX-License-Identifier: BSD-2-Clause */
/* Which server gets the next session. Implemented in src/lb/; called by stream/. */
#ifndef LB_BALANCE_H
#define LB_BALANCE_H

#include "config/module.h"
#include "lb/key.h"

#include <stdbool.h>

struct err;
struct proxy;
struct proxy_part;
struct server;
struct server_part;

extern const struct module lb_module; /* finish: builds every backend's structure and installs
				       * server_hooks.lb_changed */

extern struct server_part lb_server_part;
extern struct proxy_part lb_proxy_part;

/* The server for the next session. NULL: none is usable, or all usable ones are full. In the latter
 * case *full is true, and the session should wait in the backend's queue. Algorithms that name one
 * server whatever its load return that server even if it is full. */
struct server *balance_pick(struct proxy *proxy, const struct balance_key *key, bool *full);
/* A session was put on the server; it has left the server. state->current is kept by the
 * caller, before these calls. */
void balance_taken(struct server *server);
void balance_released(struct server *server);

#endif
