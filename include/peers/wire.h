/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Messages of the protocol of peers as bytes: numbers, definitions of tables, updates of entries.
 * Pure, but for the entry that an update is written from. What is read is untrusted: nothing behind
 * the end of a message is looked at, and no number is believed. doc/internals/peers.md
 */
#ifndef PEERS_WIRE_H
#define PEERS_WIRE_H

#include "base/result.h"
#include "stick/table.h"

/* ---- messages ------------------------------------------------------------------------------ */

enum wire_class { WIRE_CONTROL = 0, WIRE_ERROR = 1, WIRE_TABLES = 10, WIRE_RESERVED = 255 };
enum wire_type {
	/* WIRE_CONTROL */
	WIRE_ASK = 0, WIRE_FINISHED = 1, WIRE_PARTIAL = 2, WIRE_CONFIRM = 3, WIRE_BEAT = 4,
	/* WIRE_ERROR */
	WIRE_FAULT = 0, WIRE_TOO_LONG = 1,
	/* types from here on have a length and a body */
	WIRE_WITH_BODY = 128,
	/* WIRE_TABLES; _NEXT: without a number, it is that of the table's last update + 1;
	 * _TIMED: with the life that is left */
	WIRE_UPDATE = 128, WIRE_NEXT, WIRE_DEFINITION, WIRE_SWITCH, WIRE_ACK, WIRE_TIMED,
	WIRE_TIMED_NEXT,
};
enum { WIRE_MESSAGE_MOST = 16384, /* bytes of a message */
       WIRE_HEAD_MOST = 12,       /* of its class, type and length */
       WIRE_NAMES = 128 };        /* ids of names, from 1 on */

struct wire_message {
	uint8_t class, type;
	struct span body; /* of types from WIRE_WITH_BODY on */
};
/* The first message of what came. Its bytes, at most WIRE_MESSAGE_MOST + WIRE_HEAD_MOST; 0: it is
 * not whole yet; WIRE_IS_BAD, WIRE_IS_LONG: it never will be. */
enum { WIRE_IS_BAD = -1, WIRE_IS_LONG = -2 };
MUST_USE int wire_message(struct span bytes, struct wire_message *m);

/* ---- reading the body of a message --------------------------------------------------------- */

/* What is asked for and is not there makes it bad, and is 0 or empty; so is all that follows. */
struct wire_in {
	const unsigned char *at, *end;
	bool bad;
};
struct wire_in wire_in(struct span bytes);
uint64_t wire_get_number(struct wire_in *in);
uint32_t wire_get_32(struct wire_in *in);
struct span wire_get_bytes(struct wire_in *in, uint64_t len);

/* How many of each data type a peer sends: elements of arrays, else 1; 0: it does not. */
struct wire_layout {
	uint32_t counts[STICK_DATA];
};
struct wire_definition {
	uint32_t id;
	struct span name;   /* lies in the message */
	uint32_t type;      /* of keys, the number of the protocol */
	uint32_t key_len;   /* of strings with an end: one more than ours */
	uint32_t expire_ms; /* 0: entries do not expire */
	struct wire_layout layout;
	bool usable;        /* updates can be read: each array and rate is described */
};
/* False: the message is no definition. */
MUST_USE bool wire_get_definition(struct wire_in *in, struct wire_definition *def);
MUST_USE bool wire_fits(const struct wire_definition *theirs, const struct stick_definition *ours);

/* A key as stick_take wants it; it lies in the message, an integer in *memory. */
struct span wire_get_key(struct wire_in *in, const struct wire_definition *def, uint32_t *memory);

/* One of the values of an update. */
struct wire_value {
	enum stick_data what;
	unsigned at;                   /* element of an array, else 0 */
	uint64_t number;               /* of counts */
	struct stick_rate_state rate;
	unsigned id;                   /* of names: 1 to WIRE_NAMES; 0: no value */
	struct span name;              /* what the id stands for from now on; ptr NULL: as before */
};
struct wire_values {
	struct wire_in in;
	const struct wire_layout *layout;
	struct wire_value value;
	enum stick_data what;          /* the next one, and its element */
	uint32_t at;
};
struct wire_values wire_values(struct wire_in in, const struct wire_layout *layout);
/* NULL: there are no more, or in.bad. */
const struct wire_value *wire_next_value(struct wire_values *v);

/* ---- writing messages ---------------------------------------------------------------------- */

/* Whole messages, one behind another. */
struct wire_out {
	unsigned char *begin, *at, *end;
	unsigned char *message; /* the one that is being written begins there */
	bool full;              /* it does not fit */
};
struct wire_out wire_out(void *buf, size_t size);
void wire_put_number(struct wire_out *out, uint64_t n);
void wire_put_32(struct wire_out *out, uint32_t n);
void wire_put_bytes(struct wire_out *out, const void *bytes, size_t len);
/* A message without a body. False: it does not fit. */
MUST_USE bool wire_put_short(struct wire_out *out, enum wire_class class, unsigned type);
/* One with a body: begun, put, ended. False: it did not fit, or is longer than WIRE_MESSAGE_MOST;
 * nothing of it has been written. */
void wire_begin(struct wire_out *out, enum wire_class class, unsigned type);
MUST_USE bool wire_end(struct wire_out *out);

/* The names that were sent on a connection: numbers of stick_name, by id - 1. */
struct wire_names {
	uint32_t numbers[WIRE_NAMES];
	unsigned next;
};

void wire_put_definition(struct wire_out *out, uint32_t id, struct span name,
			 const struct stick_definition *def);
/* What peers see of a key: a string ends at a NUL. */
struct span wire_key(const struct stick_definition *def, struct span key);
void wire_put_key(struct wire_out *out, const struct stick_definition *def, struct span key);
/* When the message does not fit, names is to be emptied: the peer has not seen what it has. */
void wire_put_values(struct wire_out *out, const struct stick_table *t,
		     const struct stick_entry *e, struct wire_names *names);

#endif
