/* SPDX-License-Identifier: BSD-2-Clause */
/* Answers that the program gives itself: errors (manual: errorfile, http-error, http-errors),
 * redirects, "return", "deny", monitor-uri, authentication. One form for all of them, sent by
 * the exchange like a response that came from a server: http-after-response rules see it. */
#ifndef EXCHANGE_REPLY_H
#define EXCHANGE_REPLY_H

#include "base/str.h"

#include <stdint.h>

struct arena;
struct exchange;
struct field;
struct proxy;

struct reply {
	unsigned status;
	struct span reason;         /* ptr NULL: the usual phrase */
	struct field *fields;       /* Content-Length and Connection are added by the exchange */
	unsigned field_count;
	struct span body;           /* not sent to HEAD, 204, 304; its length is announced */
	uint8_t ends;               /* enum reason that the stream ends with; 0: END_LOCAL */
	unsigned named;             /* the error that it stands for, which the log says in place of
				     * the status; 0: none */
	bool close;                 /* the connection ends behind it */
	bool silent;                /* nothing is sent at all: silent-drop, reject */
	char length[24];            /* the text of Content-Length */
};

/* The error answer of this status that is in force for the exchange: http-error and errorfile of
 * the backend, else of the frontend, else the built-in one. In the exchange's arena; NULL: no
 * memory, or an errorfile that is empty on purpose (the connection is closed without a word). */
struct reply *reply_error(struct exchange *x, unsigned status);
/* The built-in one, whatever the configuration says. */
struct reply *reply_builtin(struct exchange *x, unsigned status);
/* Answers with the error answer of the status. */
void reply_send_error(struct exchange *x, unsigned status);
/* One that is none: the connection is closed without a word. NULL: no memory. */
struct reply *reply_silent(struct exchange *x, unsigned status);
/* The value of WWW-Authenticate that asks for a password of the realm. Escapes are as the realm has
 * them, a quote or a last backslash that has none gets one (RFC 9110 5.6.4). NULL: no memory. */
const char *reply_challenge(struct arena *arena, const char *realm);
/* The one for 500 where there was no memory for another; of the program itself, which needs none,
 * if there is none for what the configuration says. Valid until the next call. */
struct reply *reply_no_memory(struct exchange *x);
/* An answer of this status with a text/plain (type NULL) or other body. */
struct reply *reply_new(struct exchange *x, unsigned status, const char *type, struct span body);
/* Adds a field; reply NULL is allowed. Where there is no memory the exchange's arena keeps that in
 * mind: exchange_reply answers 500 in the place of a reply that lacks something. */
void reply_add(struct exchange *x, struct reply *reply, struct span name, struct span value);

#endif
