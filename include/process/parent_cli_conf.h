/* SPDX-License-Identifier: BSD-2-Clause */
/* What -S says of the parent's socket. */
#ifndef PROCESS_PARENT_CLI_CONF_H
#define PROCESS_PARENT_CLI_CONF_H

#include "config/module.h"

struct bind_conf;
struct config;
struct listener;

/* The data of parent_cli_module. */
struct parent_cli {
	struct bind_conf *bind; /* NULL: no -S */
};

/* Holds what -S says: the word "-S", which main() gives to the configuration. */
extern const struct module parent_cli_module;

/* Calls fn for each of its listeners. */
void parent_cli_each(struct config *cfg, void (*fn)(struct listener *l, void *arg), void *arg);

#endif
