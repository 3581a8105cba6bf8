/* SPDX-License-Identifier: BSD-2-Clause */
/* Ejection: a server that does worse than its siblings gets no sessions for a while. */
#ifndef CHECK_EJECT_H
#define CHECK_EJECT_H

#include "config/module.h"
#include "event/change.h"
#include "proxy/backend_part.h"

extern const struct module eject_module;
extern const struct backend_part eject_backend_part;
/* What the process that checks has found: a server is ejected, or comes back. */
extern const struct change_kind eject_change;

#endif
