/* SPDX-License-Identifier: BSD-2-Clause */
/* The programs that pair both ends of connections of this machine, and their maps, as one thing that
 * is made and closed. */
#ifndef COLOCATE_PROGRAMS_H
#define COLOCATE_PROGRAMS_H

#include "base/err.h"
#include "colocate/kernel.h"
#include "colocate/maps.h"

extern const char *const colocate_map_names[COLOCATE_MAPS];

/* Descriptors; -1: there is none. */
struct colocate_set {
	int maps[COLOCATE_MAPS];
	int pair, pass; /* the programs: sock_ops, sk_msg */
};

/* Makes maps for so many connections, and the programs. 0, or -1 with a sentence; nothing is left
 * then. */
int colocate_set_make(struct colocate_set *set, const struct colocate_kernel *kernel,
		      unsigned connections, struct err *err);
void colocate_set_close(struct colocate_set *set);

#endif
