/* SPDX-License-Identifier: BSD-2-Clause */
/* The action do-resolve of tcp-request content and http-request (manual 4.2). */
#ifndef STREAM_DO_RESOLVE_H
#define STREAM_DO_RESOLVE_H

#include "expr/rule_conf.h"

struct stream_resolve;

extern const struct action resolve_actions[];
extern const struct module do_resolve_module;

/* The stream waits no longer; NULL: it does not. Clears the pointer. For extra.c. */
void stream_resolve_end(struct stream_resolve **resolve);

#endif
