/* SPDX-License-Identifier: BSD-2-Clause */
/* Where the rules of the TCP layers run: on a new connection and on the first bytes. For the
 * files of stream/. */
#ifndef STREAM_RULE_STEPS_H
#define STREAM_RULE_STEPS_H

#include "base/result.h"
#include "expr/rule.h"
#include "net/link.h"

struct addr;
struct origin;
struct stream;

/* tcp-request connection rules, then the session rules; count refusals. Anything but RULES_PASS:
 * close. */
MUST_USE enum rule_result connection_rules(struct origin *origin, struct link client);
MUST_USE enum rule_result session_rules(struct origin *origin, struct link client);
/* Steps REQ_FRONTEND_RULES, REQ_BACKEND_RULES, RES_RULES. */
MUST_USE int rules_frontend(struct stream *s);
MUST_USE int rules_backend(struct stream *s);
MUST_USE int rules_response(struct stream *s);
/* Step REQ_SWITCH: use_backend, default_backend. */
MUST_USE int rules_switch(struct stream *s);

#endif
