/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The store of sessions: what is found and what is not any more; several processes that write while
 * others read and some are killed in the middle: nobody ever gets an entry that nobody put there.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/err.h"
#include "share/kept.h"
#include "tls/session_store.h"

#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { NOW = 1000, WRITERS = 3, SMALL = 64, KILLS = 40 };
static const uint64_t of = 77;

/* Ids that differ in all places, as random ones do. */
static void make_id(unsigned row, uint64_t n, unsigned char id[SESSION_ID])
{
	uint64_t x = n * UINT64_C(0x9e3779b97f4a7c15) + row, i;

	for (i = 0; i < SESSION_ID; i += 8) {
		x ^= x >> 29;
		x *= UINT64_C(0xbf58476d1ce4e5b9);
		x ^= x >> 32;
		memcpy(id + i, &x, 8);
	}
	memcpy(id + 24, &n, 8);
	session_store_mark(row, id);
}

/* The content follows from the id: whether it is whole can be seen. */
static size_t make_bytes(const unsigned char *id, unsigned char *bytes)
{
	size_t len = 100 + id[10] * 8u, i;

	for (i = 0; i < len; i++)
		bytes[i] = (unsigned char)(id[i % SESSION_ID] + i / SESSION_ID);
	return len;
}

static bool put(struct session_store *s, unsigned row, uint64_t n)
{
	unsigned char id[SESSION_ID], bytes[SESSION_MOST];

	make_id(row, n, id);
	return session_store_put(s, row, id, bytes, make_bytes(id, bytes), NOW);
}

/* 1: found; 0: not; what is found must be right. */
static int get(const struct session_store *s, int only, unsigned row, uint64_t n, int64_t now)
{
	unsigned char id[SESSION_ID], bytes[SESSION_MOST], expected[SESSION_MOST];
	size_t len;

	make_id(row, n, id);
	len = session_store_get(s, only, id, now, bytes);
	if (!len)
		return 0;
	if (len != make_bytes(id, expected) || memcmp(bytes, expected, len))
		return -1;
	return 1;
}

static struct session_store *fresh(unsigned blocks, bool shared)
{
	struct err err;
	struct session_store *s = session_store_new(8, 1, blocks, shared ? &of : NULL, &err);

	assert_non_null(s);
	return s;
}

static void finds_until_expired(void **state)
{
	struct session_store *s = fresh(1000, false);

	(void)state;
	assert_int_equal(get(s, -1, 3, 1, NOW), 0);
	assert_true(put(s, 3, 1));
	assert_int_equal(get(s, -1, 3, 1, NOW), 1);
	assert_int_equal(get(s, 3, 3, 1, NOW), 1);
	assert_int_equal(get(s, 2, 3, 1, NOW), 0); /* of another row */
	assert_int_equal(get(s, -1, 3, 1, NOW + 1), 0);
	assert_int_equal(get(s, -1, 3, 2, NOW), 0);
	session_store_free(&s);
	assert_null(s);
}

static void removes_its_own(void **state)
{
	struct session_store *s = fresh(1000, false);
	unsigned char id[SESSION_ID];

	(void)state;
	put(s, 3, 1);
	make_id(3, 1, id);
	session_store_remove(s, 2, id);
	assert_int_equal(get(s, -1, 3, 1, NOW), 1);
	session_store_remove(s, 3, id);
	assert_int_equal(get(s, -1, 3, 1, NOW), 0);
	session_store_free(&s);
}

static void refuses_what_is_too_long(void **state)
{
	struct session_store *s = fresh(1000, false);
	static unsigned char bytes[SESSION_MOST + 1];
	unsigned char id[SESSION_ID], got[SESSION_MOST];

	(void)state;
	make_id(0, 1, id);
	assert_false(session_store_put(s, 0, id, bytes, SESSION_MOST + 1, NOW));
	assert_false(session_store_put(s, 0, id, bytes, 0, NOW));
	memset(bytes, 7, SESSION_MOST);
	assert_true(session_store_put(s, 0, id, bytes, SESSION_MOST, NOW));
	assert_int_equal(session_store_get(s, -1, id, NOW, got), SESSION_MOST);
	assert_memory_equal(got, bytes, SESSION_MOST);
	session_store_free(&s);
}

static void rows_beyond_are_nothing(void **state)
{
	struct session_store *s = fresh(1000, false);

	(void)state;
	assert_int_equal(get(s, -1, 8, 1, NOW), 0);
	assert_int_equal(get(s, -1, 0xffff, 1, NOW), 0);
	session_store_free(&s);
}

/* The ring goes round many times: the last ones are there, the first are not, none is wrong. */
static void overwrites_the_oldest(void **state)
{
	struct session_store *s = fresh(SMALL, false);
	unsigned n, found = 0;

	(void)state;
	for (n = 1; n <= 5000; n++) {
		assert_true(put(s, 1, n));
		assert_int_equal(get(s, -1, 1, n, NOW), 1);
		assert_int_not_equal(get(s, -1, 1, n > 7 ? n - 7 : 1, NOW), -1);
	}
	for (n = 1; n <= 4900; n++)
		assert_int_equal(get(s, -1, 1, n, NOW), 0);
	for (n = 4901; n <= 5000; n++)
		found += get(s, -1, 1, n, NOW) == 1;
	assert_in_range(found, 4, SMALL);
	session_store_free(&s);
}

/* Nearly all of what fits is found: sets of the index do not lose much. */
static void keeps_what_fits(void **state)
{
	struct session_store *s = fresh(20000, false);
	unsigned char id[SESSION_ID], bytes[150], got[SESSION_MOST];
	unsigned n, found = 0;

	(void)state;
	memset(bytes, 1, sizeof(bytes));
	for (n = 0; n < 19000; n++) {
		make_id(0, n, id);
		assert_true(session_store_put(s, 0, id, bytes, sizeof(bytes), NOW));
	}
	for (n = 0; n < 19000; n++) {
		make_id(0, n, id);
		found += session_store_get(s, -1, id, NOW, got) > 0;
	}
	assert_in_range(found, 18700, 19000);
	session_store_free(&s);
}

static void attaches_to_its_like(void **state)
{
	struct session_store *s = fresh(1000, true), *other;

	(void)state;
	put(s, 2, 5);
	assert_null(session_store_attach(8, 999, of));
	assert_null(session_store_attach(9, 1000, of));
	assert_null(session_store_attach(8, 1000, of + 1));
	other = session_store_attach(8, 1000, of);
	assert_non_null(other);
	session_store_free(&s);
	assert_int_equal(get(other, -1, 2, 5, NOW), 1);
	session_store_free(&other);
	other = session_store_attach(8, 1000, of);
	assert_int_equal(get(other, -1, 2, 5, NOW), 1);
	session_store_free(&other);
	kept_forget();
	assert_null(session_store_attach(8, 1000, of));
}

/* ---- several processes ------------------------------------------------------------------- */

struct progress {
	_Atomic uint64_t put[8]; /* by row */
	_Atomic uint64_t found, wrong;
};

static void write_for_ever(struct session_store *s, struct progress *p, unsigned row)
{
	struct err err;
	uint64_t n = p->put[row];

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (session_store_confine(s, row, &err) < 0)
		_exit(1);
	for (;;) {
		put(s, row, ++n);
		p->put[row] = n;
	}
}

static void read_for_ever(const struct session_store *s, struct progress *p)
{
	unsigned row = 0;
	uint64_t last, n = 0;
	int rc;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (;;) {
		row = row % WRITERS + 1;
		last = p->put[row];
		rc = get(s, -1, row, last > n % 16 ? last - n % 16 : last, NOW);
		n++;
		p->found += rc == 1;
		p->wrong += rc == -1;
	}
}

static pid_t start_writer(struct session_store *s, struct progress *p, unsigned row)
{
	pid_t pid = fork();

	if (!pid)
		write_for_ever(s, p, row);
	assert_true(pid > 0);
	return pid;
}

static void end(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

/* Until that row has gone on by n. */
static void await(struct progress *p, unsigned row, uint64_t n)
{
	uint64_t from = p->put[row];

	while (p->put[row] < from + n)
		usleep(100);
}

static void killed_writers_do_no_harm(void **state)
{
	struct progress *p = mmap(NULL, sizeof(*p), PROT_READ | PROT_WRITE,
				  MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct session_store *s = fresh(SMALL, true);
	pid_t writers[WRITERS], reader;
	unsigned i, row;

	(void)state;
	assert_ptr_not_equal(p, MAP_FAILED);
	for (i = 0; i < WRITERS; i++)
		writers[i] = start_writer(s, p, i + 1);
	reader = fork();
	if (!reader)
		read_for_ever(s, p);
	for (i = 0; i < KILLS; i++) {
		row = i % WRITERS + 1;
		await(p, row, 100);
		end(writers[row - 1]);
		p->put[row] += 2; /* what it may have written last */
		writers[row - 1] = start_writer(s, p, row);
		assert_int_equal(p->wrong, 0);
	}
	for (row = 1; row <= WRITERS; row++)
		await(p, row, 100);
	while (!p->found)
		usleep(1000);
	for (i = 0; i < WRITERS; i++)
		end(writers[i]);
	end(reader);
	assert_int_equal(p->wrong, 0);
	for (row = 1; row <= WRITERS; row++)
		assert_int_equal(get(s, -1, row, p->put[row], NOW), 1);
	kept_forget();
	session_store_free(&s);
	munmap(p, sizeof(*p));
}

/* A worker that was taken over cannot write what others have put there. */
static void others_cannot_be_written(void **state)
{
	struct session_store *s = fresh(SMALL, true);
	struct err err;
	int status;
	pid_t pid = fork();

	(void)state;
	if (!pid) {
		if (session_store_confine(s, 1, &err) < 0 || !put(s, 1, 1))
			_exit(1);
		signal(SIGSEGV, SIG_DFL);
		put(s, 2, 1);
		_exit(2);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status) || WEXITSTATUS(status) > 2); /* a sanitizer exits */
	assert_int_equal(get(s, -1, 1, 1, NOW), 1);
	assert_int_equal(get(s, -1, 2, 1, NOW), 0);
	kept_forget();
	session_store_free(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_until_expired),
		cmocka_unit_test(removes_its_own),
		cmocka_unit_test(refuses_what_is_too_long),
		cmocka_unit_test(rows_beyond_are_nothing),
		cmocka_unit_test(overwrites_the_oldest),
		cmocka_unit_test(keeps_what_fits),
		cmocka_unit_test(attaches_to_its_like),
		cmocka_unit_test(killed_writers_do_no_harm),
		cmocka_unit_test(others_cannot_be_written),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
