/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Shared memory of parent and workers: cells, one for each pair of row (process) and slot (object).
 * Numbers only, no pointers. A cell is written by the owner of its row alone; anybody reads.
 * See doc/internals/processes.md.
 *
 * The memory is a memfd: it survives re-execution and is found again by descriptor. It is sparse:
 * what is not touched costs no memory. It grows by extents of SEGMENT_SLOTS slots for all rows.
 * With a single row nobody shares it, and it is neither a memfd nor has it eventfds.
 */
#ifndef SHARE_SEGMENT_H
#define SHARE_SEGMENT_H

#include "event/loop.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct err;
struct segment;

enum { SEGMENT_SLOTS = 256, /* of an extent */
       SEGMENT_ROWS_LEAST = 128, /* to be asked for where there is a parent: two generations and
				 * what is left of others */
       SEGMENT_ROWS_MOST = 1024,
       SEGMENT_NAME = 224 /* longest name that is kept whole, its end included; longer ones are
			   * kept by their hash */ };

enum segment_kind { SLOT_FREE, SLOT_GLOBAL, SLOT_FRONTEND, SLOT_BACKEND, SLOT_SERVER, SLOT_LISTENER,
		    SLOT_RETIRED, /* its object has gone: workers may still have it */
		    SLOT_KINDS };

/* Head of a row: of a process. Row 0 is the parent's (and the only process's when there are no
 * workers: then it is its worker, too). Single writer: the process itself, except where said. */
struct segment_row {
	_Atomic uint32_t taken;       /* 0: the row is free. Written by the parent, for others to
				       * see */
	_Atomic pid_t pid;            /* 0: nobody has it now. Written by the parent */
	_Atomic uint32_t generation;  /* of the configuration. Written by the parent */
	_Atomic uint32_t number;      /* worker 1..N of its generation; 0: parent. By the parent */
	_Atomic uint32_t flags;       /* ROW_* */
	_Atomic uint32_t waits_for;   /* a place in which frontend: its slot; UINT32_MAX: any */
	_Atomic uint64_t waits_for_room; /* ms since it waits with a listener for a place; 0: not */
	_Atomic uint64_t started_ms;  /* clock of the system; 0: not yet */
	char version[40];             /* of its program; written before started_ms */
	/* What it has, or had last, at hand, for whoever finds it dead outside the poller: written
	 * without order, may be torn. */
	struct {
		uint64_t stream;      /* number; 0: none yet */
		uint32_t frontend;    /* its number ("id") */
		uint16_t family, port; /* of the client; AF_UNIX: no address */
		uint8_t address[16];
	} at_hand;
	/* What is written often and read by others, on a cache line of its own. */
	_Alignas(64) struct loop_pulse pulse;
	_Atomic uint32_t connections; /* accepted and still there: for spreading accepts */
	_Atomic uint64_t recent_accepts; /* fading: net/share.h */
};
enum { ROW_STOPPING = 1 << 0, /* finishes its streams, accepts nothing */
       ROW_ACCEPTS = 1 << 1,  /* its listeners are in service */
       ROW_AWAY = 1 << 2,     /* it leaves accepting to others, having more than they */
       ROW_THREAD = 1 << 3 /* its file says no "nbproc": one of the threads of one process */ };

/* A fresh segment with rows for so many processes; row 0 is taken. NULL and err. */
struct segment *segment_new(unsigned rows, struct err *err);
/* That of an earlier image of the parent, found by its descriptor; memory of another layout or
 * version is refused. Begins a new epoch, see segment_release_unused. NULL and err. */
struct segment *segment_attach(int fd, struct err *err);
/* Unmaps; the memory stays as long as others have it. Closes the descriptors of this process. */
void segment_free(struct segment **segment);
/* To be kept open through re-execution, with those of segment_wake_fd of all rows; all are
 * close-on-exec until then. -1: a segment of one row. */
int segment_fd(const struct segment *segment);
/* region_identity of it. */
uint64_t segment_identity(const struct segment *segment);
/* How many rows it was made for. */
unsigned segment_capacity(const struct segment *segment);
/* What cells are in this program: bytes of one, and the layout of what lies in them
 * (region_layout). To be called before segment_new or segment_attach, which refuses memory with
 * other cells; not while there is a segment. Until then a cell is a cache line. */
void segment_cells(size_t size, uint64_t layout);
/* Written by segment_cells alone. */
struct segment_layout {
	size_t cell;   /* bytes of a cell */
	size_t stride; /* bytes from a cell to that of the next row */
};
extern struct segment_layout segment_layout;

/* The one in use by this process; made by proxy/state.c or taken over. NULL: none yet. */
extern struct segment *segment;
/* The row of this process. 0 until it has begun to serve. */
extern unsigned segment_own_row;
/* How many rows serve at a time: workers of one generation; at least 1. Known before `prepare` of
 * modules. */
extern unsigned segment_workers;
/* Its head; never NULL: before there is a row, one that nobody else sees. */
extern struct segment_row *segment_own;
/* This process has that head from now on, and its loop beats there. NULL: one that nobody else
 * sees. */
void segment_own_set(struct segment_row *row);

/* The slot of this kind and name; taken if there was none. found (may be NULL): it was there (its
 * cells hold numbers). Asked twice for the same in one epoch it gives different slots, in the order
 * of asking: names need not be unique. Only the parent calls it. -1 and err. */
int segment_slot(struct segment *segment, enum segment_kind kind, const char *name, bool *found,
		 struct err *err);
/* Gives up the slots that nobody asked for in this epoch: when the last process of an earlier
 * generation has ended. Clears their cells. Parent only. Returns how many. */
unsigned segment_release_unused(struct segment *segment);
/* A slot for an object that comes while workers serve: never one that is there. serial (not 0): no
 * other of this name in this epoch has it. Parent only. -1 and err. */
int segment_slot_fresh(struct segment *segment, enum segment_kind kind, const char *name,
		       uint32_t serial, struct err *err);
/* The same, as a worker finds it, also when it was retired meanwhile. -1: there is none. */
int segment_slot_find(struct segment *segment, enum segment_kind kind, const char *name,
		      uint32_t serial);
/* Its object has gone: nothing is found or summed there any more, until segment_release. Both
 * parent only. */
void segment_retire(struct segment *segment, unsigned slot);
/* Clears its cells; it is free for others. No worker has it any more. */
void segment_release(struct segment *segment, unsigned slot);
/* The next image finds the slot by that name. No worker of this one looks for it any more. Parent
 * only. */
void segment_rename(struct segment *segment, unsigned slot, const char *name);
/* How many slots are taken or retired. */
unsigned segment_slots_taken(const struct segment *segment);
/* Of a slot; SLOT_FREE and "" when nobody has it. */
enum segment_kind segment_slot_kind(const struct segment *segment, unsigned slot);
const char *segment_slot_name(const struct segment *segment, unsigned slot);
/* Slots from 0 to this one (excluded) may be in use. */
unsigned segment_slots(const struct segment *segment);
/* The cell: segment_layout.cell bytes, 64-byte aligned, zeroed at first. It does not move. */
void *segment_cell(const struct segment *segment, unsigned row, unsigned slot);
struct segment_row *segment_row(const struct segment *segment, unsigned row);
/* Rows from 0 to this one (excluded) may be in use. At least 1. segment NULL: 1. */
unsigned segment_rows(const struct segment *segment);
/* By the parent's own account, whatever stands in the row. */
bool segment_row_is_taken(const struct segment *segment, unsigned row);
/* A free row for a worker, marked with generation and number; -1: none. Parent only. */
int segment_take_row(struct segment *segment, uint32_t generation, uint32_t number);
/* Its cells have been emptied: tally/ended_rows.c does it and calls this. */
void segment_free_row(struct segment *segment, unsigned row);

/* The same place in the cell of another row; p: a place in a cell of own row. */
static inline void *segment_sibling(const void *p, unsigned own, unsigned row)
{
	ptrdiff_t rows = (ptrdiff_t)row - (ptrdiff_t)own;

	return (char *)(uintptr_t)p + rows * (ptrdiff_t)segment_layout.stride;
}

/* Called in a worker that has its row and has not given up its rights yet. From now on the worker
 * can write its own row and the cells of row 0, whatever becomes of it. Everything else is mapped
 * from a descriptor that only reads. Nothing happens for a segment of one row. 0, or -1 and err. */
int segment_confine(struct segment *segment, unsigned row, struct err *err);

/* The parent calls begin and end around the fold of a row into row 0. A reader sums between
 * segment_sum_begin, which waits (a bounded while) for an even value and returns it, and
 * segment_sum_again, which says that the sum must be made anew. segment NULL: the sum is fine at
 * once. */
void segment_fold_begin(struct segment *segment);
void segment_fold_end(struct segment *segment);
uint64_t segment_sum_begin(const struct segment *segment);
bool segment_sum_again(const struct segment *segment, uint64_t begun);

/* Wakes the process of a row from its poller (eventfd); any process may call it. */
void segment_wake(const struct segment *segment, unsigned row);
/* The descriptor that becomes readable in the process of that row: to be watched by it. -1: a
 * segment of one row. */
int segment_wake_fd(const struct segment *segment, unsigned row);

/* Walks through everything and says what is wrong with it: first problem in err, -1; 0: sound. */
int segment_check(const struct segment *segment, struct err *err);

#endif
