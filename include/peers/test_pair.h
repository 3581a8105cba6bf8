/* SPDX-License-Identifier: BSD-2-Clause */
/* Two conversations over real tables, for the tests of talk: what each says is handed to the other,
 * lost, or compared with bytes by hand. A function that cannot do what it is asked fails the test.
 */
#ifndef PEERS_TEST_PAIR_H
#define PEERS_TEST_PAIR_H

#include "peers/talk.h"

#include "stick/memory.h"

enum { TABLES = 80, EXPIRE = 600000, STREAM = 1 << 20 };

/* One of the two. Its tables have the same names on the wire as the other's. */
struct side {
	char letter;
	struct peers_table tables[TABLES];
	unsigned count;
	struct talk_setup setup;
	struct talk *talk;
	bool up_to_date;
	unsigned events[4];
	unsigned char said[STREAM]; /* all that it has said */
	size_t said_len;
};
extern struct side pair_a, pair_b;

/* Setup and teardown of a test. The clock stands still at 1000 s; there are no tables. */
int pair_begin(void **state);
int pair_end(void **state);

/* Keys of that type and length (bytes), gpc0, EXPIRE ms. */
struct stick_definition pair_simple(enum stick_key_type type, uint32_t len);
/* All types of data; with arrays: gpt, gpc and gpc_rate instead of their single forms. */
struct stick_definition pair_of_all(enum stick_key_type type, uint32_t len, bool arrays);
/* Both sides, or one, have a table of that name more. */
void pair_add_tables(const char *name, struct stick_definition def);
void side_add_table(struct side *s, const char *name, struct stick_definition def);
/* A table "t" of strings with gpc0, and conversations that begin. In use: something has been told
 * already, since the first change of all is told by a walk. */
void pair_one_table(void);
void pair_one_table_in_use(void);

/* Conversations begin anew, of both or of one. */
void pair_talk(void);
void side_talks(struct side *s);
/* What has changed in its tables is to be said. */
void side_collect(struct side *s);
/* What it says now, in one piece, into TALK_MESSAGE_MOST bytes; returns the length, 0: nothing. */
size_t side_says(struct side *s, unsigned char *buf);
/* The same, lost on its way. */
void side_says_in_vain(struct side *s);
/* One says all it has to say to the other; returns the bytes. */
size_t side_pass(struct side *from, struct side *to);
/* Both collect and talk until neither has more to say. */
void pair_run(void);
/* How often it has said a message of that class and type since its conversation began. */
unsigned side_said(const struct side *s, unsigned class, unsigned type);
/* It is given bytes as hexadecimal digits with blanks; returns what talk_in returns. */
int side_takes(struct side *s, const char *digits);
/* What it says now are these bytes. */
void side_answers(struct side *s, const char *digits);

/* Data of the key in its table number i; the shorter forms: gpc0 in the first one. A key or a datum
 * that is not there has a value above UINT64_MAX - 2. */
void side_set(struct side *s, unsigned i, struct span key, enum stick_data what, unsigned at,
	      uint64_t value);
uint64_t side_value(struct side *s, unsigned i, struct span key, enum stick_data what, unsigned at);
void side_set_count(struct side *s, const char *key, uint64_t value);
uint64_t side_count(struct side *s, const char *key);
bool side_has(struct side *s, unsigned i, const char *key);
/* Life that is left of a key of the first table, in ms. */
uint32_t side_left(struct side *s, const char *key);
struct talk_table_state side_state(struct side *s, unsigned i);
/* Every datum of the key has a value of its own for each round: pair_some_value, pair_some_rate. */
void side_fill(struct side *s, unsigned i, struct span key, unsigned round);
void side_is_filled(struct side *s, unsigned i, struct span key,
		    unsigned round); /* the test fails if not */
uint64_t pair_some_value(unsigned what, unsigned at, unsigned round);
struct stick_rate_state pair_some_rate(unsigned what, unsigned at, unsigned round);

/* A table "t" of strings with gpc0, as number 7 of the peer, or another. */
#define T_IS_7 "0a820a 07 01 74 06 15 04 f0d9a201 "
#define T_IS(id) "0a820a " id " 01 74 06 15 04 f0d9a201 "

#endif
