/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef STATS_PAGE_CONF_H
#define STATS_PAGE_CONF_H

#include "config/module.h"
#include "expr/rule_conf.h"

extern const struct module page_module; /* the words "stats ..." of proxies */

/* Actions of "stats http-request": page_access.c. */
extern const struct action page_actions[];

#endif
