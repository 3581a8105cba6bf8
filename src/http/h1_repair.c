/* SPDX-License-Identifier: BSD-2-Clause */
/* What an option has let pass in a request, written so that each recipient reads it as our rules
 * have. Called before such a request leaves; the parsers have taken out what has no such form. */
#include "http/h1.h"

#include "base/arena.h"
#include "base/bug.h"
#include "http/uri.h"

static const char hex[] = "0123456789ABCDEF";

static bool is_odd(char c)
{
	return c == '#' || (uint8_t)c > 0x7f;
}

/* RFC 3986 2.1. */
static bool repair_target(struct message *msg, struct arena *arena)
{
	struct span from = msg->target;
	size_t i, odd = 0;
	char *to, *p;

	for (i = 0; i < from.len; i++)
		odd += is_odd(from.ptr[i]);
	if (!odd)
		return true;
	to = p = arena_alloc(arena, from.len + 2 * odd);
	if (!to)
		return false;
	for (i = 0; i < from.len; i++) {
		if (!is_odd(from.ptr[i])) {
			*p++ = from.ptr[i];
			continue;
		}
		*p++ = '%';
		*p++ = hex[(uint8_t)from.ptr[i] >> 4];
		*p++ = hex[from.ptr[i] & 15];
	}
	return message_set_target(msg, arena, (struct span){ to, (size_t)(p - to) });
}

APART bool message_repair(struct message *msg, struct arena *arena)
{
	struct uri uri;
	unsigned at = 0;

	if (!repair_target(msg, arena))
		return false;
	if (!msg->minor || message_find_id(msg, FIELD_HOST, &at))
		return true;
	if (!uri_split(msg->target, &uri) || !uri.authority.ptr)
		uri.authority = span_of("");
	return message_add(msg, arena, span_of("Host"), uri.authority);
}
