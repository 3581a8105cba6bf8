/* SPDX-License-Identifier: BSD-2-Clause */
/* The client's end of an exchange that the program asks for by itself: says the request, and keeps
 * what comes until own_request.c takes it. It outlives the request where the stream does. For the
 * files of client/. */
#ifndef CLIENT_OWN_STREAM_H
#define CLIENT_OWN_STREAM_H

#include "base/result.h"
#include "http/message.h"

#include <stdbool.h>

struct own_request;
struct own_stream;

/* Begins a stream of r->host for r, which may end at once. NULL: no memory. */
MUST_USE struct own_stream *own_stream_begin(struct own_request *r);
/* r wants no more of it: it is broken off where it is under way. Clears the pointer. */
void own_stream_leave(struct own_stream **os);

/* What is known of the answer. */
enum own_news {
	NEWS_NONE,      /* nothing more yet */
	NEWS_HEAD,      /* r->msg */
	NEWS_PIECE,     /* r->piece */
	NEWS_WHOLE,     /* all of it was taken */
	NEWS_NOTHING,   /* the connection has died, with not a byte of an answer */
	NEWS_NO_SERVER, /* no connection could be made; another address may be better */
	NEWS_NO_TLS,    /* own_stream_why */
	NEWS_NO_MEMORY, /* nobody was asked */
	NEWS_UNSAID,    /* nor here: own_stream_wrong */
	NEWS_CUT,       /* its end was not said */
	NEWS_FAILED,    /* own_stream_status */
};
MUST_USE enum own_news own_stream_go(struct own_stream *os);
/* A sentence about "it", the server; until own_stream_leave. */
const char *own_stream_why(const struct own_stream *os);
/* What is wrong with the request. */
const char *own_stream_wrong(const struct own_stream *os);
/* The status that a client would see; 0: it has seen a head already. */
unsigned own_stream_status(const struct own_stream *os);

#endif
