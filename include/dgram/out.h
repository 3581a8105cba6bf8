/* SPDX-License-Identifier: BSD-2-Clause */
/* Datagrams on their way to many clients of ports: gathered in places, sent by one sendmmsg for
 * each descriptor when they are full, or at the end of the turn. A row to one client is one message
 * (dgram/rows.h). No memory is taken for a datagram. What a socket has no room for is dropped, and
 * told, as a router would. */
#ifndef DGRAM_OUT_H
#define DGRAM_OUT_H

#include "base/result.h"
#include "dgram/address.h"
#include "dgram/batch.h"
#include "dgram/rows.h"
#include "event/loop.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/uio.h>

struct dgram_port;

/* To one client: part of an object of the user, which lives until all has left (loop_reap, and
 * dgram_out_flush before its memory goes). */
struct dgram_way {
	bool single; /* each datagram leaves by itself: the way cuts none up */
};

struct dgram_out {
	struct mmsghdr msgs[DGRAM_BATCH];
	struct iovec iov[DGRAM_BATCH];
	union dgram_address to[DGRAM_BATCH];
	union dgram_control control[DGRAM_BATCH];
	int fd[DGRAM_BATCH];
	struct dgram_way *way[DGRAM_BATCH];
	uint16_t size[DGRAM_BATCH]; /* of the datagrams of a row that came as one; 0 */
	unsigned count;             /* places that leave; those behind are free */
	char *memory;
	struct task task;
	/* So many datagrams for a client have not left: a socket had no room, or has refused them. */
	void (*dropped)(struct dgram_way *way, unsigned datagrams);
	/* What sendmmsg is given: some places in a row to one client are one message, which the
	 * kernel cuts up. */
	struct {
		struct mmsghdr msgs[DGRAM_BATCH];
		uint8_t places[DGRAM_BATCH];
		union dgram_control control[DGRAM_BATCH];
	} grouped;
};

/* Memory for the places. 0, or -1: there is none. */
MUST_USE int dgram_out_start(struct dgram_out *out,
			     void (*dropped)(struct dgram_way *way, unsigned datagrams));
/* Sends all. */
void dgram_out_flush(struct dgram_out *out);
/* At the end of the turn, if there are any. */
static inline void dgram_out_soon(struct dgram_out *out)
{
	if (out->count)
		task_wake(&out->task);
}

/* Reads from a connected socket into the first free place: 1, or -1 with errno. rows: it gathers
 * them. There is a free place. */
MUST_USE int dgram_out_receive_one(struct dgram_out *out, int fd, bool rows);
/* The same for several, into as many free places at most: how many; none: 0, or -1 with errno. */
MUST_USE int dgram_out_receive(struct dgram_out *out, int fd, unsigned most, bool rows);
/* What was read into a place leaves for a client, by the descriptor: it becomes the last of those
 * that leave. Datagrams of more than `most' bytes go before, and are told as dropped. Returns how
 * many leave; 0: none, and the place is free. Places that were read are taken in their order. */
unsigned dgram_out_take(struct dgram_out *out, unsigned place, unsigned most,
			const struct dgram_port *port, const struct dgram_key *key, int fd,
			struct dgram_way *way);

#endif
