/* SPDX-License-Identifier: BSD-2-Clause */
/* The body of a request or response, where somebody wants to see it before it is forwarded. */
#ifndef EXCHANGE_BODY_H
#define EXCHANGE_BODY_H

#include "base/io.h"
#include "base/result.h"

#include <stdbool.h>

struct stream;

/* The client may wait to be asked for it. False: no memory, or it has left. */
MUST_USE bool body_invite(struct stream *s);
/* Reads what has come of the request's. IO_AGAIN: more is to come, the steps are told. */
MUST_USE enum io body_read(struct stream *s);
/* It will not come. What the step of that side returns. */
MUST_USE int body_failed(struct stream *s);
MUST_USE int body_failed_response(struct stream *s);
/* Where a rule waits: body_wanted. STEP_NEXT: run the rules again. */
MUST_USE int body_wait_request(struct stream *s);
MUST_USE int body_wait_response(struct stream *s);

#endif
