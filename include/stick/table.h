/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Stick tables (manual chapter 4.2): keys with counters, shared by all processes of the service. A
 * table lies in a region (share/region.h), so it outlives workers and reloads. How it is laid out,
 * and what holds when a process is killed: doc/internals/stick.md.
 *
 * An entry is used only while it is pinned: who has found it has pinned it, and gives it back.
 * Nothing here waits, and nothing makes a system call.
 */
#ifndef STICK_TABLE_H
#define STICK_TABLE_H

#include "base/str.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct err;

enum stick_key_type { STICK_IP, STICK_IPV6, STICK_INTEGER, STICK_STRING, STICK_BINARY,
		      STICK_KEY_TYPES };

enum stick_data {
#define DATA(name, number, form, argument) STICK_##name,
#include "stick/data.def"
#undef DATA
	STICK_DATA
};

enum stick_form { STICK_COUNT, STICK_LONG, STICK_RATE, STICK_KEY };
enum stick_argument { STICK_NONE, STICK_PERIOD, STICK_ARRAY, STICK_BOTH };

/* What can be stored: one a data type. */
struct stick_data_type {
	const char *name;
	uint8_t number; /* in the protocol of peers */
	enum stick_form form;
	enum stick_argument argument;
};
extern const struct stick_data_type stick_data_types[STICK_DATA];

enum { STICK_NAME_MOST = 255, /* bytes of what a cell of the form STICK_KEY stands for */
       STICK_ARRAY_MOST = 100, STICK_KEY_LEN = 32 /* of strings and binary where none is given */ };

/* What a table is. Two with the same definition hold the same bytes. */
struct stick_definition {
	const char *name;
	enum stick_key_type type;
	uint32_t key_len;   /* bytes of a key; of strings: the most, without an end */
	uint32_t size;      /* most entries */
	uint32_t expire_ms; /* 0: entries do not expire */
	bool nopurge;       /* a full table refuses new keys */
	uint32_t block;     /* bytes that bytes_in_rate and bytes_out_rate count as one; 0 is 1 */
	struct stick_column {
		uint16_t count;  /* elements; 0: not stored */
		uint32_t period; /* ms, of rates */
		uint32_t at;     /* in the entry; stick_layout sets it */
	} columns[STICK_DATA];
	uint32_t entry_size; /* stick_layout sets it */
};

struct stick_table;
struct stick_entry;

/* Sets `at' and `entry_size'. */
void stick_layout(struct stick_definition *def);

/* ---- keys and entries ---------------------------------------------------------------------- */

const struct stick_definition *stick_definition(const struct stick_table *t);

/* Of all below: key has the bytes of the table's type: 4 in network order (ip), 16 (ipv6), a
 * uint32_t of the machine (integer), text (string; more than key_len is cut), bytes (binary; cut,
 * or filled up with zeros). */

/* The entry of the key, pinned; NULL: there is none, or it has expired. Its life is not renewed. */
struct stick_entry *stick_find(struct stick_table *t, struct span key);
/* The same, made when there was none. made (may be NULL): it was. NULL: the table is full, and
 * takes no more, or nothing in it can go. */
struct stick_entry *stick_take(struct stick_table *t, struct span key, bool *made);
/* Unpins. NULL: nothing. */
void stick_give(struct stick_table *t, struct stick_entry *e);
/* Its life begins anew. */
void stick_touch(struct stick_table *t, struct stick_entry *e);
/* ms until it expires; 0 where nothing expires. */
uint32_t stick_left(const struct stick_table *t, const struct stick_entry *e);
/* ms since it was touched. */
uint32_t stick_idle(const struct stick_table *t, const struct stick_entry *e);
struct span stick_key(const struct stick_table *t, const struct stick_entry *e);
/* Another number for each entry that the table has ever had (after 2^30 at its place it begins
 * anew), never 0. */
uint64_t stick_number(const struct stick_table *t, const struct stick_entry *e);
/* How many have it pinned, without the caller. */
unsigned stick_uses(const struct stick_entry *e);
/* Pinned by the caller, and by nobody else: it goes, and is given back. False: it is in use; it
 * stays pinned. */
bool stick_remove(struct stick_table *t, struct stick_entry *e);

/* A pin for long: it is told apart when the process is killed. Takes over the caller's pin.
 * current: it counts in conn_cur as well, which goes up. 0: nobody would know; still pinned. */
uint32_t stick_hold(struct stick_table *t, struct stick_entry *e, bool current);
/* hold: what stick_hold said. Unpins. */
void stick_unhold(struct stick_table *t, struct stick_entry *e, uint32_t hold, bool current);

/* ---- what is stored ------------------------------------------------------------------------ */

/* Of an entry that is pinned. at: element of an array, else 0; the caller has compared it with the
 * column's count. Rates: events in a period, over the last one; added to as of now. Rates of bytes are
 * in bytes, whatever the table's block. Returns the new value (of a rate: the rate). What is not stored
 * is 0. */
uint64_t stick_value(const struct stick_table *t, const struct stick_entry *e, enum stick_data what,
		     unsigned at);
uint64_t stick_add(struct stick_table *t, struct stick_entry *e, enum stick_data what, unsigned at,
		   uint64_t by);
/* Of a rate: so many in the period that begins now, and none before. */
void stick_set(struct stick_table *t, struct stick_entry *e, enum stick_data what, unsigned at,
	       uint64_t value);
static inline bool stick_stores(const struct stick_definition *def, enum stick_data what)
{
	return def->columns[what].count;
}
/* Where that is stored: gpc0, gpc1, gpt0 and the rates may be elements of an array. *at: the element;
 * of what is no array 0. STICK_DATA: nowhere. */
enum stick_data stick_stored_as(const struct stick_definition *def, enum stick_data what,
				unsigned *at);
/* How a rate stands: ms since its period began, events in it, and in the one before; of bytes: blocks. */
struct stick_rate_state {
	uint32_t age, now, before;
};
struct stick_rate_state stick_rate_state(const struct stick_table *t, const struct stick_entry *e,
					 enum stick_data what, unsigned at);
void stick_rate_set(struct stick_table *t, struct stick_entry *e, enum stick_data what, unsigned at,
		    struct stick_rate_state state);

/* ---- names --------------------------------------------------------------------------------- */

/* Cells of the form STICK_KEY hold the number of a text, which all tables and processes share. It
 * stays as long as the tables do. */

/* The number of that text, noted when nobody has asked for it yet; 0: it is empty or longer than
 * STICK_NAME_MOST, or there is no room for another one. */
uint32_t stick_name_note(struct span name);
/* The text; ptr NULL: there is none of that number. */
struct span stick_name(uint32_t number);

/* ---- all of them --------------------------------------------------------------------------- */

/* The first entry at or behind *at, pinned, *at is behind it then; NULL: no more. Looks at `most`
 * places at the most: NULL with *at below stick_places means "ask again". Entries that come and go
 * meanwhile may be missed. */
struct stick_entry *stick_next(struct stick_table *t, uint32_t *at, unsigned most);
uint32_t stick_places(const struct stick_table *t);
/* How many there are, expired ones that were not removed yet included. */
uint32_t stick_used(const struct stick_table *t);
/* Bytes of memory that it has taken so far: what was used once stays taken. */
uint64_t stick_taken(const struct stick_table *t);
/* How many of those at `most' places from *at on have not expired, or are pinned though they have;
 * *at is behind these places then. Until it is stick_places the sum is of a part. */
uint32_t stick_alive(const struct stick_table *t, uint32_t *at, unsigned most);

/* Removes what has expired, from where it stopped last: looks at so many places, and removes so
 * many entries at the most. False: it has come round at the end of the table. One process calls it
 * for all. */
bool stick_sweep(struct stick_table *t, unsigned places, unsigned removals);
/* When a sweep may find something again (clock_now_ms); 0: never, nothing expires there. */
uint64_t stick_sweep_due(const struct stick_table *t);

/* Walks through everything and says what is wrong: first problem in err, -1; 0: sound. Not while
 * others change it. */
int stick_check(struct stick_table *t, struct err *err);

#endif
