/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * attack: one client that does harm, and another that wants to be served beside it. run-attacks
 * writes what the first one says. One thread.
 *
 *   attack [-C CORE] [-t SECONDS] pour ADDRESS FILE...
 *       One connection after the other, each of which says a file as fast as it is taken, the files
 *       in turn, until the peer closes it or nothing moves for 50 ms. What is heard is thrown away;
 *       with -r none of it is read.
 *   attack [-C CORE] [-t SECONDS] visit ADDRESS BYTES
 *       GET /here of HTTP/1, one request after the other on one connection, each answered with a
 *       body of so many bytes behind its head.
 *
 * visit runs as SCHED_FIFO where it may, so that it is not the client's own core that makes it wait.
 * Each prints one line of key=value.
 */
#include "common.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PIECE = 16384, /* of one call, during which nobody else has the core */
       TIMES_MOST = 4000000, STUCK_MS = 50 };

struct file {
	const char *bytes;
	size_t len;
};

static double seconds = 2;
static bool deaf;
static uint64_t end_ns;

/* ---- who does harm ------------------------------------------------------------------------ */

static struct file file_map(const char *name)
{
	struct file f = { 0 };
	int fd = open(name, O_RDONLY);
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0 || !st.st_size)
		die("%s", name);
	f.len = (size_t)st.st_size;
	f.bytes = mmap(NULL, f.len, PROT_READ, MAP_PRIVATE | MAP_POPULATE, fd, 0);
	if (f.bytes == MAP_FAILED)
		die("%s", name);
	close(fd);
	return f;
}

/* Throws away what is there; bytes, or -1: the connection has ended. */
static ssize_t hear(int fd)
{
	static char dropped[65536];
	ssize_t n, sum = 0;

	while ((n = recv(fd, dropped, sizeof(dropped), MSG_DONTWAIT | MSG_TRUNC)) > 0)
		sum += n;
	return n < 0 && errno == EAGAIN ? sum : -1;
}

/* Says the file on a connection of its own, until the peer ends it or nothing moves any more; bytes
 * that were taken. */
static uint64_t pour_one(const struct address *to, const struct file *f)
{
	int fd = sock_connect(to, false);
	struct pollfd p = { .fd = fd };
	size_t at = 0, piece;
	ssize_t n, heard;

	if (fd < 0)
		die("connect");
	sock_nodelay(fd);
	sock_linger_zero(fd);
	for (;;) {
		piece = f->len - at < PIECE ? f->len - at : PIECE;
		n = piece ? send(fd, f->bytes + at, piece, MSG_DONTWAIT | MSG_NOSIGNAL) : 0;
		if (n < 0 && errno != EAGAIN)
			break;
		at += n > 0 ? (size_t)n : 0;
		heard = deaf ? 0 : hear(fd);
		if (heard < 0 || now_ns() > end_ns)
			break;
		p.events = (short)((at < f->len ? POLLOUT : 0) | (deaf ? 0 : POLLIN));
		if (n <= 0 && !heard && !poll(&p, 1, STUCK_MS))
			break;
	}
	close(fd);
	return at;
}

static void pour(const struct address *to, char **names, int count)
{
	struct file *files = calloc((size_t)count, sizeof(*files));
	uint64_t connections = 0, bytes = 0, began = now_ns();
	int i;

	for (i = 0; files && i < count; i++)
		files[i] = file_map(names[i]);
	while (now_ns() < end_ns)
		bytes += pour_one(to, &files[connections++ % (unsigned)count]);
	printf("connections=%llu bytes=%llu seconds=%.2f\n", (unsigned long long)connections,
	       (unsigned long long)bytes, (double)(now_ns() - began) / 1e9);
	free(files);
}

/* ---- who wants to be served ----------------------------------------------------------------- */

static int by_size(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

static uint64_t visit_one(int fd, uint64_t body)
{
	static const char request[] = "GET /here HTTP/1.1\r\nHost: x\r\n\r\n";
	static char got[65536];
	uint64_t began = now_ns();
	char *head = NULL;
	size_t len = 0;
	ssize_t n;

	if (send(fd, request, sizeof(request) - 1, MSG_NOSIGNAL) < 0)
		die("send");
	while (!head || (size_t)(got + len - head) < 4 + body) {
		n = recv(fd, got + len, sizeof(got) - 1 - len, 0);
		if (n <= 0)
			die("the visitor is left alone");
		len += (size_t)n;
		got[len] = '\0';
		head = strstr(got, "\r\n\r\n");
	}
	if (strncmp(got, "HTTP/1.1 200", 12) != 0)
		die("%.40s", got);
	return now_ns() - began;
}

static void visit(const struct address *to, uint64_t body)
{
	struct sched_param first = { .sched_priority = 1 };
	uint32_t *times = calloc(TIMES_MOST, sizeof(*times));
	uint64_t sum = 0, one;
	size_t n = 0;
	int fd = sock_connect(to, false);

	if (fd < 0 || !times)
		die("connect");
	sock_nodelay(fd);
	if (sched_setscheduler(0, SCHED_FIFO, &first) < 0 && nice(-20) < 0)
		fprintf(stderr, "attack: no priority\n");
	while (now_ns() < end_ns && n < TIMES_MOST) {
		one = visit_one(fd, body);
		sum += one;
		times[n++] = (uint32_t)(one / 10);
	}
	qsort(times, n, sizeof(*times), by_size);
	if (n)
		printf("visits=%zu mean=%.1f p50=%.1f p90=%.1f p99=%.1f p999=%.1f max=%.1f\n", n,
		       (double)sum / (double)n / 1e3, times[n / 2] / 100.0, times[n * 9 / 10] / 100.0,
		       times[n * 99 / 100] / 100.0, times[n * 999 / 1000] / 100.0,
		       times[n - 1] / 100.0);
	free(times);
	close(fd);
}

int main(int argc, char **argv)
{
	struct address to;
	int opt, core = -1;

	while ((opt = getopt(argc, argv, "C:t:r")) != -1) {
		if (opt == 'C')
			core = atoi(optarg);
		else if (opt == 't')
			seconds = atof(optarg);
		else if (opt == 'r')
			deaf = true;
		else
			return 2;
	}
	argv += optind;
	argc -= optind;
	pin_to(core);
	end_ns = now_ns() + (uint64_t)(seconds * 1e9);
	if (argc < 3)
		die("attack [-C CORE] [-t SECONDS] [-r] pour|visit ADDRESS FILE...|BYTES");
	to = address_parse(argv[1]);
	if (!strcmp(argv[0], "pour"))
		pour(&to, argv + 2, argc - 2);
	else
		visit(&to, number_parse(argv[2]));
	return 0;
}
