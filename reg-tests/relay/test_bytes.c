/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * relaytest: claims about bytes. Nothing is lost, doubled or mixed, whoever is slow and whenever
 * the end comes.
 */
#include "relaytest.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#define MAX_FLOWS 512

static struct flow flows[MAX_FLOWS];
static struct ends ends[MAX_FLOWS];

/* A flow in each direction of connection e, both with FIN behind them. */
static void flow_pair(struct flow *f, const struct ends *e, uint64_t up, uint64_t down)
{
	f[0] = (struct flow){ .from = e->client, .to = e->server, .seed = rnd(&opt.seed),
			      .total = up, .fin = true };
	f[1] = (struct flow){ .from = e->server, .to = e->client, .seed = rnd(&opt.seed),
			      .total = down, .fin = true };
}

static void close_all(unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		ends_close(&ends[i]);
}

/* -n connections at once, each with about -z bytes in both directions. */
bool test_transfer(void)
{
	unsigned n = opt.count ? opt.count : 8;
	uint64_t size = opt.size ? opt.size : 4 << 20;
	bool ok;

	for (unsigned i = 0; i < n; i++) {
		ends[i] = ends_open(0);
		flow_pair(&flows[2 * i], &ends[i], rnd_range(&opt.seed, size / 2, size),
			  rnd_range(&opt.seed, size / 2, size));
	}
	ok = expect_flows(flows, 2 * n, "%u transfers both ways", n);
	close_all(n);
	return ok;
}

/* The server sends all at once and ends; the client, with a small window, reads in drops. */
bool test_slow_reader(void)
{
	unsigned n = opt.count ? opt.count : 64;
	bool ok;

	for (unsigned i = 0; i < n; i++) {
		uint64_t size = rnd_range(&opt.seed, 100000, 400000);

		ends[i] = ends_open((int)rnd_range(&opt.seed, 2048, 16384));
		flows[i] = (struct flow){ .from = ends[i].server, .to = ends[i].client,
					  .seed = rnd(&opt.seed), .total = size, .fin = true,
					  .read_max = (size_t)rnd_range(&opt.seed, 500, 8000),
					  .read_every = rnd_range(&opt.seed, 1, 5) * MSEC };
	}
	ok = expect_flows(flows, n, "%u slow readers get every byte, then the end", n);
	close_all(n);
	return ok;
}

/* Seconds that one large transfer takes; slow ones run beside it when n > 1. */
static double large_beside(unsigned n, uint64_t size)
{
	uint64_t began = now_ns();

	for (unsigned i = 0; i < n; i++) {
		ends[i] = ends_open(i ? 4096 : 0);
		flows[i] = (struct flow){ .from = ends[i].server, .to = ends[i].client,
					  .seed = rnd(&opt.seed), .total = i ? 1 << 30 : size,
					  .read_max = i ? 512 : 0,
					  .read_every = i ? 20 * MSEC : 0 };
	}
	for (unsigned i = 1; i < n; i++)
		flows_run(&flows[i], 1, 0); /* something is under way everywhere */
	while (!flow_complete(&flows[0]) && !flows[0].broken)
		if (flows_run(flows, n, 0) || now_ns() - began > 60 * NSEC)
			break;
	expect(flow_complete(&flows[0]), "large transfer beside %u slow ones: %s", n - 1,
	       flows_describe(flows, 1));
	for (unsigned i = 1; i < n; i++)
		if (flows[i].broken)
			expect(false, "slow transfer: %s", flows_describe(&flows[i], 1));
	close_all(n);
	return (double)(now_ns() - began) / 1e9;
}

/* What else the machine does may hold up one of the two; one that is held back is so each time. */
bool test_mixed_slow(void)
{
	uint64_t size = opt.size ? opt.size : 64 << 20;
	double alone, beside;
	unsigned tries = 0;

	do {
		alone = large_beside(1, size);
		beside = large_beside(opt.count ? opt.count + 1 : 41, size);
	} while (!failures && beside > 8 * alone + 2 && ++tries < 8);
	return expect(tries < 8, "alone %.2f s, beside slow ones %.2f s", alone, beside);
}

/* Many transfers of any small size one after the other, FIN at once behind the last byte. */
bool test_fin(void)
{
	unsigned n = opt.count ? opt.count : 300;

	for (unsigned i = 0; i < n; i++) {
		struct ends e = ends_open(i % 3 ? 0 : 4096);
		uint64_t up = rnd_range(&opt.seed, 0, i % 2 ? 300000 : 5000);
		uint64_t down = rnd_range(&opt.seed, 0, i % 5 ? 300000 : 5000);
		bool ok;

		flow_pair(flows, &e, up, down);
		flows[0].chunk = (size_t)rnd_range(&opt.seed, 100, 65536);
		flows[1].chunk = (size_t)rnd_range(&opt.seed, 100, 65536);
		ok = flows_run(flows, 2, PATIENCE_MS);
		ends_close(&e);
		if (!ok)
			return expect(false, "transfer %u (%llu up, %llu down): %s", i,
				      (unsigned long long)up, (unsigned long long)down,
				      flows_describe(flows, 2));
	}
	return expect(true, "%u transfers with FIN behind the last byte", n);
}

/* Both directions stuffed until nothing moves, with and without FIN in it, then read. */
bool test_drain(void)
{
	unsigned n = opt.count ? opt.count : 16;
	uint64_t began;
	bool ok;

	for (unsigned i = 0; i < n; i++) {
		ends[i] = ends_open(i % 2 ? 4096 : 0);
		flow_pair(&flows[2 * i], &ends[i], opt.size ? opt.size : 12 << 20,
			  i % 4 == 1 ? 1 << 20 : 16 << 20);
		flows[2 * i + 1].fin = i % 4 != 2;
	}
	flows_block(flows, 2 * n);
	began = now_ns();
	ok = expect_flows(flows, 2 * n, "%u stuffed connections drain", n);
	printf("#       in %.0f ms\n", (double)(now_ns() - began) / 1e6);
	close_all(n);
	return ok;
}

/* One end finishes after `before` bytes; the other still has `after` bytes to say. */
static bool half_close_one(bool client_first, uint64_t before, uint64_t after)
{
	struct ends e = ends_open(0);
	int first = client_first ? e.client : e.server;
	int second = client_first ? e.server : e.client;
	struct flow f[2] = {
		{ .from = first, .to = second, .seed = 1, .total = before, .fin = true },
		{ .from = second, .to = first, .seed = 2, .total = after, .fin = true },
	};
	bool ok = flows_run(&f[0], 1, PATIENCE_MS) && flows_run(&f[1], 1, PATIENCE_MS);

	if (!ok)
		expect(false, "%s ends first (%llu bytes), then the other (%llu): %s",
		       client_first ? "client" : "server", (unsigned long long)before,
		       (unsigned long long)after, flows_describe(f, 2));
	ends_close(&e);
	return ok;
}

/* The end of one direction must not wait for the other, nor pull it along. */
bool test_half_close(void)
{
	static const uint64_t sizes[] = { 0, 1, 20000, 3 << 20 };
	unsigned good = 0;

	for (unsigned i = 0; i < 32; i++)
		good += half_close_one(i & 1, sizes[i / 2 % 4], sizes[i / 8]);
	return expect(good == 32, "%u of 32 connections ended one direction after the other", good);
}
