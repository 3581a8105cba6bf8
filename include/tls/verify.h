/* SPDX-License-Identifier: BSD-2-Clause */
/* The verification of peers' certificates: what is asked for, what is ignored. */
#ifndef TLS_VERIFY_H
#define TLS_VERIFY_H

#include "base/result.h"

#include <openssl/ssl.h>
#include <stdbool.h>

struct tls_settings;

/* For SSL_CTX_set_verify. */
MUST_USE int tls_verify_mode(const struct tls_settings *set, bool server);
MUST_USE int tls_verify_callback(int ok, X509_STORE_CTX *store);

#endif
