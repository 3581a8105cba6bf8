/* SPDX-License-Identifier: BSD-2-Clause */
/* Health checks and agent checks: when servers are asked, and how. Manual 5.2 "check", "inter". */
#ifndef CHECK_CHECKS_H
#define CHECK_CHECKS_H

#include "check/check.h"
#include "config/module.h"

struct proxy_part;

extern struct server_part check_server_part;
extern struct proxy_part check_proxy_part;
extern const struct module check_module; /* start: begins to check what is to be checked */

/* Checks of the server stop, or go on: "disable health", "enable health". */
void check_pause(struct server *server, bool paused);
/* The same for its agent. */
void check_pause_agent(struct server *server, bool paused);
/* "set server agent-send": -1: out of memory. */
int check_agent_send(struct server *server, const char *text);

#endif
