/* SPDX-License-Identifier: BSD-2-Clause */
/* What the program adds to requests by itself before they leave: option forwardfor, option
 * originalto, unique-id-header. */
#ifndef EXCHANGE_FORWARDED_H
#define EXCHANGE_FORWARDED_H

#include "base/result.h"
#include "base/str.h"
#include "config/module.h"
#include "proxy/part.h"

#include <stdbool.h>

struct exchange;
struct forwarded;

/* What a section says. */
struct forwarded_conf {
	struct forwarded *forwardfor, *originalto; /* options; NULL: not asked for */
	struct span name_header;                   /* tells the server its name; ptr NULL: none */
	struct span unique_id_header;              /* ptr NULL: none */
};

extern struct proxy_part forwarded_part;
/* NULL: nothing of that. */
static inline struct forwarded_conf *forwarded_conf_of(const struct proxy *px)
{
	return proxy_part(px, &forwarded_part);
}

/* After the rules of the backend. False: no memory. */
MUST_USE bool forwarded_add(struct exchange *x);
/* The request is about to leave to its server, maybe once more: http-send-name-header. False: no
 * memory. */
MUST_USE bool forwarded_name_server(struct exchange *x);

extern const struct module forwarded_module;

#endif
