/* SPDX-License-Identifier: BSD-2-Clause */
/* Where the numbers of the whole program are. They are zero before any generation runs. */
#include "proxy/global.h"

#include <stddef.h>

static struct global_state no_state; /* before any generation runs */
struct global_state *global_state = &no_state;
const char *global_node;
