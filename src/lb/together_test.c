/* SPDX-License-Identifier: BSD-2-Clause */
/* Several processes balance as one: loads, limits and choices of others count. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/err.h"
#include "lb/balance.h"
#include "lb/test_world.h"
#include "proxy/proxy.h"
#include "proxy/states.h"
#include "share/segment.h"
#include "tally/tallies.h"

#define SERVER " 127.0.0.1:1 "

/* Other rows: of processes that have not told this one. */
static void leastconn_counts_those_of_others(void **state)
{
	unsigned i;

	(void)state;
	tally_room.rows = 3;
	world_begin(" balance leastconn\n server a" SERVER "\n server b" SERVER "\n"
		    " server c" SERVER "\n");
	segment_take_row(segment, 1, 1);
	segment_take_row(segment, 1, 2);
	states_own_row(1);
	world_server(0)->tally->current = 10;
	world_server(1)->tally->current = 4;
	world_server(1)->tally->queued = 1;
	states_own_row(2);
	clock_freeze(clock_now_ms + 1);
	for (i = 0; i < 30; i++)
		world_take((unsigned)world_pick(NULL));
	assert_int_equal(world_server(0)->tally->current, 5);
	assert_int_equal(world_server(1)->tally->current, 10);
	assert_int_equal(world_server(2)->tally->current, 15);
	/* In the same millisecond: the one that would be chosen is looked at. */
	world_release(0);
	((struct server_tally *)segment_sibling(world_server(0)->tally, 2, 1))->current++;
	assert_int_not_equal(world_pick(NULL), 0);
	states_own_row(0);
	world_end();
	tally_room.rows = 1;
}

static void limits_are_those_of_all(void **state)
{
	(void)state;
	tally_room.rows = 2;
	world_begin(" balance first\n server a" SERVER "maxconn 2\n server b" SERVER "\n");
	segment_take_row(segment, 1, 1);
	world_server(0)->tally->current = 1;
	states_own_row(1);
	assert_int_equal(world_pick(NULL), 0);
	world_server(0)->tally->current = 1;
	assert_int_equal(world_pick(NULL), 1);
	states_own_row(0);
	world_end();
	tally_room.rows = 1;
}

/* This process is in row 2. Another one has chosen that server, and the session has ended; if it
 * matters which one. */
static void other_chooses(unsigned server)
{
	((struct server_tally *)segment_sibling(world_server(server)->tally, 2, 1))->chosen++;
	((struct proxy_tally *)segment_sibling(world_backend()->be, 2, 1))->chosen++;
}

/* A session that ends at once. */
static void pick_shortly(int server)
{
	static uint64_t at_ms = 200000; /* no looks were made then */

	clock_freeze(++at_ms);
	assert_int_equal(world_pick(NULL), server);
	world_take((unsigned)server);
	world_release((unsigned)server);
}

static void begin_beside_another(const char *lines)
{
	struct err err;

	tally_room.rows = 3;
	world_begin(lines);
	segment_take_row(segment, 1, 1);
	segment_take_row(segment, 1, 2);
	states_own_row(2);
	other_chooses(1); /* before this process has begun */
	assert_int_equal(lb_module.start(NULL, &(struct proxies *){ proxies_running }, &err), 0);
}

static void end_beside_another(void)
{
	states_own_row(0);
	world_end();
	tally_room.rows = 1;
}

#define FOUR " server a" SERVER "\n server b" SERVER "\n server c" SERVER "\n server d" SERVER "\n"

/* What others choose is as if it was chosen here. What they chose before is only where the turn
 * stands. */
static void turns_of_others_pass(void **state)
{
	static const char *const lines[] = { " balance roundrobin\n" FOUR,
					     " balance static-rr\n" FOUR };
	unsigned i;

	(void)state;
	for (i = 0; i < 2; i++) {
		begin_beside_another(lines[i]);
		pick_shortly(1);
		other_chooses(2);
		pick_shortly(3);
		pick_shortly(0);
		other_chooses(1);
		other_chooses(2);
		pick_shortly(3);
		world_backend()->be->chosen = 0; /* a row was folded: any server, but it goes on */
		((struct proxy_tally *)segment_sibling(world_backend()->be, 2, 1))->chosen = 0;
		clock_freeze(clock_now_ms + 1);
		assert_in_range(world_pick(NULL), 0, 3);
		end_beside_another();
	}
}

/* Not the one that another has just had, though nobody is there any more. */
static void leastconn_passes_over_what_others_chose(void **state)
{
	(void)state;
	begin_beside_another(" balance leastconn\n" FOUR);
	pick_shortly(0);
	other_chooses(1);
	pick_shortly(2);
	other_chooses(3);
	other_chooses(0);
	pick_shortly(1);
	other_chooses(2);
	other_chooses(3);
	other_chooses(0);
	pick_shortly(1);
	world_take(1); /* the load goes first */
	other_chooses(0);
	other_chooses(2);
	other_chooses(3);
	pick_shortly(2);
	end_beside_another();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(leastconn_counts_those_of_others),
		cmocka_unit_test(limits_are_those_of_all),
		cmocka_unit_test(turns_of_others_pass),
		cmocka_unit_test(leastconn_passes_over_what_others_chose),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
