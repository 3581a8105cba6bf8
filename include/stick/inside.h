/* SPDX-License-Identifier: BSD-2-Clause */
/* The inside of stick tables, for the files of stick/ alone: how a table lies in memory. */
#ifndef STICK_INSIDE_H
#define STICK_INSIDE_H

#include "base/clock.h"
#include "share/blocks.h"
#include "stick/table.h"

#include <stdatomic.h>

/*
 * A link leads to the next node of the list: an entry with its generation, or the node of a bucket.
 *
 *   63 marked: the node that this link belongs to is being removed
 *   62 (of the node of a bucket) it is not in the list yet
 *   61-32 generation of the entry that it leads to
 *   31 it leads to the node of a bucket
 *   30-0 place of the entry, + 1, or number of the bucket; END: nothing behind
 *
 * 0 is no link.
 */
#define LINK_MARK (UINT64_C(1) << 63)
#define LINK_UNREADY (UINT64_C(1) << 62)
#define LINK_BUCKET (UINT64_C(1) << 31)
#define LINK_END UINT64_C(0x7fffffff)
#define GENERATIONS BLOCK_GENERATIONS

/* States of an entry: the lower half of its life, below the generation. */
enum {
	ENTRY_FREE = BLOCK_FREE,
	ENTRY_LIVE = 1u << 30,   /* | pins */
	ENTRY_BUILT = BLOCK_TAKEN, /* | row of the process that makes it */
	ENTRY_DEAD = 1u << 31,   /* being removed */
	ENTRY_NEW = 1u << 28,    /* live, but perhaps not in the list yet: found there or nowhere */
	ENTRY_PINS = ENTRY_NEW - 1,
};

struct stick_entry {
	_Atomic uint64_t next;
	_Atomic uint64_t life; /* generation << 32 | state: share/blocks.h */
	_Atomic uint32_t hash;
	uint32_t key_len;      /* of strings */
	unsigned char key[];   /* then the columns, each aligned */
};

struct stick_rate {
	_Atomic uint64_t now, before; /* begin of a period (ms, 32 bits), events in it */
};

enum { STICK_FEED_PEERS = 64 }; /* that are remembered, of each table */

/* The first page of a table. */
struct stick_head {
	_Atomic uint32_t fresh;    /* places from here on were never used */
	_Atomic uint32_t buckets;  /* in use: a power of two */
	_Atomic uint32_t freed;    /* places below `fresh' that may be free; a hint */
	_Atomic uint32_t noted;    /* NOTED_* */
	/* Written by the process that tells. */
	_Atomic uint32_t newest, taught;
	struct {
		_Atomic uint64_t who; /* 0: free */
		_Atomic uint32_t number;
	} acked[STICK_FEED_PEERS];
};
enum { NOTED_NOTHING, NOTED_SUMS = 1, NOTED_ALL = 2 /* sums may lack words */ };

/* The first pages of the region. The parent alone writes them: what it follows at a reload is what
 * it has written itself. */
enum { STICK_TABLES = 4096, STICK_LINE_NAME = 208 };
struct stick_directory {
	uint64_t hash_key[2];
	_Atomic uint32_t epoch; /* of the newest image of the parent */
	uint32_t rows; /* 0: one process */
	struct stick_line_of_table {
		_Atomic uint64_t size;   /* bytes; 0: none */
		uint64_t at, definition; /* hash of it */
		_Atomic uint32_t epoch;  /* that declared it last */
		char name[STICK_LINE_NAME]; /* longer ones: a part and a hash */
	} lines[STICK_TABLES];
	struct stick_definition definitions[STICK_TABLES]; /* their names are NULL. For who mends
							    * a table that he does not declare */
};

/* The process that tells others what has changed. */
struct stick_teller {
	_Atomic uint32_t row, awake;
};
extern struct stick_teller *stick_teller; /* NULL: there are no tables */

enum { WORDS_A_SUM = BLOCKS_WORDS_A_SUM };

struct stick_table {
	struct stick_definition def;
	uint16_t number;                 /* in the directory */
	struct stick_head *head;
	_Atomic uint64_t *buckets;
	_Atomic uint32_t *touched;       /* ms, by place */
	struct blocks places;            /* of entries; the word of each is its life */
	_Atomic uint64_t *notes, *note_sums; /* bits of places that have changed; of words with some */
	_Atomic uint32_t *numbers;       /* of the last change, by place; 0: none of ours */
	unsigned char *entries;
	uint32_t most_buckets;
	uint32_t words;                  /* of bits, of places */
	uint32_t swept;                  /* of this process: where it looked last */
	uint32_t purged;                 /* the same, for room in a full table */
	uint32_t full_looked, full_left; /* where nothing could go: places of this round, ms until
					  * the first of them expires */
	uint64_t full_until;             /* clock_now_ms: nothing can go before */
	uint32_t least_left;             /* ms: of the entry that expires first, as far as swept */
	uint64_t due;                    /* clock_now_ms of the next sweep; 0: there was none */
	uint64_t hash_key[2];
	bool noted;                      /* what this process changes */
	/* Of the process that tells: */
	bool collects;                   /* a look at the notes is under way */
	uint32_t collected;              /* sums that it has behind it */
	uint32_t *late;                  /* the places of the newest numbers, by number; NULL: none */
	uint32_t late_mask, late_count, late_newest;
};

/* What a process is at, for whoever finds it dead. Written by its owner alone. */
enum stick_intent { INTENT_NONE,
		    INTENT_PIN,         /* has it pinned */
		    INTENT_CHOSE,       /* takes a free place */
		    INTENT_MAKES,       /* has it pinned, and puts it into the list */
		    INTENT_REMOVES,     /* one that nobody has pinned */
		    INTENT_REMOVES_OWN /* one that it has pinned */ };
struct stick_row {
	_Atomic uint64_t intent;     /* place of the entry << 32 | table << 8 | enum stick_intent */
	_Atomic uint64_t bucket;     /* that is made, for that or by the way: the same, with 1 */
	_Atomic uint32_t generation; /* of the entry */
	_Atomic uint32_t holds;      /* slots from here on were never used; told, never asked */
};
struct stick_slot {
	_Atomic uint32_t what;      /* 0: none; SLOT_* | table + 1 */
	_Atomic uint32_t place;
};
enum { STICK_SLOTS = 1 << 18 }; /* of a row */
enum { SLOT_NEW = 1u << 31, SLOT_CURRENT = 1u << 30, SLOT_TABLE = (1u << 16) - 1 };

/* What this process has among those that share tables. Written by memory.c. */
struct stick_self {
	struct stick_row *row;    /* never NULL */
	struct stick_slot *slots; /* NULL: there is one process, and nobody behind it */
	uint32_t number;          /* of the row */
};
extern struct stick_self stick_self;

/* One word says what: from one intent to the next on the same entry nothing is lost between. */
static inline void stick_intend(enum stick_intent intent, const struct stick_table *t,
				uint32_t place, uint32_t generation)
{
	atomic_store_explicit(&stick_self.row->generation, generation, memory_order_release);
	atomic_signal_fence(memory_order_seq_cst);
	atomic_store_explicit(&stick_self.row->intent,
			      (uint64_t)place << 32 | (uint64_t)t->number << 8 | intent,
			      memory_order_release);
	atomic_signal_fence(memory_order_seq_cst);
}

/* bucket: 0 is none, as it is there from the beginning. */
static inline void stick_intend_bucket(const struct stick_table *t, uint32_t bucket)
{
	atomic_signal_fence(memory_order_seq_cst);
	atomic_store_explicit(&stick_self.row->bucket,
			      bucket ? (uint64_t)bucket << 32 | (uint64_t)t->number << 8 | 1 : 0,
			      memory_order_release);
	atomic_signal_fence(memory_order_seq_cst);
}

static inline void stick_intend_nothing(void)
{
	atomic_signal_fence(memory_order_seq_cst);
	atomic_store_explicit(&stick_self.row->intent, INTENT_NONE, memory_order_release);
}

static inline struct stick_entry *stick_place(const struct stick_table *t, uint32_t place)
{
	return (struct stick_entry *)(void *)(t->entries + (size_t)place * t->def.entry_size);
}

static inline uint32_t stick_place_of(const struct stick_table *t, const struct stick_entry *e)
{
	return (uint32_t)((size_t)((const unsigned char *)e - t->entries) / t->def.entry_size);
}

static inline uint64_t entry_life(uint32_t generation, uint32_t state)
{
	return (uint64_t)(generation & GENERATIONS) << 32 | state;
}

static inline uint32_t entry_generation(const struct stick_entry *e)
{
	return (uint32_t)(atomic_load(&e->life) >> 32) & GENERATIONS;
}

static inline uint32_t entry_state(const struct stick_entry *e)
{
	return (uint32_t)atomic_load(&e->life);
}

static inline uint32_t stick_now(void)
{
	return (uint32_t)clock_now_ms;
}

/* ms since then. Another process may have looked at the clock later than this one: what lies in the
 * future by so little is of now. Ages begin anew at 49.7 days. */
enum { STICK_CLOCKS_APART = 16384 };
static inline uint32_t stick_since(uint32_t ms)
{
	uint32_t age = stick_now() - ms;

	return age > UINT32_MAX - STICK_CLOCKS_APART ? 0 : age;
}

/* bucket.c: the list. hash: of the key. */
struct stick_entry *bucket_find(struct stick_table *t, uint32_t hash, struct span key);
/* e is filled in, and pinned. It is in the list only if it was added. */
enum bucket_added { BUCKET_ADDED, BUCKET_HAS_ONE, BUCKET_BROKEN };
enum bucket_added bucket_add(struct stick_table *t, struct stick_entry *e, struct span key);
/* A marked entry is out of the list behind this. False: the list is broken. */
bool bucket_drop(struct stick_table *t, struct stick_entry *e);
bool bucket_has(struct stick_table *t, const struct stick_entry *e);
void bucket_mark(struct stick_entry *e);
/* A bucket whose maker was killed. */
void bucket_mend(struct stick_table *t, uint32_t bucket);
/* False: it is not of that generation any more, or nobody can have it. */
bool stick_pin(struct stick_entry *e, uint32_t generation);
void stick_unpin(struct stick_entry *e, uint32_t generation);

/* note.c: the entry has changed. Behind the change. */
void stick_note_place(struct stick_table *t, uint32_t place);
static inline void stick_note(struct stick_table *t, const struct stick_entry *e)
{
	if (t->noted)
		stick_note_place(t, stick_place_of(t, e));
}
/* A process was killed: its last note may be half. */
void feed_mend(struct stick_table *t);

/* entries.c */
/* struct blocks.intend, of the places of a table: takes that one. */
void entry_chosen(const struct blocks *places, uint32_t place);
/* The entry of that place, pinned; NULL: there is none, or it has expired. */
struct stick_entry *entry_pin_at(struct stick_table *t, uint32_t place);
/* An entry that nobody has pinned goes. False: somebody has, or it has gone. */
bool entry_remove(struct stick_table *t, uint32_t place);
/* What a process that was killed has left. */
void entry_mend(struct stick_table *t, const struct stick_row *row, uint32_t row_number);
/* The same for a slot of it. */
void entry_mend_hold(struct stick_table *t, uint32_t what, uint32_t place);
bool entry_has_expired(const struct stick_table *t, uint32_t place);
static inline uint32_t entry_age(const struct stick_table *t, uint32_t place)
{
	return stick_since(atomic_load_explicit(&t->touched[place], memory_order_relaxed));
}
/* server_names.c: its memory, of names_size() bytes, zeroed when it is new; NULL: none any more. */
size_t names_size(void);
void names_begin(void *memory, const uint64_t *hash_key);
/* purge.c: room in a full table. How many went; 0: none, or none could a few ms ago. */
unsigned purge_oldest(struct stick_table *t);

#endif
