/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A conversation with a peer, behind the hello: a pure machine, bytes in, bytes out. Called by who
 * has the connection. What the peer tells of tables is learn.c, what it is told is tell.c.
 *
 * A message is looked at when it is whole. What is to be said is noted, and said by talk_out: so a
 * peer that does not read costs nothing but what it has not been told.
 */
#include "peers/talk_inside.h"

#include "base/bug.h"
#include "base/result.h"

#include <stdlib.h>

/* ---- beginning and end --------------------------------------------------------------------- */

static bool stores_names(const struct stick_table *table)
{
	return table && stick_stores(stick_definition(table), STICK_server_key);
}

struct talk *talk_new(const struct talk_setup *setup)
{
	struct talk *t = calloc(1, sizeof(*t));
	unsigned i;

	if (!t)
		return NULL;
	t->setup = *setup;
	t->tables = calloc(setup->table_count ? setup->table_count : 1, sizeof(*t->tables));
	if (!t->tables) {
		free(t);
		return NULL;
	}
	t->current = t->defined = TALK_NO_TABLE;
	for (i = 0; i < setup->table_count; i++)
		t->wants_names |= stores_names(setup->tables[i].table) ||
				  stores_names(setup->tables[i].write_to);
	tell_begin(t);
	return t;
}

void talk_free(struct talk **t)
{
	if (!*t)
		return;
	free((*t)->tables);
	free(*t);
	*t = NULL;
}

/* ---- what comes ---------------------------------------------------------------------------- */

static void happened(struct talk *t, enum talk_event event)
{
	t->setup.happened(t->setup.owner, event);
}

static void was_asked(struct talk *t)
{
	if (t->teaching == TEACH_DEFINES || t->teaching == TEACH_TELLS)
		return;
	tell_teach(t);
	happened(t, TALK_WAS_ASKED);
}

static void was_taught(struct talk *t, enum talk_event event)
{
	t->confirms = true;
	happened(t, event);
}

static void was_confirmed(struct talk *t)
{
	if (t->teaching != TEACH_AWAITS)
		return;
	tell_confirmed(t);
	happened(t, TALK_CONFIRMED);
}

static void take_control(struct talk *t, unsigned type)
{
	switch (type) {
	case WIRE_ASK:
		was_asked(t);
		break;
	case WIRE_FINISHED:
		was_taught(t, TALK_FINISHED);
		break;
	case WIRE_PARTIAL:
		was_taught(t, TALK_PARTIAL);
		break;
	case WIRE_CONFIRM:
		was_confirmed(t);
		break;
	case WIRE_BEAT:
		t->counts.beats_in++;
		break;
	default:
		t->counts.ignored++;
	}
}

static bool take_message(struct talk *t, const struct wire_message *m)
{
	t->counts.messages_in++;
	if (m->class == WIRE_CONTROL) {
		take_control(t, m->type);
		return true;
	}
	if (m->class == WIRE_TABLES && m->type == WIRE_ACK)
		return tell_acked(t, m);
	if (m->class == WIRE_TABLES && m->type >= WIRE_WITH_BODY && m->type <= WIRE_TIMED_NEXT)
		return talk_learn(t, m);
	t->counts.ignored++;
	return true;
}

static void refuse(struct talk *t, enum talk_life why)
{
	t->counts.errors++;
	t->life = why;
}

/* Whole messages; returns their bytes. */
static size_t take_messages(struct talk *t, const unsigned char *bytes, size_t len)
{
	struct wire_message m;
	size_t taken = 0;
	int n;

	while (t->life == TALK_LIVES) {
		n = wire_message((struct span){ (const char *)bytes + taken, len - taken }, &m);
		if (!n)
			break;
		if (n < 0)
			refuse(t, n == WIRE_IS_LONG ? TALK_REFUSED_LONG : TALK_REFUSED);
		else if (!take_message(t, &m))
			refuse(t, TALK_REFUSED);
		else
			taken += (size_t)n;
	}
	return taken;
}

/* Behind what is held; returns how much of it was taken. */
static size_t fill_hold(struct talk *t, const unsigned char *bytes, size_t len)
{
	size_t room = sizeof(t->hold) - t->held, taken;

	if (len > room)
		len = room;
	memcpy(t->hold + t->held, bytes, len);
	t->held += len;
	taken = take_messages(t, t->hold, t->held);
	t->held -= taken;
	memmove(t->hold, t->hold + taken, t->held);
	return len;
}

/* Each table's last number is acknowledged once for all that came at a time. */
static void note_answers(struct talk *t)
{
	struct talk_table *tt;
	unsigned i;

	for (i = 0; i < t->setup.table_count; i++) {
		tt = &t->tables[i];
		if (tt->was_taken && (!tt->is_answered || tt->taken != tt->answered))
			t->answers = true;
		else
			tt->was_taken = false;
	}
}

int talk_in(struct talk *t, const void *bytes, size_t len)
{
	const unsigned char *at = bytes, *end = at + len;

	if (t->life == TALK_LIVES)
		t->counts.bytes_in += len;
	while (at < end && t->life == TALK_LIVES) {
		if (!t->held)
			at += take_messages(t, at, (size_t)(end - at));
		if (at < end && t->life == TALK_LIVES)
			at += fill_hold(t, at, (size_t)(end - at));
	}
	note_answers(t);
	return t->life == TALK_LIVES ? 0 : -1;
}

/* ---- what is said -------------------------------------------------------------------------- */

static bool say(struct talk *t, struct wire_out *out, bool *due, unsigned type)
{
	if (!*due || !wire_put_short(out, WIRE_CONTROL, type))
		return false;
	*due = false;
	t->counts.messages_out++;
	return true;
}

static bool answer(struct talk *t, struct wire_out *out, struct talk_table *tt)
{
	wire_begin(out, WIRE_TABLES, WIRE_ACK);
	wire_put_number(out, tt->theirs.id);
	wire_put_32(out, tt->taken);
	if (!wire_end(out))
		return false;
	tt->answered = tt->taken;
	tt->is_answered = true;
	tt->was_taken = false;
	t->counts.acks_out++;
	t->counts.messages_out++;
	return true;
}

static void say_answers(struct talk *t, struct wire_out *out)
{
	unsigned i;

	if (!t->answers)
		return;
	for (i = 0; i < t->setup.table_count; i++)
		if (t->tables[i].was_taken && !answer(t, out, &t->tables[i]))
			return;
	t->answers = false;
}

/* Behind it the next updates are answered even if their number is that of before: who teaches
 * forgets the acknowledgements that it gets meanwhile. */
static void say_confirmed(struct talk *t, struct wire_out *out)
{
	unsigned i;

	if (t->answers || !say(t, out, &t->confirms, WIRE_CONFIRM))
		return;
	for (i = 0; i < t->setup.table_count; i++)
		t->tables[i].is_answered = false;
}

static void say_why(struct talk *t, struct wire_out *out)
{
	if (t->life == TALK_IS_OVER)
		return;
	if (wire_put_short(out, WIRE_ERROR,
			   t->life == TALK_REFUSED_LONG ? WIRE_TOO_LONG : WIRE_FAULT))
		t->counts.messages_out++;
	t->life = TALK_IS_OVER;
}

size_t talk_out(struct talk *t, void *buf, size_t size)
{
	struct wire_out out = wire_out(buf, size);

	BUG_ON(size < TALK_MESSAGE_MOST);
	if (t->life == TALK_LIVES) {
		DROPPED(say(t, &out, &t->asks, WIRE_ASK), "what was not said stays due");
		say_answers(t, &out);
		say_confirmed(t, &out);
		if (say(t, &out, &t->beats, WIRE_BEAT))
			t->counts.beats_out++;
		tell(t, &out);
	} else {
		say_why(t, &out);
	}
	t->counts.bytes_out += (uint64_t)(out.at - out.begin);
	return (size_t)(out.at - out.begin);
}

bool talk_has_more(const struct talk *t)
{
	if (t->life != TALK_LIVES)
		return t->life != TALK_IS_OVER;
	if (t->asks || t->answers || t->confirms || t->beats)
		return true;
	return t->teaching == TEACH_NOT ? t->tells : t->teaching != TEACH_AWAITS;
}

void talk_ask(struct talk *t)
{
	t->asks = true;
}

void talk_teach(struct talk *t)
{
	tell_teach(t);
}

bool talk_is_teaching(const struct talk *t)
{
	return t->teaching != TEACH_NOT;
}

void talk_beat(struct talk *t)
{
	t->beats = !t->setup.untimed;
}

void talk_tables_changed(struct talk *t)
{
	t->tells = true;
}

/* ---- what is asked about it ---------------------------------------------------------------- */

const struct talk_counts *talk_counts(const struct talk *t)
{
	return &t->counts;
}

bool talk_name(const struct talk *t, bool ours, unsigned id, struct span *name)
{
	if (!id || id > WIRE_NAMES)
		return false;
	*name = stick_name(ours ? t->names.numbers[id - 1] : t->their_names[id - 1]);
	return true;
}

void talk_table_state(const struct talk *t, unsigned table, struct talk_table_state *state)
{
	const struct talk_table *tt = &t->tables[table];

	BUG_ON(table >= t->setup.table_count);
	*state = (struct talk_table_state){ .told = tt->sent, .acked = tt->acked,
		.taken = tt->taken, .their_id = tt->defined ? tt->theirs.id : 0,
		.usable = tt->usable };
}
