/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What following an entry of a stick table costs: take, hold, count, add to a rate, ask for it, give
 * back, as `track-sc0` and a rule do for each request. By one process, and by two on processors of
 * their own, whose keys are others' or the same one. The difference is what the lines of the entry
 * cost while they go from processor to processor.
 *
 *   make contrib/bench/follow && contrib/bench/follow
 */
#include "base/clock.h"
#include "base/err.h"
#include "stick/memory.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { ROUNDS = 2000000, SERIES = 7, KEYS = 100000 };

static struct stick_table *t;
static struct shared {
	unsigned ready; /* processes that have begun */
	double took;    /* ns a request of the first of them */
} *shared;

static double now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec * 1e9 + (double)ts.tv_nsec;
}

static void follow(uint32_t key)
{
	struct stick_entry *e = stick_take(t, (struct span){ (const char *)&key, sizeof(key) }, NULL);
	uint32_t hold;

	if (!e)
		return;
	hold = stick_hold(t, e, true);
	stick_touch(t, e);
	stick_add(t, e, STICK_http_req_cnt, 0, 1);
	stick_add(t, e, STICK_http_req_rate, 0, 1);
	if (stick_value(t, e, STICK_http_req_rate, 0) == UINT64_MAX)
		abort();
	stick_unhold(t, e, hold, true);
}

/* ns a request; with so many others beside it. */
static double work(unsigned process, unsigned processes, unsigned keys)
{
	uint32_t first = keys > 1 ? process * KEYS : 0, i;
	double began;
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(process, &set);
	sched_setaffinity(0, sizeof(set), &set);
	__atomic_fetch_add(&shared->ready, 1, __ATOMIC_SEQ_CST);
	while (__atomic_load_n(&shared->ready, __ATOMIC_SEQ_CST) < processes)
		;
	began = now_ns();
	for (i = 0; i < ROUNDS; i++)
		follow(first + i % keys);
	return (now_ns() - began) / ROUNDS;
}

static int compare(const void *a, const void *b)
{
	return *(const double *)a < *(const double *)b ? -1 : 1;
}

static void worker(unsigned process, unsigned processes, unsigned keys)
{
	struct err err;
	double took;

	if (stick_memory_confine(process + 1, &err))
		_exit(1);
	took = work(process, processes, keys);
	if (!process)
		shared->took = took;
	_exit(0);
}

static double median(unsigned processes, unsigned keys)
{
	double series[SERIES];
	unsigned i, p;

	for (i = 0; i < SERIES; i++) {
		shared->ready = 0;
		for (p = 0; p < processes; p++)
			if (!fork())
				worker(p, processes, keys);
		while (wait(NULL) > 0)
			;
		for (p = 0; p < processes; p++)
			stick_memory_mend(p + 1);
		series[i] = shared->took;
	}
	qsort(series, SERIES, sizeof(*series), compare);
	return series[SERIES / 2];
}

int main(void)
{
	struct stick_definition def = { .name = "bench", .type = STICK_INTEGER, .key_len = 4,
					.size = 4 * KEYS, .expire_ms = 600000 };
	struct err err;
	bool anew;

	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	def.columns[STICK_http_req_cnt].count = 1;
	def.columns[STICK_conn_cur].count = 1;
	def.columns[STICK_http_req_rate] = (struct stick_column){ .count = 1, .period = 10000 };
	stick_layout(&def);
	clock_update();
	if (shared == MAP_FAILED || stick_memory_begin(true, &err) ||
	    !(t = stick_table_open(&def, &anew, &err))) {
		fprintf(stderr, "%s\n", err.text);
		return 1;
	}
	printf("| keys | one process, ns a request | two, ns a request of each |\n|---|--:|--:|\n");
	printf("| 1, the same | %.0f | %.0f |\n", median(1, 1), median(2, 1));
	printf("| %d each, others | %.0f | %.0f |\n", KEYS, median(1, KEYS), median(2, KEYS));
	return 0;
}
