/* SPDX-License-Identifier: BSD-2-Clause */
/* Connections with TLS that have been silent for a while: OpenSSL's struct of them is folded
 * (tls/fold.h). Called by conn.c. */
#ifndef TLS_REST_H
#define TLS_REST_H

#include "base/bug.h"
#include "base/clock.h"
#include "tls/layer.h"

/* How long a connection is silent before it rests. Folding and unfolding cost some 10 us. */
extern unsigned tls_rest_ms;

/* A connection is there; it is about to go, and does not rest. */
void tls_rest_begin(struct tls_conn *t);
void tls_rest_end(struct tls_conn *t);
/* For tls_rest_not: it rests; it does not, and is used again after a second or more. */
void tls_rest_wake(struct tls_conn *t);
void tls_rest_later(struct tls_conn *t);

/* Before anybody looks at t->ssl. Times are kept to the second. */
static inline void tls_rest_not(struct tls_conn *t)
{
	if (unlikely(t->folded != NULL))
		tls_rest_wake(t);
	else if (unlikely((uint32_t)clock_now_ms - t->used_ms >= 1000))
		tls_rest_later(t);
}

#endif
