/* SPDX-License-Identifier: BSD-2-Clause */
/* Slots of the segment for servers and backends that come and go: a slot is given to another object
 * only when no process counts there any more. */
#ifndef TALLY_SLOT_LIFE_H
#define TALLY_SLOT_LIFE_H

#include "share/segment.h"

struct err;

/* A slot for an object that comes: the parent (or the only process) takes one, a worker finds it.
 * serial: how many of its kind were added with it. Returns the cell of this process and sets *slot;
 * NULL and err. */
void *slot_begin(enum segment_kind kind, const char *name, uint32_t serial, unsigned *slot,
		 struct err *err);
/* It does not come after all, and nobody has heard of it. */
void slot_cancel(unsigned slot);
/* The object has left: its numbers are in no sum any more. */
void slot_retire(unsigned slot);
/* This process has given the object up, and counts there no more. left_row: segment_own_row when it
 * left; ended: in the cell of this process. */
void slot_given_up(unsigned left_row, unsigned slot, unsigned *ended);
/* The process of that row has died: the parent. */
void slots_row_gone(unsigned row);

#endif
