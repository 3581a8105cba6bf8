/* SPDX-License-Identifier: BSD-2-Clause */
/* Suggestions for names of proxies and servers that are not there; see config/suggest.h. */
#ifndef PROXY_SUGGEST_H
#define PROXY_SUGGEST_H

#include "config/suggest.h"
#include "proxy/proxy.h"

/* One with one of these capabilities (PROXY_*). */
void proxy_suggest(struct config *cfg, const struct proxies *all, const char *name, unsigned caps);
void server_suggest(struct config *cfg, const struct proxy *px, const char *name);
/* A stick table, whatever section it is of. */
void table_suggest(struct config *cfg, const char *name);

#endif
