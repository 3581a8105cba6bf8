/* SPDX-License-Identifier: BSD-2-Clause */
/* Connections to servers that wait for another exchange: which of them go when descriptors are
 * scarce, and when nobody has needed them. Servers are scripted sockets, the clock stands still. */
#include "exchange/idle.h"

#include "exchange/test_client.h"
#include "exchange/test_served.h"
#include "exchange/test_world.h"
#include "proxy/proxy.h"
#include "stream/stream.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
/* cmocka wants the four above */
#include <cmocka.h>

enum { PURGE = 5000 };

static int begin(void **state)
{
	(void)state;
	served_world_begin(SERVED_HTTP
			   "frontend f\n use_backend b if { path /1 }\n"
			   " use_backend c if { path /2 }\n use_backend d if { path /3 /4 }\n"
			   "backend b\n server s abns@%s\n"
			   "backend c\n server s abns@%s\n"
			   "backend d\n use-server t if { path /4 }\n use-server s if TRUE\n"
			   " server s abns@%s\n server t abns@%s\n");
	return 0;
}

/* None waits, and there are descriptors. */
static int afresh(void **state)
{
	(void)state;
	served_afresh();
	idle_limit(0, 0);
	idle_close_all();
	turns(QUIET);
	return 0;
}

static void ask(size_t n)
{
	struct wire w;

	wire_open(&w, world_frontend("f"));
	wire_ask(&w, 0, n);
	turns(QUIET);
	lane_is_whole(&w.lanes[0]);
	wire_close(&w);
}

/* So many at once. */
static void ask_together(size_t n, unsigned times)
{
	struct wire w;
	unsigned i;

	wire_open(&w, world_frontend("f"));
	for (i = 0; i < times; i++)
		wire_ask(&w, i, n);
	turns(QUIET);
	for (i = 0; i < times; i++)
		lane_is_whole(&w.lanes[i]);
	wire_close(&w);
}

static struct server *server_of(const char *backend)
{
	return world_backend(backend)->servers;
}

static unsigned waiting(const char *backend)
{
	return server_of(backend)->idle_count;
}

/* ---- scarce descriptors ----------------------------------------------------------------------- */

/* Any proxy in front of it may have none to spare. */
static void one_of_another_backend_makes_room(void **state)
{
	(void)state;
	ask(2);
	assert_int_equal(waiting("c"), 1);
	idle_limit(0, 1);
	ask(1);
	assert_int_equal(waiting("c"), 0);
	assert_int_equal(waiting("b"), 1);
	ask(2);
	assert_int_equal(waiting("b"), 0);
	assert_int_equal(waiting("c"), 1);
}

static void the_own_backend_comes_first(void **state)
{
	(void)state;
	ask(1);
	ask(3);
	assert_int_equal(waiting("d"), 1);
	idle_limit(0, 1);
	ask(4);
	assert_int_equal(waiting("d"), 0);
	assert_int_equal(server_of("d")->next->idle_count, 1);
	assert_int_equal(waiting("b"), 1);
}

/* One goes for each that is made. */
static void no_more_go_than_are_made(void **state)
{
	(void)state;
	ask(1);
	ask(3);
	idle_limit(0, 1);
	ask(2);
	assert_int_equal(waiting("b") + waiting("d"), 1);
}

static void none_goes_while_there_are_descriptors(void **state)
{
	(void)state;
	ask(2);
	idle_limit(0, loop_stats.sources + 10);
	ask(1);
	assert_int_equal(waiting("b"), 1);
	assert_int_equal(waiting("c"), 1);
}

static void none_waits_where_they_are_too_many(void **state)
{
	(void)state;
	ask(2);
	idle_limit(1, 0);
	ask(1);
	assert_int_equal(waiting("b"), 0);
	assert_int_equal(waiting("c"), 1);
	idle_limit(2, 0);
	ask(1);
	assert_int_equal(waiting("b"), 1);
}

static void one_is_given_up_for_a_descriptor(void **state)
{
	(void)state;
	assert_false(idle_free_descriptor());
	ask(1);
	ask(2);
	assert_true(idle_free_descriptor());
	assert_int_equal(waiting("b") + waiting("c"), 1);
	assert_true(idle_free_descriptor());
	assert_int_equal(waiting("b") + waiting("c"), 0);
	assert_false(idle_free_descriptor());
}

/* ---- purge ------------------------------------------------------------------------------------ */

/* Half of them, rounded up, each time that nobody has needed them since the last one. */
static void those_that_nobody_needs_go(void **state)
{
	(void)state;
	ask_together(1, 3);
	assert_int_equal(waiting("b"), 3);
	pass(PURGE - 1);
	assert_int_equal(waiting("b"), 3);
	pass(1); /* all three were in use since the last time */
	assert_int_equal(waiting("b"), 3);
	pass(PURGE - 1);
	assert_int_equal(waiting("b"), 3);
	pass(1);
	assert_int_equal(waiting("b"), 1);
	pass(PURGE);
	assert_int_equal(waiting("b"), 0);
}

static void those_in_need_stay(void **state)
{
	(void)state;
	ask_together(1, 3);
	pass(PURGE);
	ask(1); /* one at a time is needed */
	pass(PURGE);
	assert_int_equal(waiting("b"), 2);
	ask(1);
	pass(PURGE);
	assert_int_equal(waiting("b"), 1);
	ask(1);
	pass(PURGE);
	assert_int_equal(waiting("b"), 1);
}

/* "pool-low-conn" */
static void so_many_stay_at_least(void **state)
{
	(void)state;
	server_of("b")->set.pool_low_conn = 2;
	ask_together(1, 3);
	pass(PURGE);
	pass(PURGE);
	assert_int_equal(waiting("b"), 2);
	pass(PURGE);
	assert_int_equal(waiting("b"), 2);
	server_of("b")->set.pool_low_conn = 0;
}

#define EACH(test) cmocka_unit_test_setup(test, afresh)

int main(void)
{
	const struct CMUnitTest tests[] = {
		EACH(one_of_another_backend_makes_room),
		EACH(the_own_backend_comes_first),
		EACH(no_more_go_than_are_made),
		EACH(none_goes_while_there_are_descriptors),
		EACH(none_waits_where_they_are_too_many),
		EACH(one_is_given_up_for_a_descriptor),
		EACH(those_that_nobody_needs_go),
		EACH(those_in_need_stay),
		EACH(so_many_stay_at_least),
	};

	return cmocka_run_group_tests(tests, begin, served_world_end);
}
