/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * flood: datagrams as fast as they go, and how many of them arrive.
 *
 *   flood sink ADDRESS:PORT            swallows until SIGTERM, then prints what has come
 *   flood [options] send ADDRESS:PORT  sends from -c sockets, each with a port of its own
 *
 *   -c N sockets   -s N bytes a datagram   -t SECONDS
 *
 * Prints one line of key=value: datagrams, bytes, and the seconds from the first to the last of them.
 * Datagrams go and come 64 to a system call.
 */
#include "../bench/common.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#define BATCH 64
#define SIZE_MAX_UDP 65507
#define SOCKETS_MAX 1024

static struct mmsghdr batch[BATCH];
static struct iovec pieces[BATCH];
static char payload[SIZE_MAX_UDP + 1];
static uint64_t datagrams, bytes, first, last;
static volatile sig_atomic_t over;

static void end(int sig)
{
	(void)sig;
	over = 1;
}

/* All messages of a batch lie in the same memory: nobody looks at it. */
static void prepare(size_t size)
{
	size_t i;

	for (i = 0; i < BATCH; i++) {
		pieces[i] = (struct iovec){ payload, size };
		batch[i].msg_hdr = (struct msghdr){ .msg_iov = &pieces[i], .msg_iovlen = 1 };
	}
}

static void count(int n)
{
	int i;

	last = now_ns();
	if (!first)
		first = last;
	datagrams += (uint64_t)n;
	for (i = 0; i < n; i++)
		bytes += batch[i].msg_len;
}

static void tell(void)
{
	printf("datagrams=%llu bytes=%llu seconds=%.3f\n", (unsigned long long)datagrams,
	       (unsigned long long)bytes, (double)(last - first) / NSEC);
}

static int open_socket(const struct address *a)
{
	int fd = socket(a->ss.ss_family, SOCK_DGRAM | SOCK_CLOEXEC, 0), size = 8 << 20;

	if (fd < 0)
		die("socket");
	if (setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &size, sizeof(size)) ||
	    setsockopt(fd, SOL_SOCKET, SO_SNDBUFFORCE, &size, sizeof(size)))
		errno = 0; /* without the right: buffers as they are */
	return fd;
}

static void swallow(const struct address *a)
{
	struct pollfd p = { .fd = open_socket(a), .events = POLLIN };
	int n;

	if (bind(p.fd, (const struct sockaddr *)&a->ss, a->len))
		die("bind");
	prepare(sizeof(payload));
	printf("ready\n");
	fflush(stdout);
	while (!over) {
		if (poll(&p, 1, 100) < 1)
			continue;
		n = recvmmsg(p.fd, batch, BATCH, MSG_DONTWAIT, NULL);
		if (n > 0)
			count(n);
	}
}

static void send_all(const struct address *a, int sockets, size_t size, double seconds)
{
	uint64_t until = now_ns() + (uint64_t)(seconds * NSEC);
	int fds[SOCKETS_MAX], i, n;

	for (i = 0; i < sockets; i++) {
		fds[i] = open_socket(a);
		if (connect(fds[i], (const struct sockaddr *)&a->ss, a->len))
			die("connect");
	}
	prepare(size);
	for (i = 0; !over && now_ns() < until; i = (i + 1) % sockets) {
		n = sendmmsg(fds[i], batch, BATCH, 0);
		if (n > 0)
			count(n);
		else if (errno != ECONNREFUSED && errno != ENOBUFS && errno != EINTR)
			die("sendmmsg");
	}
}

int main(int argc, char **argv)
{
	size_t size = 1472;
	double seconds = 1;
	int sockets = 1, opt;
	struct address a;

	while ((opt = getopt(argc, argv, "c:s:t:")) != -1) {
		switch (opt) {
		case 'c': sockets = atoi(optarg); break;
		case 's': size = number_parse(optarg); break;
		case 't': seconds = atof(optarg); break;
		default: return 1;
		}
	}
	errno = 0;
	if (argc - optind != 2 || sockets < 1 || sockets > SOCKETS_MAX || size > SIZE_MAX_UDP)
		die("usage: flood [-c SOCKETS] [-s BYTES] [-t SECONDS] sink|send ADDRESS:PORT");
	signal(SIGTERM, end);
	signal(SIGINT, end);
	a = address_parse(argv[optind + 1]);
	if (!strcmp(argv[optind], "sink"))
		swallow(&a);
	else
		send_all(&a, sockets, size, seconds);
	tell();
	return 0;
}
