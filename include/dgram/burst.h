/* SPDX-License-Identifier: BSD-2-Clause */
/* Datagrams in order over one connected socket, each perhaps behind a header. Those of one size
 * leave as a row (dgram/rows.h), others by one sendmmsg. */
#ifndef DGRAM_BURST_H
#define DGRAM_BURST_H

#include "base/result.h"
#include "dgram/rows.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/socket.h>
#include <sys/uio.h>

/* All that a batch can bring. Most of it is for rows, and never touched where none come. */
enum { DGRAM_BURST_MOST = DGRAM_BATCH * DGRAM_ROW_MOST, DGRAM_HEADER_MOST = 64 };

struct dgram_burst {
	struct mmsghdr msgs[DGRAM_BURST_MOST];
	struct iovec iov[DGRAM_BURST_MOST];       /* the datagrams: the user's */
	struct iovec pairs[2 * DGRAM_BURST_MOST]; /* the same, each behind the header, if there is one */
	char header[DGRAM_HEADER_MOST];
	size_t header_len;                        /* 0: there is none */
	unsigned plain; /* so many of msgs are of iov alone already, from the first on */
};

/* iov has n, and the header is known. */
void dgram_burst_compose(struct dgram_burst *b, unsigned n);
/* How many from `done' on may leave as a row. */
static inline unsigned dgram_burst_row(const struct dgram_burst *b, unsigned done, unsigned n)
{
	return dgram_row_of(&b->iov[done], n - done, b->header_len);
}
/* Some of them, from `done' on; as a row, where that has more than one. How many have left, or -1
 * with errno. */
MUST_USE int dgram_burst_send(struct dgram_burst *b, int fd, unsigned done, unsigned n,
			      unsigned row);

#endif
