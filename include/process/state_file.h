/* SPDX-License-Identifier: BSD-2-Clause */
/* Files of server states, read at the start: see src/process/state_file.c. */
#ifndef PROCESS_STATE_FILE_H
#define PROCESS_STATE_FILE_H

#include "config/module.h"

/* Behind balancing, before the checks. */
extern const struct module state_file_module;

#endif
