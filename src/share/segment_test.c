/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The segment: slots by name, rows, growth, attaching by descriptor; and that sums of counters
 * never step back while the processes that count are killed, replaced and folded.
 * An argument is the number of kills (80), for longer runs.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/bug.h"
#include "base/err.h"
#include "share/region.h"
#include "share/segment.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { CELL = 960, WORKERS = 4, SLOTS = 3, COUNTERS = 4 };

static unsigned kills = 80;

static unsigned slot(struct segment *s, enum segment_kind kind, const char *name, bool *found)
{
	int n = segment_slot(s, kind, name, found, NULL);

	assert_true(n >= 0);
	return (unsigned)n;
}

static void assert_sound(const struct segment *s)
{
	struct err err = { "" };

	segment_check(s, &err);
	assert_string_equal(err.text, "");
}

static void slots_are_found_by_kind_and_name(void **state)
{
	struct segment *s = segment_new(1, NULL);
	unsigned fe = slot(s, SLOT_FRONTEND, "web", NULL), be;
	bool found = true;

	(void)state;
	be = slot(s, SLOT_BACKEND, "web", &found);
	assert_false(found);
	assert_int_not_equal(fe, be);
	assert_string_equal(segment_slot_name(s, be), "web");
	assert_int_equal(segment_slot_kind(s, be), SLOT_BACKEND);
	assert_int_equal(segment_slots(s), 2);
	assert_int_equal(segment_rows(s), 1);
	assert_int_equal(segment_fd(s), -1);
	assert_int_equal(segment_wake_fd(s, 0), -1);
	assert_sound(s);
	segment_free(&s);
	assert_null(s);
}

static void equal_names_are_numbered(void **state)
{
	struct segment *s = segment_new(2, NULL), *again;
	unsigned a = slot(s, SLOT_LISTENER, "x", NULL), b = slot(s, SLOT_LISTENER, "x", NULL);
	bool found;

	(void)state;
	assert_int_not_equal(a, b);
	again = segment_attach(dup(segment_fd(s)), NULL);
	assert_non_null(again);
	assert_int_equal(slot(again, SLOT_LISTENER, "x", &found), a);
	assert_true(found);
	assert_int_equal(slot(again, SLOT_LISTENER, "x", &found), b);
	assert_int_not_equal(slot(again, SLOT_LISTENER, "x", &found), b);
	assert_false(found);
	assert_sound(again);
	segment_free(&s);
	segment_free(&again); /* has the same eventfds */
}

static void long_names_are_told_apart(void **state)
{
	struct segment *s = segment_new(1, NULL);
	char a[400], b[400];
	bool found;

	(void)state;
	memset(a, 'n', sizeof(a));
	a[sizeof(a) - 1] = '\0';
	memcpy(b, a, sizeof(b));
	b[398] = 'm';
	assert_int_not_equal(slot(s, SLOT_SERVER, a, NULL), slot(s, SLOT_SERVER, b, &found));
	assert_false(found);
	assert_sound(s);
	segment_free(&s);
}

static void it_grows_and_cells_stay(void **state)
{
	struct segment *s = segment_new(3, NULL);
	char name[32];
	uint64_t *first;
	unsigned i, last = 0;

	(void)state;
	first = segment_cell(s, 2, slot(s, SLOT_SERVER, "first", NULL));
	*first = 7;
	for (i = 0; i < 3 * SEGMENT_SLOTS; i++) {
		snprintf(name, sizeof(name), "server %u", i);
		last = slot(s, SLOT_SERVER, name, NULL);
	}
	assert_int_equal(last, 3 * SEGMENT_SLOTS);
	assert_ptr_equal(first, segment_cell(s, 2, 0));
	assert_int_equal(*first, 7);
	assert_int_equal((uintptr_t)segment_cell(s, 1, last) % 64, 0);
	assert_ptr_equal(segment_sibling(segment_cell(s, 2, last), 2, 1), segment_cell(s, 1, last));
	segment_free(&s);
}

static void unused_slots_are_given_up(void **state)
{
	struct segment *s = segment_new(2, NULL), *next;
	unsigned a = slot(s, SLOT_SERVER, "a", NULL), b = slot(s, SLOT_SERVER, "b", NULL);
	bool found;

	(void)state;
	*(uint64_t *)segment_cell(s, 0, a) = 1;
	*(uint64_t *)segment_cell(s, 0, b) = 2;
	assert_int_equal(segment_release_unused(s), 0);
	next = segment_attach(dup(segment_fd(s)), NULL);
	assert_int_equal(slot(next, SLOT_SERVER, "b", NULL), b);
	assert_int_equal(segment_release_unused(next), 1);
	assert_int_equal(segment_slot_kind(next, a), SLOT_FREE);
	assert_int_equal(*(uint64_t *)segment_cell(next, 0, a), 0);
	assert_int_equal(*(uint64_t *)segment_cell(next, 0, b), 2);
	assert_int_equal(slot(next, SLOT_SERVER, "c", &found), a);
	assert_false(found);
	assert_sound(next);
	segment_free(&s);
	segment_free(&next); /* has the same eventfds */
}

static void another_layout_is_refused(void **state)
{
	struct segment *s = segment_new(2, NULL);
	struct err err = { "" };

	(void)state;
	segment_cells(CELL, 1);
	assert_null(segment_attach(segment_fd(s), &err));
	assert_non_null(strstr(err.text, "of another version"));
	segment_cells(2 * CELL, 0);
	assert_null(segment_attach(segment_fd(s), &err));
	segment_cells(CELL, 0);
	assert_null(segment_attach(segment_wake_fd(s, 1), &err));
	segment_free(&s);
}

/* Its own page says that it is whole; what stands in it does not fit. */
static void one_that_is_damaged_is_refused(void **state)
{
	const unsigned heads[][2] = { { 1, 1 }, { 0, 1 }, { SEGMENT_ROWS_MOST + 1, 1 },
				      { SEGMENT_ROWS_MOST, 1 }, { 2, 2 }, { 2, UINT32_MAX } };
	struct segment *s = segment_new(2, NULL);
	struct err err = { "" };
	unsigned i, good[2];

	(void)state;
	assert_int_equal(pread(segment_fd(s), good, sizeof(good), REGION_PAGE), sizeof(good));
	assert_int_equal(good[0], 2);
	assert_int_equal(good[1], 1); /* rows and extents */
	for (i = 0; i < ARRAY_LEN(heads); i++) {
		assert_int_equal(pwrite(segment_fd(s), heads[i], sizeof(good), REGION_PAGE),
				 sizeof(good));
		assert_null(segment_attach(segment_fd(s), &err));
		assert_string_equal(err.text, "the memory of run-time numbers is damaged");
		assert_true(fcntl(segment_fd(s), F_GETFD) >= 0);
	}
	assert_int_equal(pwrite(segment_fd(s), good, sizeof(good), REGION_PAGE), sizeof(good));
	assert_sound(s);
	segment_free(&s);
}

static void rows_are_taken_and_woken(void **state)
{
	struct segment *s = segment_new(3, NULL);
	uint64_t n = 0;

	(void)state;
	assert_int_equal(segment_take_row(s, 1, 1), 1);
	assert_int_equal(segment_take_row(s, 1, 2), 2);
	assert_int_equal(segment_take_row(s, 1, 3), -1);
	assert_int_equal(segment_rows(s), 3);
	segment_wake(s, 2);
	segment_wake(s, 2);
	assert_int_equal(read(segment_wake_fd(s, 2), &n, sizeof(n)), sizeof(n));
	assert_int_equal(n, 2);
	assert_int_equal(read(segment_wake_fd(s, 1), &n, sizeof(n)), -1);
	segment_free_row(s, 1);
	assert_int_equal(segment_take_row(s, 2, 1), 1);
	assert_int_equal(segment_row(s, 1)->generation, 2);
	segment_free_row(s, 1);
	assert_int_equal(segment_rows(s), 3);
	segment_free_row(s, 2);
	assert_int_equal(segment_rows(s), 1);
	assert_sound(s);
	segment_free(&s);
}

/* A process that was taken over writes what it likes into its own row. */
static void a_row_cannot_say_that_it_is_free(void **state)
{
	struct segment *s = segment_new(4, NULL);

	(void)state;
	assert_int_equal(segment_take_row(s, 1, 1), 1);
	assert_int_equal(segment_take_row(s, 1, 2), 2);
	memset(segment_row(s, 2), 0, sizeof(struct segment_row));
	assert_true(segment_row_is_taken(s, 2));
	assert_int_equal(segment_take_row(s, 1, 3), 3);
	segment_free_row(s, 3);
	assert_int_equal(segment_rows(s), 3);
	segment_free_row(s, 2);
	assert_int_equal(segment_rows(s), 2);
	memset(segment_row(s, 1), 0xff, sizeof(struct segment_row));
	segment_free_row(s, 1);
	assert_int_equal(segment_rows(s), 1);
	assert_sound(s);
	segment_free(&s);
}

static void the_checker_finds_damage(void **state)
{
	struct segment *s = segment_new(3, NULL);
	struct err err;
	unsigned a = slot(s, SLOT_SERVER, "a", NULL);
	uint64_t *cell;

	(void)state;
	segment_take_row(s, 1, 1);
	segment_take_row(s, 1, 2);
	cell = segment_cell(s, 1, a);
	*cell = 1;
	assert_sound(s);
	segment_fold_begin(s);
	assert_int_equal(segment_check(s, &err), -1);
	segment_fold_end(s);
	segment_free_row(s, 1);
	assert_int_equal(segment_check(s, &err), -1);
	assert_non_null(strstr(err.text, "slot 0 (a) of row 1"));
	*cell = 0;
	assert_sound(s);
	*(char *)(uintptr_t)segment_slot_name(s, a) = 'b';
	assert_int_equal(segment_check(s, &err), -1);
	segment_free(&s);
}

/* ---- processes ------------------------------------------------------------------------- */

static uint64_t sum(const struct segment *s, unsigned at, unsigned counter)
{
	uint64_t total, begun;
	unsigned row;

	do {
		total = 0;
		begun = segment_sum_begin(s);
		for (row = 0; row < segment_rows(s); row++)
			total += __atomic_load_n((uint64_t *)segment_cell(s, row, at) + counter,
						 __ATOMIC_RELAXED);
	} while (segment_sum_again(s, begun));
	return total;
}

static void count_for_ever(const struct segment *s, unsigned row)
{
	volatile uint64_t *cell;
	unsigned i = 0;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (;; i++) {
		cell = segment_cell(s, row, i % SLOTS);
		cell[i % COUNTERS]++;
	}
}

/* Until the pipe ends. Its exit status says whether all went well. */
static void read_sums(const struct segment *s, int until)
{
	uint64_t last[SLOTS][COUNTERS] = { { 0 } }, now;
	unsigned i, k;
	char c;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	while (read(until, &c, 1) < 0)
		for (i = 0; i < SLOTS; i++)
			for (k = 0; k < COUNTERS; k++) {
				now = sum(s, i, k);
				if (now < last[i][k])
					_exit(1);
				last[i][k] = now;
			}
	_exit(last[0][0] > 0 ? 0 : 2);
}

static pid_t fork_worker(const struct segment *s, int row)
{
	pid_t pid = fork();

	assert_true(row > 0 && pid >= 0);
	if (!pid)
		count_for_ever(s, (unsigned)row);
	return pid;
}

static void fold(struct segment *s, unsigned row)
{
	unsigned i, k;

	segment_fold_begin(s);
	for (i = 0; i < SLOTS; i++)
		for (k = 0; k < COUNTERS; k++) {
			uint64_t *from = segment_cell(s, row, i), *to = segment_cell(s, 0, i);

			to[k] += from[k];
			from[k] = 0;
		}
	segment_free_row(s, row);
	segment_fold_end(s);
}

static void reap(pid_t pid, int sig)
{
	kill(pid, sig);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
}

/* Lets the others run for a while that depends on their progress, not on the clock. */
static void let_them_count(const struct segment *s, unsigned more)
{
	uint64_t from = sum(s, 0, 0);

	while (sum(s, 0, 0) < from + more)
		;
}

static void sums_never_step_back(void **state)
{
	struct segment *s = segment_new(SEGMENT_ROWS_LEAST, NULL);
	pid_t pid[WORKERS], reader;
	int row[WORKERS], until[2], status;
	unsigned i, n;

	(void)state;
	for (i = 0; i < SLOTS; i++)
		slot(s, SLOT_SERVER, "same", NULL);
	assert_int_equal(pipe2(until, O_NONBLOCK), 0);
	for (i = 0; i < WORKERS; i++) {
		row[i] = segment_take_row(s, 1, i + 1);
		pid[i] = fork_worker(s, row[i]);
	}
	reader = fork();
	if (!reader) {
		close(until[1]);
		read_sums(s, until[0]);
	}
	for (n = 0; n < kills; n++) {
		let_them_count(s, (unsigned)rand() % 50000);
		i = (unsigned)rand() % WORKERS;
		reap(pid[i], SIGKILL);
		if (n % 2) { /* its generation has ended */
			fold(s, (unsigned)row[i]);
			row[i] = segment_take_row(s, n, i + 1);
		}
		pid[i] = fork_worker(s, row[i]);
	}
	for (i = 0; i < WORKERS; i++)
		reap(pid[i], SIGKILL);
	close(until[1]);
	assert_int_equal(waitpid(reader, &status, 0), reader);
	assert_int_equal(status, 0);
	assert_sound(s);
	close(until[0]);
	segment_free(&s);
}

static unsigned fresh(struct segment *s, const char *name, uint32_t serial)
{
	int n = segment_slot_fresh(s, SLOT_SERVER, name, serial, NULL);

	assert_true(n >= 0);
	return (unsigned)n;
}

static void a_fresh_slot_is_found_by_name_and_serial(void **state)
{
	struct segment *s = segment_new(SEGMENT_ROWS_LEAST, NULL);
	unsigned file = slot(s, SLOT_SERVER, "b/s", NULL), first, second;

	(void)state;
	first = fresh(s, "b/s", 1);
	second = fresh(s, "b/s", 2);
	assert_int_not_equal(first, file);
	assert_int_not_equal(second, file);
	assert_int_not_equal(second, first);
	assert_int_equal(segment_slot_find(s, SLOT_SERVER, "b/s", 1), (int)first);
	assert_int_equal(segment_slot_find(s, SLOT_SERVER, "b/s", 2), (int)second);
	assert_int_equal(segment_slot_find(s, SLOT_SERVER, "b/s", 3), -1);
	assert_int_equal(segment_slot_find(s, SLOT_SERVER, "b/t", 1), -1);
	assert_int_equal(segment_slot_find(s, SLOT_BACKEND, "b/s", 1), -1);
	assert_int_equal(segment_slots_taken(s), 3);
	assert_sound(s);
	segment_free(&s);
}

/* What comes behind it may be asked for while a worker that is slow still looks for it. */
static void a_retired_slot_is_found_and_not_given_away(void **state)
{
	struct segment *s = segment_new(SEGMENT_ROWS_LEAST, NULL);
	unsigned first = fresh(s, "b/s", 1), second;

	(void)state;
	segment_retire(s, first);
	assert_int_equal(segment_slot_kind(s, first), SLOT_RETIRED);
	assert_int_equal(segment_slot_find(s, SLOT_SERVER, "b/s", 1), (int)first);
	second = fresh(s, "b/s", 2);
	assert_int_not_equal(second, first);
	assert_int_equal(segment_slots_taken(s), 2);
	assert_sound(s);
	segment_free(&s);
}

/* It has read its files, and what it was started for failed. */
static void an_image_that_failed_hides_no_slot_of_the_one_before(void **state)
{
	struct segment *s = segment_new(SEGMENT_ROWS_LEAST, NULL), *failed;
	unsigned first;

	(void)state;
	failed = segment_attach(dup(segment_fd(s)), NULL);
	first = fresh(s, "b/s", 1);
	assert_int_equal(segment_slot_find(s, SLOT_SERVER, "b/s", 1), (int)first);
	assert_int_equal(segment_slot_find(failed, SLOT_SERVER, "b/s", 1), -1);
	assert_sound(s);
	segment_free(&s);
	segment_free(&failed); /* has the same eventfds */
}

static void each_image_counts_from_one(void **state)
{
	struct segment *s = segment_new(SEGMENT_ROWS_LEAST, NULL), *next;
	unsigned first = fresh(s, "b/s", 1), second;

	(void)state;
	next = segment_attach(dup(segment_fd(s)), NULL);
	assert_int_equal(slot(next, SLOT_SERVER, "b/s", NULL), first);
	segment_retire(next, first);
	second = fresh(next, "b/s", 1);
	assert_int_not_equal(second, first);
	assert_int_equal(segment_slot_find(next, SLOT_SERVER, "b/s", 1), (int)second);
	segment_free(&s);
	segment_free(&next); /* has the same eventfds */
}

static void a_released_slot_is_empty_and_given_first(void **state)
{
	struct segment *s = segment_new(SEGMENT_ROWS_LEAST, NULL);
	int row = segment_take_row(s, 1, 1);
	unsigned first = fresh(s, "b/s", 1), last;
	char *cell = segment_cell(s, (unsigned)row, first);

	(void)state;
	last = fresh(s, "b/t", 2);
	memset(cell, 'x', CELL);
	segment_retire(s, first);
	segment_release(s, first);
	assert_int_equal(segment_slot_kind(s, first), SLOT_FREE);
	assert_int_equal(*cell, 0);
	assert_int_equal(cell[CELL - 1], 0);
	assert_int_equal(segment_slot_find(s, SLOT_SERVER, "b/s", 1), -1);
	assert_int_equal(fresh(s, "b/u", 3), (int)first);
	segment_release(s, first);
	segment_release(s, last);
	assert_int_equal(segment_slots(s), 0);
	assert_int_equal(segment_slots_taken(s), 0);
	assert_sound(s);
	segment_free(&s);
}

static void the_next_image_finds_a_slot_by_its_new_name(void **state)
{
	struct segment *s = segment_new(SEGMENT_ROWS_LEAST, NULL), *next;
	unsigned n = fresh(s, "b/a long name", 1);
	bool found;

	(void)state;
	*(char *)segment_cell(s, 0, n) = 'x';
	segment_rename(s, n, "b/t");
	assert_string_equal(segment_slot_name(s, n), "b/t");
	assert_sound(s);
	next = segment_attach(dup(segment_fd(s)), NULL);
	assert_int_equal(slot(next, SLOT_SERVER, "b/t", &found), n);
	assert_true(found);
	assert_int_equal(*(char *)segment_cell(next, 0, n), 'x');
	slot(next, SLOT_SERVER, "b/a long name", &found);
	assert_false(found);
	segment_free(&s);
	segment_free(&next); /* has the same eventfds */
}

/* As far as workers have mapped beforehand; what goes makes room. */
static void fresh_slots_have_an_end_until_the_next_reload(void **state)
{
	struct segment *s = segment_new(SEGMENT_ROWS_LEAST, NULL);
	struct err err = { "" };
	unsigned n = 0;

	(void)state;
	while (segment_slot_fresh(s, SLOT_SERVER, "b/s", n + 1, &err) >= 0)
		n++;
	assert_true(n >= 64 * SEGMENT_SLOTS);
	assert_non_null(strstr(err.text, "until the next reload"));
	assert_int_equal(segment_slots_taken(s), n);
	segment_release(s, 77);
	assert_int_equal(fresh(s, "b/s", n + 2), 77);
	assert_int_equal(segment_slot_fresh(s, SLOT_SERVER, "b/s", n + 3, &err), -1);
	segment_free(&s);
}

/* In a child: confined to row 2, it writes there. Returns how it ended. */
static int write_confined(struct segment *s, unsigned row, unsigned slot, bool takes_back)
{
	struct err err;
	int status;
	pid_t pid = fork();
	char *cell;

	if (pid == 0) {
		prctl(PR_SET_DUMPABLE, 0);
		signal(SIGSEGV, SIG_DFL);
		if (segment_confine(s, 2, &err) < 0)
			_exit(9);
		cell = segment_cell(s, row, slot);
		if (takes_back)
			_exit(mprotect(cell - (uintptr_t)cell % 4096, 4096, PROT_READ | PROT_WRITE) == 0);
		*cell = 'x';
		_exit(*cell == 'x' ? 0 : 8);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return status;
}

static bool died_of_it(int status)
{
	return WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV;
}

static void a_worker_writes_its_own_row_alone(void **state)
{
	struct err err;
	struct segment *s = segment_new(SEGMENT_ROWS_LEAST, &err);
	unsigned slots[] = { 0, SEGMENT_SLOTS + 1 }; /* in two extents */
	char name[16];

	(void)state;
	assert_non_null(s);
	for (unsigned i = 0; i < SEGMENT_SLOTS + 2; i++) {
		snprintf(name, sizeof(name), "be%u", i);
		assert_int_equal(segment_slot(s, SLOT_BACKEND, name, NULL, &err), (int)i);
	}
	for (unsigned n = 0; n < 2; n++) {
		assert_int_equal(write_confined(s, 2, slots[n], false), 0);
		assert_int_equal(*(char *)segment_cell(s, 2, slots[n]), 'x');
		assert_int_equal(write_confined(s, 0, slots[n], false), 0);
		assert_true(died_of_it(write_confined(s, 1, slots[n], false)));
		assert_true(died_of_it(write_confined(s, 3, slots[n], false)));
		assert_int_equal(*(char *)segment_cell(s, 3, slots[n]), 0);
		/* Nor can it give itself the right again. */
		assert_int_equal(write_confined(s, 3, slots[n], true), 0);
	}
	segment_free(&s);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_worker_writes_its_own_row_alone),
		cmocka_unit_test(slots_are_found_by_kind_and_name),
		cmocka_unit_test(equal_names_are_numbered),
		cmocka_unit_test(long_names_are_told_apart),
		cmocka_unit_test(it_grows_and_cells_stay),
		cmocka_unit_test(unused_slots_are_given_up),
		cmocka_unit_test(a_fresh_slot_is_found_by_name_and_serial),
		cmocka_unit_test(a_retired_slot_is_found_and_not_given_away),
		cmocka_unit_test(an_image_that_failed_hides_no_slot_of_the_one_before),
		cmocka_unit_test(each_image_counts_from_one),
		cmocka_unit_test(a_released_slot_is_empty_and_given_first),
		cmocka_unit_test(the_next_image_finds_a_slot_by_its_new_name),
		cmocka_unit_test(fresh_slots_have_an_end_until_the_next_reload),
		cmocka_unit_test(another_layout_is_refused),
		cmocka_unit_test(one_that_is_damaged_is_refused),
		cmocka_unit_test(rows_are_taken_and_woken),
		cmocka_unit_test(a_row_cannot_say_that_it_is_free),
		cmocka_unit_test(the_checker_finds_damage),
		cmocka_unit_test(sums_never_step_back),
	};

	segment_cells(CELL, 0);
	if (argc > 1)
		kills = (unsigned)atoi(argv[1]);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
