/* SPDX-License-Identifier: BSD-2-Clause */
/* Early data of TLS 1.3 in streams: of clients, and to servers. */
#ifndef STREAM_EARLY_H
#define STREAM_EARLY_H

#include "base/str.h"

#include <stdbool.h>
#include <stddef.h>

struct end;
struct exchange;
struct stream;

/* Has the client sent early data, and not finished the handshake yet? */
bool early_unproven(const struct stream *s);
/* Neither that, nor has the handshake failed since. */
bool early_is_proven(const struct stream *s);
/* The handshake of the client whose end this is has ended: who waits for it goes on. */
void early_proved(struct end *client);
/* Mode http: waits until it has, "timeout client" at most. STEP_NEXT: it has; STEP_WAIT; else the
 * request has failed, and what the step returns. */
int early_wait(struct stream *s);

/* Step REQ_PROOF: a request that is to be sent once more waits for the proof. */
int early_retry(struct stream *s);

/* Early-Data (RFC 8470 5.1), right before the request's head is written. False: no memory. */
bool early_mark(struct exchange *x);
/* Conditions (RETRY_*) of sending it once more when the server says 425. */
unsigned early_retry_on(const struct exchange *x);

/* What may go along with the first message to the server that is being connected to; empty:
 * nothing. It may end the stream. */
struct span early_words(struct stream *s);
/* The handshake with the server is done: what has become of them. */
void early_connected(struct stream *s);
/* The request's head was written: takes away what the server has of it already. False: it is
 * another head (a bug). */
bool early_skip(struct exchange *x);
/* The connection has failed when some were said: may the server have read what must not be said
 * twice? */
bool early_is_lost(const struct stream *s);

#endif
