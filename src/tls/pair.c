/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A certificate and its private key: do they belong together? Called when certificates are made
 * (cert.c), for thousands in a row at a start: what is usual is compared without OpenSSL's decoders
 * (keypair.c).
 */
#include "tls/pair.h"

#include "base/err.h"
#include "tls/keypair.h"
#include "tls/pem.h"

#include <openssl/err.h>

EVP_PKEY *tls_pair_key(int algorithm, struct span key)
{
	const unsigned char *at = (const unsigned char *)key.ptr;
	EVP_PKEY *pkey;

	ERR_clear_error();
	pkey = d2i_PrivateKey(algorithm, NULL, &at, (long)key.len);
	if (pkey)
		return pkey;
	ERR_clear_error();
	at = (const unsigned char *)key.ptr;
	return d2i_AutoPrivateKey(NULL, &at, (long)key.len);
}

static enum keypair pair_compare(X509 *x, int algorithm, struct span key)
{
	const X509_PUBKEY *info = X509_get_X509_PUBKEY(x);
	struct span curve = { "", 0 };
	const unsigned char *point;
	unsigned char *oid = NULL;
	enum keypair result;
	X509_ALGOR *how;
	const void *value;
	int len, type;

	if (algorithm != EVP_PKEY_RSA && algorithm != EVP_PKEY_EC)
		return KEYPAIR_UNSURE;
	if (!X509_PUBKEY_get0_param(NULL, &point, &len, &how, info) || len <= 0)
		return KEYPAIR_UNSURE;
	X509_ALGOR_get0(NULL, &type, &value, how);
	if (algorithm == EVP_PKEY_EC && type == V_ASN1_OBJECT) {
		int size = i2d_ASN1_OBJECT(value, &oid);

		curve = (struct span){ (char *)oid, size > 0 ? (size_t)size : 0 };
	}
	result = keypair_compare(algorithm == EVP_PKEY_RSA ? KEYPAIR_RSA : KEYPAIR_EC, key,
				 (struct span){ (const char *)point, (size_t)len }, curve);
	OPENSSL_free(oid);
	return result;
}

/* As its parameters name it (RFC 5480 2.1.1). */
int tls_pair_curve(X509 *x)
{
	X509_ALGOR *how;
	const void *value;
	int type;

	if (!X509_PUBKEY_get0_param(NULL, NULL, NULL, &how, X509_get_X509_PUBKEY(x)))
		return NID_undef;
	X509_ALGOR_get0(NULL, &type, &value, how);
	return type == V_ASN1_OBJECT ? OBJ_obj2nid(value) : NID_undef;
}

static int pair_ask(X509 *x, int algorithm, struct span key, struct err *err)
{
	EVP_PKEY *pkey = tls_pair_key(algorithm, key);
	int rc = 0;

	if (!pkey)
		return err_set(err, "private key: %s", tls_reason());
	if (X509_check_private_key(x, pkey) != 1)
		rc = err_set(err, "the private key does not belong to the certificate: %s", tls_reason());
	EVP_PKEY_free(pkey);
	return rc;
}

int tls_pair_check(X509 *x, int algorithm, struct span key, struct err *err)
{
	switch (pair_compare(x, algorithm, key)) {
	case KEYPAIR_MATCHES:
		return 0;
	case KEYPAIR_DIFFERS:
		return err_set(err, "the private key does not belong to the certificate: key values "
				    "mismatch");
	case KEYPAIR_UNSURE:
		break;
	}
	return pair_ask(x, algorithm, key, err);
}
