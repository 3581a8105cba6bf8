/* SPDX-License-Identifier: BSD-2-Clause */
/* Slots of the segment for servers that come and go: a slot is given to another server only when no
 * process counts there any more. */
#ifndef PROXY_SLOT_LIFE_H
#define PROXY_SLOT_LIFE_H

struct err;
struct server;

/* A slot for a server that comes: the parent (or the only process) takes one, a worker finds it.
 * Sets slot and tally. 0, or -1 and err. */
int slot_begin(struct server *s, struct err *err);
/* It does not come after all, and nobody has heard of it. */
void slot_cancel(unsigned slot);
/* The server has left its backend: its numbers are in no sum any more. */
void slot_retire(unsigned slot);
/* This process has given the server up, and counts there no more. */
void slot_given_up(struct server *s);
/* The process of that row has died: the parent. */
void slots_row_gone(unsigned row);

#endif
