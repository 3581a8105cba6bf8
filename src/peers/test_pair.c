/* SPDX-License-Identifier: BSD-2-Clause */
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

static struct err err;

struct side pair_a, pair_b;

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

int pair_begin(void **state)
{
	(void)state;
	clock_freeze(1000000);
	pair_a = (struct side){ .letter = 'a', .up_to_date = true };
	pair_b = (struct side){ .letter = 'b', .up_to_date = true };
	stick_memory_end();
	return stick_memory_begin(false, &err);
}

int pair_end(void **state)
{
	(void)state;
	talk_free(&pair_a.talk);
	talk_free(&pair_b.talk);
	stick_memory_end();
	return 0;
}

static struct stick_table *pair_open_table(char letter, const char *name,
					   struct stick_definition def)
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

struct stick_definition pair_simple(enum stick_key_type type, uint32_t len)
{
	struct stick_definition def = { .type = type, .key_len = len, .size = 1000,
					.expire_ms = EXPIRE };

	def.columns[STICK_gpc0].count = 1;
	return def;
}

void side_add_table(struct side *s, const char *name, struct stick_definition def)
{
	s->tables[s->count++] =
		(struct peers_table){ .table = pair_open_table(s->letter, name, def),
				      .name = name };
}

void pair_add_tables(const char *name, struct stick_definition def)
{
	side_add_table(&pair_a, name, def);
	side_add_table(&pair_b, name, def);
}

void side_talks(struct side *s)
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

void pair_talk(void)
{
	side_talks(&pair_a);
	side_talks(&pair_b);
}

void side_collect(struct side *s)
{
	unsigned i, found = 0;

	for (i = 0; i < s->count; i++)
		while (stick_feed_collect(s->tables[i].table, 64, &found))
			;
	if (found && s->talk)
		talk_tables_changed(s->talk);
}

/* What it says now, in one piece; 0: nothing. */
size_t side_says(struct side *s, unsigned char *buf)
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
void side_says_in_vain(struct side *s)
{
	static unsigned char buf[TALK_MESSAGE_MOST];

	side_says(s, buf);
}

size_t side_pass(struct side *from, struct side *to)
{
	static unsigned char buf[TALK_MESSAGE_MOST];
	size_t len, sum = 0;

	while ((len = side_says(from, buf))) {
		if (talk_in(to->talk, buf, len) < 0)
			fail_msg("%c refuses what %c says", to->letter, from->letter);
		sum += len;
	}
	return sum;
}

void pair_run(void)
{
	side_collect(&pair_a);
	side_collect(&pair_b);
	while (side_pass(&pair_a, &pair_b) + side_pass(&pair_b, &pair_a))
		;
	assert_int_equal(talk_counts(pair_a.talk)->errors, 0);
	assert_int_equal(talk_counts(pair_b.talk)->errors, 0);
}

void side_set(struct side *s, unsigned i, struct span key, enum stick_data what, unsigned at,
		uint64_t value)
{
	struct stick_entry *e = stick_take(s->tables[i].table, key, NULL);

	assert_non_null(e);
	stick_set(s->tables[i].table, e, what, at, value);
	stick_touch(s->tables[i].table, e);
	stick_give(s->tables[i].table, e);
}

void side_set_count(struct side *s, const char *key, uint64_t value)
{
	side_set(s, 0, span_of(key), STICK_gpc0, 0, value);
}

uint64_t side_value(struct side *s, unsigned i, struct span key, enum stick_data what, unsigned at)
{
	struct stick_entry *e = stick_find(s->tables[i].table, key);
	uint64_t v;

	if (!e)
		return UINT64_MAX - 1;
	v = stick_value(s->tables[i].table, e, what, at);
	stick_give(s->tables[i].table, e);
	return v;
}

uint64_t side_count(struct side *s, const char *key)
{
	return side_value(s, 0, span_of(key), STICK_gpc0, 0);
}

bool side_has(struct side *s, unsigned i, const char *key)
{
	struct stick_entry *e = stick_find(s->tables[i].table, span_of(key));

	stick_give(s->tables[i].table, e);
	return e;
}

uint32_t side_left(struct side *s, const char *key)
{
	struct stick_entry *e = stick_find(s->tables[0].table, span_of(key));
	uint32_t ms;

	assert_non_null(e);
	ms = stick_left(s->tables[0].table, e);
	stick_give(s->tables[0].table, e);
	return ms;
}

struct talk_table_state side_state(struct side *s, unsigned i)
{
	struct talk_table_state state;

	talk_table_state(s->talk, i, &state);
	return state;
}

/* How often it has said a message of that class and type, since its conversation began. */
unsigned side_said(const struct side *s, unsigned class, unsigned type)
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

static struct span pair_hex(const char *digits)
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

int side_takes(struct side *s, const char *digits)
{
	struct span bytes = pair_hex(digits);

	return talk_in(s->talk, bytes.ptr, bytes.len);
}

void side_answers(struct side *s, const char *digits)
{
	static unsigned char buf[TALK_MESSAGE_MOST];
	struct span wanted;
	char found[300] = "";
	size_t len, i;

	len = side_says(s, buf);
	for (i = 0; i < len && i < 90; i++)
		snprintf(found + 3 * i, 4, "%02x ", buf[i]);
	wanted = pair_hex(digits);
	if (!span_equal((struct span){ (char *)buf, len }, wanted))
		fail_msg("wanted %s, found %s", digits, found);
}

void pair_one_table(void)
{
	pair_add_tables("t", pair_simple(STICK_STRING, 20));
	pair_talk();
}

/* Something has been told already: the first change of all is told by a walk. */
void pair_one_table_in_use(void)
{
	pair_one_table();
	side_set_count(&pair_a, "first", 1);
	pair_run();
	pair_talk();
	assert_int_equal(side_state(&pair_a, 0).acked, 1);
}

/* ---- every type ----------------------------------------------------------------------------- */

struct stick_definition pair_of_all(enum stick_key_type type, uint32_t len, bool arrays)
{
	struct stick_definition def = pair_simple(type, len);
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

static struct span pair_longest_name(void)
{
	static char name[STICK_NAME_MOST];

	memset(name, 'n', sizeof(name));
	return (struct span){ name, sizeof(name) };
}

/* Something, for a round: the ends of the range are among it. */
uint64_t pair_some_value(unsigned what, unsigned at, unsigned round)
{
	static const uint64_t values[] = { 0, UINT64_MAX, 239, 240, 2287, 2288, UINT32_MAX };
	uint64_t v = values[(what + at + round) % 7];

	if (stick_data_types[what].form == STICK_KEY)
		return stick_name_note(round % 2 ? pair_longest_name() : span_of("s"));
	return stick_data_types[what].form == STICK_LONG ? v : (uint32_t)v;
}

struct stick_rate_state pair_some_rate(unsigned what, unsigned at, unsigned round)
{
	return (struct stick_rate_state){
		.age = (what * 31 + at) % 1000,
		.now = (uint32_t)pair_some_value(STICK_gpc0, at + 1, round),
		.before = (uint32_t)pair_some_value(STICK_gpc0, at, round)
	};
}

void side_fill(struct side *s, unsigned i, struct span key, unsigned round)
{
	struct stick_table *t = s->tables[i].table;
	struct stick_entry *e = stick_take(t, key, NULL);
	unsigned what, at;

	for (what = 0; what < STICK_DATA; what++)
		for (at = 0; at < stick_definition(t)->columns[what].count; at++)
			if (stick_data_types[what].form == STICK_RATE)
				stick_rate_set(t, e, what, at, pair_some_rate(what, at, round));
			else
				stick_set(t, e, what, at, pair_some_value(what, at, round));
	stick_give(t, e);
}

void side_is_filled(struct side *s, unsigned i, struct span key, unsigned round)
{
	struct stick_table *t = s->tables[i].table;
	struct stick_entry *e = stick_find(t, key);
	struct stick_rate_state found, wanted;
	uint64_t n;
	unsigned what, at;

	assert_non_null(e);
	for (what = 0; what < STICK_DATA; what++)
		for (at = 0; at < stick_definition(t)->columns[what].count; at++) {
			found = wanted = pair_some_rate(what, at, round);
			if (stick_data_types[what].form == STICK_RATE)
				found = stick_rate_state(t, e, what, at);
			n = what == STICK_conn_cur ? 0 : pair_some_value(what, at, round);
			if (memcmp(&found, &wanted, sizeof(found)) ||
			    (stick_data_types[what].form != STICK_RATE &&
			     stick_value(t, e, what, at) != n))
				fail_msg("%s(%u) in round %u", stick_data_types[what].name, at,
					 round);
		}
	stick_give(t, e);
}
