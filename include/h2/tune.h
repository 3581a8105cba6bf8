/* SPDX-License-Identifier: BSD-2-Clause */
/* Global settings of HTTP/2: tune.h2.* and their like. */
#ifndef H2_TUNE_H
#define H2_TUNE_H

#include "config/module.h"

/* What they say holds from its prepare on, behind that of buffers: the limits of h2/conn.h. */
extern const struct module h2_tune_module;

#endif
