/* SPDX-License-Identifier: BSD-2-Clause */
/* Early data of TLS 1.3 in streams: of clients, and to servers. */
#ifndef STREAM_EARLY_H
#define STREAM_EARLY_H

#include "base/result.h"
#include "base/str.h"

#include <stdbool.h>
#include <stddef.h>

struct end;
struct stream;

/* Has the client sent early data, and not finished the handshake yet? */
MUST_USE bool early_unproven(const struct stream *s);
/* Neither that, nor has the handshake failed since. */
MUST_USE bool early_is_proven(const struct stream *s);
/* The handshake of the client whose end this is has ended: who waits for it goes on. */
void early_proved(struct end *client);
/* What may go along with the first message to the server that is being connected to; empty:
 * nothing. It may end the stream. */
struct span early_words(struct stream *s);
/* The handshake with the server is done: what has become of them. */
void early_connected(struct stream *s);
/* The connection has failed when some were said: may the server have read what must not be said
 * twice? */
MUST_USE bool early_is_lost(const struct stream *s);

#endif
