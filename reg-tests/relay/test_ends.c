/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * relaytest: claims about the ends of connections, and about what they cost while nothing moves.
 */
#include "relaytest.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MAX_CONNS 256

static struct flow flows[2 * MAX_CONNS];
static struct ends ends[MAX_CONNS];

static struct flow endless(int from, int to)
{
	return (struct flow){ .from = from, .to = to, .seed = rnd(&opt.seed), .total = 1ull << 40 };
}

static void close_all(unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		ends_close(&ends[i]);
}

/* Waits until the relay has as few descriptors as it had; false when it keeps some. */
static bool fds_return_to(int before)
{
	uint64_t until = now_ns() + PATIENCE_MS * MSEC;
	int pipes;

	while (proc_fds(opt.relay, &pipes) - pipes > before) {
		if (now_ns() > until)
			return false;
		poll(NULL, 0, 10);
	}
	return true;
}

static int sockets_now(void)
{
	int pipes, all = proc_fds(opt.relay, &pipes);

	return all - pipes;
}

static const char *const quiet_names[] = { "idle", "client has ended", "server has ended",
					   "client does not read", "server does not read",
					   "client has ended and does not read" };
#define QUIET_KINDS (sizeof(quiet_names) / sizeof(*quiet_names))

/* Makes a connection quiet in one of these ways; a flow that is stuck in it, if any, is in *f. */
static void make_quiet(unsigned kind, const struct ends *e, struct flow *f)
{
	*f = (struct flow){ .from = e->client, .to = e->server };
	if (kind == 1 || kind == 5)
		shutdown(e->client, SHUT_WR);
	if (kind == 2)
		shutdown(e->server, SHUT_WR);
	if (kind == 3 || kind == 5)
		*f = endless(e->server, e->client);
	if (kind == 4)
		*f = endless(e->client, e->server);
}

bool test_quiet(void)
{
	unsigned n = opt.count ? opt.count : 24;
	double share;
	bool ok;

	for (unsigned i = 0; i < n; i++) {
		ends[i] = ends_open(0);
		if (!one_exchange(ends[i].client, ends[i].server, 200000) ||
		    !one_exchange(ends[i].server, ends[i].client, 200000))
			return expect(false, "a first exchange");
		make_quiet(i % QUIET_KINDS, &ends[i], &flows[i]);
	}
	flows_block(flows, n);
	share = relay_cpu_share(1000, 0.01);
	ok = expect(share < 0.01, "%u quiet connections: %.2f %% of a core", n, share * 100);
	for (unsigned i = 0; i < n; i++) {
		if (!flows[i].total)
			continue;
		flows[i].total = flows[i].sent;
		if (!flows_run(&flows[i], 1, PATIENCE_MS))
			ok = expect(false, "%s; it reads again: %s", quiet_names[i % QUIET_KINDS],
				    flows_describe(&flows[i], 1));
	}
	close_all(n);
	return ok;
}

/* Nothing of these connections may remain in the relay. */
static bool all_gone(int sockets)
{
	bool ok = true;

	if (opt.relay)
		ok &= expect(fds_return_to(sockets), "the relay's sockets are closed (%d, now %d)",
			     sockets, sockets_now());
	if (!opt.stats)
		return ok;
	ok &= expect(info_becomes("PipesUsed", 0), "no pipe is in use (%ld)",
		     info_value("PipesUsed"));
	/* the question itself may be one */
	ok &= expect(info_value("CurrConns") <= 1, "no connection is left (%ld)",
		     info_value("CurrConns"));
	return ok;
}

/* The client breaks off in the middle of a stuffed transfer. */
bool test_client_rst(void)
{
	unsigned n = opt.count ? opt.count : 40, told = 0;
	int sockets = sockets_now();

	for (unsigned i = 0; i < n; i++) {
		ends[i] = ends_open(i % 2 ? 4096 : 0);
		flows[2 * i] = endless(ends[i].server, ends[i].client);
		flows[2 * i + 1] = endless(i % 3 ? ends[i].server : ends[i].client,
					   i % 3 ? ends[i].client : ends[i].server);
		if (i % 3)
			flows[2 * i + 1].total = 0;
	}
	flows_block(flows, 2 * n);
	for (unsigned i = 0; i < n; i++) {
		sock_linger_zero(ends[i].client);
		close(ends[i].client);
		ends[i].client = -1;
	}
	for (unsigned i = 0; i < n; i++)
		told += wait_end(ends[i].server) >= 0;
	expect(told == n, "%u of %u servers are told", told, n);
	close_all(n);
	return all_gone(sockets) && told == n;
}

/* The relay finds bytes and a RST behind them at once. How many of n clients are told by RST. */
static unsigned bytes_and_rst(unsigned n)
{
	unsigned reset = 0;

	for (unsigned i = 0; i < n; i++) {
		struct ends e = ends_open(0);

		if (!one_exchange(e.server, e.client, i % 2 ? 100000 : 1000))
			return expect(false, "a first exchange");
		relay_freeze(true);
		put_bytes(e.server, "0123456789", i % 11, 0);
		sock_linger_zero(e.server);
		close(e.server);
		e.server = -1;
		relay_freeze(false);
		reset += wait_end(e.client) == ECONNRESET;
		ends_close(&e);
	}
	return reset;
}

/* The server breaks off: at once, after data, and while the client is behind. */
bool test_server_rst(void)
{
	unsigned n = opt.count ? opt.count : 30, reset = 0, ended = 0, told;
	int sockets = sockets_now();

	for (unsigned i = 0; i < n; i++) {
		ends[i] = ends_open(0);
		flows[i] = endless(ends[i].server, ends[i].client);
		if (i % 3 == 0)
			flows[i].total = 0;
		else if (!one_exchange(ends[i].server, ends[i].client, 100000))
			return expect(false, "a first exchange");
	}
	for (unsigned i = 0; i < n; i++)
		if (i % 3 == 2)
			flows_block(&flows[i], 1);
	for (unsigned i = 0; i < n; i++) {
		sock_linger_zero(ends[i].server);
		close(ends[i].server);
		ends[i].server = -1;
	}
	for (unsigned i = 0; i < n; i++) {
		int end = wait_end(ends[i].client);

		reset += end == ECONNRESET;
		ended += end == 0;
	}
	told = reset + ended;
	expect(told == n, "%u of %u clients are told (%u by RST, %u by FIN)",
	       told, n, reset, ended);
	if (opt.n_args && !strcmp(opt.args[0], "rst")) {
		expect(reset == n, "every one of them by RST (%u of %u)", reset, n);
		reset = bytes_and_rst(22);
		expect(reset == 22, "bytes and RST at once: %u of 22 by RST", reset);
	}
	close_all(n);
	return all_gone(sockets) && told == n;
}

/* -n stuffed transfers hold at most WORD pipes; then they go on, whatever WORD is. */
bool test_pipes(void)
{
	unsigned n = opt.count ? opt.count : 20;
	int limit = opt.n_args ? atoi(opt.args[0]) : 0, before, held;
	bool ok;

	proc_fds(opt.relay, &before);
	for (unsigned i = 0; i < n; i++) {
		ends[i] = ends_open(0);
		flows[i] = endless(ends[i].server, ends[i].client);
	}
	flows_block(flows, n);
	proc_fds(opt.relay, &held);
	ok = expect(held <= 2 * limit, "%u stuffed transfers: %d ends of pipes (%d before), %d allowed",
		    n, held, before, 2 * limit);
	for (unsigned i = 0; i < n; i++)
		flows[i].total = flows[i].sent;
	ok &= expect_flows(flows, n, "all of it arrives");
	if (opt.stats)
		ok &= expect(info_becomes("PipesUsed", 0), "no pipe is in use afterwards (%ld)",
			     info_value("PipesUsed"));
	close_all(n);
	return ok;
}

/* The relay is to have a client timeout of a second or so. */
bool test_stall(void)
{
	unsigned n = opt.count ? opt.count : 50, told = 0;
	uint64_t before = proc_status_kb(opt.relay, "VmRSS"), grown;
	int sockets = sockets_now();
	bool ok;

	for (unsigned i = 0; i < n; i++) {
		ends[i] = ends_open(0);
		flows[i] = endless(ends[i].server, ends[i].client);
	}
	flows_block(flows, n);
	grown = proc_status_kb(opt.relay, "VmRSS");
	grown = grown > before ? grown - before : 0;
	ok = expect(grown < 100ull * n, "%u clients that do not read cost %llu kB", n,
		    (unsigned long long)grown);
	for (unsigned i = 0; i < n; i++)
		told += wait_end(ends[i].server) >= 0;
	ok &= expect(told == n, "%u of %u are ended by the timeout", told, n);
	close_all(n);
	return all_gone(sockets) && ok;
}

/* There is no server (nobody binds -b): each client is ended soon, and nothing remains. */
bool test_refused(void)
{
	unsigned n = opt.count ? opt.count : 50, ended = 0;
	int sockets = sockets_now();
	uint64_t began = now_ns();
	int fds[MAX_CONNS];

	for (unsigned i = 0; i < n; i++)
		fds[i] = sock_connect(&opt.front, true);
	for (unsigned i = 0; i < n; i++) {
		ended += wait_end(fds[i]) >= 0;
		close(fds[i]);
	}
	expect(ended == n, "%u of %u clients are ended, in %.0f ms", ended, n,
	       (double)(now_ns() - began) / 1e6);
	return all_gone(sockets) && ended == n;
}

/* One byte of each readable descriptor goes back; returns how many there were. */
static unsigned echo_bytes(const int *fds, unsigned n)
{
	unsigned echoed = 0;
	char byte;

	for (unsigned i = 0; i < n; i++)
		if (recv(fds[i], &byte, 1, 0) == 1)
			echoed += send(fds[i], &byte, 1, MSG_NOSIGNAL) == 1;
	return echoed;
}

/* -n connections at once, more than the relay may be able to have; each is served in the end. */
bool test_hold(void)
{
	unsigned n = opt.count ? opt.count : 50, n_servers = 0, served = 0;
	uint64_t until = now_ns() + 60 * NSEC;
	int clients[MAX_CONNS], servers[MAX_CONNS];
	char byte;

	for (unsigned i = 0; i < n; i++)
		clients[i] = sock_connect(&opt.front, false);
	for (unsigned i = 0; i < n; i++)
		put_bytes(clients[i], "x", 1, 0);
	while (served < n && now_ns() < until) {
		int fd = n_servers < n ? ends_accept(5) : -1;

		if (fd >= 0)
			servers[n_servers++] = fd;
		echo_bytes(servers, n_servers);
		for (unsigned i = 0; i < n; i++)
			served += recv(clients[i], &byte, 1, MSG_DONTWAIT) == 1;
	}
	return expect(served == n, "%u of %u connections were served", served, n);
}
