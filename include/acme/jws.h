/* SPDX-License-Identifier: BSD-2-Clause */
/* Keys, and what is made with them: signed requests (RFC 7515, as RFC 8555 6.2 wants them), the
 * thumbprint of an account (RFC 7638), a request for a certificate (PKCS #10). Pure. Strings that
 * are returned are the caller's to free; NULL: no memory, or OpenSSL has failed. */
#ifndef ACME_JWS_H
#define ACME_JWS_H

#include "base/str.h"

#include <openssl/evp.h>
#include <stdbool.h>

/* Without padding (RFC 7515 2). */
char *acme_base64url(const void *bytes, size_t len);

enum acme_keytype { ACME_ECDSA, ACME_RSA };

struct acme_keyspec {
	enum acme_keytype type;
	unsigned bits;         /* RSA */
	const char *curve;     /* ECDSA: "P-256", "P-384", "P-521" */
};
EVP_PKEY *acme_key_new(const struct acme_keyspec *spec);
/* Can requests be signed with it? RSA, and EC on the curves above. */
bool acme_key_signs(EVP_PKEY *key);
/* PKCS #8, to be wiped (OPENSSL_clear_free). */
char *acme_key_pem(EVP_PKEY *key);

/* The public half, its members in the order that the thumbprint wants. */
char *acme_jwk(EVP_PKEY *key);
char *acme_thumbprint(EVP_PKEY *key);
/* A whole request. account NULL: the key goes along. payload "": a POST-as-GET. */
char *acme_jws(EVP_PKEY *key, const char *url, const char *nonce, const char *account,
	       const char *payload);
/* What binds a new account to one that the authority knows (RFC 8555 7.3.4). bits: 256, 384, 512.
 */
char *acme_binding(EVP_PKEY *key, const char *url, const char *id, struct span mac_key,
		   unsigned bits);

/* For these names (separated by commas; the first one is the subject), base64url of the DER. */
char *acme_csr(EVP_PKEY *key, const char *domains);

#endif
