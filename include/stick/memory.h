/* SPDX-License-Identifier: BSD-2-Clause */
/* Where stick tables lie: shared by workers, kept over reloads. doc/internals/stick.md */
#ifndef STICK_MEMORY_H
#define STICK_MEMORY_H

#include "stick/table.h"

/* Before the first table, in the process that forks the others: finds what an earlier image has
 * left, or begins anew. shared: there will be others. 0, or -1 and err. */
int stick_memory_begin(bool shared, struct err *err);
bool stick_memory_is(void);
/* At the end of the process; the memory stays for others. */
void stick_memory_end(void);

/* The table of that definition, which is copied; stick_layout was called for it. anew: there was
 * one of the name, and it was another one. Lives until stick_memory_end. NULL: err. */
struct stick_table *stick_table_open(const struct stick_definition *def, bool *anew,
				     struct err *err);

/* In a worker, before it serves: it is the process of that row from now on. 0, or -1 and err. */
int stick_memory_confine(unsigned row, struct err *err);
/* In the parent: the process of that row has ended, however it did. What it held is given back, in
 * whatever table: also in those that this image does not declare, or that had begun before it. */
void stick_memory_mend(unsigned row);
/* In the parent, when the last process of an earlier generation has ended: tables that the
 * configuration does not declare any more go. Where it declares none all of the memory does. */
void stick_memory_release_unused(void);

#endif
