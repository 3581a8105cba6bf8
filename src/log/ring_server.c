/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Forwards the messages of a ring to a server and connects again when it goes away. Driven by
 * the loop: readiness of the socket, new messages, timers. It never blocks the writer: while
 * the server does not take them, messages stay in the ring, and once that is full of unsent
 * ones, further ones are dropped there.
 *
 * Invariant: the ring keeps every message from reader.position on; buf holds the framed ones
 * from there (less `counted` bytes) up to `next`. What was sent in part when the connection
 * broke is sent again as a whole.
 */
#include "log/ring_server.h"

#include "base/bug.h"
#include "base/clock.h"
#include "base/err.h"
#include "log/log.h"
#include "net/conn.h"

#include <errno.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

enum { RING_RETRY_MS = 1000, RING_FRAME = 8, RING_BATCH = 16384,
       RING_DRAIN = 4 /* pieces that are read in a turn */ };

static void ring_server_close(struct ring_server *s)
{
	if (s->src.fd >= 0) {
		loop_remove(&s->src);
		close(s->src.fd);
	}
	s->src.fd = -1;
	s->state = RING_SERVER_IDLE;
	s->draining = false;
	s->len = s->sent = s->counted = 0;
	s->next = s->reader.position;
}

/* Closes and tries again in a second; says so once until it works again. */
static void ring_server_fail(struct ring_server *s, const char *why)
{
	ring_server_close(s);
	s->failures++;
	timer_set(&s->timer, clock_now_ms + RING_RETRY_MS);
	if (s->failing)
		return;
	s->failing = true;
	log_process(LOG_L_WARNING, "ring %s: server %s: %s, its messages wait", s->ring->name, s->name,
		    why);
}

/* The frame that goes in front of a message. */
static int ring_server_prefix(const struct ring_server *s, size_t len, char out[RING_FRAME])
{
	return s->octet_count ? snprintf(out, RING_FRAME, "%u ", (unsigned)len % 1000000u) : 0;
}

static size_t ring_server_framed(const struct ring_server *s, size_t len)
{
	char prefix[RING_FRAME];

	return s->octet_count ? (size_t)ring_server_prefix(s, len, prefix) + len : len + 1;
}

/* Moves messages from the ring to buf, as many as fit. */
static void ring_server_fill(struct ring_server *s)
{
	s->len = s->sent = s->counted = 0;
	for (;;) {
		char *at = s->buf + s->len, prefix[RING_FRAME];
		uint64_t before = s->next;
		ssize_t len;
		int n;

		if (s->size - s->len <= RING_FRAME)
			return;
		len = ring_read(s->ring, &s->next, at + RING_FRAME, s->size - s->len - RING_FRAME);
		if (len < 0)
			return;
		if ((size_t)len == s->size - s->len - RING_FRAME && s->len) {
			s->next = before; /* perhaps cut: it gets a buffer of its own */
			return;
		}
		n = ring_server_prefix(s, (size_t)len, prefix);
		memmove(at + n, at + RING_FRAME, (size_t)len);
		memcpy(at, prefix, (size_t)n);
		if (!s->octet_count)
			at[len] = '\n';
		s->len += ring_server_framed(s, (size_t)len);
	}
}

/* Messages that have left completely need not be kept in the ring. */
static void ring_server_release(struct ring_server *s)
{
	char none[1];

	while (s->reader.position != s->next) {
		uint64_t position = s->reader.position;
		size_t framed;

		framed = ring_server_framed(s, ring_message_len(s->ring, position));
		if (s->counted + framed > s->sent)
			return;
		s->counted += framed;
		ring_read(s->ring, &s->reader.position, none, 0);
	}
}

/* A server that takes nothing for too long is given up. */
static void ring_server_arm(struct ring_server *s)
{
	if (s->sent == s->len)
		timer_cancel(&s->timer);
	else if (s->ring->server_ms)
		timer_set(&s->timer, clock_now_ms + s->ring->server_ms);
}

static void ring_server_push(struct ring_server *s)
{
	for (;;) {
		ssize_t n;

		if (s->sent == s->len)
			ring_server_fill(s);
		if (s->sent == s->len)
			break;
		n = send(s->src.fd, s->buf + s->sent, s->len - s->sent, MSG_DONTWAIT | MSG_NOSIGNAL);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno != EAGAIN) {
			ring_server_fail(s, strerror(errno));
			return;
		}
		if (n < 0) {
			if (!timer_armed(&s->timer))
				ring_server_arm(s);
			return;
		}
		s->sent += (size_t)n;
		ring_server_release(s);
		ring_server_arm(s);
	}
}

static void ring_server_connected(struct ring_server *s)
{
	int error = 0;
	socklen_t len = sizeof(error);

	if (getsockopt(s->src.fd, SOL_SOCKET, SO_ERROR, &error, &len) || error) {
		ring_server_fail(s, strerror(error ? error : errno));
		return;
	}
	timer_cancel(&s->timer);
	s->state = RING_SERVER_READY;
	s->connects++;
	if (s->failing)
		log_process(LOG_L_NOTICE, "ring %s: server %s: connected again", s->ring->name,
			    s->name);
	s->failing = false;
	ring_server_push(s);
}

/* What a server sends is of no interest; that it has closed is. One that sends without end gets its
 * turn like everybody. */
static bool ring_server_drain(struct ring_server *s)
{
	unsigned left = RING_DRAIN;
	char scratch[4096];
	ssize_t n;

	do {
		n = recv(s->src.fd, scratch, sizeof(scratch), MSG_DONTWAIT);
	} while ((n > 0 && --left) || (n < 0 && errno == EINTR));
	s->draining = n > 0;
	if (s->draining)
		task_wake(&s->task);
	if (n > 0 || (n < 0 && errno == EAGAIN))
		return true;
	ring_server_fail(s, n ? strerror(errno) : "it has closed the connection");
	return false;
}

static void ring_server_ready(struct source *src, uint32_t events)
{
	struct ring_server *s = container_of(src, struct ring_server, src);

	if (s->src.fd < 0)
		return; /* closed earlier in this turn */
	if (s->state == RING_SERVER_CONNECTING) {
		if (events & (EPOLLOUT | EPOLLERR | EPOLLHUP))
			ring_server_connected(s);
		return;
	}
	if ((events & (EPOLLIN | EPOLLRDHUP | EPOLLHUP | EPOLLERR)) && !ring_server_drain(s))
		return;
	if (events & EPOLLOUT)
		ring_server_push(s);
}

static void ring_server_connect(struct ring_server *s)
{
	struct sockaddr_storage ss;
	socklen_t len = addr_to_sockaddr(&s->addr, &ss);
	int on = 1;

	s->src.fd = socket(ss.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (s->src.fd < 0) {
		ring_server_fail(s, strerror(errno));
		return;
	}
	s->src.ready = ring_server_ready;
	if (ss.ss_family != AF_UNIX)
		(void)setsockopt(s->src.fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	if (connect(s->src.fd, (struct sockaddr *)&ss, len) && errno != EINPROGRESS) {
		int error = errno;

		close(s->src.fd);
		s->src.fd = -1;
		ring_server_fail(s, strerror(error));
		return;
	}
	s->state = RING_SERVER_CONNECTING;
	if (loop_add(&s->src, EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET)) {
		close(s->src.fd);
		s->src.fd = -1;
		ring_server_fail(s, strerror(errno));
		return;
	}
	if (s->ring->connect_ms)
		timer_set(&s->timer, clock_now_ms + s->ring->connect_ms);
}

static void ring_server_run(struct task *task)
{
	struct ring_server *s = container_of(task, struct ring_server, task);

	if (s->state == RING_SERVER_READY && (!s->draining || ring_server_drain(s)))
		ring_server_push(s);
	else if (s->state == RING_SERVER_IDLE && !timer_armed(&s->timer))
		ring_server_connect(s);
}

static void ring_server_fire(struct timer *timer)
{
	struct ring_server *s = container_of(timer, struct ring_server, timer);

	if (s->state == RING_SERVER_IDLE)
		ring_server_connect(s);
	else if (s->state == RING_SERVER_CONNECTING)
		ring_server_fail(s, "no connection within timeout connect");
	else
		ring_server_fail(s, "nothing taken within timeout server");
}

static void ring_server_written(struct ring_reader *reader)
{
	struct ring_server *s = container_of(reader, struct ring_server, reader);

	if (!s->buf)
		return; /* not started */
	/* while bytes wait in buf an event of the socket goes on */
	if (s->state != RING_SERVER_CONNECTING && s->sent == s->len)
		task_wake(&s->task);
}

int ring_server_start(struct ring_server *s, struct err *err)
{
	size_t longest = s->ring->max_len ? s->ring->max_len : s->ring->size;

	s->size = (longest > RING_BATCH ? longest : RING_BATCH) + RING_FRAME + 1;
	s->buf = malloc(s->size);
	if (!s->buf)
		return err_set(err, "ring %s: out of memory", s->ring->name);
	s->src.fd = -1;
	s->reader.position = s->next = ring_oldest(s->ring);
	s->reader.written = ring_server_written;
	task_init(&s->task, ring_server_run);
	timer_init(&s->timer, ring_server_fire);
	task_wake(&s->task);
	return 0;
}

void ring_server_stop(struct ring_server *s)
{
	if (!s->buf)
		return;
	if (s->state == RING_SERVER_READY)
		ring_server_push(s); /* what can still go at once */
	ring_server_close(s);
	timer_cancel(&s->timer);
	task_cancel(&s->task);
	free(s->buf);
	s->buf = NULL;
}

void ring_server_drop(struct ring_server *s)
{
	if (!s->buf)
		return;
	if (s->src.fd >= 0)
		close(s->src.fd);
	s->src.registered = false;
	s->src.fd = -1;
	s->state = RING_SERVER_IDLE;
	s->failing = false;
	s->len = s->sent = s->counted = 0;
	timer_cancel(&s->timer);
	task_cancel(&s->task);
	free(s->buf);
	s->buf = NULL;
}
