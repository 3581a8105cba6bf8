/* SPDX-License-Identifier: BSD-2-Clause */
/* What the termination codes of log lines mean, for `penstock help`. */
#ifndef STREAM_END_HELP_H
#define STREAM_END_HELP_H

#include "base/result.h"

#include <stdbool.h>
#include <stdio.h>

/* word: "sH", or "sH--" as in mode http (manual 8.5). Says each letter's meaning; false: it is no
 * such code. any: something stands above. */
MUST_USE bool end_help(FILE *out, const char *word, bool any);

#endif
