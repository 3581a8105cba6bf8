/* SPDX-License-Identifier: BSD-2-Clause */
/* Where the rules of HTTP run, and the words http-request, http-response, http-after-response,
 * redirect, monitor-uri and the like. For the files of stream/. */
#ifndef STREAM_HTTP_RULES_H
#define STREAM_HTTP_RULES_H

#include "config/module.h"
#include "expr/rule_conf.h"

struct exchange;
struct proxy;

/* The request is complete up to its body: monitor-uri, http-request rules, redirect rules, and
 * (the backend's turn) those of the backend. RULES_REPLY: x->reply is the answer. */
enum rule_result http_request_rules(struct exchange *x, struct proxy *px);
/* The response's head is complete. */
enum rule_result http_response_rules(struct exchange *x, struct proxy *px);
/* Every response before it leaves, the program's own included. */
enum rule_result http_after_rules(struct exchange *x);
/* A rule could not change a message: counted with all concerned. */
void http_count_failed_rewrite(struct exchange *x);

extern const struct module http_rules_module;

#endif
