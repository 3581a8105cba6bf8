/* SPDX-License-Identifier: BSD-2-Clause */
/* What has expired is taken out of all tables, a few of them a turn. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "proxy/stick_conf.h"

#include "base/clock.h"
#include "base/err.h"
#include "event/timer.h"
#include "proxy/facts.h"
#include "stick/memory.h"

#include <stdio.h>

enum { TABLES = 300, KEYS = 400, EXPIRE = 60000 };

static struct err err;
static struct stick_conf conf = { .lines = LIST_INIT(conf.lines) };
static struct stick_line lines[TABLES];
static char names[TABLES][8];

static void open_line(unsigned i)
{
	struct stick_line *line = &lines[i];
	bool anew;

	snprintf(names[i], sizeof(names[i]), "t%u", i);
	line->def = (struct stick_definition){ .name = names[i], .type = STICK_INTEGER,
					       .key_len = 4, .size = KEYS, .expire_ms = EXPIRE };
	stick_layout(&line->def);
	line->table = stick_table_open(&line->def, &anew, &err);
	assert_non_null(line->table);
	list_append(&conf.lines, &line->node);
}

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

static unsigned tables_with(uint32_t entries)
{
	unsigned i, n = 0;

	for (i = 0; i < TABLES; i++)
		n += stick_used(lines[i].table) == entries;
	return n;
}

static int begin(void **state)
{
	unsigned i;

	(void)state;
	clock_freeze(1000000);
	if (stick_memory_begin(false, &err) < 0)
		fail_msg("%s", err.text);
	for (i = 0; i < TABLES; i++)
		open_line(i);
	for (i = 0; i < TABLES; i++)
		fill(lines[i].table);
	stick_running = &conf;
	facts_checker.here = true;
	return 0;
}

static int end(void **state)
{
	(void)state;
	stick_memory_end();
	return 0;
}

static unsigned turns(unsigned most)
{
	unsigned n;

	for (n = 0; n < most && tables_with(0) < TABLES; n++) {
		clock_advance(1);
		timer_run();
	}
	return n;
}

/* All at once would take some 40 ms. */
static void a_turn_sweeps_a_few_tables(void **state)
{
	(void)state;
	stick_sweep_start();
	clock_advance(EXPIRE);
	timer_run();
	assert_true(tables_with(KEYS) > TABLES / 2);
	assert_true(turns(TABLES * KEYS) < TABLES * KEYS);
}

/* Nothing is due, or a part of them. */
static void those_that_are_due_are_swept(void **state)
{
	uint64_t now;

	(void)state;
	fill(lines[7].table);
	now = clock_now_ms;
	clock_advance(EXPIRE - 1);
	timer_run();
	assert_int_equal(tables_with(KEYS), 1);
	assert_true(turns(3000) < 3000);
	assert_true(clock_now_ms >= now + EXPIRE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_turn_sweeps_a_few_tables),
		cmocka_unit_test(those_that_are_due_are_swept),
	};

	return cmocka_run_group_tests(tests, begin, end);
}
