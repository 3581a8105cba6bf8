/* SPDX-License-Identifier: BSD-2-Clause */
/* What is suspicious in a configuration that is right: notices, and notes for -dD. */
#ifndef EXCHANGE_DOUBTS_H
#define EXCHANGE_DOUBTS_H

struct config;
struct proxy;

extern const struct module doubts_module;

/* doubts_mode.c, for doubts.c alone: words that need mode http; servers behind default_backend. */
void doubt_mode(struct config *cfg, const struct proxy *px);
void doubt_hidden_servers(struct config *cfg, const struct proxy *px);
/* doubts_limits.c, the same: limits and time-outs beside others. */
void doubt_limits(struct config *cfg, const struct proxy *px);

#endif
