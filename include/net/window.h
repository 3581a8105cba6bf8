/* SPDX-License-Identifier: BSD-2-Clause */
/* How much a near peer may send ahead of us (doc/internals/datapath.md, "Near peers"). */
#ifndef NET_WINDOW_H
#define NET_WINDOW_H

#include "net/conn.h"

enum {
	/* Of the receive buffer; the kernel takes twice that, for what it needs itself. */
	WINDOW_BYTES = 96 << 10,
	WINDOW_LARGE_TRANSFER = 256 << 10, /* a shorter one is not worth the calls, bytes */
};

/* Which peers are near. Tests alone write it. */
struct window_near {
	unsigned us;  /* those whose fastest round trip took at most so long, µs */
	unsigned mss; /* those to whom we have announced segments of at least so many bytes */
};
extern struct window_near window_near;

/* Receive buffers that were bounded, for show activity. */
extern uint64_t window_bounded;

/* Once for each connection, which is noted in its flags, when a large transfer begins: bounds the
 * socket's receive buffer when the peer is near, and the kernel has not offered more yet. Not where
 * tune.rcvbuf.server or tune.rcvbuf.client say how large it is. A failure changes nothing. */
void window_bound(struct conn *conn);

#endif
