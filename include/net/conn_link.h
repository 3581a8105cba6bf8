/* SPDX-License-Identifier: BSD-2-Clause */
/* The row of connections (net/link.h), and its answers for whoever lies over a connection of its
 * own and knows one more: HTTP/2. */
#ifndef NET_CONN_LINK_H
#define NET_CONN_LINK_H

#include "net/conn.h"
#include "net/link.h"

extern const struct link_ops conn_link_ops;

/* NULL: there is none. It lasts until the connection is closed. */
static inline struct link conn_link(const struct conn *conn)
{
	return (struct link){ conn ? &conn_link_ops : NULL, (void *)conn };
}

/* In all of these, of is the struct conn. */
MUST_USE bool conn_link_local(const void *of, struct addr *addr);
MUST_USE bool conn_link_original_dst(const void *of, struct addr *addr);
MUST_USE bool conn_link_path(const void *of, struct link_path *path);
const struct tls_link_ops *conn_link_tls(const void *of);
struct link_shown conn_link_shown(const void *of);
void conn_link_set_mark(void *of, uint32_t mark);
void conn_link_set_tos(void *of, bool ipv6, int tos);
void conn_link_vanish(void *of, unsigned hops);
void conn_link_acknowledge(void *of);
MUST_USE bool conn_link_at_end(const void *of);
MUST_USE bool conn_link_is_quiet(void *of);
MUST_USE bool conn_link_drained(const void *of);
void conn_link_discard(void *of);

/* In a table: all of them. */
#define CONN_LINK_ROWS                                                                        \
	.local = conn_link_local, .original_dst = conn_link_original_dst,                      \
	.path = conn_link_path, .tls = conn_link_tls, .shown = conn_link_shown,                \
	.set_mark = conn_link_set_mark, .set_tos = conn_link_set_tos,                          \
	.vanish = conn_link_vanish, .acknowledge = conn_link_acknowledge,                      \
	.at_end = conn_link_at_end, .is_quiet = conn_link_is_quiet,                            \
	.drained = conn_link_drained, .discard = conn_link_discard

#endif
