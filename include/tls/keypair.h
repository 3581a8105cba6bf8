/* SPDX-License-Identifier: BSD-2-Clause */
/* Does a private key belong to a public one? Told from their DER alone, which takes OpenSSL's
 * decoders half a millisecond. A pure parser. */
#ifndef TLS_KEYPAIR_H
#define TLS_KEYPAIR_H

#include "base/result.h"
#include "base/str.h"

enum keypair { KEYPAIR_MATCHES, KEYPAIR_DIFFERS, KEYPAIR_UNSURE /* ask OpenSSL */ };

enum keypair_kind { KEYPAIR_RSA, KEYPAIR_EC };

/* key: PKCS #8, PKCS #1 or SEC 1. point: what the BIT STRING of the SubjectPublicKeyInfo holds;
 * curve: EC: the DER of its parameters (an OBJECT IDENTIFIER). */
MUST_USE enum keypair keypair_compare(enum keypair_kind kind, struct span key, struct span point,
				      struct span curve);

#endif
