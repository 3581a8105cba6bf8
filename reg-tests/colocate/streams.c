/* SPDX-License-Identifier: BSD-2-Clause */
/* Both ends of connections of the loopback, or one of them: each sends bytes that tell their own
 * place, in pieces of random sizes, and verifies what it receives, with pauses. At the end of its
 * bytes each shuts down and reads on; the end has to stand behind the last byte.
 *
 *   streams [-c connections] [-b bytes a direction] [-s seed] [-p pauses of 1000 reads]
 *           [-m largest piece] [-r level|edge|poll|spin] [-w] [-l address:port] [-d address:port]
 *
 * With -w ends take turns: the client waits for as many bytes as it has sent, the server for more.
 * Who spins is registered with an epoll as for level, which it never asks: it tries recv again and
 * again. With -l it is the server, with -d the client, with both two threads are. Prints what was done;
 * exits with 1 when a byte is wrong, or when nothing moves for 20 seconds. */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { CONNECTIONS_MOST = 256, BUFFER = 1 << 20, STALL_MS = 20000 };

static unsigned connections = 8, pauses = 5, largest = 70000;
static uint64_t quota = 4 << 20, seed = 1;
static bool turns;
static enum { LEVEL, EDGE, POLL, SPIN } reader = LEVEL;
static struct sockaddr_in listens, dials;
static uint64_t pieces; /* sent by all */

struct end {
	int fd;
	uint64_t sent, got, out_seed, in_seed;
	uint64_t rest; /* of the piece that is being sent */
	uint64_t awake_ms;
	bool ended, ready;
};

struct side {
	struct end ends[CONNECTIONS_MOST];
	struct pollfd fds[CONNECTIONS_MOST];
	unsigned char out[BUFFER], in[BUFFER];
	uint64_t random, moved_ms;
	int listener, poll;
	bool server;
};

static uint64_t now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

static uint64_t mix(uint64_t x)
{
	x += 0x9e3779b97f4a7c15;
	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
	x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
	return x ^ (x >> 31);
}

static uint64_t side_random(struct side *s, uint64_t below)
{
	s->random = mix(s->random);
	return s->random % below;
}

static void die(const char *what)
{
	printf("streams: %s (%s)\n", what, strerror(errno));
	exit(1);
}

static void fill(unsigned char *p, uint64_t stream, uint64_t at, size_t len)
{
	uint64_t word = mix(stream ^ (at / 8));
	size_t i;

	for (i = 0; i < len; i++, at++) {
		if (at % 8 == 0)
			word = mix(stream ^ (at / 8));
		p[i] = (unsigned char)(word >> (at % 8 * 8));
	}
}

static bool matches(const unsigned char *p, uint64_t stream, uint64_t at, size_t len)
{
	uint64_t word = mix(stream ^ (at / 8));
	size_t i;

	for (i = 0; i < len; i++, at++) {
		if (at % 8 == 0)
			word = mix(stream ^ (at / 8));
		if (p[i] != (unsigned char)(word >> (at % 8 * 8)))
			return false;
	}
	return true;
}

/* Mostly small pieces, some large ones. */
static uint64_t piece_size(struct side *s)
{
	const uint64_t kind = side_random(s, 100);
	const uint64_t most = kind < 70 ? 200 : kind < 95 ? 5000 : largest;

	return 1 + side_random(s, most < largest ? most : largest);
}

/* How many bytes it may send now. */
static uint64_t end_may_send(const struct side *s, const struct end *e)
{
	if (turns && s->server)
		return e->got - e->sent;
	return turns && e->got < e->sent ? 0 : quota - e->sent;
}

static void end_send(struct side *s, struct end *e)
{
	uint64_t may;
	int rounds;

	for (rounds = 0; rounds < 16 && (may = end_may_send(s, e)) > 0; rounds++) {
		size_t len;
		ssize_t n;

		if (!e->rest) {
			e->rest = piece_size(s);
			__atomic_add_fetch(&pieces, 1, __ATOMIC_RELAXED);
		}
		len = e->rest < may ? e->rest : may;
		len = len < BUFFER ? len : BUFFER;
		fill(s->out, e->out_seed, e->sent, len);
		n = send(e->fd, s->out, len, MSG_NOSIGNAL);
		if (n < 0 && errno == EAGAIN)
			return;
		if (n <= 0)
			die("send");
		s->moved_ms = now_ms();
		e->sent += (size_t)n;
		e->rest -= (size_t)n;
		if (e->sent == quota && shutdown(e->fd, SHUT_WR))
			die("shutdown");
		if (e->rest > 0 || side_random(s, 3) == 0)
			return;
	}
}

static void end_recv(struct side *s, struct end *e)
{
	do {
		const size_t size = 1 + side_random(s, side_random(s, 4) ? 4096 : 200000);
		const ssize_t n = recv(e->fd, s->in, size, 0);

		if (n < 0 && errno == EAGAIN) {
			e->ready = false;
			return;
		}
		if (n < 0)
			die("recv");
		s->moved_ms = now_ms();
		if (n == 0) {
			if (e->got != quota)
				die("an end came before the last byte");
			e->ended = true;
			e->ready = false;
			return;
		}
		if (!matches(s->in, e->in_seed, e->got, (size_t)n))
			die("a byte is wrong");
		e->got += (size_t)n;
	} while (reader == EDGE && !side_random(s, 2));
}

static void side_add(struct side *s, int fd, unsigned number)
{
	struct end *e = &s->ends[number];
	struct epoll_event in = { .events = EPOLLIN | EPOLLOUT, .data.u32 = number };
	const int one = 1;

	e->fd = fd;
	e->out_seed = mix(seed + number * 2 + s->server);
	e->in_seed = mix(seed + number * 2 + !s->server);
	e->ready = true;
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	if (reader == EDGE)
		in.events |= EPOLLET;
	if (reader != POLL && epoll_ctl(s->poll, EPOLL_CTL_ADD, fd, &in))
		die("epoll_ctl");
}

static void side_wait(struct side *s)
{
	struct epoll_event events[CONNECTIONS_MOST];
	unsigned i;
	int n;

	if (reader == POLL) {
		for (i = 0; i < connections; i++)
			s->fds[i] = (struct pollfd){ .fd = s->ends[i].ended ? -1 : s->ends[i].fd,
						     .events = POLLIN };
		poll(s->fds, connections, 1);
		for (i = 0; i < connections; i++)
			s->ends[i].ready = s->fds[i].revents & (POLLIN | POLLHUP | POLLERR);
		return;
	}
	if (reader == SPIN) {
		for (i = 0; i < connections; i++)
			s->ends[i].ready = true;
		return;
	}
	n = epoll_wait(s->poll, events, CONNECTIONS_MOST, 1);
	while (n-- > 0)
		if (events[n].events & (EPOLLIN | EPOLLHUP | EPOLLERR))
			s->ends[events[n].data.u32].ready = true;
}

/* Waits for the byte before the socket can be seen to wait otherwise than by the reader's way. */
static void number_read(int fd, unsigned char *number)
{
	while (recv(fd, number, 1, MSG_DONTWAIT) != 1)
		if (errno != EAGAIN)
			die("number");
}

/* Each connection says its number first: the client sends one byte, the server receives it. */
static void side_open(struct side *s)
{
	unsigned i;
	int fd;

	s->poll = epoll_create1(0);
	for (i = 0; i < connections; i++) {
		unsigned char number = (unsigned char)i;

		if (s->server) {
			fd = accept4(s->listener, NULL, NULL, SOCK_NONBLOCK);
			if (fd < 0)
				die("accept");
			number_read(fd, &number);
		} else {
			fd = socket(AF_INET, SOCK_STREAM, 0);
			if (connect(fd, (struct sockaddr *)&dials, sizeof(dials)) ||
			    fcntl(fd, F_SETFL, O_NONBLOCK) || send(fd, &number, 1, 0) != 1)
				die("connect");
		}
		side_add(s, fd, number);
	}
}

static void *side_run(void *arg)
{
	struct side *s = arg;
	unsigned i, left;

	side_open(s);
	s->random = mix(seed * 2 + s->server);
	s->moved_ms = now_ms();
	do {
		const uint64_t now = now_ms();

		if (now - s->moved_ms > STALL_MS)
			die("nothing moves");
		side_wait(s);
		for (i = left = 0; i < connections; i++) {
			struct end *e = &s->ends[i];

			left += !e->ended || e->sent < quota;
			end_send(s, e);
			if (e->ended || !e->ready || now < e->awake_ms)
				continue;
			if (side_random(s, 1000) < pauses)
				e->awake_ms = now + side_random(s, 40);
			else
				end_recv(s, e);
		}
	} while (left);
	/* closed when the other side has read all, too: its end has come */
	for (i = 0; i < connections; i++)
		close(s->ends[i].fd);
	return NULL;
}

static void address_read(const char *text, struct sockaddr_in *a)
{
	char host[64];
	unsigned port;

	if (sscanf(text, "%63[^:]:%u", host, &port) != 2 ||
	    inet_pton(AF_INET, host, &a->sin_addr) != 1)
		die("address");
	a->sin_family = AF_INET;
	a->sin_port = htons((uint16_t)port);
}

static void reader_read(const char *word)
{
	reader = *word == 'e' ? EDGE : *word == 'p' ? POLL : *word == 's' ? SPIN : LEVEL;
}

static int listener_open(void)
{
	const int fd = socket(AF_INET, SOCK_STREAM, 0), one = 1;

	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	if (bind(fd, (struct sockaddr *)&listens, sizeof(listens)) || listen(fd, 256))
		die("listen");
	return fd;
}

int main(int argc, char **argv)
{
	static struct side sides[2];
	pthread_t other;
	int c;

	while ((c = getopt(argc, argv, "c:b:s:p:m:r:wl:d:")) != -1) {
		switch (c) {
		case 'c': connections = (unsigned)atoi(optarg); break;
		case 'b': quota = strtoull(optarg, NULL, 0); break;
		case 's': seed = strtoull(optarg, NULL, 0); break;
		case 'p': pauses = (unsigned)atoi(optarg); break;
		case 'm': largest = (unsigned)atoi(optarg); break;
		case 'r': reader_read(optarg); break;
		case 'w': turns = true; break;
		case 'l': address_read(optarg, &listens); break;
		case 'd': address_read(optarg, &dials); break;
		default: return 1;
		}
	}
	if (connections > CONNECTIONS_MOST)
		die("too many connections");
	if (listens.sin_port) {
		sides[0].server = true;
		sides[0].listener = listener_open();
		printf("ready\n");
		fflush(stdout);
	}
	if (listens.sin_port && dials.sin_port) {
		if (pthread_create(&other, NULL, side_run, &sides[0]))
			die("pthread_create");
		side_run(&sides[1]);
		pthread_join(other, NULL);
	} else {
		side_run(&sides[!listens.sin_port]);
	}
	printf("connections=%u bytes=%llu pieces=%llu\n", connections,
	       (unsigned long long)(quota * connections), (unsigned long long)pieces);
	return 0;
}
