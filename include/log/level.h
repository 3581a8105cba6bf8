/* SPDX-License-Identifier: BSD-2-Clause */
/* How much a line matters, as syslog has it (RFC 5424 6.2.1). */
#ifndef LOG_LEVEL_H
#define LOG_LEVEL_H

enum log_level { LOG_L_EMERG, LOG_L_ALERT, LOG_L_CRIT, LOG_L_ERR, LOG_L_WARNING, LOG_L_NOTICE,
		 LOG_L_INFO, LOG_L_DEBUG };

#endif
