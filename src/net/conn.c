/* SPDX-License-Identifier: BSD-2-Clause */
/* Connections: readiness cached from edge-triggered events, calls that move bytes. The loop
 * calls conn_event; relay/ and check/ call the rest. Nothing here decides: it says what the
 * kernel said.
 *
 * Invariants: readable is cleared by EAGAIN of recv or by a recv that came back short while
 * neither RDHUP, HUP, ERR nor PRI was seen (bytes behind an urgent mark bring no new edge).
 * A splice clears it through conn_drained alone. Writable is cleared by EAGAIN or by a short
 * send: the kernel then tells when there is room again. */
#include "net/conn.h"

#include "base/kind.h"
#include "base/pool.h"
#include "event/profile.h"
#include "net/sock.h"

#include <errno.h>
#include <linux/netfilter_ipv4.h>
#include <linux/sockios.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/uio.h>
#include <unistd.h>

#ifndef IP6T_SO_ORIGINAL_DST
#define IP6T_SO_ORIGINAL_DST 80
#endif

enum { CONN_EVENTS = EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLPRI | EPOLLET,
       NOT_SHORT = CONN_RDHUP | CONN_HUP | CONN_ERROR | CONN_URGENT };

struct conn_tune conn_tune;
const struct conn_inside *conn_inside;

static struct pool conn_pool = POOL_INIT("conn", sizeof(struct conn));

struct conn *conn_new(void)
{
	struct conn *conn = pool_take(&conn_pool);

	if (conn) {
		KIND_IS(struct conn, conn);
		conn->src.fd = -1;
	}
	return conn;
}

static void conn_free(struct reap *reap)
{
	struct conn *conn = container_of(reap, struct conn, reap);

	pool_give(&conn_pool, &conn);
}

static void conn_event(struct source *src, uint32_t events)
{
	struct conn *conn = container_of(src, struct conn, src);
	unsigned flags = conn->flags;

	if (events & EPOLLIN)
		flags |= CONN_READABLE;
	if (events & EPOLLOUT)
		flags |= CONN_WRITABLE;
	if (unlikely(events & ~(uint32_t)(EPOLLIN | EPOLLOUT))) {
		flags |= CONN_READABLE;
		if (events & EPOLLPRI)
			flags |= CONN_URGENT;
		if (events & EPOLLRDHUP)
			flags |= CONN_RDHUP;
		if (events & EPOLLHUP)
			flags |= CONN_HUP | CONN_RDHUP | CONN_WRITABLE;
		if (events & EPOLLERR)
			flags |= CONN_ERROR | CONN_WRITABLE;
	}
	conn->flags = (uint16_t)flags;
	if (unlikely(conn->layer != NULL))
		conn->layer->ops->event(conn);
	conn->ready(conn);
}

int conn_attach(struct conn *conn, int *fd, unsigned flags, void (*ready)(struct conn *))
{
	int saved;

	conn->src.fd = *fd;
	conn->src.ready = conn_event;
	conn->flags = (uint16_t)flags;
	conn->ready = ready;
	*fd = -1;
	if (likely(loop_add(&conn->src, CONN_EVENTS | (conn_tune.reads_to_end ? EPOLLMSG : 0)) == 0))
		return 0;
	saved = errno;
	close(conn->src.fd);
	conn->src.fd = -1;
	errno = saved;
	return -1;
}

void conn_told_elsewhere(struct conn *conn, bool elsewhere)
{
	if (loop_modify(&conn->src, elsewhere ? EPOLLOUT | EPOLLRDHUP | EPOLLET : CONN_EVENTS))
		conn_fail(conn, CONN_READABLE | CONN_WRITABLE, errno);
}

/* The call failed with errno. */
static enum io conn_failed(struct conn *conn, unsigned ready_flag)
{
	conn->flags &= (uint16_t)~ready_flag;
	if (errno == EAGAIN || errno == EWOULDBLOCK)
		return IO_AGAIN;
	conn_fail(conn, ready_flag, errno);
	return IO_ERR;
}

/* recv returned 0. When a send has consumed the socket's error before, the kernel reports a
 * reset as an end; EPIPE says that the peer's FIN had come before its RST. */
static enum io conn_ended(struct conn *conn)
{
	conn->flags &= (uint16_t)~CONN_READABLE;
	if ((conn->flags & CONN_BROKEN) && conn->error != EPIPE)
		return IO_ERR;
	conn->flags |= CONN_EOF;
	return IO_EOF;
}

/* ---- connections inside the program ------------------------------------------------------ */

/* One that was closed, or a fault of ours: as the kernel would answer. */
COLD static enum io inside_none(struct conn *conn, unsigned side)
{
	errno = EBADF;
	return conn_failed(conn, side);
}

COLD static enum io inside_recv(struct conn *conn, void *buf, size_t size, bool peek, size_t *got)
{
	return conn_inside ? conn_inside->recv(conn, buf, size, peek, got) :
			     inside_none(conn, CONN_READABLE);
}

COLD static enum io inside_send(struct conn *conn, const void *buf, size_t len, size_t *sent)
{
	if (!conn_inside)
		return inside_none(conn, CONN_WRITABLE);
	conn_inside->send(conn, buf, len);
	*sent = len;
	return IO_OK;
}

COLD static enum io inside_send_pieces(struct conn *conn, const struct iovec *pieces,
				       unsigned count, size_t *sent)
{
	enum io r = IO_OK;
	size_t sum = 0, n;
	unsigned i;

	for (i = 0; i < count && r == IO_OK; i++) {
		r = inside_send(conn, pieces[i].iov_base, pieces[i].iov_len, &n);
		sum += pieces[i].iov_len;
	}
	*sent = sum;
	return r;
}

void conn_inside_ready(struct conn *conn)
{
	conn_event(&conn->src, EPOLLIN);
}

/* ---- bytes ------------------------------------------------------------------------------- */

enum io conn_raw_recv(struct conn *conn, void *buf, size_t size, size_t *got)
{
	ssize_t n;

	if (unlikely(conn->src.fd < 0))
		return inside_recv(conn, buf, size, false, got);
	do
		n = recv(conn->src.fd, buf, size, 0);
	while (unlikely(n < 0 && errno == EINTR));
	if (unlikely(n < 0))
		return conn_failed(conn, CONN_READABLE);
	if (unlikely(n == 0))
		return conn_ended(conn);
	*got = (size_t)n;
	if ((size_t)n < size && (size_t)n >= conn_tune.recv_enough && !(conn->flags & NOT_SHORT))
		conn->flags &= (uint16_t)~CONN_READABLE;
	return IO_OK;
}

enum io conn_recv(struct conn *conn, void *buf, size_t size, size_t *got)
{
	if (unlikely(conn->layer != NULL))
		return conn->layer->ops->recv(conn, buf, size, got);
	return conn_raw_recv(conn, buf, size, got);
}

enum io conn_peek(struct conn *conn, void *buf, size_t size, size_t *got)
{
	ssize_t n;

	if (unlikely(conn->src.fd < 0))
		return inside_recv(conn, buf, size, true, got);
	n = recv(conn->src.fd, buf, size, MSG_PEEK);
	if (n < 0)
		return conn_failed(conn, CONN_READABLE);
	if (n == 0)
		return conn_ended(conn);
	*got = (size_t)n;
	return IO_OK;
}

/* n of len bytes have left. */
static inline enum io conn_sent(struct conn *conn, size_t n, size_t len, bool more, size_t *sent)
{
	*sent = n;
	if (more)
		conn->flags |= CONN_CORKED;
	if (unlikely(n < len))
		conn->flags &= (uint16_t)~CONN_WRITABLE;
	return IO_OK;
}

enum io conn_raw_send(struct conn *conn, const void *buf, size_t len, bool more, size_t *sent)
{
	ssize_t n;

	if (unlikely(conn->src.fd < 0))
		return inside_send(conn, buf, len, sent);
	do
		n = send(conn->src.fd, buf, len, MSG_NOSIGNAL | (more ? MSG_MORE : 0));
	while (unlikely(n < 0 && errno == EINTR));
	if (unlikely(n < 0))
		return conn_failed(conn, CONN_WRITABLE);
	return conn_sent(conn, (size_t)n, len, more, sent);
}

/* Not inlined: conn_send would have to guard the piece on its stack each time. */
static __attribute__((noinline)) enum io conn_layer_send(struct conn *conn, const void *buf,
							 size_t len, bool more, size_t *sent)
{
	struct iovec piece = { (void *)buf, len };

	return conn->layer->ops->send(conn, &piece, 1, more, sent);
}

enum io conn_send(struct conn *conn, const void *buf, size_t len, bool more, size_t *sent)
{
	if (unlikely(conn->layer != NULL))
		return conn_layer_send(conn, buf, len, more, sent);
	return conn_raw_send(conn, buf, len, more, sent);
}

enum io conn_raw_send_pieces(struct conn *conn, const struct iovec *pieces, unsigned count,
			     bool more, size_t *sent)
{
	struct msghdr msg = { .msg_iov = (struct iovec *)pieces, .msg_iovlen = count };
	size_t len = 0;
	unsigned i;
	ssize_t n;

	if (unlikely(conn->src.fd < 0))
		return inside_send_pieces(conn, pieces, count, sent);
	for (i = 0; i < count; i++)
		len += pieces[i].iov_len;
	do
		n = sendmsg(conn->src.fd, &msg, MSG_NOSIGNAL | (more ? MSG_MORE : 0));
	while (unlikely(n < 0 && errno == EINTR));
	if (unlikely(n < 0))
		return conn_failed(conn, CONN_WRITABLE);
	return conn_sent(conn, (size_t)n, len, more, sent);
}

enum io conn_send_pieces(struct conn *conn, const struct iovec *pieces, unsigned count, bool more,
			 size_t *sent)
{
	if (unlikely(conn->layer != NULL))
		return conn->layer->ops->send(conn, pieces, count, more, sent);
	return conn_raw_send_pieces(conn, pieces, count, more, sent);
}

void conn_look(struct conn *conn)
{
	struct pollfd fd = { .fd = conn->src.fd, .events = POLLOUT };

	if (conn->src.fd < 0 || poll(&fd, 1, 0) != 1)
		return;
	if (fd.revents & (POLLOUT | POLLERR | POLLHUP))
		conn->flags |= CONN_WRITABLE;
	if (fd.revents & POLLERR)
		conn->flags |= CONN_ERROR;
	if (fd.revents & POLLHUP)
		conn->flags |= CONN_HUP | CONN_RDHUP;
}

APART bool conn_at_end(const struct conn *conn)
{
	char c;

	if (conn->layer)
		return conn->layer->ops->at_end(conn);
	if (conn->src.fd < 0)
		return false;
	return recv(conn->src.fd, &c, 1, MSG_PEEK) == 0;
}

bool conn_is_quiet(struct conn *conn)
{
	char c;

	if (conn->layer)
		return conn->layer->ops->is_quiet(conn);
	if (conn->src.fd < 0)
		return !(conn->flags & CONN_READABLE);
	if (recv(conn->src.fd, &c, 1, MSG_PEEK) >= 0 || errno != EAGAIN)
		return false;
	conn_drained(conn);
	return true;
}

void conn_discard(struct conn *conn)
{
	enum { PIECE = 1 << 20, PIECES = 16 };
	unsigned pieces = PIECES;
	ssize_t n;

	if (conn->src.fd < 0)
		return;
	do
		n = recv(conn->src.fd, NULL, PIECE, conn->flags & CONN_TCP ? MSG_TRUNC : 0);
	while (n > 0 && --pieces);
	if (n == 0)
		conn->flags &= (uint16_t)~CONN_CORKED; /* the end, nothing unread: close() will
						        * do */
}

void conn_ack_now(const struct conn *conn)
{
	if (conn->flags & CONN_TCP)
		sock_wish(conn->src.fd, IPPROTO_TCP, TCP_QUICKACK, 1);
}

void conn_drained(struct conn *conn)
{
	conn->flags &= (uint16_t)~CONN_READABLE;
}

void conn_fail(struct conn *conn, unsigned side, int error)
{
	conn->flags |= CONN_BROKEN;
	conn->flags &= (uint16_t)~side;
	if (!conn->error)
		conn->error = (uint16_t)error;
}

void conn_shut(struct conn *conn)
{
	if (conn->layer)
		conn->layer->ops->shut(conn);
	else
		conn_raw_shut(conn);
}

void conn_raw_shut(struct conn *conn)
{
	if (conn->flags & (CONN_SHUT_WR | CONN_BROKEN) || conn->src.fd < 0)
		return;
	conn->flags |= CONN_SHUT_WR;
	shutdown(conn->src.fd, SHUT_WR);
}

void conn_close(struct conn **connp, bool reset)
{
	const struct linger rst = { .l_onoff = 1, .l_linger = 0 };
	struct conn *conn = *connp;

	if (!conn)
		return;
	*connp = NULL;
	if (conn->layer)
		conn->layer->ops->close(conn, reset);
	if (conn->src.fd >= 0) {
		/* close() alone would take corked bytes away, when unread ones make it a RST. In
		 * front of our own RST a FIN would say that all was said. */
		if (conn->flags & CONN_CORKED && !reset)
			conn_raw_shut(conn);
		if (reset && !(conn->flags & CONN_BROKEN))
			setsockopt(conn->src.fd, SOL_SOCKET, SO_LINGER, &rst, sizeof(rst));
		loop_forget(&conn->src);
		close(conn->src.fd);
		conn->src.fd = -1;
	} else if (unlikely(conn_inside != NULL)) {
		conn_inside->closed(conn, reset);
	}
	loop_reap(&conn->reap, conn_free);
}

unsigned conn_unacknowledged(const struct conn *conn)
{
	int queued;

	return conn->flags & CONN_TCP && ioctl(conn->src.fd, SIOCOUTQ, &queued) == 0 ?
		       (unsigned)queued : 0;
}

int conn_check_error(struct conn *conn)
{
	socklen_t len = sizeof(int);
	int error = 0;

	if (getsockopt(conn->src.fd, SOL_SOCKET, SO_ERROR, &error, &len) < 0)
		error = errno;
	if (error)
		conn_fail(conn, CONN_READABLE | CONN_WRITABLE, error);
	return error;
}

bool conn_local_addr(const struct conn *conn, struct addr *addr)
{
	struct sockaddr_storage ss;
	socklen_t len = sizeof(ss);

	if (conn->src.fd < 0)
		return false;
	if (getsockname(conn->src.fd, (struct sockaddr *)&ss, &len) < 0)
		return false;
	addr_from_sockaddr(addr, &ss, len);
	return true;
}

bool conn_original_dst(const struct conn *conn, struct addr *addr)
{
	struct sockaddr_storage ss;
	socklen_t len = sizeof(ss);

	if (!conn_local_addr(conn, addr))
		return false;
	if (addr->family == AF_INET &&
	    getsockopt(conn->src.fd, SOL_IP, SO_ORIGINAL_DST, &ss, &len) == 0)
		addr_from_sockaddr(addr, &ss, len);
	else if (addr->family == AF_INET6 &&
		 getsockopt(conn->src.fd, SOL_IPV6, IP6T_SO_ORIGINAL_DST, &ss, &len) == 0)
		addr_from_sockaddr(addr, &ss, len);
	return true;
}

const struct profile_name conn_profile = PROFILE_NAME(conn_event);
