/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * exchange: what relays of bytes are measured with (contrib/bench/run-kernel).
 *
 *   exchange serve ADDRESS:PORT                       what comes goes back; behind "b" it is dropped
 *   exchange ping ADDRESS:PORT SIZE SECONDS           exchanges of SIZE bytes, one after the other
 *   exchange bulk ADDRESS:PORT STREAMS SECONDS N      as much as passes, in 128 kB, behind N small
 *                                                     exchanges; until the server has all of it
 *
 * Prints one line of NAME=VALUE.
 */
#include "common.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { PIECE = 1 << 17, SAMPLES = 1 << 20, STREAMS_MOST = 64 };

static void send_all(int fd, const char *bytes, size_t len)
{
	ssize_t n;

	for (; len; bytes += n, len -= (size_t)n) {
		n = send(fd, bytes, len, MSG_NOSIGNAL);
		if (n <= 0)
			die("send");
	}
}

/* ---- the server ---------------------------------------------------------------------------- */

static void *serve_one(void *argument)
{
	int fd = (int)(intptr_t)argument;
	char *bytes = malloc(PIECE);
	bool drops = false;
	ssize_t n;

	sock_nodelay(fd);
	while (bytes && (n = recv(fd, bytes, PIECE, 0)) > 0) {
		drops |= bytes[0] == 'b';
		if (!drops && send(fd, bytes, (size_t)n, MSG_NOSIGNAL) != n)
			break;
	}
	free(bytes);
	close(fd);
	return NULL;
}

static void serve(const char *where)
{
	struct address a = address_parse(where);
	int fd = sock_listen(&a), client;
	pthread_t thread;

	fcntl(fd, F_SETFL, 0);
	while ((client = accept(fd, NULL, NULL)) >= 0)
		if (pthread_create(&thread, NULL, serve_one, (void *)(intptr_t)client) == 0)
			pthread_detach(thread);
}

/* ---- clients ------------------------------------------------------------------------------- */

static int open_to(const char *where)
{
	struct address a = address_parse(where);
	int fd = sock_connect(&a, false);

	if (fd < 0)
		die("%s", where);
	sock_nodelay(fd);
	return fd;
}

static void exchange_one(int fd, char *bytes, size_t size)
{
	ssize_t n;
	size_t got;

	send_all(fd, bytes, size);
	for (got = 0; got < size; got += (size_t)n) {
		n = recv(fd, bytes, size - got, 0);
		if (n <= 0)
			die("recv");
	}
}

static int by_size(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

static void ping(const char *where, size_t size, double seconds)
{
	uint32_t *took = calloc(SAMPLES, sizeof(*took));
	char *bytes = calloc(1, size);
	int fd = open_to(where);
	uint64_t begin = now_ns(), end, before, after = begin, count = 0;

	if (!took || !bytes)
		die("memory");
	memset(bytes, 'e', size);
	end = begin + (uint64_t)(seconds * 1e9);
	while (after < end) {
		before = after;
		exchange_one(fd, bytes, size);
		after = now_ns();
		took[count++ % SAMPLES] = (uint32_t)(after - before);
	}
	close(fd);
	seconds = (double)(after - begin) / 1e9;
	qsort(took, count < SAMPLES ? count : SAMPLES, sizeof(*took), by_size);
	if (count > SAMPLES)
		count = SAMPLES;
	printf("rate=%.0f p50=%.1f p99=%.1f\n", (double)count / seconds, took[count / 2] / 1e3,
	       took[count * 99 / 100] / 1e3);
}

static void bulk(const char *where, unsigned streams, double seconds, unsigned greetings)
{
	struct pollfd fds[STREAMS_MOST];
	char *bytes = malloc(PIECE), greeting[1] = { 'e' };
	uint64_t begin, moved = 0;
	ssize_t n;
	unsigned i, j;

	if (!bytes || streams > STREAMS_MOST)
		die("streams");
	memset(bytes, 'b', PIECE);
	for (i = 0; i < streams; i++) {
		fds[i] = (struct pollfd){ .fd = open_to(where), .events = POLLOUT };
		for (j = 0; j < greetings; j++)
			exchange_one(fds[i].fd, greeting, 1);
	}
	begin = now_ns();
	while ((double)(now_ns() - begin) < seconds * 1e9 && poll(fds, streams, 1000) >= 0)
		for (i = 0; i < streams; i++) {
			if (!fds[i].revents)
				continue;
			n = send(fds[i].fd, bytes, PIECE, MSG_NOSIGNAL | MSG_DONTWAIT);
			if (n < 0 && errno != EAGAIN)
				die("send");
			moved += n > 0 ? (uint64_t)n : 0;
		}
	for (i = 0; i < streams; i++)
		shutdown(fds[i].fd, SHUT_WR);
	for (i = 0; i < streams; i++) /* what lies in between does not count as passed */
		if (recv(fds[i].fd, greeting, 1, 0))
			die("recv");
	printf("MBs=%.0f\n", (double)moved / ((double)(now_ns() - begin) / 1e9) / 1e6);
}

int main(int argc, char **argv)
{
	if (argc == 3 && !strcmp(argv[1], "serve"))
		serve(argv[2]);
	else if (argc == 5 && !strcmp(argv[1], "ping") && atoi(argv[3]) > 0)
		ping(argv[2], (size_t)atoi(argv[3]), atof(argv[4]));
	else if (argc == 6 && !strcmp(argv[1], "bulk") && atoi(argv[3]) > 0)
		bulk(argv[2], (unsigned)atoi(argv[3]), atof(argv[4]), (unsigned)atoi(argv[5]));
	else
		return 2;
	return 0;
}
