/* SPDX-License-Identifier: BSD-2-Clause */
/* Bodies that nobody takes: of a request, because the program has answered by itself; of a
 * response, because the client has asked for none. The connection can carry another request only
 * when the body was read away to its end. */
#ifndef EXCHANGE_UNREAD_H
#define EXCHANGE_UNREAD_H

#include "base/result.h"

#include <stdbool.h>

struct exchange;
struct stream;

/* The answer is about to leave: is the body complete, or so small a rest missing that it will be
 * waited for? What has come is read away. */
MUST_USE bool unread_fits(struct stream *s);
/* The answer has left, and the client was told that the connection lives on: is the rest of the
 * body still on its way? */
MUST_USE bool unread_waits(struct stream *s);
/* A time is over. Was it the rest that has not come? The exchange is done then. */
MUST_USE bool unread_expired(const struct stream *s);

/* A rule has taken the response's body away: what has come of it is read away. Says in x->bare and
 * x->rest whether that was all, and whether the rest will be waited for. */
void unread_response(struct exchange *x);
/* The answer has left. Is the rest waited for? If not, and it has not come, the server's connection
 * is not kept. */
MUST_USE bool unread_rest_waits(struct stream *s);

#endif
