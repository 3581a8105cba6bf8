/* SPDX-License-Identifier: BSD-2-Clause */
/* Between h1_parse.c, which finds the parts of a head, and h1_check.c, which asks what they mean.
 * For nobody else. */
#ifndef HTTP_H1_HEAD_H
#define HTTP_H1_HEAD_H

#include "base/bug.h"
#include "http/h1.h"

struct head {
	struct h1_parser *parser;
	const char *bytes, *end; /* what there is of it */
	struct message *msg;
	unsigned options;
	struct message_error *error;
};

/* Fills in the error; at: the byte that is wrong. status: of a request; a response has 502. */
COLD enum h1_result h1_bad(struct head *h, const char *at, unsigned status, const char *text);
/* An option lets something pass, at this byte: remembered for "show errors". False: it does not. */
COLD bool h1_tolerate(struct head *h, const char *at);
/* A field is complete: the last of msg->fields. */
enum h1_result h1_check_field(struct head *h, struct field *f);
/* The head is complete; empty: its last, empty line; end: behind that. */
enum h1_result h1_check_request(struct head *h, const char *empty, const char *end);
enum h1_result h1_check_response(struct head *h, enum method request_method, const char *end);

#endif
