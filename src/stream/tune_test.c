/* SPDX-License-Identifier: BSD-2-Clause */
/* What global words of how bytes move do to each other, and whether there are pipes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "proxy/limits.h"
#include "relay/pipe.h"
#include "stream/tune.h"

static struct tune tune;

static int begin(void **state)
{
	(void)state;
	tune = (struct tune){ 0 };
	tune_module.init(NULL, &tune);
	return 0;
}

static void what_is_not_said(void **state)
{
	(void)state;
	assert_int_equal(tune_module.finish(NULL, &tune), 0);
	assert_int_equal(tune.bufsize, 16384);
	assert_int_equal(tune.maxrewrite, 1024);
	assert_int_equal(tune.maxpipes, -1);
	assert_int_equal(tune.kernel_after, 8);
	assert_int_equal(tune.buffers_reserve, 2);
	assert_int_equal(tune.maxpollevents, 200);
	assert_false(tune.nosplice);
}

/* Half of a buffer is left for what is received. */
static void the_room_in_front_is_limited(void **state)
{
	(void)state;
	tune.maxrewrite = 8191;
	assert_int_equal(tune_module.finish(NULL, &tune), 0);
	assert_int_equal(tune.maxrewrite, 8191);
	tune.maxrewrite = 8193;
	assert_int_equal(tune_module.finish(NULL, &tune), 0);
	assert_int_equal(tune.maxrewrite, 8192);
}

/* Whoever serves another process reads to the end. */
static void the_colocated_do_not_splice(void **state)
{
	(void)state;
	tune.colocated = 1;
	assert_int_equal(tune_module.finish(NULL, &tune), 0);
	assert_true(tune.nosplice);
}

static void pipes_are_for_those_that_splice(void **state)
{
	(void)state;
	limits.pipes = 10;
	tune_pipes(&tune);
	assert_true(pipes_wanted());
	pipes_free();
	tune.nosplice = true;
	tune_pipes(&tune);
	assert_false(pipes_wanted());
	pipes_free();
	tune.nosplice = false;
	limits.pipes = 0;
	tune_pipes(&tune);
	assert_false(pipes_wanted());
	pipes_free();
}

#define EACH(test) cmocka_unit_test_setup(test, begin)

int main(void)
{
	const struct CMUnitTest tests[] = {
		EACH(what_is_not_said), EACH(the_room_in_front_is_limited),
		EACH(the_colocated_do_not_splice), EACH(pipes_are_for_those_that_splice),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
