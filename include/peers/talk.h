/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A conversation with a peer, behind the hello (doc/internals/peers.md): bytes that came go in, bytes
 * to be sent come out. It reads and writes entries of stick tables; it has neither socket nor timer.
 */
#ifndef PEERS_TALK_H
#define PEERS_TALK_H

#include "base/result.h"
#include "stick/feed.h"

enum { TALK_MESSAGE_MOST = 16384 /* bytes of a message; longer ones end the conversation */ };

/* A table of a section. */
struct peers_table {
	struct stick_table *table;
	const char *name;             /* on the wire: of the proxy, or "/t1" of a line `table t1' */
	struct stick_table *write_to; /* gets server_id, server_key and gpt of each update, too; or
				       * NULL */
	bool recv_only;               /* nothing of it is told; conn_cur is learned */
};

enum talk_event {
	TALK_WAS_ASKED, /* the peer wants to be taught: is being done by the talk itself */
	TALK_FINISHED,  /* what was asked for came, wholly: confirmed by the talk itself */
	TALK_PARTIAL,   /* it came, but the peer lacks something itself: confirmed, too */
	TALK_CONFIRMED, /* what was taught was taken */
};

struct talk_setup {
	const struct peers_table *tables; /* they live longer than the talk */
	unsigned table_count;
	uint64_t who;            /* hash of the section's and the peer's name: stick_feed_acked */
	unsigned shard, shards;  /* it is told only keys of that one; shard 0: all */
	unsigned most_updates;   /* in a call of talk_out: tune.peers.max-updates-at-once */
	bool untimed;            /* the peer speaks version 2.0: no timed updates, no heartbeats */
	void *owner;
	void (*happened)(void *owner, enum talk_event event); /* called from talk_in */
	bool (*is_up_to_date)(void *owner); /* asked at the end of a teaching: finished or partial */
};

struct talk_counts {
	uint64_t messages_in, messages_out, bytes_in, bytes_out;
	uint64_t updates_in, updates_out; /* entries */
	uint32_t beats_in, beats_out, acks_in, acks_out;
	uint32_t errors;  /* of the peer against the protocol: 1 at most, the talk ends by it */
	uint32_t ignored; /* messages of an unknown kind, or about a table that we do not have */
};

struct talk;

/* NULL: no memory. */
struct talk *talk_new(const struct talk_setup *setup);
void talk_free(struct talk **t);
/* What came, in any pieces; all of it is taken. 0; -1: the conversation has ended: what talk_out
 * still gives says why (0x01 0x00, 0x01 0x01), then the connection is closed. */
MUST_USE int talk_in(struct talk *t, const void *bytes, size_t len);
/* Writes whole messages; size is at least TALK_MESSAGE_MOST. Returns bytes; 0: nothing for now,
 * unless talk_has_more. Looks at a bounded number of entries. */
size_t talk_out(struct talk *t, void *buf, size_t size);
/* talk_out would say, or look for, more: it is to be called again, in another turn. */
MUST_USE bool talk_has_more(const struct talk *t);
/* Asks to be taught; the answer is an event. */
void talk_ask(struct talk *t);
/* Teaches without having been asked (to the process that replaces this one). */
void talk_teach(struct talk *t);
MUST_USE bool talk_is_teaching(const struct talk *t);
/* A heartbeat is to be said. */
void talk_beat(struct talk *t);
/* Something has been collected from the tables: there may be something to be told. */
void talk_tables_changed(struct talk *t);
const struct talk_counts *talk_counts(const struct talk *t);

/* What is known about a table, for "show peers". */
struct talk_table_state {
	uint32_t told, acked;    /* ours to it */
	uint32_t taken;          /* its to us: the id taken last */
	uint32_t their_id;       /* the number that it has given the table; 0: not defined by it */
	bool usable;             /* its definition fits ours */
};
void talk_table_state(const struct talk *t, unsigned table, struct talk_table_state *state);
/* The name (of server_key) that we (ours) or the peer has told under this id, from 1 on; empty:
 * none. False: there are no such ids. */
MUST_USE bool talk_name(const struct talk *t, bool ours, unsigned id, struct span *name);

#endif
