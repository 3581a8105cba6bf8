/* SPDX-License-Identifier: BSD-2-Clause */
/* A certificate and its private key. */
#ifndef TLS_PAIR_H
#define TLS_PAIR_H

#include "base/result.h"
#include "base/str.h"

#include <openssl/x509.h>

struct err;

/* The key (DER, of this algorithm: EVP_PKEY_RSA, ...). NULL: OpenSSL says why. */
EVP_PKEY *tls_pair_key(int algorithm, struct span key);
/* Does it belong to the certificate? 0; -1 and err. */
MUST_USE int tls_pair_check(X509 *x, int algorithm, struct span key, struct err *err);
/* The curve of the certificate's key, which is an EVP_PKEY_EC; NID_undef: it has no name. */
MUST_USE int tls_pair_curve(X509 *x);

#endif
