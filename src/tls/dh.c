/* SPDX-License-Identifier: BSD-2-Clause */
/* Diffie-Hellman parameters. Those of a size are the groups of RFC 7919, which need no prime of
 * one's own; 1024 bits have none there: the group of RFC 2409 does for old Java. */
#include "tls/dh.h"

#include "base/bug.h"
#include "base/err.h"
#include "tls/cert.h"
#include "tls/lib.h"
#include "tls/pem.h"
#include "tls/settings.h"

#include <errno.h>
#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/decoder.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/param_build.h>
#include <openssl/pem.h>
#include <stdio.h>
#include <string.h>

static EVP_PKEY *loaded;

/* Not by PEM_read_bio_Parameters, which would ask the terminal for a passphrase. */
static EVP_PKEY *dh_read(BIO *bio)
{
	EVP_PKEY *params = NULL;
	OSSL_DECODER_CTX *ctx = OSSL_DECODER_CTX_new_for_pkey(&params, "PEM", NULL, NULL,
							      OSSL_KEYMGMT_SELECT_ALL_PARAMETERS, NULL, NULL);

	if (ctx && OSSL_DECODER_CTX_set_pem_password_cb(ctx, tls_no_passphrase, NULL))
		OSSL_DECODER_from_bio(ctx, bio);
	OSSL_DECODER_CTX_free(ctx);
	return params;
}

int tls_dh_load(const char *path, struct err *err)
{
	FILE *file = fopen(path, "re");
	BIO *bio = file ? BIO_new_fp(file, BIO_CLOSE) : NULL;
	EVP_PKEY *params;

	if (!bio) {
		err_set(err, "'%s' cannot be read: %s", path, strerror(errno));
		if (file)
			fclose(file);
		return -1;
	}
	ERR_clear_error();
	params = dh_read(bio);
	BIO_free(bio);
	if (!params || (!EVP_PKEY_is_a(params, "DH") && !EVP_PKEY_is_a(params, "DHX"))) {
		EVP_PKEY_free(params);
		return tls_lib_error(err, "'%s' holds no Diffie-Hellman parameters", path);
	}
	EVP_PKEY_free(loaded);
	loaded = params;
	return 0;
}

void tls_dh_use(SSL_CTX *ctx)
{
	if (!loaded || !EVP_PKEY_up_ref(loaded))
		return;
	if (!SSL_CTX_set0_tmp_dh_pkey(ctx, loaded))
		EVP_PKEY_free(loaded);
}

static EVP_PKEY *dh_from(OSSL_PARAM *params)
{
	EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_name(NULL, "DH", NULL);
	EVP_PKEY *key = NULL;

	if (ctx && params && EVP_PKEY_fromdata_init(ctx) > 0)
		EVP_PKEY_fromdata(ctx, &key, EVP_PKEY_KEY_PARAMETERS, params);
	EVP_PKEY_CTX_free(ctx);
	return key;
}

static EVP_PKEY *dh_named(const char *name)
{
	OSSL_PARAM params[] = {
		OSSL_PARAM_construct_utf8_string(OSSL_PKEY_PARAM_GROUP_NAME,
						 (char *)(uintptr_t)name, 0),
		OSSL_PARAM_construct_end(),
	};

	return dh_from(params);
}

static EVP_PKEY *dh_1024(void)
{
	OSSL_PARAM_BLD *build = OSSL_PARAM_BLD_new();
	BIGNUM *p = BN_get_rfc2409_prime_1024(NULL), *g = BN_new();
	OSSL_PARAM *params = NULL;
	EVP_PKEY *key = NULL;

	if (build && p && g && BN_set_word(g, 2) &&
	    OSSL_PARAM_BLD_push_BN(build, OSSL_PKEY_PARAM_FFC_P, p) &&
	    OSSL_PARAM_BLD_push_BN(build, OSSL_PKEY_PARAM_FFC_G, g))
		params = OSSL_PARAM_BLD_to_param(build);
	if (params)
		key = dh_from(params);
	OSSL_PARAM_free(params);
	OSSL_PARAM_BLD_free(build);
	BN_free(p);
	BN_free(g);
	return key;
}

/* The largest that is not above bits; made at its first use, kept. */
static EVP_PKEY *dh_sized(unsigned bits)
{
	static struct {
		unsigned bits;
		const char *name;
		EVP_PKEY *key;
	} groups[] = { { 8192, "ffdhe8192", NULL }, { 6144, "ffdhe6144", NULL },
		       { 4096, "ffdhe4096", NULL }, { 3072, "ffdhe3072", NULL },
		       { 2048, "ffdhe2048", NULL }, { 1024, NULL, NULL } };
	size_t i;

	for (i = 0; i + 1 < ARRAY_LEN(groups) && groups[i].bits > bits; i++)
		;
	if (!groups[i].key)
		groups[i].key = groups[i].name ? dh_named(groups[i].name) : dh_1024();
	return groups[i].key;
}

/* Elliptic curves of 256 bits are as strong as 3072 bits of RSA: the reference takes 2048 for
 * them. */
static unsigned dh_bits(EVP_PKEY *key)
{
	unsigned bits = EVP_PKEY_is_a(key, "RSA") || EVP_PKEY_is_a(key, "DSA") ?
				(unsigned)EVP_PKEY_get_bits(key) : 2048;

	return bits > tls_global.default_dh ? tls_global.default_dh : bits;
}

void tls_dh_suit(SSL *ssl, struct tls_cert *cert)
{
	EVP_PKEY *key, *params;

	if (loaded || cert->dh.len || !tls_global.default_dh)
		return;
	key = tls_cert_key(cert);
	params = key ? dh_sized(dh_bits(key)) : NULL;
	if (!params || !EVP_PKEY_up_ref(params))
		return;
	if (!SSL_set0_tmp_dh_pkey(ssl, params))
		EVP_PKEY_free(params);
}
