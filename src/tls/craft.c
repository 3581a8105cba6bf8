/* SPDX-License-Identifier: BSD-2-Clause */
/* What certificates of the program's own making have in common. Names become texts of extensions,
 * so each must be a name (tls_craft_is_name). */
#include "tls/craft.h"

#include "base/err.h"
#include "base/result.h"
#include "tls/cert.h"
#include "tls/lib.h"

#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509v3.h>
#include <stdlib.h>
#include <string.h>

enum { DAYS = 365, COMMON_NAME_MAX = 64 /* RFC 5280, ub-common-name */, IDENTIFIER = 32 };

int tls_craft_serial(X509 *x)
{
	unsigned char bytes[16];
	BIGNUM *n;
	int ok;

	if (RAND_bytes(bytes, sizeof(bytes)) != 1)
		return -1;
	bytes[0] &= 0x7f; /* RFC 5280 4.1.2.2: positive */
	n = BN_bin2bn(bytes, sizeof(bytes), NULL);
	ok = n && BN_to_ASN1_INTEGER(n, X509_get_serialNumber(x));
	BN_free(n);
	return ok ? 0 : -1;
}

int tls_craft_extension(X509 *x, X509 *authority, int nid, const char *value)
{
	X509_EXTENSION *extension;
	X509V3_CTX ctx;
	int ok;

	X509V3_set_ctx(&ctx, authority ? authority : x, x, NULL, NULL, 0);
	extension = X509V3_EXT_conf_nid(NULL, &ctx, nid, value);
	ok = extension && X509_add_ext(x, extension, -1);
	X509_EXTENSION_free(extension);
	return ok ? 0 : -1;
}

static bool wants_no_digest(EVP_PKEY *key)
{
	return EVP_PKEY_is_a(key, "ED25519") || EVP_PKEY_is_a(key, "ED448");
}

int tls_craft_sign(X509 *x, EVP_PKEY *signer)
{
	return X509_sign(x, signer, wants_no_digest(signer) ? NULL : EVP_sha256()) ? 0 : -1;
}

struct tls_cert *tls_craft_cert(X509 *leaf, EVP_PKEY *key, X509 *authority)
{
	BIO *bio = BIO_new(BIO_s_secmem());
	struct tls_cert *cert = NULL;
	struct span pem;
	char *data;
	long len;

	if (bio && PEM_write_bio_X509(bio, leaf) &&
	    PEM_write_bio_PrivateKey(bio, key, NULL, NULL, 0, NULL, NULL) &&
	    (!authority || PEM_write_bio_X509(bio, authority))) {
		len = BIO_get_mem_data(bio, &data);
		pem = (struct span){ data, (size_t)len };
		cert = tls_cert_parse(pem, NULL);
		OPENSSL_cleanse(data, (size_t)len);
	}
	BIO_free(bio);
	return cert;
}

bool tls_craft_is_name(const char *name, size_t len)
{
	size_t i;

	for (i = 0; i < len; i++)
		if (!((name[i] >= 'a' && name[i] <= 'z') || (name[i] >= '0' && name[i] <= '9') ||
		      name[i] == '-' || name[i] == '.' || name[i] == '_'))
			return false;
	return len > 0;
}

/* ---- signed by themselves -------------------------------------------------------------------- */

/* RFC 8737 3: critical, an OCTET STRING within the extension's own. */
static int add_identifier(X509 *x, const unsigned char *identifier)
{
	unsigned char der[2 + IDENTIFIER] = { V_ASN1_OCTET_STRING, IDENTIFIER };
	ASN1_OBJECT *oid = OBJ_txt2obj("1.3.6.1.5.5.7.1.31", 1);
	ASN1_OCTET_STRING *value = ASN1_OCTET_STRING_new();
	X509_EXTENSION *extension = NULL;
	int ok;

	memcpy(der + 2, identifier, IDENTIFIER);
	if (oid && value && ASN1_OCTET_STRING_set(value, der, sizeof(der)))
		extension = X509_EXTENSION_create_by_OBJ(NULL, oid, 1, value);
	ok = extension && X509_add_ext(x, extension, -1);
	X509_EXTENSION_free(extension);
	ASN1_OCTET_STRING_free(value);
	ASN1_OBJECT_free(oid);
	return ok ? 0 : -1;
}

/* "a.example,b.example" as "DNS:a.example,DNS:b.example". */
static int add_names(X509 *x, const char *names)
{
	size_t len = strlen(names), commas = 0, i;
	struct text t;
	char *memory;
	int rc;

	for (i = 0; i < len; i++)
		commas += names[i] == ',';
	memory = malloc(len + 4 * (commas + 1) + 1);
	if (!memory)
		return -1;
	text_init(&t, memory, len + 4 * (commas + 1) + 1);
	text_str(&t, "DNS:");
	for (i = 0; i < len; i++) {
		text_char(&t, names[i]);
		if (names[i] == ',')
			text_str(&t, "DNS:");
	}
	rc = tls_craft_extension(x, NULL, NID_subject_alt_name, memory);
	free(memory);
	return rc;
}

static int fill(X509 *x, EVP_PKEY *key, const char *names, const unsigned char *identifier)
{
	X509_NAME *subject = X509_get_subject_name(x);
	size_t len = strcspn(names, ",");
	static const unsigned char by[] = "temporary certificate made by penstock";

	if (!X509_set_version(x, X509_VERSION_3) || tls_craft_serial(x) ||
	    !X509_gmtime_adj(X509_getm_notBefore(x), -24 * 3600) ||
	    !X509_time_adj_ex(X509_getm_notAfter(x), DAYS, 0, NULL) || !X509_set_pubkey(x, key) ||
	    !X509_NAME_add_entry_by_NID(subject, NID_organizationName, MBSTRING_ASC, by, -1, -1, 0))
		return -1;
	if (len <= COMMON_NAME_MAX &&
	    !X509_NAME_add_entry_by_NID(subject, NID_commonName, MBSTRING_ASC,
					(const unsigned char *)names, (int)len, -1, 0))
		return -1;
	if (!X509_set_issuer_name(x, subject) ||
	    tls_craft_extension(x, NULL, NID_basic_constraints, "critical,CA:FALSE") ||
	    tls_craft_extension(x, NULL, NID_ext_key_usage, "serverAuth") || add_names(x, names))
		return -1;
	return identifier ? add_identifier(x, identifier) : 0;
}

struct tls_cert *tls_craft_self_signed(const char *names, const unsigned char *identifier,
				       struct err *err)
{
	struct tls_cert *cert = NULL;
	EVP_PKEY *key;
	X509 *x;

	ERR_clear_error();
	key = EVP_EC_gen("P-256");
	x = X509_new();
	if (x && key && fill(x, key, names, identifier) == 0 && tls_craft_sign(x, key) == 0)
		cert = tls_craft_cert(x, key, NULL);
	X509_free(x);
	EVP_PKEY_free(key);
	if (!cert)
		DROPPED(tls_lib_error(err, "no certificate can be made for '%.*s'",
				      STR_CUT(names, 200)), "NULL says so, too");
	ERR_clear_error();
	return cert;
}
