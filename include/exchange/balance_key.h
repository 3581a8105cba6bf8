/* SPDX-License-Identifier: BSD-2-Clause */
/* The key in a request by which its server is chosen (manual 4.2 "balance"). For the files of
 * exchange/. */
#ifndef EXCHANGE_BALANCE_KEY_H
#define EXCHANGE_BALANCE_KEY_H

#include "base/result.h"
#include "base/str.h"

struct stream;

/* What is to be hashed, by the backend's balance_by: stream_kind.balance_key. False: the request
 * has none. */
MUST_USE bool exchange_balance_key(struct stream *s, struct span *key);
/* Must the request's body be there first (url_param with check_post)? */
MUST_USE bool balance_key_in_body(const struct stream *s);

#endif
