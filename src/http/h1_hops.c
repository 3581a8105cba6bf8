/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Fields that are for the next hop only (RFC 9110 7.6.1). Those that Connection names are taken off
 * while parsing, before rules run: so nobody can make us take off what we add ourselves. The
 * others, which rules may want to see, go when the head leaves; but not what rules have set.
 */
#include "http/h1.h"

#include "base/arena.h"
#include "base/bug.h"
#include "base/literal.h"
#include "http/chars.h"
#include "http/h1_head.h"

#include <sys/auxv.h>

/* Fields that everybody on the way needs: naming them in Connection does not take them off. */
static bool field_is_protected(enum field_id id)
{
	switch (id) {
	case FIELD_HOST:
	case FIELD_CONTENT_LENGTH:
	case FIELD_TRANSFER_ENCODING:
	case FIELD_CONNECTION: /* is the one being read */
	case FIELD_KEEP_ALIVE:
	case FIELD_UPGRADE:    /* decided by the caller */
	case FIELD_TE:
		return true;
	default:
		return false;
	}
}

/* Which names the fields may have: a bit for each by a hash that no client can foresee. So that a
 * list of thousands of names, which hardly name anything, costs a look at each and not at each
 * field. */
enum { NAME_BITS = 4096, FEW_NAMES = 4 };

struct names {
	uint64_t seed, bits[NAME_BITS / 64];
};

static unsigned name_bit(const struct names *names, struct span name)
{
	uint64_t hash = names->seed;
	size_t i;

	for (i = 0; i < name.len; i++)
		hash = (hash ^ (uint8_t)char_lower(name.ptr[i])) * 0x9e3779b97f4a7c15;
	return (unsigned)((hash ^ hash >> 32) * names->seed >> 52);
}

static void names_note(struct names *names, const struct message *msg)
{
	unsigned i, bit;

	memset(names->bits, 0, sizeof(names->bits));
	for (i = 0; i < msg->count; i++) {
		if (!msg->fields[i].name.ptr)
			continue;
		bit = name_bit(names, msg->fields[i].name);
		names->bits[bit / 64] |= 1ULL << bit % 64;
	}
}

static void names_init(struct names *names, const struct message *msg)
{
	const void *random = (const void *)getauxval(AT_RANDOM); /* 16 bytes of the kernel's */

	names->seed = 1;
	if (random)
		memcpy(&names->seed, random, sizeof(names->seed));
	names->seed |= 1;
	names_note(names, msg);
}

static bool names_may_have(const struct names *names, struct span name)
{
	unsigned bit = name_bit(names, name);

	return names->bits[bit / 64] >> bit % 64 & 1;
}

void message_strip_named(struct message *msg)
{
	struct span element;
	unsigned at = 0, seen = 0;
	struct names names;
	struct field *f;
	size_t offset;

	while ((f = message_find_id(msg, FIELD_CONNECTION, &at))) {
		for (offset = 0; list_next(f->value, &offset, &element);) {
			if (seen == FEW_NAMES)
				names_init(&names, msg);
			if (seen++ >= FEW_NAMES && !names_may_have(&names, element))
				continue;
			if (!field_is_protected(field_id(element)) && message_delete(msg, element) &&
			    seen > FEW_NAMES)
				names_note(&names, msg);
		}
	}
}

/* "TE: trailers" says that the next one's trailers will be passed on: true for us, whoever says it.
 * Other codings of a transfer are none that we would understand. */
static void strip_te(struct message *msg, struct field *f, bool *kept)
{
	if (*kept || !list_has_token(f->value, SPAN("trailers"))) {
		message_delete_field(msg, f);
		return;
	}
	if (f->value.len != strlen("trailers"))
		message_set_value(msg, f, SPAN("trailers"));
	*kept = true;
}

/* The option as it is written there; ptr NULL: it is not there. */
static struct span find_option(struct span list, struct span name)
{
	struct span option;
	size_t at = 0;

	while (list_next(list, &at, &option))
		if (span_equal_nocase(option, name))
			return option;
	return (struct span){ NULL, 0 };
}

/* The first one that says it stays, for Upgrade alone. */
static void strip_connection(struct message *msg, struct field *f, bool *upgrade)
{
	struct span option = { NULL, 0 };

	if (*upgrade)
		option = find_option(f->value, SPAN("upgrade"));
	if (!option.ptr) {
		message_delete_field(msg, f);
		return;
	}
	message_set_value(msg, f, option);
	*upgrade = false;
}

static bool is_for_hop(const struct message *msg, const struct field *f)
{
	return f->hop || f->id == FIELD_CONNECTION || (f->id == FIELD_TE && !msg->is_response);
}

void message_strip_hops(struct message *msg, bool keep_upgrade)
{
	bool upgrade = keep_upgrade, te = false;
	unsigned i;

	for (i = 0; i < msg->count && msg->flags & MSG_HOPS; i++) {
		struct field *f = &msg->fields[i];

		if (!f->name.ptr || f->settled || !is_for_hop(msg, f))
			continue;
		if (f->id == FIELD_CONNECTION)
			strip_connection(msg, f, &upgrade);
		else if (f->id == FIELD_TE)
			strip_te(msg, f, &te);
		else if (f->id != FIELD_UPGRADE || !keep_upgrade)
			message_delete_field(msg, f);
	}
}

/* ---- what rules have made of them ---- */

static bool has_upgrade(const struct message *msg)
{
	unsigned at = 0;

	return message_find_id(msg, FIELD_UPGRADE, &at) != NULL;
}

static bool names_upgrade(const struct message *msg)
{
	unsigned at = 0;
	const struct field *f;

	while ((f = message_find_id(msg, FIELD_CONNECTION, &at)))
		if (find_option(f->value, SPAN("upgrade")).ptr)
			return true;
	return false;
}

/* Protocols that a proxy must not let a client begin behind its back: there the next requests
 * would be seen by nobody. */
bool upgrade_is_for_hops(struct span protocols)
{
	struct span protocol;
	size_t at = 0;

	while (list_next(protocols, &at, &protocol)) {
		const char *slash = memchr(protocol.ptr, '/', protocol.len);

		if (slash)
			protocol.len = (size_t)(slash - protocol.ptr);
		if (span_equal_nocase(protocol, SPAN("h2c")) ||
		    span_equal_nocase(protocol, SPAN("h2")) ||
		    span_equal_nocase(protocol, SPAN("HTTP")) ||
		    span_equal_nocase(protocol, SPAN("TLS")))
			return true;
	}
	return false;
}

/* Do both stay? A response may offer other protocols by a rule's word alone, a request may not ask
 * for one. */
static bool is_pair(const struct message *msg)
{
	unsigned at = 0;
	const struct field *f = message_find_id(msg, FIELD_UPGRADE, &at);

	if (!f || !names_upgrade(msg))
		return false;
	if (msg->flags & MSG_UPGRADE)
		return msg->is_response || !upgrade_is_for_hops(f->value);
	return msg->is_response && !f->hop;
}

static bool stays(struct message *msg, struct span option, bool pair)
{
	if (span_equal_nocase(option, SPAN("close"))) {
		msg->flags |= MSG_CLOSES;
		return false;
	}
	if (span_equal_nocase(option, SPAN("keep-alive")))
		return false;
	return pair || !span_equal_nocase(option, SPAN("upgrade"));
}

/* The options that stay, of a field that a rule has made. */
static bool settle_connection(struct message *msg, struct field *f, struct arena *arena, bool pair)
{
	char *memory = arena_alloc(arena, 2 * f->value.len + 1), *p = memory;
	struct span option;
	size_t at = 0;

	if (!memory)
		return false;
	while (list_next(f->value, &at, &option)) {
		if (!stays(msg, option, pair))
			continue;
		if (p > memory)
			p = (char *)memcpy(p, ", ", 2) + 2;
		p = (char *)memcpy(p, option.ptr, option.len) + option.len;
	}
	if (p == memory)
		message_delete_field(msg, f);
	else if (!span_equal(f->value, (struct span){ memory, (size_t)(p - memory) }))
		message_set_value(msg, f, (struct span){ memory, (size_t)(p - memory) });
	f->settled = true;
	return true;
}

static void drop_upgrade(struct message *msg)
{
	unsigned at = 0;
	struct field *f;

	msg->flags &= (uint16_t)~MSG_UPGRADE;
	while ((f = message_find_id(msg, FIELD_UPGRADE, &at)))
		message_delete_field(msg, f);
}

APART bool message_settle(struct message *msg, struct arena *arena)
{
	bool tunnel = msg->is_response && msg->status == 101, pair = tunnel || is_pair(msg);
	unsigned at = 0;
	struct field *f;

	if (!pair && (has_upgrade(msg) || msg->flags & MSG_UPGRADE))
		drop_upgrade(msg);
	else if (pair)
		msg->flags |= MSG_UPGRADE;
	while ((f = message_find_id(msg, FIELD_CONNECTION, &at)))
		if (!f->hop && !settle_connection(msg, f, arena, pair))
			return false;
	if (tunnel && has_upgrade(msg) && !names_upgrade(msg))
		return message_add(msg, arena, SPAN("Connection"), SPAN("Upgrade"));
	return true;
}
