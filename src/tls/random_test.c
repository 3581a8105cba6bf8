/* SPDX-License-Identifier: BSD-2-Clause */
/* Random bytes in stock are never the same twice, in a process and in what it forks. */
#include "tls/random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
/* cmocka wants the four above */
#include <cmocka.h>

enum { ID = 16, IDS = 5000 };

static int compare(const void *a, const void *b)
{
	return memcmp(a, b, ID);
}

static void all_differ(unsigned char (*ids)[ID], size_t n)
{
	size_t i;

	qsort(ids, n, ID, compare);
	for (i = 1; i < n; i++)
		assert_memory_not_equal(ids[i - 1], ids[i], ID);
}

static void no_two_are_the_same(void **state)
{
	static unsigned char ids[IDS][ID];
	size_t i;

	(void)state;
	for (i = 0; i < IDS; i++)
		assert_true(tls_random(ids[i], ID));
	all_differ(ids, IDS);
}

static void any_length_is_filled(void **state)
{
	static const size_t lengths[] = { 1, 7, 32, 4000, 4092, 4093, 10000 };
	static unsigned char bytes[10000 + 1];
	size_t i, at, zero;

	(void)state;
	for (i = 0; i < sizeof(lengths) / sizeof(*lengths); i++) {
		memset(bytes, 0, sizeof(bytes));
		assert_true(tls_random(bytes, lengths[i]));
		assert_int_equal(bytes[lengths[i]], 0);
		for (at = zero = 0; at < lengths[i]; at++)
			zero += !bytes[at];
		assert_true(lengths[i] < 32 || zero < lengths[i] / 8);
	}
}

/* Processes that begin with the same stock. */
static void forks_do_not_repeat(void **state)
{
	enum { CHILDREN = 4, EACH = 20 };
	static unsigned char ids[(CHILDREN + 1) * EACH][ID];
	int i, c, fds[2], status;

	(void)state;
	assert_true(tls_random(ids[0], ID)); /* there is one */
	for (c = 0; c < CHILDREN; c++) {
		assert_int_equal(pipe(fds), 0);
		if (!fork()) {
			for (i = 0; i < EACH; i++)
				if (!tls_random(ids[i], ID))
					_exit(1);
			_exit(write(fds[1], ids, EACH * ID) != EACH * ID);
		}
		assert_int_equal(read(fds[0], ids[c * EACH], EACH * ID), EACH * ID);
		assert_true(wait(&status) > 0 && WIFEXITED(status) && !WEXITSTATUS(status));
		close(fds[0]);
		close(fds[1]);
	}
	for (i = 0; i < EACH; i++)
		assert_true(tls_random(ids[CHILDREN * EACH + i], ID));
	all_differ(ids, (CHILDREN + 1) * EACH);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_two_are_the_same),
		cmocka_unit_test(any_length_is_filled),
		cmocka_unit_test(forks_do_not_repeat),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
