/* SPDX-License-Identifier: BSD-2-Clause */
/* Between h1_parse.c, which finds the parts of a head, h1_fields.c, which finds its fields, and
 * h1_check.c, which asks what they mean. For nobody else. */
#ifndef HTTP_H1_HEAD_H
#define HTTP_H1_HEAD_H

#include "base/bug.h"
#include "http/h1.h"

#include <string.h>

/* Where a head was left: h1_parser.state. */
enum h1_state {
	AT_START, /* empty lines may come; zero: the state of a parser just begun */
	AT_METHOD,
	AT_TARGET,
	AT_VERSION,
	AT_STATUS,
	AT_REASON,
	AT_NAME, /* at the start of a field line, or within its name */
	AT_VALUE,
};

struct head {
	struct h1_parser *parser;
	const char *bytes, *end; /* what there is of it */
	struct message *msg;
	unsigned options;
	struct message_error *error;
};

static inline struct span span_between(const char *from, const char *to)
{
	return (struct span){ from, (size_t)(to - from) };
}

/* ---- h1_line.c ---- */

/* Fills in the error; at: the byte that is wrong. status: of a request; a response has 502. */
COLD enum h1_result h1_bad(struct head *h, const char *at, unsigned status, const char *text);
/* An option lets something pass, at this byte: remembered for "show errors". False: it does not. */
COLD bool h1_tolerate(struct head *h, const char *at);
/* Bytes have run out: `from` begins what is under way, what lies before `looked` is good.
 * H1_INCOMPLETE. */
COLD enum h1_result h1_pause(struct head *h, enum h1_state state, const char *from,
			     const char *looked);
/* No CRLF at *p: is it wrong, let pass, or only incomplete? */
COLD enum h1_result h1_odd_line_end(struct head *h, const char **p);

/* The bytes lie elsewhere than last time: what was found moves with them. */
COLD void h1_moved(struct head *h);

/* First of all in each call. */
static inline void h1_follow(struct head *h)
{
	if (h->parser->base && h->parser->base != h->bytes)
		h1_moved(h);
	h->parser->base = h->bytes;
}

/* Servers of yesterday: by option, lines of responses may end with LF alone, and be folded. */
static inline bool h1_has_loose_lines(const struct head *h)
{
	return h->options & H1_ACCEPT_INVALID && h->msg->is_response;
}

/* CRLF at *p, which moves behind it. */
static inline enum h1_result h1_line_end(struct head *h, const char **p)
{
	if (unlikely(h->end - *p < 2 || memcmp(*p, "\r\n", 2) != 0))
		return h1_odd_line_end(h, p);
	*p += 2;
	return H1_DONE;
}

/* ---- h1_check.c ---- */

/* A field is complete: the last of msg->fields. */
enum h1_result h1_check_field(struct head *h, struct field *f);
/* The head is complete; empty: its last, empty line; end: behind that. */
enum h1_result h1_check_request(struct head *h, const char *empty, const char *end);
enum h1_result h1_check_response(struct head *h, enum method request_method, const char *end);

/* ---- h1_fields.c ---- */

/* Field lines up to the empty one, each checked as it is complete. *at: where to begin, unless the
 * parser stands in a field already; then where the empty line is, and *behind it. */
enum h1_result h1_field_lines(struct head *h, const char **at, const char **behind);

#endif
