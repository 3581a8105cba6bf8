/* SPDX-License-Identifier: BSD-2-Clause */
/* Two conversations against each other, over real tables: what one changes the other has. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "peers/talk.h"
#include "peers/wire.h"

#include "base/clock.h"
#include "base/err.h"
#include "stick/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { TABLES = 80, EXPIRE = 600000, STREAM = 1 << 20 };

static struct err err;

/* One of the two. Its tables have the same names on the wire as the other's. */
struct side {
	char letter;
	struct peers_table tables[TABLES];
	unsigned count;
	struct talk_setup setup;
	struct talk *talk;
	bool up_to_date;
	unsigned events[4];
	unsigned char said[STREAM]; /* all that it has said */
	size_t said_len;
};
static struct side a, b;

static void happened(void *owner, enum talk_event event)
{
	struct side *s = owner;

	s->events[event]++;
}

static bool is_up_to_date(void *owner)
{
	struct side *s = owner;

	return s->up_to_date;
}

static int begin(void **state)
{
	(void)state;
	clock_freeze(1000000);
	a = (struct side){ .letter = 'a', .up_to_date = true };
	b = (struct side){ .letter = 'b', .up_to_date = true };
	stick_memory_end();
	return stick_memory_begin(false, &err);
}

static int end(void **state)
{
	(void)state;
	talk_free(&a.talk);
	talk_free(&b.talk);
	stick_memory_end();
	return 0;
}

static struct stick_table *open_table(char letter, const char *name, struct stick_definition def)
{
	struct stick_table *t;
	char full[40];
	bool anew;

	snprintf(full, sizeof(full), "%c.%s", letter, name);
	def.name = full;
	stick_layout(&def);
	t = stick_table_open(&def, &anew, &err);
	if (!t)
		fail_msg("%s", err.text);
	stick_feed_begin(t);
	return t;
}

static struct stick_definition simple(enum stick_key_type type, uint32_t len)
{
	struct stick_definition def = { .type = type, .key_len = len, .size = 1000,
					.expire_ms = EXPIRE };

	def.columns[STICK_gpc0].count = 1;
	return def;
}

static void add_table(struct side *s, const char *name, struct stick_definition def)
{
	s->tables[s->count++] = (struct peers_table){ .table = open_table(s->letter, name, def),
						      .name = name };
}

static void add_tables(const char *name, struct stick_definition def)
{
	add_table(&a, name, def);
	add_table(&b, name, def);
}

static void talks(struct side *s)
{
	talk_free(&s->talk);
	s->setup.tables = s->tables;
	s->setup.table_count = s->count;
	s->setup.who = 77 + (uint64_t)s->letter;
	s->setup.owner = s;
	s->setup.happened = happened;
	s->setup.is_up_to_date = is_up_to_date;
	if (!s->setup.most_updates)
		s->setup.most_updates = 200;
	s->said_len = 0;
	memset(s->events, 0, sizeof(s->events));
	s->talk = talk_new(&s->setup);
	assert_non_null(s->talk);
}

static void both_talk(void)
{
	talks(&a);
	talks(&b);
}

static void collect(struct side *s)
{
	unsigned i, found = 0;

	for (i = 0; i < s->count; i++)
		while (stick_feed_collect(s->tables[i].table, 64, &found))
			;
	if (found && s->talk)
		talk_tables_changed(s->talk);
}

/* What it says now, in one piece; 0: nothing. */
static size_t says(struct side *s, unsigned char *buf)
{
	size_t len;

	do
		len = talk_out(s->talk, buf, TALK_MESSAGE_MOST);
	while (!len && talk_has_more(s->talk));
	assert_true(len <= TALK_MESSAGE_MOST);
	if (s->said_len + len <= sizeof(s->said))
		memcpy(s->said + s->said_len, buf, len);
	s->said_len += len;
	return len;
}

/* It is lost on its way. */
static void says_in_vain(struct side *s)
{
	static unsigned char buf[TALK_MESSAGE_MOST];

	says(s, buf);
}

static size_t pass(struct side *from, struct side *to)
{
	static unsigned char buf[TALK_MESSAGE_MOST];
	size_t len, sum = 0;

	while ((len = says(from, buf))) {
		if (talk_in(to->talk, buf, len) < 0)
			fail_msg("%c refuses what %c says", to->letter, from->letter);
		sum += len;
	}
	return sum;
}

static void run(void)
{
	collect(&a);
	collect(&b);
	while (pass(&a, &b) + pass(&b, &a))
		;
	assert_int_equal(talk_counts(a.talk)->errors, 0);
	assert_int_equal(talk_counts(b.talk)->errors, 0);
}

static struct span text(const char *key)
{
	return span_of(key);
}

static void set(struct side *s, unsigned i, struct span key, enum stick_data what, unsigned at,
		uint64_t value)
{
	struct stick_entry *e = stick_take(s->tables[i].table, key, NULL);

	assert_non_null(e);
	stick_set(s->tables[i].table, e, what, at, value);
	stick_touch(s->tables[i].table, e);
	stick_give(s->tables[i].table, e);
}

static void set_count(struct side *s, const char *key, uint64_t value)
{
	set(s, 0, text(key), STICK_gpc0, 0, value);
}

static uint64_t value(struct side *s, unsigned i, struct span key, enum stick_data what, unsigned at)
{
	struct stick_entry *e = stick_find(s->tables[i].table, key);
	uint64_t v;

	if (!e)
		return UINT64_MAX - 1;
	v = stick_value(s->tables[i].table, e, what, at);
	stick_give(s->tables[i].table, e);
	return v;
}

static uint64_t count_of(struct side *s, const char *key)
{
	return value(s, 0, text(key), STICK_gpc0, 0);
}

static bool has(struct side *s, unsigned i, const char *key)
{
	struct stick_entry *e = stick_find(s->tables[i].table, text(key));

	stick_give(s->tables[i].table, e);
	return e;
}

static uint32_t left(struct side *s, const char *key)
{
	struct stick_entry *e = stick_find(s->tables[0].table, text(key));
	uint32_t ms;

	assert_non_null(e);
	ms = stick_left(s->tables[0].table, e);
	stick_give(s->tables[0].table, e);
	return ms;
}

static struct talk_table_state state_of(struct side *s, unsigned i)
{
	struct talk_table_state state;

	talk_table_state(s->talk, i, &state);
	return state;
}

/* How often it has said a message of that class and type, since its conversation began. */
static unsigned said(const struct side *s, unsigned class, unsigned type)
{
	struct wire_message m;
	size_t at = 0;
	unsigned n = 0;
	int len;

	assert_true(s->said_len <= sizeof(s->said));
	for (; at < s->said_len; at += (size_t)len) {
		len = wire_message((struct span){ (const char *)s->said + at, s->said_len - at },
				   &m);
		assert_true(len > 0);
		n += m.class == class && m.type == type;
	}
	return n;
}

/* ---- bytes by hand ------------------------------------------------------------------------- */

static struct span hex(const char *digits)
{
	static unsigned char bytes[40000];
	size_t len = 0;

	for (; *digits; digits++) {
		if (*digits == ' ')
			continue;
		bytes[len++] = (unsigned char)(str_hex_digit(digits[0]) << 4 |
					       str_hex_digit(digits[1]));
		digits++;
	}
	return (struct span){ (char *)bytes, len };
}

static int gives(struct side *s, const char *digits)
{
	struct span bytes = hex(digits);

	return talk_in(s->talk, bytes.ptr, bytes.len);
}

static void answers(struct side *s, const char *digits)
{
	static unsigned char buf[TALK_MESSAGE_MOST];
	struct span wanted;
	char found[300] = "";
	size_t len, i;

	len = says(s, buf);
	for (i = 0; i < len && i < 90; i++)
		snprintf(found + 3 * i, 4, "%02x ", buf[i]);
	wanted = hex(digits);
	if (!span_equal((struct span){ (char *)buf, len }, wanted))
		fail_msg("wanted %s, found %s", digits, found);
}

/* A table "t" of strings with gpc0, as number 7 of the peer. */
#define T_IS_7 "0a820a 07 01 74 06 15 04 f0d9a201 "
#define T_IS(id) "0a820a " id " 01 74 06 15 04 f0d9a201 "

static void one_table(void)
{
	add_tables("t", simple(STICK_STRING, 20));
	both_talk();
}

/* Something has been told already: the first change of all is told by a walk. */
static void one_table_in_use(void)
{
	one_table();
	set_count(&a, "first", 1);
	run();
	both_talk();
	assert_int_equal(state_of(&a, 0).acked, 1);
}

/* ---- changes ------------------------------------------------------------------------------- */

static void a_change_arrives(void **state)
{
	(void)state;
	one_table();
	run();
	set_count(&a, "key", 5);
	run();
	assert_int_equal(count_of(&b, "key"), 5);
	set_count(&b, "other", 6);
	run();
	assert_int_equal(count_of(&a, "other"), 6);
	set_count(&a, "key", 0);
	run();
	assert_int_equal(count_of(&b, "key"), 0);
}

static void a_change_has_the_bytes_of_the_reference(void **state)
{
	(void)state;
	one_table_in_use();
	set_count(&a, "k1", 5);
	collect(&a);
	answers(&a, "0a820a 01 01 74 06 15 04 f0ed a301" "0a80 08 00000002 02 6b31 05");
	set_count(&a, "k2", 6);
	set_count(&a, "k3", 7);
	collect(&a);
	answers(&a, "0a81 04 02 6b32 06" "0a81 04 02 6b33 07"); /* the table and the number go on */
}

static void what_was_learned_is_not_told_on(void **state)
{
	uint64_t updates;

	(void)state;
	one_table();
	set_count(&a, "key", 5);
	run();
	updates = talk_counts(a.talk)->updates_in;
	run();
	assert_int_equal(talk_counts(a.talk)->updates_in, updates);
	assert_int_equal(talk_counts(b.talk)->updates_out, 0);
}

static void a_turn_is_bounded(void **state)
{
	unsigned char buf[TALK_MESSAGE_MOST];
	char key[10];
	unsigned i;

	(void)state;
	one_table_in_use();
	a.setup.most_updates = 10;
	talks(&a);
	for (i = 0; i < 100; i++) {
		snprintf(key, sizeof(key), "%u", i);
		set_count(&a, key, i);
	}
	collect(&a);
	for (i = 10; i <= 100; i += 10) {
		assert_true(talk_has_more(a.talk));
		assert_true(talk_out(a.talk, buf, sizeof(buf)) > 0);
		assert_int_equal(talk_counts(a.talk)->updates_out, i);
	}
	assert_int_equal(talk_out(a.talk, buf, sizeof(buf)), 0);
	assert_false(talk_has_more(a.talk));
}

static void tables_take_turns(void **state)
{
	char key[10];
	unsigned i;

	(void)state;
	add_tables("t", simple(STICK_STRING, 20));
	add_tables("u", simple(STICK_STRING, 20));
	a.setup.most_updates = 10;
	both_talk();
	for (i = 0; i < 100; i++) {
		snprintf(key, sizeof(key), "%u", i);
		set(&a, 0, text(key), STICK_gpc0, 0, i);
	}
	set(&a, 1, text("x"), STICK_gpc0, 0, 8);
	collect(&a);
	says(&a, (unsigned char[TALK_MESSAGE_MOST]){ 0 });
	says(&a, (unsigned char[TALK_MESSAGE_MOST]){ 0 });
	assert_int_equal(said(&a, WIRE_TABLES, WIRE_DEFINITION), 3); /* t, u, t */
	assert_int_equal(talk_counts(a.talk)->updates_out, 20);
}

/* ---- every type ---------------------------------------------------------------------------- */

static struct stick_definition of_all(enum stick_key_type type, uint32_t len, bool arrays)
{
	struct stick_definition def = simple(type, len);
	unsigned what;

	for (what = 0; what < STICK_DATA; what++) {
		def.columns[what].count = stick_data_types[what].argument < STICK_ARRAY;
		if (stick_data_types[what].form == STICK_RATE)
			def.columns[what].period = 1000 * (what + 1);
	}
	if (!arrays)
		return def;
	def.columns[STICK_gpt0].count = 0;
	def.columns[STICK_gpc0].count = def.columns[STICK_gpc1].count = 0;
	def.columns[STICK_gpc0_rate].count = def.columns[STICK_gpc1_rate].count = 0;
	def.columns[STICK_gpt].count = def.columns[STICK_gpc].count = STICK_ARRAY_MOST;
	def.columns[STICK_gpc_rate].count = STICK_ARRAY_MOST;
	return def;
}

static struct span longest_name(void)
{
	static char name[STICK_NAME_MOST];

	memset(name, 'n', sizeof(name));
	return (struct span){ name, sizeof(name) };
}

/* Something, for a round: the ends of the range are among it. */
static uint64_t some_value(unsigned what, unsigned at, unsigned round)
{
	static const uint64_t values[] = { 0, UINT64_MAX, 239, 240, 2287, 2288, UINT32_MAX };
	uint64_t v = values[(what + at + round) % 7];

	if (stick_data_types[what].form == STICK_KEY)
		return stick_name_note(round % 2 ? longest_name() : span_of("s"));
	return stick_data_types[what].form == STICK_LONG ? v : (uint32_t)v;
}

static struct stick_rate_state some_rate(unsigned what, unsigned at, unsigned round)
{
	return (struct stick_rate_state){ .age = (what * 31 + at) % 1000,
					  .now = (uint32_t)some_value(STICK_gpc0, at + 1, round),
					  .before = (uint32_t)some_value(STICK_gpc0, at, round) };
}

static void fill(struct side *s, unsigned i, struct span key, unsigned round)
{
	struct stick_table *t = s->tables[i].table;
	struct stick_entry *e = stick_take(t, key, NULL);
	unsigned what, at;

	for (what = 0; what < STICK_DATA; what++)
		for (at = 0; at < stick_definition(t)->columns[what].count; at++)
			if (stick_data_types[what].form == STICK_RATE)
				stick_rate_set(t, e, what, at, some_rate(what, at, round));
			else
				stick_set(t, e, what, at, some_value(what, at, round));
	stick_give(t, e);
}

static void is_filled(struct side *s, unsigned i, struct span key, unsigned round)
{
	struct stick_table *t = s->tables[i].table;
	struct stick_entry *e = stick_find(t, key);
	struct stick_rate_state found, wanted;
	uint64_t n;
	unsigned what, at;

	assert_non_null(e);
	for (what = 0; what < STICK_DATA; what++)
		for (at = 0; at < stick_definition(t)->columns[what].count; at++) {
			found = wanted = some_rate(what, at, round);
			if (stick_data_types[what].form == STICK_RATE)
				found = stick_rate_state(t, e, what, at);
			n = what == STICK_conn_cur ? 0 : some_value(what, at, round);
			if (memcmp(&found, &wanted, sizeof(found)) ||
			    (stick_data_types[what].form != STICK_RATE &&
			     stick_value(t, e, what, at) != n))
				fail_msg("%s(%u) in round %u", stick_data_types[what].name, at,
					 round);
		}
	stick_give(t, e);
}

static void all_arrive(enum stick_key_type type, uint32_t len, bool arrays, struct span key)
{
	unsigned round;

	end(NULL);
	begin(NULL);
	add_tables("t", of_all(type, len, arrays));
	both_talk();
	for (round = 0; round < 8; round++) {
		fill(&a, 0, key, round);
		run();
		is_filled(&b, 0, key, round);
	}
	/* The same by a teaching. */
	talk_ask(b.talk);
	run();
	is_filled(&b, 0, key, 7);
	assert_int_equal(b.events[TALK_FINISHED], 1);
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
		all_arrive(STICK_IPV6, 16, arrays, (struct span){ "\0\1\2\3\4\5\6\7\x80\xff......", 16 });
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
	struct stick_definition def = simple(STICK_STRING, sizeof(bytes));
	size_t len, most = TALK_MESSAGE_MOST - 5 - 3 - 1;

	(void)state;
	add_tables("t", def);
	both_talk();
	set_count(&a, "first", 1);
	run();
	memset(bytes, 'k', sizeof(bytes));
	for (len = most - 3; len <= most + 3; len++)
		set(&a, 0, (struct span){ bytes, len }, STICK_gpc0, 0, 9);
	set_count(&a, "short", 5);
	run();
	for (len = most - 3; len <= most + 3; len++)
		assert_int_equal(value(&b, 0, (struct span){ bytes, len }, STICK_gpc0, 0),
				 len <= most ? 9 : UINT64_MAX - 1);
	assert_int_equal(count_of(&b, "short"), 5);
}

static void other_arrays_keep_what_both_have(void **state)
{
	struct stick_definition def = simple(STICK_STRING, 20);

	(void)state;
	def.columns[STICK_gpc0].count = 0;
	def.columns[STICK_gpt].count = 3;
	def.columns[STICK_gpc].count = 2;
	add_table(&a, "t", def);
	def.columns[STICK_gpt].count = 2;
	def.columns[STICK_gpc].count = 0;
	def.columns[STICK_gpc0].count = 1; /* nothing is made of an array */
	add_table(&b, "t", def);
	both_talk();
	fill(&a, 0, text("k"), 1);
	fill(&b, 0, text("l"), 1);
	run();
	assert_int_equal(value(&b, 0, text("k"), STICK_gpt, 0), some_value(STICK_gpt, 0, 1));
	assert_int_equal(value(&b, 0, text("k"), STICK_gpt, 1), some_value(STICK_gpt, 1, 1));
	assert_int_equal(value(&b, 0, text("k"), STICK_gpc0, 0), 0);
	assert_int_equal(value(&a, 0, text("l"), STICK_gpt, 1), some_value(STICK_gpt, 1, 1));
	assert_int_equal(value(&a, 0, text("l"), STICK_gpt, 2), 0);
	assert_int_equal(value(&a, 0, text("l"), STICK_gpc, 0), 0);
}

/* ---- teaching ------------------------------------------------------------------------------ */

static void who_asks_is_taught(void **state)
{
	(void)state;
	add_tables("t", simple(STICK_STRING, 20));
	add_tables("u", simple(STICK_INTEGER, 4));
	set_count(&a, "key", 5);
	collect(&a);
	both_talk();
	talk_ask(b.talk);
	pass(&b, &a); /* in front of all changes */
	assert_true(talk_is_teaching(a.talk));
	run();
	assert_int_equal(count_of(&b, "key"), 5);
	assert_int_equal(a.events[TALK_WAS_ASKED], 1);
	assert_int_equal(a.events[TALK_CONFIRMED], 1);
	assert_int_equal(b.events[TALK_FINISHED], 1);
	assert_int_equal(said(&a, WIRE_CONTROL, WIRE_FINISHED), 1);
	assert_int_equal(said(&a, WIRE_TABLES, WIRE_DEFINITION), 2); /* an empty one, too */
	assert_int_equal(said(&a, WIRE_TABLES, WIRE_TIMED), 1);
	assert_int_equal(said(&a, WIRE_TABLES, WIRE_UPDATE), 0); /* it is not told again */
	assert_int_equal(said(&b, WIRE_CONTROL, WIRE_CONFIRM), 1);
	assert_false(talk_is_teaching(a.talk));
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
		add_tables(name, simple(STICK_STRING, 20));
		memset(names[i], 'n', sizeof(names[i]) - 1);
		memcpy(names[i], name, strlen(name));
		a.tables[i].name = b.tables[i].name = names[i];
		set(&a, i, text("key"), STICK_gpc0, 0, i);
	}
	collect(&a);
	both_talk();
	talk_ask(b.talk);
	pass(&b, &a);
	run();
	for (i = 0; i < TABLES; i++)
		assert_int_equal(value(&b, i, text("key"), STICK_gpc0, 0), i);
	assert_int_equal(talk_counts(b.talk)->acks_out, TABLES);
	assert_int_equal(said(&a, WIRE_TABLES, WIRE_DEFINITION), TABLES);
	assert_int_equal(b.events[TALK_FINISHED], 1);
	both_talk(); /* what was confirmed is known of each */
	run();
	assert_int_equal(talk_counts(a.talk)->updates_out, 0);
}

static void what_was_learned_is_taught(void **state)
{
	(void)state;
	one_table();
	set_count(&a, "key", 5);
	run();
	end(NULL); /* the table of b alone stays */
	begin(NULL);
	one_table();
	stick_feed_quiet(b.tables[0].table, true);
	set_count(&b, "learned", 7);
	stick_feed_quiet(b.tables[0].table, false);
	talk_ask(a.talk);
	run();
	assert_int_equal(count_of(&a, "learned"), 7);
	assert_int_equal(a.events[TALK_FINISHED], 1);
}

static void who_lacks_something_teaches_in_part(void **state)
{
	(void)state;
	one_table();
	a.up_to_date = false;
	set_count(&a, "key", 5);
	talk_ask(b.talk);
	run();
	assert_int_equal(count_of(&b, "key"), 5);
	assert_int_equal(b.events[TALK_PARTIAL], 1);
	assert_int_equal(b.events[TALK_FINISHED], 0);
	assert_int_equal(said(&b, WIRE_CONTROL, WIRE_CONFIRM), 1);
	assert_int_equal(a.events[TALK_CONFIRMED], 1);
}

static void who_is_replaced_teaches_unasked(void **state)
{
	(void)state;
	one_table();
	set_count(&a, "key", 5);
	talk_teach(a.talk);
	run();
	assert_int_equal(count_of(&b, "key"), 5);
	assert_int_equal(a.events[TALK_WAS_ASKED], 0);
	assert_int_equal(a.events[TALK_CONFIRMED], 1);
	assert_int_equal(b.events[TALK_FINISHED], 1);
}

static void both_teach_each_other(void **state)
{
	(void)state;
	one_table();
	set_count(&a, "a", 5);
	set_count(&b, "b", 6);
	talk_ask(a.talk);
	talk_ask(b.talk);
	run();
	assert_int_equal(count_of(&b, "a"), 5);
	assert_int_equal(count_of(&a, "b"), 6);
	assert_int_equal(a.events[TALK_FINISHED] + b.events[TALK_FINISHED], 2);
}

static void changes_during_a_teaching_follow_it(void **state)
{
	static unsigned char piece[TALK_MESSAGE_MOST];
	char key[10];
	unsigned i;
	size_t len;

	(void)state;
	one_table();
	a.setup.most_updates = 10;
	talks(&a);
	for (i = 0; i < 100; i++) {
		snprintf(key, sizeof(key), "%u", i);
		set_count(&a, key, i);
	}
	collect(&a);
	talk_ask(b.talk);
	pass(&b, &a);
	len = says(&a, piece);
	talk_in(b.talk, piece, len);
	set_count(&a, "3", 333);
	set_count(&a, "new", 7);
	run();
	assert_int_equal(count_of(&b, "3"), 333);
	assert_int_equal(count_of(&b, "new"), 7);
	assert_int_equal(b.events[TALK_FINISHED], 1);
	assert_in_range(talk_counts(a.talk)->updates_out, 101, 103);
}

static void a_hundred_thousand_entries_are_taught(void **state)
{
	struct stick_definition def = simple(STICK_INTEGER, 4);
	struct timespec from, to;
	uint32_t i;

	(void)state;
	def.size = 100000;
	add_tables("t", def);
	for (i = 0; i < def.size; i++)
		set(&a, 0, (struct span){ (char *)&i, 4 }, STICK_gpc0, 0, i);
	collect(&a);
	both_talk();
	talk_ask(b.talk);
	pass(&b, &a);
	clock_gettime(CLOCK_MONOTONIC, &from);
	run();
	clock_gettime(CLOCK_MONOTONIC, &to);
	print_message("%ld ms\n", (to.tv_sec - from.tv_sec) * 1000 +
		      (to.tv_nsec - from.tv_nsec) / 1000000);
	for (i = 0; i < def.size; i++)
		assert_int_equal(value(&b, 0, (struct span){ (char *)&i, 4 }, STICK_gpc0, 0), i);
	assert_int_equal(talk_counts(a.talk)->updates_out, def.size);
	assert_int_equal(talk_counts(b.talk)->acks_out, 1);
	assert_int_equal(b.events[TALK_FINISHED], 1);
}

static void a_confirm_out_of_turn_is_nothing(void **state)
{
	(void)state;
	one_table();
	set_count(&a, "key", 5);
	collect(&a);
	assert_int_equal(gives(&a, "0003"), 0);
	assert_int_equal(state_of(&a, 0).acked, 0);
	assert_int_equal(gives(&a, "0000 0003"), 0);
	assert_int_equal(state_of(&a, 0).acked, 0);
	assert_int_equal(a.events[TALK_CONFIRMED], 0);
	assert_true(talk_is_teaching(a.talk));
}

static void asking_twice_is_asking_once(void **state)
{
	(void)state;
	one_table();
	assert_int_equal(gives(&a, "0000 0000 0000"), 0);
	assert_int_equal(a.events[TALK_WAS_ASKED], 1);
	pass(&a, &b);
	assert_int_equal(said(&a, WIRE_CONTROL, WIRE_FINISHED), 1);
	assert_int_equal(gives(&a, "0000"), 0); /* and not confirmed before */
	pass(&a, &b);
	assert_int_equal(said(&a, WIRE_CONTROL, WIRE_FINISHED), 2);
}

static void version_2_0_knows_no_time(void **state)
{
	(void)state;
	one_table();
	a.setup.untimed = true;
	talks(&a);
	set_count(&a, "key", 5);
	talk_ask(b.talk);
	talk_beat(a.talk);
	run();
	assert_int_equal(count_of(&b, "key"), 5);
	assert_int_equal(said(&a, WIRE_TABLES, WIRE_TIMED), 0);
	assert_int_equal(talk_counts(b.talk)->beats_in, 0);
}

/* ---- acknowledgements ---------------------------------------------------------------------- */

static void each_batch_is_acknowledged_once(void **state)
{
	(void)state;
	one_table();
	assert_int_equal(gives(&a, T_IS_7 "0a80 08 00000001 02 6b31 05" "0a81 04 02 6b32 06"), 0);
	answers(&a, "0a84 05 07 00000002");
	assert_int_equal(gives(&a, "0a80 08 00000002 02 6b31 05"), 0); /* known */
	answers(&a, "");
	assert_int_equal(gives(&a, "0a81 04 02 6b32 06"), 0);
	assert_int_equal(gives(&a, "0a81 04 02 6b32 06"), 0);
	answers(&a, "0a84 05 07 00000004");
	assert_int_equal(gives(&a, "0a80 08 00000004 02 6b31 05" "0001"), 0);
	answers(&a, "0003"); /* taught: it may have forgotten it */
	assert_int_equal(gives(&a, "0a80 08 00000004 02 6b31 09"), 0);
	answers(&a, "0a84 05 07 00000004");
	assert_int_equal(gives(&a, "0a80 08 00000004 02 6b31 09"), 0);
	answers(&a, "");
	assert_int_equal(gives(&a, "0a85 0c 00000009 00000400 02 6b31 05" "0001"), 0);
	answers(&a, "0a84 05 07 00000009" "0003"); /* all in one piece */
	assert_int_equal(gives(&a, "0a80 08 00000009 02 6b31 09"), 0);
	answers(&a, "0a84 05 07 00000009");
	assert_int_equal(gives(&a, "0a80 08 00000009 02 6b31 09"), 0);
	answers(&a, "");
	assert_int_equal(gives(&a, "0a80 08 ffffffff 02 6b31 05" "0a81 04 02 6b32 06"), 0);
	answers(&a, "0a84 05 07 00000000");
}

static void a_conversation_goes_on_behind_what_was_acknowledged(void **state)
{
	(void)state;
	one_table();
	set_count(&a, "one", 1);
	set_count(&a, "two", 2);
	run();
	assert_int_equal(state_of(&a, 0).acked, 2);
	both_talk();
	assert_int_equal(state_of(&a, 0).acked, 2);
	run();
	assert_int_equal(talk_counts(a.talk)->updates_out, 0);
	set_count(&a, "three", 3);
	run();
	assert_int_equal(talk_counts(a.talk)->updates_out, 1);
	both_talk();
	set_count(&a, "four", 4);
	collect(&a);
	says_in_vain(&a);
	both_talk();
	run();
	assert_int_equal(count_of(&b, "four"), 4);
	assert_int_equal(talk_counts(a.talk)->updates_out, 1);
}

static void a_teaching_that_was_confirmed_is_not_repeated(void **state)
{
	(void)state;
	one_table();
	set_count(&a, "one", 1);
	talk_ask(b.talk);
	run();
	both_talk();
	run();
	assert_int_equal(talk_counts(a.talk)->updates_out, 0);
}

static void a_teaching_that_broke_off_is(void **state)
{
	unsigned char buf[TALK_MESSAGE_MOST];

	(void)state;
	one_table_in_use();
	set_count(&a, "one", 1);
	collect(&a);
	assert_int_equal(gives(&a, "0000"), 0);
	talk_out(a.talk, buf, sizeof(buf));
	assert_int_equal(talk_counts(a.talk)->updates_out, 2);
	assert_int_equal(gives(&a, "0a84 05 01 00000002"), 0); /* its first entries, perhaps */
	both_talk();
	run();
	assert_int_equal(talk_counts(a.talk)->updates_out, 1);
}

static void what_was_never_said_is_not_acknowledged(void **state)
{
	(void)state;
	one_table();
	assert_int_equal(gives(&a, "0a84 05 01 00000001"), 0);
	assert_int_equal(state_of(&a, 0).acked, 0);
	set_count(&a, "one", 1);
	collect(&a);
	says_in_vain(&a);
	assert_int_equal(gives(&a, "0a84 05 01 01000000"), 0); /* its bytes are the wrong way round */
	assert_int_equal(gives(&a, "0a84 05 01 00000002"), 0);
	assert_int_equal(gives(&a, "0a84 05 02 00000001"), 0);
	assert_int_equal(gives(&a, "0a84 05 00 00000001"), 0);
	assert_int_equal(state_of(&a, 0).acked, 0);
	assert_int_equal(talk_counts(a.talk)->ignored, 2);
	assert_int_equal(gives(&a, "0a84 05 01 00000001"), 0);
	assert_int_equal(state_of(&a, 0).acked, 1);
	assert_int_equal(stick_feed_acked(a.tables[0].table, a.setup.who), 1);
}

/* More changes than the feed remembers by their numbers: told in the order of the places. The last
 * one is told twice. */
static void a_long_absence_is_made_up_for_once(void **state)
{
	struct stick_definition def = simple(STICK_INTEGER, 4);
	uint32_t i, round;

	(void)state;
	def.size = 100;
	add_tables("t", def);
	for (round = 0; round < 10; round++) {
		for (i = 0; i < def.size; i++)
			set(&a, 0, (struct span){ (char *)&i, 4 }, STICK_gpc0, 0, i + round);
		collect(&a);
	}
	both_talk();
	run();
	for (i = 0; i < def.size; i++)
		assert_int_equal(value(&b, 0, (struct span){ (char *)&i, 4 }, STICK_gpc0, 0),
				 i + round - 1);
	assert_int_equal(talk_counts(a.talk)->updates_out, def.size + 1);
	assert_int_equal(state_of(&a, 0).acked, def.size * round);
	both_talk();
	run();
	assert_int_equal(talk_counts(a.talk)->updates_out, 0);
}

/* ---- what is stored ------------------------------------------------------------------------ */

static void the_life_that_is_left_is_told_by_a_teaching(void **state)
{
	(void)state;
	one_table();
	set_count(&a, "key", 5);
	clock_advance(EXPIRE / 2);
	talk_ask(b.talk);
	run();
	assert_int_equal(left(&b, "key"), EXPIRE / 2);
	set_count(&a, "key", 6);
	run();
	assert_int_equal(left(&b, "key"), EXPIRE);
	assert_int_equal(gives(&b, T_IS_7 "0a85 0c 00000001 00000400 02 6b31 05"), 0);
	assert_int_equal(left(&b, "k1"), 0x400);
	assert_int_equal(gives(&b, "0a86 08 ffffffff 02 6b31 05"), 0); /* above the table's own */
	assert_int_equal(left(&b, "k1"), EXPIRE);
	assert_int_equal(gives(&b, "0a86 08 00000000 02 6b31 05"), 0);
	assert_false(has(&b, 0, "k1"));
	/* Entries of a table without an end say 0. */
	assert_int_equal(gives(&b, "0a8207 07 01 74 06 15 04 00" "0a85 0c 00000001 00000000 02 6b31 05"),
			 0);
	assert_int_equal(left(&b, "k1"), EXPIRE);
}

static void connections_of_others_are_not_ours(void **state)
{
	struct stick_definition def = simple(STICK_STRING, 20);

	(void)state;
	def.columns[STICK_conn_cur].count = 1;
	add_tables("t", def);
	add_tables("u", def);
	b.tables[1].recv_only = true;
	both_talk();
	set(&a, 0, text("key"), STICK_conn_cur, 0, 9);
	set(&a, 1, text("key"), STICK_conn_cur, 0, 9);
	set(&b, 1, text("mine"), STICK_gpc0, 0, 9);
	talk_ask(a.talk);
	run();
	assert_int_equal(value(&b, 0, text("key"), STICK_conn_cur, 0), 0);
	assert_int_equal(value(&b, 1, text("key"), STICK_conn_cur, 0), 9);
	assert_false(has(&a, 1, "mine")); /* it is for receiving alone */
	assert_int_equal(a.events[TALK_FINISHED], 1);
	assert_true(state_of(&a, 1).their_id != 0);
}

static void updates_are_written_through(void **state)
{
	struct stick_definition def = simple(STICK_STRING, 20);
	uint32_t number;
	unsigned i;

	(void)state;
	def.columns[STICK_server_id].count = def.columns[STICK_server_key].count = 1;
	def.columns[STICK_gpt].count = 2;
	add_tables("t", def);
	add_tables("mine", def);
	b.tables[0].write_to = b.tables[1].table;
	b.count = 1;
	both_talk();
	number = stick_name_note(span_of("srv1"));
	set(&a, 0, text("key"), STICK_server_id, 0, 3);
	set(&a, 0, text("key"), STICK_server_key, 0, number);
	set(&a, 0, text("key"), STICK_gpt, 1, 8);
	set(&a, 0, text("key"), STICK_gpc0, 0, 9);
	run();
	for (i = 0; i < 2; i++) {
		assert_int_equal(value(&b, i, text("key"), STICK_server_id, 0), 3);
		assert_int_equal(value(&b, i, text("key"), STICK_server_key, 0), number);
		assert_int_equal(value(&b, i, text("key"), STICK_gpt, 1), 8);
	}
	assert_int_equal(value(&b, 0, text("key"), STICK_gpc0, 0), 9);
	assert_int_equal(value(&b, 1, text("key"), STICK_gpc0, 0), 0);
}

static void a_full_table_takes_no_more(void **state)
{
	struct stick_definition def = simple(STICK_STRING, 20);
	unsigned i, kept = 0;
	char key[10];

	(void)state;
	add_table(&a, "t", def);
	def.size = 10;
	def.nopurge = true;
	add_table(&b, "t", def);
	both_talk();
	for (i = 0; i < 20; i++) {
		snprintf(key, sizeof(key), "%u", i);
		set_count(&a, key, i);
	}
	run();
	for (i = 0; i < 20; i++) {
		snprintf(key, sizeof(key), "%u", i);
		kept += has(&b, 0, key);
	}
	assert_int_equal(kept, 10);
	assert_int_equal(state_of(&a, 0).acked, 20);
}

static void long_keys_are_cut_and_end_at_a_nul(void **state)
{
	(void)state;
	one_table();
	assert_int_equal(gives(&a, T_IS_7 "0a80 20 00000001 1a 303132333435363738393031323334353637"
			       "3839303132333435 09"), 0);
	assert_int_equal(count_of(&a, "01234567890123456789"), 9);
	assert_int_equal(gives(&a, "0a80 0a 00000001 04 61620063 08"), 0);
	assert_int_equal(count_of(&a, "ab"), 8);
	assert_int_equal(gives(&a, "0a80 06 00000001 00 07"), 0);
	assert_int_equal(count_of(&a, ""), 7);
}

static void numbers_are_cut_to_what_is_stored(void **state)
{
	(void)state;
	one_table();
	assert_int_equal(gives(&a, T_IS_7 "0a80 11 00000001 02 6b31 fff0fefefefefefefe0e"), 0);
	assert_int_equal(count_of(&a, "k1"), UINT32_MAX);
}

static void rates_of_long_ago_are_nothing(void **state)
{
	struct stick_definition def = simple(STICK_INTEGER, 4);
	const uint32_t key = 1;
	struct span k = { (const char *)&key, 4 };

	(void)state;
	def.columns[STICK_gpc0].count = 0;
	def.columns[STICK_http_req_rate] = (struct stick_column){ .count = 1, .period = 10000 };
	add_tables("t", def);
	both_talk();
	/* 12000, 5, 10 */
	assert_int_equal(gives(&a, "0a820c 07 01 74 02 04 f031 00 0a f0e203"
			       "0a80 0d 00000001 00000001 f0df04 05 0a"), 0);
	assert_int_equal(value(&a, 0, k, STICK_http_req_rate, 0), 4); /* 2 s are gone of it */
	/* 25000, 5, 10; an age that is above any */
	assert_int_equal(gives(&a, "0a80 0d 00000002 00000001 f88b0b 05 0a"), 0);
	assert_int_equal(value(&a, 0, k, STICK_http_req_rate, 0), 0);
	assert_int_equal(gives(&a, "0a80 0f 00000002 00000001 fff0fefe76 05 0a"), 0);
	assert_int_equal(value(&a, 0, k, STICK_http_req_rate, 0), 0);
	/* -1: it begins in a moment, by another clock */
	assert_int_equal(gives(&a, "0a80 0f 00000002 00000001 fff0fefe7e 05 0a"), 0);
	assert_int_equal(value(&a, 0, k, STICK_http_req_rate, 0), 15);
}

/* ---- names of servers ---------------------------------------------------------------------- */

static struct stick_definition with_names(void)
{
	struct stick_definition def = simple(STICK_STRING, 20);

	def.columns[STICK_gpc0].count = 0;
	def.columns[STICK_server_key].count = 1;
	return def;
}

static void set_name(struct side *s, unsigned i, const char *key, const char *name)
{
	set(s, i, text(key), STICK_server_key, 0, stick_name_note(span_of(name)));
}

static void name_is(struct side *s, unsigned i, const char *key, const char *name)
{
	struct span found = stick_name((uint32_t)value(s, i, text(key), STICK_server_key, 0));

	if (!found.ptr || !span_equal(found, span_of(name)))
		fail_msg("%s has %.*s, not %s", key, (int)found.len, found.ptr, name);
}

static void names_arrive_though_there_are_many(void **state)
{
	char key[10], name[20];
	unsigned i, round;

	(void)state;
	add_tables("t", with_names());
	both_talk();
	for (round = 0; round < 3; round++)
		for (i = 0; i < 300; i++) {
			snprintf(key, sizeof(key), "%u", i);
			snprintf(name, sizeof(name), "s%u", i * (round + 1));
			set_name(&a, 0, key, name);
			if (i % 7 == 0)
				run();
		}
	run();
	for (i = 0; i < 300; i++) {
		snprintf(key, sizeof(key), "%u", i);
		snprintf(name, sizeof(name), "s%u", i * 3);
		name_is(&b, 0, key, name);
	}
}

/* A name is said once, whatever it is said about: also of a table that only one of them has. */
static void names_of_other_tables_count(void **state)
{
	(void)state;
	add_table(&a, "unknown", with_names());
	add_table(&a, "t", with_names());
	add_table(&b, "t", with_names());
	both_talk();
	set_name(&a, 0, "x", "s1");
	run();
	set_name(&a, 1, "y", "s1");
	run();
	name_is(&b, 0, "y", "s1");
	assert_true(talk_counts(b.talk)->ignored > 0);
}

static void a_name_that_was_never_said_is_none(void **state)
{
	(void)state;
	add_tables("t", with_names());
	both_talk();
	set_name(&a, 0, "k1", "s1");
	/* 40000h: bit 19 */
	assert_int_equal(gives(&a, "0a820a 07 01 74 06 15 f0f1fe00 00"
			       "0a80 09 00000001 02 6b31 01 05"), 0);
	assert_int_equal(value(&a, 0, text("k1"), STICK_server_key, 0), 0);
	assert_int_equal(gives(&a, "0a80 0c 00000001 02 6b31 04 80 02 7a31"), 0);
	name_is(&a, 0, "k1", "z1");
	assert_int_equal(gives(&a, "0a80 08 00000001 02 6b31 00"), 0);
	assert_int_equal(value(&a, 0, text("k1"), STICK_server_key, 0), 0);
	assert_int_equal(gives(&a, "0a80 0a 00000001 02 6b31 02 f011"), -1); /* 257 */
}

/* ---- shards -------------------------------------------------------------------------------- */

static void each_shard_gets_its_keys(void **state)
{
	unsigned shard, i, found = 0;
	char key[10];

	(void)state;
	for (shard = 0; shard <= 3; shard++) {
		end(NULL);
		begin(NULL);
		add_tables("t", simple(STICK_STRING, 20));
		a.setup.shard = shard;
		a.setup.shards = 3;
		both_talk();
		for (i = 0; i < 300; i++) {
			snprintf(key, sizeof(key), "%u", i);
			set_count(&a, key, i);
		}
		run();
		if (!shard)
			assert_int_equal(stick_used(b.tables[0].table), 300);
		else
			found += stick_used(b.tables[0].table);
		if (shard)
			assert_in_range(stick_used(b.tables[0].table), 70, 130);
	}
	assert_int_equal(found, 300);
}

/* HAProxy 2.8 tells the keys k0, k1, ... of the table t1 in the section p to these. */
static void shards_are_those_of_the_reference(void **state)
{
	static const char shards[] = "231222131332132132233112131113";
	struct stick_definition def = simple(STICK_STRING, 20);
	unsigned shard, i;
	char key[10];
	bool anew;

	(void)state;
	for (shard = 1; shard <= 3; shard++) {
		end(NULL);
		begin(NULL);
		add_tables("/t1", def);
		def.name = "p/t1";
		stick_layout(&def);
		a.tables[0].table = stick_table_open(&def, &anew, &err);
		stick_feed_begin(a.tables[0].table);
		a.setup.shard = shard;
		a.setup.shards = 3;
		both_talk();
		for (i = 0; shards[i]; i++) {
			snprintf(key, sizeof(key), "k%u", i);
			set_count(&a, key, 1);
		}
		run();
		for (i = 0; shards[i]; i++) {
			snprintf(key, sizeof(key), "k%u", i);
			assert_int_equal(has(&b, 0, key), (unsigned)(shards[i] - '0') == shard);
		}
	}
}

/* ---- what is cut, unknown or wrong --------------------------------------------------------- */

/* All that a says at a teaching of many types. */
static void prepare_stream(void)
{
	struct stick_definition def = of_all(STICK_STRING, 20, true);

	add_tables("t", of_all(STICK_STRING, 20, false));
	def.columns[STICK_gpt].count = def.columns[STICK_gpc].count = 3;
	def.columns[STICK_gpc_rate].count = 3;
	add_tables("u", def);
	both_talk();
	fill(&a, 0, text("one"), 1);
	fill(&a, 0, text("two"), 2);
	fill(&a, 1, text("three"), 3);
	collect(&a);
	pass(&a, &b);
	talk_teach(a.talk);
	pass(&a, &b);
}

static void is_taken_from_pieces(size_t first, size_t piece)
{
	size_t at = first;

	talks(&b);
	assert_int_equal(talk_in(b.talk, a.said, first), 0);
	for (; at < a.said_len; at += piece)
		assert_int_equal(talk_in(b.talk, a.said + at,
					 at + piece < a.said_len ? piece : a.said_len - at), 0);
	assert_int_equal(talk_counts(b.talk)->updates_in, talk_counts(a.talk)->updates_out);
	assert_int_equal(b.events[TALK_FINISHED], 1);
}

static void pieces_of_any_length_are_taken(void **state)
{
	size_t i;

	(void)state;
	prepare_stream();
	assert_true(a.said_len > 500);
	for (i = 0; i <= a.said_len; i++)
		is_taken_from_pieces(i, a.said_len);
	for (i = 1; i < 50; i++)
		is_taken_from_pieces(0, i);
	is_filled(&b, 0, text("two"), 2);
	is_filled(&b, 1, text("three"), 3);
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
		len = wire_message((struct span){ (char *)a.said + at, a.said_len - at }, &m);
		if (len <= 0)
			return 1;
		if (!number)
			break;
		at += (size_t)len;
	}
	if (m.type < WIRE_WITH_BODY || body > m.body.len + 5)
		return 2;
	talks(&b);
	assert_int_equal(talk_in(b.talk, a.said, at), 0);
	wire_begin(&out, m.class, m.type);
	for (i = 0; i < body; i++)
		wire_put_bytes(&out, i < m.body.len ? &m.body.ptr[i] : "x", 1);
	assert_true(wire_end(&out));
	return body >= m.body.len ? talk_in(b.talk, buf, (size_t)(out.at - buf)) * 10 :
				    talk_in(b.talk, buf, (size_t)(out.at - buf)) * 100;
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
	one_table();
	set_count(&a, "k1", 3);
	assert_int_equal(gives(&a, T_IS_7 "0a80 07 00000001 02 6b31"), -1);
	assert_int_equal(count_of(&a, "k1"), 3);
	assert_int_equal(talk_counts(a.talk)->errors, 1);
	answers(&a, "0100");
	answers(&a, "");
	assert_int_equal(gives(&a, "0004"), -1);
	assert_int_equal(talk_counts(a.talk)->beats_in, 0);
	assert_int_equal(talk_counts(a.talk)->errors, 1);
	assert_false(talk_has_more(a.talk));
}

static void what_is_unknown_is_passed_over(void **state)
{
	(void)state;
	one_table();
	assert_int_equal(gives(&a, "0005 007f 0080 00 0100 0101 0200 0280 03 616263 0a00 0a87 01 00"
			       "0aff 00 1180 01 00 fe80 00"), 0);
	assert_int_equal(talk_counts(a.talk)->ignored, 12);
	/* An update, but for its class or type. */
	assert_int_equal(gives(&a, T_IS_7 "0280 08 00000001 02 6b31 05" "0a87 08 00000001 02 6b31 05"),
			 0);
	assert_int_equal(stick_used(a.tables[0].table), 0);
	assert_int_equal(gives(&a, T_IS_7 "0004"), 0);
	assert_int_equal(talk_counts(a.talk)->beats_in, 1);
	assert_int_equal(talk_counts(a.talk)->errors, 0);
	answers(&a, "");
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
	one_table();
	for (i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		talks(&a);
		if (gives(&a, cases[i].bytes) != -1)
			fail_msg("%s is taken", cases[i].bytes);
		answers(&a, cases[i].answer);
		assert_int_equal(talk_counts(a.talk)->errors, 1);
	}
	assert_int_equal(stick_used(a.tables[0].table), 0);
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
	one_table();
	for (i = 0; i < sizeof(definitions) / sizeof(*definitions); i++) {
		talks(&a);
		assert_int_equal(gives(&a, definitions[i]), 0);
		assert_int_equal(gives(&a, "0a80 08 00000001 02 6b31 05"), 0);
		assert_int_equal(gives(&a, "0a83 01 07" "0a80 08 00000001 02 6b31 05"), 0);
		answers(&a, "");
		assert_false(has(&a, 0, "k1"));
		assert_false(state_of(&a, 0).usable);
		assert_true(talk_counts(a.talk)->ignored >= 4);
		assert_int_equal(gives(&a, T_IS("08") "0a80 08 00000001 02 6b31 05"), 0);
		assert_int_equal(count_of(&a, "k1"), 5);
		answers(&a, "0a84 05 08 00000001");
		stick_remove(a.tables[0].table, stick_find(a.tables[0].table, text("k1")));
	}
}

static void updates_without_a_definition_are_passed_over(void **state)
{
	(void)state;
	one_table();
	assert_int_equal(gives(&a, "0a80 08 00000001 02 6b31 05" "0a83 01 07"
			       "0a80 08 00000001 02 6b31 05"), 0);
	answers(&a, "");
	assert_int_equal(talk_counts(a.talk)->ignored, 3);
	assert_int_equal(stick_used(a.tables[0].table), 0);
}

static void a_peer_switches_between_its_tables(void **state)
{
	(void)state;
	add_tables("t", simple(STICK_STRING, 20));
	add_tables("u", simple(STICK_STRING, 20));
	both_talk();
	assert_int_equal(gives(&a, T_IS_7 "0a820a 08 01 75 06 15 04 f0d9a201"
			       "0a80 08 00000001 02 6b31 05" "0a83 01 07"
			       "0a80 08 00000005 02 6b31 06" "0a83 01 08" "0a81 04 02 6b32 07"), 0);
	assert_int_equal(value(&a, 0, text("k1"), STICK_gpc0, 0), 6);
	assert_int_equal(value(&a, 1, text("k1"), STICK_gpc0, 0), 5);
	assert_int_equal(value(&a, 1, text("k2"), STICK_gpc0, 0), 7);
	answers(&a, "0a84 05 07 00000005 0a84 05 08 00000002");
	/* The id of one becomes that of the other. */
	assert_int_equal(gives(&a, "0a820a 07 01 75 06 15 04 f0d9a201"
			       "0a80 08 00000009 02 6b33 01"), 0);
	answers(&a, "0a84 05 07 00000009");
	assert_int_equal(state_of(&a, 0).their_id, 0);
	assert_int_equal(state_of(&a, 1).their_id, 7);
}

static void whatever_is_due_is_more_to_say(void **state)
{
	(void)state;
	one_table_in_use();
	run();
	assert_false(talk_has_more(a.talk));
	talk_beat(a.talk);
	assert_true(talk_has_more(a.talk));
	answers(&a, "0004");
	talk_ask(a.talk);
	assert_true(talk_has_more(a.talk));
	answers(&a, "0000");
	assert_int_equal(gives(&a, "0001"), 0);
	assert_true(talk_has_more(a.talk));
	answers(&a, "0003");
	assert_int_equal(gives(&a, T_IS_7 "0a80 08 00000005 02 6b31 05"), 0);
	assert_true(talk_has_more(a.talk));
	answers(&a, "0a84 05 07 00000005");
	set_count(&a, "key", 5);
	assert_false(talk_has_more(a.talk));
	collect(&a);
	assert_true(talk_has_more(a.talk));
	says_in_vain(&a);
	assert_false(talk_has_more(a.talk));
	talk_teach(a.talk);
	assert_true(talk_has_more(a.talk));
	says_in_vain(&a);
	assert_false(talk_has_more(a.talk)); /* it waits for the confirmation */
	assert_true(talk_is_teaching(a.talk));
}

static void beats_are_said_and_counted(void **state)
{
	(void)state;
	one_table();
	run();
	talk_beat(a.talk);
	answers(&a, "0004");
	assert_int_equal(gives(&a, "00040004"), 0);
	assert_int_equal(talk_counts(a.talk)->beats_in, 2);
	assert_int_equal(talk_counts(a.talk)->beats_out, 1);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)
	const struct CMUnitTest tests[] = {
		TEST(a_change_arrives),
		TEST(a_change_has_the_bytes_of_the_reference),
		TEST(what_was_learned_is_not_told_on),
		TEST(a_turn_is_bounded),
		TEST(tables_take_turns),
		TEST(every_type_arrives),
		TEST(the_longest_updates_arrive_or_are_left_out),
		TEST(other_arrays_keep_what_both_have),
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
