/* SPDX-License-Identifier: BSD-2-Clause */
/* Services that rules name; the action is in http_stream.c. */
#ifndef EXCHANGE_HTTP_SERVICE_H
#define EXCHANGE_HTTP_SERVICE_H

#include "base/kind.h"
#include "expr/rule_conf.h"

struct exchange;

/* What "http-request use-service <name>" calls: it answers by exchange_serve or exchange_reply. */
struct http_service {
	const char *name;
	enum action_result (*serve)(const struct http_service *service, struct exchange *x);
	struct http_service *next; /* of those that were added */
	KIND_MEMBER
};
/* Makes it known, before a line names it; again does nothing. It stays for ever. */
void http_service_add(struct http_service *service);

#endif
