/* SPDX-License-Identifier: BSD-2-Clause */
/* What fetches tell of the processes; written by whoever starts several. */
#ifndef EXPR_STATE_H
#define EXPR_STATE_H

#include <stdbool.h>

struct expr_process {
	unsigned count;  /* worker processes: nbproc */
	unsigned number; /* of this one, from 1 */
	unsigned generation; /* of this image of the program, from 1: one more with each reload */
	bool leaving;    /* it will stop soon ("grace") */
};
extern struct expr_process expr_process;
/* Is this process finishing? */
bool expr_process_stops(void);

#endif
