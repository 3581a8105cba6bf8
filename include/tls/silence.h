/* SPDX-License-Identifier: BSD-2-Clause */
/* Connections with TLS that have been silent for a while: OpenSSL's struct of them is folded
 * (tls/fold.h). Called by layer_ops.c. */
#ifndef TLS_SILENCE_H
#define TLS_SILENCE_H

#include "base/bug.h"
#include "base/clock.h"
#include "tls/layer.h"

/* A connection is there; it is about to go, and is unfolded. */
void tls_silence_begin(struct tls_conn *t);
void tls_silence_end(struct tls_conn *t);
/* For tls_silence_not: it is folded; it is not, and is used again after a second or more. */
void tls_silence_wake(struct tls_conn *t);
void tls_silence_later(struct tls_conn *t);

/* Before anybody looks at t->ssl. Times are kept to the second. */
static inline void tls_silence_not(struct tls_conn *t)
{
	if (unlikely(t->folded != NULL))
		tls_silence_wake(t);
	else if (unlikely((uint32_t)clock_now_ms - t->used_ms >= 1000))
		tls_silence_later(t);
}

#endif
