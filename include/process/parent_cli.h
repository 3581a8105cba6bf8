/* SPDX-License-Identifier: BSD-2-Clause */
/* The parent's socket (-S): management guide 9.4. */
#ifndef PROCESS_PARENT_CLI_H
#define PROCESS_PARENT_CLI_H

#include <stdbool.h>
#include <stdio.h>

struct config;
struct err;

/* Binds the socket, if there is to be one. Before workers are forked. 0, or -1 and err. */
int parent_cli_open(struct config *cfg, struct err *err);
/* Serves it, in the parent's loop. 0, or -1 and err. */
int parent_cli_start(struct config *cfg, struct err *err);
/* Leaves who connects in the queue of the socket; takes them again. */
void parent_cli_wait(bool wait);
/* In a fresh worker: closes the copy, and talks like any other process. */
void parent_cli_drop(struct config *cfg);
/* penstock help WORDS: those of its commands that begin with the words, or that send them elsewhere
 * ("@1 show info"). any: something was printed before. False: none does. */
bool parent_cli_help(FILE *out, const char *const *words, int count, bool any);

#endif
