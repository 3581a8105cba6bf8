/* SPDX-License-Identifier: BSD-2-Clause */
/* See dgram/out.h. */
#include "dgram/out.h"

#include "base/bug.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- sending ----------------------------------------------------------------------------- */

/* How many places go as one message: one client's, of which none came as a row already. */
static unsigned places_alike(const struct dgram_out *out, unsigned first, unsigned n)
{
	unsigned row = 1;

	if (out->size[first] || out->way[first]->single)
		return 1;
	while (row < n && out->way[first + row] == out->way[first] && !out->size[first + row])
		row++;
	return row > 1 ? dgram_row_of(&out->iov[first], row, 0) : 1;
}

/* What the message of such places is cut into; 0: it is one datagram. */
static size_t cut_of(const struct dgram_out *out, unsigned first, unsigned places)
{
	return places > 1 ? out->iov[first].iov_len : out->size[first];
}

/* Returns how many messages n places have become. */
static unsigned group(struct dgram_out *out, unsigned first, unsigned n)
{
	unsigned groups = 0, i, same;

	for (i = first; i < first + n; i += same) {
		struct msghdr *msg = &out->grouped.msgs[groups].msg_hdr;

		same = places_alike(out, i, first + n - i);
		*msg = out->msgs[i].msg_hdr;
		if (cut_of(out, i, same)) {
			msg->msg_iovlen = same;
			memcpy(&out->grouped.control[groups], &out->control[i],
			       msg->msg_controllen);
			msg->msg_control = &out->grouped.control[groups];
			dgram_row_cut(msg, cut_of(out, i, same));
		}
		out->grouped.places[groups++] = (uint8_t)same;
	}
	return groups;
}

static void drop_places(struct dgram_out *out, unsigned first, unsigned n)
{
	unsigned datagrams = 0, i;

	for (i = first; i < first + n; i++)
		datagrams += dgram_row_count(out->iov[i].iov_len, out->size[i]);
	out->dropped(out->way[first], datagrams);
}

/* What lies in a place, datagram by datagram. */
static void send_apart(struct dgram_out *out, unsigned place)
{
	size_t left = out->iov[place].iov_len, size = out->size[place] ? out->size[place] : left;
	struct iovec iov = { .iov_base = out->iov[place].iov_base };
	struct msghdr msg = out->msgs[place].msg_hdr;

	msg.msg_iov = &iov;
	do {
		iov.iov_len = left < size ? left : size;
		if (sendmsg(out->fd[place], &msg, MSG_DONTWAIT | MSG_NOSIGNAL) < 0)
			out->dropped(out->way[place], 1);
		left -= iov.iov_len;
		iov.iov_base = (char *)iov.iov_base + iov.iov_len;
	} while (left);
}

/* One by one: the way to the client does not take them otherwise. */
static void send_singly(struct dgram_out *out, unsigned first, unsigned n)
{
	out->way[first]->single = true;
	for (; n; first++, n--)
		send_apart(out, first);
}

/* Those of one descriptor, in a row. */
static void send_places(struct dgram_out *out, unsigned first, unsigned n)
{
	unsigned groups = group(out, first, n), at = 0;
	int sent;

	while (at < groups) {
		sent = sendmmsg(out->fd[first], &out->grouped.msgs[at], groups - at,
				MSG_DONTWAIT | MSG_NOSIGNAL);
		if (sent < 0 && dgram_is_full(errno)) {
			drop_places(out, first, n);
			return;
		}
		if (sent < 0 && cut_of(out, first, out->grouped.places[at]))
			send_singly(out, first, out->grouped.places[at]);
		else if (sent < 0)
			drop_places(out, first, 1);
		for (sent = sent < 0 ? 1 : sent; sent; sent--, at++) {
			first += out->grouped.places[at];
			n -= out->grouped.places[at];
		}
	}
}

void dgram_out_flush(struct dgram_out *out)
{
	unsigned first = 0, i;

	for (i = 1; i <= out->count; i++)
		if (i == out->count || out->fd[i] != out->fd[first]) {
			send_places(out, first, i - first);
			first = i;
		}
	out->count = 0;
}

static void flush_task(struct task *task)
{
	dgram_out_flush(container_of(task, struct dgram_out, task));
}

/* ---- filling ----------------------------------------------------------------------------- */

static void prepare_place(struct dgram_out *out, unsigned i, bool rows)
{
	struct msghdr *msg = &out->msgs[i].msg_hdr;

	out->iov[i].iov_len = DGRAM_PLACE;
	msg->msg_name = NULL;
	msg->msg_namelen = 0;
	msg->msg_control = &out->control[i];
	msg->msg_controllen = rows ? sizeof(out->control[i]) : 0;
}

int dgram_out_receive_one(struct dgram_out *out, int fd, bool rows)
{
	struct mmsghdr *at = &out->msgs[out->count];
	ssize_t len;

	if (rows) {
		prepare_place(out, out->count, true);
		len = recvmsg(fd, &at->msg_hdr, MSG_DONTWAIT);
	} else {
		at->msg_hdr.msg_controllen = 0;
		len = recv(fd, out->iov[out->count].iov_base, DGRAM_PLACE, MSG_DONTWAIT);
	}
	at->msg_len = (unsigned)len;
	return len < 0 ? -1 : 1;
}

int dgram_out_receive(struct dgram_out *out, int fd, unsigned most, bool rows)
{
	unsigned i;

	for (i = out->count; i < out->count + most; i++)
		prepare_place(out, i, rows);
	return recvmmsg(fd, &out->msgs[out->count], most, MSG_DONTWAIT, NULL);
}

unsigned dgram_out_take(struct dgram_out *out, unsigned place, unsigned most,
			const struct dgram_port *port, const struct dgram_key *key, int fd,
			struct dgram_way *way)
{
	unsigned bytes = out->msgs[place].msg_len, to = out->count, all, dropped;
	uint16_t size = dgram_row_size(&out->msgs[place].msg_hdr);
	char *memory = out->iov[place].iov_base;

	all = dgram_row_count(bytes, size);
	dropped = dgram_row_trim(memory, &bytes, &size, most);
	if (dropped)
		out->dropped(way, dropped);
	if (dropped == all)
		return 0;
	out->iov[place].iov_base = out->iov[to].iov_base;
	out->iov[to] = (struct iovec){ memory, bytes };
	out->size[to] = size;
	dgram_address(port, key, &out->msgs[to].msg_hdr, &out->to[to], &out->control[to]);
	out->fd[to] = fd;
	out->way[to] = way;
	out->count++;
	return all - dropped;
}

int dgram_out_start(struct dgram_out *out,
		    void (*dropped)(struct dgram_way *way, unsigned datagrams))
{
	unsigned i;

	out->dropped = dropped;
	out->memory = malloc((size_t)DGRAM_BATCH * DGRAM_PLACE);
	if (!out->memory)
		return -1;
	for (i = 0; i < DGRAM_BATCH; i++) {
		out->iov[i].iov_base = out->memory + (size_t)i * DGRAM_PLACE;
		out->msgs[i].msg_hdr = (struct msghdr){ .msg_iov = &out->iov[i],
							.msg_iovlen = 1 };
	}
	task_init(&out->task, flush_task);
	return 0;
}
