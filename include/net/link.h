/* SPDX-License-Identifier: BSD-2-Clause */
/* What is asked of a connection by those who do not have it: streams, rules, fetches, logs,
 * commands. A link is the answer to "over what does this come": a name for it that is passed by
 * value, lasts as long as what it names, owns nothing, and hands out neither a descriptor nor the
 * connection. A row of answers is a table: that of sockets is net/conn_link.c. What TLS tells is a
 * table of its own (tls/link.h). Whether there is something to read, or an end, is told by the
 * flags of the end.
 *
 * There may be no link (ops NULL). It may be asked all the same, and knows nothing. */
#ifndef NET_LINK_H
#define NET_LINK_H

#include "base/result.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct addr;
struct tls_link_ops;

/* As measured by whoever sees to it that all arrives: the kernel's TCP. */
struct link_path {
	unsigned rtt_us, rttvar_us, min_rtt_us;
	unsigned unacked, sacked, lost, retrans, fackets, reordering; /* segments */
	unsigned unsent; /* bytes that wait for the peer to take more */
};

/* For commands that show it; nothing else can be done with that. */
struct link_shown {
	int number;     /* its socket's; -1: it has none */
	uint16_t flags; /* CONN_* (net/conn.h) */
};

/* Rows may be NULL: that is not known, or cannot be done. */
struct link_ops {
	/* Our address. The one that the client meant, before any redirection by the firewall. */
	bool (*local)(const void *of, struct addr *addr);
	bool (*original_dst)(const void *of, struct addr *addr);
	bool (*path)(const void *of, struct link_path *path);
	/* Oddities of its protocol that were counted, where it counts some. */
	bool (*glitches)(const void *of, uint64_t *count);
	/* NULL, or returns NULL: it has no TLS. */
	const struct tls_link_ops *(*tls)(const void *of);
	struct link_shown (*shown)(const void *of);

	/* Of packets that leave from now on. ipv6: of that family (a socket may have both). */
	void (*set_mark)(void *of, uint32_t mark);
	void (*set_tos)(void *of, bool ipv6, int tos);
	/* It is closed without a word: no packet of it passes that many routers (0: one that leaves
	 * no packet at all, if possible). */
	void (*vanish)(void *of, unsigned hops);
	/* Tells the peer now, not along with our next bytes, what was received. */
	void (*acknowledge)(void *of);

	/* Has the peer closed, with nothing left to read? Is there nothing to read, no end either? */
	bool (*at_end)(const void *of);
	bool (*is_quiet)(void *of);
	/* Has the peer got all that was sent, as far as that matters to it? */
	bool (*drained)(const void *of);
	/* Throws away what was received and not read, within reason. */
	void (*discard)(void *of);
};

struct link {
	const struct link_ops *ops; /* NULL: there is none */
	void *of;                   /* for ops alone */
};

static inline bool link_is(struct link link)
{
	return link.ops != NULL;
}

/* The operation, where there is a link that has it; else NULL. */
#define LINK_OP(link, op) ((link).ops ? (link).ops->op : NULL)

/* False: not known. */
MUST_USE bool link_local(struct link link, struct addr *addr);
MUST_USE bool link_original_dst(struct link link, struct addr *addr);
MUST_USE bool link_path(struct link link, struct link_path *path);
MUST_USE bool link_glitches(struct link link, uint64_t *count);
/* Where nobody knows: -1, no flags. */
struct link_shown link_show(struct link link);
/* Wishes: what cannot be done is left. */
void link_set_mark(struct link link, uint32_t mark);
void link_set_tos(struct link link, bool ipv6, int tos);
void link_vanish(struct link link, unsigned hops);
void link_acknowledge(struct link link);
void link_discard(struct link link);
/* Where nobody knows: it is not at its end; it is quiet; all is there. */
MUST_USE bool link_at_end(struct link link);
MUST_USE bool link_is_quiet(struct link link);
MUST_USE bool link_drained(struct link link);

#endif
