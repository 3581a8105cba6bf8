/* SPDX-License-Identifier: BSD-2-Clause */
/* Datagrams that come to a port: up to DGRAM_BATCH messages by one call, each a datagram or a row
 * of them (dgram/rows.h). No memory is taken for a datagram: a batch has places. */
#ifndef DGRAM_BATCH_H
#define DGRAM_BATCH_H

#include "base/result.h"
#include "dgram/address.h"
#include "dgram/rows.h"

#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/uio.h>

/* Room for rows, and for a byte more than the largest datagram. Pages that none reaches cost
 * nothing. Places are not a power of two apart, or they would share lines of the cache. */
enum { DGRAM_PLACE = DGRAM_ROW_BYTES + 17 * 64 };

struct dgram_batch {
	struct mmsghdr msgs[DGRAM_BATCH];
	struct iovec iov[DGRAM_BATCH];
	union dgram_address from[DGRAM_BATCH];
	union dgram_control control[DGRAM_BATCH];
	uint16_t size[DGRAM_BATCH]; /* of the datagrams of a row; 0: it is a single one */
	char *memory;
};

/* Memory for the places. 0, or -1: there is none. */
MUST_USE int dgram_batch_start(struct dgram_batch *b);
/* What waits at a socket, without waiting for it: how many messages; none: 0, or -1 with errno. */
MUST_USE int dgram_batch_receive(struct dgram_batch *b, int fd);
/* Whose message it is; to be called before the sizes are read. */
struct dgram_key dgram_batch_key(struct dgram_batch *b, const struct dgram_port *port, unsigned i);
/* The datagrams of a message. Returns how many, at most DGRAM_ROW_MOST: those behind are left out
 * (dgram_row_count tells how many there are). */
unsigned dgram_batch_cut(const struct dgram_batch *b, unsigned i, struct iovec *iov);

#endif
