/* SPDX-License-Identifier: BSD-2-Clause */
/* Ejection: a server that does worse than its siblings gets no sessions for a while. */
#ifndef CHECK_EJECT_H
#define CHECK_EJECT_H

#include "config/module.h"
#include "event/change.h"

struct proxy_part;
struct server_part;

extern const struct module eject_module;
extern struct proxy_part eject_proxy_part;
extern struct server_part tried_part;
/* What the process that checks has found: a server is ejected, or comes back. */
extern const struct change_kind eject_change;

#endif
