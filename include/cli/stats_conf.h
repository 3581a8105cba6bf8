/* SPDX-License-Identifier: BSD-2-Clause */
/* The words "stats socket", "stats timeout", "stats maxconn", "node" and "description" of the
 * global section. */
#ifndef CLI_STATS_CONF_H
#define CLI_STATS_CONF_H

#include "config/module.h"

/* Finishes and starts before the proxies do: it makes one. */
extern const struct module stats_conf_module;

#endif
