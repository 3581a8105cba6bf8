/* SPDX-License-Identifier: BSD-2-Clause */
/* See dgram/rows.h. */
#include "dgram/rows.h"

#include <errno.h>
#include <netinet/udp.h>
#include <string.h>

void dgram_rows_gather(int fd)
{
	const int value = 1;

	setsockopt(fd, SOL_UDP, UDP_GRO, &value, sizeof(value));
}

uint16_t dgram_row_size(const struct msghdr *msg)
{
	struct cmsghdr *c;
	int size;

	for (c = CMSG_FIRSTHDR(msg); c; c = CMSG_NXTHDR((struct msghdr *)(uintptr_t)msg, c)) {
		if (c->cmsg_level != SOL_UDP || c->cmsg_type != UDP_GRO)
			continue;
		memcpy(&size, CMSG_DATA(c), sizeof(size));
		return (uint16_t)size;
	}
	return 0;
}

unsigned dgram_row_count(size_t bytes, uint16_t size)
{
	return size ? (unsigned)((bytes + size - 1) / size) : 1;
}

unsigned dgram_row_trim(char *memory, unsigned *bytes, uint16_t *size, unsigned most)
{
	unsigned n = dgram_row_count(*bytes, *size);
	unsigned last = *size ? *bytes - (n - 1) * *size : *bytes;

	if ((*size ? *size : *bytes) <= most)
		return 0;
	memmove(memory, memory + *bytes - last, last);
	*size = 0;
	*bytes = last <= most ? last : 0;
	return last <= most ? n - 1 : n;
}

unsigned dgram_row_of(const struct iovec *iov, unsigned n, size_t header)
{
	size_t size = iov[0].iov_len, total = header + size;
	unsigned i;

	if (!size || header + size > DGRAM_ROW_SIZE)
		return 1;
	if (n > DGRAM_ROW_CUT)
		n = DGRAM_ROW_CUT;
	for (i = 1; i < n && total + header + size <= DGRAM_PAYLOAD_MOST; i++) {
		if (!iov[i].iov_len || iov[i].iov_len > size)
			break;
		total += header + iov[i].iov_len;
		if (iov[i].iov_len < size)
			return i + 1;
	}
	return i;
}

void dgram_row_cut(struct msghdr *msg, size_t size)
{
	char *at = (char *)msg->msg_control + msg->msg_controllen;
	struct cmsghdr header = { .cmsg_level = SOL_UDP, .cmsg_type = UDP_SEGMENT,
				  .cmsg_len = CMSG_LEN(sizeof(uint16_t)) };
	uint16_t value = (uint16_t)size;

	memcpy(at, &header, sizeof(header));
	memcpy(at + CMSG_LEN(0), &value, sizeof(value));
	msg->msg_controllen += CMSG_SPACE(sizeof(value));
}

bool dgram_is_full(int error)
{
	return error == EAGAIN || error == ENOBUFS;
}
