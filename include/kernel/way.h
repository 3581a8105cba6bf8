/* SPDX-License-Identifier: BSD-2-Clause */
/* What the files of the kernel relay share: start.c (events), take.c (into the maps),
 * move.c (moves), leave.c (out of the maps), grant.c (what the program may
 * pass on), end.c, look.c (what the kernel knows). */
#ifndef KERNEL_WAY_H
#define KERNEL_WAY_H

#include "base/list.h"
#include "base/pool.h"
#include "base/result.h"
#include "event/timer.h"
#include "kernel/judge.h"
#include "kernel/kernel.h"
#include "net/sockmap.h"
#include "relay/bypass.h"
#include "relay/pump.h"

#include <linux/tcp.h>

enum { TCP_STATE_OPEN = 1, TCP_STATE_CLOSE = 7, TCP_STATE_CLOSE_WAIT = 8, TCP_STATE_LAST_ACK = 9,
       TCP_STATE_CLOSING = 11 };

/* One direction. */
struct kernel_way {
	struct pump *pump;           /* NULL: not by the kernel */
	struct kernel_relay *owner;
	struct sockmap_route *route;
	int number;
	bool synced;                 /* received and passed were compared: see way_sync */
	bool ours;                   /* we may send what was left to us */
	bool braked;                 /* the source is held: too much waits */
	unsigned vain;               /* tries since something was there */
	uint64_t received_base;      /* of the source, before the kernel had it */
	uint64_t left_base;          /* bytes of the target's queue that were ever in it, then */
	uint64_t acked_base;         /* of these acknowledged, then */
	uint64_t sent_base;          /* bytes that the pump had sent */
	uint64_t skipped;            /* bytes that came twice */
	uint64_t excess;             /* such that lie in front, to be skipped */
	uint64_t left;               /* of what was relayed, seen in the target's queue */
	uint64_t mark_relayed, mark_segments; /* at some grant before */
	uint64_t seen_segments;      /* of those relayed, seen in the target's queue */
	struct kernel_bulk bulk;
	uint64_t counted, counted_passed;
};

struct kernel_relay {
	struct list node; /* all that live */
	struct relay *relay;
	struct kernel_way ways[2]; /* of the request, of the response */
	struct timer timer;
	unsigned wait_ms;
	bool leaving; /* nothing more is relayed, and nothing received, till it is gone */
	unsigned leave_tries;
	uint64_t leave_ms;         /* not before that */
	uint64_t *leave_cause;     /* of kernel_stats */
	uint64_t judge_ps;         /* option kernel-relay auto: of a byte before; 0: is judged */
	uint64_t judge_ms;         /* since when */
	uint64_t judge_least;      /* bytes that say something */
};

/* What is kept of a relay that the kernel may have. */
struct kernel_wanted {
	struct bypass bypass;        /* relay->bypass */
	struct kernel_relay *has;    /* NULL: the kernel has neither direction */
	uint32_t bytes, base;        /* of both pumps, at a rest, and at ms */
	uint32_t ms;                 /* since when small pieces are counted */
	uint16_t in;                 /* so many until the kernel is to have them; 0: never */
	bool judged;                 /* whether that pays is to be learnt: option kernel-relay
				      * auto */
};

/* All that there are. */
struct kernel_all {
	struct list living;       /* of struct kernel_relay, by node: take.c puts them in */
	struct kernel_way **ways; /* by the number of the route, NULL: none. Made by start.c;
				   * NULL: the kernel cannot relay */
	struct pool relays, wanted; /* of struct kernel_relay, kernel_wanted */
};
extern struct kernel_all kernel_all;

/* What the machine allows, in bytes: read by start.c, constant from then on. */
struct kernel_machine {
	uint64_t receive_limit; /* net.core.rmem_max */
	uint64_t passed_most;   /* no receive buffer holds more: from net.ipv4.tcp_rmem */
};
extern struct kernel_machine kernel_machine;

/* NULL: nobody wants it. */
static inline struct kernel_wanted *kernel_wanted_of(const struct relay *relay)
{
	return relay->bypass ? container_of(relay->bypass, struct kernel_wanted, bypass) : NULL;
}

/* With ODD_KERNEL or ODD_RELAYED. */
static inline struct kernel_wanted *kernel_wanted_by(const struct pump *pump)
{
	return kernel_wanted_of(pump->is_response ? container_of(pump, struct relay, response) :
						    container_of(pump, struct relay, request));
}

/* With ODD_KERNEL. */
static inline struct kernel_way *kernel_way_of(const struct pump *pump)
{
	return &kernel_wanted_by(pump)->has->ways[pump->is_response];
}

static inline uint64_t way_shared(const uint64_t *field)
{
	return __atomic_load_n(field, __ATOMIC_ACQUIRE);
}

/* Bytes that the pump has sent since the kernel has the direction. */
static inline uint64_t way_sent(const struct kernel_way *way)
{
	return way->pump->copied + way->pump->spliced - way->sent_base;
}

/* ---- look.c ---- */

/* bypass_ops.relayed, look. */
uint64_t kernel_relayed(const struct pump *pump);
void kernel_look(struct relay *relay);
/* TCP_INFO. */
MUST_USE bool kernel_ask(const struct end *end, struct tcp_info *info);
/* Bytes in the send queue, unacknowledged ones among them. */
uint64_t kernel_queued(const struct end *end);
/* Bytes that wait on the socket itself, not for the program. */
uint64_t kernel_unread(const struct end *end);
/* Size of a receive buffer. */
uint64_t kernel_receive_size(const struct end *end);
/* It grows no more. */
void kernel_receive_bound(const struct end *end);
/* Asks how much has reached the target's queue: way->left. */
void way_look(struct kernel_way *way, struct tcp_info *info);
/* All that the kernel has taken on has: what is sent now comes behind it. Holds until the
 * program passes on more, which it does not while forwarded differs from passed. */
MUST_USE bool way_drained(struct kernel_way *way);
void way_count(struct kernel_way *way);
/* Bytes of the source that were seen here or by the program, and all that it has received, FIN not
 * counted: are they as many? */
MUST_USE bool way_complete(struct kernel_way *way, bool ended);

/* ---- end.c ---- */

/* bypass_ops.leave. */
void kernel_leave(struct relay *relay);
/* So many small pieces from now on; 0: never. */
void kernel_waits_for(struct relay *relay, unsigned pieces);
/* How many small pieces it takes the first time. */
unsigned kernel_waits_least(const struct relay *relay);
/* Bytes of both directions, to tell small pieces by: may overflow. */
uint32_t kernel_waits_bytes(const struct relay *relay);
/* Behind a leave. */
void kernel_want_again(struct relay *relay);
/* The kernel has it no more; cause of it is known. Its sockets are closed next, or have left. */
void kernel_end(struct kernel_relay *k);

/* ---- grant.c ---- */

/* Is another stream to be tried (option kernel-relay auto)? */
MUST_USE bool kernel_tries(void);
/* The program may pass on so much more. */
void way_grant(struct kernel_way *way);
/* It had better go by pipes, or copies. Goes on in kernel_leave_try, which may end it. */
void kernel_leave_begin(struct kernel_relay *k, uint64_t *cause);

/* ---- leave.c ---- */

void kernel_leave_try(struct kernel_relay *k);
void kernel_timer(struct timer *timer);

/* ---- move.c ---- */

/* bypass_ops.move, waits. */
MUST_USE enum io kernel_move(struct pump *pump);
MUST_USE bool kernel_waits(struct pump *pump);
/* Looks again in some milliseconds. */
void kernel_wait(struct kernel_relay *k);
/* Holds the source, or lets it go on, by what of it waits for us. */
void way_brake(struct kernel_way *way);

/* ---- take.c ---- */

/* bypass_ops.take. */
void kernel_take(struct relay *relay);

#endif
