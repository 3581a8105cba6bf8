/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Chains: objects of any size in memory that several processes share, each a head and the blocks
 * behind it (share/blocks.h), sound whichever process is killed at whichever instruction. One
 * process writes a chain; others may read it while it grows, and have it pinned meanwhile. What
 * finds chains (an index), and which of them go when room is short, is the owner's.
 *
 * The word of a block says what the block is, and whose where a process is at it:
 *
 *   taken, of a row    just taken, or on its way back; in no chain unless that row's is being changed
 *   link               belongs to the chain that leads to it
 *   grows, of a row    a head: that process appends
 *   grows on, the same a head that was dropped meanwhile: for those alone who have pinned it
 *   whole              a head: nobody appends any more
 *   dropped, cut       a head for those alone who have pinned it; it was whole, or never became so
 *   goes, of a row     a head without pins: that process gives back its blocks, and then the head
 *
 * So the words are the intent of each process, for as many chains as it writes at once, and
 * chains_mend finds all that a dead one was at. The order of writing: a link is linked, then its
 * word says so, then it is the last one of the head; a block that goes has its word changed, is
 * unlinked, then given back. The first link goes first: what is left is a chain.
 *
 * Pins are counted by each row for itself, a number a head, and nobody else writes them: of a count
 * that many add to nobody could say whether a killed process had added. A head goes when it is
 * dropped and no row has a pin.
 *
 * What others have written is not believed: indices are compared with the count of blocks, lengths
 * with all that there is, and a block is given back only when its word lets it.
 */
#ifndef SHARE_CHAINS_H
#define SHARE_CHAINS_H

#include "base/result.h"
#include "base/str.h"
#include "share/blocks.h"

/* A row of the memory: of a process. Written by it alone. */
struct chains_row {
	_Alignas(64) _Atomic uint32_t pins; /* in all; 0: it has none, its numbers are not looked at */
};

struct chains_link {
	_Atomic uint64_t word;
	_Atomic uint64_t length; /* of a head: bytes that readers may see */
	_Atomic uint32_t next;   /* block + 1; 0: none */
	_Atomic uint32_t last;   /* of a head: the block that bytes are appended to */
};

/* How chains lie in memory. The owner keeps it, and compares it with what it finds. */
struct chains_layout {
	uint32_t count; /* of blocks: 1 << 30 at most */
	uint32_t size;  /* of a block, in bytes: a power of two, 64 at least */
	uint32_t rows;  /* of processes */
};

/* Of this process. */
struct chains {
	struct chains_layout layout;
	uint32_t row; /* of this process */
	struct blocks blocks;
	struct chains_link *links;
	struct chains_row *rows;
	_Atomic uint32_t *pins; /* of row r and head h: at r * count + h */
	char *bytes;
};

/* Of this process: what it writes. */
struct chains_writer {
	uint64_t id;
	uint64_t length;
	uint32_t last; /* block that is written to */
};

/* Of this process: how far it has read. */
struct chains_reader {
	uint64_t id;
	uint64_t at;
	uint32_t block; /* where that byte is; the one before it, behind its end */
};

enum chains_state {
	CHAINS_GONE,    /* no such chain, or none any more */
	CHAINS_GROWS,   /* bytes are to come */
	CHAINS_WHOLE,   /* these are all; it may have been dropped since it was pinned */
	CHAINS_CUT      /* no more come, though it is not whole: its writer has failed or died */
};

/* ---- the memory ---------------------------------------------------------------------------- */

/* Bytes that it takes, a multiple of 4096. Most are touched only when they are needed: blocks in
 * use, and the numbers of rows that have pins. */
size_t chains_size(const struct chains_layout *layout);
/* Chains in such memory, zeroed at first, at a multiple of 4096; for the process of that row. */
void chains_open(struct chains *c, const struct chains_layout *layout, void *memory, uint32_t row);
/* The process of that row is dead, and nobody else mends for it: its pins are given back, chains
 * that it appended to are cut, what it was freeing is free. May be repeated. Takes a few
 * nanoseconds a block that was ever used. */
void chains_mend(struct chains *c, uint32_t row);

/* ---- writing ------------------------------------------------------------------------------- */

/*
 * A fresh chain, empty, with blocks for so many bytes, all or none; more are taken when more is
 * appended. It is known by w->id: never 0, and another one for each chain (a block that was the
 * head of 2^30 begins anew). The id of a chain that has gone leads nowhere, but a whole chain that
 * nobody knows stays for ever: an index gets the id before chains_finish, and forgets it behind
 * chains_drop. False: there are not so many blocks.
 */
MUST_USE bool chains_begin(struct chains *c, uint64_t room, struct chains_writer *w);
/* All of it, which readers see from now on; or nothing, and false: there are no more blocks. */
MUST_USE bool chains_append(struct chains *c, struct chains_writer *w, const void *bytes, size_t len);
/* It is whole, and the writer has nothing to do with it any more. Blocks behind its end go. */
void chains_finish(struct chains *c, struct chains_writer *w);
/* It is cut, and goes as soon as nobody reads it. */
void chains_abandon(struct chains *c, struct chains_writer *w);

/* ---- reading ------------------------------------------------------------------------------- */

/* From now on it stays, until this process has unpinned it as often as it has pinned it. False: it
 * has gone, or was dropped or cut. */
MUST_USE bool chains_pin(struct chains *c, uint64_t id);
/* Who unpins last what was dropped or cut frees it. */
void chains_unpin(struct chains *c, uint64_t id);
/* Of one that is pinned. Asked before the length, WHOLE and CUT say that the length is the last. */
enum chains_state chains_state(const struct chains *c, uint64_t id);
/* How many bytes of it may be read now; that of a pinned one only grows. */
uint64_t chains_length(const struct chains *c, uint64_t id);
/* From the first byte of a pinned one on. */
void chains_read(struct chains_reader *r, uint64_t id);
/* The next bytes, in the memory that is shared, at most so many; the reader stands behind them. Of
 * blocks that lie behind one another it is one piece. Empty: there are no more now. */
struct span chains_piece(const struct chains *c, struct chains_reader *r, size_t most);

/* ---- freeing ------------------------------------------------------------------------------- */

/* It is not to be had any more, and goes when nobody writes it or has it pinned: at once, or by
 * whoever is the last. False: it has gone, or somebody else has dropped it. */
bool chains_drop(struct chains *c, uint64_t id);

#endif
