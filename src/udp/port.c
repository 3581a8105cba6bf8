/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Datagrams of clients, in batches. One recvmmsg takes up to BATCH of them; each finds its session
 * or begins one; what several have for one session goes to its server in order, by one call: as one
 * message where they are a row (dgram/rows.h). No memory is taken for a datagram. What a socket has
 * no room for is dropped and counted, as a router would.
 */
#include "udp/port.h"

#include "base/bug.h"
#include "dgram/errors.h"
#include "dgram/rows.h"
#include "net/listener.h"
#include "net/proxyproto.h"
#include "udp/address.h"
#include "udp/answers.h"
#include "udp/lb.h"
#include "udp/session.h"

#include "proxy/proxy.h"

#include <errno.h>
#include <netinet/udp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>

enum { BATCH = DGRAM_BATCH, DATAGRAMS = BATCH * DGRAM_ROW_MOST, ROUNDS = 4, HEADER_MOST = 64 };

/* Datagrams of clients. */
static struct {
	struct mmsghdr msgs[BATCH];
	struct iovec iov[BATCH];
	union dgram_address from[BATCH];
	union dgram_control control[BATCH];
	struct udp_session *session[BATCH];
	uint16_t size[BATCH];       /* of the datagrams of a row; 0: it is a single one */
	uint8_t next[BATCH];        /* of the same session */
	char *memory;
} in;

/* ---- towards the server ------------------------------------------------------------------ */

/* What the datagrams of one session in the batch look like to sendmmsg. Most of it is for rows, and
 * never touched where none come. */
static struct {
	struct mmsghdr msgs[DATAGRAMS];
	struct iovec iov[DATAGRAMS];       /* what the client has sent */
	struct iovec pairs[2 * DATAGRAMS]; /* the same, each behind the header, if there is one */
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

/* The datagrams of a message that has come. Returns how many. */
static unsigned gather_row(unsigned i, struct iovec *iov)
{
	size_t left = in.msgs[i].msg_len, size = in.size[i] ? in.size[i] : left;
	char *at = in.iov[i].iov_base;
	unsigned n = 0;

	do {
		iov[n] = (struct iovec){ at, left < size ? left : size };
		at += iov[n].iov_len;
		left -= iov[n++].iov_len;
	} while (left);
	return n;
}

/* Those of one session in the batch, of which this is its first message. */
static unsigned gather(unsigned first, uint64_t *bytes)
{
	unsigned n = 0, i;

	*bytes = 0;
	for (i = first; i != UDP_NONE; i = in.next[i]) {
		n += gather_row(i, &up.iov[n]);
		*bytes += in.msgs[i].msg_len;
		in.session[i] = NULL;
	}
	return n;
}

static void drop(struct udp_session *s, unsigned n)
{
	udp_stats.dropped += n;
	s->port->lb->proxy->be->counters.denied_requests += n;
}

/* Do they lie one behind the other, as they came? */
static bool lie_together(unsigned first, unsigned n)
{
	const struct iovec *iov = &up.iov[first];

	return !up.header_len &&
	       (char *)iov->iov_base + iov->iov_len * (n - 1) == (char *)iov[n - 1].iov_base;
}

/* One call for n datagrams of one size. -1 with errno. */
static int send_row(int fd, unsigned first, unsigned n)
{
	union dgram_control control;
	struct iovec whole = up.iov[first];
	struct msghdr msg = { .msg_iov = up.msgs[first].msg_hdr.msg_iov,
			      .msg_iovlen = n * up.msgs[first].msg_hdr.msg_iovlen,
			      .msg_control = &control };

	if (lie_together(first, n)) {
		whole.iov_len = whole.iov_len * (n - 1) + up.iov[first + n - 1].iov_len;
		msg.msg_iov = &whole;
		msg.msg_iovlen = 1;
	}
	dgram_row_cut(&msg, up.header_len + up.iov[first].iov_len);
	return sendmsg(fd, &msg, MSG_DONTWAIT | MSG_NOSIGNAL) < 0 ? -1 : (int)n;
}

/* Some of them, from `done` on; as a row, where more than one can leave so. How many, or -1 with
 * errno. */
static int send_some(const struct udp_session *s, unsigned done, unsigned n, unsigned row)
{
	if (row > 1)
		return send_row(s->src.fd, done, row);
	if (n - done > 1 || up.header_len)
		return sendmmsg(s->src.fd, &up.msgs[done], n - done, MSG_DONTWAIT | MSG_NOSIGNAL);
	return send(s->src.fd, up.iov[done].iov_base, up.iov[done].iov_len,
		    MSG_DONTWAIT | MSG_NOSIGNAL) < 0 ? -1 : 1;
}

/* The call may have failed for an error that the kernel has kept, that of an earlier datagram: this
 * one has not left, and may. */
static bool was_passing(int fd, int error)
{
	return error != ECONNREFUSED && !dgram_is_full(error) &&
	       dgram_errors_take(fd) == DGRAM_ERROR_PASSING;
}

/* Another session takes its place, from that datagram on. Sessions that end for it may have had
 * theirs in `up`. */
static struct udp_session *begin_again(struct udp_session *s, unsigned first, unsigned done)
{
	struct span payload = { up.iov[done].iov_base, up.iov[done].iov_len };
	uint64_t bytes;

	s = udp_session_again(s, payload);
	if (s)
		compose(s, gather(first, &bytes));
	return s;
}

/* All of them, in order. Returns the session whose they are in the end, NULL: none. */
static struct udp_session *send_up(struct udp_session *s, unsigned first, unsigned n)
{
	bool again = false;
	unsigned done = 0, row;
	int sent, error;

	compose(s, n);
	while (done < n) {
		row = s->single ? 1 : dgram_row_of(&up.iov[done], n - done, up.header_len);
		sent = send_some(s, done, n, row);
		error = errno;
		if (sent >= 0) {
			done += (unsigned)sent;
		} else if (was_passing(s->src.fd, error)) {
			continue;
		} else if (dgram_error_is_refusal(error) && !again) {
			again = true;
			s = begin_again(s, first, done);
			if (!s)
				return NULL;
		} else if (row > 1 && !dgram_error_is_refusal(error) && !dgram_is_full(error)) {
			s->single = true; /* its way does not take them */
		} else {
			sent = dgram_is_full(error) ? (int)(n - done) : 1;
			drop(s, (unsigned)sent);
			done += (unsigned)sent;
		}
	}
	return s;
}

static void udp_port_forward(struct udp_session *s)
{
	unsigned first = s->first, n;
	uint64_t bytes;

	n = gather(first, &bytes);
	s->first = s->last = UDP_NONE;
	s->waiting = 0;
	s->several |= n > 1;
	udp_session_touch(s, UDP_SERVER);
	s = send_up(s, first, n);
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
	const union dgram_address *from = &in.from[i];
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

/* Finds or makes the session of a datagram. NULL: there is none. */
static struct udp_session *session_of(struct udp_port *port, const struct udp_key *key, unsigned i)
{
	struct span first = { .ptr = in.iov[i].iov_base,
			      .len = in.size[i] ? in.size[i] : in.msgs[i].msg_len };
	struct udp_session *s = udp_session_find(port->lb, key);

	if (s && unlikely(!server_reachable(s->server))) {
		udp_session_end(s, END_SERVER_DOWN);
		s = NULL;
	}
	if (s && unlikely(udp_session_is_spent(s))) {
		udp_session_end(s, END_NORMAL);
		s = NULL;
	}
	if (s && unlikely(udp_session_is_astray(s)))
		return udp_session_follow(s, first);
	if (s)
		return s;
	/* One that ends with its datagrams leaves its socket to the next one. */
	if (!port->lb->responses && !port->lb->requests && i && in.session[i - 1])
		udp_port_forward(in.session[i - 1]);
	return udp_session_begin(port, key, first);
}

/* Puts the datagram, or row, behind those that its session has in this batch. */
static void sort_one(struct udp_port *port, const struct udp_key *key, unsigned i)
{
	struct udp_session *s;
	unsigned n, dropped;

	in.session[i] = NULL;
	n = dgram_row_count(in.msgs[i].msg_len, in.size[i]);
	dropped = n > DGRAM_ROW_MOST || !key->port ?
		  n : dgram_row_trim(in.iov[i].iov_base, &in.msgs[i].msg_len, &in.size[i],
				   port->lb->payload);
	udp_stats.dropped += dropped;
	port->lb->proxy->fe->counters.denied_requests += dropped;
	if (dropped == n)
		return;
	s = session_of(port, key, i);
	if (!s) {
		udp_stats.dropped += n - dropped;
		return;
	}
	in.session[i] = s;
	in.next[i] = UDP_NONE;
	if (s->first == UDP_NONE)
		s->first = (uint8_t)i;
	else
		in.next[s->last] = (uint8_t)i;
	s->last = (uint8_t)i;
	s->waiting++;
	if (port->lb->requests && s->requests + s->waiting >= port->lb->requests)
		udp_port_forward(s); /* it is to have no more than these */
}

/* Such a section gathers none, but its socket did before a reload. Each datagram leaves at once, so
 * that the next one can take its place. */
static void sort_apart(struct udp_port *port, const struct udp_key *key, unsigned i)
{
	unsigned left = in.msgs[i].msg_len, size = in.size[i], piece;
	char *memory = in.iov[i].iov_base;

	in.size[i] = 0;
	for (; left; left -= piece) {
		piece = left < size ? left : size;
		in.msgs[i].msg_len = piece;
		sort_one(port, key, i);
		if (in.session[i])
			udp_port_forward(in.session[i]);
		in.iov[i].iov_base = (char *)in.iov[i].iov_base + piece;
	}
	in.iov[i].iov_base = memory;
}

static void sort_in(struct udp_port *port, unsigned i)
{
	struct udp_key key = key_of(port, i);

	in.size[i] = dgram_row_size(&in.msgs[i].msg_hdr);
	if (unlikely(in.size[i] && !udp_gathers(port->lb)))
		sort_apart(port, &key, i);
	else
		sort_one(port, &key, i);
}

static int receive_batch(int fd)
{
	unsigned i;

	for (i = 0; i < BATCH; i++) {
		struct msghdr *msg = &in.msgs[i].msg_hdr;

		msg->msg_namelen = sizeof(in.from[i]);
		msg->msg_controllen = sizeof(in.control[i]);
	}
	return recvmmsg(fd, in.msgs, BATCH, MSG_DONTWAIT, NULL);
}

static void udp_port_receive(struct udp_port *port, int fd, unsigned batches)
{
	int n, i;

	do {
		n = receive_batch(fd);
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

/* Room for rows, and for a byte more than the largest datagram. Pages that none reaches cost
 * nothing. Places are not a power of two apart, or they would share lines of the cache. */
int udp_ports_start(void)
{
	const size_t room = DGRAM_ROW_BYTES + 17 * 64;
	unsigned i;

	if (in.memory)
		return 0;
	udp_receive = udp_port_receive;
	udp_forward = udp_port_forward;
	in.memory = malloc(BATCH * room);
	if (!in.memory || udp_answers_start(room) < 0)
		return -1;
	for (i = 0; i < BATCH; i++) {
		in.iov[i] = (struct iovec){ in.memory + i * room, room };
		in.msgs[i].msg_hdr = (struct msghdr){ .msg_name = &in.from[i],
						      .msg_iov = &in.iov[i],
						      .msg_iovlen = 1,
						      .msg_control = &in.control[i] };
	}
	return 0;
}
