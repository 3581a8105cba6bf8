/* SPDX-License-Identifier: BSD-2-Clause */
/* Filters and the heads of an exchange. */
#ifndef EXCHANGE_FILTER_HEADS_H
#define EXCHANGE_FILTER_HEADS_H

#include "base/result.h"

#include <stdbool.h>

struct exchange;
struct stream;

/* The head of the request leaves for a server. False: no memory. */
MUST_USE bool filter_request_head(struct exchange *x);
/* The head of the response leaves. False: no memory. */
MUST_USE bool filter_response_head(struct exchange *x);
/* The answer that was about to leave is not the one that will. */
void filter_heads_forget(struct stream *s);

#endif
