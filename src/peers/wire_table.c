/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Definitions of tables and updates of entries, as bytes. Called by the conversation (messages.c),
 * which writes what surrounds them. Pure, but for the entry that is read.
 *
 * Values come in the order of data types, which is that of their numbers; an update says nothing of
 * types, so a definition has to come first.
 */
#include "peers/wire.h"

#include "base/bug.h"

#include <arpa/inet.h>

static const uint8_t key_types[STICK_KEY_TYPES] = {
	[STICK_INTEGER] = 2, [STICK_IP] = 4, [STICK_IPV6] = 5, [STICK_STRING] = 6, [STICK_BINARY] = 7,
};

static bool is_array(enum stick_data what)
{
	return stick_data_types[what].argument >= STICK_ARRAY;
}

static bool has_period(enum stick_data what)
{
	return stick_data_types[what].form == STICK_RATE;
}

/* ---- definitions --------------------------------------------------------------------------- */

/* An end of strings is counted. */
static uint32_t key_len_of(const struct stick_definition *def)
{
	return def->type == STICK_STRING ? def->key_len + 1 : def->key_len;
}

void wire_put_definition(struct wire_out *out, uint32_t id, struct span name,
			 const struct stick_definition *def)
{
	uint64_t stored = 0;
	unsigned what;

	for (what = 0; what < STICK_DATA; what++)
		if (stick_stores(def, what))
			stored |= UINT64_C(1) << stick_data_types[what].number;
	wire_put_number(out, id);
	wire_put_number(out, name.len);
	wire_put_bytes(out, name.ptr, name.len);
	wire_put_number(out, key_types[def->type]);
	wire_put_number(out, key_len_of(def));
	wire_put_number(out, stored);
	wire_put_number(out, def->expire_ms);
	for (what = 0; what < STICK_DATA; what++) {
		if (!stick_stores(def, what) || (!is_array(what) && !has_period(what)))
			continue;
		wire_put_number(out, stick_data_types[what].number);
		if (is_array(what))
			wire_put_number(out, def->columns[what].count);
		if (has_period(what))
			wire_put_number(out, def->columns[what].period);
	}
}

/* How many of an announced type; false: the list ends before it, or goes on with another one. The
 * period is the sender's: ours is another matter. */
static bool get_description(struct wire_in *in, enum stick_data what, uint32_t *count)
{
	*count = 1;
	if (!is_array(what) && !has_period(what))
		return true;
	if (in->at == in->end || wire_get_number(in) != stick_data_types[what].number)
		return false;
	if (is_array(what))
		*count = (uint32_t)wire_get_number(in);
	if (has_period(what))
		wire_get_number(in);
	return true;
}

bool wire_get_definition(struct wire_in *in, struct wire_definition *def)
{
	uint64_t stored;
	unsigned what;

	*def = (struct wire_definition){ .id = (uint32_t)wire_get_number(in), .usable = true };
	def->name = wire_get_bytes(in, wire_get_number(in));
	def->type = (uint32_t)wire_get_number(in);
	def->key_len = (uint32_t)wire_get_number(in);
	stored = wire_get_number(in);
	if (in->at < in->end)
		def->expire_ms = (uint32_t)wire_get_number(in);
	for (what = 0; what < STICK_DATA && def->usable; what++)
		if (stored >> stick_data_types[what].number & 1)
			def->usable = get_description(in, what, &def->layout.counts[what]);
	return !in->bad;
}

bool wire_fits(const struct wire_definition *theirs, const struct stick_definition *ours)
{
	return theirs->usable && theirs->type == key_types[ours->type] &&
	       theirs->key_len == key_len_of(ours);
}

/* ---- keys ---------------------------------------------------------------------------------- */

/* A string ends at a NUL. */
static struct span without_end(struct span text)
{
	const char *nul = text.len ? memchr(text.ptr, '\0', text.len) : NULL;

	return (struct span){ text.ptr, nul ? (size_t)(nul - text.ptr) : text.len };
}

struct span wire_key(const struct stick_definition *def, struct span key)
{
	return def->type == STICK_STRING ? without_end(key) : key;
}

void wire_put_key(struct wire_out *out, const struct stick_definition *def, struct span key)
{
	uint32_t number;

	key = wire_key(def, key);
	if (def->type == STICK_INTEGER) {
		BUG_ON(key.len != sizeof(number));
		memcpy(&number, key.ptr, sizeof(number));
		wire_put_32(out, number);
		return;
	}
	if (def->type == STICK_STRING)
		wire_put_number(out, key.len);
	wire_put_bytes(out, key.ptr, key.len);
}

struct span wire_get_key(struct wire_in *in, const struct wire_definition *def, uint32_t *memory)
{
	if (def->type == key_types[STICK_STRING])
		return without_end(wire_get_bytes(in, wire_get_number(in)));
	if (def->type != key_types[STICK_INTEGER])
		return wire_get_bytes(in, def->key_len);
	*memory = wire_get_32(in);
	return (struct span){ (const char *)memory, sizeof(*memory) };
}

/* ---- values -------------------------------------------------------------------------------- */

/* The id of a name, and whether the peer has yet to be told what it stands for. */
static unsigned id_of(struct wire_names *names, uint32_t number, bool *is_new)
{
	unsigned i;

	for (i = 0; i < WIRE_NAMES; i++)
		if (names->numbers[i] == number) {
			*is_new = false;
			return i + 1;
		}
	i = names->next;
	names->next = (names->next + 1) % WIRE_NAMES;
	names->numbers[i] = number;
	*is_new = true;
	return i + 1;
}

static void put_name(struct wire_out *out, uint32_t number, struct wire_names *names)
{
	struct span name = number ? stick_name(number) : (struct span){ NULL, 0 };
	unsigned id;
	bool is_new;

	if (!name.ptr) {
		wire_put_number(out, 0);
		return;
	}
	id = id_of(names, number, &is_new);
	if (!is_new) {
		wire_put_number(out, 1);
		wire_put_number(out, id);
		return;
	}
	/* An id is one byte; the length of a name is two from 240 on. */
	wire_put_number(out, 1 + (name.len < 240 ? 1 : 2) + name.len);
	wire_put_number(out, id);
	wire_put_number(out, name.len);
	wire_put_bytes(out, name.ptr, name.len);
}

static void put_rate(struct wire_out *out, struct stick_rate_state rate)
{
	wire_put_number(out, rate.age);
	wire_put_number(out, rate.now);
	wire_put_number(out, rate.before);
}

void wire_put_values(struct wire_out *out, const struct stick_table *t,
		     const struct stick_entry *e, struct wire_names *names)
{
	const struct stick_definition *def = stick_definition(t);
	unsigned what, at;

	for (what = 0; what < STICK_DATA; what++)
		for (at = 0; at < def->columns[what].count; at++)
			if (stick_data_types[what].form == STICK_RATE)
				put_rate(out, stick_rate_state(t, e, what, at));
			else if (stick_data_types[what].form == STICK_KEY)
				put_name(out, (uint32_t)stick_value(t, e, what, at), names);
			else
				wire_put_number(out, stick_value(t, e, what, at));
}

struct wire_values wire_values(struct wire_in in, const struct wire_layout *layout)
{
	return (struct wire_values){ .in = in, .layout = layout };
}

static void get_rate(struct wire_in *in, struct stick_rate_state *rate)
{
	rate->age = (uint32_t)wire_get_number(in);
	rate->now = (uint32_t)wire_get_number(in);
	rate->before = (uint32_t)wire_get_number(in);
}

/* A length; in it an id, and what it stands for unless that is known. */
static void get_name(struct wire_in *in, struct wire_value *value)
{
	struct wire_in entry = wire_in(wire_get_bytes(in, wire_get_number(in)));
	uint64_t id;

	if (entry.at == entry.end)
		return;
	id = wire_get_number(&entry);
	if (entry.at < entry.end)
		value->name = wire_get_bytes(&entry, wire_get_number(&entry));
	if (entry.bad || !id || id > WIRE_NAMES)
		*in = (struct wire_in){ .at = in->end, .end = in->end, .bad = true };
	value->id = (unsigned)id;
}

const struct wire_value *wire_next_value(struct wire_values *v)
{
	while (v->what < STICK_DATA && v->at >= v->layout->counts[v->what]) {
		v->what++;
		v->at = 0;
	}
	if (v->what == STICK_DATA || v->in.bad)
		return NULL;
	v->value = (struct wire_value){ .what = v->what, .at = v->at++ };
	if (stick_data_types[v->what].form == STICK_RATE)
		get_rate(&v->in, &v->value.rate);
	else if (stick_data_types[v->what].form == STICK_KEY)
		get_name(&v->in, &v->value);
	else
		v->value.number = wire_get_number(&v->in);
	return v->in.bad ? NULL : &v->value;
}
