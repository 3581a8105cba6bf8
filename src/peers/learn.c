/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a peer tells of its tables goes into ours. Called by the conversation (messages.c) with whole
 * messages. Nothing of what is learned is told on.
 *
 * An update is read to its end before the first of its values is stored: one that is cut changes
 * nothing. Updates of a table that we do not have are read, too, as far as they can be: a name is
 * said once in a conversation, and then has a number, whatever table it was said about.
 */
#include "peers/talk_inside.h"

#define CLOCKS_APART UINT32_C(1000) /* ms */

static int find_table(const struct talk *t, struct span name)
{
	unsigned i;

	for (i = 0; i < t->setup.table_count; i++)
		if (span_equal(span_of(t->setup.tables[i].name), name))
			return (int)i;
	return TALK_NO_TABLE;
}

static int find_id(const struct talk *t, uint32_t id)
{
	unsigned i;

	for (i = 0; i < t->setup.table_count; i++)
		if (t->tables[i].defined && t->tables[i].theirs.id == id)
			return (int)i;
	return TALK_NO_TABLE;
}

/* Its id was another table's before, perhaps. */
static void define(struct talk *t, int i, const struct wire_definition *def)
{
	struct talk_table *tt = &t->tables[i];
	int before = find_id(t, def->id);

	if (before != TALK_NO_TABLE)
		t->tables[before].defined = t->tables[before].usable = false;
	tt->theirs = *def;
	tt->theirs.name = (struct span){ NULL, 0 };
	tt->defined = true;
	tt->usable = wire_fits(def, stick_definition(t->setup.tables[i].table));
}

static bool take_definition(struct talk *t, struct wire_in *in)
{
	struct wire_definition def;

	if (!wire_get_definition(in, &def))
		return false;
	t->current = find_table(t, def.name);
	if (t->current != TALK_NO_TABLE)
		define(t, t->current, &def);
	if (t->current != TALK_NO_TABLE && t->tables[t->current].usable)
		return true;
	t->current = TALK_NO_TABLE;
	t->other = def;
	t->has_other = def.usable;
	t->counts.ignored++;
	return true;
}

static bool take_switch(struct talk *t, struct wire_in *in)
{
	uint32_t id = (uint32_t)wire_get_number(in);

	if (in->bad)
		return false;
	t->current = find_id(t, id);
	if (t->current != TALK_NO_TABLE && t->tables[t->current].usable)
		return true;
	t->current = TALK_NO_TABLE;
	t->has_other = false;
	t->counts.ignored++;
	return true;
}

/* ---- values -------------------------------------------------------------------------------- */

/* The number of what an id stands for; 0: nothing. */
static uint32_t name_of(struct talk *t, const struct wire_value *v)
{
	if (!v->id)
		return 0;
	if (v->name.ptr)
		t->their_names[v->id - 1] = t->wants_names ? stick_name_note(v->name) : 0;
	return t->their_names[v->id - 1];
}

/* What ended two periods ago is nothing, however long ago that says it is. HAProxy looks at two
 * clocks: a period may have begun a moment after it was told. */
static struct stick_rate_state fresh(const struct stick_table *table, const struct wire_value *v)
{
	struct stick_rate_state rate = v->rate;

	if (rate.age >= -CLOCKS_APART)
		rate.age = 0;
	if (rate.age >= 2 * (uint64_t)stick_definition(table)->columns[v->what].period)
		return (struct stick_rate_state){ 0 };
	return rate;
}

/* number: of a name. An element that the table does not have is dropped. */
static void store(struct stick_table *table, struct stick_entry *e, const struct wire_value *v,
		  uint32_t number)
{
	if (v->at >= stick_definition(table)->columns[v->what].count)
		return;
	if (stick_data_types[v->what].form == STICK_RATE)
		stick_rate_set(table, e, v->what, v->at, fresh(table, v));
	else
		stick_set(table, e, v->what, v->at,
			  stick_data_types[v->what].form == STICK_KEY ? number : v->number);
}

static bool is_written_through(enum stick_data what)
{
	return what == STICK_server_id || what == STICK_server_key || what == STICK_gpt;
}

/* e: in the table of the update, or in that which it is written through to; NULL: names alone. */
static void store_all(struct talk *t, struct stick_table *table, struct stick_entry *e,
		      struct wire_values values, bool through, bool current)
{
	const struct wire_value *v;
	uint32_t number;

	while ((v = wire_next_value(&values))) {
		number = name_of(t, v);
		if (e && (through ? is_written_through(v->what) :
				    current || v->what != STICK_conn_cur))
			store(table, e, v, number);
	}
}

static bool are_whole(struct wire_values values)
{
	while (wire_next_value(&values))
		;
	return !values.in.bad;
}

/* ---- updates ------------------------------------------------------------------------------- */

struct update {
	uint32_t left; /* ms; of what is not timed all of it */
	struct span key;
	struct wire_values values;
};

/* A peer whose entries do not expire says that nothing is left. */
static void set_left(const struct talk_table *tt, struct stick_table *table, struct stick_entry *e,
		     const struct update *u)
{
	if (!u->left && !tt->theirs.expire_ms)
		stick_touch(table, e);
	else
		stick_set_left(table, e, u->left);
}

static void store_update(struct talk *t, struct talk_table *tt, const struct peers_table *conf,
			 const struct update *u)
{
	struct stick_table *table = conf->table;
	struct stick_entry *e;

	stick_feed_quiet(table, true);
	e = stick_take(table, u->key, NULL);
	store_all(t, table, e, u->values, false, conf->recv_only);
	if (e) {
		set_left(tt, table, e, u);
		stick_feed_learned(table, e);
		stick_give(table, e);
	}
	stick_feed_quiet(table, false);
}

/* It is a change of that table, and told on to those who are told of it. */
static void write_through(struct talk *t, struct stick_table *table, const struct update *u)
{
	struct stick_entry *e = stick_take(table, u->key, NULL);

	if (!e)
		return;
	store_all(t, table, e, u->values, true, false);
	stick_touch(table, e);
	stick_give(table, e);
}

static bool take_update(struct talk *t, unsigned type, struct wire_in *in)
{
	struct talk_table *tt = t->current == TALK_NO_TABLE ? NULL : &t->tables[t->current];
	const struct wire_definition *def = tt ? &tt->theirs : &t->other;
	bool next = type == WIRE_NEXT || type == WIRE_TIMED_NEXT;
	bool timed = type == WIRE_TIMED || type == WIRE_TIMED_NEXT;
	uint32_t number = next ? 0 : wire_get_32(in), memory;
	struct update u = { .left = timed ? wire_get_32(in) : UINT32_MAX };

	t->counts.ignored += !tt;
	if (!tt && !t->has_other)
		return true;
	u.key = wire_get_key(in, def, &memory);
	u.values = wire_values(*in, &def->layout);
	if (!are_whole(u.values))
		return !tt; /* what we do not have may be anything */
	if (!tt) {
		store_all(t, NULL, NULL, u.values, false, false);
		return true;
	}
	tt->taken = next ? tt->taken + 1 : number;
	tt->was_taken = true;
	t->counts.updates_in++;
	store_update(t, tt, &t->setup.tables[t->current], &u);
	if (t->setup.tables[t->current].write_to)
		write_through(t, t->setup.tables[t->current].write_to, &u);
	return true;
}

bool talk_learn(struct talk *t, const struct wire_message *m)
{
	struct wire_in in = wire_in(m->body);

	if (m->type == WIRE_DEFINITION)
		return take_definition(t, &in);
	if (m->type == WIRE_SWITCH)
		return take_switch(t, &in);
	return take_update(t, m->type, &in);
}
