/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Fields that are for the next hop only (RFC 9110 7.6.1). Those that Connection names are taken off
 * while parsing, before rules run: so nobody can make us take off what we add ourselves. The
 * others, which rules may want to see, go when the head leaves; but not what rules have set.
 */
#include "http/h1.h"

#include "http/chars.h"

#include <sys/auxv.h>

#define SPAN(text) ((struct span){ text, sizeof(text) - 1 })

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

/* "TE: trailers" says that the next one's trailers will be passed on: true for us. */
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

/* The first one stays, for Upgrade alone. */
static void strip_connection(struct message *msg, struct field *f, bool *upgrade)
{
	if (*upgrade)
		message_set_value(msg, f, SPAN("Upgrade"));
	else
		message_delete_field(msg, f);
	*upgrade = false;
}

void message_strip_hops(struct message *msg, bool keep_upgrade)
{
	bool upgrade = keep_upgrade, te = false;
	unsigned i;

	for (i = 0; i < msg->count && msg->flags & MSG_HOPS; i++) {
		struct field *f = &msg->fields[i];

		if (!f->name.ptr || !(f->hop || f->id == FIELD_CONNECTION))
			continue;
		if (f->id == FIELD_CONNECTION)
			strip_connection(msg, f, &upgrade);
		else if (f->id == FIELD_TE)
			strip_te(msg, f, &te);
		else if (f->id != FIELD_UPGRADE || !keep_upgrade)
			message_delete_field(msg, f);
	}
}
