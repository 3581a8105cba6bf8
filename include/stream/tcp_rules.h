/* SPDX-License-Identifier: BSD-2-Clause */
/* The words tcp-request and tcp-response, and the actions of their lists. */
#ifndef STREAM_TCP_RULES_H
#define STREAM_TCP_RULES_H

#include "base/result.h"
#include "config/module.h"
#include "expr/rule_conf.h"

struct proxy_part;

/* Those that need more than the view; the others are rule_actions. */
extern const struct action tcp_actions[];
/* For lists of HTTP rules, which have it, too. */
MUST_USE int parse_silent_drop(struct statement *st, struct rule *rule, const char *args);
MUST_USE enum action_result action_silent_drop(const struct rule *rule, struct view *view,
					       unsigned place);

/* The lists there are, for help; the last has no name. */
extern const struct rule_list tcp_rule_lists[];
extern const struct module tcp_rules_module;
extern struct proxy_part tcp_rules_proxy_part;

#endif
