/* SPDX-License-Identifier: BSD-2-Clause */
/* option forwarded: the field Forwarded (RFC 7239) of requests. */
#ifndef EXCHANGE_FORWARDED_FIELD_H
#define EXCHANGE_FORWARDED_FIELD_H

#include "base/result.h"
#include "config/module.h"
#include "proxy/part.h"

#include <stdbool.h>

struct exchange;

/* The request is about to leave: behind the rules of the backend. False: no memory. */
MUST_USE bool forwarded_field_add(struct exchange *x);

extern const struct module forwarded_field_module;
/* The proxies that have it ask for the field. */
extern struct proxy_part forwarded_field_part;

#endif
