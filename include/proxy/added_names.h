/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Names of servers and backends that commands have added, for the process that reads new files
 * before a reload: it alone tells whose name is not in the files, and has no other way to know that
 * something of this name runs. A file with such a name would not do for a start, so that it does
 * not for a reload either.
 */
#ifndef PROXY_ADDED_NAMES_H
#define PROXY_ADDED_NAMES_H

#include <stdbool.h>

struct config;

/* In the environment of that process: the number of the descriptor. */
#define ADDED_NAMES "PENSTOCK_ADDED"

/* A descriptor with the names, which stays open in programs that are executed; -1: there are none,
 * or no memory. */
int added_names_write(void);
/* Does a server (NULL: a backend) of this name run? Then the problem added last, that there is
 * none, gets the hint what helps. */
bool added_names_hint(struct config *cfg, const char *backend, const char *server);

#endif
