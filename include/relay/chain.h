/* SPDX-License-Identifier: BSD-2-Clause */
/* A chain of filters on a pump: what happens to bytes between the source and the sink, in order. A
 * filter may look at bytes, change them, hold them back, limit them, end the message early, or
 * fail. A chain of which no filter asks for the bytes leaves them where they are: in a pipe, or
 * with their source. Filters lie in the memory of whoever links them. doc/internals/filters.md. */
#ifndef RELAY_CHAIN_H
#define RELAY_CHAIN_H

#include "base/buf.h"
#include "base/result.h"
#include "event/timer.h"

#include <stdbool.h>
#include <stdint.h>

struct pump;
struct pump_filter;

/* At most so many bytes are given to a filter that changes them. */
enum { FILTER_MOST = 32768 };

/* What a filter is given, and what it makes of it. */
struct filter_piece {
	const char *bytes;
	size_t len;
	bool last;    /* nothing follows; len may be 0 then */
	/* The filter's answer; zeroed before. */
	size_t taken; /* so many of the bytes. The others are shown again: in the next turn, or
		       * ... */
	bool waits;   /* ... when the filter calls pump_run, or more bytes are to come */
	bool stays;   /* the filter has bytes of its own yet, or keeps the end that it was told: it is
		       * asked once more, as if it had left bytes, and the end is not passed on */
	char *out;    /* for a filter that changes: here is room, ... */
	size_t room;  /* ... for so many bytes: as many as it may make of a piece, unless it heeds */
	size_t made;  /* ... and so many it has put there */
	bool ends;    /* the message ends behind these: all else is thrown away */
};

struct pump_filter_ops {
	bool changes; /* pass writes to piece->out, at most twice the bytes of a piece; else what
		       * was taken passes as it is */
	bool heeds;   /* it changes, and keeps what piece->room has no place for, though it is less:
		       * so that more pieces leave at once */
	/* May it hold back bytes that it was given? A filter with allow may in any case. */
	bool holds;
	/* How many of the next bytes may pass now; wanted: as many are to come, UINT64_MAX: nobody
	 * knows. 0: none before *when_ms. NULL: any number. */
	uint64_t (*allow)(struct pump_filter *filter, uint64_t wanted, uint64_t *when_ms);
	/* So many have passed. Goes with allow. */
	void (*passed)(struct pump_filter *filter, uint64_t bytes);
	/* False: it has failed, no memory; the stream ends. NULL: it does not look at the bytes. */
	bool (*pass)(struct pump_filter *filter, struct filter_piece *piece);
};

struct pump_filter {
	const struct pump_filter_ops *ops;
	struct pump_filter *next;
	struct buf *held; /* bytes that wait in front of it; NULL: none */
	uint8_t place;    /* filters are linked by rising places */
	bool last;        /* nothing follows those */
	bool stays;       /* it wants to be asked again, be there bytes or not */
};

struct pump_chain {
	struct pump_filter *first; /* NULL: the chain is empty, the pump goes without it */
	struct pump *pump;
	struct timer timer;   /* until a filter allows bytes again */
	unsigned holding;     /* filters in front of which bytes wait, or that stay */
	uint8_t changing;     /* filters that change bytes */
	bool sees, holds;     /* some filter wants the bytes; may hold them back */
	bool heeds;           /* the last filter that changes bytes does */
	bool flows;           /* nobody has held bytes back of late */
	bool blocked;         /* a filter allows nothing until the timer fires */
	bool ended;           /* the last byte has left the chain */
	bool cut;             /* ... because a filter has ended the message, ... */
	uint8_t cut_place;    /* ... at this place */
	bool measured;        /* the sink was told how many bytes come: ... */
	bool misfits;         /* ... others than that have come; all has failed */
	uint64_t due;         /* ... so many are missing */
	uint64_t taken;       /* bytes of the source that went in, where filters change them */
	bool bare;            /* the sink takes none: what leaves the chain goes nowhere */
};

/* Empty, and the pump's. *chain is zeroed, and lives until chain_leave. */
void chain_join(struct pump_chain *chain, struct pump *pump);
/* The pump goes without it: what it holds is thrown away, filters are forgotten. */
void chain_leave(struct pump_chain *chain);
/* Links the filter into its place, behind those of the same; ops and place are set, all else is
 * zeroed. Bytes that passed its place before are gone. */
void chain_link(struct pump_chain *chain, struct pump_filter *filter);
/* What the pump holds in its buffer, unsent, is to pass through the chain yet: the pump opens. */
void chain_open(struct pump_chain *chain);
/* The filter is asked again in the next run, be there bytes or not. One whose message another has
 * ended is not. */
void chain_ask(struct pump_chain *chain, struct pump_filter *filter);
/* The message begins another time: what is held is thrown away. */
void chain_renew(struct pump_chain *chain);
/* Is a filter holding the bytes up, for a time that it has set? */
static inline bool chain_blocks(const struct pump_chain *chain)
{
	return chain && chain->blocked;
}

/* Has a filter bytes that have not gone on, or the end of them? */
static inline bool chain_holds(const struct pump_chain *chain)
{
	return chain && chain->holding;
}

/* The sink has been told that so many bytes come; UINT64_MAX: it was not. What else comes fails, as
 * it were not to be told from the next message. */
void chain_promise(struct pump_chain *chain, uint64_t bytes);
/* The sink has been told of a message that cannot have a body. Filters see its end; what they put
 * in front of that goes nowhere. */
void chain_promise_none(struct pump_chain *chain);

/* ---- for the pump ------------------------------------------------------------------------ */

/* How many bytes may be received now: 0: none, a filter allows none, and the timer is set. */
uint64_t chain_allows(struct pump_chain *chain, uint64_t wanted);
/* So many have gone by unseen. */
void chain_passed(struct pump_chain *chain, uint64_t bytes);
/* How many bytes may be received at once, such that what leaves the chain finds room in out; 0:
 * what is there has to leave first. */
size_t chain_room(const struct pump_chain *chain, const struct buf *out);
/* Gives received bytes to the first filter, piece by piece; what leaves the last one is added to
 * out, a scratch buffer. The bytes may lie behind those in out if no filter changes them. False: a
 * filter has failed; what left the chain before is in out. */
MUST_USE bool chain_give(struct pump_chain *chain, const char *bytes, size_t len, bool last,
			 struct buf *out);
/* The same with bytes that are held, of the last filter that has any. */
MUST_USE bool chain_drain(struct pump_chain *chain, struct buf *out);
/* At most so many bytes are a piece. */
size_t chain_most(const struct pump_chain *chain);

#endif
