/* SPDX-License-Identifier: BSD-2-Clause */
/* Two conversations against each other: every type of key and datum arrives, is stored as the table
 * has room for it, and goes to the shard of its key. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "peers/test_pair.h"

#include "base/clock.h"
#include "base/err.h"

#include <stdio.h>

static struct err err;

/* ---- every type ---------------------------------------------------------------------------- */

static void all_arrive(enum stick_key_type type, uint32_t len, bool arrays, struct span key)
{
	unsigned round;

	pair_end(NULL);
	pair_begin(NULL);
	pair_add_tables("t", pair_of_all(type, len, arrays));
	pair_talk();
	for (round = 0; round < 8; round++) {
		side_fill(&pair_a, 0, key, round);
		pair_run();
		side_is_filled(&pair_b, 0, key, round);
	}
	/* The same by a teaching. */
	talk_ask(pair_b.talk);
	pair_run();
	side_is_filled(&pair_b, 0, key, 7);
	assert_int_equal(pair_b.events[TALK_FINISHED], 1);
}

static void every_type_arrives(void **state)
{
	static const uint32_t ends[] = { 0, 1, 0x7fffffff, 0x80000000, UINT32_MAX };
	static char bytes[2000];
	uint32_t len, i, arrays;

	(void)state;
	memset(bytes, 'k', sizeof(bytes));
	for (arrays = 0; arrays < 2; arrays++) {
		for (i = 0; i < 5; i++)
			all_arrive(STICK_INTEGER, 4, arrays, (struct span){ (char *)&ends[i], 4 });
		all_arrive(STICK_IP, 4, arrays, (struct span){ "\0\xff\x7f\0", 4 });
		all_arrive(STICK_IPV6, 16, arrays,
			   (struct span){ "\0\1\2\3\4\5\6\7\x80\xff......", 16 });
		for (len = 1; len < sizeof(bytes); len = len * 3 + 5) {
			all_arrive(STICK_STRING, len, arrays, (struct span){ bytes, len });
			all_arrive(STICK_STRING, len, arrays, (struct span){ bytes, 0 });
			all_arrive(STICK_BINARY, len, arrays, (struct span){ bytes, len });
		}
	}
}

static void the_longest_updates_arrive_or_are_left_out(void **state)
{
	static char bytes[16384];
	struct stick_definition def = pair_simple(STICK_STRING, sizeof(bytes));
	size_t len, most = TALK_MESSAGE_MOST - 5 - 3 - 1;

	(void)state;
	pair_add_tables("t", def);
	pair_talk();
	side_set_count(&pair_a, "first", 1);
	pair_run();
	memset(bytes, 'k', sizeof(bytes));
	for (len = most - 3; len <= most + 3; len++)
		side_set(&pair_a, 0, (struct span){ bytes, len }, STICK_gpc0, 0, 9);
	side_set_count(&pair_a, "short", 5);
	pair_run();
	for (len = most - 3; len <= most + 3; len++)
		assert_int_equal(side_value(&pair_b, 0, (struct span){ bytes, len }, STICK_gpc0, 0),
				 len <= most ? 9 : UINT64_MAX - 1);
	assert_int_equal(side_count(&pair_b, "short"), 5);
}

static void other_arrays_keep_what_both_have(void **state)
{
	struct stick_definition def = pair_simple(STICK_STRING, 20);

	(void)state;
	def.columns[STICK_gpc0].count = 0;
	def.columns[STICK_gpt].count = 3;
	def.columns[STICK_gpc].count = 2;
	side_add_table(&pair_a, "t", def);
	def.columns[STICK_gpt].count = 2;
	def.columns[STICK_gpc].count = 0;
	def.columns[STICK_gpc0].count = 1; /* nothing is made of an array */
	side_add_table(&pair_b, "t", def);
	pair_talk();
	side_fill(&pair_a, 0, span_of("k"), 1);
	side_fill(&pair_b, 0, span_of("l"), 1);
	pair_run();
	assert_int_equal(side_value(&pair_b, 0, span_of("k"), STICK_gpt, 0),
			 pair_some_value(STICK_gpt, 0, 1));
	assert_int_equal(side_value(&pair_b, 0, span_of("k"), STICK_gpt, 1),
			 pair_some_value(STICK_gpt, 1, 1));
	assert_int_equal(side_value(&pair_b, 0, span_of("k"), STICK_gpc0, 0), 0);
	assert_int_equal(side_value(&pair_a, 0, span_of("l"), STICK_gpt, 1),
			 pair_some_value(STICK_gpt, 1, 1));
	assert_int_equal(side_value(&pair_a, 0, span_of("l"), STICK_gpt, 2), 0);
	assert_int_equal(side_value(&pair_a, 0, span_of("l"), STICK_gpc, 0), 0);
}

/* ---- what is stored ------------------------------------------------------------------------ */

static void the_life_that_is_left_is_told_by_a_teaching(void **state)
{
	(void)state;
	pair_one_table();
	side_set_count(&pair_a, "key", 5);
	clock_advance(EXPIRE / 2);
	talk_ask(pair_b.talk);
	pair_run();
	assert_int_equal(side_left(&pair_b, "key"), EXPIRE / 2);
	side_set_count(&pair_a, "key", 6);
	pair_run();
	assert_int_equal(side_left(&pair_b, "key"), EXPIRE);
	assert_int_equal(side_takes(&pair_b, T_IS_7 "0a85 0c 00000001 00000400 02 6b31 05"), 0);
	assert_int_equal(side_left(&pair_b, "k1"), 0x400);
	assert_int_equal(side_takes(&pair_b, "0a86 08 ffffffff 02 6b31 05"),
			 0); /* above the table's own */
	assert_int_equal(side_left(&pair_b, "k1"), EXPIRE);
	assert_int_equal(side_takes(&pair_b, "0a86 08 00000000 02 6b31 05"), 0);
	assert_false(side_has(&pair_b, 0, "k1"));
	/* Entries of a table without an end say 0. */
	assert_int_equal(side_takes(&pair_b, "0a8207 07 01 74 06 15 04 00"
					     "0a85 0c 00000001 00000000 02 6b31 05"),
			 0);
	assert_int_equal(side_left(&pair_b, "k1"), EXPIRE);
}

static void connections_of_others_are_not_ours(void **state)
{
	struct stick_definition def = pair_simple(STICK_STRING, 20);

	(void)state;
	def.columns[STICK_conn_cur].count = 1;
	pair_add_tables("t", def);
	pair_add_tables("u", def);
	pair_b.tables[1].recv_only = true;
	pair_talk();
	side_set(&pair_a, 0, span_of("key"), STICK_conn_cur, 0, 9);
	side_set(&pair_a, 1, span_of("key"), STICK_conn_cur, 0, 9);
	side_set(&pair_b, 1, span_of("mine"), STICK_gpc0, 0, 9);
	talk_ask(pair_a.talk);
	pair_run();
	assert_int_equal(side_value(&pair_b, 0, span_of("key"), STICK_conn_cur, 0), 0);
	assert_int_equal(side_value(&pair_b, 1, span_of("key"), STICK_conn_cur, 0), 9);
	assert_false(side_has(&pair_a, 1, "mine")); /* it is for receiving alone */
	assert_int_equal(pair_a.events[TALK_FINISHED], 1);
	assert_true(side_state(&pair_a, 1).their_id != 0);
}

static void updates_are_written_through(void **state)
{
	struct stick_definition def = pair_simple(STICK_STRING, 20);
	uint32_t number;
	unsigned i;

	(void)state;
	def.columns[STICK_server_id].count = def.columns[STICK_server_key].count = 1;
	def.columns[STICK_gpt].count = 2;
	pair_add_tables("t", def);
	pair_add_tables("mine", def);
	pair_b.tables[0].write_to = pair_b.tables[1].table;
	pair_b.count = 1;
	pair_talk();
	number = stick_name_note(span_of("srv1"));
	side_set(&pair_a, 0, span_of("key"), STICK_server_id, 0, 3);
	side_set(&pair_a, 0, span_of("key"), STICK_server_key, 0, number);
	side_set(&pair_a, 0, span_of("key"), STICK_gpt, 1, 8);
	side_set(&pair_a, 0, span_of("key"), STICK_gpc0, 0, 9);
	pair_run();
	for (i = 0; i < 2; i++) {
		assert_int_equal(side_value(&pair_b, i, span_of("key"), STICK_server_id, 0), 3);
		assert_int_equal(side_value(&pair_b, i, span_of("key"), STICK_server_key, 0),
				 number);
		assert_int_equal(side_value(&pair_b, i, span_of("key"), STICK_gpt, 1), 8);
	}
	assert_int_equal(side_value(&pair_b, 0, span_of("key"), STICK_gpc0, 0), 9);
	assert_int_equal(side_value(&pair_b, 1, span_of("key"), STICK_gpc0, 0), 0);
}

static void a_full_table_takes_no_more(void **state)
{
	struct stick_definition def = pair_simple(STICK_STRING, 20);
	unsigned i, kept = 0;
	char key[10];

	(void)state;
	side_add_table(&pair_a, "t", def);
	def.size = 10;
	def.nopurge = true;
	side_add_table(&pair_b, "t", def);
	pair_talk();
	for (i = 0; i < 20; i++) {
		snprintf(key, sizeof(key), "%u", i);
		side_set_count(&pair_a, key, i);
	}
	pair_run();
	for (i = 0; i < 20; i++) {
		snprintf(key, sizeof(key), "%u", i);
		kept += side_has(&pair_b, 0, key);
	}
	assert_int_equal(kept, 10);
	assert_int_equal(side_state(&pair_a, 0).acked, 20);
}

static void long_keys_are_cut_and_end_at_a_nul(void **state)
{
	(void)state;
	pair_one_table();
	assert_int_equal(side_takes(&pair_a, T_IS_7
				    "0a80 20 00000001 1a 303132333435363738393031323334353637"
				    "3839303132333435 09"),
			 0);
	assert_int_equal(side_count(&pair_a, "01234567890123456789"), 9);
	assert_int_equal(side_takes(&pair_a, "0a80 0a 00000001 04 61620063 08"), 0);
	assert_int_equal(side_count(&pair_a, "ab"), 8);
	assert_int_equal(side_takes(&pair_a, "0a80 06 00000001 00 07"), 0);
	assert_int_equal(side_count(&pair_a, ""), 7);
}

static void numbers_are_cut_to_what_is_stored(void **state)
{
	(void)state;
	pair_one_table();
	assert_int_equal(
		side_takes(&pair_a, T_IS_7 "0a80 11 00000001 02 6b31 fff0fefefefefefefe0e"), 0);
	assert_int_equal(side_count(&pair_a, "k1"), UINT32_MAX);
}

static void rates_of_long_ago_are_nothing(void **state)
{
	struct stick_definition def = pair_simple(STICK_INTEGER, 4);
	const uint32_t key = 1;
	struct span k = { (const char *)&key, 4 };

	(void)state;
	def.columns[STICK_gpc0].count = 0;
	def.columns[STICK_http_req_rate] = (struct stick_column){ .count = 1, .period = 10000 };
	pair_add_tables("t", def);
	pair_talk();
	/* 12000, 5, 10 */
	assert_int_equal(side_takes(&pair_a, "0a820c 07 01 74 02 04 f031 00 0a f0e203"
			       "0a80 0d 00000001 00000001 f0df04 05 0a"), 0);
	assert_int_equal(side_value(&pair_a, 0, k, STICK_http_req_rate, 0),
			 4); /* 2 s are gone of it */
	/* 25000, 5, 10; an age that is above any */
	assert_int_equal(side_takes(&pair_a, "0a80 0d 00000002 00000001 f88b0b 05 0a"), 0);
	assert_int_equal(side_value(&pair_a, 0, k, STICK_http_req_rate, 0), 0);
	assert_int_equal(side_takes(&pair_a, "0a80 0f 00000002 00000001 fff0fefe76 05 0a"), 0);
	assert_int_equal(side_value(&pair_a, 0, k, STICK_http_req_rate, 0), 0);
	/* -1: it begins in a moment, by another clock */
	assert_int_equal(side_takes(&pair_a, "0a80 0f 00000002 00000001 fff0fefe7e 05 0a"), 0);
	assert_int_equal(side_value(&pair_a, 0, k, STICK_http_req_rate, 0), 15);
}

/* ---- names of servers ---------------------------------------------------------------------- */

static struct stick_definition with_names(void)
{
	struct stick_definition def = pair_simple(STICK_STRING, 20);

	def.columns[STICK_gpc0].count = 0;
	def.columns[STICK_server_key].count = 1;
	return def;
}

static void set_name(struct side *s, unsigned i, const char *key, const char *name)
{
	side_set(s, i, span_of(key), STICK_server_key, 0, stick_name_note(span_of(name)));
}

static void name_is(struct side *s, unsigned i, const char *key, const char *name)
{
	struct span found =
		stick_name((uint32_t)side_value(s, i, span_of(key), STICK_server_key, 0));

	if (!found.ptr || !span_equal(found, span_of(name)))
		fail_msg("%s has %.*s, not %s", key, (int)found.len, found.ptr, name);
}

static void names_arrive_though_there_are_many(void **state)
{
	char key[10], name[20];
	unsigned i, round;

	(void)state;
	pair_add_tables("t", with_names());
	pair_talk();
	for (round = 0; round < 3; round++)
		for (i = 0; i < 300; i++) {
			snprintf(key, sizeof(key), "%u", i);
			snprintf(name, sizeof(name), "s%u", i * (round + 1));
			set_name(&pair_a, 0, key, name);
			if (i % 7 == 0)
				pair_run();
		}
	pair_run();
	for (i = 0; i < 300; i++) {
		snprintf(key, sizeof(key), "%u", i);
		snprintf(name, sizeof(name), "s%u", i * 3);
		name_is(&pair_b, 0, key, name);
	}
}

/* A name is said once, whatever it is said about: also of a table that only one of them has. */
static void names_of_other_tables_count(void **state)
{
	(void)state;
	side_add_table(&pair_a, "unknown", with_names());
	side_add_table(&pair_a, "t", with_names());
	side_add_table(&pair_b, "t", with_names());
	pair_talk();
	set_name(&pair_a, 0, "x", "s1");
	pair_run();
	set_name(&pair_a, 1, "y", "s1");
	pair_run();
	name_is(&pair_b, 0, "y", "s1");
	assert_true(talk_counts(pair_b.talk)->ignored > 0);
}

static void a_name_that_was_never_said_is_none(void **state)
{
	(void)state;
	pair_add_tables("t", with_names());
	pair_talk();
	set_name(&pair_a, 0, "k1", "s1");
	/* 40000h: bit 19 */
	assert_int_equal(side_takes(&pair_a, "0a820a 07 01 74 06 15 f0f1fe00 00"
			       "0a80 09 00000001 02 6b31 01 05"), 0);
	assert_int_equal(side_value(&pair_a, 0, span_of("k1"), STICK_server_key, 0), 0);
	assert_int_equal(side_takes(&pair_a, "0a80 0c 00000001 02 6b31 04 80 02 7a31"), 0);
	name_is(&pair_a, 0, "k1", "z1");
	assert_int_equal(side_takes(&pair_a, "0a80 08 00000001 02 6b31 00"), 0);
	assert_int_equal(side_value(&pair_a, 0, span_of("k1"), STICK_server_key, 0), 0);
	assert_int_equal(side_takes(&pair_a, "0a80 0a 00000001 02 6b31 02 f011"), -1); /* 257 */
}

/* ---- shards -------------------------------------------------------------------------------- */

static void each_shard_gets_its_keys(void **state)
{
	unsigned shard, i, found = 0;
	char key[10];

	(void)state;
	for (shard = 0; shard <= 3; shard++) {
		pair_end(NULL);
		pair_begin(NULL);
		pair_add_tables("t", pair_simple(STICK_STRING, 20));
		pair_a.setup.shard = shard;
		pair_a.setup.shards = 3;
		pair_talk();
		for (i = 0; i < 300; i++) {
			snprintf(key, sizeof(key), "%u", i);
			side_set_count(&pair_a, key, i);
		}
		pair_run();
		if (!shard)
			assert_int_equal(stick_used(pair_b.tables[0].table), 300);
		else
			found += stick_used(pair_b.tables[0].table);
		if (shard)
			assert_in_range(stick_used(pair_b.tables[0].table), 70, 130);
	}
	assert_int_equal(found, 300);
}

/* HAProxy 2.8 tells the keys k0, k1, ... of the table t1 in the section p to these. */
static void shards_are_those_of_the_reference(void **state)
{
	static const char shards[] = "231222131332132132233112131113";
	struct stick_definition def = pair_simple(STICK_STRING, 20);
	unsigned shard, i;
	char key[10];
	bool anew;

	(void)state;
	for (shard = 1; shard <= 3; shard++) {
		pair_end(NULL);
		pair_begin(NULL);
		pair_add_tables("/t1", def);
		def.name = "p/t1";
		stick_layout(&def);
		pair_a.tables[0].table = stick_table_open(&def, &anew, &err);
		stick_feed_begin(pair_a.tables[0].table);
		pair_a.setup.shard = shard;
		pair_a.setup.shards = 3;
		pair_talk();
		for (i = 0; shards[i]; i++) {
			snprintf(key, sizeof(key), "k%u", i);
			side_set_count(&pair_a, key, 1);
		}
		pair_run();
		for (i = 0; shards[i]; i++) {
			snprintf(key, sizeof(key), "k%u", i);
			assert_int_equal(side_has(&pair_b, 0, key),
					 (unsigned)(shards[i] - '0') == shard);
		}
	}
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, pair_begin, pair_end)
	const struct CMUnitTest tests[] = {
		TEST(every_type_arrives),
		TEST(the_longest_updates_arrive_or_are_left_out),
		TEST(other_arrays_keep_what_both_have),
		TEST(the_life_that_is_left_is_told_by_a_teaching),
		TEST(connections_of_others_are_not_ours),
		TEST(updates_are_written_through),
		TEST(a_full_table_takes_no_more),
		TEST(long_keys_are_cut_and_end_at_a_nul),
		TEST(numbers_are_cut_to_what_is_stored),
		TEST(rates_of_long_ago_are_nothing),
		TEST(names_arrive_though_there_are_many),
		TEST(names_of_other_tables_count),
		TEST(a_name_that_was_never_said_is_none),
		TEST(each_shard_gets_its_keys),
		TEST(shards_are_those_of_the_reference),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
