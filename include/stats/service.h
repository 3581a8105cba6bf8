/* SPDX-License-Identifier: BSD-2-Clause */
/* Serves the stats page and the metrics: decides who may have them, and is the end of the stream
 * that says them. */
#ifndef STATS_SERVICE_H
#define STATS_SERVICE_H

#include "config/module.h"

extern const struct module stats_service_module; /* init: brings the hooks of stream/ */

#endif
