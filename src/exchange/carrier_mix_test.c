/* SPDX-License-Identifier: BSD-2-Clause */
/* The random mix over carriers that are neither HTTP/1 nor a socket: random configurations, in which
 * fake connections (mix_wire.c) lend many ends at once to streams that ask servers on loopback
 * (mix_origin.c). Each round is a process of its own, so that nothing of one is left for the next,
 * and the leak checker of a build with the sanitizers judges each.
 *
 *     carrier_mix_test [ROUNDS [SEED]]
 *
 * It is a finding when a byte is wrong, missing or somebody else's, when an exchange ends otherwise
 * than its plan and the configuration allow, when nothing moves any more, when objects of pools or
 * descriptors are left, when the process dies. What meets what depends on the machine a little: a
 * round may have to be run more than once. */
#include "exchange/mix.h"

#include "base/bug.h"
#include "base/clock.h"
#include "base/memory.h"
#include "base/pool.h"
#include "event/loop.h"
#include "exchange/exchange.h"
#include "exchange/idle.h"
#include "exchange/test_world.h"
#include "filter/deflater.h"
#include "proxy/stick_conf.h"
#include "relay/buffer.h"
#include "relay/pipe.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { ROUNDS = 12, HANGS_MS = 30000, HANGS_TURNS = 20000, POOLS_MOST = 200, SETTLE_LEAST = 3, SETTLE_MOST = 200, KEPT_MOST = 64 };

/* ---- the configuration ------------------------------------------------------------------------ */

static char config[4000];
static size_t config_len;

static void say(const char *format, ...) __attribute__((format(printf, 1, 2)));
static void say(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	config_len += (size_t)vsnprintf(config + config_len, sizeof(config) - config_len, format, args);
	va_end(args);
}

/* One line of n in so many. */
static void maybe(unsigned in, const char *line)
{
	if (!mix_rnd(in))
		say(" %s\n", line);
}

static const char *one_of(const char *const *of)
{
	unsigned n = 0;

	while (of[n])
		n++;
	return of[mix_rnd(n)];
}

static void say_common(void)
{
	static const char *const conditions[] = { "all-retryable-errors", "conn-failure empty-response", "503",
						  "response-timeout junk-response", NULL };

	say("global\n");
	maybe(3, "tune.bufsize 8192");
	maybe(5, "tune.http.maxhdr 30");
	say("defaults\n mode http\n timeout connect 1h\n timeout client 1h\n timeout server 1h\n"
	    " timeout queue 1h\n");
	say(" retries %u\n", mix_rnd(4));
	if (mix_rnd(2))
		say(" retry-on %s\n", one_of(conditions));
	maybe(4, "option redispatch");
	maybe(6, "option http-server-close");
	maybe(8, "option abortonclose");
	maybe(8, "option http-no-delay");
}

static void say_frontend(void)
{
	say("frontend f\n");
	if (!mix_rnd(3))
		say(" filter compression\n compression algo gzip\n");
	if (!mix_rnd(4)) {
		maybe(1, "filter bwlim-in in default-limit 3m default-period 20ms");
		maybe(1, "filter bwlim-out out default-limit 3m default-period 20ms");
		maybe(2, "http-request set-bandwidth-limit in");
		maybe(2, "http-request set-bandwidth-limit out");
	}
	if (!mix_rnd(4))
		say(" stick-table type string len 8 size 16 store bytes_in_rate(20ms),bytes_out_rate(20ms)\n"
		    " filter bwlim-in shared-in limit 3m key req.hdr(x-id)\n"
		    " filter bwlim-out shared-out limit 3m key req.hdr(x-id)\n"
		    " http-request set-bandwidth-limit shared-in\n"
		    " http-request set-bandwidth-limit shared-out\n");
	maybe(8, "option http-buffer-request");
	maybe(4, "option http-drop-request-trailers");
	maybe(4, "capture request header x-id len 20");
	maybe(4, "http-request set-header X-Long %[req.hdrs,hex]");
	maybe(2, "http-request set-var(txn.id) req.hdr(x-id)");
	maybe(4, "http-request set-src ipv4(9.8.7.6)");
	say(" http-request deny if { path_beg /deny }\n"
	    " http-request return status 200 content-type text/plain string \"own answer\" if { path_beg /return }\n"
	    " http-request redirect location /x if { path_beg /redirect }\n"
	    " http-request wait-for-body time 1h at-least %u if { path_beg /wait }\n", 1 + mix_rnd(5000));
	maybe(2, "http-response set-header X-Var %[var(txn.id)] if { var(txn.id) -m found }");
	maybe(6, "http-response wait-for-body time 1h at-least 100");
	maybe(4, "http-after-response set-header X-After %[status]");
	say(" default_backend b\n");
}

static void say_backend(unsigned port)
{
	static const char *const reuse[] = { "never", "safe", "aggressive", "always", NULL };
	static const char *const balance[] = { "roundrobin", "leastconn", "first", "random", "hdr(x-id)", NULL };
	unsigned i, n = 1 + mix_rnd(3);

	say("backend b\n http-reuse %s\n balance %s\n", one_of(reuse), one_of(balance));
	maybe(4, "cookie S insert indirect nocache");
	mix_round.slow_servers = !mix_rnd(3);
	for (i = 0; i < n; i++) {
		say(" server s%u 127.0.0.1:%u cookie c%u", i, port, i);
		if (mix_round.slow_servers)
			say(" maxconn %u", 1 + mix_rnd(3));
		if (!mix_rnd(4))
			say(" max-reuse %u", mix_rnd(3));
		if (!mix_rnd(4))
			say(" pool-max-conn %u", mix_rnd(3));
		say("\n");
	}
}

/* ---- what is left ----------------------------------------------------------------------------- */

struct used {
	const struct pool *pool;
	uint64_t used;
};
static struct used used[POOLS_MOST];

static uint64_t used_before(const struct pool *pool)
{
	unsigned i;

	for (i = 0; i < POOLS_MOST && used[i].pool; i++)
		if (used[i].pool == pool)
			return used[i].used;
	return 0;
}

static void pools_note(void)
{
	struct pool *pool;
	unsigned i = 0;

	for (pool = pool_first(); pool && i < POOLS_MOST; pool = pool->next)
		used[i++] = (struct used){ pool, pool->used };
}

/* Exchanges are kept for the next ones. */
static void pools_judge(void)
{
	struct pool *pool;

	for (pool = pool_first(); pool; pool = pool->next) {
		uint64_t may = used_before(pool);

		if (!strncmp(pool->name, "exchange", 8) && !(memory_debug.how & MEMORY_APART))
			may += KEPT_MOST;
		if (pool->used > may)
			mix_found("pool '%s' has %llu objects in use, before %llu", pool->name,
				  (unsigned long long)pool->used, (unsigned long long)may);
	}
}

/* What streams followed, or shared a limit by. */
static void tables_judge(void)
{
	const struct stick_line *line = NULL;
	struct stick_entry *e;
	uint32_t at;

	while ((line = stick_line_before(stick_running, line)))
		for (at = 0; (e = stick_next(line->table, &at, UINT32_MAX)); stick_give(line->table, e)) {
			if (stick_uses(e))
				mix_found("an entry of '%s' is used %u times", line->name, stick_uses(e));
		}
}

/* ---- a round ---------------------------------------------------------------------------------- */

static void run(void)
{
	uint64_t moved = 0, since = clock_now_ms, turns = 0;

	while (!wires_done()) {
		wires_turn();
		origin_turn();
		world_turn(0);
		if (mix_moved != moved) {
			since = clock_now_ms;
			turns = 0;
		}
		moved = mix_moved;
		if (++turns > HANGS_TURNS && clock_now_ms - since > HANGS_MS)
			mix_found("nothing moves");
	}
}

static void settle(unsigned sources)
{
	unsigned i;

	wires_close();
	idle_close_all();
	for (i = 0; i < SETTLE_LEAST || (i < SETTLE_MOST && (streams_count || loop_stats.sources > sources)); i++) {
		origin_turn();
		world_turn(0);
	}
	exchanges_trim();
	deflater_trim();
	if (streams_count)
		mix_found("%u streams are left", streams_count);
	if (loop_stats.sources > sources)
		mix_found("%u descriptors are left, before %u", loop_stats.sources, sources);
	if (pipe_stats.used)
		mix_found("%u pipes are left", pipe_stats.used);
	pools_judge();
	tables_judge();
}

static int round_run(uint64_t seed, unsigned most)
{
	unsigned sources;

	mix_round.seed = seed;
	mix_round.config = config;
	mix_round.exchanges = most / 2 + mix_rnd(most / 2);
	mix_round.wires = 1 + mix_rnd(8);
	mix_round.lanes = 1 + mix_rnd(16);
	mix_round.sly_servers = !mix_rnd(4);
	if (mix_rnd(2))
		memory_debug.how |= MEMORY_APART;
	say_common();
	say_frontend();
	say_backend(origin_open());
	world_begin(config);
	buffer_scratch(); /* the process keeps it */
	pools_note();
	sources = loop_stats.sources;
	wires_open(world_frontend("f"));
	run();
	settle(sources);
	printf("%llu: %u exchanges over %u connections of %u ends, %u whole, %u given up, %u broken off, %u requests at servers\n",
	       (unsigned long long)seed, mix_round.exchanges, mix_round.wires, mix_round.lanes, wires_whole,
	       wires_given_up, wires_broken, origin_requests);
	world_end();
	origin_close();
	return 0;
}

/* In a process of its own. */
static bool round_passes(uint64_t seed, unsigned most)
{
	pid_t pid;
	int status;

	fflush(stdout);
	pid = fork();
	if (pid < 0)
		abort();
	if (!pid)
		exit(round_run(seed, most));
	if (waitpid(pid, &status, 0) != pid)
		abort();
	if (!status)
		return true;
	printf("FAILED: carrier_mix_test 1 %llu: status %x\n", (unsigned long long)seed, (unsigned)status);
	return false;
}

int main(int argc, char **argv)
{
	unsigned rounds = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : ROUNDS, failed = 0, i;
	uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 10) : (uint64_t)time(NULL) * 1000;
	bool brief = argc < 2;

	printf("%u rounds, seed %llu\n", rounds, (unsigned long long)seed);
	for (i = 0; i < rounds; i++)
		failed += !round_passes(seed + i, brief ? 120 : 400);
	return failed != 0;
}
