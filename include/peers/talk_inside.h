/* SPDX-License-Identifier: BSD-2-Clause */
/* The inside of a conversation with a peer, for messages.c, learn.c and tell.c alone. */
#ifndef PEERS_TALK_INSIDE_H
#define PEERS_TALK_INSIDE_H

#include "base/result.h"
#include "peers/talk.h"
#include "peers/wire.h"

enum { TALK_NO_TABLE = -1 };

/* A table of the section, in this conversation. */
struct talk_table {
	/* What we tell. */
	struct stick_cursor cursor;
	uint64_t shard_seed;
	size_t most_bytes;   /* of an update, with the definition in front */
	uint32_t sent;       /* number of the last update; of none yet: what was acknowledged before */
	uint32_t acked;
	bool was_sent;       /* an update, in this conversation */
	/* What it tells. */
	struct wire_definition theirs; /* its name is not kept */
	bool defined, usable;          /* usable: it fits ours */
	uint32_t taken;      /* number of the last update */
	uint32_t answered;   /* the number that we have acknowledged last */
	bool was_taken;      /* since the acknowledgement */
	bool is_answered;    /* `answered' is what the peer knows: the same number needs no answer */
};

enum talk_life { TALK_LIVES, TALK_REFUSED, TALK_REFUSED_LONG, TALK_IS_OVER };
enum talk_teaching { TEACH_NOT, TEACH_DEFINES, TEACH_TELLS, TEACH_AWAITS /* that it is confirmed */ };

struct talk {
	struct talk_setup setup;
	struct talk_counts counts;
	struct talk_table *tables;
	enum talk_life life;
	/* To be said when there is room. */
	bool asks, confirms, beats, answers;
	bool tells;               /* a table may have something */
	enum talk_teaching teaching;
	unsigned taught;          /* the table that is being taught */
	unsigned turn;            /* the table that is looked at first */
	int defined;              /* the table that was defined last, by us */
	struct wire_names names;  /* that were sent */
	int current;              /* the table that its updates are of */
	struct wire_definition other; /* `current' is none of ours, or cannot be used: */
	bool has_other;               /* its updates are read for the names in them */
	bool wants_names;
	uint32_t their_names[WIRE_NAMES]; /* numbers of stick_name, by id - 1 */
	size_t held;              /* bytes of a message that is not whole yet */
	unsigned char hold[WIRE_MESSAGE_MOST + WIRE_HEAD_MOST];
};

/* learn.c: definitions, switches, updates. False: the message is against the protocol. */
MUST_USE bool talk_learn(struct talk *t, const struct wire_message *m);

/* tell.c */
void tell_begin(struct talk *t); /* cursors, where the peer's last acknowledgement was */
void tell_teach(struct talk *t); /* all entries from now on */
void tell_confirmed(struct talk *t);
/* False: against the protocol. */
MUST_USE bool tell_acked(struct talk *t, const struct wire_message *m);
/* Updates, as many as fit and are allowed in one turn. */
void tell(struct talk *t, struct wire_out *out);

#endif
