/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Datagrams in batches. From clients: one recvmmsg takes up to BATCH of them; each finds its
 * session or begins one; what several have for one session goes to its server in order, by one
 * call. From servers: each session's socket is read into the next free places of one array, which
 * goes out by one sendmmsg a port, when it is full or at the end of the turn. Some of one size in a
 * row to one address are one message, which the kernel cuts up (UDP_SEGMENT). No memory is taken
 * for a datagram. What a socket has no room for is dropped and counted, as a router would.
 */
#include "udp/port.h"

#include "base/bug.h"
#include "net/listener.h"
#include "net/proxyproto.h"
#include "udp/lb.h"
#include "udp/session.h"

#include "proxy/proxy.h"

#include <errno.h>
#include <netinet/udp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>

enum { BATCH = 64, ANSWERS = 16, ROUNDS = 4, SEGMENT_MOST = 1472, HEADER_MOST = 64 };

union sock_addr {
	struct sockaddr sa;
	struct sockaddr_in v4;
	struct sockaddr_in6 v6;
};

/* Room for the address of ours that a datagram was sent to. */
union control {
	struct cmsghdr header;
	char room[CMSG_SPACE(sizeof(struct in6_pktinfo))];
};

/* Datagrams of clients. */
static struct {
	struct mmsghdr msgs[BATCH];
	struct iovec iov[BATCH];
	union sock_addr from[BATCH];
	union control control[BATCH];
	struct udp_session *session[BATCH];
	uint8_t next[BATCH];        /* of the same session */
	char *memory;
} in;

/* Answers on their way to clients. */
static struct {
	struct mmsghdr msgs[BATCH];
	struct iovec iov[BATCH];
	union sock_addr to[BATCH];
	union control control[BATCH];
	int fd[BATCH];
	struct udp_port *port[BATCH];
	struct udp_session *session[BATCH]; /* they may have ended in this turn */
	unsigned count;
	char *memory;
	struct task task;
} out;

static size_t room; /* bytes of one place */

/* How many of n in a row have one size, the last one perhaps less: as much as the kernel cuts up in
 * one call. header: bytes in front of each. */
static unsigned alike(const struct iovec *iov, unsigned n, size_t header)
{
	size_t size = iov[0].iov_len, total = header + size;
	unsigned i;

	if (!size || header + size > SEGMENT_MOST)
		return 1;
	for (i = 1; i < n && total + header + size <= UDP_PAYLOAD_MOST; i++) {
		if (!iov[i].iov_len || iov[i].iov_len > size)
			break;
		total += header + iov[i].iov_len;
		if (iov[i].iov_len < size)
			return i + 1;
	}
	return i;
}

/* ---- answers ----------------------------------------------------------------------------- */

/* What sendmmsg is given: some answers in a row to one client are one message, which the kernel
 * cuts up. */
static struct {
	struct mmsghdr msgs[BATCH];
	uint8_t answers[BATCH];
	union {
		struct cmsghdr header;
		char room[CMSG_SPACE(sizeof(struct in6_pktinfo)) + CMSG_SPACE(sizeof(uint16_t))];
	} control[BATCH];
} down;

/* Behind what the message has already. */
static void put_segment(struct msghdr *msg, size_t size)
{
	char *at = (char *)msg->msg_control + msg->msg_controllen;
	struct cmsghdr header = { .cmsg_level = SOL_UDP, .cmsg_type = UDP_SEGMENT,
				  .cmsg_len = CMSG_LEN(sizeof(uint16_t)) };
	uint16_t value = (uint16_t)size;

	memcpy(at, &header, sizeof(header));
	memcpy(at + CMSG_LEN(0), &value, sizeof(value));
	msg->msg_controllen += CMSG_SPACE(sizeof(value));
}

/* Of those in a row that are one client's, how many are alike. */
static unsigned answers_alike(unsigned first, unsigned n)
{
	unsigned row = 1;

	while (row < n && out.session[first + row] == out.session[first])
		row++;
	return row > 1 && !out.session[first]->single ? alike(&out.iov[first], row, 0) : 1;
}

/* Returns how many messages n answers have become. */
static unsigned group_answers(unsigned first, unsigned n)
{
	unsigned groups = 0, i, same;

	for (i = first; i < first + n; i += same) {
		struct msghdr *msg = &down.msgs[groups].msg_hdr;

		same = answers_alike(i, first + n - i);
		*msg = out.msgs[i].msg_hdr;
		if (same > 1) {
			msg->msg_iovlen = same;
			memcpy(&down.control[groups], &out.control[i], msg->msg_controllen);
			msg->msg_control = &down.control[groups];
			put_segment(msg, out.iov[i].iov_len);
		}
		down.answers[groups++] = (uint8_t)same;
	}
	return groups;
}

static void drop_answers(unsigned first, unsigned n)
{
	udp_stats.dropped += n;
	out.port[first]->lb->proxy->fe->counters.denied_responses += n;
}

/* One by one: the way to the client does not take them otherwise. */
static void send_singly(unsigned first, unsigned n)
{
	out.session[first]->single = true;
	for (; n; first++, n--)
		if (sendmsg(out.fd[first], &out.msgs[first].msg_hdr,
			    MSG_DONTWAIT | MSG_NOSIGNAL) < 0)
			drop_answers(first, 1);
}

static bool is_full(int error)
{
	return error == EAGAIN || error == ENOBUFS;
}

/* Those of one descriptor, in a row. */
static void send_answers(unsigned first, unsigned n)
{
	unsigned groups = group_answers(first, n), group = 0;
	int sent;

	while (group < groups) {
		sent = sendmmsg(out.fd[first], &down.msgs[group], groups - group,
				MSG_DONTWAIT | MSG_NOSIGNAL);
		if (sent < 0 && is_full(errno)) {
			drop_answers(first, n);
			return;
		}
		if (sent < 0 && down.answers[group] > 1)
			send_singly(first, down.answers[group]);
		else if (sent < 0)
			drop_answers(first, 1);
		for (sent = sent < 0 ? 1 : sent; sent; sent--, group++) {
			first += down.answers[group];
			n -= down.answers[group];
		}
	}
}

void udp_port_flush(void)
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
	udp_port_flush();
}

static void put_local_v4(struct msghdr *msg, union control *control, const struct in6_addr *local)
{
	struct in_pktinfo info = { 0 };

	memcpy(&info.ipi_spec_dst, &local->s6_addr[12], sizeof(info.ipi_spec_dst));
	control->header = (struct cmsghdr){ .cmsg_level = SOL_IP, .cmsg_type = IP_PKTINFO,
					    .cmsg_len = CMSG_LEN(sizeof(info)) };
	memcpy(CMSG_DATA(&control->header), &info, sizeof(info));
	msg->msg_controllen = CMSG_SPACE(sizeof(info));
}

static void put_local_v6(struct msghdr *msg, union control *control, const struct udp_key *key)
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

static socklen_t put_client(const struct udp_session *s, union sock_addr *to)
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
	out.port[i] = s->port;
	out.session[i] = s;
}

/* Takes those that the server has sent to the places behind out.count. Those that are too large
 * leave theirs to the next. */
static void take_answers(struct udp_session *s, unsigned n)
{
	unsigned i, kept = 0, from = out.count;
	uint64_t bytes = 0;
	char *memory;

	for (i = from; i < from + n; i++) {
		unsigned to = from + kept;

		if (out.msgs[i].msg_len > s->port->lb->payload) {
			udp_stats.dropped++;
			s->port->lb->proxy->be->counters.denied_responses++;
			continue;
		}
		bytes += out.msgs[i].msg_len;
		if (to != i) {
			memory = out.iov[to].iov_base;
			out.iov[to].iov_base = out.iov[i].iov_base;
			out.iov[i].iov_base = memory;
		}
		out.iov[to].iov_len = out.msgs[i].msg_len;
		address_answer(s, to);
		kept++;
	}
	out.count += kept;
	udp_session_touch(s, UDP_CLIENT);
	if (kept)
		udp_session_count_out(s, kept, bytes);
}

/* 1, or -1 with errno. */
static int receive_one(int fd)
{
	struct mmsghdr *at = &out.msgs[out.count];
	ssize_t len = recv(fd, out.iov[out.count].iov_base, room, MSG_DONTWAIT);

	at->msg_len = (unsigned)len;
	return len < 0 ? -1 : 1;
}

static int receive_several(int fd, unsigned most)
{
	unsigned i;

	for (i = out.count; i < out.count + most; i++) {
		out.iov[i].iov_len = room;
		out.msgs[i].msg_hdr.msg_name = NULL;
		out.msgs[i].msg_hdr.msg_namelen = 0;
		out.msgs[i].msg_hdr.msg_control = NULL;
		out.msgs[i].msg_hdr.msg_controllen = 0;
	}
	return recvmmsg(fd, &out.msgs[out.count], most, MSG_DONTWAIT, NULL);
}

/* How many came; 0: no more, and the session may have ended. Where the client has sent a single
 * datagram, a single answer is likely: recv spares the look for a second one. Should there be more,
 * the poller tells again. */
static unsigned receive_answers(struct udp_session *s, unsigned most)
{
	bool one = !s->several && s->turn == UDP_SERVER;
	int n = one ? receive_one(s->src.fd) : receive_several(s->src.fd, most);

	if (!one)
		s->several = n > 1;
	if (n > 0) {
		take_answers(s, (unsigned)n);
		return (unsigned)n;
	}
	if (n < 0 && errno != EAGAIN && errno != EINTR)
		udp_session_refused(s);
	return 0;
}

void udp_server_ready(struct source *src, uint32_t events)
{
	struct udp_session *s = container_of(src, struct udp_session, src);
	unsigned rounds, most, n;

	(void)events;
	for (rounds = 0; rounds < ROUNDS && s->src.fd >= 0; rounds++) {
		if (out.count == BATCH)
			udp_port_flush();
		most = BATCH - out.count < ANSWERS ? BATCH - out.count : ANSWERS;
		n = receive_answers(s, most);
		if (n < most)
			break;
	}
	if (out.count)
		task_wake(&out.task);
}

/* ---- towards the server ------------------------------------------------------------------ */

/* What the datagrams of one session in the batch look like to sendmmsg. */
static struct {
	struct mmsghdr msgs[BATCH];
	struct iovec iov[BATCH];       /* what the client has sent */
	struct iovec pairs[2 * BATCH]; /* the same, each behind the header, if there is one */
	char header[HEADER_MOST];
	size_t header_len;
} up;

/* send-proxy-v2: each datagram begins with who has sent it. */
static void put_header(const struct udp_session *s)
{
	const struct server_settings *set = &s->server->set;
	struct proxyproto_out header;
	struct addr client, local;

	udp_session_addrs(s, &client, &local);
	proxyproto_begin(&header, up.header, sizeof(up.header), &client, &local,
			 set->proxy_v2 & PROXY_V2_CRC32C);
	proxyproto_of_datagram(&header);
	up.header_len = proxyproto_end(&header);
}

/* Of what the messages to the server consist. */
static void compose(const struct udp_session *s, unsigned n)
{
	bool header = s->server->set.options.on & SRV_SEND_PROXY_V2;
	unsigned i;

	up.header_len = 0;
	if (header)
		put_header(s);
	for (i = 0; i < n; i++) {
		struct msghdr *msg = &up.msgs[i].msg_hdr;

		msg->msg_iov = header ? &up.pairs[2 * i] : &up.iov[i];
		msg->msg_iovlen = header ? 2 : 1;
		if (header) {
			up.pairs[2 * i] = (struct iovec){ up.header, up.header_len };
			up.pairs[2 * i + 1] = up.iov[i];
		}
	}
}

static unsigned gather(struct udp_session *s, uint64_t *bytes)
{
	unsigned n = 0, i;

	*bytes = 0;
	for (i = s->first; i != UDP_NONE; i = in.next[i]) {
		up.iov[n] = (struct iovec){ in.iov[i].iov_base, in.msgs[i].msg_len };
		*bytes += in.msgs[i].msg_len;
		in.session[i] = NULL;
		n++;
	}
	s->first = s->last = UDP_NONE;
	return n;
}

static void drop(struct udp_session *s, unsigned n)
{
	udp_stats.dropped += n;
	s->port->lb->proxy->be->counters.denied_requests += n;
}

/* An error that the kernel has kept for the next call on the socket: that of an ICMP message. */
static bool is_refusal(int error)
{
	return error == ECONNREFUSED || error == EHOSTUNREACH || error == ENETUNREACH ||
	       error == EHOSTDOWN;
}

/* One call for n datagrams of one size. -1 with errno. */
static int send_segments(int fd, unsigned first, unsigned n)
{
	union control control = { .header = { .cmsg_level = SOL_UDP, .cmsg_type = UDP_SEGMENT,
					      .cmsg_len = CMSG_LEN(sizeof(uint16_t)) } };
	struct msghdr msg = { .msg_iov = up.msgs[first].msg_hdr.msg_iov,
			      .msg_iovlen = n * up.msgs[first].msg_hdr.msg_iovlen,
			      .msg_control = &control,
			      .msg_controllen = CMSG_SPACE(sizeof(uint16_t)) };
	uint16_t size = (uint16_t)(up.header_len + up.iov[first].iov_len);

	memcpy(CMSG_DATA(&control.header), &size, sizeof(size));
	return sendmsg(fd, &msg, MSG_DONTWAIT | MSG_NOSIGNAL) < 0 ? -1 : (int)n;
}

/* All of them, in order. Returns the session whose they are in the end, NULL: none. */
static struct udp_session *send_up(struct udp_session *s, unsigned n)
{
	bool again = false;
	unsigned done = 0, same;
	int sent;

	compose(s, n);
	while (done < n) {
		same = s->single ? 1 : alike(&up.iov[done], n - done, up.header_len);
		if (same > 1) {
			sent = send_segments(s->src.fd, done, same);
			if (sent < 0 && !is_refusal(errno) && !is_full(errno)) {
				s->single = true; /* its way does not take them */
				continue;
			}
		} else if (n - done == 1 && !up.header_len) {
			sent = send(s->src.fd, up.iov[done].iov_base, up.iov[done].iov_len,
				    MSG_DONTWAIT | MSG_NOSIGNAL) < 0 ? -1 : 1;
		} else {
			sent = sendmmsg(s->src.fd, &up.msgs[done], n - done,
					MSG_DONTWAIT | MSG_NOSIGNAL);
		}
		if (sent >= 0) {
			done += (unsigned)sent;
			continue;
		}
		if (is_refusal(errno) && !again) { /* of what was sent before: this has not left */
			struct span payload = { up.iov[done].iov_base, up.iov[done].iov_len };

			again = true;
			s = udp_session_again(s, payload);
			if (!s)
				return NULL;
			compose(s, n);
			continue;
		}
		sent = is_full(errno) ? (int)(n - done) : 1;
		drop(s, (unsigned)sent);
		done += (unsigned)sent;
	}
	return s;
}

void udp_port_forward(struct udp_session *s)
{
	uint64_t bytes;
	unsigned n = gather(s, &bytes);

	s->several |= n > 1;
	udp_session_touch(s, UDP_SERVER);
	s = send_up(s, n);
	if (s)
		udp_session_count_in(s, n, bytes);
}

/* ---- clients ----------------------------------------------------------------------------- */

static void key_local(const struct msghdr *msg, struct udp_key *key)
{
	struct cmsghdr *c;

	for (c = CMSG_FIRSTHDR(msg); c; c = CMSG_NXTHDR((struct msghdr *)(uintptr_t)msg, c)) {
		if (c->cmsg_level == SOL_IP && c->cmsg_type == IP_PKTINFO) {
			struct in_pktinfo info;

			memcpy(&info, CMSG_DATA(c), sizeof(info));
			memcpy(&key->local.s6_addr[12], &info.ipi_addr, sizeof(info.ipi_addr));
		} else if (c->cmsg_level == SOL_IPV6 && c->cmsg_type == IPV6_PKTINFO) {
			struct in6_pktinfo info;

			memcpy(&info, CMSG_DATA(c), sizeof(info));
			key->local = info.ipi6_addr;
		}
	}
}

static struct udp_key key_of(const struct udp_port *port, unsigned i)
{
	const union sock_addr *from = &in.from[i];
	struct udp_key key = { .number = port->number };

	if (from->sa.sa_family == AF_INET) {
		memcpy(&key.client.s6_addr[12], &from->v4.sin_addr, sizeof(from->v4.sin_addr));
		key.port = from->v4.sin_port;
	} else {
		key.client = from->v6.sin6_addr;
		key.port = from->v6.sin6_port;
		key.scope = from->v6.sin6_scope_id;
	}
	if (port->any)
		key_local(&in.msgs[i].msg_hdr, &key);
	return key;
}

/* Finds or makes the session, and puts the datagram behind those that it has in this batch. */
static void sort_in(struct udp_port *port, unsigned i)
{
	struct udp_key key = key_of(port, i);
	struct udp_session *s;

	in.session[i] = NULL;
	if (in.msgs[i].msg_len > port->lb->payload || !key.port) {
		udp_stats.dropped++;
		port->lb->proxy->fe->counters.denied_requests++;
		return;
	}
	s = udp_session_find(port->lb, &key);
	if (s && unlikely(!server_reachable(s->server))) {
		udp_session_end(s, END_SERVER_DOWN);
		s = NULL;
	}
	/* One that ends with its datagrams leaves its socket to the next one. */
	if (!s && !port->lb->responses && !port->lb->requests && i && in.session[i - 1])
		udp_port_forward(in.session[i - 1]);
	if (!s)
		s = udp_session_begin(port, &key,
				      (struct span){ in.iov[i].iov_base, in.msgs[i].msg_len });
	if (!s) {
		udp_stats.dropped++;
		return;
	}
	in.session[i] = s;
	in.next[i] = UDP_NONE;
	if (s->first == UDP_NONE)
		s->first = (uint8_t)i;
	else
		in.next[s->last] = (uint8_t)i;
	s->last = (uint8_t)i;
	if (port->lb->requests && s->requests + 1 >= port->lb->requests)
		udp_port_forward(s); /* it is to have no more than these */
}

static int receive_batch(struct udp_port *port, int fd)
{
	unsigned i;

	for (i = 0; i < BATCH; i++) {
		struct msghdr *msg = &in.msgs[i].msg_hdr;

		msg->msg_namelen = sizeof(in.from[i]);
		msg->msg_controllen = port->any ? sizeof(in.control[i]) : 0;
	}
	return recvmmsg(fd, in.msgs, BATCH, MSG_DONTWAIT, NULL);
}

void udp_port_receive(struct udp_port *port, int fd, unsigned batches)
{
	int n, i;

	do {
		n = receive_batch(port, fd);
		for (i = 0; i < n; i++)
			sort_in(port, (unsigned)i);
		for (i = 0; i < n; i++)
			if (in.session[i])
				udp_port_forward(in.session[i]);
	} while (n == BATCH && --batches);
}

/* "nice" is how much a port may do in a row. */
static unsigned batches_of(const struct listener *l)
{
	int nice = l->bind->nice;

	return (unsigned)(nice > 0 ? ROUNDS - nice * (ROUNDS - 1) / 1024 :
				     ROUNDS - nice * 3 * ROUNDS / 1024);
}

void udp_port_ready(struct source *src, uint32_t events)
{
	struct listener *l = container_of(src, struct listener, src);

	(void)events;
	if (l->state == LISTENER_READY)
		udp_port_receive(l->port, src->fd, batches_of(l));
}

/* ---- the start --------------------------------------------------------------------------- */

/* A byte more than may pass: what is larger shows. Pages that no datagram reaches cost nothing. */
int udp_ports_start(unsigned payload)
{
	unsigned i;

	if (in.memory)
		return 0;
	room = (payload + 1 + 63) & ~(size_t)63;
	in.memory = malloc(BATCH * room);
	out.memory = malloc(BATCH * room);
	if (!in.memory || !out.memory)
		return -1;
	for (i = 0; i < BATCH; i++) {
		in.iov[i] = (struct iovec){ in.memory + i * room, room };
		in.msgs[i].msg_hdr = (struct msghdr){ .msg_name = &in.from[i],
						      .msg_iov = &in.iov[i],
						      .msg_iovlen = 1,
						      .msg_control = &in.control[i] };
		out.iov[i].iov_base = out.memory + i * room;
		out.msgs[i].msg_hdr = (struct msghdr){ .msg_iov = &out.iov[i], .msg_iovlen = 1 };
	}
	task_init(&out.task, flush_task);
	return 0;
}
