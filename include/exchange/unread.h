/* SPDX-License-Identifier: BSD-2-Clause */
/* The body of a request that nobody read, because the program has answered by itself: the
 * connection can carry another request only when the body was read away to its end. */
#ifndef EXCHANGE_UNREAD_H
#define EXCHANGE_UNREAD_H

#include <stdbool.h>

struct stream;

/* The answer is about to leave: is the body complete, or so small a rest missing that it will be
 * waited for? What has come is read away. */
bool unread_fits(struct stream *s);
/* The answer has left, and the client was told that the connection lives on: is the rest of the
 * body still on its way? */
bool unread_waits(struct stream *s);
/* A time is over. Was it the rest that has not come? The exchange is done then. */
bool unread_expired(const struct stream *s);

#endif
