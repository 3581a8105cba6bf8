/* SPDX-License-Identifier: BSD-2-Clause */
/* Rows: datagrams of one size (the last one perhaps smaller, none empty) on one way, one behind the
 * other. They pass the kernel as one: it gathers those that come (UDP_GRO) and cuts up those that
 * leave (UDP_SEGMENT); udp(7). What is counted, limited and given a header is each datagram. */
#ifndef DGRAM_ROWS_H
#define DGRAM_ROWS_H

#include "base/result.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/uio.h>

enum {
	DGRAM_PAYLOAD_MOST = 65507, /* bytes of any datagram */
	DGRAM_BATCH = 64,           /* messages of one call */
	DGRAM_ROW_CUT = 64,         /* what each kernel cuts up at most */
	DGRAM_ROW_MOST = 128,       /* what any of them gathers */
	DGRAM_ROW_BYTES = 65536,    /* room for each row */
	DGRAM_ROW_SIZE = 1472,      /* datagrams above leave one by one: few ways take such rows */
};

/* The socket gathers rows. Kernels that cannot (before 5.0) never do. */
void dgram_rows_gather(int fd);
/* Of a message that has come: the size of its datagrams; 0: it is a single one. */
uint16_t dgram_row_size(const struct msghdr *msg);
/* How many datagrams lie in so many bytes. */
unsigned dgram_row_count(size_t bytes, uint16_t size);
/* Takes those out of a row that are larger than most, which leaves the last one, or none. Returns
 * how many went; all of them: *bytes is 0. */
unsigned dgram_row_trim(char *memory, unsigned *bytes, uint16_t *size, unsigned most);
/* How many of n pieces may leave as one row, with so many bytes of header in front of each. 1: the
 * first one leaves by itself. */
unsigned dgram_row_of(const struct iovec *iov, unsigned n, size_t header);
/* Behind what msg->msg_control has already: the kernel is to cut the message up. */
void dgram_row_cut(struct msghdr *msg, size_t size);
/* errno of a send: the socket has no room now. */
MUST_USE bool dgram_is_full(int error);

#endif
