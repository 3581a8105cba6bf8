/* SPDX-License-Identifier: BSD-2-Clause */
/* Sections `peers' at run time. One process of the service speaks for all: that which checks
 * servers. doc/internals/peers.md */
#ifndef PEERS_PEERS_H
#define PEERS_PEERS_H

#include "base/result.h"
#include "config/config.h"

#include <stdbool.h>

struct err;

/* For the functions of peers_module of these names. */
void peers_open(struct config *cfg);  /* once, before the first process is forked */
MUST_USE int peers_begin(struct err *err);     /* in each process that serves */
void peers_end(void);

/* The process finishes: it hears and calls nobody any more. teach: if it has spoken, whoever
 * replaces it here may have tables of its own, and is taught. True: that has begun, and done is
 * called at its end, some seconds later at the most. */
MUST_USE bool peers_leave(bool teach, void (*done)(void));

/* Members of all sections: to whom there is a connection; which have said or answered hello. Of
 * this process. */
struct peers_totals {
	unsigned connected, active;
};
struct peers_totals peers_totals(void);

#endif
