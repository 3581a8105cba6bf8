/* SPDX-License-Identifier: BSD-2-Clause */
/* SIGHUP and SIGQUIT: what goes on, for whoever watches the log or the terminal. */
#ifndef PROCESS_DUMP_H
#define PROCESS_DUMP_H

#include <stdbool.h>

/* State of each server and proxy to the log and stderr (HUP); memory of the pools too (QUIT). */
void dump_state(bool pools);

#endif
