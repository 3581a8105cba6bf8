/* SPDX-License-Identifier: BSD-2-Clause */
/* Changes are looked for a bounded time a turn, of all tables in their turn. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "peers/pace.h"

#include "base/clock.h"
#include "base/err.h"
#include "event/loop.h"
#include "peers/life.h"
#include "peers/peers_conf.h"
#include "stick/memory.h"

#include <stdio.h>
#include <stdlib.h>

enum { SECTIONS = 3, TABLES = 4, KEYS = 20000, ALL = SECTIONS * TABLES * KEYS };

static struct err err;
static struct peers_conf conf = { .sections = LIST_INIT(conf.sections) };
static struct peers_section sections[SECTIONS];
static struct peers_table tables[SECTIONS][TABLES];

static struct stick_table *open_table(unsigned number)
{
	struct stick_definition def = { .type = STICK_INTEGER, .key_len = 4, .size = KEYS };
	struct stick_table *t;
	char name[16];
	bool anew;

	snprintf(name, sizeof(name), "t%u", number);
	def.name = name;
	stick_layout(&def);
	t = stick_table_open(&def, &anew, &err);
	assert_non_null(t);
	stick_feed_begin(t);
	return t;
}

/* Each entry that is made is a change. */
static void fill(struct stick_table *t)
{
	struct stick_entry *e;
	uint32_t i;

	for (i = 0; i < KEYS; i++) {
		e = stick_take(t, (struct span){ (char *)&i, sizeof(i) }, NULL);
		assert_non_null(e);
		stick_give(t, e);
	}
}

static void begin_section(unsigned i)
{
	struct peers_section *s = &sections[i];
	unsigned k;

	for (k = 0; k < TABLES; k++) {
		tables[i][k].table = open_table(i * TABLES + k);
		fill(tables[i][k].table);
	}
	*s = (struct peers_section){ .tables = tables[i], .table_count = TABLES };
	s->life = calloc(1, sizeof(*s->life));
	assert_non_null(s->life);
	list_init(&s->life->links);
	list_append(&conf.sections, &s->node);
}

static int begin(void **state)
{
	unsigned i;

	(void)state;
	clock_freeze(1000000);
	if (stick_memory_begin(false, &err) < 0)
		fail_msg("%s", err.text);
	if (loop_init(16) < 0)
		return -1;
	for (i = 0; i < SECTIONS; i++)
		begin_section(i);
	peers_running = &conf;
	pace_prepare();
	pace_begin();
	return 0;
}

static int end(void **state)
{
	unsigned i;

	(void)state;
	pace_end();
	for (i = 0; i < SECTIONS; i++)
		free(sections[i].life);
	loop_free();
	stick_memory_end();
	return 0;
}

/* *some: how many tables have any. */
static uint64_t numbered(unsigned *some)
{
	uint64_t sum = 0;
	uint32_t newest;
	unsigned i;

	*some = 0;
	for (i = 0; i < SECTIONS * TABLES; i++) {
		newest = stick_feed_newest(tables[i / TABLES][i % TABLES].table);
		*some += newest > 0;
		sum += newest;
	}
	return sum;
}

/* All at once would take some 5 ms. The last table does not wait for all of the first. */
static void a_turn_looks_at_a_few_changes(void **state)
{
	uint64_t sum, reached = 0;
	unsigned turns, some;

	(void)state;
	pace_listeners(1);
	loop_turn(0);
	sum = numbered(&some);
	assert_in_range(sum, 1, ALL / 2);
	for (turns = 0; turns < ALL && sum < ALL; turns++) {
		loop_turn(0);
		sum = numbered(&some);
		if (some == SECTIONS * TABLES && !reached)
			reached = sum;
	}
	assert_int_equal(sum, ALL);
	assert_true(reached < ALL * 9 / 10);
}

static void change(struct stick_table *t)
{
	uint32_t key = 7;
	struct stick_entry *e = stick_find(t, (struct span){ (char *)&key, sizeof(key) });

	stick_touch(t, e);
	stick_give(t, e);
	loop_turn(0);
}

/* It sleeps behind each look; a change wakes it. Of ten in one millisecond some are told by
 * themselves, the others together in the next one. */
static void a_change_is_found_at_once(void **state)
{
	struct stick_table *t = tables[SECTIONS - 1][TABLES - 1].table;
	uint32_t newest = stick_feed_newest(t);
	unsigned i;

	(void)state;
	for (i = 0; i < 10; i++) {
		clock_advance(5);
		loop_turn(0);
	}
	for (i = 1; i <= 4; i++) {
		change(t);
		assert_int_equal(stick_feed_newest(t), newest + i);
	}
	for (; i <= 10; i++)
		change(t);
	assert_int_equal(stick_feed_newest(t), newest + 5);
	clock_advance(1);
	loop_turn(0);
	loop_turn(0);
	assert_int_equal(stick_feed_newest(t), newest + 6);
	for (i = 7; i <= 10; i++) {
		change(t);
		assert_int_equal(stick_feed_newest(t), newest + i);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_turn_looks_at_a_few_changes),
		cmocka_unit_test(a_change_is_found_at_once),
	};

	return cmocka_run_group_tests(tests, begin, end);
}
