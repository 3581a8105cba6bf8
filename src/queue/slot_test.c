/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Slots of a server that several processes compete for: never more are taken than there are, none
 * is lost (whoever waits for one that is free sleeps for ever here: time stands still), and who
 * came first is served first. The clock is a count of arrivals. An argument is the number of
 * sessions of each process (2000).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/err.h"
#include "config/environment.h"
#include "config/load.h"
#include "event/loop.h"
#include "event/timer.h"
#include "net/bind_conf.h"
#include "proxy/states.h"
#include "proxy/sums.h"
#include "proxy/test_config.h"
#include "queue/queue.h"
#include "queue/waiters.h"
#include "share/segment.h"
#include "tally/tally.h"

#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { WORKERS = 4, CLIENTS = 5, SLOTS = 3, HOLD_TURNS = 3 };
enum { OVERTAKEN_MOST = 100 };
enum { TOO_MANY = 10, OVERTAKEN = 11 }; /* exit codes of workers */

static const char text[] = "defaults\ntimeout client 1s\ntimeout server 1s\ntimeout connect 1s\n"
			   "backend b\n"
			   " server s1 127.0.0.1:18111 maxconn 3\n"
			   "backend m\n"
			   " server s2 127.0.0.1:18112 maxconn 3 maxqueue 2\n";

static const struct module *const list[] = { &environment_module, &bind_module, &proxy_module,
					     &server_module, NULL };
static struct config *cfg;
static struct proxy *b;
static struct server *s1;
static unsigned rows[WORKERS], tries = 2000;

/* What all see of all. */
static struct board {
	_Atomic uint64_t arrivals;
	_Atomic uint32_t held[WORKERS];    /* slots */
	_Atomic uint32_t most;             /* slots held at once */
	struct {
		_Atomic uint64_t ticket;   /* 0: it does not wait */
		_Atomic uint32_t overtaken; /* by how many who came later */
	} client[WORKERS][CLIENTS];
} *board;

struct client {
	struct queue_entry entry;
	enum { IDLE, WAITS, HOLDS } state;
	uint64_t ticket;
	unsigned turns, index;
};

static struct client clients[CLIENTS];
static pid_t pid[WORKERS];
static unsigned self;

static int setup(void **state)
{
	(void)state;
	clock_freeze(1);
	waiters_patience_ms = UINT32_MAX; /* the clocks of the workers jump */
	tally_room.rows = 8;
	cfg = test_config_serve(list, text);
	b = proxy_find(proxies_running, "b", PROXY_BACKEND);
	s1 = b->servers;
	for (unsigned i = 0; i < WORKERS; i++)
		rows[i] = (unsigned)segment_take_row(segment, 1, i + 1);
	board = mmap(NULL, sizeof(*board), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		     0);
	assert_ptr_not_equal(board, MAP_FAILED);
	board->arrivals = 1;
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	for (unsigned i = 0; i < WORKERS; i++)
		if (pid[i] > 0) /* a test has failed */
			kill(pid[i], SIGKILL);
	munmap(board, sizeof(*board));
	segment_free(&proxies_running->segment);
	config_free(&cfg);
	tally_room.rows = 1;
	return 0;
}

/* ---- a worker -------------------------------------------------------------------------- */

static unsigned held_by_all(void)
{
	unsigned i, n = 0;

	for (i = 0; i < WORKERS; i++)
		n += board->held[i];
	return n;
}

/* Everybody who came before and waits has been overtaken. */
static void note_overtaken(const struct client *c)
{
	unsigned i, k;

	for (i = 0; i < WORKERS; i++)
		for (k = 0; k < CLIENTS; k++) {
			uint64_t ticket = board->client[i][k].ticket;

			if (ticket && ticket < c->ticket)
				board->client[i][k].overtaken++;
		}
}

/* Others may see that this process is alive. */
static void heartbeat(void)
{
	segment_row(segment, rows[self])->pulse.turns++;
}

static void got(struct client *c)
{
	unsigned now;

	heartbeat();
	board->held[self]++;
	now = held_by_all();
	if (now > board->most)
		board->most = now;
	if (now > SLOTS)
		_exit(TOO_MANY);
	board->client[self][c->index].ticket = 0;
	/* Each of the others may have been about to take one when this one began to wait; and while
	 * the kernel lets others run instead of this process, which has its slot and has not said
	 * so yet, a dozen may pass. Who is forgotten is overtaken by thousands. */
	if (board->client[self][c->index].overtaken > OVERTAKEN_MOST)
		_exit(OVERTAKEN);
	note_overtaken(c);
	c->state = HOLDS;
	c->turns = HOLD_TURNS;
}

static void offered(struct queue_entry *entry, struct server *server)
{
	(void)server;
	got(container_of(entry, struct client, entry));
}

static void comes(struct client *c)
{
	enum claim claim;

	c->ticket = board->arrivals++;
	board->client[self][c->index].overtaken = 0;
	clock_freeze(c->ticket);
	queue_serve(s1);
	claim = slot_claim(s1);
	if (claim == CLAIM_TAKEN) {
		got(c);
		return;
	}
	c->state = WAITS;
	queue_join(&c->entry, b, claim == CLAIM_FULL && c->index % 2 ? s1 : NULL);
	board->client[self][c->index].ticket = c->ticket;
}

static void goes(struct client *c)
{
	c->state = IDLE;
	board->held[self]--;
	slot_give(s1);
	queue_serve(s1);
}

/* Returns whether there is something to do without being woken. */
static bool client_turn(struct client *c, unsigned *left)
{
	heartbeat();
	if (c->state == HOLDS && !--c->turns)
		goes(c);
	else if (c->state == IDLE && *left) {
		(*left)--;
		comes(c);
	}
	return c->state == HOLDS || (c->state == IDLE && *left);
}

static void work(unsigned worker, unsigned left)
{
	bool busy, waits;
	unsigned i;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	self = worker;
	states_own_row(rows[worker]);
	if (loop_init(16) < 0)
		_exit(2);
	for (i = 0; i < CLIENTS; i++) {
		clients[i].entry.offered = offered;
		clients[i].index = i;
	}
	do {
		busy = waits = false;
		for (i = 0; i < CLIENTS; i++) {
			busy |= client_turn(&clients[i], &left);
			waits |= clients[i].state == WAITS;
		}
		loop_turn(busy || !waits ? 0 : -1);
	} while (busy || waits);
	_exit(0);
}

static void begin(unsigned worker, unsigned left)
{
	pid[worker] = fork();
	assert_true(pid[worker] >= 0);
	if (!pid[worker])
		work(worker, left);
	segment_row(segment, rows[worker])->pid = pid[worker];
}

static void ended(unsigned worker)
{
	pid[worker] = 0;
	board->held[worker] = 0;
	for (unsigned i = 0; i < CLIENTS; i++)
		board->client[worker][i].ticket = 0;
	segment_row(segment, rows[worker])->pid = 0;
	tally_drop_gauges(rows[worker]);
}

static void assert_nothing_left(void)
{
	struct err err = { "" };

	if (!segment_check(segment, &err))
		tally_check(&err);
	assert_string_equal(err.text, "");
	assert_int_equal(server_sessions(s1), 0);
	assert_int_equal(backend_queued(b), 0);
}

/* ---- tests ----------------------------------------------------------------------------- */

static void none_is_lost_and_none_is_passed(void **state)
{
	unsigned i;
	int status;

	(void)state;
	for (i = 0; i < WORKERS; i++)
		begin(i, tries);
	for (i = 0; i < WORKERS; i++) {
		assert_int_equal(waitpid(pid[i], &status, 0), pid[i]);
		assert_int_equal(status, 0);
	}
	assert_int_equal(board->most, SLOTS);
	for (i = 0; i < WORKERS; i++)
		ended(i);
	assert_nothing_left();
}

/* The others go on with what a killed process held and waited for. */
static void the_killed_leave_their_slots(void **state)
{
	unsigned i, n;
	int status;

	(void)state;
	for (i = 0; i < WORKERS; i++)
		begin(i, UINT32_MAX);
	for (n = 0; n < 40; n++) {
		uint64_t from = board->arrivals;

		/* All of those who live come on. */
		while (board->arrivals < from + 200)
			sched_yield();
		i = (unsigned)rand() % WORKERS;
		kill(pid[i], SIGKILL);
		assert_int_equal(waitpid(pid[i], &status, 0), pid[i]);
		assert_true(WIFSIGNALED(status));
		ended(i);
		begin(i, UINT32_MAX);
	}
	for (i = 0; i < WORKERS; i++) {
		kill(pid[i], SIGKILL);
		assert_int_equal(waitpid(pid[i], &status, 0), pid[i]);
		assert_true(WIFSIGNALED(status));
		ended(i);
	}
	assert_nothing_left();
}

static void the_limit_is_that_of_all(void **state)
{
	struct server *s2 = proxy_find(proxies_running, "m", PROXY_BACKEND)->servers;
	unsigned i;

	(void)state;
	for (i = 0; i < SLOTS; i++) {
		states_own_row(rows[i]);
		assert_int_equal(slot_claim(s2), CLAIM_TAKEN);
	}
	assert_int_equal(slot_claim(s2), CLAIM_FULL);
	assert_false(server_queue_full(s2));
	/* Two more wait in two rows: each process has lists of its own, here they are one. */
	for (i = 0; i < 2; i++) {
		states_own_row(rows[i]);
		s2->tally->queued++;
	}
	states_own_row(rows[3]);
	assert_true(server_queue_full(s2));
	states_own_row(0);
}

static struct server *offered_by;

static void note_offer(struct queue_entry *entry, struct server *server)
{
	(void)entry;
	offered_by = server;
}

/* Somebody waits in a process that does not move: others hold back for a while, once. */
static void who_hangs_is_not_waited_for(void **state)
{
	struct queue_entry entry = { .offered = note_offer };

	(void)state;
	waiters_patience_ms = 500;
	clock_freeze(1000);
	states_own_row(rows[0]);
	waiters_show(b, NULL, waiter_key(0, 900));
	states_own_row(rows[1]);
	assert_int_equal(slot_claim(s1), CLAIM_CONTENDED);
	queue_join(&entry, b, NULL);
	queues_look();
	assert_null(offered_by);
	clock_freeze(1499);
	timer_run();
	assert_null(offered_by);
	clock_freeze(1501);
	timer_run();
	assert_ptr_equal(offered_by, s1);
	assert_int_equal(slot_claim(s1), CLAIM_TAKEN);
	/* It was only slow. */
	segment_row(segment, rows[0])->pulse.turns++;
	assert_int_equal(slot_claim(s1), CLAIM_CONTENDED);
	clock_freeze(2100);
	timer_run();
	/* Who has a better priority goes first, however late. */
	waiters_show(b, NULL, waiter_key(-5, 5000));
	states_own_row(rows[0]);
	assert_true(waiters_before(s1, true, waiter_key(0, 900)));
	assert_false(waiters_before(s1, true, waiter_key(-6, 9000)));
	assert_false(waiters_before(s1, false, waiter_key(0, 900)));
	clock_freeze(3000);
	timer_run();
	states_own_row(0);
}

static struct server *moved_to[3];
static struct queue_entry movers[3];

static void note_move(struct queue_entry *entry, struct server *server)
{
	moved_to[entry - movers] = server;
}

static void servers_that_change_move_who_waits(void **state)
{
	(void)state;
	memset(movers, 0, sizeof(movers));
	for (unsigned i = 0; i < 3; i++) {
		movers[i].offered = note_move;
		moved_to[i] = s1;
	}
	queue_follow_servers();
	s1->state->maxconn = 1;
	s1->tally->current = 1;
	queue_join(&movers[0], b, s1);
	queue_join(&movers[1], b, s1);
	server_set_down(s1, NULL);
	assert_null(moved_to[0]);
	assert_null(moved_to[1]);
	assert_int_equal(s1->tally->queued, 0);
	s1->tally->current = 0;
	moved_to[2] = NULL;
	queue_join(&movers[2], b, NULL);
	server_set_up(s1, NULL);
	assert_ptr_equal(moved_to[2], s1);
	/* One more goes when the limit grows, and when it is no longer out of the balance. */
	queue_join(&movers[0], b, NULL);
	server_take_maxconn(s1, 2);
	assert_ptr_equal(moved_to[0], s1);
	server_take_weight(s1, 0);
	moved_to[1] = NULL;
	queue_join(&movers[1], b, NULL);
	server_take_maxconn(s1, 3);
	assert_null(moved_to[1]);
	server_take_weight(s1, 1);
	assert_ptr_equal(moved_to[1], s1);
	memset(&server_hooks, 0, sizeof(server_hooks));
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		TEST(the_limit_is_that_of_all),
		TEST(servers_that_change_move_who_waits),
		TEST(who_hangs_is_not_waited_for),
		TEST(none_is_lost_and_none_is_passed),
		TEST(the_killed_leave_their_slots),
	};

	if (argc > 1)
		tries = (unsigned)atoi(argv[1]);
	alarm(300); /* who sleeps for ever has lost a slot */
	return cmocka_run_group_tests(tests, NULL, NULL);
}
