/* SPDX-License-Identifier: BSD-2-Clause */
/* Persistence by stick tables (manual 4.2: stick match, stick on, stick store-request, stick
 * store-response). */
#ifndef STREAM_PERSIST_TABLE_H
#define STREAM_PERSIST_TABLE_H

#include "base/result.h"
#include "config/config.h"
#include "proxy/part.h"

#include <stdbool.h>

struct cond;
struct expr;
struct expr_arg;
struct stream;

struct stick_rule {
	struct stick_rule *next;
	bool match, store;
	struct expr *expr;
	const struct expr_arg *table;  /* its `table', from the end of the configuration on */
	struct cond *cond;
	struct location loc;
};

/* Of a backend, in the order of their lines. */
struct stick_rules {
	struct stick_rule *request, *response;
};

extern struct proxy_part stick_rules_part;
/* NULL: it has none. */
static inline struct stick_rules *stick_rules_of(const struct proxy *px)
{
	return proxy_part(px, &stick_rules_part);
}

/* Steps: which server do tables know (extra.persist), and which keys are to be stored? The server
 * has been reached, or has answered: its rules are asked, and all keys that were noted stored. */
MUST_USE int stick_request(struct stream *s);
MUST_USE int stick_response(struct stream *s);

extern const struct module stick_rules_module;

#endif
