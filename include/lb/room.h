/* SPDX-License-Identifier: BSD-2-Clause */
/* May a server have one more session? What the algorithms of src/lb/ ask before they choose. */
#ifndef LB_ROOM_H
#define LB_ROOM_H

#include <stdbool.h>

struct lb_node;
struct server;

/* Can the server take a session at once? */
bool lb_has_room(const struct server *server);
/* hash-balance-factor: does one more session leave the node below its share times the factor? */
bool lb_below_bound(const struct lb_node *node);
/* hash-preserve-affinity: may the server have a session whose key is its own, though it may have to
 * wait? Within the bound of hash-balance-factor, too. */
bool lb_keeps_key(const struct lb_node *node);

#endif
