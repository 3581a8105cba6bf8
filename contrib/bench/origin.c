/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * origin: the server behind a relay that is being measured. One thread, one epoll. What a
 * connection does is said by its first bytes (hello.h): answer each request of N bytes with M
 * bytes, send without end, swallow without end; without such bytes it echoes. "GET /N" or "POST /N" makes it a
 * server of HTTP/1.1 that answers each request for /N with N bytes, a POST when
 * its body (Content-Length) has come.
 *
 *   origin [-C CORE] ADDRESS:PORT...
 *
 * It ends with its standard input when that is a pipe (so that it cannot outlive its driver), and
 * with SIGTERM. It never looks at the contents: received bytes are dropped inside the kernel
 * (MSG_TRUNC), so that origin and load cost as little as they can beside the relay.
 */
#include "common.h"
#include "hello.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/stat.h>
#include <unistd.h>

#define CHUNK (128 * 1024)
#define READ_MAX (1024 * 1024)
#define ENDLESS UINT64_MAX
#define HEAD_MAX 4096

struct peer {
	int fd;
	bool listener;
	bool writing;     /* EPOLLOUT is asked for */
	bool echo;        /* nothing said hello */
	uint8_t have;     /* bytes of the hello so far */
	struct hello hello;
	uint32_t request; /* bytes of the request still to come */
	uint64_t owed;    /* bytes to send */
	bool http, last;  /* requests are heads of HTTP; close when all is paid */
	char *head;       /* the beginning of a head that is not complete */
	size_t head_len;
	uint64_t posted;  /* bytes of a request's body still to come ... */
	uint64_t asked;   /* ... and of the response to it */
};

static char payload[READ_MAX]; /* never read, never written: MSG_TRUNC drops what comes */
static int poller;

static void watch(struct peer *p, int op, uint32_t events)
{
	struct epoll_event e = { .events = events, .data.ptr = p };

	if (epoll_ctl(poller, op, p->fd, &e))
		die("epoll_ctl");
}

static struct peer *peer_new(int fd, bool listener)
{
	struct peer *p = calloc(1, sizeof(*p));

	if (!p)
		die("memory");
	p->fd = fd;
	p->listener = listener;
	watch(p, EPOLL_CTL_ADD, EPOLLIN);
	return p;
}

static void peer_close(struct peer *p)
{
	close(p->fd);
	free(p->head);
	free(p);
}

static void accept_all(struct peer *l)
{
	int fd;

	for (int i = 0; i < 64; i++) {
		fd = accept4(l->fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
		if (fd < 0)
			return;
		sock_nodelay(fd);
		peer_new(fd, false);
	}
}

/* Sends what is owed, as far as it goes at once. false: the connection is gone. */
static bool pay(struct peer *p)
{
	int turns = 16; /* an endless source lets others have their turn */
	bool want;

	while (p->owed && turns--) {
		size_t n = p->owed < CHUNK ? (size_t)p->owed : CHUNK;
		ssize_t sent = send(p->fd, payload, n, MSG_NOSIGNAL);

		if (sent < 0 && errno == EAGAIN)
			break;
		if (sent < 0)
			return false;
		if (p->owed != ENDLESS)
			p->owed -= (size_t)sent;
	}
	if (p->last && !p->owed)
		return false;
	want = p->owed > 0;
	if (want != p->writing)
		watch(p, EPOLL_CTL_MOD, want ? EPOLLIN | EPOLLOUT : EPOLLIN);
	p->writing = want;
	return true;
}

/* Answers one request: the head of the response and the first bytes of its body leave together. */
static bool answer(struct peer *p)
{
	static char out[CHUNK];
	size_t n, now;
	ssize_t sent;

	n = (size_t)snprintf(out, 200, "HTTP/1.1 200 OK\r\nServer: origin\r\nContent-Type: text/plain\r\n"
			     "Content-Length: %llu\r\n%s\r\n", (unsigned long long)p->asked,
			     p->last ? "Connection: close\r\n" : "");
	p->owed += n + p->asked;
	now = p->owed < CHUNK ? (size_t)p->owed : CHUNK;
	sent = send(p->fd, out, now, MSG_NOSIGNAL);
	if (sent < (ssize_t)n) /* a socket that takes no head is none that can be measured */
		return false;
	p->owed -= (size_t)sent;
	return pay(p);
}

static void understand(struct peer *p, const char *head)
{
	const char *length = strcasestr(head, "\nContent-Length:");

	p->asked = strtoull(head + strcspn(head, "/") + 1, NULL, 10);
	p->last = strcasestr(head, "\nConnection: close") || !strstr(head, "HTTP/1.1");
	p->posted = length ? strtoull(length + sizeof("\nContent-Length:") - 1, NULL, 10) : 0;
}

/* Out of n bytes those that are of a body; how many. */
static size_t swallow(struct peer *p, size_t n)
{
	size_t taken = p->posted < n ? (size_t)p->posted : n;

	p->posted -= taken;
	return taken;
}

/* Bodies are dropped in the kernel. false: the connection is gone. */
static bool swallow_received(struct peer *p)
{
	size_t want = p->posted < READ_MAX ? (size_t)p->posted : READ_MAX;
	ssize_t n = recv(p->fd, payload, want, MSG_TRUNC);

	if (n <= 0)
		return n < 0 && errno == EAGAIN;
	swallow(p, (size_t)n);
	return p->posted || answer(p);
}

static bool serve_http(struct peer *p)
{
	size_t used;
	ssize_t n;
	char *end;

	if (p->posted)
		return swallow_received(p);
	n = recv(p->fd, p->head + p->head_len, HEAD_MAX - 1 - p->head_len, 0);
	if (n <= 0)
		return n < 0 && errno == EAGAIN;
	p->head_len += (size_t)n;
	p->head[p->head_len] = '\0';
	while ((end = strstr(p->head, "\r\n\r\n"))) {
		used = (size_t)(end + 4 - p->head);
		end[2] = '\0';
		understand(p, p->head);
		used += swallow(p, p->head_len - used);
		if (!p->posted && !answer(p))
			return false;
		p->head_len -= used;
		memmove(p->head, p->head + used, p->head_len + 1);
	}
	return p->head_len < HEAD_MAX - 1;
}

/* Reads the hello, or the byte that shows that there is none. false: the connection is gone. */
static bool greet(struct peer *p)
{
	size_t want = p->have ? sizeof(p->hello) - p->have : 1;
	ssize_t n = recv(p->fd, (char *)&p->hello + p->have, want, 0);

	if (n <= 0)
		return n < 0 && errno == EAGAIN;
	p->have += (uint8_t)n;
	if (p->have == 1 && (p->hello.magic == 'G' || p->hello.magic == 'P')) {
		p->http = true;
		p->head = malloc(HEAD_MAX);
		if (!p->head)
			die("memory");
		p->head[p->head_len++] = (char)p->hello.magic;
		return serve_http(p);
	}
	if (p->hello.magic != HELLO_MAGIC) {
		p->echo = true;
		return send(p->fd, &p->hello, 1, MSG_NOSIGNAL) == 1;
	}
	if (p->have < sizeof(p->hello))
		return greet(p);
	p->request = p->hello.request;
	if (p->hello.mode == HELLO_SOURCE || p->hello.mode == HELLO_BOTH)
		p->owed = ENDLESS;
	return pay(p);
}

static bool echo(struct peer *p)
{
	char buf[4096];
	ssize_t n = recv(p->fd, buf, sizeof(buf), 0);

	if (n <= 0)
		return n < 0 && errno == EAGAIN;
	return send(p->fd, buf, (size_t)n, MSG_NOSIGNAL) == n;
}

/* Takes n bytes of requests: each one that is complete is owed a response. */
static void count_requests(struct peer *p, size_t n)
{
	while (n >= p->request) {
		n -= p->request;
		p->request = p->hello.request;
		p->owed += p->hello.response;
	}
	p->request -= (uint32_t)n;
}

static bool readable(struct peer *p)
{
	size_t want = p->hello.mode == HELLO_PINGPONG ? 64 * 1024 : READ_MAX;
	ssize_t n;

	if (p->http)
		return serve_http(p);
	if (p->echo)
		return echo(p);
	if (p->have < sizeof(p->hello))
		return greet(p);
	n = recv(p->fd, payload, want, MSG_TRUNC);
	if (n <= 0)
		return n < 0 && errno == EAGAIN;
	if (p->hello.mode != HELLO_PINGPONG)
		return true;
	count_requests(p, (size_t)n);
	return pay(p);
}

static void serve(struct peer *p, uint32_t events)
{
	bool alive = true;

	if (p->listener) {
		accept_all(p);
		return;
	}
	if (events & (EPOLLIN | EPOLLHUP | EPOLLERR))
		alive = readable(p);
	if (alive && (events & EPOLLOUT))
		alive = pay(p);
	if (!alive)
		peer_close(p);
}

/* When the other end of our standard input is a process, watch for its end. */
static void watch_driver(void)
{
	struct epoll_event e = { .events = EPOLLIN, .data.ptr = NULL };
	struct stat st;

	if (!fstat(0, &st) && S_ISFIFO(st.st_mode))
		epoll_ctl(poller, EPOLL_CTL_ADD, 0, &e);
}

int main(int argc, char **argv)
{
	struct epoll_event ev[256];
	int opt, cpu = -1;

	while ((opt = getopt(argc, argv, "C:")) != -1) {
		if (opt != 'C')
			return 1;
		cpu = atoi(optarg);
	}
	pin_to(cpu);
	want_descriptors();
	poller = epoll_create1(EPOLL_CLOEXEC);
	for (; optind < argc; optind++) {
		struct address a = address_parse(argv[optind]);

		peer_new(sock_listen(&a), true);
	}
	watch_driver();
	puts("ready");
	fflush(stdout);
	for (;;) {
		int n = epoll_wait(poller, ev, 256, -1);

		for (int i = 0; i < n; i++) {
			if (!ev[i].data.ptr)
				return 0;
			serve(ev[i].data.ptr, ev[i].events);
		}
	}
}
