/* SPDX-License-Identifier: BSD-2-Clause */
/* The words that say how servers are chosen (manual 4.2 "balance", "hash-type"). */
#ifndef LB_BALANCE_CONF_H
#define LB_BALANCE_CONF_H

#include "config/keyword.h"

#include <stdbool.h>
#include <stdio.h>

extern const struct keyword balance_keywords[];

/* The word of an algorithm (enum balance_algo): "roundrobin". */
const char *balance_name(int balance);
/* Explains the algorithm of this name, for `penstock help`, or lists them for "balance"; false:
 * there is none. any: something stands above. */
bool balance_help(FILE *out, const char *word, bool any);

#endif
