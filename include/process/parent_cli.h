/* SPDX-License-Identifier: BSD-2-Clause */
/* The parent's socket (-S): management guide 9.4. */
#ifndef PROCESS_PARENT_CLI_H
#define PROCESS_PARENT_CLI_H

#include "config/module.h"

#include <stdbool.h>
#include <stdio.h>

struct config;
struct err;
struct listener;

/* Holds what -S says: the word "-S", which main() gives to the configuration. */
extern const struct module parent_cli_module;

/* Binds the socket, if there is to be one. Before workers are forked. 0, or -1 and err. */
int parent_cli_open(struct config *cfg, struct err *err);
/* Serves it, in the parent's loop. 0, or -1 and err. */
int parent_cli_start(struct config *cfg, struct err *err);
/* Leaves who connects in the queue of the socket; takes them again. */
void parent_cli_wait(bool wait);
/* Calls fn for each of its listeners. */
void parent_cli_each(struct config *cfg, void (*fn)(struct listener *l, void *arg), void *arg);
/* In a fresh worker: closes the copy, and talks like any other process. */
void parent_cli_drop(struct config *cfg);
/* penstock help WORDS: those of its commands that begin with the words, or that send them elsewhere
 * ("@1 show info"). any: something was printed before. False: none does. */
bool parent_cli_help(FILE *out, const char *const *words, int count, bool any);

#endif
