/* SPDX-License-Identifier: BSD-2-Clause */
/* What algorithms promise where no recorded sequence says it: load, order, distribution, ramps,
 * backups, and that large farms cost little. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/err.h"
#include "event/timer.h"
#include "lb/balance.h"
#include "lb/test_world.h"
#include "proxy/proxy.h"
#include "proxy/server_asked.h"
#include "queue/queue.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define SERVER " 127.0.0.1:1 "

static void assert_picks(const char *expected)
{
	for (; *expected; expected++)
		assert_int_equal(world_pick(NULL), *expected - '0');
}

/* Picks and keeps the session. */
static void assert_taken(const char *expected)
{
	for (; *expected; expected++) {
		assert_int_equal(world_pick(NULL), *expected - '0');
		world_take((unsigned)(*expected - '0'));
	}
}

static void set_down(unsigned i)
{
	server_set_admin(world_server(i), ADMIN_FORCED_MAINT, 0);
}

static void set_up(unsigned i)
{
	server_set_admin(world_server(i), 0, ADMIN_FORCED_MAINT);
}

static void set_weight(unsigned i, const char *weight)
{
	struct err err;

	assert_int_equal(server_set_weight(world_server(i), weight, &err), 0);
}

/* -- all algorithms -------------------------------------------------------------------------- */

static const char *const algorithms[] = { "roundrobin", "static-rr", "leastconn", "first",
					  "source", "random", "source\n hash-type consistent" };

static void begin_with(const char *algorithm, const char *servers)
{
	char lines[1000];

	snprintf(lines, sizeof(lines), " balance %s\n%s", algorithm, servers);
	world_begin(lines);
}

/* Down, in drain, of weight 0: never chosen; nothing is left: -1. */
static void only_usable_servers_are_chosen(void **state)
{
	unsigned a, i;

	(void)state;
	for (a = 0; a < ARRAY_LEN(algorithms); a++) {
		begin_with(algorithms[a], " server a" SERVER "\n server b" SERVER "weight 0\n"
			   " server c" SERVER "disabled\n server d" SERVER "\n");
		assert_int_equal(world_backend()->usable, 2);
		server_set_admin(world_server(0), ADMIN_FORCED_DRAIN, 0);
		for (i = 0; i < 50; i++)
			assert_int_equal(world_pick("192.0.2.1"), 3);
		server_set_down(world_server(3), NULL);
		assert_int_equal(world_backend()->usable, 0);
		assert_int_equal(world_pick("192.0.2.1"), -1);
		set_up(2);
		assert_int_equal(world_pick("192.0.2.1"), 2);
		world_end();
	}
}

static void backups_wait_for_the_last_active_one(void **state)
{
	unsigned a;

	(void)state;
	for (a = 0; a < ARRAY_LEN(algorithms); a++) {
		begin_with(algorithms[a], " server a" SERVER "backup\n server b" SERVER "\n"
			   " server c" SERVER "backup\n");
		assert_int_equal(world_backend()->usable, 1);
		assert_int_equal(world_backend()->usable_backup, 2);
		assert_int_equal(world_pick("::1"), 1);
		set_down(1);
		assert_int_equal(world_pick("::1"), 0);
		assert_int_equal(world_pick("::2"), 0);
		set_down(0);
		assert_int_equal(world_pick("::1"), 2);
		set_up(1);
		assert_int_equal(world_pick("::1"), 1);
		world_end();
	}
}

static void allbackups_balances_over_them(void **state)
{
	bool seen[3];
	unsigned a, i;
	int chosen;

	(void)state;
	for (a = 0; a < ARRAY_LEN(algorithms); a++) {
		if (!strcmp(algorithms[a], "first"))
			continue;
		begin_with(algorithms[a], " option allbackups\n server a" SERVER "backup\n"
			   " server b" SERVER "disabled\n server c" SERVER "backup\n");
		memset(seen, 0, sizeof(seen));
		for (i = 0; i < 100; i++) {
			char client[20];

			snprintf(client, sizeof(client), "192.0.2.%u", i);
			chosen = world_pick(client);
			assert_in_range(chosen, 0, 2);
			seen[chosen] = true;
			world_take((unsigned)chosen);
			world_release((unsigned)chosen);
		}
		assert_true(seen[0] && !seen[1] && seen[2]);
		world_end();
	}
}

static void a_server_that_failed_is_avoided(void **state)
{
	static const char *const walking[] = { "roundrobin", "static-rr", "leastconn", "first",
					       "random" };
	unsigned a, i;

	(void)state;
	for (a = 0; a < ARRAY_LEN(walking); a++) {
		begin_with(walking[a], " server a" SERVER "\n server b" SERVER "\n");
		for (i = 0; i < 20; i++)
			assert_int_equal(world_pick_avoiding(0), 1);
		set_down(1);
		assert_int_equal(world_pick_avoiding(0), 0);
		world_end();
	}
}

static void full_servers_are_passed_over(void **state)
{
	static const char *const walking[] = { "roundrobin", "static-rr", "leastconn", "first",
					       "random" };
	unsigned a, i;
	int chosen;

	(void)state;
	for (a = 0; a < ARRAY_LEN(walking); a++) {
		begin_with(walking[a], " server a" SERVER "maxconn 1\n server b" SERVER "maxconn 2\n"
			   " server c" SERVER "maxconn 1\n");
		for (i = 0; i < 4; i++) {
			chosen = world_pick(NULL);
			assert_in_range(chosen, 0, 2);
			world_take((unsigned)chosen);
			assert_in_range(world_server((unsigned)chosen)->tally->current, 1,
					world_server((unsigned)chosen)->state->maxconn);
		}
		assert_int_equal(world_pick(NULL), -2);
		world_release(1);
		assert_int_equal(world_pick(NULL), 1);
		world_end();
	}
}

/* -- leastconn -------------------------------------------------------------------------------- */

static void leastconn_takes_the_least_loaded(void **state)
{
	(void)state;
	world_begin(" balance leastconn\n server a" SERVER "\n server b" SERVER "\n"
		    " server c" SERVER "weight 2\n");
	assert_taken("012");    /* all idle: in turns; then c has half a session */
	assert_taken("2");      /* 1, 1, 1/2 */
	assert_taken("012");    /* all 1 */
	world_release(1);       /* 2, 1, 3/2 */
	assert_taken("12");     /* 2, 2, 2 */
	set_weight(0, "4");     /* 1/2, 2, 2 */
	assert_taken("000000");
	world_end();
}

static void leastconn_counts_those_who_wait(void **state)
{
	struct queue_entry waiting[2] = { { .proxy = NULL } };

	(void)state;
	world_begin(" balance leastconn\n server a" SERVER "\n server b" SERVER "\n");
	queue_join(&waiting[0], world_backend(), world_server(0));
	queue_join(&waiting[1], world_backend(), world_server(0));
	world_take(1);
	assert_picks("1");
	queue_leave(&waiting[0]);
	queue_leave(&waiting[1]);
	assert_picks("0");
	world_end();
}

static void leastconn_lets_some_wait_with_maxqueue(void **state)
{
	struct queue_entry waiting = { .proxy = NULL };

	(void)state;
	world_begin(" balance leastconn\n server a" SERVER "maxconn 1 maxqueue 1\n"
		    " server b" SERVER "maxconn 1\n");
	world_take(0);
	world_take(1);
	assert_picks("0");
	queue_join(&waiting, world_backend(), world_server(0));
	assert_int_equal(world_pick(NULL), -2);
	queue_leave(&waiting);
	world_end();
}

/* -- first ------------------------------------------------------------------------------------ */

static void first_fills_in_order_of_ids(void **state)
{
	(void)state;
	world_begin(" balance first\n server a" SERVER "id 30 maxconn 1 weight 9\n"
		    " server b" SERVER "id 10 maxconn 2\n server c" SERVER "id 20 maxconn 1\n");
	assert_taken("1120");
	assert_int_equal(world_pick(NULL), -2);
	world_release(2);
	world_release(1);
	assert_taken("12");
	set_down(1);
	world_release(0);
	assert_taken("0");
	world_end();
}

/* -- random ----------------------------------------------------------------------------------- */

static void count_picks(unsigned *counts, unsigned n)
{
	while (n--)
		counts[world_pick(NULL)]++;
}

/* 60,000 draws: five standard deviations are below 600. */
static void random_follows_the_weights(void **state)
{
	unsigned counts[3] = { 0 };

	(void)state;
	world_begin(" balance random(1)\n server a" SERVER "weight 1\n server b" SERVER "weight 2\n"
		    " server c" SERVER "weight 3\n");
	count_picks(counts, 60000);
	assert_in_range(counts[0], 9400, 10600);
	assert_in_range(counts[1], 19400, 20600);
	assert_in_range(counts[2], 29400, 30600);
	set_weight(2, "0");
	memset(counts, 0, sizeof(counts));
	count_picks(counts, 60000);
	assert_in_range(counts[0], 19400, 20600);
	assert_int_equal(counts[2], 0);
	world_end();
}

/* The busiest is taken only when all draws hit it: (1/10)^2 of the time. */
static void random_takes_the_least_loaded_of_its_draws(void **state)
{
	unsigned counts[10] = { 0 };

	(void)state;
	world_begin_many(" balance random(2)\n", 10, "");
	world_take(3);
	count_picks(counts, 30000);
	assert_in_range(counts[3], 200, 400);
	world_end();
}

/* -- consistent hashing ----------------------------------------------------------------------- */

#define CONSISTENT " balance source\n hash-type consistent\n"

static void client_name(unsigned i, char *buf, size_t size)
{
	snprintf(buf, size, "10.%u.%u.%u", i >> 16 & 255, i >> 8 & 255, i & 255);
}

enum { CLIENTS = 20000 };

static void pick_all(unsigned char *chosen)
{
	char client[20];
	unsigned i;

	for (i = 0; i < CLIENTS; i++) {
		client_name(i, client, sizeof(client));
		chosen[i] = (unsigned char)world_pick(client);
	}
}

static unsigned count_of(const unsigned char *chosen, unsigned server)
{
	unsigned i, n = 0;

	for (i = 0; i < CLIENTS; i++)
		n += chosen[i] == server;
	return n;
}

/* A server that goes moves its own clients only, and gets the same ones again. */
static void consistent_hash_moves_only_its_own(void **state)
{
	unsigned char before[CLIENTS], after[CLIENTS], again[CLIENTS];
	unsigned i, share;

	(void)state;
	world_begin_many(CONSISTENT, 10, "");
	pick_all(before);
	for (i = 0; i < 10; i++) {
		share = count_of(before, i);
		assert_in_range(share, CLIENTS / 10 * 3 / 4, CLIENTS / 10 * 5 / 4);
	}
	set_down(4);
	pick_all(after);
	for (i = 0; i < CLIENTS; i++)
		if (before[i] != 4)
			assert_int_equal(after[i], before[i]);
	assert_int_equal(count_of(after, 4), 0);
	set_up(4);
	pick_all(again);
	assert_memory_equal(again, before, sizeof(before));
	world_end();
}

/* Each function has a distribution of its own. */
static void consistent_hash_uses_the_function(void **state)
{
	static const char *const functions[] = { "sdbm", "djb2", "wt6", "crc32" };
	static unsigned char chosen[4][CLIENTS];
	unsigned f, i, same, share;
	char lines[100];

	(void)state;
	for (f = 0; f < 4; f++) {
		snprintf(lines, sizeof(lines), " balance source\n hash-type consistent %s\n",
			 functions[f]);
		world_begin_many(lines, 4, "");
		pick_all(chosen[f]);
		for (i = 0; i < 4; i++) {
			share = count_of(chosen[f], i);
			assert_in_range(share, CLIENTS / 4 * 3 / 4, CLIENTS / 4 * 5 / 4);
		}
		for (i = same = 0; f && i < CLIENTS; i++)
			same += chosen[f][i] == chosen[f - 1][i];
		if (f)
			assert_in_range(same, CLIENTS / 5, CLIENTS / 3);
		world_end();
	}
}

/* Half the weight: about half of its clients go to others, no others move. */
static void consistent_hash_follows_weights(void **state)
{
	unsigned char before[CLIENTS], after[CLIENTS];
	unsigned i;

	(void)state;
	world_begin_many(CONSISTENT, 5, "weight 20");
	pick_all(before);
	set_weight(2, "10");
	pick_all(after);
	for (i = 0; i < CLIENTS; i++)
		if (before[i] != 2)
			assert_int_equal(after[i], before[i]);
	assert_in_range(count_of(after, 2), count_of(before, 2) * 4 / 10,
			count_of(before, 2) * 6 / 10);
	world_end();
}

/* The same ids in another order give the same choices. */
static void consistent_hash_depends_on_ids_alone(void **state)
{
	unsigned char one[CLIENTS], other[CLIENTS];
	unsigned i;

	(void)state;
	world_begin(CONSISTENT " server a" SERVER "id 7\n server b" SERVER "id 5\n");
	pick_all(one);
	world_end();
	world_begin(CONSISTENT " server x" SERVER "id 5\n server y" SERVER "id 7\n");
	pick_all(other);
	world_end();
	for (i = 0; i < CLIENTS; i++)
		assert_int_equal(one[i], !other[i]);
}

/* Where each client goes, by the numbers that stand behind the names of the servers. */
static void pick_all_of(const char *servers, const char *names, char *chosen)
{
	unsigned char index[CLIENTS];
	unsigned i;

	world_begin(servers);
	pick_all(index);
	for (i = 0; i < CLIENTS; i++)
		chosen[i] = names[index[i]];
	world_end();
}

/* Two lists of the same servers in another order; with the key they agree, without they do not. */
static void hash_key_lets_differently_ordered_lists_agree(void **state)
{
	static const struct {
		const char *key;
		bool agree;
	} keys[] = { { "id", false }, { "id32", false }, { "addr", true }, { "addr-port", true },
		     { "guid", true } };
	char one[CLIENTS], other[CLIENTS], lines[600];
	unsigned i;

	(void)state;
	for (i = 0; i < ARRAY_LEN(keys); i++) {
		snprintf(lines, sizeof(lines),
			 CONSISTENT " default-server hash-key %s\n"
				    " server a 192.0.2.1:80 guid x\n"
				    " server b 192.0.2.2:81 guid y\n"
				    " server c [2001:db8::1]:80 guid z\n",
			 keys[i].key);
		pick_all_of(lines, "abc", one);
		snprintf(lines, sizeof(lines),
			 CONSISTENT " default-server hash-key %s\n"
				    " server c [2001:db8::1]:80 guid z\n"
				    " server a 192.0.2.1:80 guid x\n"
				    " server b 192.0.2.2:81 guid y\n",
			 keys[i].key);
		pick_all_of(lines, "cab", other);
		assert_int_equal(!memcmp(one, other, CLIENTS), keys[i].agree);
	}
}

/* The port counts with addr-port alone; what has no such key has its id. */
static void hash_key_is_what_it_says(void **state)
{
	char one[CLIENTS], other[CLIENTS];

	(void)state;
	pick_all_of(CONSISTENT " default-server hash-key addr\n server a 192.0.2.1:80\n"
			       " server b 192.0.2.2:80\n", "ab", one);
	pick_all_of(CONSISTENT " default-server hash-key addr\n server a 192.0.2.1:81\n"
			       " server b 192.0.2.2:82\n", "ab", other);
	assert_memory_equal(one, other, CLIENTS);
	pick_all_of(CONSISTENT " default-server hash-key addr-port\n server a 192.0.2.1:81\n"
			       " server b 192.0.2.2:82\n", "ab", other);
	assert_memory_not_equal(one, other, CLIENTS);
	pick_all_of(CONSISTENT " server a 192.0.2.1:80\n server b 192.0.2.2:80\n", "ab", one);
	pick_all_of(CONSISTENT " default-server hash-key guid\n server a 192.0.2.1:80\n"
			       " server b 192.0.2.2:80\n", "ab", other);
	assert_memory_equal(one, other, CLIENTS);
	pick_all_of(CONSISTENT " default-server hash-key addr\n server a /a.sock\n"
			       " server b /b.sock\n", "ab", other);
	assert_memory_equal(one, other, CLIENTS);
	/* 28 bits of the id, or all of it */
	pick_all_of(CONSISTENT " server a" SERVER "id 268435457\n server b" SERVER "id 2\n", "ab",
		    other);
	assert_memory_equal(one, other, CLIENTS);
	pick_all_of(CONSISTENT " server a" SERVER "id 268435457 hash-key id32\n server b" SERVER
			       "id 2\n", "ab", other);
	assert_memory_not_equal(one, other, CLIENTS);
}

/* Its keys follow a server that moves, and nothing else changes. */
static void points_move_with_the_address(void **state)
{
	char before[CLIENTS], after[CLIENTS];
	unsigned char index[CLIENTS];
	unsigned i;

	(void)state;
	pick_all_of(CONSISTENT " default-server hash-key addr\n server a 192.0.2.1:80\n"
			       " server b 192.0.2.2:80\n server c 192.0.2.3:80\n", "abc", before);
	world_begin(CONSISTENT " default-server hash-key addr\n server a 192.0.2.9:80\n"
			       " server b 192.0.2.2:80\n server c 192.0.2.3:80\n");
	world_server(0)->state->addr.v4.s_addr = htonl(0xc0000201);
	server_moved(world_server(0));
	pick_all(index);
	for (i = 0; i < CLIENTS; i++)
		after[i] = "abc"[index[i]];
	assert_memory_equal(before, after, CLIENTS);
	world_end();
}

/* Sessions of one client, until all are full. */
static void affinity_ends_where_it_says(void **state)
{
	static const char *const methods[] = { "consistent", "map-based" };
	char lines[200];
	unsigned m, i, first, last;
	bool seen[4];

	(void)state;
	for (m = 0; m < ARRAY_LEN(methods); m++) {
		snprintf(lines, sizeof(lines), " balance source\n hash-type %s\n"
			 " hash-preserve-affinity maxconn\n", methods[m]);
		world_begin_many(lines, 4, "maxconn 2");
		memset(seen, 0, sizeof(seen));
		first = (unsigned)world_pick("192.0.2.1");
		for (i = 0; i < 8; i++) {
			last = (unsigned)world_pick("192.0.2.1");
			assert_true(i > 1 || last == first);
			assert_in_range(world_server(last)->tally->current, 0, 1);
			seen[last] = true;
			world_take(last);
		}
		assert_true(seen[0] && seen[1] && seen[2] && seen[3]);
		/* All are full: the queue of the one before the first choice. */
		if (m == 1)
			assert_int_equal(world_pick("192.0.2.1"), (first + 3) % 4);
		else
			assert_in_range(world_pick("192.0.2.1"), 0, 3);
		world_release(first);
		assert_int_equal(world_pick("192.0.2.1"), first);
		world_end();
		/* always */
		snprintf(lines, sizeof(lines), " balance source\n hash-type %s\n", methods[m]);
		world_begin_many(lines, 4, "maxconn 2");
		for (i = 0; i < 8; i++)
			world_take((unsigned)world_pick("192.0.2.1"));
		assert_int_equal(world_server((unsigned)world_pick("192.0.2.1"))->tally->current,
				 8);
		world_end();
	}
}

/* A full queue passes on, a server that is full alone does not. */
static void affinity_lasts_until_the_queue_is_full(void **state)
{
	unsigned first;

	(void)state;
	world_begin_many(CONSISTENT " hash-preserve-affinity maxqueue\n", 4,
			 "maxconn 1 maxqueue 1");
	first = (unsigned)world_pick("192.0.2.1");
	world_take(first);
	assert_int_equal(world_pick("192.0.2.1"), first);
	world_server(first)->tally->queued = 1;
	assert_int_not_equal(world_pick("192.0.2.1"), first);
	world_server(first)->tally->queued = 0;
	assert_int_equal(world_pick("192.0.2.1"), first);
	world_end();
	world_begin_many(CONSISTENT " hash-preserve-affinity maxqueue\n", 4, "maxconn 1");
	world_server(first)->tally->queued = 100;
	assert_int_equal(world_pick("192.0.2.1"), first);
	world_end();
}

/* One client only: without a bound all of it goes to one server; with 150 % of the average,
 * 40 sessions on four servers leave at most 15 on each. */
static void bounded_load_passes_keys_on(void **state)
{
	unsigned i;

	(void)state;
	world_begin_many(CONSISTENT " hash-balance-factor 150\n", 4, "");
	for (i = 0; i < 40; i++)
		world_take((unsigned)world_pick("192.0.2.1"));
	for (i = 0; i < 4; i++)
		assert_in_range(world_server(i)->tally->current, 0, 15);
	assert_int_equal(world_backend()->be->served, 40);
	world_end();
	world_begin_many(CONSISTENT, 4, "");
	for (i = 0; i < 40; i++)
		world_take((unsigned)world_pick("192.0.2.1"));
	assert_int_equal(world_server((unsigned)world_pick("192.0.2.1"))->tally->current, 40);
	world_end();
}

/* -- ramps ------------------------------------------------------------------------------------ */

static void advance(unsigned ms)
{
	clock_advance(ms);
	timer_run();
}

static unsigned share_of_first(unsigned n)
{
	unsigned counts[2] = { 0 };

	count_picks(counts, n);
	return counts[0] * 1000 / n;
}

/* A server of weight 1 begins with a sixteenth beside another one and ends with a half. */
static void slowstart_grows_the_share(void **state)
{
	unsigned last;

	(void)state;
	world_begin(" balance roundrobin\n server a" SERVER "slowstart 16s\n server b" SERVER "\n");
	assert_in_range(share_of_first(320), 500, 500);
	set_down(0);
	set_up(0);
	advance(1);
	last = share_of_first(1700);
	assert_in_range(last, 50, 70);
	advance(8000);
	assert_in_range(share_of_first(1700), 300, 360);
	advance(9000);
	assert_in_range(share_of_first(3200), 490, 510);
	world_end();
}

/* -- large farms ------------------------------------------------------------------------------ */

/* CPU time of this process, us: what else the machine does is not in it. */
static uint64_t cpu_us(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	return (uint64_t)ts.tv_sec * 1000000 + (uint64_t)ts.tv_nsec / 1000;
}

/* The time of 40,000 choices among so many servers. */
static uint64_t time_of_choices(const char *algorithm, unsigned servers, bool in_turn)
{
	uint64_t begin, took;
	char lines[100];
	unsigned i;
	int chosen;

	snprintf(lines, sizeof(lines), " balance %s\n", algorithm);
	world_begin_many(lines, servers, "");
	begin = cpu_us();
	for (i = 0; i < 40000; i++) {
		chosen = world_pick(NULL);
		assert_in_range(chosen, 0, servers - 1);
		if (in_turn)
			assert_int_equal(chosen, i % servers);
	}
	took = cpu_us() - begin;
	world_end();
	return took;
}

/* Every server has its turn; the time of a choice does not grow with the farm, as it does when
 * all of them are looked at: 400 times as long. */
static void many_servers_cost_little(void **state)
{
	static const char *const many[] = { "roundrobin", "static-rr", "leastconn", "first",
					    "random", "source\n hash-type consistent" };
	uint64_t few, all;
	unsigned a, tries;

	(void)state;
	for (a = 0; a < ARRAY_LEN(many); a++) {
		tries = 0;
		do {
			few = time_of_choices(many[a], 10, a < 2);
			all = time_of_choices(many[a], 4000, a < 2);
		} while (all > 40 * few && ++tries < 5);
		if (tries == 5)
			fail_msg("%s: %llu us among 10, %llu us among 4000", many[a],
				 (unsigned long long)few, (unsigned long long)all);
	}
}

/* Unequal weights in a large table: each server gets exactly its weight. */
static void table_gives_each_its_weight(void **state)
{
	enum { SERVERS = 300 };
	unsigned counts[SERVERS] = { 0 }, i, total = 0;
	char text[SERVERS * 40], *end = text;

	(void)state;
	end += sprintf(end, " balance static-rr\n");
	for (i = 0; i < SERVERS; i++)
		end += sprintf(end, " server s%u" SERVER "weight %u\n", i, i % 37);
	world_begin(text);
	for (i = 0; i < SERVERS; i++)
		total += i % 37;
	count_picks(counts, total);
	for (i = 0; i < SERVERS; i++)
		assert_int_equal(counts[i], i % 37);
	world_end();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_usable_servers_are_chosen),
		cmocka_unit_test(backups_wait_for_the_last_active_one),
		cmocka_unit_test(allbackups_balances_over_them),
		cmocka_unit_test(a_server_that_failed_is_avoided),
		cmocka_unit_test(full_servers_are_passed_over),
		cmocka_unit_test(leastconn_takes_the_least_loaded),
		cmocka_unit_test(leastconn_counts_those_who_wait),
		cmocka_unit_test(leastconn_lets_some_wait_with_maxqueue),
		cmocka_unit_test(first_fills_in_order_of_ids),
		cmocka_unit_test(random_follows_the_weights),
		cmocka_unit_test(random_takes_the_least_loaded_of_its_draws),
		cmocka_unit_test(consistent_hash_moves_only_its_own),
		cmocka_unit_test(consistent_hash_uses_the_function),
		cmocka_unit_test(consistent_hash_follows_weights),
		cmocka_unit_test(consistent_hash_depends_on_ids_alone),
		cmocka_unit_test(hash_key_lets_differently_ordered_lists_agree),
		cmocka_unit_test(hash_key_is_what_it_says),
		cmocka_unit_test(points_move_with_the_address),
		cmocka_unit_test(affinity_ends_where_it_says),
		cmocka_unit_test(affinity_lasts_until_the_queue_is_full),
		cmocka_unit_test(bounded_load_passes_keys_on),
		cmocka_unit_test(slowstart_grows_the_share),
		cmocka_unit_test(many_servers_cost_little),
		cmocka_unit_test(table_gives_each_its_weight),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
