/* SPDX-License-Identifier: BSD-2-Clause */
/* Log lines go out here, at once, and never wait: what cannot be sent is counted. Everybody
 * above may log; what below reports problems returns them. Manual 3.1 and 4.2 "log". */
#ifndef LOG_LOG_H
#define LOG_LOG_H

#include "base/str.h"
#include "config/config.h"
#include "config/module.h"

#include <stdbool.h>

struct log_conf; /* the targets of the global section or of a proxy, and its tag */

enum log_level { LOG_L_EMERG, LOG_L_ALERT, LOG_L_CRIT, LOG_L_ERR, LOG_L_WARNING, LOG_L_NOTICE,
		 LOG_L_INFO, LOG_L_DEBUG };

extern const struct module log_module;

/* Sends the message (no line feed) to each target of conf whose level admits it; conf NULL:
 * to those of the global section. A target "global" stands for the global targets. */
void log_send(const struct log_conf *conf, enum log_level level, const char *msg, size_t len);
void log_printf(const struct log_conf *conf, enum log_level level, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* Is there any target at all? */
bool log_enabled(const struct log_conf *conf);

/* Alerts and notices of the process itself: to stderr while in the foreground, and to the
 * global targets. */
void log_process(enum log_level level, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

struct log_stats {
	uint64_t sent, dropped;
};
extern struct log_stats log_stats;

#endif
