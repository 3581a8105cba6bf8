/* SPDX-License-Identifier: BSD-2-Clause */
/* Which certificate, and which settings, a ClientHello gets. */
#ifndef TLS_CHOOSE_H
#define TLS_CHOOSE_H

#include "base/str.h"

#include <openssl/ssl.h>

struct tls_bind;
struct tls_line;

/* The context accepts for the bind line: its callbacks choose. */
void tls_choose_install(SSL_CTX *ctx, struct tls_bind *bind);

/* The keys of certificates that a client can verify, and agree upon with us: bits. */
enum { TLS_CAN_RSA = 1 << 0, TLS_CAN_RSA_PSS = 1 << 1, /* the key is for RSA-PSS only */
       TLS_CAN_P256 = 1 << 2, TLS_CAN_P384 = 1 << 3, TLS_CAN_P521 = 1 << 4,
       TLS_CAN_OTHER_CURVE = 1 << 5, TLS_CAN_ED25519 = 1 << 6, TLS_CAN_ED448 = 1 << 7,
       TLS_CAN_DSA = 1 << 8,
       TLS_CAN_ECDSA = TLS_CAN_P256 | TLS_CAN_P384 | TLS_CAN_P521 | TLS_CAN_OTHER_CURVE };

/* The line for a name (as a client writes it) and a client that can do so much. NULL: none is for
 * it: the default certificate's turn. */
/* The keys that may sign by a list as of the word 'sigalgs' (as far as that does not depend on the
 * version that will be spoken); NULL: all. */
unsigned tls_choose_signs(const char *sigalgs);
struct tls_line *tls_choose_line(const struct tls_bind *bind, struct span name, unsigned can);
/* The default certificate's: of the first line, its bundle and the words default-crt what suits.
 * NULL: no lines. */
struct tls_line *tls_choose_default(const struct tls_bind *bind, unsigned can);

#endif
