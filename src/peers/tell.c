/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a peer is told of our tables: changes, as they come, and all entries when it asks. Called by
 * the conversation (messages.c) when there is room.
 *
 * All entries of a teaching have one number, which is that of the newest change when it began; the
 * peer has them when it confirms. Acknowledgements that come before are passed over, as they may be
 * of its first entries. A definition precedes the updates whenever the table is another one.
 */
#include "peers/talk_inside.h"

#include "base/result.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

enum { PLACES_MOST = 4096, /* that are looked at in a turn */
       DEFINITION_MOST = 512, /* bytes, without the name */
       UPDATE_HEAD_MOST = 16 /* number, life, length of the key */ };

struct turn {
	unsigned updates, places;
};

/* Numbers of ours go round. */
static bool is_ahead(uint32_t number, uint32_t other)
{
	return (int32_t)(number - other) > 0;
}

/* ---- one update ---------------------------------------------------------------------------- */

static bool is_of_shard(const struct talk *t, unsigned i, const struct stick_entry *e)
{
	const struct peers_table *conf = &t->setup.tables[i];
	struct span key;

	if (!t->setup.shard || !t->setup.shards)
		return true;
	key = wire_key(stick_definition(conf->table), stick_key(conf->table, e));
	return XXH64(key.ptr, key.len, t->tables[i].shard_seed) % t->setup.shards + 1 ==
	       t->setup.shard;
}

static bool put_definition(struct talk *t, unsigned i, struct wire_out *out)
{
	const struct peers_table *conf = &t->setup.tables[i];

	wire_begin(out, WIRE_TABLES, WIRE_DEFINITION);
	wire_put_definition(out, i + 1, span_of(conf->name), stick_definition(conf->table));
	if (!wire_end(out))
		return false;
	t->defined = (int)i;
	t->counts.messages_out++;
	return true;
}

static void put_update(struct talk *t, unsigned i, struct wire_out *out,
		       const struct stick_entry *e, uint32_t number, bool timed)
{
	struct stick_table *table = t->setup.tables[i].table;
	struct talk_table *tt = &t->tables[i];
	bool next = !timed && tt->was_sent && number == tt->sent + 1;

	wire_begin(out, WIRE_TABLES, timed ? WIRE_TIMED : next ? WIRE_NEXT : WIRE_UPDATE);
	if (!next)
		wire_put_32(out, number);
	if (timed)
		wire_put_32(out, stick_left(table, e));
	wire_put_key(out, stick_definition(table), stick_key(table, e));
	wire_put_values(out, table, e, &t->names);
	if (!wire_end(out)) {
		t->names = (struct wire_names){ .next = 0 }; /* it is longer than any message */
		return;
	}
	tt->sent = number;
	tt->was_sent = true;
	t->counts.messages_out++;
	t->counts.updates_out++;
}

/* ---- one table ----------------------------------------------------------------------------- */

/* The most bytes of an update, with a definition in front. */
static size_t most_bytes(const struct peers_table *conf)
{
	const struct stick_definition *def = stick_definition(conf->table);
	size_t bytes = DEFINITION_MOST + strlen(conf->name) + WIRE_HEAD_MOST + UPDATE_HEAD_MOST +
		       def->key_len;
	unsigned what;

	for (what = 0; what < STICK_DATA; what++)
		bytes += def->columns[what].count *
			 (stick_data_types[what].form == STICK_RATE ? 15u :
			  stick_data_types[what].form == STICK_KEY ? STICK_NAME_MOST + 5u : 10u);
	return bytes;
}

/* An entry that the feed has given is not given again, so there has to be room before. One that may
 * need more than there ever is gets all of it. */
static bool has_room(struct talk *t, unsigned i, struct wire_out *out)
{
	size_t most = t->tables[i].most_bytes;

	if ((size_t)(out->end - out->at) >= most)
		return true;
	if (most <= TALK_MESSAGE_MOST)
		return false;
	if (t->defined == (int)i)
		return out->at == out->begin;
	DROPPED(put_definition(t, i, out), "without room it goes into the next, which is empty");
	return false;
}

static void tell_entry(struct talk *t, unsigned i, struct wire_out *out,
		       const struct stick_entry *e, uint32_t number, bool timed)
{
	if (!is_of_shard(t, i, e) || (t->defined != (int)i && !put_definition(t, i, out)))
		return;
	put_update(t, i, out, e, number, timed && !t->setup.untimed);
}

static bool is_told(const struct talk *t, unsigned i, bool teaching)
{
	const struct stick_cursor *c = &t->tables[i].cursor;

	if (t->setup.tables[i].recv_only)
		return true;
	return teaching ? c->what != FEED_ALL : stick_cursor_is_done(t->setup.tables[i].table, c);
}

/* False: the turn is over. True: nothing is left; of a teaching what is left came later. What a
 * walk tells is not of late, and is told with the life that is left. */
static bool tell_table(struct talk *t, unsigned i, struct wire_out *out, struct turn *turn,
		       bool teaching)
{
	struct stick_table *table = t->setup.tables[i].table;
	struct stick_cursor *c = &t->tables[i].cursor;
	struct stick_entry *e;
	uint32_t number;
	bool walked;

	while (!is_told(t, i, teaching)) {
		if (!turn->updates || !turn->places || !has_room(t, i, out))
			return false;
		walked = c->what != FEED_CHANGES;
		e = stick_feed_next(table, c, &turn->places, &number);
		if (e) {
			tell_entry(t, i, out, e, number, walked || c->what != FEED_CHANGES);
			stick_give(table, e);
			turn->updates--;
		} else if (turn->places) {
			turn->places--; /* what is shared may say anything: there is an end */
		}
	}
	return true;
}

/* ---- all of them --------------------------------------------------------------------------- */

void tell_begin(struct talk *t)
{
	const struct peers_table *conf;
	struct talk_table *tt;
	const char *name;
	unsigned i;

	for (i = 0; i < t->setup.table_count; i++) {
		conf = &t->setup.tables[i];
		tt = &t->tables[i];
		tt->most_bytes = most_bytes(conf);
		name = stick_definition(conf->table)->name; /* not that on the wire */
		tt->shard_seed = XXH64(name, strlen(name), 0);
		tt->acked = tt->sent = stick_feed_acked(conf->table, t->setup.who);
		stick_cursor_begin(conf->table, &tt->cursor, tt->acked, false);
	}
	t->tells = true;
}

void tell_teach(struct talk *t)
{
	struct talk_table *tt;
	unsigned i;

	for (i = 0; i < t->setup.table_count; i++) {
		tt = &t->tables[i];
		stick_cursor_begin(t->setup.tables[i].table, &tt->cursor, tt->acked, true);
	}
	t->teaching = TEACH_DEFINES;
	t->taught = 0;
}

static void teach(struct talk *t, struct wire_out *out, struct turn *turn)
{
	bool whole;

	for (; t->taught < t->setup.table_count; t->taught++, t->teaching = TEACH_DEFINES) {
		if (t->teaching == TEACH_DEFINES && !put_definition(t, t->taught, out))
			return;
		t->teaching = TEACH_TELLS;
		if (!tell_table(t, t->taught, out, turn, true))
			return;
	}
	whole = t->setup.is_up_to_date(t->setup.owner);
	if (!wire_put_short(out, WIRE_CONTROL, whole ? WIRE_FINISHED : WIRE_PARTIAL))
		return;
	t->counts.messages_out++;
	t->teaching = TEACH_AWAITS;
}

/* It has what it was told, and goes on behind that. */
void tell_confirmed(struct talk *t)
{
	struct talk_table *tt;
	unsigned i;

	for (i = 0; i < t->setup.table_count; i++) {
		tt = &t->tables[i];
		if (t->setup.tables[i].recv_only || !tt->cursor.told)
			continue;
		tt->acked = tt->cursor.told;
		stick_feed_ack(t->setup.tables[i].table, t->setup.who, tt->acked);
	}
	t->teaching = TEACH_NOT;
	t->tells = true;
}

/* Who was told least lately is told first. */
static void tell_changes(struct talk *t, struct wire_out *out, struct turn *turn)
{
	unsigned done;
	bool over = false;

	for (done = 0; done < t->setup.table_count && !over; done++) {
		over = !tell_table(t, t->turn, out, turn, false);
		t->turn = (t->turn + 1) % t->setup.table_count;
	}
	t->tells = over;
}

void tell(struct talk *t, struct wire_out *out)
{
	struct turn turn = { .updates = t->setup.most_updates, .places = PLACES_MOST };

	if (!turn.updates)
		turn.updates = 1;
	if (t->teaching == TEACH_DEFINES || t->teaching == TEACH_TELLS)
		teach(t, out, &turn);
	else if (t->teaching == TEACH_NOT && t->tells)
		tell_changes(t, out, &turn);
}

bool tell_acked(struct talk *t, const struct wire_message *m)
{
	struct wire_in in = wire_in(m->body);
	uint32_t i = (uint32_t)wire_get_number(&in) - 1, number = wire_get_32(&in);
	struct talk_table *tt;

	if (in.bad)
		return false;
	t->counts.acks_in++;
	if (i >= t->setup.table_count) {
		t->counts.ignored++;
		return true;
	}
	tt = &t->tables[i];
	if (t->teaching != TEACH_NOT || !tt->was_sent || is_ahead(number, tt->sent))
		return true;
	tt->acked = number;
	stick_feed_ack(t->setup.tables[i].table, t->setup.who, number);
	return true;
}
