/* SPDX-License-Identifier: BSD-2-Clause */
/* Queues: order over the server's and the backend's, limits, backups, flushing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/bug.h"
#include "proxy/proxy.h"
#include "queue/queue.h"

#include <string.h>

/* A waiting stream: remembers to which server it went, and takes a slot as one does. */
struct waiter {
	struct queue_entry entry;
	struct server *got;
	bool offered;
	int order;
};

static struct proxy px;
static struct proxy_tally be;
static struct server s[3];
static struct server_state states[3];
static struct server_tally tallies[3];
static struct waiter w[8];
static int served;

static void offered(struct queue_entry *entry, struct server *server)
{
	struct waiter *x = container_of(entry, struct waiter, entry);

	assert_null(entry->proxy);
	x->got = server;
	x->offered = true;
	x->order = ++served;
}

static int setup(void **state)
{
	int i;

	(void)state;
	memset(&px, 0, sizeof(px));
	memset(&be, 0, sizeof(be));
	memset(s, 0, sizeof(s));
	memset(states, 0, sizeof(states));
	memset(tallies, 0, sizeof(tallies));
	memset(w, 0, sizeof(w));
	served = 0;
	px.be = &be;
	px.servers = &s[0];
	px.fullconn = 100;
	list_init(&px.queue);
	for (i = 0; i < 3; i++) {
		s[i].proxy = &px;
		s[i].state = &states[i];
		s[i].tally = &tallies[i];
		s[i].next = i < 2 ? &s[i + 1] : NULL;
		list_init(&s[i].queue);
		states[i].op = SERVER_UP;
		states[i].effective_weight = 1;
		states[i].maxconn = 2;
	}
	for (i = 0; i < 8; i++)
		w[i].entry.offered = offered;
	return 0;
}

static void serves_in_order_of_arrival(void **state)
{
	(void)state;
	queue_join(&w[0].entry, &px, NULL);
	queue_join(&w[1].entry, &px, &s[0]);
	queue_join(&w[2].entry, &px, NULL);
	assert_int_equal(be.total_queued, 3);
	assert_int_equal(be.queued, 2);
	assert_int_equal(tallies[0].queued, 1);
	assert_int_equal(queue_serve(&s[0]), 2);
	assert_int_equal(w[0].order, 1);
	assert_int_equal(w[1].order, 2);
	assert_false(w[2].offered);
	assert_int_equal(be.total_queued, 1);
	assert_int_equal(tallies[0].queued, 0);
	assert_int_equal(queue_serve(&s[0]), 0);
}

static void another_servers_queue_is_left_alone(void **state)
{
	(void)state;
	queue_join(&w[0].entry, &px, &s[0]);
	assert_int_equal(queue_serve(&s[1]), 0);
	assert_int_equal(queue_serve(&s[0]), 1);
	assert_ptr_equal(w[0].got, &s[0]);
}

static void limits_hold(void **state)
{
	int i;

	(void)state;
	for (i = 0; i < 8; i++)
		queue_join(&w[i].entry, &px, NULL);
	tallies[0].current = 1;
	assert_true(server_has_slot(&s[0]));
	assert_int_equal(queue_serve(&s[0]), 1);
	assert_false(server_has_slot(&s[0]));
	states[0].maxconn = 0; /* none */
	assert_int_equal(queue_serve(&s[0]), 7);
}

static void maxqueue(void **state)
{
	(void)state;
	assert_false(server_queue_full(&s[0]));
	s[0].set.maxqueue = 1;
	assert_false(server_queue_full(&s[0]));
	queue_join(&w[0].entry, &px, &s[0]);
	assert_true(server_queue_full(&s[0]));
	queue_leave(&w[0].entry);
	assert_false(server_queue_full(&s[0]));
}

static void positions(void **state)
{
	(void)state;
	queue_join(&w[0].entry, &px, NULL);
	queue_join(&w[1].entry, &px, &s[0]);
	queue_join(&w[2].entry, &px, NULL);
	queue_join(&w[3].entry, &px, NULL);
	queue_leave(&w[0].entry);
	queue_leave(&w[0].entry); /* harmless */
	assert_int_equal(be.queued, 2);
	assert_int_equal(be.counters.queue_max, 3);
	assert_int_equal(tallies[0].counters.queue_max, 1);
}

/* How many were served meanwhile, whether they got their turn or gave up. */
static void turns(void **state)
{
	(void)state;
	states[0].maxconn = 1;
	queue_join(&w[0].entry, &px, NULL);
	queue_join(&w[1].entry, &px, NULL);
	queue_join(&w[2].entry, &px, NULL);
	queue_join(&w[3].entry, &px, &s[0]);
	queue_leave(&w[1].entry);
	assert_int_equal(w[1].entry.turn_backend, 1);
	assert_int_equal(queue_serve(&s[0]), 1);
	assert_int_equal(w[0].entry.turn_backend, 1);
	tallies[0].current = 0;
	assert_int_equal(queue_serve(&s[0]), 1);
	assert_int_equal(w[2].entry.turn_backend, 2);
	assert_int_equal(w[2].entry.turn_server, 0);
	tallies[0].current = 0;
	assert_int_equal(queue_serve(&s[0]), 1);
	assert_int_equal(w[3].entry.turn_server, 1);
	assert_int_equal(w[3].entry.turn_backend, 0);
}

/* A server in drain serves those who must have it, and nobody else. */
static void drain_serves_its_own(void **state)
{
	(void)state;
	states[0].admin = ADMIN_FORCED_DRAIN;
	queue_join(&w[0].entry, &px, NULL);
	queue_join(&w[1].entry, &px, &s[0]);
	assert_int_equal(queue_serve(&s[0]), 1);
	assert_true(w[1].offered);
	assert_false(w[0].offered);
}

static void a_server_down_serves_nobody(void **state)
{
	(void)state;
	states[0].op = SERVER_DOWN;
	queue_join(&w[0].entry, &px, NULL);
	queue_join(&w[1].entry, &px, &s[0]);
	assert_int_equal(queue_serve(&s[0]), 0);
	assert_int_equal(queue_flush(&s[0]), 1);
	assert_true(w[1].offered);
	assert_null(w[1].got);
	assert_int_equal(be.total_queued, 1);
}

static void backups_wait_for_their_turn(void **state)
{
	(void)state;
	s[1].set.options.on = s[2].set.options.on = SRV_BACKUP;
	queue_join(&w[0].entry, &px, NULL);
	assert_int_equal(queue_serve(&s[1]), 0);
	states[0].op = SERVER_DOWN;
	assert_int_equal(queue_serve(&s[2]), 0); /* only the first */
	assert_int_equal(queue_serve(&s[1]), 1);
	px.set.options.on = OPT_ALLBACKUPS;
	queue_join(&w[1].entry, &px, NULL);
	assert_int_equal(queue_serve(&s[2]), 1);
}

/* Those who come back to the same queue while it is flushed are not asked again and again. */
static void rejoins(struct queue_entry *entry, struct server *server)
{
	assert_null(server);
	served++;
	queue_join(entry, &px, &s[0]);
}

static void flush_ends(void **state)
{
	(void)state;
	w[0].entry.offered = w[1].entry.offered = rejoins;
	queue_join(&w[0].entry, &px, &s[0]);
	queue_join(&w[1].entry, &px, &s[0]);
	assert_int_equal(queue_flush(&s[0]), 2);
	assert_int_equal(served, 2);
	assert_int_equal(tallies[0].queued, 2);
}

/* Manual 5.2: between minconn and maxconn with the load of the backend. */
static void dynamic_maxconn(void **state)
{
	(void)state;
	s[0].set.minconn = 10;
	states[0].maxconn = 50;
	assert_int_equal(server_dynamic_maxconn(&s[0]), 10);
	be.current = 20;
	assert_int_equal(server_dynamic_maxconn(&s[0]), 10);
	be.current = 60;
	assert_int_equal(server_dynamic_maxconn(&s[0]), 30);
	be.current = 100;
	assert_int_equal(server_dynamic_maxconn(&s[0]), 50);
	be.current = 1000;
	assert_int_equal(server_dynamic_maxconn(&s[0]), 50);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup(f, setup)
	const struct CMUnitTest tests[] = {
		TEST(serves_in_order_of_arrival), TEST(another_servers_queue_is_left_alone),
		TEST(limits_hold), TEST(maxqueue), TEST(positions), TEST(turns),
		TEST(drain_serves_its_own),
		TEST(a_server_down_serves_nobody), TEST(backups_wait_for_their_turn),
		TEST(flush_ends), TEST(dynamic_maxconn),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
