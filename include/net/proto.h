/* SPDX-License-Identifier: BSD-2-Clause */
/* The protocols of messages that clients and servers speak: one row each. Who reads words of lines,
 * offers names by ALPN, or counts on what a protocol can do asks this table and names none. Who
 * carries each of them is the other table, src/protocols.c. */
#ifndef NET_PROTO_H
#define NET_PROTO_H

#include "base/result.h"
#include "base/str.h"

#include <stdbool.h>
#include <stddef.h>

struct statement;

/* What a protocol is spoken by, and what it can do. */
enum { PROTO_CLIENTS = 1 << 0, /* spoken by clients, ... */
       PROTO_SERVERS = 1 << 1, /* to servers, ... */
       PROTO_CHECKS = 1 << 2,  /* by health checks */
       PROTO_WEBSOCKET = 1 << 3, /* "ws" may name it */
       PROTO_MANY = 1 << 4,    /* many exchanges at once over one connection */
       PROTO_REFUSES = 1 << 5, /* a server can say that it has not begun with a request */
       PROTO_ALL = (1 << 4) - 1 };

/* Its name in the code; the word for it ("proto", "check-proto", "ws", "switch-mode"); its name by
 * ALPN, behind its length; the name for people; what a client says first, where nothing was agreed
 * upon ("": not to be told by that); what it can do. The first row is what is spoken where nothing
 * is said. "none" (bytes, no messages) is for clients, servers and checks. */
#define PROTOS(ROW)                                                              \
	ROW(H1, "h1", "\10http/1.1", "HTTP/1", "", PROTO_ALL)                    \
	ROW(H2, "h2", "\2h2", "HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",        \
	    PROTO_ALL | PROTO_MANY | PROTO_REFUSES)

/* What bind lines offer by ALPN unless they say it themselves: the best first. */
#define PROTO_OFFER "\2h2\10http/1.1"

/* UNSET: nothing was said of it; NONE: bytes, and no messages. */
#define PROTO_ID(id, ...) PROTO_##id,
enum proto { PROTO_UNSET, PROTO_NONE, PROTOS(PROTO_ID) PROTO_COUNT, PROTO_USUAL = PROTO_NONE + 1 };
#undef PROTO_ID

struct proto_row {
	const char *name;
	struct span alpn;      /* in the form of the wire */
	struct span preface;
	unsigned can;
};

extern const struct proto_row protos[PROTO_COUNT];
/* The words, from PROTO_UNSET ("") on; NULL ends them. */
extern const char *const proto_words[PROTO_COUNT + 1];
/* The words as a list, "h1 | h2", for the help of those that take one. */
#define PROTO_WORD(id, word, ...) word " | "
#define PROTO_ARGS "{ " PROTOS(PROTO_WORD) "none }"

static inline bool proto_can(enum proto p, unsigned what)
{
	return (protos[p].can & what) == what;
}

/* The next word, if it names one that can all of that. PROTO_UNSET: it is not taken. */
MUST_USE enum proto proto_take(struct statement *st, unsigned what);
/* By its name by ALPN, without the length. PROTO_UNSET: none of these. */
MUST_USE enum proto proto_agreed(struct span name);
/* Which clients' protocol begins with these bytes, as far as they go. PROTO_UNSET: none that can be
 * told by them. */
MUST_USE enum proto proto_begun(const char *bytes, size_t len);
/* The first name in a list in the form of the wire that is that of another protocol than the usual
 * one; empty: there is none. */
MUST_USE struct span proto_unusual(struct span list);
/* Copies a list of names in the form of the wire, without those of other protocols than p; names
 * that are in no row stay. to: as long as from. Returns the length. */
MUST_USE size_t proto_names_of(enum proto p, struct span from, char *to);

#endif
