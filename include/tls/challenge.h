/* SPDX-License-Identifier: BSD-2-Clause */
/* The challenge tls-alpn-01 (RFC 8737): clients that speak "acme-tls/1" alone get a certificate
 * made for them, on every bind line with TLS, and then the end. */
#ifndef TLS_CHALLENGE_H
#define TLS_CHALLENGE_H

#include "base/result.h"
#include "base/str.h"

#include <openssl/ssl.h>
#include <stdbool.h>

struct err;
struct tls_cert;

#define TLS_CHALLENGE_ALPN "\012acme-tls/1" /* as ALPN has it, with its length */

/* From now on the name is answered for with this SHA-256 of the key authorization (32 bytes); what
 * was answered before is replaced. 0, or -1 and err. */
MUST_USE int tls_challenge_set(const char *name, const unsigned char *identifier, struct err *err);
/* Not any more; nothing happens where it was not. */
void tls_challenge_end(const char *name);
void tls_challenges_end(void);

/* In the callback of a ClientHello: the certificate that it is to get; NULL: it is none of these.
 */
struct tls_cert *tls_challenge_for(SSL *ssl, struct span name);
/* Does the client speak nothing else, and is this certificate such an answer? */
MUST_USE bool tls_challenge_agrees(const struct tls_cert *chosen, const unsigned char *offer,
				   unsigned len);

#endif
