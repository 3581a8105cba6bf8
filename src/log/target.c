/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sending a line to one target. Called by log.c for each line, and at start and end.
 *
 * Nothing here waits: datagrams are sent with MSG_DONTWAIT from sockets shared by all targets
 * of a family (unconnected, so that a collector may come and go); pipes and terminals are
 * opened a second time, which gives us an O_NONBLOCK of our own without changing what the
 * shell or a sibling process sees of theirs. Only a regular file is written as it is: there
 * non-blocking means nothing. What does not go at once is dropped and counted.
 */
#include "log/target.h"

#include "base/bug.h"
#include "base/err.h"
#include "log/ring.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

enum { TARGET_PIECES = 8 };

/* Datagram sockets, one a family, opened when the first target needs one. */
static struct {
	sa_family_t family;
	int fd;
	unsigned users;
} target_sockets[] = { { AF_INET, -1, 0 }, { AF_INET6, -1, 0 }, { AF_UNIX, -1, 0 } };

static int target_socket_get(struct log_target *t, struct err *err)
{
	sa_family_t family = t->sockaddr.ss_family;
	int small = 0;

	for (size_t i = 0; i < ARRAY_LEN(target_sockets); i++) {
		if (target_sockets[i].family != family)
			continue;
		if (target_sockets[i].fd < 0) {
			target_sockets[i].fd = socket(family, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK,
						      0);
			if (target_sockets[i].fd < 0)
				return err_set(err, "log %s: no socket: %s", t->name, strerror(errno));
			/* nothing is ever read: keep what strangers send from taking memory */
			(void)setsockopt(target_sockets[i].fd, SOL_SOCKET, SO_RCVBUF, &small,
					 sizeof(small));
		}
		target_sockets[i].users++;
		t->fd = target_sockets[i].fd;
		return 0;
	}
	return err_set(err, "log %s: no log can be sent to this kind of address", t->name);
}

static void target_socket_put(struct log_target *t)
{
	for (size_t i = 0; i < ARRAY_LEN(target_sockets); i++) {
		if (target_sockets[i].fd != t->fd || --target_sockets[i].users)
			continue;
		close(target_sockets[i].fd);
		target_sockets[i].fd = -1;
	}
	t->fd = -1;
}

/* A pipe or a terminal once more, non-blocking for us alone. Where that is not allowed (a
 * pipe made by another user) the flag goes onto the shared description. */
static int target_reopen(struct log_target *t, struct err *err)
{
	char path[32];
	int flags;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", t->addr.fd);
	t->fd = open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
	t->own_fd = t->fd >= 0;
	if (t->own_fd)
		return 0;
	t->fd = t->addr.fd;
	flags = fcntl(t->fd, F_GETFL);
	if (flags < 0 || fcntl(t->fd, F_SETFL, flags | O_NONBLOCK) < 0)
		return err_set(err, "log %s: %s", t->name, strerror(errno));
	return 0;
}

static int target_open_fd(struct log_target *t, struct err *err)
{
	struct stat st;

	if (fstat(t->addr.fd, &st))
		return err_set(err, "log %s: descriptor %d is not open", t->name, t->addr.fd);
	t->is_socket = S_ISSOCK(st.st_mode);
	if (S_ISFIFO(st.st_mode) || S_ISCHR(st.st_mode))
		return target_reopen(t, err);
	t->fd = t->addr.fd;
	return 0;
}

/* Where systemd runs, /dev/log is a link to a socket of its journal, which init holds. */
static bool target_is_journal(const struct log_target *t)
{
	static const char journal[] = "/run/systemd/journal/";
	const struct sockaddr_un *un = (const struct sockaddr_un *)&t->sockaddr;
	char path[PATH_MAX];

	return un->sun_family == AF_UNIX && un->sun_path[0] && realpath(un->sun_path, path) &&
	       !strncmp(path, journal, sizeof(journal) - 1);
}

void log_target_keep(struct log_target *t)
{
	const struct sockaddr_un *un = (const struct sockaddr_un *)&t->sockaddr;
	int fd;

	if (t->kind != LOG_TO_DATAGRAM || un->sun_family != AF_UNIX || !un->sun_path[0] || t->kept)
		return;
	fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return;
	if (connect(fd, (const struct sockaddr *)&t->sockaddr, t->sockaddr_len) < 0)
		close(fd);
	else
		t->kept = fd;
}

int log_target_open(struct log_target *t, struct err *err)
{
	switch (t->kind) {
	case LOG_TO_DATAGRAM:
		t->sockaddr_len = addr_to_sockaddr(&t->addr, &t->sockaddr);
		t->journal = target_is_journal(t);
		return target_socket_get(t, err);
	case LOG_TO_FD:
		return target_open_fd(t, err);
	case LOG_TO_RING:
	case LOG_TO_GLOBAL:
		return 0;
	}
	return -1;
}

void log_target_close(struct log_target *t)
{
	if (t->kind == LOG_TO_DATAGRAM && t->fd >= 0)
		target_socket_put(t);
	if (t->own_fd)
		close(t->fd);
	if (t->kept)
		close(t->kept);
	t->kept = 0;
	t->own_fd = false;
	t->fd = -1;
}

bool log_target_is_standard(const struct log_target *t)
{
	return t->kind == LOG_TO_FD && t->addr.fd <= STDERR_FILENO;
}

void log_target_plain(struct log_target *t)
{
	if (t->own_fd)
		close(t->fd);
	t->own_fd = t->is_socket = false;
	t->fd = t->addr.fd;
}

static bool target_dropped(struct log_target *t, int error)
{
	t->error = error;
	t->dropped++;
	return false;
}

static ssize_t target_send(const struct log_target *t, struct iovec *iov, int n)
{
	struct msghdr msg = { .msg_iov = iov, .msg_iovlen = (size_t)n };
	ssize_t sent;

	if (unlikely(t->kept)) {
		sent = sendmsg(t->kept, &msg, MSG_DONTWAIT | MSG_NOSIGNAL);
		/* Else its collector has gone: another may listen below the new root. */
		if (sent >= 0 || errno == EAGAIN)
			return sent;
	}
	if (t->kind == LOG_TO_DATAGRAM) {
		msg.msg_name = (void *)&t->sockaddr;
		msg.msg_namelen = t->sockaddr_len;
	}
	do {
		sent = t->kind == LOG_TO_DATAGRAM || t->is_socket ?
			       sendmsg(t->fd, &msg, MSG_DONTWAIT | MSG_NOSIGNAL) :
			       writev(t->fd, iov, n);
	} while (sent < 0 && errno == EINTR);
	return sent;
}

/* A byte stream may take a part of a line. The rest would wait, so it is dropped, and the
 * next line begins by ending this one: nothing is lost where the end alone was missing. */
static bool target_write_stream(struct log_target *t, struct iovec *iov, int n)
{
	static const char line_end[] = "\n";
	struct iovec mended[TARGET_PIECES + 1];
	size_t len = 0;
	ssize_t sent;
	int i;

	BUG_ON(n > TARGET_PIECES);
	if (unlikely(t->torn)) {
		mended[0] = (struct iovec){ (void *)line_end, 1 };
		memcpy(mended + 1, iov, (size_t)n * sizeof(*iov));
		iov = mended;
		n++;
	}
	for (i = 0; i < n; i++)
		len += iov[i].iov_len;
	sent = target_send(t, iov, n);
	if (sent < 0)
		return target_dropped(t, errno);
	t->torn = (size_t)sent < len;
	if ((size_t)sent + 1 < len)
		return target_dropped(t, EAGAIN);
	t->sent++;
	return true;
}

bool log_target_write(struct log_target *t, struct iovec *iov, int n)
{
	if (t->kind == LOG_TO_RING) {
		/* a ring separates messages by itself */
		if (!t->ring || !ring_write(t->ring, iov, n - 1))
			return target_dropped(t, ENOBUFS);
		t->sent++;
		return true;
	}
	if (t->fd < 0)
		return target_dropped(t, EBADF);
	if (t->kind == LOG_TO_FD)
		return target_write_stream(t, iov, n);
	if (target_send(t, iov, n) < 0)
		return target_dropped(t, errno);
	t->sent++;
	return true;
}

bool log_sample_take(struct log_sample *sample)
{
	unsigned i;

	if (!sample->period)
		return true;
	sample->at = sample->at % sample->period + 1;
	for (i = 0; i < sample->count; i++)
		if (sample->at >= sample->range[i].low && sample->at <= sample->range[i].high)
			return true;
	return false;
}
