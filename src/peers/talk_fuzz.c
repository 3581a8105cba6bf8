/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Fuzzer: what a peer says, from its hello on. The first byte: 0xff the hello and the status; else how
 * the rest is cut. Whole and in pieces the same is taken; what is said in between is whole messages,
 * that another conversation takes; the tables are sound at the end.
 */
#include "peers/hello.h"
#include "peers/talk.h"
#include "peers/wire.h"

#include "base/bug.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/result.h"
#include "stick/memory.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { TABLES = 5, MOST = 20000, WHO = 7 };

static struct peers_table ours[TABLES], theirs[TABLES];
static struct stick_table *through;
static struct err err;

/* ---- tables -------------------------------------------------------------------------------- */

static struct stick_table *table(const char *name, enum stick_key_type type, uint32_t len,
				 bool arrays)
{
	struct stick_definition def = { .name = name, .type = type, .key_len = len, .size = 50,
					.expire_ms = type == STICK_IP ? 0 : 60000 };
	struct stick_table *t;
	unsigned what;
	bool anew;

	for (what = 0; what < STICK_DATA; what++) {
		def.columns[what].count = stick_data_types[what].argument < STICK_ARRAY ? !arrays :
					  arrays ? 3 : 0;
		def.columns[what].period = stick_data_types[what].form == STICK_RATE ? 10000 : 0;
	}
	stick_layout(&def);
	t = stick_table_open(&def, &anew, &err);
	BUG_ON(!t);
	stick_feed_begin(t);
	return t;
}

static void open_tables(struct peers_table *tables, const char *const *names)
{
	static const char *const on_the_wire[TABLES] = { "s", "b", "i", "4", "6" };
	static const uint32_t lens[TABLES] = { 20, 8, 4, 4, 16 };
	static const enum stick_key_type types[TABLES] = { STICK_STRING, STICK_BINARY,
		STICK_INTEGER, STICK_IP, STICK_IPV6 };
	unsigned i;

	for (i = 0; i < TABLES; i++)
		tables[i] = (struct peers_table){ .name = on_the_wire[i],
			.table = table(names[i], types[i], lens[i], i % 2) };
}

/* Opening them takes longer than most inputs. */
static void empty(struct stick_table *t)
{
	struct stick_entry *e;
	uint32_t at = 0;

	while ((e = stick_next(t, &at, 1000)))
		BUG_ON(!stick_remove(t, e));
	stick_feed_ack(t, WHO, 0);
}

static void open_all(void)
{
	static const char *const a[TABLES] = { "as", "ab", "ai", "a4", "a6" };
	static const char *const b[TABLES] = { "bs", "bb", "bi", "b4", "b6" };

	unsigned i;

	if (through) {
		for (i = 0; i < TABLES; i++) {
			empty(ours[i].table);
			empty(theirs[i].table);
		}
		empty(through);
		return;
	}
	clock_freeze(1000000);
	BUG_ON(stick_memory_begin(false, &err) < 0);
	open_tables(ours, a);
	open_tables(theirs, b);
	through = table("through", STICK_BINARY, 8, true);
	ours[1].write_to = through;
	ours[2].recv_only = true;
}

static void change(struct stick_table *t, uint8_t key)
{
	struct stick_entry *e = stick_take(t, (struct span){ (char *)&key, 1 }, NULL);

	if (!e)
		return;
	stick_set(t, e, STICK_server_key, 0, stick_name_note((struct span){ "abcdef", key % 7u }));
	stick_add(t, e, STICK_gpc, key % 3u, 1);
	stick_add(t, e, STICK_conn_rate, 0, 1);
	stick_touch(t, e);
	stick_give(t, e);
}

/* ---- conversations ------------------------------------------------------------------------- */

static void happened(void *owner, enum talk_event event)
{
	(void)event;
	++*(unsigned *)owner;
}

static bool is_up_to_date(void *owner)
{
	return *(unsigned *)owner % 2;
}

static struct talk *begins(const struct peers_table *tables, unsigned *events)
{
	struct talk_setup setup = { .tables = tables, .table_count = TABLES, .who = WHO,
				    .most_updates = 20, .owner = events, .happened = happened,
				    .is_up_to_date = is_up_to_date };
	struct talk *t = talk_new(&setup);

	BUG_ON(!t);
	return t;
}

/* Each of its messages is whole, and is taken by the other one. */
static void check_said(struct span said, struct talk *other)
{
	struct wire_message m;
	size_t at = 0;
	int len;

	while (at < said.len) {
		len = wire_message((struct span){ said.ptr + at, said.len - at }, &m);
		BUG_ON(len <= 0);
		at += (size_t)len;
	}
	BUG_ON(talk_in(other, said.ptr, said.len) < 0);
}

static void exchange(struct talk *t, struct talk *other, unsigned turns)
{
	static char buf[TALK_MESSAGE_MOST], back[TALK_MESSAGE_MOST];
	size_t len;

	for (; turns && talk_has_more(t); turns--) {
		len = talk_out(t, buf, sizeof(buf));
		check_said((struct span){ buf, len }, other);
		talk_out(other, back, sizeof(back));
	}
}

static struct talk_counts whole(const uint8_t *data, size_t size)
{
	struct talk_counts counts;
	unsigned events = 0;
	struct talk *t = begins(ours, &events);

	DROPPED(talk_in(t, data, size), "any bytes may come");
	counts = *talk_counts(t);
	talk_free(&t);
	return counts;
}

static struct talk_counts in_pieces(const uint8_t *data, size_t size, size_t piece)
{
	unsigned events = 0, others = 0, found = 0;
	struct talk *t = begins(ours, &events), *other = begins(theirs, &others);
	struct talk_counts counts;
	size_t at, len;

	for (at = 0; at < size; at += len) {
		len = size - at < piece ? size - at : piece;
		DROPPED(talk_in(t, data + at, len), "any bytes may come");
		if (at / piece % 8 == 0) {
			change(ours[data[at] % TABLES].table, data[at]);
			while (stick_feed_collect(ours[data[at] % TABLES].table, 10, &found))
				;
			talk_tables_changed(t);
		}
		exchange(t, other, 2);
	}
	exchange(t, other, 200);
	counts = *talk_counts(t);
	talk_free(&t);
	talk_free(&other);
	return counts;
}

static void check_tables(void)
{
	unsigned i;

	for (i = 0; i < TABLES; i++) {
		BUG_ON(stick_check(ours[i].table, &err) < 0);
		BUG_ON(stick_check(theirs[i].table, &err) < 0);
	}
	BUG_ON(stick_check(through, &err) < 0);
}

/* ---- the hello ----------------------------------------------------------------------------- */

/* What the first bytes decide, more bytes do not undo. */
static void check_hello(struct span bytes)
{
	enum hello_status verdict = HELLO_MORE, now;
	int answered = 0, number;
	struct hello hello;
	size_t len, end = 0;

	for (len = 0; len <= bytes.len && len < 2 * HELLO_MOST; len++) {
		now = hello_read((struct span){ bytes.ptr, len }, span_of("A"), &hello);
		BUG_ON(verdict != HELLO_MORE && now != verdict);
		BUG_ON(now == HELLO_ACCEPTED && (hello.len > len || hello.minor > 1));
		BUG_ON(now == HELLO_ACCEPTED && (hello.caller.ptr < bytes.ptr ||
			hello.caller.ptr + hello.caller.len > bytes.ptr + hello.len));
		BUG_ON(now == HELLO_MORE && len >= HELLO_MOST);
		verdict = now;
		number = hello_read_status((struct span){ bytes.ptr, len }, &end);
		BUG_ON(answered && number != answered);
		BUG_ON(number > 0 && (number < 100 || number > 999 || end > len));
		BUG_ON(!number && len > 4);
		answered = number;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct talk_counts one, other;

	if (!size || size > MOST)
		return 0;
	if (data[0] == 0xff) {
		check_hello((struct span){ (const char *)data + 1, size - 1 });
		return 0;
	}
	open_all();
	one = whole(data + 1, size - 1);
	other = in_pieces(data + 1, size - 1, data[0] + 1u);
	check_tables();
	BUG_ON(one.errors != other.errors || one.messages_in != other.messages_in);
	BUG_ON(one.updates_in != other.updates_in || one.ignored != other.ignored);
	BUG_ON(one.acks_in != other.acks_in || one.beats_in != other.beats_in);
	return 0;
}
