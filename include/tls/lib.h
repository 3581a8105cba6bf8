/* SPDX-License-Identifier: BSD-2-Clause */
/* OpenSSL itself: its start, its errors as sentences, its providers. */
#ifndef TLS_LIB_H
#define TLS_LIB_H

#include "base/err.h"
#include "base/result.h"

#include <stddef.h>

/* Starts the library, once; it leaves nothing to do at exit. 0, or -1 and err. */
MUST_USE int tls_lib_start(struct err *err);

/* The sentence "FMT: what OpenSSL says" in err; empties OpenSSL's queue of errors. Returns -1. It
 * goes by the oldest error, which says most: whoever may call this, or tls_reason, empties the queue
 * before the call of the library that may fail. What others have left there is theirs. */
MUST_USE int tls_lib_error(struct err *err, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* One error for people, in buf: ours, where we have a better sentence than the library ("the client
 * offers no cipher that this line allows"), else the library's own. Returns buf. */
const char *tls_lib_sentence(unsigned long code, char *buf, size_t size);

/* Where tls_lib_provider looks from now on ("ssl-provider-path"). 0, or -1 and err. */
MUST_USE int tls_lib_provider_path(const char *path, struct err *err);
/* Loads a provider; the first one replaces "default", which is loaded when nobody asks for any.
 * 0, or -1 and err. */
MUST_USE int tls_lib_provider(const char *name, struct err *err);
/* Properties that algorithms are to have ("ssl-propquery"). 0, or -1 and err. */
MUST_USE int tls_lib_propquery(const char *query, struct err *err);
/* Calls each with the name of every provider that is loaded. */
void tls_lib_providers(void (*each)(void *arg, const char *name), void *arg);

#endif
