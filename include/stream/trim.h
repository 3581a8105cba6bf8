/* SPDX-License-Identifier: BSD-2-Clause */
/* Memory goes back to the system when a flood has passed. */
#ifndef STREAM_TRIM_H
#define STREAM_TRIM_H

#include <stdbool.h>

/* on: unless no-memory-trimming. Before the loop runs. */
void trim_configure(bool on);
/* Gives most of the exchanges back that wait for the next request. Installed by exchange/; may be
 * NULL. */
extern void (*trim_kept)(void);

#endif
