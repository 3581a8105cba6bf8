/* SPDX-License-Identifier: BSD-2-Clause */
/* Parameters of ephemeral Diffie-Hellman without curves (DHE): from a file, or of a size. Without
 * either, such ciphers are not offered. */
#ifndef TLS_DH_H
#define TLS_DH_H

#include "base/result.h"

#include <openssl/ssl.h>

struct err;
struct tls_cert;

/* ssl-dh-param-file. 0, or -1 and err. */
MUST_USE int tls_dh_load(const char *path, struct err *err);
/* What was loaded, for all connections of the context. */
void tls_dh_use(SSL_CTX *ctx);
/* tune.ssl.default-dh-param, when nothing was loaded: as long as the key of the certificate, at
 * most that size. */
void tls_dh_suit(SSL *ssl, struct tls_cert *cert);

#endif
