/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Frames over a Unix stream socket: a fixed head, then bytes. A descriptor travels with the first
 * byte of its frame, and the kernel keeps the order of descriptors, so that the n-th descriptor
 * belongs to the n-th frame that announces one. Called by parent and workers for all that they say
 * to each other; knows nothing of what is said.
 *
 * The peer may have been taken over: lengths are bounded, memory grows with what has come and not
 * with what was announced, and who breaks the rules is treated as gone. A channel goes at the end
 * of the turn.
 */
#include "process/channel.h"

#include "base/bug.h"
#include "base/wipe.h"
#include "event/loop.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

enum { MAGIC = 0x70654e73, READ_SIZE = 65536, FDS_MAX = 64 };

struct head {
	uint32_t magic, kind, id, len, fds;
};

/* One that waits to be sent. */
struct parcel {
	struct parcel *next;
	int fd; /* -1: none, or it has left */
	size_t len, sent;
	char bytes[]; /* head, then the frame's */
};

struct channel {
	struct source src;
	struct reap reap;
	void (*got)(struct channel *c, struct frame *frame, void *arg);
	void (*gone)(struct channel *c, void *arg);
	void *arg;
	struct parcel *first, **last;
	size_t backlog;
	unsigned fds_waiting; /* descriptors in it */
	bool writing; /* the poller watches for room */
	bool broken;  /* sending has failed */
	char *in;     /* bytes that make no whole frame yet */
	size_t in_len, in_size;
	int fds[FDS_MAX]; /* descriptors whose frames are not whole yet */
	unsigned fd_count;
};

union control {
	struct cmsghdr header;
	char room[CMSG_SPACE(FDS_MAX * sizeof(int))];
};

int channel_pair(int fds[2])
{
	return socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, fds);
}

/* ---- sending ----------------------------------------------------------------------------- */

static void parcel_close(struct channel *c, struct parcel *p)
{
	if (p->fd < 0)
		return;
	close(p->fd);
	p->fd = -1;
	c->fds_waiting--;
}

static void parcel_done(struct channel *c)
{
	struct parcel *p = c->first;

	c->first = p->next;
	if (!c->first)
		c->last = &c->first;
	parcel_close(c, p);
	wipe_free(p);
}

/* Its descriptor leaves with its first byte. As sendmsg. */
static ssize_t parcel_write(struct channel *c, struct parcel *p)
{
	struct iovec iov = { p->bytes + p->sent, p->len - p->sent };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1 };
	union control control = { .room = "" };

	if (p->fd >= 0) {
		control.header.cmsg_level = SOL_SOCKET;
		control.header.cmsg_type = SCM_RIGHTS;
		control.header.cmsg_len = CMSG_LEN(sizeof(int));
		memcpy(CMSG_DATA(&control.header), &p->fd, sizeof(int));
		msg.msg_control = &control;
		msg.msg_controllen = CMSG_SPACE(sizeof(int));
	}
	return sendmsg(c->src.fd, &msg, MSG_NOSIGNAL | MSG_DONTWAIT);
}

static void channel_flush(struct channel *c)
{
	struct parcel *p;
	ssize_t n;

	while ((p = c->first) && !c->broken) {
		n = parcel_write(c, p);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno == EAGAIN)
			break;
		if (n < 0) {
			c->broken = true; /* the end is read after what has come, then gone is
					   * called */
			shutdown(c->src.fd, SHUT_RDWR);
			break;
		}
		parcel_close(c, p);
		p->sent += (size_t)n;
		c->backlog -= (size_t)n;
		if (p->sent == p->len)
			parcel_done(c);
	}
	if (c->writing == (c->first && !c->broken))
		return;
	c->writing = !c->writing;
	loop_modify(&c->src, c->writing ? EPOLLIN | EPOLLOUT : EPOLLIN);
}

int channel_send(struct channel *c, uint32_t kind, uint32_t id, const void *bytes, size_t len,
		 int fd)
{
	struct head head = { MAGIC, kind, id, (uint32_t)len, fd >= 0 };
	struct parcel *p;

	if (c->broken || len > CHANNEL_FRAME_MAX) {
		errno = c->broken ? EPIPE : EMSGSIZE;
		return -1;
	}
	p = malloc(sizeof(*p) + sizeof(head) + len);
	if (!p)
		return -1;
	*p = (struct parcel){ .fd = -1, .len = sizeof(head) + len };
	if (fd >= 0 && (p->fd = fcntl(fd, F_DUPFD_CLOEXEC, 0)) < 0) {
		free(p);
		return -1;
	}
	memcpy(p->bytes, &head, sizeof(head));
	if (len)
		memcpy(p->bytes + sizeof(head), bytes, len);
	*c->last = p;
	c->last = &p->next;
	c->backlog += p->len;
	c->fds_waiting += p->fd >= 0;
	channel_flush(c);
	errno = EPIPE;
	return c->broken ? -1 : 0;
}

size_t channel_backlog(const struct channel *c)
{
	return c->backlog;
}

unsigned channel_waiting_fds(const struct channel *c)
{
	return c->fds_waiting;
}

/* ---- receiving --------------------------------------------------------------------------- */

/* False: more descriptors than frames can need. One that this process has no room for (EMFILE) is
 * lost to its frame; what comes in one message belongs to one frame. */
static bool take_descriptors(struct channel *c, struct msghdr *msg)
{
	struct cmsghdr *cmsg;
	bool fits = true;
	size_t i, n;
	int fd;

	if (msg->msg_flags & MSG_CTRUNC) {
		if (msg->msg_controllen || c->fd_count == FDS_MAX)
			fits = false;
		else
			c->fds[c->fd_count++] = -1;
	}

	for (cmsg = CMSG_FIRSTHDR(msg); cmsg; cmsg = CMSG_NXTHDR(msg, cmsg)) {
		if (cmsg->cmsg_level != SOL_SOCKET || cmsg->cmsg_type != SCM_RIGHTS)
			continue;
		n = (cmsg->cmsg_len - CMSG_LEN(0)) / sizeof(int);
		for (i = 0; i < n; i++) {
			memcpy(&fd, CMSG_DATA(cmsg) + i * sizeof(int), sizeof(fd));
			if (c->fd_count < FDS_MAX) {
				c->fds[c->fd_count++] = fd;
			} else {
				close(fd);
				fits = false;
			}
		}
	}
	return fits;
}

/* Room for READ_SIZE more bytes and a zero. */
static bool make_room(struct channel *c)
{
	size_t size = c->in_len + READ_SIZE + 1;
	char *more;

	if (size <= c->in_size)
		return true;
	size += c->in_len; /* twice as much each time: few copies */
	more = wipe_resize(c->in, c->in_len, size);
	if (!more)
		return false;
	c->in = more;
	c->in_size = size;
	return true;
}

static int take_fd(struct channel *c)
{
	int fd = c->fds[0];

	c->fd_count--;
	memmove(c->fds, c->fds + 1, c->fd_count * sizeof(int));
	return fd;
}

/* Delivers the frame at the start of what has come from `at` on. Its length; 0: it is not whole;
 * -1: it is none. */
static ssize_t deliver(struct channel *c, size_t at)
{
	struct frame frame = { .fd = -1 };
	size_t have = c->in_len - at, whole;
	struct head head;
	char *end, kept;

	if (have < sizeof(head))
		return 0;
	memcpy(&head, c->in + at, sizeof(head));
	if (head.magic != MAGIC || head.len > CHANNEL_FRAME_MAX || head.fds > 1 ||
	    head.fds > c->fd_count)
		return -1;
	whole = sizeof(head) + head.len;
	if (have < whole)
		return 0;
	frame.kind = head.kind;
	frame.id = head.id;
	frame.bytes = c->in + at + sizeof(head);
	frame.len = head.len;
	if (head.fds)
		frame.fd = take_fd(c);
	end = c->in + at + whole;
	kept = *end;
	*end = 0;
	c->got(c, &frame, c->arg);
	*end = kept;
	if (frame.fd >= 0)
		close(frame.fd);
	return (ssize_t)whole;
}

/* False: the rules are broken. */
static bool deliver_all(struct channel *c)
{
	size_t at = 0;
	ssize_t n;

	do {
		n = deliver(c, at);
		at += n > 0 ? (size_t)n : 0;
	} while (n > 0 && c->src.fd >= 0);
	if (c->src.fd < 0)
		return true;
	c->in_len = wipe_move(c->in, at, c->in_len);
	if (!c->in_len && c->in_size > 4 * READ_SIZE) {
		wipe_free(c->in);
		c->in = NULL;
		c->in_size = 0;
	}
	return n == 0;
}

/* More than 0: goes on; 0: nothing there; -1: it has ended or broke the rules. */
static int channel_receive(struct channel *c)
{
	union control control;
	struct msghdr msg = { .msg_iovlen = 1, .msg_control = &control,
			      .msg_controllen = sizeof(control) };
	struct iovec iov;
	ssize_t n;

	if (!make_room(c))
		return -1;
	iov = (struct iovec){ c->in + c->in_len, READ_SIZE };
	msg.msg_iov = &iov;
	n = recvmsg(c->src.fd, &msg, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
	if (n < 0)
		return errno == EAGAIN || errno == EINTR ? 0 : -1;
	c->in_len += (size_t)n;
	if (!take_descriptors(c, &msg) || n == 0)
		return -1;
	return deliver_all(c) ? 1 : -1;
}

static void channel_ready(struct source *src, uint32_t events)
{
	struct channel *c = container_of(src, struct channel, src);

	if (events & EPOLLOUT)
		channel_flush(c);
	if (!(events & (EPOLLIN | EPOLLHUP | EPOLLERR)) || channel_receive(c) >= 0)
		return;
	c->broken = true;
	loop_remove(&c->src);
	c->gone(c, c->arg);
}

/* ---- life -------------------------------------------------------------------------------- */

struct channel *channel_new(int fd, void (*got)(struct channel *c, struct frame *frame, void *arg),
			    void (*gone)(struct channel *c, void *arg), void *arg)
{
	struct channel *c = calloc(1, sizeof(*c));

	if (!c) {
		close(fd);
		return NULL;
	}
	c->src = (struct source){ .fd = fd, .ready = channel_ready };
	c->got = got;
	c->gone = gone;
	c->arg = arg;
	c->last = &c->first;
	if (loop_add(&c->src, EPOLLIN) == 0)
		return c;
	close(fd);
	free(c);
	return NULL;
}

static void channel_release(struct reap *reap)
{
	struct channel *c = container_of(reap, struct channel, reap);

	wipe_free(c->in);
	free(c);
}

/* All but the memory that a callback may still look at. */
static void channel_close(struct channel *c)
{
	while (c->first)
		parcel_done(c);
	while (c->fd_count) {
		int fd = take_fd(c);

		if (fd >= 0)
			close(fd);
	}
	close(c->src.fd);
	c->src.fd = -1;
}

void channel_free(struct channel **cp)
{
	struct channel *c = *cp;

	if (!c)
		return;
	*cp = NULL;
	if (c->src.registered)
		loop_remove(&c->src);
	channel_close(c);
	loop_reap(&c->reap, channel_release);
}

void channel_drop(struct channel **cp)
{
	struct channel *c = *cp;

	if (!c)
		return;
	*cp = NULL;
	c->src.registered = false;
	channel_close(c);
	wipe_free(c->in);
	free(c);
}
