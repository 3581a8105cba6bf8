/* SPDX-License-Identifier: BSD-2-Clause */
/* What lines "server" and "default-server" say of where health checks go, and what they speak
 * there: where nothing is said, as the traffic. */
#ifndef PROXY_CHECK_TARGET_H
#define PROXY_CHECK_TARGET_H

#include "net/addr.h"
#include "net/proto.h"
#include "proxy/part.h"

struct check_target {
	struct addr addr;  /* SRV_CHECK_ADDR; AF_UNSPEC: the server's */
	int port;          /* SRV_CHECK_PORT; 0: that of the address */
	const char *sni;   /* the name to ask for; NULL: none */
	struct span alpn;  /* in the form of the wire; empty: as "alpn" */
	enum proto proto;  /* PROTO_UNSET: as "proto" */
};

extern struct server_part check_target_part;
extern const struct check_target check_target_usual; /* where nothing is said */

static inline const struct check_target *check_target_of(const struct server *s)
{
	const struct check_target *target = server_part(s, &check_target_part);

	return target ? target : &check_target_usual;
}

/* For the rows of its words: keyword.within. */
void *check_target_within(struct statement *st, void *object);

#endif
