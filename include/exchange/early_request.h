/* SPDX-License-Identifier: BSD-2-Clause */
/* Early data of TLS 1.3 in exchanges: see stream/early.h. */
#ifndef EXCHANGE_EARLY_REQUEST_H
#define EXCHANGE_EARLY_REQUEST_H

#include "base/result.h"
#include "base/str.h"
#include "exchange/early_part.h"

struct stream;

/* Waits until the client has proved itself, "timeout client" at most. STEP_NEXT: it has; STEP_WAIT;
 * else the request has failed, and what the step returns. */
MUST_USE int early_wait(struct stream *s);

/* Step REQ_PROOF: a request that is to be sent once more waits for the proof. */
MUST_USE int early_retry(struct stream *s);

/* Early-Data (RFC 8470 5.1), right before the request's head is written. False: no memory. */
MUST_USE bool early_mark(struct exchange *x);
/* Conditions (RETRY_*) of sending it once more when the server says 425. */
unsigned early_retry_on(const struct exchange *x);

/* The request's head, where it may go along with the first message to the server; else empty. */
struct span early_request_words(struct stream *s);
/* So many bytes of it the server has, when the connection is there: of the stream's kind. */
void early_request_taken(struct stream *s, size_t taken);
/* The request's head was written: takes away what the server has of it already. False: it is
 * another head (a bug). */
MUST_USE bool early_skip_taken(struct exchange *x, struct early *early);
static inline bool early_skip(struct exchange *x)
{
	struct early *early = early_of(x);

	return !early || early_skip_taken(x, early);
}

#endif
