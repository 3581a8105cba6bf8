/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What admission of a connection reads of other workers: the sums of two gauges (frontend,
 * program), and who waits. For 1 to 64 workers, while nobody writes, and while another processor
 * writes the lines of all others as fast as it can, which is worse than any traffic.
 *
 *   make contrib/bench/sums && contrib/bench/sums
 */
#include "base/err.h"
#include "proxy/proxy.h"
#include "share/segment.h"
#include "tally/tally.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { ROUNDS = 15, MILLI = 40 };

static unsigned *gauges[2]; /* of the own row */

static double now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec * 1e9 + (double)ts.tv_nsec;
}

static unsigned admit(void)
{
	unsigned row, sum, waiters = 0;

	__atomic_fetch_add(gauges[0], 1, __ATOMIC_SEQ_CST);
	__atomic_fetch_add(gauges[1], 1, __ATOMIC_SEQ_CST);
	sum = gauge_sum_rows(gauges[0]) + gauge_sum_rows(gauges[1]);
	__atomic_fetch_sub(gauges[0], 1, __ATOMIC_SEQ_CST);
	__atomic_fetch_sub(gauges[1], 1, __ATOMIC_SEQ_CST);
	for (row = 0; row < segment_rows(segment); row++)
		waiters += atomic_load_explicit(&segment_row(segment, row)->waits_for_room,
						memory_order_relaxed) != 0;
	return sum + waiters;
}

static pid_t writer_start(void)
{
	pid_t pid = fork();
	unsigned row, i;

	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (;;)
		for (row = 2; row < segment_rows(segment); row++)
			for (i = 0; i < 2; i++)
				__atomic_fetch_add((unsigned *)segment_sibling(gauges[i], 1, row), 1,
						   __ATOMIC_RELAXED);
}

/* The best of some rounds, in ns: others may have the processor meanwhile. */
static double measure(void)
{
	double best = 1e18, begin, took;
	volatile unsigned sink = 0;
	unsigned long n;
	int round;

	for (round = 0; round < ROUNDS; round++) {
		begin = now_ns();
		n = 0;
		do {
			for (int i = 0; i < 64; i++)
				sink += admit();
			n += 64;
			took = now_ns() - begin;
		} while (took < MILLI * 1e6);
		if (took / (double)n < best)
			best = took / (double)n;
	}
	return best;
}

int main(void)
{
	static const unsigned workers[] = { 1, 2, 4, 8, 16, 32, 64 };
	unsigned taken = 0, i;
	struct err err;
	double quiet;
	pid_t writer;

	segment = segment_new(SEGMENT_ROWS_LEAST, &err);
	if (!segment) {
		fprintf(stderr, "%s\n", err.text);
		return 1;
	}
	for (i = 0; i < 2; i++) {
		int slot = segment_slot(segment, i ? SLOT_GLOBAL : SLOT_FRONTEND, "x", NULL, &err);

		gauges[i] = segment_cell(segment, 1, (unsigned)slot);
	}
	segment_own_row = 1;
	printf("| workers | ns, nobody writes | ns, all lines are written |\n|--:|--:|--:|\n");
	for (i = 0; i < sizeof(workers) / sizeof(*workers); i++) {
		for (; taken < workers[i]; taken++)
			if (segment_take_row(segment, 1, taken + 1) < 0)
				return 1;
		quiet = measure();
		writer = writer_start();
		printf("| %u | %.0f | %.0f |\n", workers[i], quiet, measure());
		fflush(stdout);
		kill(writer, SIGKILL);
		waitpid(writer, NULL, 0);
	}
	return 0;
}
