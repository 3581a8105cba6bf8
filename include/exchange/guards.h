/* SPDX-License-Identifier: BSD-2-Clause */
/* What options refuse behind the rules of a proxy: src/exchange/guards.c. For the files of
 * stream/. */
#ifndef EXCHANGE_GUARDS_H
#define EXCHANGE_GUARDS_H

#include "base/result.h"

#include <stdbool.h>

struct exchange;
struct proxy;

/* Option http-restrict-req-hdr-names of the proxy, which is not "preserve". False: the request is
 * refused, x->reply is the answer. */
MUST_USE bool guard_names(struct exchange *x, const struct proxy *px);
/* Option checkcache: false: a cache in front of us could hand out a cookie of the server's
 * response; it is counted as refused, and the log was told. */
MUST_USE bool guard_cookies(struct exchange *x);

#endif
