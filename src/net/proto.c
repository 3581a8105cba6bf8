/* SPDX-License-Identifier: BSD-2-Clause */
/* The table of protocols of messages (net/proto.h), and how its rows are found. */
#include "net/proto.h"

#include "config/config.h"

#include <string.h>

#define ROW(id, word, alpn_, name_, preface_, can_)                                      \
	[PROTO_##id] = { .name = (name_), .alpn = { (alpn_), sizeof(alpn_) - 1 },         \
			 .preface = { (preface_), sizeof(preface_) - 1 }, .can = (can_) },
const struct proto_row protos[PROTO_COUNT] = {
	[PROTO_NONE] = { .can = PROTO_CLIENTS | PROTO_SERVERS | PROTO_CHECKS },
	PROTOS(ROW)
};
#undef ROW

#define ROW(id, word, ...) [PROTO_##id] = (word),
const char *const proto_words[PROTO_COUNT + 1] = { [PROTO_UNSET] = "", [PROTO_NONE] = "none",
						   PROTOS(ROW) };
#undef ROW

enum proto proto_take(struct statement *st, unsigned what)
{
	enum proto p;

	for (p = PROTO_NONE; p < PROTO_COUNT; p++)
		if (proto_can(p, what) && stmt_take(st, proto_words[p]))
			return p;
	return PROTO_UNSET;
}

enum proto proto_agreed(struct span name)
{
	enum proto p;

	for (p = PROTO_USUAL; p < PROTO_COUNT; p++)
		if (protos[p].alpn.len == name.len + 1 &&
		    !memcmp(protos[p].alpn.ptr + 1, name.ptr, name.len))
			return p;
	return PROTO_UNSET;
}

enum proto proto_begun(const char *bytes, size_t len)
{
	enum proto p;

	for (p = PROTO_USUAL; p < PROTO_COUNT; p++) {
		struct span preface = protos[p].preface;

		if (preface.len && proto_can(p, PROTO_CLIENTS) &&
		    !memcmp(bytes, preface.ptr, len < preface.len ? len : preface.len))
			return p;
	}
	return PROTO_UNSET;
}

struct span proto_unusual(struct span list)
{
	struct span name;
	size_t at;

	for (at = 0; at < list.len; at += 1 + name.len) {
		name = (struct span){ list.ptr + at + 1, (unsigned char)list.ptr[at] };
		if (proto_agreed(name) > PROTO_USUAL)
			return name;
	}
	return (struct span){ "", 0 };
}

size_t proto_names_of(enum proto p, struct span from, char *to)
{
	size_t at, len, n = 0;

	for (at = 0; at < from.len; at += len) {
		enum proto other = proto_agreed((struct span){ from.ptr + at + 1,
							       (unsigned char)from.ptr[at] });

		len = 1 + (unsigned char)from.ptr[at];
		if (other != PROTO_UNSET && other != p)
			continue;
		memcpy(to + n, from.ptr + at, len);
		n += len;
	}
	return n;
}
