/* SPDX-License-Identifier: BSD-2-Clause */
/* Where the rules of HTTP run, and the words http-request, http-response, http-after-response,
 * redirect. */
#ifndef EXCHANGE_HTTP_RULES_H
#define EXCHANGE_HTTP_RULES_H

#include "base/result.h"
#include "config/module.h"
#include "expr/rule_conf.h"
#include "proxy/part.h"

struct exchange;
struct stream;

/* The request is complete up to its body: http-request rules, redirect rules, and (the backend's
 * turn) those of the backend. RULES_REPLY: x->reply is the answer. */
MUST_USE enum rule_result http_request_rules(struct exchange *x, struct proxy *px);
/* The response's head is complete. RULES_WAIT: a rule waits for the body; to be called again. */
MUST_USE enum rule_result http_response_rules(struct exchange *x);
/* Every response before it leaves, the program's own included. */
MUST_USE enum rule_result http_after_rules(struct exchange *x);
/* Step REQ_FIELDS: what is added to every request before a server is chosen. */
MUST_USE int http_finish_request(struct stream *s);

/* Asked between the http-request rules and the redirect lines of a proxy that has a stats page: is
 * this a request for it? RULES_REPLY: yes, and it is answered. Installed by stats/, together with
 * the part (proxy/part.h) that says which proxies have one; both may be NULL. */
extern enum rule_result (*http_page_hook)(struct exchange *x, struct proxy *px);
extern struct proxy_part *http_page_part;
static inline bool http_has_page(const struct proxy *px)
{
	return http_page_part && proxy_part(px, http_page_part);
}

/* The lists there are, for help; the last has no name. */
extern const struct rule_list http_rule_lists[];
extern const struct module http_rules_module;
extern struct proxy_part http_rules_proxy_part;

#endif
