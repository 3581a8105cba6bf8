/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Datagrams of one socket in batches. Questions of one length are one message for the kernel, which
 * passes through its layers once and is cut up at the end: sending is most of what names cost.
 * Where the way does not take that, they go one by one.
 */
#include "dns/datagram.h"

#include "base/bug.h"
#include "dns/message.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/udp.h>
#include <string.h>
#include <sys/socket.h>

/* What is sent in one call: messages of one length stand behind one another. */
static struct {
	struct mmsghdr msgs[DATAGRAMS];
	struct iovec iov[DATAGRAMS];
	unsigned messages, parts;
	union {
		struct cmsghdr header;
		char room[CMSG_SPACE(sizeof(uint16_t))];
	} control[DATAGRAMS];
} out;

static unsigned split(const char *bytes, size_t len, struct iovec *parts)
{
	unsigned count = 0;
	size_t at, size;

	for (at = 0; at + 2 <= len; at += 2 + size) {
		size = (size_t)((unsigned char)bytes[at] << 8 | (unsigned char)bytes[at + 1]);
		BUG_ON(count == DATAGRAMS || size > len - at - 2);
		parts[count++] = (struct iovec){ (char *)bytes + at + 2, size };
	}
	return count;
}

static void cut_up(struct msghdr *msg, unsigned number, size_t size)
{
	struct cmsghdr *header = &out.control[number].header;
	uint16_t value = (uint16_t)size;

	*header = (struct cmsghdr){ .cmsg_level = SOL_UDP, .cmsg_type = UDP_SEGMENT,
				    .cmsg_len = CMSG_LEN(sizeof(value)) };
	memcpy(CMSG_DATA(header), &value, sizeof(value));
	msg->msg_control = header;
	msg->msg_controllen = CMSG_SPACE(sizeof(value));
}

/* The first of the parts, and those of its length: parts that were taken have none any more. */
static void add_message(struct iovec *parts, unsigned count)
{
	struct msghdr *msg = &out.msgs[out.messages].msg_hdr;
	size_t size = parts[0].iov_len;
	unsigned i;

	*msg = (struct msghdr){ .msg_iov = out.iov + out.parts };
	for (i = 0; i < count; i++) {
		if (parts[i].iov_len != size)
			continue;
		out.iov[out.parts++] = parts[i];
		msg->msg_iovlen++;
		parts[i].iov_len = 0;
	}
	if (msg->msg_iovlen > 1)
		cut_up(msg, out.messages, size);
	out.messages++;
}

/* How many of them could not be sent. */
static unsigned send_singly(int fd, const struct msghdr *msg)
{
	unsigned i, failed = 0;

	for (i = 0; i < msg->msg_iovlen; i++)
		if (send(fd, msg->msg_iov[i].iov_base, msg->msg_iov[i].iov_len, MSG_NOSIGNAL) < 0)
			failed++;
	return failed;
}

unsigned datagrams_send(int fd, const char *bytes, size_t len)
{
	struct iovec parts[DATAGRAMS];
	unsigned count = split(bytes, len, parts), i, failed = 0, done = 0;
	int sent;

	out.messages = out.parts = 0;
	for (i = 0; i < count; i++)
		if (parts[i].iov_len)
			add_message(parts + i, count - i);
	while (done < out.messages) {
		sent = sendmmsg(fd, out.msgs + done, out.messages - done, MSG_NOSIGNAL);
		if (sent > 0)
			done += (unsigned)sent;
		else /* also where an answer of ICMP to what was sent before is told of */
			failed += send_singly(fd, &out.msgs[done++].msg_hdr);
	}
	return failed;
}

int datagrams_take(int fd, struct span *got)
{
	static char memory[DATAGRAMS]
			  [DNS_MESSAGE_MOST + 1]; /* pages that nothing comes into cost nothing */
	static struct iovec iov[DATAGRAMS];
	static struct mmsghdr msgs[DATAGRAMS];
	int i, n;

	for (i = 0; i < DATAGRAMS && !iov[i].iov_base; i++) {
		iov[i] = (struct iovec){ memory[i], sizeof(memory[i]) };
		msgs[i].msg_hdr = (struct msghdr){ .msg_iov = &iov[i], .msg_iovlen = 1 };
	}
	n = recvmmsg(fd, msgs, DATAGRAMS, MSG_DONTWAIT, NULL);
	for (i = 0; i < n; i++)
		got[i] = (struct span){ memory[i], msgs[i].msg_len };
	return n;
}
