/* SPDX-License-Identifier: BSD-2-Clause */
/* One request over a connection of HTTP/2, whose client we are: what is to be sent, and what
 * becomes of the bytes that come. The response is written as HTTP/1, so that whoever judges it sees
 * what it would see of a server of HTTP/1. No socket: walk_run.c moves the bytes. */
#ifndef CHECK_H2_CALL_H
#define CHECK_H2_CALL_H

#include "base/str.h"

#include <stdbool.h>

struct buf;
struct h2_call;
struct message;

enum { H2_CALL_BODY_MOST = 4096,   /* bytes of a request's body */
       H2_CALL_AT_ONCE = 16384 };  /* bytes that h2_call_take may be given */

/* Begins it: preface, settings and the request with its body wait to be sent. What request and body
 * point to is copied. NULL: no memory; or, with *wrong set to a sentence,
 * the request cannot leave by HTTP/2. */
struct h2_call *h2_call_new(const struct message *request, struct span scheme, struct span body,
			    const char **wrong);
/* Clears the caller's pointer; NULL is allowed. */
void h2_call_free(struct h2_call **call);

/* What waits to be sent, until h2_call_sent or h2_call_take. */
struct span h2_call_waiting(const struct h2_call *call);
void h2_call_sent(struct h2_call *call, size_t n);

/* Bytes that came, H2_CALL_AT_ONCE at most; nothing waits to be sent. The response goes behind what
 * `to' holds; of a body that which has no room is thrown away. */
void h2_call_take(struct h2_call *call, struct span bytes, struct buf *to);
/* No more will come. error: errno, 0: the server has closed the connection. */
void h2_call_closed(struct h2_call *call, int error);

/* Has the response ended as it should? */
bool h2_call_done(const struct h2_call *call);
/* Why it never will, for people; NULL: it may still. */
const char *h2_call_fault(const struct h2_call *call);
/* Is that a lack of memory here, and nothing that the server could help? */
bool h2_call_no_memory(const struct h2_call *call);
/* Fields behind the response's body, as lines of HTTP/1. */
struct span h2_call_trailers(const struct h2_call *call);
/* The last words to the server: GOAWAY, with the code of the fault. They wait to be sent behind all
 * else, where there is room. */
void h2_call_leave(struct h2_call *call);

#endif
