/* SPDX-License-Identifier: BSD-2-Clause */
/* See dgram/burst.h. */
#include "dgram/burst.h"

#include "dgram/address.h"

void dgram_burst_compose(struct dgram_burst *b, unsigned n)
{
	bool header = b->header_len;
	unsigned i = header ? 0 : b->plain;

	if (header || n > b->plain)
		b->plain = header ? 0 : n;
	for (; i < n; i++) {
		struct msghdr *msg = &b->msgs[i].msg_hdr;

		msg->msg_iov = header ? &b->pairs[2 * i] : &b->iov[i];
		msg->msg_iovlen = header ? 2 : 1;
		if (header) {
			b->pairs[2 * i] = (struct iovec){ b->header, b->header_len };
			b->pairs[2 * i + 1] = b->iov[i];
		}
	}
}

/* Do they lie one behind the other, as they came? */
static bool lie_together(const struct dgram_burst *b, unsigned first, unsigned n)
{
	const struct iovec *iov = &b->iov[first];

	return !b->header_len &&
	       (char *)iov->iov_base + iov->iov_len * (n - 1) == (char *)iov[n - 1].iov_base;
}

/* One call for n datagrams of one size. -1 with errno. */
static int send_row(const struct dgram_burst *b, int fd, unsigned first, unsigned n)
{
	union dgram_control control;
	struct iovec whole = b->iov[first];
	struct msghdr msg = { .msg_iov = b->msgs[first].msg_hdr.msg_iov,
			      .msg_iovlen = n * b->msgs[first].msg_hdr.msg_iovlen,
			      .msg_control = &control };

	if (lie_together(b, first, n)) {
		whole.iov_len = whole.iov_len * (n - 1) + b->iov[first + n - 1].iov_len;
		msg.msg_iov = &whole;
		msg.msg_iovlen = 1;
	}
	dgram_row_cut(&msg, b->header_len + b->iov[first].iov_len);
	return sendmsg(fd, &msg, MSG_DONTWAIT | MSG_NOSIGNAL) < 0 ? -1 : (int)n;
}

int dgram_burst_send(struct dgram_burst *b, int fd, unsigned done, unsigned n, unsigned row)
{
	if (row > 1)
		return send_row(b, fd, done, row);
	if (n - done > 1 || b->header_len)
		return sendmmsg(fd, &b->msgs[done], n - done, MSG_DONTWAIT | MSG_NOSIGNAL);
	return send(fd, b->iov[done].iov_base, b->iov[done].iov_len,
		    MSG_DONTWAIT | MSG_NOSIGNAL) < 0 ? -1 : 1;
}
