/* SPDX-License-Identifier: BSD-2-Clause */
/* What the program adds to requests by itself before they leave: option forwardfor, option
 * originalto, unique-id-header. */
#ifndef EXCHANGE_FORWARDED_H
#define EXCHANGE_FORWARDED_H

#include "base/result.h"
#include "config/module.h"

#include <stdbool.h>

struct exchange;

/* After the rules of the backend. False: no memory. */
MUST_USE bool forwarded_add(struct exchange *x);
/* The request is about to leave to its server, maybe once more: http-send-name-header. False: no
 * memory. */
MUST_USE bool forwarded_name_server(struct exchange *x);

extern const struct module forwarded_module;

#endif
