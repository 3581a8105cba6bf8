/* SPDX-License-Identifier: BSD-2-Clause */
/* The request for a certificate. Called by client.c, with a key that is made for it. */
#include "acme/jws.h"

#include <openssl/err.h>
#include <openssl/x509v3.h>
#include <stdlib.h>
#include <string.h>

enum { COMMON_NAME_MAX = 64 /* RFC 5280, ub-common-name */ };

static bool add_name(GENERAL_NAMES *names, const char *text, size_t len)
{
	GENERAL_NAME *name = GENERAL_NAME_new();
	ASN1_IA5STRING *value = ASN1_IA5STRING_new();

	if (name && value && ASN1_STRING_set(value, text, (int)len)) {
		GENERAL_NAME_set0_value(name, GEN_DNS, value);
		if (sk_GENERAL_NAME_push(names, name))
			return true;
		value = NULL;
	}
	ASN1_IA5STRING_free(value);
	GENERAL_NAME_free(name);
	return false;
}

static bool add_names(GENERAL_NAMES *names, const char *domains)
{
	size_t len;

	for (;; domains += len + 1) {
		len = strcspn(domains, ",");
		if (!add_name(names, domains, len))
			return false;
		if (!domains[len])
			return true;
	}
}

static bool fill(X509_REQ *req, const char *domains)
{
	STACK_OF(X509_EXTENSION) *extensions = NULL;
	GENERAL_NAMES *names = GENERAL_NAMES_new();
	size_t len = strcspn(domains, ",");
	bool good;

	good = names && add_names(names, domains) &&
	       X509_REQ_set_version(req, X509_REQ_VERSION_1) &&
	       X509V3_add1_i2d(&extensions, NID_subject_alt_name, names, 0, X509V3_ADD_DEFAULT) ==
		       1 &&
	       X509_REQ_add_extensions(req, extensions);
	if (good && len <= COMMON_NAME_MAX)
		good = X509_NAME_add_entry_by_NID(X509_REQ_get_subject_name(req), NID_commonName,
						  MBSTRING_ASC, (const unsigned char *)domains,
						  (int)len, -1, 0);
	sk_X509_EXTENSION_pop_free(extensions, X509_EXTENSION_free);
	GENERAL_NAMES_free(names);
	return good;
}

char *acme_csr(EVP_PKEY *key, const char *domains)
{
	X509_REQ *req = X509_REQ_new();
	unsigned char *der = NULL;
	char *text = NULL;
	int len;

	if (req && fill(req, domains) && X509_REQ_set_pubkey(req, key) &&
	    X509_REQ_sign(req, key, EVP_sha256()) && (len = i2d_X509_REQ(req, &der)) > 0)
		text = acme_base64url(der, (size_t)len);
	OPENSSL_free(der);
	X509_REQ_free(req);
	ERR_clear_error();
	return text;
}
