/* SPDX-License-Identifier: BSD-2-Clause */
/* Random bytes that need not be secret, only never foretold and never the same: ids of sessions,
 * initial vectors of tickets. Not for keys. */
#ifndef TLS_RANDOM_H
#define TLS_RANDOM_H

#include "base/result.h"

#include <stdbool.h>
#include <stddef.h>

/* OpenSSL is asked for a page of them at a time. false: it has none. */
MUST_USE bool tls_random(void *to, size_t len);

#endif
