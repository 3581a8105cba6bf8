/* SPDX-License-Identifier: BSD-2-Clause */
/* Global words of later versions that speak of threads, QUIC and descriptors. */
#ifndef PROCESS_LATER_CONF_H
#define PROCESS_LATER_CONF_H

#include "config/module.h"

extern const struct module later_module;

#endif
