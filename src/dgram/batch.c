/* SPDX-License-Identifier: BSD-2-Clause */
/* See dgram/batch.h. */
#include "dgram/batch.h"

#include <stdlib.h>

int dgram_batch_start(struct dgram_batch *b)
{
	unsigned i;

	b->memory = malloc((size_t)DGRAM_BATCH * DGRAM_PLACE);
	if (!b->memory)
		return -1;
	for (i = 0; i < DGRAM_BATCH; i++) {
		b->iov[i] = (struct iovec){ b->memory + (size_t)i * DGRAM_PLACE, DGRAM_PLACE };
		b->msgs[i].msg_hdr = (struct msghdr){ .msg_name = &b->from[i],
						      .msg_iov = &b->iov[i],
						      .msg_iovlen = 1,
						      .msg_control = &b->control[i] };
	}
	return 0;
}

int dgram_batch_receive(struct dgram_batch *b, int fd)
{
	unsigned i;

	for (i = 0; i < DGRAM_BATCH; i++) {
		struct msghdr *msg = &b->msgs[i].msg_hdr;

		msg->msg_namelen = sizeof(b->from[i]);
		msg->msg_controllen = sizeof(b->control[i]);
	}
	return recvmmsg(fd, b->msgs, DGRAM_BATCH, MSG_DONTWAIT, NULL);
}

struct dgram_key dgram_batch_key(struct dgram_batch *b, const struct dgram_port *port, unsigned i)
{
	b->size[i] = dgram_row_size(&b->msgs[i].msg_hdr);
	return dgram_key_of(port, &b->from[i], &b->msgs[i].msg_hdr);
}

unsigned dgram_batch_cut(const struct dgram_batch *b, unsigned i, struct iovec *iov)
{
	size_t left = b->msgs[i].msg_len, size = b->size[i] ? b->size[i] : left;
	char *at = b->iov[i].iov_base;
	unsigned n = 0;

	do {
		iov[n] = (struct iovec){ at, left < size ? left : size };
		at += iov[n].iov_len;
		left -= iov[n++].iov_len;
	} while (left && n < DGRAM_ROW_MOST);
	return n;
}
