/* SPDX-License-Identifier: BSD-2-Clause */
/* Certificates of the program's own making: signed by an authority of the configuration
 * (tls/forge.c), or by themselves: placeholders, and answers to the challenge tls-alpn-01. */
#ifndef TLS_CRAFT_H
#define TLS_CRAFT_H

#include "base/result.h"
#include "base/str.h"

#include <openssl/x509.h>
#include <stdbool.h>

struct err;
struct tls_cert;

/* A random serial number. 0 or -1. */
MUST_USE int tls_craft_serial(X509 *x);
/* An extension as OpenSSL's configuration files write it. authority NULL: x itself. 0 or -1. */
MUST_USE int tls_craft_extension(X509 *x, X509 *authority, int nid, const char *value);
/* 0 or -1. */
MUST_USE int tls_craft_sign(X509 *x, EVP_PKEY *signer);
/* Leaf, key and authority (NULL: none), as a file would have them. NULL: no memory. */
struct tls_cert *tls_craft_cert(X509 *leaf, EVP_PKEY *key, X509 *authority);

/* A name that may stand in a certificate: small letters, digits, "-", "." and "_". */
MUST_USE bool tls_craft_is_name(const char *name, size_t len);
/* A certificate for these names (separated by commas), signed by itself, with a key of its own on
 * P-256. identifier: 32 bytes that RFC 8737 3 wants in it; NULL: none. NULL, and err. */
struct tls_cert *tls_craft_self_signed(const char *names, const unsigned char *identifier,
				       struct err *err);

#endif
