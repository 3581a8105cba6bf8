/* SPDX-License-Identifier: BSD-2-Clause */
/* Two conversations against each other, over real tables: what one changes the other has, what one
 * was told is taught, acknowledged and not repeated, and what is cut or wrong does no harm. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "peers/test_pair.h"

#include "peers/wire.h"

#include "base/clock.h"
#include "base/err.h"

#include <stdio.h>
#include <time.h>

/* ---- changes ------------------------------------------------------------------------------- */

static void a_change_arrives(void **state)
{
	(void)state;
	pair_one_table();
	pair_run();
	side_set_count(&pair_a, "key", 5);
	pair_run();
	assert_int_equal(side_count(&pair_b, "key"), 5);
	side_set_count(&pair_b, "other", 6);
	pair_run();
	assert_int_equal(side_count(&pair_a, "other"), 6);
	side_set_count(&pair_a, "key", 0);
	pair_run();
	assert_int_equal(side_count(&pair_b, "key"), 0);
}

static void a_change_has_the_bytes_of_the_reference(void **state)
{
	(void)state;
	pair_one_table_in_use();
	side_set_count(&pair_a, "k1", 5);
	side_collect(&pair_a);
	side_answers(&pair_a, "0a820a 01 01 74 06 15 04 f0ed a301" "0a80 08 00000002 02 6b31 05");
	side_set_count(&pair_a, "k2", 6);
	side_set_count(&pair_a, "k3", 7);
	side_collect(&pair_a);
	side_answers(&pair_a, "0a81 04 02 6b32 06"
			      "0a81 04 02 6b33 07"); /* the table and the number go on */
}

static void what_was_learned_is_not_told_on(void **state)
{
	uint64_t updates;

	(void)state;
	pair_one_table();
	side_set_count(&pair_a, "key", 5);
	pair_run();
	updates = talk_counts(pair_a.talk)->updates_in;
	pair_run();
	assert_int_equal(talk_counts(pair_a.talk)->updates_in, updates);
	assert_int_equal(talk_counts(pair_b.talk)->updates_out, 0);
}

static void a_turn_is_bounded(void **state)
{
	unsigned char buf[TALK_MESSAGE_MOST];
	char key[10];
	unsigned i;

	(void)state;
	pair_one_table_in_use();
	pair_a.setup.most_updates = 10;
	side_talks(&pair_a);
	for (i = 0; i < 100; i++) {
		snprintf(key, sizeof(key), "%u", i);
		side_set_count(&pair_a, key, i);
	}
	side_collect(&pair_a);
	for (i = 10; i <= 100; i += 10) {
		assert_true(talk_has_more(pair_a.talk));
		assert_true(talk_out(pair_a.talk, buf, sizeof(buf)) > 0);
		assert_int_equal(talk_counts(pair_a.talk)->updates_out, i);
	}
	assert_int_equal(talk_out(pair_a.talk, buf, sizeof(buf)), 0);
	assert_false(talk_has_more(pair_a.talk));
}

static void tables_take_turns(void **state)
{
	char key[10];
	unsigned i;

	(void)state;
	pair_add_tables("t", pair_simple(STICK_STRING, 20));
	pair_add_tables("u", pair_simple(STICK_STRING, 20));
	pair_a.setup.most_updates = 10;
	pair_talk();
	for (i = 0; i < 100; i++) {
		snprintf(key, sizeof(key), "%u", i);
		side_set(&pair_a, 0, span_of(key), STICK_gpc0, 0, i);
	}
	side_set(&pair_a, 1, span_of("x"), STICK_gpc0, 0, 8);
	side_collect(&pair_a);
	side_says(&pair_a, (unsigned char[TALK_MESSAGE_MOST]){ 0 });
	side_says(&pair_a, (unsigned char[TALK_MESSAGE_MOST]){ 0 });
	assert_int_equal(side_said(&pair_a, WIRE_TABLES, WIRE_DEFINITION), 3); /* t, u, t */
	assert_int_equal(talk_counts(pair_a.talk)->updates_out, 20);
}

/* ---- teaching ------------------------------------------------------------------------------ */

static void who_asks_is_taught(void **state)
{
	(void)state;
	pair_add_tables("t", pair_simple(STICK_STRING, 20));
	pair_add_tables("u", pair_simple(STICK_INTEGER, 4));
	side_set_count(&pair_a, "key", 5);
	side_collect(&pair_a);
	pair_talk();
	talk_ask(pair_b.talk);
	side_pass(&pair_b, &pair_a); /* in front of all changes */
	assert_true(talk_is_teaching(pair_a.talk));
	pair_run();
	assert_int_equal(side_count(&pair_b, "key"), 5);
	assert_int_equal(pair_a.events[TALK_WAS_ASKED], 1);
	assert_int_equal(pair_a.events[TALK_CONFIRMED], 1);
	assert_int_equal(pair_b.events[TALK_FINISHED], 1);
	assert_int_equal(side_said(&pair_a, WIRE_CONTROL, WIRE_FINISHED), 1);
	assert_int_equal(side_said(&pair_a, WIRE_TABLES, WIRE_DEFINITION),
			 2); /* an empty one, too */
	assert_int_equal(side_said(&pair_a, WIRE_TABLES, WIRE_TIMED), 1);
	assert_int_equal(side_said(&pair_a, WIRE_TABLES, WIRE_UPDATE),
			 0); /* it is not told again */
	assert_int_equal(side_said(&pair_b, WIRE_CONTROL, WIRE_CONFIRM), 1);
	assert_false(talk_is_teaching(pair_a.talk));
}

/* What is said of them does not fit into one turn; nor do acknowledgements of a longer one. */
static void many_tables_are_taught(void **state)
{
	static char names[TABLES][300];
	char name[10];
	unsigned i;

	(void)state;
	for (i = 0; i < TABLES; i++) {
		snprintf(name, sizeof(name), "t%u", i);
		pair_add_tables(name, pair_simple(STICK_STRING, 20));
		memset(names[i], 'n', sizeof(names[i]) - 1);
		memcpy(names[i], name, strlen(name));
		pair_a.tables[i].name = pair_b.tables[i].name = names[i];
		side_set(&pair_a, i, span_of("key"), STICK_gpc0, 0, i);
	}
	side_collect(&pair_a);
	pair_talk();
	talk_ask(pair_b.talk);
	side_pass(&pair_b, &pair_a);
	pair_run();
	for (i = 0; i < TABLES; i++)
		assert_int_equal(side_value(&pair_b, i, span_of("key"), STICK_gpc0, 0), i);
	assert_int_equal(talk_counts(pair_b.talk)->acks_out, TABLES);
	assert_int_equal(side_said(&pair_a, WIRE_TABLES, WIRE_DEFINITION), TABLES);
	assert_int_equal(pair_b.events[TALK_FINISHED], 1);
	pair_talk(); /* what was confirmed is known of each */
	pair_run();
	assert_int_equal(talk_counts(pair_a.talk)->updates_out, 0);
}

static void what_was_learned_is_taught(void **state)
{
	(void)state;
	pair_one_table();
	side_set_count(&pair_a, "key", 5);
	pair_run();
	pair_end(NULL); /* the table of b alone stays */
	pair_begin(NULL);
	pair_one_table();
	stick_feed_quiet(pair_b.tables[0].table, true);
	side_set_count(&pair_b, "learned", 7);
	stick_feed_quiet(pair_b.tables[0].table, false);
	talk_ask(pair_a.talk);
	pair_run();
	assert_int_equal(side_count(&pair_a, "learned"), 7);
	assert_int_equal(pair_a.events[TALK_FINISHED], 1);
}

static void who_lacks_something_teaches_in_part(void **state)
{
	(void)state;
	pair_one_table();
	pair_a.up_to_date = false;
	side_set_count(&pair_a, "key", 5);
	talk_ask(pair_b.talk);
	pair_run();
	assert_int_equal(side_count(&pair_b, "key"), 5);
	assert_int_equal(pair_b.events[TALK_PARTIAL], 1);
	assert_int_equal(pair_b.events[TALK_FINISHED], 0);
	assert_int_equal(side_said(&pair_b, WIRE_CONTROL, WIRE_CONFIRM), 1);
	assert_int_equal(pair_a.events[TALK_CONFIRMED], 1);
}

static void who_is_replaced_teaches_unasked(void **state)
{
	(void)state;
	pair_one_table();
	side_set_count(&pair_a, "key", 5);
	talk_teach(pair_a.talk);
	pair_run();
	assert_int_equal(side_count(&pair_b, "key"), 5);
	assert_int_equal(pair_a.events[TALK_WAS_ASKED], 0);
	assert_int_equal(pair_a.events[TALK_CONFIRMED], 1);
	assert_int_equal(pair_b.events[TALK_FINISHED], 1);
}

static void both_teach_each_other(void **state)
{
	(void)state;
	pair_one_table();
	side_set_count(&pair_a, "a", 5);
	side_set_count(&pair_b, "b", 6);
	talk_ask(pair_a.talk);
	talk_ask(pair_b.talk);
	pair_run();
	assert_int_equal(side_count(&pair_b, "a"), 5);
	assert_int_equal(side_count(&pair_a, "b"), 6);
	assert_int_equal(pair_a.events[TALK_FINISHED] + pair_b.events[TALK_FINISHED], 2);
}

static void changes_during_a_teaching_follow_it(void **state)
{
	static unsigned char piece[TALK_MESSAGE_MOST];
	char key[10];
	unsigned i;
	size_t len;

	(void)state;
	pair_one_table();
	pair_a.setup.most_updates = 10;
	side_talks(&pair_a);
	for (i = 0; i < 100; i++) {
		snprintf(key, sizeof(key), "%u", i);
		side_set_count(&pair_a, key, i);
	}
	side_collect(&pair_a);
	talk_ask(pair_b.talk);
	side_pass(&pair_b, &pair_a);
	len = side_says(&pair_a, piece);
	assert_int_equal(talk_in(pair_b.talk, piece, len), 0);
	side_set_count(&pair_a, "3", 333);
	side_set_count(&pair_a, "new", 7);
	pair_run();
	assert_int_equal(side_count(&pair_b, "3"), 333);
	assert_int_equal(side_count(&pair_b, "new"), 7);
	assert_int_equal(pair_b.events[TALK_FINISHED], 1);
	assert_in_range(talk_counts(pair_a.talk)->updates_out, 101, 103);
}

static void a_hundred_thousand_entries_are_taught(void **state)
{
	struct stick_definition def = pair_simple(STICK_INTEGER, 4);
	struct timespec from, to;
	uint32_t i;

	(void)state;
	def.size = 100000;
	pair_add_tables("t", def);
	for (i = 0; i < def.size; i++)
		side_set(&pair_a, 0, (struct span){ (char *)&i, 4 }, STICK_gpc0, 0, i);
	side_collect(&pair_a);
	pair_talk();
	talk_ask(pair_b.talk);
	side_pass(&pair_b, &pair_a);
	clock_gettime(CLOCK_MONOTONIC, &from);
	pair_run();
	clock_gettime(CLOCK_MONOTONIC, &to);
	print_message("%ld ms\n", (to.tv_sec - from.tv_sec) * 1000 +
		      (to.tv_nsec - from.tv_nsec) / 1000000);
	for (i = 0; i < def.size; i++)
		assert_int_equal(
			side_value(&pair_b, 0, (struct span){ (char *)&i, 4 }, STICK_gpc0, 0), i);
	assert_int_equal(talk_counts(pair_a.talk)->updates_out, def.size);
	assert_int_equal(talk_counts(pair_b.talk)->acks_out, 1);
	assert_int_equal(pair_b.events[TALK_FINISHED], 1);
}

static void a_confirm_out_of_turn_is_nothing(void **state)
{
	(void)state;
	pair_one_table();
	side_set_count(&pair_a, "key", 5);
	side_collect(&pair_a);
	assert_int_equal(side_takes(&pair_a, "0003"), 0);
	assert_int_equal(side_state(&pair_a, 0).acked, 0);
	assert_int_equal(side_takes(&pair_a, "0000 0003"), 0);
	assert_int_equal(side_state(&pair_a, 0).acked, 0);
	assert_int_equal(pair_a.events[TALK_CONFIRMED], 0);
	assert_true(talk_is_teaching(pair_a.talk));
}

static void asking_twice_is_asking_once(void **state)
{
	(void)state;
	pair_one_table();
	assert_int_equal(side_takes(&pair_a, "0000 0000 0000"), 0);
	assert_int_equal(pair_a.events[TALK_WAS_ASKED], 1);
	side_pass(&pair_a, &pair_b);
	assert_int_equal(side_said(&pair_a, WIRE_CONTROL, WIRE_FINISHED), 1);
	assert_int_equal(side_takes(&pair_a, "0000"), 0); /* and not confirmed before */
	side_pass(&pair_a, &pair_b);
	assert_int_equal(side_said(&pair_a, WIRE_CONTROL, WIRE_FINISHED), 2);
}

static void version_2_0_knows_no_time(void **state)
{
	(void)state;
	pair_one_table();
	pair_a.setup.untimed = true;
	side_talks(&pair_a);
	side_set_count(&pair_a, "key", 5);
	talk_ask(pair_b.talk);
	talk_beat(pair_a.talk);
	pair_run();
	assert_int_equal(side_count(&pair_b, "key"), 5);
	assert_int_equal(side_said(&pair_a, WIRE_TABLES, WIRE_TIMED), 0);
	assert_int_equal(talk_counts(pair_b.talk)->beats_in, 0);
}

/* ---- acknowledgements ---------------------------------------------------------------------- */

static void each_batch_is_acknowledged_once(void **state)
{
	(void)state;
	pair_one_table();
	assert_int_equal(side_takes(&pair_a, T_IS_7 "0a80 08 00000001 02 6b31 05"
						    "0a81 04 02 6b32 06"),
			 0);
	side_answers(&pair_a, "0a84 05 07 00000002");
	assert_int_equal(side_takes(&pair_a, "0a80 08 00000002 02 6b31 05"), 0); /* known */
	side_answers(&pair_a, "");
	assert_int_equal(side_takes(&pair_a, "0a81 04 02 6b32 06"), 0);
	assert_int_equal(side_takes(&pair_a, "0a81 04 02 6b32 06"), 0);
	side_answers(&pair_a, "0a84 05 07 00000004");
	assert_int_equal(side_takes(&pair_a, "0a80 08 00000004 02 6b31 05" "0001"), 0);
	side_answers(&pair_a, "0003"); /* taught: it may have forgotten it */
	assert_int_equal(side_takes(&pair_a, "0a80 08 00000004 02 6b31 09"), 0);
	side_answers(&pair_a, "0a84 05 07 00000004");
	assert_int_equal(side_takes(&pair_a, "0a80 08 00000004 02 6b31 09"), 0);
	side_answers(&pair_a, "");
	assert_int_equal(side_takes(&pair_a, "0a85 0c 00000009 00000400 02 6b31 05" "0001"), 0);
	side_answers(&pair_a, "0a84 05 07 00000009" "0003"); /* all in one piece */
	assert_int_equal(side_takes(&pair_a, "0a80 08 00000009 02 6b31 09"), 0);
	side_answers(&pair_a, "0a84 05 07 00000009");
	assert_int_equal(side_takes(&pair_a, "0a80 08 00000009 02 6b31 09"), 0);
	side_answers(&pair_a, "");
	assert_int_equal(side_takes(&pair_a, "0a80 08 ffffffff 02 6b31 05"
					     "0a81 04 02 6b32 06"),
			 0);
	side_answers(&pair_a, "0a84 05 07 00000000");
}

static void a_conversation_goes_on_behind_what_was_acknowledged(void **state)
{
	(void)state;
	pair_one_table();
	side_set_count(&pair_a, "one", 1);
	side_set_count(&pair_a, "two", 2);
	pair_run();
	assert_int_equal(side_state(&pair_a, 0).acked, 2);
	pair_talk();
	assert_int_equal(side_state(&pair_a, 0).acked, 2);
	pair_run();
	assert_int_equal(talk_counts(pair_a.talk)->updates_out, 0);
	side_set_count(&pair_a, "three", 3);
	pair_run();
	assert_int_equal(talk_counts(pair_a.talk)->updates_out, 1);
	pair_talk();
	side_set_count(&pair_a, "four", 4);
	side_collect(&pair_a);
	side_says_in_vain(&pair_a);
	pair_talk();
	pair_run();
	assert_int_equal(side_count(&pair_b, "four"), 4);
	assert_int_equal(talk_counts(pair_a.talk)->updates_out, 1);
}

static void a_teaching_that_was_confirmed_is_not_repeated(void **state)
{
	(void)state;
	pair_one_table();
	side_set_count(&pair_a, "one", 1);
	talk_ask(pair_b.talk);
	pair_run();
	pair_talk();
	pair_run();
	assert_int_equal(talk_counts(pair_a.talk)->updates_out, 0);
}

static void a_teaching_that_broke_off_is(void **state)
{
	unsigned char buf[TALK_MESSAGE_MOST];

	(void)state;
	pair_one_table_in_use();
	side_set_count(&pair_a, "one", 1);
	side_collect(&pair_a);
	assert_int_equal(side_takes(&pair_a, "0000"), 0);
	talk_out(pair_a.talk, buf, sizeof(buf));
	assert_int_equal(talk_counts(pair_a.talk)->updates_out, 2);
	assert_int_equal(side_takes(&pair_a, "0a84 05 01 00000002"),
			 0); /* its first entries, perhaps */
	pair_talk();
	pair_run();
	assert_int_equal(talk_counts(pair_a.talk)->updates_out, 1);
}

static void what_was_never_said_is_not_acknowledged(void **state)
{
	(void)state;
	pair_one_table();
	assert_int_equal(side_takes(&pair_a, "0a84 05 01 00000001"), 0);
	assert_int_equal(side_state(&pair_a, 0).acked, 0);
	side_set_count(&pair_a, "one", 1);
	side_collect(&pair_a);
	side_says_in_vain(&pair_a);
	assert_int_equal(side_takes(&pair_a, "0a84 05 01 01000000"),
			 0); /* its bytes are the wrong way round */
	assert_int_equal(side_takes(&pair_a, "0a84 05 01 00000002"), 0);
	assert_int_equal(side_takes(&pair_a, "0a84 05 02 00000001"), 0);
	assert_int_equal(side_takes(&pair_a, "0a84 05 00 00000001"), 0);
	assert_int_equal(side_state(&pair_a, 0).acked, 0);
	assert_int_equal(talk_counts(pair_a.talk)->ignored, 2);
	assert_int_equal(side_takes(&pair_a, "0a84 05 01 00000001"), 0);
	assert_int_equal(side_state(&pair_a, 0).acked, 1);
	assert_int_equal(stick_feed_acked(pair_a.tables[0].table, pair_a.setup.who), 1);
}

/* More changes than the feed remembers by their numbers: told in the order of the places. The last
 * one is told twice. */
static void a_long_absence_is_made_up_for_once(void **state)
{
	struct stick_definition def = pair_simple(STICK_INTEGER, 4);
	uint32_t i, round;

	(void)state;
	def.size = 100;
	pair_add_tables("t", def);
	for (round = 0; round < 10; round++) {
		for (i = 0; i < def.size; i++)
			side_set(&pair_a, 0, (struct span){ (char *)&i, 4 }, STICK_gpc0, 0,
				 i + round);
		side_collect(&pair_a);
	}
	pair_talk();
	pair_run();
	for (i = 0; i < def.size; i++)
		assert_int_equal(
			side_value(&pair_b, 0, (struct span){ (char *)&i, 4 }, STICK_gpc0, 0),
			i + round - 1);
	assert_int_equal(talk_counts(pair_a.talk)->updates_out, def.size + 1);
	assert_int_equal(side_state(&pair_a, 0).acked, def.size * round);
	pair_talk();
	pair_run();
	assert_int_equal(talk_counts(pair_a.talk)->updates_out, 0);
}

/* ---- what is cut, unknown or wrong --------------------------------------------------------- */

/* All that a says at a teaching of many types. */
static void prepare_stream(void)
{
	struct stick_definition def = pair_of_all(STICK_STRING, 20, true);

	pair_add_tables("t", pair_of_all(STICK_STRING, 20, false));
	def.columns[STICK_gpt].count = def.columns[STICK_gpc].count = 3;
	def.columns[STICK_gpc_rate].count = 3;
	pair_add_tables("u", def);
	pair_talk();
	side_fill(&pair_a, 0, span_of("one"), 1);
	side_fill(&pair_a, 0, span_of("two"), 2);
	side_fill(&pair_a, 1, span_of("three"), 3);
	side_collect(&pair_a);
	side_pass(&pair_a, &pair_b);
	talk_teach(pair_a.talk);
	side_pass(&pair_a, &pair_b);
}

static void is_taken_from_pieces(size_t first, size_t piece)
{
	size_t at = first;

	side_talks(&pair_b);
	assert_int_equal(talk_in(pair_b.talk, pair_a.said, first), 0);
	for (; at < pair_a.said_len; at += piece)
		assert_int_equal(
			talk_in(pair_b.talk, pair_a.said + at,
				at + piece < pair_a.said_len ? piece : pair_a.said_len - at),
			0);
	assert_int_equal(talk_counts(pair_b.talk)->updates_in,
			 talk_counts(pair_a.talk)->updates_out);
	assert_int_equal(pair_b.events[TALK_FINISHED], 1);
}

static void pieces_of_any_length_are_taken(void **state)
{
	size_t i;

	(void)state;
	prepare_stream();
	assert_true(pair_a.said_len > 500);
	for (i = 0; i <= pair_a.said_len; i++)
		is_taken_from_pieces(i, pair_a.said_len);
	for (i = 1; i < 50; i++)
		is_taken_from_pieces(0, i);
	side_is_filled(&pair_b, 0, span_of("two"), 2);
	side_is_filled(&pair_b, 1, span_of("three"), 3);
}

/* The message of that number in what a has said, with another length: cut, or longer. */
static int with_another_length(unsigned number, size_t body)
{
	static unsigned char buf[TALK_MESSAGE_MOST];
	struct wire_out out = wire_out(buf, sizeof(buf));
	struct wire_message m;
	size_t at = 0, i;
	int len;

	for (;; number--) {
		len = wire_message((struct span){ (char *)pair_a.said + at, pair_a.said_len - at },
				   &m);
		if (len <= 0)
			return 1;
		if (!number)
			break;
		at += (size_t)len;
	}
	if (m.type < WIRE_WITH_BODY || body > m.body.len + 5)
		return 2;
	side_talks(&pair_b);
	assert_int_equal(talk_in(pair_b.talk, pair_a.said, at), 0);
	wire_begin(&out, m.class, m.type);
	for (i = 0; i < body; i++)
		wire_put_bytes(&out, i < m.body.len ? &m.body.ptr[i] : "x", 1);
	assert_true(wire_end(&out));
	return body >= m.body.len ? talk_in(pair_b.talk, buf, (size_t)(out.at - buf)) * 10 :
				    talk_in(pair_b.talk, buf, (size_t)(out.at - buf)) * 100;
}

/* Cut: refused, or (a definition that says less) taken as unusable. Longer: taken. */
static void messages_of_any_length_are_judged(void **state)
{
	unsigned number, refused = 0, longer = 0, all = 0;
	size_t body;
	int verdict;

	(void)state;
	prepare_stream();
	for (number = 0; with_another_length(number, 0) != 1; number++)
		for (body = 0; (verdict = with_another_length(number, body)) != 2; body++) {
			all++;
			refused += verdict == -100;
			longer += verdict == -10;
		}
	assert_true(all > 500 && refused > all * 3 / 4);
	assert_int_equal(longer, 0);
}

static void a_cut_update_changes_nothing(void **state)
{
	(void)state;
	pair_one_table();
	side_set_count(&pair_a, "k1", 3);
	assert_int_equal(side_takes(&pair_a, T_IS_7 "0a80 07 00000001 02 6b31"), -1);
	assert_int_equal(side_count(&pair_a, "k1"), 3);
	assert_int_equal(talk_counts(pair_a.talk)->errors, 1);
	side_answers(&pair_a, "0100");
	side_answers(&pair_a, "");
	assert_int_equal(side_takes(&pair_a, "0004"), -1);
	assert_int_equal(talk_counts(pair_a.talk)->beats_in, 0);
	assert_int_equal(talk_counts(pair_a.talk)->errors, 1);
	assert_false(talk_has_more(pair_a.talk));
}

static void what_is_unknown_is_passed_over(void **state)
{
	(void)state;
	pair_one_table();
	assert_int_equal(
		side_takes(&pair_a,
			   "0005 007f 0080 00 0100 0101 0200 0280 03 616263 0a00 0a87 01 00"
			   "0aff 00 1180 01 00 fe80 00"),
		0);
	assert_int_equal(talk_counts(pair_a.talk)->ignored, 12);
	/* An update, but for its class or type. */
	assert_int_equal(side_takes(&pair_a, T_IS_7 "0280 08 00000001 02 6b31 05"
						    "0a87 08 00000001 02 6b31 05"),
			 0);
	assert_int_equal(stick_used(pair_a.tables[0].table), 0);
	assert_int_equal(side_takes(&pair_a, T_IS_7 "0004"), 0);
	assert_int_equal(talk_counts(pair_a.talk)->beats_in, 1);
	assert_int_equal(talk_counts(pair_a.talk)->errors, 0);
	side_answers(&pair_a, "");
}

static void what_is_wrong_ends_it(void **state)
{
	static const struct {
		const char *bytes, *answer;
	} cases[] = {
		{ "ff", "0100" },
		{ "0a80 f0 80 80 80 80 80 80 80 80 80", "0100" }, /* a length without an end */
		{ "0080 ff ff ff ff ff ff ff ff ff ff ff", "0100" },
		{ "0a80 f1 f1 06", "0101" }, /* 16385 */
		{ "0a90 ff f0 fe fe 7e", "0101" },
		{ "0a82 00", "0100" },
		{ "0a82 03 01 05 61", "0100" },
		{ "0a83 00", "0100" },
		{ "0a84 04 01 000000", "0100" },
		{ "0a84 01 f0", "0100" },
		{ T_IS_7 "0a80 03 000000", "0100" },
		{ T_IS_7 "0a81 00", "0100" },
		{ T_IS_7 "0a80 08 00000001 f0 f0f0f0", "0100" },
		{ T_IS_7 "0a80 08 00000001 03 6b3105", "0100" },
		{ T_IS_7 "0a85 0b 00000001 000000 02 6b3105", "0100" },
		{ T_IS_7 "0a80 0c 00000001 02 6b31 ffffffffff", "0100" },
	};
	size_t i;

	(void)state;
	pair_one_table();
	for (i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		side_talks(&pair_a);
		if (side_takes(&pair_a, cases[i].bytes) != -1)
			fail_msg("%s is taken", cases[i].bytes);
		side_answers(&pair_a, cases[i].answer);
		assert_int_equal(talk_counts(pair_a.talk)->errors, 1);
	}
	assert_int_equal(stick_used(pair_a.tables[0].table), 0);
}

static void tables_that_do_not_fit_are_passed_over(void **state)
{
	static const char *const definitions[] = {
		"0a820a 07 01 75 06 15 04 f0d9a201", /* another name */
		"0a820a 07 01 74 06 16 04 f0d9a201", /* another length */
		"0a820a 07 01 74 07 15 04 f0d9a201", /* another type */
		"0a820a 07 01 74 63 15 04 f0d9a201", /* an unknown one */
		"0a820a 07 01 74 06 15 0c f0d9a201", /* a rate without a period */
	};
	size_t i;

	(void)state;
	pair_one_table();
	for (i = 0; i < sizeof(definitions) / sizeof(*definitions); i++) {
		side_talks(&pair_a);
		assert_int_equal(side_takes(&pair_a, definitions[i]), 0);
		assert_int_equal(side_takes(&pair_a, "0a80 08 00000001 02 6b31 05"), 0);
		assert_int_equal(side_takes(&pair_a, "0a83 01 07"
						     "0a80 08 00000001 02 6b31 05"),
				 0);
		side_answers(&pair_a, "");
		assert_false(side_has(&pair_a, 0, "k1"));
		assert_false(side_state(&pair_a, 0).usable);
		assert_true(talk_counts(pair_a.talk)->ignored >= 4);
		assert_int_equal(side_takes(&pair_a, T_IS("08") "0a80 08 00000001 02 6b31 05"), 0);
		assert_int_equal(side_count(&pair_a, "k1"), 5);
		side_answers(&pair_a, "0a84 05 08 00000001");
		stick_remove(pair_a.tables[0].table,
			     stick_find(pair_a.tables[0].table, span_of("k1")));
	}
}

static void updates_without_a_definition_are_passed_over(void **state)
{
	(void)state;
	pair_one_table();
	assert_int_equal(side_takes(&pair_a, "0a80 08 00000001 02 6b31 05" "0a83 01 07"
			       "0a80 08 00000001 02 6b31 05"), 0);
	side_answers(&pair_a, "");
	assert_int_equal(talk_counts(pair_a.talk)->ignored, 3);
	assert_int_equal(stick_used(pair_a.tables[0].table), 0);
}

static void a_peer_switches_between_its_tables(void **state)
{
	(void)state;
	pair_add_tables("t", pair_simple(STICK_STRING, 20));
	pair_add_tables("u", pair_simple(STICK_STRING, 20));
	pair_talk();
	assert_int_equal(side_takes(&pair_a, T_IS_7 "0a820a 08 01 75 06 15 04 f0d9a201"
			       "0a80 08 00000001 02 6b31 05" "0a83 01 07"
			       "0a80 08 00000005 02 6b31 06" "0a83 01 08" "0a81 04 02 6b32 07"), 0);
	assert_int_equal(side_value(&pair_a, 0, span_of("k1"), STICK_gpc0, 0), 6);
	assert_int_equal(side_value(&pair_a, 1, span_of("k1"), STICK_gpc0, 0), 5);
	assert_int_equal(side_value(&pair_a, 1, span_of("k2"), STICK_gpc0, 0), 7);
	side_answers(&pair_a, "0a84 05 07 00000005 0a84 05 08 00000002");
	/* The id of one becomes that of the other. */
	assert_int_equal(side_takes(&pair_a, "0a820a 07 01 75 06 15 04 f0d9a201"
			       "0a80 08 00000009 02 6b33 01"), 0);
	side_answers(&pair_a, "0a84 05 07 00000009");
	assert_int_equal(side_state(&pair_a, 0).their_id, 0);
	assert_int_equal(side_state(&pair_a, 1).their_id, 7);
}

static void whatever_is_due_is_more_to_say(void **state)
{
	(void)state;
	pair_one_table_in_use();
	pair_run();
	assert_false(talk_has_more(pair_a.talk));
	talk_beat(pair_a.talk);
	assert_true(talk_has_more(pair_a.talk));
	side_answers(&pair_a, "0004");
	talk_ask(pair_a.talk);
	assert_true(talk_has_more(pair_a.talk));
	side_answers(&pair_a, "0000");
	assert_int_equal(side_takes(&pair_a, "0001"), 0);
	assert_true(talk_has_more(pair_a.talk));
	side_answers(&pair_a, "0003");
	assert_int_equal(side_takes(&pair_a, T_IS_7 "0a80 08 00000005 02 6b31 05"), 0);
	assert_true(talk_has_more(pair_a.talk));
	side_answers(&pair_a, "0a84 05 07 00000005");
	side_set_count(&pair_a, "key", 5);
	assert_false(talk_has_more(pair_a.talk));
	side_collect(&pair_a);
	assert_true(talk_has_more(pair_a.talk));
	side_says_in_vain(&pair_a);
	assert_false(talk_has_more(pair_a.talk));
	talk_teach(pair_a.talk);
	assert_true(talk_has_more(pair_a.talk));
	side_says_in_vain(&pair_a);
	assert_false(talk_has_more(pair_a.talk)); /* it waits for the confirmation */
	assert_true(talk_is_teaching(pair_a.talk));
}

static void beats_are_said_and_counted(void **state)
{
	(void)state;
	pair_one_table();
	pair_run();
	talk_beat(pair_a.talk);
	side_answers(&pair_a, "0004");
	assert_int_equal(side_takes(&pair_a, "00040004"), 0);
	assert_int_equal(talk_counts(pair_a.talk)->beats_in, 2);
	assert_int_equal(talk_counts(pair_a.talk)->beats_out, 1);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, pair_begin, pair_end)
	const struct CMUnitTest tests[] = {
		TEST(a_change_arrives),
		TEST(a_change_has_the_bytes_of_the_reference),
		TEST(what_was_learned_is_not_told_on),
		TEST(a_turn_is_bounded),
		TEST(tables_take_turns),
		TEST(who_asks_is_taught),
		TEST(many_tables_are_taught),
		TEST(what_was_learned_is_taught),
		TEST(who_lacks_something_teaches_in_part),
		TEST(who_is_replaced_teaches_unasked),
		TEST(both_teach_each_other),
		TEST(changes_during_a_teaching_follow_it),
		TEST(a_hundred_thousand_entries_are_taught),
		TEST(a_confirm_out_of_turn_is_nothing),
		TEST(asking_twice_is_asking_once),
		TEST(version_2_0_knows_no_time),
		TEST(each_batch_is_acknowledged_once),
		TEST(a_conversation_goes_on_behind_what_was_acknowledged),
		TEST(a_teaching_that_was_confirmed_is_not_repeated),
		TEST(a_teaching_that_broke_off_is),
		TEST(what_was_never_said_is_not_acknowledged),
		TEST(a_long_absence_is_made_up_for_once),
		TEST(pieces_of_any_length_are_taken),
		TEST(messages_of_any_length_are_judged),
		TEST(a_cut_update_changes_nothing),
		TEST(what_is_unknown_is_passed_over),
		TEST(what_is_wrong_ends_it),
		TEST(tables_that_do_not_fit_are_passed_over),
		TEST(updates_without_a_definition_are_passed_over),
		TEST(a_peer_switches_between_its_tables),
		TEST(whatever_is_due_is_more_to_say),
		TEST(beats_are_said_and_counted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
