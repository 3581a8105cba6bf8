/* SPDX-License-Identifier: BSD-2-Clause */
/* How the stats page tells the states of objects, and which of them want attention. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "check/check.h"
#include "stats/history.h"
#include "stats/html_cell.h"
#include "stats/html_page.h"
#include "stats/test_world.h"

#include <stdio.h>
#include <string.h>

static struct world *w;

static int set_up(void **state)
{
	(void)state;
	w = world_new();
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	world_free(&w);
	return 0;
}

/* -- servers --------------------------------------------------------------------------------- */

static void is(const struct server *s, enum html_state expected)
{
	enum html_state got = html_server_state(s);

	if (got != expected)
		fail_msg("%s is %s instead of %s", s->id, html_states[got].name,
			 html_states[expected].name);
}

/* From rise + fall - 1 on nothing is going down; from 1 on something is going up. */
static void health_of_checked_servers(void **state)
{
	static const enum html_state up[] = { HTML_GOING_DOWN, HTML_GOING_DOWN, HTML_GOING_DOWN,
					      HTML_GOING_DOWN, HTML_UP };

	(void)state;
	for (int health = 0; health <= 4; health++) {
		w->s1->state->health = health;
		w->s1->state->op = SERVER_UP;
		is(w->s1, up[health]);
		is(w->t1, up[health]); /* it follows s1 */
		w->s1->state->op = w->t1->state->op = SERVER_DOWN;
		is(w->s1, health ? HTML_GOING_UP : HTML_DOWN);
		is(w->t1, health ? HTML_GOING_UP : HTML_DOWN);
		w->t1->state->op = SERVER_UP;
	}
	w->s1->state->op = SERVER_UP;
	w->s1->set.rise = 1;
	w->s1->set.fall = 6;
	w->s1->state->health = 5;
	is(w->s1, HTML_GOING_DOWN);
	w->s1->state->health = 6;
	is(w->s1, HTML_UP);
}

static void servers_that_nobody_checks(void **state)
{
	static struct check agent;

	(void)state;
	is(w->t3, HTML_NO_CHECK);
	w->t3->state->op = SERVER_DOWN;
	is(w->t3, HTML_DOWN);
	w->t3->state->op = SERVER_UP;
	w->t3->state->user_weight = 0;
	is(w->t3, HTML_NO_CHECK);
	server_part_set(w->t3, &check_agent_part, &agent);
	is(w->t3, HTML_DRAIN);
	w->t3->state->user_weight = 1;
	is(w->t3, HTML_UP);
	w->s1->state->check.paused = true;
	is(w->s1, HTML_NO_CHECK);
	is(w->t1, HTML_NO_CHECK);
	w->s1->state->op = SERVER_DOWN;
	is(w->s1, HTML_DOWN);
}

/* Maintenance is told before all else, being down before draining, draining before stopping. */
static void which_state_is_told(void **state)
{
	struct server_state *st = w->s1->state;

	(void)state;
	st->op = SERVER_STOPPING;
	is(w->s1, HTML_NOLB);
	st->admin = ADMIN_FORCED_DRAIN;
	is(w->s1, HTML_DRAIN);
	st->op = SERVER_DOWN;
	is(w->s1, HTML_GOING_UP);
	st->admin |= ADMIN_FORCED_MAINT;
	is(w->s1, HTML_MAINT);
	st->op = SERVER_UP;
	st->admin = ADMIN_EJECTED;
	is(w->s1, HTML_DRAIN);
	st->admin = 0;
	st->user_weight = 0;
	is(w->s1, HTML_DRAIN);
	st->user_weight = 1;
	is(w->s1, HTML_UP);
}

/* -- other rows ------------------------------------------------------------------------------ */

static void row_is(enum stat_type kind, const char *status, enum html_state expected)
{
	struct html h = { .row.kind = kind };

	h.row.values[STAT_status] = stats_const(status);
	assert_int_equal(html_row_state(&h), expected);
}

static void rows(void **state)
{
	struct html h = { .row = { .kind = STAT_SERVER, .server = w->s3 } };

	(void)state;
	assert_int_equal(html_row_state(&h), HTML_DOWN);
	row_is(STAT_BACKEND, "UP", HTML_UP);
	row_is(STAT_BACKEND, "UP (1/2)", HTML_UP);
	row_is(STAT_BACKEND, "DOWN", HTML_DOWN);
	row_is(STAT_BACKEND, "DOWN (0/2)", HTML_DOWN);
	row_is(STAT_FRONTEND, "OPEN", HTML_OPEN);
	row_is(STAT_FRONTEND, "FULL", HTML_FULL);
	row_is(STAT_FRONTEND, "PAUSED", HTML_PAUSED);
	row_is(STAT_LISTENER, "OPEN", HTML_OPEN);
	row_is(STAT_LISTENER, "FULL", HTML_FULL);
	row_is(STAT_LISTENER, "WAITING", HTML_PAUSED);
}

static void classes_name_states(void **state)
{
	(void)state;
	for (int i = 0; i < HTML_STATES; i++)
		assert_int_equal(html_state_find(html_states[i].class), i);
	assert_int_equal(html_state_find("nonsense"), -1);
	assert_int_equal(html_state_find(""), -1);
}

/* -- trouble --------------------------------------------------------------------------------- */

static bool trouble(enum html_state s, enum stat_type kind, uint64_t queued, uint64_t current,
		    uint64_t limit)
{
	struct html h = { .state = s, .row.kind = kind };

	h.row.values[STAT_qcur] = stats_u32(queued);
	h.row.values[STAT_scur] = stats_u32(current);
	h.row.values[STAT_slim] = limit ? stats_u32(limit) : (struct stats_value){ .u64 = 1 };
	return html_in_trouble(&h);
}

static void states_that_want_attention(void **state)
{
	static const enum html_state bad[] = { HTML_GOING_DOWN, HTML_GOING_UP, HTML_DOWN, HTML_NOLB,
					       HTML_FULL };
	static const enum html_state good[] = { HTML_UP, HTML_DRAIN, HTML_NO_CHECK, HTML_OPEN,
						HTML_PAUSED };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(bad); i++)
		assert_true(trouble(bad[i], STAT_SERVER, 0, 0, 0));
	for (size_t i = 0; i < ARRAY_LEN(good); i++) {
		assert_false(trouble(good[i], STAT_SERVER, 0, 0, 0));
		assert_true(trouble(good[i], STAT_SERVER, 1, 0, 0));
	}
	assert_false(trouble(HTML_MAINT, STAT_SERVER, 1, 100, 100)); /* somebody wants it so */
}

/* From four fifths of a limit on; that of a backend is none. */
static void limits_that_are_near(void **state)
{
	(void)state;
	assert_false(trouble(HTML_UP, STAT_SERVER, 0, 79, 100));
	assert_true(trouble(HTML_UP, STAT_SERVER, 0, 80, 100));
	assert_false(trouble(HTML_OPEN, STAT_FRONTEND, 0, 3, 4));
	assert_true(trouble(HTML_OPEN, STAT_FRONTEND, 0, 4, 4));
	assert_false(trouble(HTML_UP, STAT_BACKEND, 0, 100, 100));
	assert_false(trouble(HTML_UP, STAT_SERVER, 0, 100, 0));
	assert_string_equal(cell_heat(79, 100), "");
	assert_string_equal(cell_heat(80, 100), " hot");
	assert_string_equal(cell_heat(99, 100), " hot");
	assert_string_equal(cell_heat(100, 100), " over");
	assert_string_equal(cell_heat(100, 0), "");
}

/* Parts of a hundred, cut and not rounded. */
static void shares(void **state)
{
	static const struct {
		uint64_t part, whole;
		const char *said;
	} cases[] = { { 755, 1000, "755<td>75%" }, { 1, 101, "1<td>0%" }, { 7, 7, "7<td>100%" },
		      { 5, 0, "5<td>0%" }, { 0, 5, "0<td>0%" } };
	char memory[100], wanted[100];
	struct text out;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		text_init(&out, memory, sizeof(memory));
		tip_share(&out, "x", cases[i].part, cases[i].whole);
		snprintf(wanted, sizeof(wanted), "<tr><th>x<td>%s", cases[i].said);
		assert_string_equal(memory, wanted);
	}
}

/* 5xx of the last minute are trouble, of rows that have a history. */
static void errors_of_the_last_minute(void **state)
{
	struct html h = { .state = HTML_OPEN, .row.kind = STAT_FRONTEND, .has_history = true };

	(void)state;
	history_begin(&h.history, 0, 0);
	history_add(&h.history, 1, 0, 1);
	assert_false(html_in_trouble(&h));
	history_add(&h.history, 2, 1, 1);
	assert_true(html_in_trouble(&h));
	h.has_history = false;
	assert_false(html_in_trouble(&h));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
		TEST(health_of_checked_servers),
		TEST(servers_that_nobody_checks),
		TEST(which_state_is_told),
		TEST(rows),
		TEST(classes_name_states),
		TEST(states_that_want_attention),
		TEST(limits_that_are_near),
		TEST(shares),
		TEST(errors_of_the_last_minute),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
