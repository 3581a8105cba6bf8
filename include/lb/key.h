/* SPDX-License-Identifier: BSD-2-Clause */
/* What a server is chosen by: the key of a session, and what of a request it is made from. */
#ifndef LB_KEY_H
#define LB_KEY_H

#include "base/str.h"

#include <stdbool.h>
#include <stdint.h>

struct addr;
struct expr;
struct proxy;
struct server;

/* What of a request the algorithms by a key look at; the kind of a stream finds it. */
struct balance_by {
	struct span name;            /* url_param, hdr */
	struct expr *expr;           /* rdp-cookie, hash */
	bool whole, path_only;       /* uri */
	bool domain_only;            /* hdr */
	bool check_post;             /* url_param */
	int len, depth;              /* uri; 0: no limit */
};

struct balance_key {
	const struct addr *src;      /* client: balance source */
	uint32_t hash;               /* of the key; hashed: there is one */
	bool hashed;
	const struct server *avoid;  /* redispatch: rather not this one; may be NULL */
};

/* The function of hash-type over the key. */
uint32_t balance_hash(const struct proxy *proxy, struct span key);
/* The number that the key of the session is hashed to (before "avalanche"); false: it has none, an
 * address that is none of the internet, say. */
bool lb_number(const struct proxy *proxy, const struct balance_key *key, uint32_t *number);

#endif
