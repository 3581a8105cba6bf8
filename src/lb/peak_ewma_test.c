/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * "balance peak-ewma" in a simulated world: requests come by chance, each takes its server the time
 * that the world says, the clock is the simulation's. Beside it roundrobin and leastconn, so that
 * the claims are about more than one's own numbers.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/err.h"
#include "lb/test_world.h"
#include "proxy/latency.h"
#include "proxy/learn.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SERVERS = 4, MOST_RUNNING = 20000, MOST_REQUESTS = 200000 };

/* What the servers do: us of a response, more on server 0; one in so many of server 0 fails. */
struct load {
	unsigned rate;          /* requests a second */
	unsigned seconds;
	unsigned us, more_us;
	unsigned fails;         /* 0: none */
	bool two;               /* server 1 is the one that fails */
	unsigned from_s, to_s;  /* when server 0 is slow or fails; to_s 0: all the time */
};

struct result {
	unsigned share[SERVERS]; /* percent */
	unsigned p50, p99, most; /* us */
	unsigned requests, failed;
	unsigned late_share;     /* of server 0 in the last second, percent */
};

static struct running {
	uint64_t end_us;
	unsigned server, us;
	bool failed;
} running[MOST_RUNNING];
static unsigned times[MOST_REQUESTS];

/* From 0 to 1. */
static double chance(void)
{
	return (double)random() / ((double)RAND_MAX + 1);
}

static int by_size(const void *a, const void *b)
{
	unsigned x = *(const unsigned *)a, y = *(const unsigned *)b;

	return x < y ? -1 : x > y;
}

static void move_clock(uint64_t now_us)
{
	clock_advance(100000 + now_us / 1000 - clock_now_ms);
}

/* The next to end before that moment; -1: none. */
static int next_end(unsigned n, uint64_t before_us)
{
	int i, first = -1;

	for (i = 0; i < (int)n; i++)
		if (running[i].end_us <= before_us &&
		    (first < 0 || running[i].end_us < running[first].end_us))
			first = i;
	return first;
}

static void end_until(unsigned *n, uint64_t before_us)
{
	struct running *r;
	int i;

	while ((i = next_end(*n, before_us)) >= 0) {
		r = &running[i];
		move_clock(r->end_us);
		world_release(r->server);
		if (world_server(r->server)->learns)
			learn_seen(world_server(r->server), observed_status(r->failed ? 503 : 200),
				   r->us);
		*r = running[--*n];
	}
}

static bool is_ill(const struct load *load, uint64_t now_us)
{
	return !load->to_s || (now_us >= load->from_s * UINT64_C(1000000) &&
			       now_us < load->to_s * UINT64_C(1000000));
}

static void begin_request(const struct load *load, struct running *r, uint64_t now_us)
{
	int chosen = world_pick(NULL);
	bool ill;

	assert_true(chosen >= 0);
	ill = is_ill(load, now_us);
	/* From half to one and a half of it. */
	r->us = (unsigned)(load->us * (0.5 + chance())) + (ill && !chosen ? load->more_us : 0);
	r->failed = ill && chosen == load->two && load->fails && random() % load->fails == 0;
	if (r->failed)
		r->us = 100; /* errors are quick */
	r->server = (unsigned)chosen;
	r->end_us = now_us + r->us;
	world_take(r->server);
}

static struct result simulate(const struct load *load)
{
	unsigned n = 0, i, late = 0, late_first = 0;
	struct result res = { .requests = 0 };
	uint64_t now_us = 0, end_us = load->seconds * UINT64_C(1000000);

	srandom(4711);
	while (now_us < end_us && res.requests < MOST_REQUESTS) {
		now_us += (uint64_t)(2 * chance() * 1000000 / load->rate);
		end_until(&n, now_us);
		move_clock(now_us);
		assert_true(n < MOST_RUNNING);
		begin_request(load, &running[n], now_us);
		res.share[running[n].server]++;
		res.failed += running[n].failed;
		times[res.requests++] = running[n].us;
		if (now_us > end_us - 1000000) {
			late++;
			late_first += running[n].server == 0;
		}
		n++;
	}
	end_until(&n, UINT64_MAX);
	for (i = 0; i < SERVERS; i++)
		res.share[i] = (res.share[i] * 1000 / res.requests + 5) / 10;
	qsort(times, res.requests, sizeof(*times), by_size);
	res.p50 = times[res.requests / 2];
	res.p99 = times[(uint64_t)res.requests * 99 / 100];
	res.most = times[res.requests - 1];
	res.late_share = late ? late_first * 100 / late : 0;
	return res;
}

static struct result simulated(const char *balance, const struct load *load)
{
	struct result res;
	char lines[400];

	snprintf(lines, sizeof(lines), " mode http\n balance %s\n server a 127.0.0.1:1\n"
		 " server b 127.0.0.1:1\n server c 127.0.0.1:1\n server d 127.0.0.1:1\n", balance);
	world_begin(lines);
	res = simulate(load);
	world_end();
	print_message("%-12s p50 %5u p99 %6u most %6u us, failed %u.%02u %%, shares %u %u %u %u\n",
		      balance, res.p50, res.p99, res.most, res.failed * 100 / res.requests,
		      res.failed * 10000 / res.requests % 100, res.share[0], res.share[1],
		      res.share[2], res.share[3]);
	return res;
}

/* ---- claims ---------------------------------------------------------------------------- */

static void a_slow_server_is_left_to_the_others(void **state)
{
	static const struct load load = { .rate = 2000, .seconds = 30, .us = 2000,
					  .more_us = 50000 };
	struct result rr = simulated("roundrobin", &load), lc = simulated("leastconn", &load);
	struct result peak = simulated("peak-ewma", &load);

	(void)state;
	assert_true(rr.p99 > 50000 && lc.p99 > 50000);
	assert_true(peak.p99 < 3100);
	assert_in_range(peak.share[0], 0, 1);
}

static void errors_are_not_taken_for_speed(void **state)
{
	static const struct load load = { .rate = 2000, .seconds = 30, .us = 2000, .fails = 5 };
	struct result rr = simulated("roundrobin", &load), lc = simulated("leastconn", &load);
	struct result peak = simulated("peak-ewma", &load);

	(void)state;
	assert_true(rr.failed * 100 > rr.requests * 4 && lc.failed * 100 > lc.requests * 4);
	assert_true(peak.failed * 1000 < peak.requests);
}

/* Half of the servers are ill, each in its way: it is the other half that serves. */
static void two_ill_ones_of_four_are_left_out(void **state)
{
	static const struct load load = { .rate = 1000, .seconds = 30, .us = 2000, .more_us = 50000,
					  .fails = 5, .two = true };
	struct result lc = simulated("leastconn", &load), peak = simulated("peak-ewma", &load);

	(void)state;
	assert_true(lc.p99 > 50000 && lc.failed * 100 > lc.requests * 4);
	assert_true(peak.p99 < 3100);
	assert_true(peak.failed * 1000 < peak.requests);
}

/* Slow for a time, then as the others: it is tried again, and gets its share. */
static void a_server_that_is_well_again_comes_back(void **state)
{
	static const struct load load = { .rate = 1000, .seconds = 60, .us = 2000, .more_us = 50000,
					  .from_s = 5, .to_s = 20 };
	struct result peak = simulated("peak-ewma", &load);

	(void)state;
	assert_in_range(peak.late_share, 10, 40);
	assert_true(peak.p99 < 4000);
}

/* More than three can serve: the slow one is better than waiting. */
static void load_spills_over_to_the_slow_one(void **state)
{
	static const struct load load = { .rate = 20000, .seconds = 5, .us = 20000,
					  .more_us = 20000 };
	struct result peak = simulated("peak-ewma", &load);

	(void)state;
	assert_in_range(peak.share[0], 8, 20);
}

static unsigned shares_of(const char *lines, unsigned us, unsigned server)
{
	static const struct load load = { .rate = 2000, .seconds = 20, .us = 2000 };
	struct load other = load;
	struct result res;

	other.us = us;
	world_begin(lines);
	res = simulate(&other);
	world_end();
	return res.share[server];
}

static void weights_are_honoured(void **state)
{
	static const char lines[] = " balance peak-ewma\n server a 127.0.0.1:1 weight 40\n"
				    " server b 127.0.0.1:1 weight 20\n"
				    " server c 127.0.0.1:1 weight 20\n"
				    " server d 127.0.0.1:1 weight 20\n";

	(void)state;
	/* Four at a time: who has none meanwhile is a little ahead. */
	assert_in_range(shares_of(lines, 2000, 0), 34, 44);
	assert_in_range(shares_of(lines, 200000, 0), 36, 44); /* 400 at a time */
	assert_in_range(shares_of(lines, 200000, 1), 16, 24);
}

static void without_numbers_all_get_some(void **state)
{
	unsigned seen[3] = { 0 }, i;

	(void)state;
	world_begin_many(" balance peak-ewma decay 1s\n", 3, "");
	for (i = 0; i < 600; i++) {
		int chosen = world_pick(NULL);

		assert_in_range(chosen, 0, 2);
		seen[chosen]++;
	}
	for (i = 0; i < 3; i++)
		assert_in_range(seen[i], 140, 260);
	world_end();
}

static void full_and_avoided_ones_are_passed_over(void **state)
{
	unsigned i;

	(void)state;
	world_begin(" balance peak-ewma\n server a 127.0.0.1:1 maxconn 1\n"
		    " server b 127.0.0.1:1 maxconn 1\n server c 127.0.0.1:1 maxconn 1\n");
	for (i = 0; i < 100; i++)
		assert_int_not_equal(world_pick_avoiding(1), 1);
	latency_add(world_server(2), 1000000);
	world_take(0);
	world_take(1);
	assert_int_equal(world_pick(NULL), 2);
	world_take(2);
	assert_int_equal(world_pick(NULL), -2);
	world_release(0);
	assert_int_equal(world_pick_avoiding(0), 0);
	world_end();
	world_begin(" balance peak-ewma\n server a 127.0.0.1:1\n");
	assert_int_equal(world_pick(NULL), 0);
	server_set_admin(world_server(0), ADMIN_FORCED_MAINT, 0);
	assert_int_equal(world_pick(NULL), -1);
	world_end();
}

#define TEST cmocka_unit_test

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_slow_server_is_left_to_the_others),
		TEST(errors_are_not_taken_for_speed),
		TEST(two_ill_ones_of_four_are_left_out),
		TEST(a_server_that_is_well_again_comes_back),
		TEST(load_spills_over_to_the_slow_one),
		TEST(weights_are_honoured),
		TEST(without_numbers_all_get_some),
		TEST(full_and_avoided_ones_are_passed_over),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
