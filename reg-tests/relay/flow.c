/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The engine of relaytest: opens connections through the relay and moves flows of
 * position-dependent bytes over them with poll(2), checking each byte as it arrives.
 */
#include "relaytest.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CHUNK 65536

static char buffer[CHUNK];

int ends_accept(int ms)
{
	struct pollfd p = { .fd = opt.listener, .events = POLLIN };
	int fd;

	if (poll(&p, 1, ms) <= 0)
		return -1;
	fd = accept4(opt.listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
	if (fd >= 0)
		sock_nodelay(fd);
	return fd;
}

struct ends ends_open(int rcvbuf)
{
	struct ends e;
	struct pollfd p;

	e.client = socket(opt.front.ss.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (rcvbuf)
		setsockopt(e.client, SOL_SOCKET, SO_RCVBUF, &rcvbuf, sizeof(rcvbuf));
	if (connect(e.client, (struct sockaddr *)&opt.front.ss, opt.front.len) &&
	    errno != EINPROGRESS)
		die("connect");
	p = (struct pollfd){ .fd = e.client, .events = POLLOUT };
	if (poll(&p, 1, PATIENCE_MS) != 1 || (p.revents & (POLLERR | POLLHUP)))
		die("the relay does not take the connection");
	sock_nodelay(e.client);
	e.server = ends_accept(PATIENCE_MS);
	if (e.server < 0)
		die("the relay does not connect to the server");
	return e;
}

void ends_close(struct ends *e)
{
	if (e->client >= 0)
		close(e->client);
	if (e->server >= 0)
		close(e->server);
	e->client = e->server = -1;
}

static bool flow_break(struct flow *f, int error)
{
	f->broken = true;
	f->error = error;
	return false;
}

static bool flow_wants_write(const struct flow *f)
{
	if (f->broken || (f->window && f->sent - f->got >= f->window))
		return false;
	return f->sent < f->total || (f->fin && !f->fin_sent);
}

static bool flow_wants_read(const struct flow *f)
{
	return !f->broken && !f->no_read && !flow_complete(f);
}

bool flow_complete(const struct flow *f)
{
	return f->got == f->total && (!f->fin || f->eof) && !f->broken;
}

/* One send, or the FIN. Returns whether anything happened. */
static bool flow_write(struct flow *f)
{
	size_t n = f->chunk && f->chunk < CHUNK ? f->chunk : CHUNK;
	ssize_t sent;

	if (f->sent == f->total) {
		shutdown(f->from, SHUT_WR);
		return f->fin_sent = true;
	}
	if (n > f->total - f->sent)
		n = (size_t)(f->total - f->sent);
	if (f->window && n > f->window - (size_t)(f->sent - f->got))
		n = f->window - (size_t)(f->sent - f->got);
	pattern_fill(buffer, n, f->seed, f->sent);
	sent = send(f->from, buffer, n, MSG_NOSIGNAL);
	if (sent < 0)
		return errno == EAGAIN ? false : flow_break(f, errno);
	f->sent += (uint64_t)sent;
	if (f->sent == f->total && f->fin)
		flow_write(f); /* the FIN right behind the last byte */
	return true;
}

static bool flow_read(struct flow *f)
{
	size_t max = f->read_max && f->read_max < CHUNK ? f->read_max : CHUNK, good;
	ssize_t n = recv(f->to, buffer, max, 0);

	if (n < 0)
		return errno == EAGAIN ? false : flow_break(f, errno);
	if (n == 0) {
		f->eof = true;
		return f->got == f->total && f->fin ? true : flow_break(f, 0);
	}
	good = pattern_check(buffer, (size_t)n, f->seed, f->got);
	if (good < (size_t)n || f->got + (uint64_t)n > f->total) {
		f->got += good;
		f->wrong = true;
		return flow_break(f, 0);
	}
	f->got += (uint64_t)n;
	f->next_read = f->read_every ? now_ns() + f->read_every : 0;
	return true;
}

/* Asks poll about all flows and serves them; returns whether a byte moved. */
static bool flows_turn(struct flow *f, size_t n, int ms)
{
	struct pollfd *p = calloc(2 * n, sizeof(*p));
	uint64_t now = now_ns();
	bool moved = false;

	if (!p)
		die("memory");
	for (size_t i = 0; i < n; i++) {
		bool rest = f[i].next_read > now;

		p[2 * i] = (struct pollfd){ .fd = flow_wants_write(&f[i]) ? f[i].from : -1,
					    .events = POLLOUT };
		p[2 * i + 1] = (struct pollfd){ .fd = flow_wants_read(&f[i]) && !rest ? f[i].to : -1,
						.events = POLLIN };
		if (rest && flow_wants_read(&f[i]))
			ms = 1;
	}
	poll(p, 2 * n, ms);
	for (size_t i = 0; i < n; i++) {
		if (p[2 * i].revents)
			moved |= flow_write(&f[i]);
		if (p[2 * i + 1].revents && !f[i].broken)
			moved |= flow_read(&f[i]);
	}
	free(p);
	return moved;
}

bool flows_run(struct flow *f, size_t n, int idle_ms)
{
	uint64_t last = now_ns();

	for (;;) {
		bool done = true;

		for (size_t i = 0; i < n; i++) {
			if (f[i].broken)
				return false;
			done &= flow_complete(&f[i]);
		}
		if (done)
			return true;
		if (flows_turn(f, n, 10))
			last = now_ns();
		else if (now_ns() - last > (uint64_t)idle_ms * MSEC)
			return false;
	}
}

void flows_block(struct flow *f, size_t n)
{
	uint64_t last;
	bool moved;

	for (size_t i = 0; i < n; i++)
		f[i].no_read = true;
	do {
		moved = false;
		for (last = now_ns(); now_ns() - last < 100 * MSEC;)
			if (flows_turn(f, n, 10)) {
				last = now_ns();
				moved = true;
			}
		relay_settle(); /* has it made room by what it did since? */
	} while (moved);
	for (size_t i = 0; i < n; i++)
		f[i].no_read = false;
}

const char *flows_describe(const struct flow *f, size_t n)
{
	static char text[256];
	const struct flow *bad = NULL;
	size_t complete = 0;

	for (size_t i = 0; i < n; i++) {
		complete += flow_complete(&f[i]);
		if (!flow_complete(&f[i]) && (!bad || (f[i].broken && !bad->broken)))
			bad = &f[i];
	}
	if (!bad)
		return "all complete";
	snprintf(text, sizeof(text), "%zu of %zu complete; flow %zu: %llu of %llu sent%s, %llu "
		 "received%s%s%s%s", complete, n, (size_t)(bad - f), (unsigned long long)bad->sent,
		 (unsigned long long)bad->total, bad->fin_sent ? " and FIN" : "",
		 (unsigned long long)bad->got, bad->eof ? ", then FIN" : "",
		 bad->broken && bad->error ? ", then " : "",
		 bad->broken && bad->error ? strerror(bad->error) : "",
		 bad->wrong ? ", then a wrong byte" : "");
	return text;
}

bool put_bytes(int fd, const void *buf, size_t n, int flags)
{
	struct pollfd p = { .fd = fd, .events = POLLOUT };
	const char *at = buf;

	while (n) {
		ssize_t sent = send(fd, at, n, MSG_NOSIGNAL | flags);

		if (sent < 0 && (errno != EAGAIN || poll(&p, 1, PATIENCE_MS) != 1))
			return false;
		if (sent > 0) {
			at += sent;
			n -= (size_t)sent;
		}
	}
	return true;
}

bool get_bytes(int fd, void *buf, size_t n)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };
	char *at = buf;

	while (n) {
		ssize_t got = recv(fd, at, n, 0);

		if (got == 0 || (got < 0 && (errno != EAGAIN || poll(&p, 1, PATIENCE_MS) != 1)))
			return false;
		if (got > 0) {
			at += got;
			n -= (size_t)got;
		}
	}
	return true;
}

bool one_exchange(int a, int b, size_t n)
{
	struct flow f = { .from = a, .to = b, .seed = rnd(&opt.seed), .total = n };

	return flows_run(&f, 1, PATIENCE_MS);
}

int wait_end(int fd)
{
	uint64_t until = now_ns() + PATIENCE_MS * MSEC;
	struct pollfd p = { .fd = fd, .events = POLLIN };

	while (now_ns() < until) {
		ssize_t n;

		if (poll(&p, 1, 10) <= 0)
			continue;
		n = recv(fd, buffer, sizeof(buffer), 0);
		if (n == 0)
			return 0;
		if (n < 0 && errno != EAGAIN)
			return errno;
	}
	return -1;
}
