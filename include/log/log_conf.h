/* SPDX-License-Identifier: BSD-2-Clause */
/* The words of the log: what its files share. */
#ifndef LOG_LOG_CONF_H
#define LOG_LOG_CONF_H

#include "log/log_data.h"

/* Rings (ring_conf.c): a new one with defaults; for a "tcp@" target one with a server. */
struct ring *ring_new(struct config *cfg, struct log_data *data, const char *name);
struct ring *ring_of_name(const struct log_data *data, const char *name);
int ring_add_implicit(struct statement *st, struct log_target *t);
int ring_check(struct config *cfg, struct ring *ring);
/* Memory, once; then, in each process that serves, the way to its servers. */
int ring_prepare(struct ring *ring, struct err *err);
int ring_start(struct ring *ring, struct err *err);
void ring_stop(struct ring *ring);

#endif
