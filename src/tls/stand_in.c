/* SPDX-License-Identifier: BSD-2-Clause */
/* What stands in for files of TLS that cannot be read, where a configuration is only explained
 * (tls_tune.files_stand_in): a certificate that nobody trusts, with its key. Called by
 * store_files.c and trust.c. */
#include "tls/store_files.h"

#include "base/err.h"
#include "tls/tune.h"

#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <string.h>

/* Its subject says what it stands for: as much of the end of the path as has room (X.520, 64). */
static X509 *stand_in_certificate(const char *path, EVP_PKEY *key)
{
	enum { MOST = 64 };
	size_t len = strlen(path);
	const char *name = len > MOST ? path + len - MOST : path;
	X509 *x = X509_new();

	if (!x)
		return NULL;
	X509_set_version(x, 2);
	ASN1_INTEGER_set(X509_get_serialNumber(x), 1);
	X509_gmtime_adj(X509_getm_notBefore(x), -3600);
	X509_gmtime_adj(X509_getm_notAfter(x), 86400);
	X509_NAME_add_entry_by_txt(X509_get_subject_name(x), "O", MBSTRING_ASC,
				   (const unsigned char *)"stand-in", -1, -1, 0);
	X509_NAME_add_entry_by_txt(X509_get_subject_name(x), "CN", MBSTRING_ASC,
				   (const unsigned char *)name, -1, -1, 0);
	X509_set_issuer_name(x, X509_get_subject_name(x));
	X509_set_pubkey(x, key);
	if (X509_sign(x, key, EVP_sha256()))
		return x;
	X509_free(x);
	return NULL;
}

static int stand_in_write(BIO *bio, X509 *x, EVP_PKEY *key, struct span *text)
{
	char *data, *copy;
	long len;

	if (PEM_write_bio_X509(bio, x) != 1 ||
	    PEM_write_bio_PrivateKey(bio, key, NULL, NULL, 0, NULL, NULL) != 1)
		return -1;
	len = BIO_get_mem_data(bio, &data);
	copy = len > 0 ? OPENSSL_malloc((size_t)len + 1) : NULL;
	if (!copy)
		return -1;
	memcpy(copy, data, (size_t)len);
	copy[len] = 0;
	*text = (struct span){ copy, (size_t)len };
	return 0;
}

int tls_file_read_or_stand_in(const char *path, struct span *text, struct err *err)
{
	EVP_PKEY *key;
	X509 *x;
	BIO *bio;
	int rc = tls_file_read(path, text, err);

	if (!rc || !tls_tune.files_stand_in)
		return rc;
	key = EVP_EC_gen("P-256");
	x = key ? stand_in_certificate(path, key) : NULL;
	bio = x ? BIO_new(BIO_s_mem()) : NULL;
	rc = bio ? stand_in_write(bio, x, key, text) : -1;
	BIO_free(bio);
	X509_free(x);
	EVP_PKEY_free(key);
	return rc;
}
