/* SPDX-License-Identifier: BSD-2-Clause */
/* Where requests of the program's own go: for each backend, and for each host that the words of a
 * target name (TLS, host, port, `to`), a frontend that is in no configuration; for a host its one
 * server, too, with the connections that wait for the next request. So one to a known name needs no
 * lookup. For the files of client/. */
#ifndef CLIENT_OWN_HOST_H
#define CLIENT_OWN_HOST_H

#include "base/result.h"
#include "base/str.h"

#include <stdbool.h>

struct addr;
struct origin;
struct own_host;
struct own_target;

/* That of the target, found or made. The caller uses it until own_host_give. NULL: no memory, or
 * the name is longer than names are. */
MUST_USE struct own_host *own_host_take(const struct own_target *target);
/* Not used any more, but by streams that end in this turn. Clears the pointer. */
void own_host_give(struct own_host **host);
/* Whose streams go there. */
const struct origin *own_host_origin(const struct own_host *host);
/* Does a connection wait there? fresh: one that has waited for less than a second, which its server
 * has hardly closed meanwhile. */
MUST_USE bool own_host_waits(const struct own_host *host, bool fresh);
/* New connections are made to that address. */
void own_host_move(struct own_host *host, const struct addr *to);
/* For carrier_ops: what the server of such an origin is asked for in TLS. */
struct span own_host_name(const struct origin *origin, bool *unsaid);
/* The process ends: no stream is left. */
void own_hosts_end(void);

#endif
