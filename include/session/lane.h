/* SPDX-License-Identifier: BSD-2-Clause */
/* Lanes: what each stream of a connection that carries many has of its own, an origin and a timer.
 * A protocol brings its frames and a table; session/h2_carrier.c is the first one. */
#ifndef SESSION_LANE_H
#define SESSION_LANE_H

#include "base/result.h"
#include "stream/origin.h"

/* A multiplexed connection, as its lanes see it. */
struct lane_kind {
	struct carrier_ops carrier; /* first: LANE_CARRIER */
	/* Makes the end that of a stream of the connection, which lane_new was given. */
	void (*lend)(void *lent, struct end *end);
	/* The exchange is complete: the end is not there any more. */
	void (*take_back)(struct end *end);
};

/* text, drains: name and draining of carrier_ops; behind them what else it has. */
#define LANE_CARRIER(text, drains, ...)                                                     \
	{ .name = (text), .lend = lane_lends, .take_back = lane_takes_back, .ended = lane_ended, \
	  .draining = (drains), ##__VA_ARGS__ }

struct lane;

/* For a stream that the client has begun: the origin is from, that of the connection, but for what
 * each stream has of its own. requests: of the connection before. lent: the stream, for lend; it
 * lives until its end is taken back or closed. NULL: no memory. */
MUST_USE struct lane *lane_new(const struct lane_kind *kind, const struct origin *from,
			       unsigned requests, void *lent);
/* Begins the stream, which may end at once; the lane is the stream's from here on, and goes with
 * it. False: it could not begin, and the lane is gone. */
MUST_USE bool lane_start(struct lane **lane);

/* For LANE_CARRIER: contracts in stream/origin.h. */
MUST_USE bool lane_lends(struct origin *origin, struct end *end, struct buf **held);
void lane_takes_back(struct origin *origin, struct end *end);
void lane_ended(struct origin *origin);

#endif
