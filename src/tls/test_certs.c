/* SPDX-License-Identifier: BSD-2-Clause */
/* Certificates made on the spot, for unit tests. Failures end the test. */
#include "tls/test_certs.h"

#include "base/bug.h"

#include <openssl/ec.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>
#include <openssl/x509v3.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

EVP_PKEY *test_key(const char *kind)
{
	EVP_PKEY *key = !strcmp(kind, "EC")  ? EVP_EC_gen("P-256") :
			!strcmp(kind, "RSA") ? EVP_RSA_gen(2048) :
					       EVP_PKEY_Q_keygen(NULL, NULL, kind);

	BUG_ON(!key);
	return key;
}

static void add_extension(X509 *x, int nid, const char *value)
{
	X509_EXTENSION *extension = X509V3_EXT_conf_nid(NULL, NULL, nid, value);

	BUG_ON(!extension);
	X509_add_ext(x, extension, -1);
	X509_EXTENSION_free(extension);
}

X509 *test_cert(EVP_PKEY *key, const char *cn, const char *san, X509 *issuer, EVP_PKEY *issuer_key)
{
	static long serial;
	X509 *x = X509_new();
	X509_NAME *name = X509_get_subject_name(x);
	EVP_PKEY *signer = issuer ? issuer_key : key;

	X509_set_version(x, X509_VERSION_3);
	ASN1_INTEGER_set(X509_get_serialNumber(x), ++serial);
	X509_gmtime_adj(X509_getm_notBefore(x), -3600);
	X509_gmtime_adj(X509_getm_notAfter(x), 24 * 3600);
	X509_set_pubkey(x, key);
	X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_UTF8, (const unsigned char *)cn, -1, -1, 0);
	X509_set_issuer_name(x, issuer ? X509_get_subject_name(issuer) : name);
	if (san)
		add_extension(x, NID_subject_alt_name, san);
	else
		add_extension(x, NID_basic_constraints, "critical,CA:TRUE");
	BUG_ON(!X509_sign(x, signer,
			  EVP_PKEY_is_a(signer, "ED25519") ? NULL : EVP_sha256()));
	return x;
}

static char *bio_text(BIO *bio)
{
	char *data, *text;
	long len = BIO_get_mem_data(bio, &data);

	text = strndup(data, (size_t)len);
	BIO_free(bio);
	return text;
}

char *test_pem_cert(X509 *x)
{
	BIO *bio = BIO_new(BIO_s_mem());

	PEM_write_bio_X509(bio, x);
	return bio_text(bio);
}

char *test_pem_key(EVP_PKEY *key, int pkcs8)
{
	BIO *bio = BIO_new(BIO_s_mem());

	if (pkcs8)
		PEM_write_bio_PKCS8PrivateKey(bio, key, NULL, NULL, 0, NULL, NULL);
	else
		PEM_write_bio_PrivateKey_traditional(bio, key, NULL, NULL, 0, NULL, NULL);
	return bio_text(bio);
}

char *test_join(char *first, ...)
{
	char *all = first, *next;
	va_list ap;

	va_start(ap, first);
	while ((next = va_arg(ap, char *))) {
		all = realloc(all, strlen(all) + strlen(next) + 1);
		strcat(all, next);
		free(next);
	}
	va_end(ap);
	return all;
}

char *test_pem_bundle(X509 *x, EVP_PKEY *key, X509 *issuer)
{
	char *pem = test_join(test_pem_cert(x), test_pem_key(key, 1), test_pem_cert(issuer), NULL);

	X509_free(x);
	return pem;
}
