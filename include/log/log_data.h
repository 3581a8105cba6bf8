/* SPDX-License-Identifier: BSD-2-Clause */
/* The log configuration of the global section and of proxies, as parsed; log.c walks it. */
#ifndef LOG_LOG_DATA_H
#define LOG_LOG_DATA_H

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
/* It runs from now on: its targets are open. NULL: none does. */
void log_set_running(const struct log_data *data);

#endif
