/* SPDX-License-Identifier: BSD-2-Clause */
/* The log configuration of the global section and of proxies, as parsed; log.c walks it. */
#ifndef LOG_LOG_CONF_H
#define LOG_LOG_CONF_H

#include "base/list.h"
#include "log/log.h"
#include "log/target.h"

struct log_conf {
	const void *owner; /* the object that it was made for; others copy it before changes */
	const char *tag;   /* NULL: that of the global section */
	unsigned count;
	struct log_target **targets; /* in the order of the lines; shared, never copied */
};

/* The module's data in a generation; object of its global words. */
struct log_data {
	struct log_conf *global;
	bool send_hostname;
	const char *hostname;  /* as given, else the system's; NULL: send none */
	struct list targets;   /* struct log_target.node */
	struct list rings;     /* struct ring.node */
	struct location wanted; /* of the first "log global"; file NULL: there is none */
	struct list profiles, profile_uses; /* struct log_profile.node, log_profile_use.node */
};

/* The running generation; NULL before start. */
extern const struct log_data *log_running;
extern const struct keyword log_keywords[];

/* The module's functions of these names (config/module.h). */
void log_init(struct config *cfg, void *module_data);
int log_finish(struct config *cfg, void *module_data);

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
