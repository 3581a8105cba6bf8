/* SPDX-License-Identifier: BSD-2-Clause */
/* Sockets whose bytes the kernel passes on by itself (doc/internals/kernel.md): the maps, the
 * program, and what the program and this process tell each other in shared memory. */
#ifndef NET_SOCKMAP_H
#define NET_SOCKMAP_H

#include "base/err.h"
#include "base/result.h"

#include <stdbool.h>
#include <stdint.h>

/* One direction: what comes in on one socket goes out on another. The program writes the first
 * half, this process the second one; told is written by both. */
struct sockmap_route {
	uint64_t relayed;  /* bytes sent on by the kernel */
	uint64_t passed;   /* bytes left to this process, to be received */
	uint64_t segments; /* of relayed */
	uint64_t fault;    /* not 0: bytes were lost, or cannot be told apart: all is over */
	uint32_t next_seq; /* of the first byte that has not come yet; valid when synced */
	uint32_t synced;
	uint64_t told;     /* 1: this process was told, and has not looked yet */
	uint64_t unused1[2];
	uint64_t forwarded;      /* bytes of passed that were sent on */
	uint64_t bytes_until;    /* relayed never gets beyond it */
	uint64_t bytes_low;      /* beyond it this process is told */
	uint64_t segments_until; /* the same for segments */
	uint64_t segments_low;
	uint64_t passed_most;    /* more of passed than forwarded is a fault */
	uint64_t unused2[2];
};

/* A longer segment is left to the process: many of them would fill the kernel's queues faster
 * than its worker empties these. */
enum { SOCKMAP_LARGEST = 1 << 14 };

/* Which of the two directions the kernel has from now on. */
enum { SOCKMAP_FIRST = 1 << 0, SOCKMAP_SECOND = 1 << 1 };

/* Makes the maps and the program, for so many directions, and tries them on connections of the
 * loopback. Needs CAP_BPF and CAP_NET_ADMIN; what follows needs no right. 0, or -1 with a sentence;
 * nothing is left then. */
MUST_USE int sockmap_open(unsigned routes, struct err *err);
void sockmap_close(void);
/* Readable while sockmap_next has something to say. */
MUST_USE int sockmap_fd(void);
/* How far the program has written by now. */
uint64_t sockmap_told(void);
/* The number of a direction that has told something before that end, and may have ended meanwhile;
 * -1: none. */
MUST_USE int sockmap_next(uint64_t end);

/* The number of a zeroed direction, -1: all are in use, or were lately. */
MUST_USE int sockmap_route_take(void);
struct sockmap_route *sockmap_route(int number);
/* Puts both sockets into the maps: what comes on fd[0] is of route[0] and goes out on fd[1], and
 * the other way round. Nothing of a segment may be half read. Returns SOCKMAP_* bits; errno
 * tells why one is missing. They leave by closing the descriptors, or by sockmap_leave. */
unsigned sockmap_join(const int fd[2], const int route[2]);
/* To leave the maps without losing a byte. Removing a socket from them drops what comes in that
 * moment, so no bytes may come: sockmap_hold has TCP refuse segments with bytes, as if they were
 * lost on the way; a peer sends them again later. What the kernel is busy with at that moment
 * may come still, so the caller waits a millisecond, and has then received all that was left to
 * it. 0, or -1 with errno. */
MUST_USE int sockmap_hold(int fd);
/* What comes is taken again. */
void sockmap_let(int fd);
/* Both sockets, held, leave the maps; they are such as any. */
void sockmap_leave(const int route[2]);
/* The direction ends; its source is closed next. */
void sockmap_route_give(int number);

#endif
