/* SPDX-License-Identifier: BSD-2-Clause */
/* Heads of HTTP messages as fetches find them: those of the exchange, or in mode tcp and before
 * an exchange has parsed them, parsed out of the bytes that were received. For fetch_http*.c. */
#ifndef EXPR_HTTP_H
#define EXPR_HTTP_H

#include "expr/expr.h"

struct field;
struct message;

/* The head of the request (or response). EXPR_WAIT: incomplete so far; EXPR_NONE: there is none,
 * or the bytes are no HTTP. Valid until the next call. */
enum expr_result http_head(const struct fetch_call *call, bool response,
			   const struct message **msg);
/* The part of its body that is there. */
struct span http_body(const struct fetch_call *call, bool response, const struct message *msg);

/* Values of fields, one after the other; starts zeroed. lists: parted by commas outside of quotes,
 * empty ones count; else whole. name: empty: of all fields. False: no more. */
struct http_values {
	uint32_t field; /* index of the next one to look at, or of the one being parted */
	uint32_t offset; /* in that one's value, behind the last comma; 0: at its begin */
};
bool http_next_value(const struct message *msg, struct span name, bool lists,
		     struct http_values *walk, struct span *value);
/* The first field of the name, whole. */
bool http_first_value(const struct message *msg, struct span name, struct span *value);

/* The user and password of "Authorization: Basic" (in scratch memory), where a password may
 * contain colons. False: none. */
bool http_basic_auth(const struct message *msg, struct span *user, struct span *password);
/* The scheme of Authorization (of a proxied request, as option http-use-proxy-header has it:
 * Proxy-Authorization) and what follows it. */
bool http_authorization(const struct message *msg, struct span *scheme, struct span *data);

/* Leading digits with an optional sign, of values that need not be numbers: "12abc" is 12. */
int64_t http_number(struct span text);
/* The path with its query, from the first slash on; ptr NULL: none ("*", authority-form). */
struct span http_pathq(struct span target);

#endif
