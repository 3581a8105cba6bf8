/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Answers of servers. Each session's socket is read into the next free places of one array, which
 * goes out by one sendmmsg a port, when it is full or at the end of the turn. A row to one client
 * is one message (dgram/rows.h). No memory is taken for a datagram. What a socket has no room for is
 * dropped and counted, as a router would.
 */
#include "udp/answers.h"

#include "base/bug.h"
#include "dgram/errors.h"
#include "dgram/rows.h"
#include "event/loop.h"
#include "net/listener.h"
#include "udp/lb.h"
#include "udp/session.h"

#include "proxy/proxy.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>

enum { BATCH = DGRAM_BATCH, ANSWERS = 16, ROUNDS = 4 };

/* Answers on their way to clients. */
static struct {
	struct mmsghdr msgs[BATCH];
	struct iovec iov[BATCH];
	union dgram_address to[BATCH];
	union dgram_control control[BATCH];
	int fd[BATCH];
	struct udp_session *session[BATCH]; /* they may have ended in this turn */
	uint16_t size[BATCH];               /* of the datagrams of a row that came as one; 0 */
	unsigned count;
	char *memory;
	struct task task;
} out;

static size_t room; /* bytes of one place */

static void drop_answers(const struct udp_session *s, unsigned datagrams)
{
	udp_stats.dropped += datagrams;
	s->port->lb->proxy->be->counters.denied_responses += datagrams;
}

/* What sendmmsg is given: some answers in a row to one client are one message, which the kernel
 * cuts up. */
static struct {
	struct mmsghdr msgs[BATCH];
	uint8_t places[BATCH];
	union dgram_control control[BATCH];
} down;

/* How many places go as one message: one client's, of which none came as a row already. */
static unsigned answers_alike(unsigned first, unsigned n)
{
	unsigned row = 1;

	if (out.size[first] || out.session[first]->single)
		return 1;
	while (row < n && out.session[first + row] == out.session[first] && !out.size[first + row])
		row++;
	return row > 1 ? dgram_row_of(&out.iov[first], row, 0) : 1;
}

/* What the message of such places is cut into; 0: it is one datagram. */
static size_t cut_of(unsigned first, unsigned places)
{
	return places > 1 ? out.iov[first].iov_len : out.size[first];
}

/* Returns how many messages n places have become. */
static unsigned group_answers(unsigned first, unsigned n)
{
	unsigned groups = 0, i, same;

	for (i = first; i < first + n; i += same) {
		struct msghdr *msg = &down.msgs[groups].msg_hdr;

		same = answers_alike(i, first + n - i);
		*msg = out.msgs[i].msg_hdr;
		if (cut_of(i, same)) {
			msg->msg_iovlen = same;
			memcpy(&down.control[groups], &out.control[i], msg->msg_controllen);
			msg->msg_control = &down.control[groups];
			dgram_row_cut(msg, cut_of(i, same));
		}
		down.places[groups++] = (uint8_t)same;
	}
	return groups;
}

static void drop_places(unsigned first, unsigned n)
{
	unsigned datagrams = 0, i;

	for (i = first; i < first + n; i++)
		datagrams += dgram_row_count(out.iov[i].iov_len, out.size[i]);
	drop_answers(out.session[first], datagrams);
}

/* What lies in a place, datagram by datagram. */
static void send_apart(unsigned place)
{
	size_t left = out.iov[place].iov_len, size = out.size[place] ? out.size[place] : left;
	struct iovec iov = { .iov_base = out.iov[place].iov_base };
	struct msghdr msg = out.msgs[place].msg_hdr;

	msg.msg_iov = &iov;
	do {
		iov.iov_len = left < size ? left : size;
		if (sendmsg(out.fd[place], &msg, MSG_DONTWAIT | MSG_NOSIGNAL) < 0)
			drop_answers(out.session[place], 1);
		left -= iov.iov_len;
		iov.iov_base = (char *)iov.iov_base + iov.iov_len;
	} while (left);
}

/* One by one: the way to the client does not take them otherwise. */
static void send_singly(unsigned first, unsigned n)
{
	out.session[first]->single = true;
	for (; n; first++, n--)
		send_apart(first);
}

/* Those of one descriptor, in a row. */
static void send_answers(unsigned first, unsigned n)
{
	unsigned groups = group_answers(first, n), group = 0;
	int sent;

	while (group < groups) {
		sent = sendmmsg(out.fd[first], &down.msgs[group], groups - group,
				MSG_DONTWAIT | MSG_NOSIGNAL);
		if (sent < 0 && dgram_is_full(errno)) {
			drop_places(first, n);
			return;
		}
		if (sent < 0 && cut_of(first, down.places[group]))
			send_singly(first, down.places[group]);
		else if (sent < 0)
			drop_places(first, 1);
		for (sent = sent < 0 ? 1 : sent; sent; sent--, group++) {
			first += down.places[group];
			n -= down.places[group];
		}
	}
}

void udp_answers_flush(void)
{
	unsigned first = 0, i;

	for (i = 1; i <= out.count; i++)
		if (i == out.count || out.fd[i] != out.fd[first]) {
			send_answers(first, i - first);
			first = i;
		}
	out.count = 0;
}

static void flush_task(struct task *task)
{
	(void)task;
	udp_answers_flush();
}

static void put_local_v4(struct msghdr *msg, union dgram_control *control,
			 const struct in6_addr *local)
{
	struct in_pktinfo info = { 0 };

	memcpy(&info.ipi_spec_dst, &local->s6_addr[12], sizeof(info.ipi_spec_dst));
	control->header = (struct cmsghdr){ .cmsg_level = SOL_IP, .cmsg_type = IP_PKTINFO,
					    .cmsg_len = CMSG_LEN(sizeof(info)) };
	memcpy(CMSG_DATA(&control->header), &info, sizeof(info));
	msg->msg_controllen = CMSG_SPACE(sizeof(info));
}

static void put_local_v6(struct msghdr *msg, union dgram_control *control, const struct udp_key *key)
{
	struct in6_pktinfo info = { .ipi6_addr = key->local, .ipi6_ifindex = key->scope };

	control->header = (struct cmsghdr){ .cmsg_level = SOL_IPV6, .cmsg_type = IPV6_PKTINFO,
					    .cmsg_len = CMSG_LEN(sizeof(info)) };
	memcpy(CMSG_DATA(&control->header), &info, sizeof(info));
	msg->msg_controllen = CMSG_SPACE(sizeof(info));
}

/* From the address that the client has sent to. */
static void put_local(const struct udp_session *s, unsigned i)
{
	struct msghdr *msg = &out.msgs[i].msg_hdr;

	msg->msg_control = NULL;
	msg->msg_controllen = 0;
	if (!s->port->any)
		return;
	msg->msg_control = &out.control[i];
	if (s->port->listener->addr.family == AF_INET)
		put_local_v4(msg, &out.control[i], &s->key.local);
	else
		put_local_v6(msg, &out.control[i], &s->key);
}

static socklen_t put_client(const struct udp_session *s, union dgram_address *to)
{
	const struct udp_key *key = &s->key;

	if (s->port->listener->addr.family == AF_INET) {
		to->v4 = (struct sockaddr_in){ .sin_family = AF_INET, .sin_port = key->port };
		memcpy(&to->v4.sin_addr, &key->client.s6_addr[12], sizeof(to->v4.sin_addr));
		return sizeof(to->v4);
	}
	to->v6 = (struct sockaddr_in6){ .sin6_family = AF_INET6, .sin6_port = key->port,
					.sin6_addr = key->client, .sin6_scope_id = key->scope };
	return sizeof(to->v6);
}

static void address_answer(struct udp_session *s, unsigned i)
{
	struct msghdr *msg = &out.msgs[i].msg_hdr;

	msg->msg_name = &out.to[i];
	msg->msg_namelen = put_client(s, &out.to[i]);
	put_local(s, i);
	out.fd[i] = udp_session_client_fd(s);
	out.session[i] = s;
}

/* What has come in a place, from there to another one. Returns how many datagrams these are; 0: all
 * of them were too large. */
static unsigned take_answer(struct udp_session *s, unsigned i, unsigned to)
{
	unsigned bytes = out.msgs[i].msg_len, all, dropped;
	uint16_t size = dgram_row_size(&out.msgs[i].msg_hdr);
	char *memory = out.iov[i].iov_base;

	all = dgram_row_count(bytes, size);
	dropped = dgram_row_trim(memory, &bytes, &size, s->port->lb->payload);
	if (dropped)
		drop_answers(s, dropped);
	if (dropped == all)
		return 0;
	out.iov[i].iov_base = out.iov[to].iov_base;
	out.iov[to] = (struct iovec){ memory, bytes };
	out.size[to] = size;
	address_answer(s, to);
	return all - dropped;
}

/* Takes those that the server has sent to the places behind out.count. Those that are too large
 * leave theirs to the next. */
static void take_answers(struct udp_session *s, unsigned n)
{
	unsigned i, from = out.count, datagrams = 0, got;
	uint64_t bytes = 0;

	for (i = from; i < from + n; i++) {
		got = take_answer(s, i, out.count);
		if (!got)
			continue;
		bytes += out.iov[out.count++].iov_len;
		datagrams += got;
	}
	udp_session_touch(s, UDP_CLIENT);
	if (datagrams)
		udp_session_count_out(s, datagrams, bytes);
}

static void prepare_place(unsigned i, bool rows)
{
	struct msghdr *msg = &out.msgs[i].msg_hdr;

	out.iov[i].iov_len = room;
	msg->msg_name = NULL;
	msg->msg_namelen = 0;
	msg->msg_control = &out.control[i];
	msg->msg_controllen = rows ? sizeof(out.control[i]) : 0;
}

/* 1, or -1 with errno. */
static int receive_one(const struct udp_session *s)
{
	struct mmsghdr *at = &out.msgs[out.count];
	ssize_t len;

	if (udp_gathers_answers(s->port->lb)) {
		prepare_place(out.count, true);
		len = recvmsg(s->src.fd, &at->msg_hdr, MSG_DONTWAIT);
	} else {
		at->msg_hdr.msg_controllen = 0;
		len = recv(s->src.fd, out.iov[out.count].iov_base, room, MSG_DONTWAIT);
	}
	at->msg_len = (unsigned)len;
	return len < 0 ? -1 : 1;
}

static int receive_several(const struct udp_session *s, unsigned most)
{
	bool rows = udp_gathers_answers(s->port->lb);
	unsigned i;

	for (i = out.count; i < out.count + most; i++)
		prepare_place(i, rows);
	return recvmmsg(s->src.fd, &out.msgs[out.count], most, MSG_DONTWAIT, NULL);
}

/* Of an earlier datagram. */
static void take_error(struct udp_session *s, int error)
{
	if (error == ECONNREFUSED || dgram_errors_take(s->src.fd) == DGRAM_ERROR_REFUSED)
		udp_session_refused(s);
}

/* How many came; 0: no more, and the session may have ended. Where the client has sent a single
 * datagram, a single answer is likely: this spares the look for a second one. Should there be more,
 * the poller tells again. */
static unsigned receive_answers(struct udp_session *s, unsigned most)
{
	bool one = !s->several && s->turn != UDP_CLIENT;
	int n = one ? receive_one(s) : receive_several(s, most);

	if (!one)
		s->several = n > 1;
	if (n > 0) {
		take_answers(s, (unsigned)n);
		return (unsigned)n;
	}
	if (n < 0 && errno != EAGAIN && errno != EINTR)
		take_error(s, errno);
	return 0;
}

void udp_server_ready(struct source *src, uint32_t events)
{
	struct udp_session *s = container_of(src, struct udp_session, src);
	unsigned rounds, most, n;

	for (rounds = 0; rounds < ROUNDS && s->src.fd >= 0; rounds++) {
		if (out.count == BATCH)
			udp_answers_flush();
		most = BATCH - out.count < ANSWERS ? BATCH - out.count : ANSWERS;
		n = receive_answers(s, most);
		if (n < most)
			break;
	}
	if (unlikely(events & EPOLLERR) && s->src.fd >= 0)
		take_error(s, 0); /* else the poller would tell again and again */
	if (out.count)
		task_wake(&out.task);
}

int udp_answers_start(size_t bytes)
{
	unsigned i;

	room = bytes;
	out.memory = malloc(BATCH * room);
	if (!out.memory)
		return -1;
	for (i = 0; i < BATCH; i++) {
		out.iov[i].iov_base = out.memory + i * room;
		out.msgs[i].msg_hdr = (struct msghdr){ .msg_iov = &out.iov[i], .msg_iovlen = 1 };
	}
	task_init(&out.task, flush_task);
	return 0;
}
