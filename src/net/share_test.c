/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sharing of accepts: the decision by itself; then processes around real listeners in real loops:
 * many connections spread evenly, opened fast or one by one; idle processes are left asleep; one
 * that is stopped is done without; one that is killed takes no connection along. An argument is
 * the number of rounds (1).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/err.h"
#include "net/listener.h"
#include "net/share.h"
#include "share/segment.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { WORKERS = 4, MANY = 1000, TRIES = 10, PATIENCE_S = 30 };

static unsigned rounds = 1; /* of measuring how even it is */

/* ---- the decision ------------------------------------------------------------------------ */

static void recent_accepts_fade(void **state)
{
	uint64_t now = 1000000, recent = 0;
	unsigned i, load, before;

	(void)state;
	for (i = 0; i < 100; i++)
		recent = share_recent_add(recent, now, 1);
	assert_int_equal(share_load(0, recent, now), 100);
	assert_int_equal(share_load(0, recent, now + SHARE_HALF_MS), 50);
	assert_int_equal(share_load(0, recent, now + 2 * SHARE_HALF_MS), 25);
	assert_int_equal(share_load(0, recent, now + 100 * SHARE_HALF_MS), 0);
	/* it never rises by itself, and others' clocks may be behind */
	for (i = 0, before = 100; i < 4 * SHARE_HALF_MS; i++, before = load) {
		load = share_load(0, recent, now + i);
		assert_true(load <= before && load + 2 >= before);
	}
	assert_int_equal(share_load(0, recent, now - 5), 100);
	/* the word holds 32 bits of the clock: its turning over changes nothing */
	now = UINT64_C(0x1ffffffff);
	recent = share_recent_add(0, now, 64);
	assert_int_equal(share_load(0, recent, now + SHARE_HALF_MS), 32);
	assert_int_equal(share_load(3, recent, now), 3 * SHARE_WEIGHT + 64);
	recent = share_recent_add(recent, now, UINT_MAX);
	assert_true(share_load(0, recent, now) > 1000000);
}

static void stands_back_above_a_tenth(void **state)
{
	(void)state;
	assert_false(share_stands_back(SHARE_SLACK, 0, false));
	assert_true(share_stands_back(SHARE_SLACK + 1, 0, false));
	assert_false(share_stands_back(1100, 1000, false));
	assert_true(share_stands_back(1101, 1000, false));
	/* it comes back when half of that is left */
	assert_true(share_stands_back(1051, 1000, true));
	assert_false(share_stands_back(1050, 1000, true));
	assert_false(share_stands_back(0, 1000, true));
	/* nobody else */
	assert_false(share_stands_back(UINT_MAX, UINT_MAX, false));
	assert_false(share_stands_back(5000000, UINT_MAX, true));
}

/* Whatever the loads are, somebody accepts: who has least. */
static void somebody_always_stays(void **state)
{
	unsigned loads[WORKERS], i, k, n, stay;

	(void)state;
	srand(1);
	for (n = 0; n < 20000; n++) {
		for (i = 0; i < WORKERS; i++)
			loads[i] = (unsigned)rand() % (1u << (unsigned)(rand() % 31));
		for (stay = i = 0; i < WORKERS; i++) {
			unsigned least = UINT_MAX;

			for (k = 0; k < WORKERS; k++)
				if (k != i && loads[k] < least)
					least = loads[k];
			stay += !share_stands_back(loads[i], least, n & 1);
		}
		assert_true(stay > 0);
	}
}

/* ---- processes --------------------------------------------------------------------------- */

/* What the workers tell the test. */
static struct report {
	_Atomic unsigned accepted, started, batch; /* most in one turn */
	_Atomic unsigned seen; /* of those accepted, the ones that `batch' has seen */
	_Atomic uint64_t away; /* times that it stood back */
	_Atomic long slept; /* times that it slept: voluntary context switches */
} *reports;

struct client {
	struct source src;
	struct reap reap;
};

static struct bind_conf bind_line;
static struct listener l;
static pid_t pids[WORKERS];
static int fds[MANY];

static void client_free(struct reap *reap)
{
	free(container_of(reap, struct client, reap));
}

enum { HEAVY_MS = 20 };
static struct task heavy;

/* All the processor time there is, in turns that are long. */
static void heavy_run(struct task *task)
{
	uint64_t end = clock_read_us() + HEAVY_MS * 1000;

	while (clock_read_us() < end)
		;
	task_wake(task);
}

/* A client speaks to have its connection ended, or ends it; or makes it a heavy one. */
static void client_ready(struct source *src, uint32_t events)
{
	struct client *c = container_of(src, struct client, src);
	char byte;

	(void)events;
	if (recv(src->fd, &byte, 1, MSG_DONTWAIT) == 1 && byte == 'h') {
		task_init(&heavy, heavy_run);
		task_wake(&heavy);
		return;
	}
	loop_remove(src);
	close(src->fd);
	l.current--;
	share_count(-1);
	loop_reap(&c->reap, client_free);
}

static void accepted(struct listener *listener, int *fd, const struct addr *from)
{
	struct client *c = calloc(1, sizeof(*c));

	(void)listener;
	(void)from;
	c->src.fd = *fd;
	c->src.ready = client_ready;
	*fd = -1;
	if (loop_add(&c->src, EPOLLIN | EPOLLRDHUP) < 0 ||
	    (write(c->src.fd, "x", 1) != 1 && errno != EPIPE && errno != ECONNRESET))
		_exit(3);
	l.current++;
	share_count(1);
	reports[segment_own_row].accepted++;
}

static void worker(unsigned row)
{
	struct rusage usage;
	unsigned before;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	segment_own_row = row;
	segment_own_set(segment_row(segment, row));
	listeners_shared = true;
	if (loop_init(200) < 0 || listener_start(&l) < 0)
		_exit(2);
	reports[row].started = 1;
	for (;;) {
		before = reports[row].accepted;
		loop_turn(-1);
		if (reports[row].accepted - before > reports[row].batch)
			reports[row].batch = reports[row].accepted - before;
		reports[row].seen = reports[row].accepted;
		reports[row].away = share_stats.away;
		getrusage(RUSAGE_SELF, &usage);
		reports[row].slept = usage.ru_nvcsw;
	}
}

static time_t deadline;

/* Between two looks at what workers have done; fails when it has taken too long. */
static void be_patient(const char *what)
{
	const struct timespec moment = { .tv_nsec = 200000 };

	if (time(NULL) > deadline)
		fail_msg("waited for too long: %s", what);
	nanosleep(&moment, NULL);
}

static void begin(void)
{
	deadline = time(NULL) + PATIENCE_S;
}

static unsigned connections_of(unsigned i)
{
	return segment_row(segment, i + 1)->connections;
}

static unsigned all_connections(void)
{
	unsigned i, n = 0;

	for (i = 0; i < WORKERS; i++)
		n += connections_of(i);
	return n;
}

static int start_workers(void **state)
{
	struct err err = { "" };
	struct listen_options opt = { .default_backlog = 4096, .tcp_nodelay = true };
	unsigned i;
	int row;

	(void)state;
	begin();
	memset(reports, 0, (WORKERS + 1) * sizeof(*reports));
	segment = segment_new(WORKERS + 1, &err);
	memset(&bind_line, 0, sizeof(bind_line));
	memset(&l, 0, sizeof(l));
	list_init(&bind_line.listeners);
	bind_line.mode = bind_line.uid = bind_line.gid = -1;
	l.addr = (struct addr){ .family = AF_INET, .v4.s_addr = htonl(INADDR_LOOPBACK) };
	listener_init(&l, &bind_line);
	l.accepted = accepted;
	if (!segment || listener_open(&l, &opt, &err))
		fail_msg("%s", err.text);
	for (i = 0; i < WORKERS; i++) {
		row = segment_take_row(segment, 1, i + 1);
		assert_int_equal(row, i + 1);
		pids[i] = fork();
		if (!pids[i])
			worker((unsigned)row);
		assert_true(pids[i] > 0);
		segment_row(segment, (unsigned)row)->pid = pids[i];
	}
	for (i = 0; i < WORKERS; i++)
		while (!reports[i + 1].started)
			be_patient("start");
	return 0;
}

static void end_worker(unsigned i)
{
	kill(pids[i], SIGKILL);
	waitpid(pids[i], NULL, 0);
	pids[i] = 0;
	segment_row(segment, i + 1)->pid = 0;
}

static int stop_workers(void **state)
{
	unsigned i;

	(void)state;
	for (i = 0; i < WORKERS; i++)
		if (pids[i])
			end_worker(i);
	listener_close(&l);
	segment_free(&segment);
	return 0;
}

static int connect_to(void)
{
	struct sockaddr_storage ss;
	socklen_t len = sizeof(ss);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

	assert_true(fd >= 0);
	assert_int_equal(getsockname(l.src.fd, (struct sockaddr *)&ss, &len), 0);
	if (connect(fd, (struct sockaddr *)&ss, len))
		assert_int_equal(errno, EINPROGRESS);
	return fd;
}

static void open_many(unsigned n)
{
	unsigned i;

	for (i = 0; i < n; i++)
		fds[i] = connect_to();
}

/* So that no port lingers. */
static void close_many(unsigned from, unsigned n)
{
	const struct linger at_once = { .l_onoff = 1 };
	unsigned i;

	for (i = from; i < n; i++) {
		setsockopt(fds[i], SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once));
		close(fds[i]);
	}
}

static void wait_for_connections(unsigned n)
{
	while (all_connections() != n)
		be_patient("connections");
}

static double most_by_least(void)
{
	unsigned i, n, most = 0, least = UINT_MAX;

	for (i = 0; i < WORKERS; i++) {
		n = connections_of(i);
		most = n > most ? n : most;
		least = n < least ? n : least;
	}
	return least ? (double)most / least : 9999;
}

/* On a machine that gives a worker no time at all for tens of milliseconds the others do its work,
 * so one even round of several is asked for. */
static void assert_even(const char *what, void (*open_all)(void))
{
	double ratio, best = 9999, worst = 0;
	unsigned i, bad = 0;

	for (i = 0; i < rounds || (best > 1.2 && i < TRIES); i++) {
		if (i) { /* as fresh as in the first */
			stop_workers(NULL);
			start_workers(NULL);
		}
		begin();
		open_all();
		wait_for_connections(MANY);
		ratio = most_by_least();
		best = ratio < best ? ratio : best;
		worst = ratio > worst ? ratio : worst;
		bad += ratio > 1.2;
		close_many(0, MANY);
		wait_for_connections(0);
	}
	printf("%s: most/least %.3f to %.3f, %u of %u rounds above 1.2\n", what, best, worst, bad,
	       i);
	assert_true(best <= 1.2);
}

static void open_fast(void)
{
	open_many(MANY);
}

static void open_slowly(void)
{
	unsigned i;

	for (i = 0; i < MANY; i++) {
		fds[i] = connect_to();
		while (all_connections() != i + 1)
			be_patient("one more");
	}
}

static void many_at_once_spread(void **state)
{
	(void)state;
	assert_even("opened fast", open_fast);
}

static void one_by_one_spread(void **state)
{
	(void)state;
	assert_even("opened slowly", open_slowly);
}

/* Few connections, too, go to different processes. */
static void few_spread(void **state)
{
	unsigned i, n, most = WORKERS;

	(void)state;
	begin();
	for (n = 0; n < TRIES && most > 1; n++) {
		for (i = 0; i < WORKERS; i++) {
			fds[i] = connect_to();
			while (all_connections() != i + 1)
				be_patient("one more");
		}
		for (most = i = 0; i < WORKERS; i++)
			most = connections_of(i) > most ? connections_of(i) : most;
		close_many(0, WORKERS);
		wait_for_connections(0);
	}
	assert_int_equal(most, 1);
}

static long all_slept(void)
{
	unsigned i;
	long n = 0;

	for (i = 1; i <= WORKERS; i++)
		n += reports[i].slept;
	return n;
}

/* A connection wakes one process; if it woke all, four would get up for each. */
static void the_idle_sleep_on(void **state)
{
	enum { N = 400 };
	unsigned i;
	long before;

	(void)state;
	begin();
	before = all_slept();
	for (i = 0; i < N; i++) {
		fds[i] = connect_to();
		while (all_connections() != i + 1)
			be_patient("one more");
	}
	printf("got up %.2f times a connection\n", (double)(all_slept() - before) / N);
	assert_true(all_slept() - before < 2 * N + N / 2);
	close_many(0, N);
}

static void serve_short_ones(void)
{
	enum { N = 20000, AT_ONCE = 16 };
	unsigned i;
	char byte;

	begin();
	open_many(AT_ONCE);
	for (i = 0; i < N; i++) {
		struct pollfd p = { .fd = fds[i % AT_ONCE], .events = POLLIN };

		if (poll(&p, 1, PATIENCE_S * 1000) != 1 || read(p.fd, &byte, 1) != 1)
			fail_msg("a connection was not served: %s", strerror(errno));
		close_many(i % AT_ONCE, i % AT_ONCE + 1);
		fds[i % AT_ONCE] = connect_to();
	}
	close_many(0, AT_ONCE);
	wait_for_connections(0);
}

/* Short ones: what counts is how many each has taken of late. */
static void short_ones_spread(void **state)
{
	unsigned i, k, n, before[WORKERS] = { 0 };
	double ratio = 9999;

	(void)state;
	for (k = 0; k < TRIES && ratio > 1.3; k++) {
		unsigned most = 0, least = UINT_MAX;

		serve_short_ones();
		for (i = 0; i < WORKERS; i++) {
			n = reports[i + 1].accepted - before[i];
			before[i] += n;
			most = n > most ? n : most;
			least = n < least ? n : least;
		}
		ratio = least ? (double)most / least : 9999;
		printf("short ones: most/least %.3f\n", ratio);
	}
	assert_true(ratio <= 1.3);
}

static uint64_t all_away(void)
{
	uint64_t n = 0;

	for (unsigned i = 0; i < WORKERS; i++)
		n += reports[i + 1].away;
	return n;
}

static void serve_fast(void)
{
	begin();
	open_fast();
	wait_for_connections(MANY);
	close_many(0, MANY);
	wait_for_connections(0);
}

/* tune.listener.multi-queue off: all are served, and nobody leaves one to others. */
static void kept_by_whoever_was_woken(void **state)
{
	(void)state;
	serve_fast();
	assert_true(all_away() > 0);
	stop_workers(NULL);
	share_evenly = false;
	start_workers(NULL);
	serve_fast();
	assert_int_equal(all_away(), 0);
	share_evenly = true;
}

/* One that is stopped has least, and takes nothing: the others do not wait for it. */
static void the_stopped_is_done_without(void **state)
{
	enum { FIRST = 200, N = 800 };
	unsigned i, its;

	(void)state;
	begin();
	open_many(FIRST);
	wait_for_connections(FIRST);
	kill(pids[0], SIGSTOP);
	waitpid(pids[0], NULL, WUNTRACED);
	its = connections_of(0);
	for (i = FIRST; i < N; i++) {
		fds[i] = connect_to();
		while (all_connections() != i + 1)
			be_patient("the others");
	}
	assert_int_equal(connections_of(0), its);
	kill(pids[0], SIGCONT);
	/* back again it gets the next ones */
	for (; connections_of(0) == its && i < MANY; i++) {
		fds[i] = connect_to();
		while (all_connections() != i + 1)
			be_patient("all");
	}
	assert_true(connections_of(0) > its);
	close_many(0, i);
}

/* What waits in the kernel is nobody's. */
static void the_killed_takes_nothing_along(void **state)
{
	enum { N = 40 };
	unsigned i;
	char byte;

	(void)state;
	begin();
	for (i = 0; i < WORKERS; i++) {
		kill(pids[i], SIGSTOP);
		waitpid(pids[i], NULL, WUNTRACED);
	}
	open_many(N);
	end_worker(0);
	for (i = 1; i < WORKERS; i++)
		kill(pids[i], SIGCONT);
	for (i = 0; i < N; i++) {
		struct pollfd p = { .fd = fds[i], .events = POLLIN };

		assert_int_equal(poll(&p, 1, PATIENCE_S * 1000), 1);
		assert_int_equal(read(fds[i], &byte, 1), 1);
	}
	close_many(0, N);
}

/* One has few connections, but they use the processor all the time: the other does not leave it the
 * next ones. Where both had the same right to them they would share them evenly. */
static void the_heavy_gets_no_more(void **state)
{
	enum { N = 200 };
	unsigned i, k, its = 0, others = 0;

	(void)state;
	for (k = 0; k < TRIES && others < 3 * its + 1; k++) {
		if (k) {
			stop_workers(NULL);
			start_workers(NULL);
		}
		begin();
		for (i = 2; i < WORKERS; i++)
			end_worker(i);
		fds[0] = connect_to();
		wait_for_connections(1);
		assert_int_equal(write(fds[0], "h", 1), 1);
		for (i = 1; i < N; i++) {
			fds[i] = connect_to();
			while (all_connections() != i + 1)
				be_patient("one more");
		}
		its = connections_of(0);
		others = connections_of(1);
		if (reports[1].slept > reports[2].slept) { /* the second is the heavy one */
			its = others;
			others = connections_of(0);
		}
		printf("the heavy one has %u, the other %u\n", its, others);
		close_many(0, N);
	}
	assert_true(others >= 3 * its + 1);
}

/* How many at most are taken in a turn of those that wait. */
static unsigned batch_taken(unsigned max_accept)
{
	enum { N = 40 };
	unsigned i, batch;

	listener_max_accept = max_accept;
	start_workers(NULL);
	begin();
	for (i = 0; i < WORKERS; i++) {
		kill(pids[i], SIGSTOP);
		waitpid(pids[i], NULL, WUNTRACED);
	}
	open_many(N);
	for (i = 1; i < WORKERS; i++)
		end_worker(i);
	kill(pids[0], SIGCONT);
	while (reports[1].seen !=
	       N) /* connections are counted before the turn that took them ends */
		be_patient("the end of a turn");
	batch = reports[1].batch;
	close_many(0, N);
	stop_workers(NULL);
	return batch;
}

static void batches_are_bounded(void **state)
{
	unsigned before = listener_max_accept;

	(void)state;
	assert_int_equal(batch_taken(1), 1);
	assert_int_equal(batch_taken(6), 6);
	assert_int_equal(batch_taken(UINT_MAX), 40);
	listener_max_accept = 64;
	listeners_divide_batch(4);
	assert_int_equal(listener_max_accept, 8);
	listener_max_accept = 4;
	listeners_divide_batch(4);
	assert_int_equal(listener_max_accept, 1);
	listener_max_accept = UINT_MAX;
	listeners_divide_batch(4);
	assert_int_equal(listener_max_accept, UINT_MAX);
	listener_max_accept = before;
}

int main(int argc, char **argv)
{
#define FORKED(f) cmocka_unit_test_setup_teardown(f, start_workers, stop_workers)
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(recent_accepts_fade),
		cmocka_unit_test(stands_back_above_a_tenth),
		cmocka_unit_test(somebody_always_stays),
		FORKED(many_at_once_spread),
		FORKED(one_by_one_spread),
		FORKED(few_spread),
		FORKED(the_idle_sleep_on),
		FORKED(short_ones_spread),
		FORKED(kept_by_whoever_was_woken),
		FORKED(the_stopped_is_done_without),
		FORKED(the_killed_takes_nothing_along),
		FORKED(the_heavy_gets_no_more),
		cmocka_unit_test(batches_are_bounded),
	};

	listener_max_accept = 1; /* as of the default, for several */
	if (argc > 1)
		rounds = (unsigned)atoi(argv[1]);
	signal(SIGPIPE, SIG_IGN);
	setvbuf(stdout, NULL, _IOLBF, 0);
	reports = mmap(NULL, (WORKERS + 1) * sizeof(*reports), PROT_READ | PROT_WRITE,
		       MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (reports == MAP_FAILED)
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
