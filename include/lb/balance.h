/* SPDX-License-Identifier: BSD-2-Clause */
/* Which server gets the next session. Implemented in src/lb/; called by stream/. */
#ifndef LB_BALANCE_H
#define LB_BALANCE_H

#include "config/module.h"

#include "base/str.h"
#include "proxy/backend_part.h"

#include <stdbool.h>
#include <stdio.h>

struct addr;
struct err;
struct expr;
struct proxy;
struct server;
struct server_part;

extern const struct module lb_module; /* finish: builds every backend's structure and installs
				       * server_hooks.lb_changed */

extern const struct server_part lb_server_part;
extern const struct backend_part lb_backend_part;

/* What of a request the algorithms by a key look at; the kind of a stream finds it. */
struct balance_by {
	struct span name;            /* url_param, hdr */
	struct expr *expr;           /* rdp-cookie, hash */
	bool whole, path_only;       /* uri */
	bool domain_only;            /* hdr */
	bool check_post;             /* url_param */
	int len, depth;              /* uri; 0: no limit */
};
/* The word of an algorithm (enum balance_algo): "roundrobin". */
const char *balance_name(int balance);
/* Explains the algorithm of this name, for `penstock help`, or lists them for "balance"; false:
 * there is none. any: something stands above. */
bool balance_help(FILE *out, const char *word, bool any);
/* The function of hash-type over the key. */
uint32_t balance_hash(const struct proxy *proxy, struct span key);

struct balance_key {
	const struct addr *src;      /* client: balance source */
	uint32_t hash;               /* of the key; hashed: there is one */
	bool hashed;
	const struct server *avoid;  /* redispatch: rather not this one; may be NULL */
};

/* The server for the next session. NULL: none is usable, or all usable ones are full. In the latter
 * case *full is true, and the session should wait in the backend's queue. Algorithms that name one
 * server whatever its load return that server even if it is full. */
struct server *balance_pick(struct proxy *proxy, const struct balance_key *key, bool *full);
/* A session was put on the server; it has left the server. state->current is kept by the
 * caller, before these calls. */
void balance_taken(struct server *server);
void balance_released(struct server *server);

#endif
