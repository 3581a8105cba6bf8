/* SPDX-License-Identifier: BSD-2-Clause */
/* Where states and tallies of all objects lie: proxy/state.c. */
#ifndef PROXY_STATES_H
#define PROXY_STATES_H

#include <stdbool.h>

struct err;
struct segment;

/* Set before the configuration is finished. */
struct tally_room {
	unsigned rows;           /* that the segment is to have; 1: one process that forks no workers */
	unsigned workers;        /* how many of them workers of the configuration take at once */
	struct segment *segment; /* of an earlier image of this program. Finishing takes the
				  * segment over and sets this to NULL. With too few free rows in
				  * it, a new segment is made instead */
	bool began_anew;         /* it had too few and is gone */
};
extern struct tally_room tally_room;
/* segment_attach for this program's layout of cells. Takes over fd if it succeeds. NULL and err */
struct segment *states_attach(int fd, struct err *err);
/* Points all tallies of the running generation to this row: in a worker, right after fork. Sets
 * segment_own_row. */
void states_own_row(unsigned row);

#endif
