/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Listening sockets that pass from an old process to a new one. The answer of the old process
 * to "_getsocks N" is one message: the descriptors beside "TOTAL N COUNT\n" and a line
 * "ADDRESS INTERFACE NAMESPACE\n" for each ("-": none), then the connection ends. Each batch
 * has a connection of its own, so that nobody ever waits for room. Everything is read with a
 * time limit, since the old process may hang.
 */
#include "net/inherit.h"

#include "base/clock.h"
#include "base/err.h"
#include "base/str.h"
#include "net/addr.h"
#include "net/listener.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/un.h>
#include <unistd.h>

enum { LINE_MAX_LEN = INHERIT_KEY, TEXT_MAX = (INHERIT_BATCH + 1) * LINE_MAX_LEN, WAIT_MS = 3000 };

/* A socket that was fetched; its line is the key by which it is found. */
struct inherited {
	struct inherited *next;
	int fd;
	char key[];
};

static struct inherited *fetched;

/* "127.0.0.1:80 - -", for datagrams "udp0@127.0.0.1:53 - -". */
static void print_key(struct text *t, const struct listener *l)
{
	const char *interface = l->bind->interface, *namespace = l->bind->namespace;
	const struct addr *addr = &l->addr;

	if (l->bind->dgram)
		text_printf(t, "udp%u@", l->shard);
	if (addr->family == AF_UNIX)
		text_printf(t, "unix@%s", addr->path);
	else
		addr_print_port(addr, t);
	text_printf(t, " %s %s", interface ? interface : "-", namespace ? namespace : "-");
}

const char *inherit_key(const struct listener *l, char *buf, size_t size)
{
	struct text t;

	text_init(&t, buf, size);
	print_key(&t, l);
	return buf;
}

/* -- the old process --------------------------------------------------------------------- */

/* Descriptors beside bytes. */
union control {
	struct cmsghdr header;
	char room[CMSG_SPACE(INHERIT_BATCH * sizeof(int))];
};

static void put_descriptors(struct msghdr *msg, union control *control,
			    struct listener *const *list, size_t count)
{
	struct cmsghdr *cmsg;
	size_t i;

	if (!count)
		return;
	memset(control, 0, sizeof(*control));
	msg->msg_control = control;
	msg->msg_controllen = CMSG_SPACE(count * sizeof(int));
	cmsg = CMSG_FIRSTHDR(msg);
	cmsg->cmsg_level = SOL_SOCKET;
	cmsg->cmsg_type = SCM_RIGHTS;
	cmsg->cmsg_len = CMSG_LEN(count * sizeof(int));
	for (i = 0; i < count; i++)
		memcpy(CMSG_DATA(cmsg) + i * sizeof(int), &list[i]->src.fd, sizeof(int));
}

int inherit_send(int fd, struct listener *const *list, size_t count, size_t first, size_t total)
{
	static char memory[TEXT_MAX];
	union control control;
	struct iovec iov;
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1 };
	struct text t;
	ssize_t sent;
	size_t i;

	BUG_ON(count > INHERIT_BATCH);
	text_init(&t, memory, sizeof(memory));
	text_printf(&t, "%zu %zu %zu\n", total, first, count);
	for (i = 0; i < count; i++) {
		print_key(&t, list[i]);
		text_char(&t, '\n');
	}
	iov = (struct iovec){ t.ptr, t.len };
	put_descriptors(&msg, &control, list, count);
	sent = sendmsg(fd, &msg, MSG_DONTWAIT | MSG_NOSIGNAL);
	if (sent == (ssize_t)t.len)
		return 0;
	if (sent >= 0)
		errno = EMSGSIZE;
	return -1;
}

/* -- the new process --------------------------------------------------------------------- */

/* One answer. */
struct batch {
	int fds[INHERIT_BATCH];
	size_t fd_count;
	char text[TEXT_MAX];
	size_t len;
};

static int connect_old(const char *path, struct err *err)
{
	struct addr addr = { .family = AF_UNIX, .path = path };
	struct timeval limit = { .tv_sec = WAIT_MS / 1000 };
	struct sockaddr_storage ss;
	socklen_t len = addr_to_sockaddr(&addr, &ss);
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return err_set(err, "socket: %s", strerror(errno));
	if (!setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit)) &&
	    !connect(fd, (struct sockaddr *)&ss, len))
		return fd;
	err_set(err, "cannot connect: %s", strerror(errno));
	close(fd);
	return -1;
}

static void take_descriptors(struct batch *b, struct msghdr *msg)
{
	struct cmsghdr *cmsg;
	size_t i, n;
	int fd;

	for (cmsg = CMSG_FIRSTHDR(msg); cmsg; cmsg = CMSG_NXTHDR(msg, cmsg)) {
		if (cmsg->cmsg_level != SOL_SOCKET || cmsg->cmsg_type != SCM_RIGHTS)
			continue;
		n = (cmsg->cmsg_len - CMSG_LEN(0)) / sizeof(int);
		for (i = 0; i < n; i++) {
			memcpy(&fd, CMSG_DATA(cmsg) + i * sizeof(int), sizeof(fd));
			if (b->fd_count < INHERIT_BATCH)
				b->fds[b->fd_count++] = fd;
			else
				close(fd);
		}
	}
}

/* Reads until the old process closes. 0, or -1 and err. */
static int read_answer(int fd, struct batch *b, struct err *err)
{
	uint64_t end = clock_read_us() / 1000 + WAIT_MS, now;
	struct pollfd poller = { .fd = fd, .events = POLLIN };
	union control control;
	ssize_t n;

	for (;;) {
		struct iovec iov = { b->text + b->len, sizeof(b->text) - 1 - b->len };
		struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1, .msg_control = &control,
				      .msg_controllen = sizeof(control) };

		now = clock_read_us() / 1000;
		if (now >= end || poll(&poller, 1, (int)(end - now)) < 1)
			return err_set(err, "it does not answer");
		n = recvmsg(fd, &msg, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
		if (n < 0 && errno != EAGAIN)
			return err_set(err, "recvmsg: %s", strerror(errno));
		if (n == 0)
			return 0;
		if (n < 0)
			continue;
		take_descriptors(b, &msg);
		b->len += (size_t)n;
		if (msg.msg_flags & MSG_CTRUNC)
			return err_set(err, "there are too few descriptors for its sockets");
		if (b->len == sizeof(b->text) - 1)
			return err_set(err, "its answer is too long");
	}
}

void inherit_keep(int fd, const char *key)
{
	struct inherited *in = malloc(sizeof(*in) + strlen(key) + 1);

	if (!in) {
		close(fd);
		return;
	}
	in->fd = fd;
	memcpy(in->key, key, strlen(key) + 1);
	in->next = fetched;
	fetched = in;
}

/* "TOTAL FIRST COUNT" and a line for each descriptor. */
static int understand(struct batch *b, size_t first, size_t *total, struct err *err)
{
	char *rest = b->text, *line = strsep(&rest, "\n");
	size_t said_first, count, i;

	if (sscanf(line, "%zu %zu %zu", total, &said_first, &count) != 3)
		return err_set(err, "it says: %.*s", STR_CUT(*line || !rest ? line : rest, 100));
	if (said_first != first || count != b->fd_count || (first < *total && !count))
		return err_set(err, "its answer cannot be understood");
	for (i = 0; i < count; i++) {
		line = rest ? strsep(&rest, "\n") : NULL;
		if (!line || !*line)
			return err_set(err, "its answer is cut");
		inherit_keep(b->fds[i], line);
		b->fds[i] = -1;
	}
	return 0;
}

/* Number first and following. 0 and how many there are in all, or -1 and err. */
static int fetch_batch(const char *path, size_t first, size_t *total, struct batch *b,
		       struct err *err)
{
	char command[40];
	int fd, rc, len;
	size_t i;

	b->fd_count = b->len = 0;
	fd = connect_old(path, err);
	if (fd < 0)
		return -1;
	len = snprintf(command, sizeof(command), "_getsocks %zu\n", first);
	if (write(fd, command, (size_t)len) != len)
		rc = err_set(err, "write: %s", strerror(errno));
	else
		rc = read_answer(fd, b, err);
	close(fd);
	b->text[b->len] = 0;
	if (!rc)
		rc = understand(b, first, total, err);
	for (i = 0; i < b->fd_count; i++)
		if (b->fds[i] >= 0)
			close(b->fds[i]);
	return rc;
}

int inherit_fetch(const char *path, struct err *err)
{
	static struct batch batch;
	size_t first = 0, total;

	do {
		if (fetch_batch(path, first, &total, &batch, err)) {
			inherit_close();
			return err_prefix(err, "cannot get the listening sockets of the process "
					  "behind '%s'", path);
		}
		first += batch.fd_count;
	} while (first < total);
	return 0;
}

int inherit_take(const struct listener *l)
{
	struct inherited *in, **at;
	char key[LINE_MAX_LEN];
	struct text t;
	int fd;

	if (!fetched)
		return -1;
	text_init(&t, key, sizeof(key));
	print_key(&t, l);
	for (at = &fetched; (in = *at); at = &in->next) {
		if (strcmp(in->key, key) != 0)
			continue;
		*at = in->next;
		fd = in->fd;
		free(in);
		return fd;
	}
	return -1;
}

unsigned inherit_close(void)
{
	struct inherited *in;
	unsigned n = 0;

	while ((in = fetched)) {
		fetched = in->next;
		close(in->fd);
		free(in);
		n++;
	}
	return n;
}

void inherit_each(void (*fn)(int fd, const char *key, void *arg), void *arg)
{
	const struct inherited *in;

	for (in = fetched; in; in = in->next)
		fn(in->fd, in->key, arg);
}
