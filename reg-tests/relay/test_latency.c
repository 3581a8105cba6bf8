/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * relaytest: what small exchanges suffer from flags meant for large ones. They are compared with
 * exchanges through a child of ours that does nothing but copy, at the same moment, so that
 * whatever else the machine does delays both; and what is held back for want of more is so each
 * time, so that one good row of them out of several will do.
 */
#include "relaytest.h"

#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST = 60, ROWS = 5 };

/* A connection through the relay, or through the child. */
struct path {
	struct ends ends;
	pid_t child;
	double ms[MOST];
};

/* ---- the child ---- */

static struct ends open_direct(void)
{
	struct address a = { .len = sizeof(a.ss) };
	struct ends e;

	getsockname(opt.listener, (struct sockaddr *)&a.ss, &a.len);
	e.client = sock_connect(&a, true);
	e.server = ends_accept(PATIENCE_MS);
	if (e.client < 0 || e.server < 0)
		die("a connection of our own");
	sock_nodelay(e.client);
	return e;
}

/* Until both sides have ended, or one is gone. */
static void copy(int a, int b)
{
	struct pollfd p[2] = { { .fd = a, .events = POLLIN }, { .fd = b, .events = POLLIN } };
	char buffer[65536];
	int ended = 0;

	fcntl(a, F_SETFL, 0);
	fcntl(b, F_SETFL, 0);
	while (ended < 2 && poll(p, 2, -1) > 0) {
		for (int i = 0; i < 2; i++) {
			ssize_t n = p[i].revents ? read(p[i].fd, buffer, sizeof(buffer)) : 1;

			if (n < 0 || (n == 0 && shutdown(i ? a : b, SHUT_WR)))
				return;
			if (p[i].revents && n && !put_bytes(i ? a : b, buffer, (size_t)n, 0))
				return;
			if (n == 0) {
				p[i].fd = -1;
				ended++;
			}
		}
	}
}

static void path_open(struct path *path, bool child)
{
	struct ends front, back;

	path->child = 0;
	if (!child) {
		path->ends = ends_open(0);
		return;
	}
	front = open_direct();
	back = open_direct();
	path->child = fork();
	if (path->child < 0)
		die("fork");
	if (path->child == 0) {
		close(front.client);
		close(back.server);
		copy(front.server, back.client);
		_exit(0);
	}
	close(front.server);
	close(back.client);
	path->ends = (struct ends){ front.client, back.server };
}

static void path_close(struct path *path)
{
	ends_close(&path->ends);
	if (path->child)
		waitpid(path->child, NULL, 0);
}

/* ---- rows of exchanges ---- */

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Milliseconds from the send of `size` bytes in pieces to the arrival of the last of them. */
static double crossing(int from, int to, size_t size, size_t piece)
{
	uint64_t began = now_ns();
	struct flow f = { .from = from, .to = to, .seed = 3, .total = size, .chunk = piece };

	if (!flows_run(&f, 1, PATIENCE_MS))
		die("an exchange does not end: %s", flows_describe(&f, 1));
	return (double)(now_ns() - began) / 1e6;
}

/* Was the usual one and the worst one of a row about as good as through the child? */
static bool row_good(struct path *relay, struct path *child, unsigned n)
{
	qsort(relay->ms, n, sizeof(double), compare);
	qsort(child->ms, n, sizeof(double), compare);
	return relay->ms[n / 2] < 5 + 4 * child->ms[n / 2] &&
	       relay->ms[n - 1] < 150 + 4 * child->ms[n - 1];
}

static double exchange(const struct ends *e, size_t request, size_t response, size_t piece)
{
	return crossing(e->client, e->server, request, 0) +
	       crossing(e->server, e->client, response, piece);
}

static void latency_of(struct path *relay, struct path *child, size_t request, size_t response)
{
	unsigned row = 0;

	do {
		for (unsigned i = 0; i < MOST; i++) {
			relay->ms[i] = exchange(&relay->ends, request, response, i % 2 ? 0 : 5000);
			child->ms[i] = exchange(&child->ends, request, response, i % 2 ? 0 : 5000);
		}
	} while (!row_good(relay, child, MOST) && ++row < ROWS);
	expect(row < ROWS, "%zu there, %zu back: median %.2f ms, worst %.2f ms (%.2f, %.2f)", request,
	       response, relay->ms[MOST / 2], relay->ms[MOST - 1], child->ms[MOST / 2],
	       child->ms[MOST - 1]);
}

/* How long the data take, and then a FIN that comes by itself: the longer of the two. */
static double late_end(struct path *path, size_t size, bool child)
{
	double arrival, ms;
	uint64_t began;

	path_open(path, child);
	arrival = crossing(path->ends.server, path->ends.client, size, 0);
	began = now_ns();
	shutdown(path->ends.server, SHUT_WR);
	if (wait_end(path->ends.client) != 0)
		die("the end does not come");
	ms = (double)(now_ns() - began) / 1e6;
	path_close(path);
	return ms > arrival ? ms : arrival;
}

static void late_ends(struct path *relay, struct path *child, size_t size)
{
	enum { N = 15 };
	unsigned row = 0;

	do {
		for (unsigned i = 0; i < N; i++) {
			relay->ms[i] = late_end(relay, size, false);
			child->ms[i] = late_end(child, size, true);
		}
	} while (!row_good(relay, child, N) && ++row < ROWS);
	expect(row < ROWS, "%zu bytes, and a late, empty end: median %.2f ms, worst %.2f ms (%.2f, %.2f)",
	       size, relay->ms[N / 2], relay->ms[N - 1], child->ms[N / 2], child->ms[N - 1]);
}

bool test_latency(void)
{
	static const size_t sizes[] = { 1, 100, 1448, 4000, 16384, 20000, 65536, 65537, 200001 };
	static struct path relay, child;

	path_open(&relay, false);
	path_open(&child, true);
	for (unsigned i = 0; !failures && i < sizeof(sizes) / sizeof(*sizes); i++) {
		latency_of(&relay, &child, 1000, sizes[i]);
		latency_of(&relay, &child, sizes[i], 1000);
	}
	path_close(&child);
	path_close(&relay);
	for (unsigned i = 0; !failures && i < sizeof(sizes) / sizeof(*sizes); i++)
		late_ends(&relay, &child, sizes[i]);
	return !failures;
}
