/* SPDX-License-Identifier: BSD-2-Clause */
/* Reports that are said piece by piece into buffers of any size. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "stats/report.h"

#include <string.h>

/* Says "0", "11", "222", ... until it has said `pieces` of them; what it was told goes to `heard`. */
struct counting {
	unsigned at, pieces;
	char heard[600];
};

static bool say(void *state, struct text *out, bool resumed)
{
	struct counting *c = state;

	c->heard[strlen(c->heard)] = resumed ? 'R' : '-';
	for (unsigned i = 0; i <= c->at; i++)
		text_num(out, c->at);
	return ++c->at < c->pieces;
}

static bool say_nothing(void *state, struct text *out, bool resumed)
{
	(void)out;
	(void)resumed;
	++*(unsigned *)state;
	return true;
}

/* Objects may have gone since the last turn, but not within one. */
static void only_the_first_piece_of_a_turn_is_resumed(void **state)
{
	struct counting c = { .pieces = 5 };
	static struct report r;
	char buf[100];

	(void)state;
	report_init(&r, say, &c);
	assert_int_equal(report_fill(&r, buf, 4), 4); /* 0, 11, and one of 222 */
	assert_string_equal(c.heard, "R--");
	assert_false(r.done);
	assert_int_equal(report_fill(&r, buf, 2), 2);
	assert_string_equal(c.heard, "R--"); /* what is left of 222 is enough */
	assert_int_equal(report_fill(&r, buf, sizeof(buf)), 9);
	assert_memory_equal(buf, "333344444", 9);
	assert_string_equal(c.heard, "R--R-");
	assert_true(r.done);
	assert_int_equal(report_fill(&r, buf, sizeof(buf)), 0);
	assert_string_equal(c.heard, "R--R-");
}

static void buffers_of_any_size(void **state)
{
	static const char whole[] = "0112223333444445555556666666";

	(void)state;
	for (size_t size = 1; size < sizeof(whole) + 1; size++) {
		struct counting c = { .pieces = 7 };
		static struct report r;
		char buf[100];
		size_t len = 0, n;

		report_init(&r, say, &c);
		while ((n = report_fill(&r, buf + len, size)))
			len += n;
		assert_true(r.done);
		assert_int_equal(len, sizeof(whole) - 1);
		assert_memory_equal(buf, whole, len);
	}
}

/* Others get their turn though nothing was said. */
static void turns_have_an_end(void **state)
{
	static struct report r;
	unsigned calls = 0;
	char buf[10];

	(void)state;
	report_init(&r, say_nothing, &calls);
	assert_int_equal(report_fill(&r, buf, sizeof(buf)), 0);
	assert_false(r.done);
	assert_int_equal(calls, REPORT_STEPS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_the_first_piece_of_a_turn_is_resumed),
		cmocka_unit_test(buffers_of_any_size),
		cmocka_unit_test(turns_have_an_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
