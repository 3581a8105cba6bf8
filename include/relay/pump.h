/* SPDX-License-Identifier: BSD-2-Clause */
/* A pump moves bytes from one end to the other, by copying or through a pipe, and knows how
 * many it may forward without anyone looking at them. A relay is two ends and two pumps. */
#ifndef RELAY_PUMP_H
#define RELAY_PUMP_H

#include "base/buf.h"
#include "base/result.h"
#include "event/loop.h"
#include "relay/end.h"

#include <stdbool.h>
#include <stdint.h>

struct bypass;
struct pipe;
struct pump_chain;
struct relay;

/* How a direction may move its bytes; and how it does at present. */
enum pump_mode { PUMP_ADAPTIVE, PUMP_SPLICE, PUMP_COPY };

enum {
	/* What the owner decides. */
	PUMP_OPEN = 1 << 0,  /* the sink takes bytes: connected, rules passed */
	PUMP_LOOK = 1 << 1,  /* collect bytes in the buffer: somebody wants to see them */
	/* Notices; each is given once, by relay_notice. */
	PUMP_EOF = 1 << 2,         /* the source has ended */
	PUMP_FINISHED = 1 << 3,    /* all passed on; the sink was told of the end, unless the
				    * source is broken */
	PUMP_READ_ERROR = 1 << 4,  /* the source is broken; what came before was passed on */
	PUMP_WRITE_ERROR = 1 << 5, /* the sink is broken */
	PUMP_NO_MEMORY = 1 << 6,   /* no buffer was to be had */
	PUMP_DATA = 1 << 7,        /* bytes were added for PUMP_LOOK; cleared by the owner */
	PUMP_DONE = 1 << 8,        /* the bytes allowed have been forwarded; cleared by
				    * pump_allow */
	/* How the bytes move. */
	PUMP_SPLICING = 1 << 9,   /* through a pipe, at present */
	PUMP_PULLED = 1 << 10,    /* pulls of this run found bytes: EAGAIN is no surprise */
	PUMP_TRUSTED = 1 << 11,   /* recv has confirmed an EAGAIN of splice once */
	PUMP_UNSPLICE = 1 << 12,  /* the sink refuses splice: empty the pipe by copying */
	PUMP_STOPPED = 1 << 13,   /* the owner wants no more of it */
	PUMP_TOLD = 1 << 14,      /* the sink was told of the end; it may hold back its last word */
	PUMP_WATCH = 1 << 15,     /* by the owner: not open, or behind its end, but it reads the
				   * source by itself (a head): tell it of every event */

	PUMP_NOTICES = PUMP_EOF | PUMP_FINISHED | PUMP_READ_ERROR | PUMP_WRITE_ERROR |
		     PUMP_NO_MEMORY | PUMP_DATA | PUMP_DONE,
	PUMP_NO_PULL = PUMP_EOF | PUMP_READ_ERROR | PUMP_WRITE_ERROR | PUMP_NO_MEMORY |
		       PUMP_STOPPED,
};

/* Why a pump does not simply move what comes: one look at all of them for a run. */
enum {
	ODD_CHAIN = 1 << 0,  /* pump->chain */
	ODD_KERNEL = 1 << 1, /* bytes do not come through this process: relay->bypass */
	ODD_WAITS = 1 << 2,  /* for a rest, in which that begins */
	ODD_RELAYED = 1 << 3, /* some have left that way before */
};

struct pump {
	struct end *from, *to;
	struct buf *buf;     /* bytes received and not sent; NULL: none */
	struct pipe *pipe;   /* only while bytes sit in it */
	struct pump_chain *chain; /* relay/chain.h; NULL: bytes pass as they are */
	uint64_t allowed;    /* how many may still be forwarded unseen; UINT64_MAX: all */
	uint64_t copied, spliced; /* bytes that left, each way */
	uint32_t read_ms, write_ms; /* clock_now_ms of the last bytes in and out */
	uint32_t calls;      /* of recv, send and splice */
	uint16_t flags;
	uint8_t mode;        /* enum pump_mode */
	uint8_t streak : 3;  /* large reads while copying, small pulls while splicing */
	uint8_t odd : 4;     /* ODD_* */
	bool is_response : 1; /* which of its relay's two */
};

enum { RELAY_MOVES = 16,
       ANNOUNCED_LARGE = 16384 }; /* a body of a known length: spliced at once */

struct relay {
	struct end client, server;
	struct pump request, response;
	struct bypass *bypass; /* relay/bypass.h; NULL: every byte comes through this process */
	uint8_t moves; /* pieces that a pump may move in one run: its share of a turn */
	struct task task; /* goes on where the budget of a turn ended */
};

static inline struct relay *pump_relay(struct pump *pump)
{
	return pump->is_response ? container_of(pump, struct relay, response) :
				   container_of(pump, struct relay, request);
}

/* Do its bytes pass beside this process, or are they about to? */
static inline bool relay_is_bypassed(const struct relay *relay)
{
	return (relay->request.odd | relay->response.odd) & (ODD_KERNEL | ODD_WAITS);
}

/* Ties ends and pumps together; everything else is zero. */
void relay_init(struct relay *relay);
/* Closes the ends (reset: which of them with RST), gives buffers and pipes back. */
void relay_close(struct relay *relay, bool reset_client, bool reset_server);

/* Moves what can be moved now, within the budget of a turn, then gives notice. */
void pump_run(struct pump *pump);
/* The sink is gone, though nobody has written: an open pump reports PUMP_WRITE_ERROR at once, even
 * if its source is silent. */
void pump_break(struct pump *pump);
/* Is there anything that it could move, now that its sink takes bytes again? */
static inline bool pump_wants_run(const struct pump *pump)
{
	return pump->buf || pump->pipe || (pump->to->framing && pump->to->framing->held) ||
	       (pump->from->ops && (*pump->from->flags & (CONN_READABLE | CONN_HELD)));
}
/* The source's message has ended or begins another time (an interim answer, a tunnel): the notices
 * of what came before are forgotten. */
void pump_renew(struct pump *pump);
/* What it has taken is given once more, to another sink: what it holds of that, what has left, and
 * why the sink has failed is forgotten, too. */
void pump_rewind(struct pump *pump);
/* Raises the count of bytes that may pass unseen; UINT64_MAX: all from now on. */
void pump_allow(struct pump *pump, uint64_t bytes);
static inline void pump_allow_all(struct pump *pump)
{
	if (pump->mode == PUMP_SPLICE)
		pump_allow(pump, UINT64_MAX);
	pump->flags &= (uint16_t)~PUMP_DONE;
	pump->allowed = UINT64_MAX;
}
/* The sink takes bytes from now on, all that come: nobody looks at them any more. */
static inline void pump_open(struct pump *pump)
{
	pump->flags |= PUMP_OPEN;
	pump->flags &= (uint16_t)~(PUMP_LOOK | PUMP_DATA | PUMP_WATCH);
	pump_allow_all(pump);
}
/* Puts bytes in front of everything else (PROXY header); before the first run. What the source
 * has sent already is read behind them, so that both leave in one segment. False: no memory, or
 * too many for a buffer. */
MUST_USE bool pump_preload(struct pump *pump, const void *bytes, size_t len);
/* No more bytes: what is held is thrown away. */
void pump_stop(struct pump *pump);
/* Bytes received and not sent. */
size_t pump_held(const struct pump *pump);

/* Totals of the process, for show info. */
struct relay_stats {
	uint64_t copied, spliced;           /* bytes */
	uint64_t pulls, pushes;             /* splice calls that moved bytes */
	uint64_t reads, writes;             /* recv and send that moved bytes */
	uint64_t gathered;                  /* pulls added to a pipe before its push */
	/* Directions that had to copy on, by cause. */
	uint64_t fallback_refused;          /* splice failed: not for this socket or kernel */
	uint64_t fallback_hidden;           /* recv found bytes that splice did not: sockmap */
	uint64_t fallback_urgent;           /* urgent data in the stream */
	uint64_t fallback_no_pipe;          /* no pipe was free: this piece was copied */
};
extern struct relay_stats relay_stats;

/* For show profiling. */
extern const struct profile_name relay_profile;

#endif
