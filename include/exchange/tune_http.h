/* SPDX-License-Identifier: BSD-2-Clause */
/* Global settings of HTTP: tune.http.* and their like. */
#ifndef EXCHANGE_TUNE_HTTP_H
#define EXCHANGE_TUNE_HTTP_H

#include "config/module.h"

/* What they say holds from its prepare on: exchange_tune.max_fields, exchange_tune.any_payload. */
extern const struct module tune_http_module;

#endif
