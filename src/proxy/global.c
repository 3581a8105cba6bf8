/* SPDX-License-Identifier: BSD-2-Clause */
/* Where the numbers of the whole program are. They are zero before any generation runs. */
#include "proxy/global.h"

#include <stddef.h>

static struct global_state no_state; /* before any generation runs */
static struct global_tally no_tally;
struct global_state *global_state = &no_state;
struct global_tally *global_tally = &no_tally;
const char *global_node;
