/* SPDX-License-Identifier: BSD-2-Clause */
/* Called by client.c and change.c. Texts that go into JSON are made here or were looked at before:
 * names, URLs, nonces and tokens have no quotes in them. */
#include "acme/jws.h"

#include "tls/base64.h"

#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/hmac.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char *acme_base64url(const void *bytes, size_t len)
{
	size_t size = len / 3 * 4 + 5;
	char *memory = malloc(size), *c;
	struct text t;

	if (!memory)
		return NULL;
	text_init(&t, memory, size);
	base64_encode(&t, bytes, len);
	for (c = memory; *c; c++) {
		if (*c == '=')
			*c = 0;
		else if (*c == '+')
			*c = '-';
		else if (*c == '/')
			*c = '_';
		if (!*c)
			break;
	}
	return memory;
}

static char *encode_text(const char *text)
{
	return text ? acme_base64url(text, strlen(text)) : NULL;
}

/* ---- keys ------------------------------------------------------------------------------------ */

EVP_PKEY *acme_key_new(const struct acme_keyspec *spec)
{
	EVP_PKEY *key = spec->type == ACME_RSA ? EVP_RSA_gen(spec->bits) : EVP_EC_gen(spec->curve);

	ERR_clear_error();
	return key;
}

char *acme_key_pem(EVP_PKEY *key)
{
	BIO *bio = BIO_new(BIO_s_secmem());
	char *pem = NULL, *data;
	long len;

	if (bio && PEM_write_bio_PrivateKey(bio, key, NULL, NULL, 0, NULL, NULL)) {
		len = BIO_get_mem_data(bio, &data);
		pem = OPENSSL_malloc((size_t)len + 1);
		if (pem) {
			memcpy(pem, data, (size_t)len);
			pem[len] = 0;
		}
		OPENSSL_cleanse(data, (size_t)len);
	}
	BIO_free(bio);
	return pem;
}

/* RFC 7518 3.1, 6.2.1.1. */
static const struct curve {
	const char *group, *name, *alg;
	const EVP_MD *(*md)(void);
	size_t size; /* of a coordinate */
} curves[] = {
	{ "prime256v1", "P-256", "ES256", EVP_sha256, 32 },
	{ "secp384r1", "P-384", "ES384", EVP_sha384, 48 },
	{ "secp521r1", "P-521", "ES512", EVP_sha512, 66 },
};
enum { CURVES = sizeof(curves) / sizeof(curves[0]), COORDINATE = 66 };

static const struct curve *curve_of(EVP_PKEY *key)
{
	char group[64];
	size_t i;

	if (!EVP_PKEY_is_a(key, "EC") || !EVP_PKEY_get_group_name(key, group, sizeof(group), NULL))
		return NULL;
	for (i = 0; i < CURVES; i++)
		if (!strcmp(curves[i].group, group))
			return &curves[i];
	return NULL;
}

bool acme_key_signs(EVP_PKEY *key)
{
	return EVP_PKEY_is_a(key, "RSA") || curve_of(key);
}

/* A number of the key, size bytes long; 0: as long as it is. */
static char *key_number(EVP_PKEY *key, const char *name, size_t size)
{
	unsigned char bytes[1024 + COORDINATE];
	BIGNUM *n = NULL;
	char *text = NULL;

	if (!EVP_PKEY_get_bn_param(key, name, &n))
		return NULL;
	if (!size)
		size = (size_t)BN_num_bytes(n);
	if (size <= sizeof(bytes) && BN_bn2binpad(n, bytes, (int)size) >= 0)
		text = acme_base64url(bytes, size);
	BN_free(n);
	return text;
}

char *acme_jwk(EVP_PKEY *key)
{
	const struct curve *curve = curve_of(key);
	char *a, *b, *jwk = NULL;
	int n = -1;

	a = curve ? key_number(key, OSSL_PKEY_PARAM_EC_PUB_X, curve->size) :
		    key_number(key, OSSL_PKEY_PARAM_RSA_E, 0);
	b = curve ? key_number(key, OSSL_PKEY_PARAM_EC_PUB_Y, curve->size) :
		    key_number(key, OSSL_PKEY_PARAM_RSA_N, 0);
	if (a && b && curve)
		n = asprintf(&jwk, "{\"crv\":\"%s\",\"kty\":\"EC\",\"x\":\"%s\",\"y\":\"%s\"}",
			     curve->name, a, b);
	else if (a && b)
		n = asprintf(&jwk, "{\"e\":\"%s\",\"kty\":\"RSA\",\"n\":\"%s\"}", a, b);
	free(a);
	free(b);
	return n < 0 ? NULL : jwk;
}

char *acme_thumbprint(EVP_PKEY *key)
{
	unsigned char hash[EVP_MAX_MD_SIZE];
	char *jwk = acme_jwk(key), *text = NULL;
	unsigned len;

	if (jwk && EVP_Digest(jwk, strlen(jwk), hash, &len, EVP_sha256(), NULL))
		text = acme_base64url(hash, len);
	free(jwk);
	return text;
}

/* ---- signatures ------------------------------------------------------------------------------ */

/* RFC 7518 3.4: both numbers behind one another, not the DER of OpenSSL. */
static char *ecdsa_raw(const unsigned char *der, size_t len, const struct curve *curve)
{
	unsigned char raw[2 * COORDINATE];
	ECDSA_SIG *sig = d2i_ECDSA_SIG(NULL, &der, (long)len);
	const BIGNUM *r, *s;
	char *text = NULL;

	if (!sig)
		return NULL;
	ECDSA_SIG_get0(sig, &r, &s);
	if (BN_bn2binpad(r, raw, (int)curve->size) >= 0 &&
	    BN_bn2binpad(s, raw + curve->size, (int)curve->size) >= 0)
		text = acme_base64url(raw, 2 * curve->size);
	ECDSA_SIG_free(sig);
	return text;
}

static char *sign(EVP_PKEY *key, const char *input)
{
	const struct curve *curve = curve_of(key);
	const EVP_MD *md = curve ? curve->md() : EVP_sha256();
	EVP_MD_CTX *ctx = EVP_MD_CTX_new();
	unsigned char memory[1024];
	size_t len = sizeof(memory);
	char *text = NULL;

	if (ctx && EVP_DigestSignInit(ctx, NULL, md, NULL, key) == 1 &&
	    EVP_DigestSign(ctx, memory, &len, (const unsigned char *)input, strlen(input)) == 1)
		text = curve ? ecdsa_raw(memory, len, curve) : acme_base64url(memory, len);
	EVP_MD_CTX_free(ctx);
	ERR_clear_error();
	return text;
}

/* RFC 7515 7.2.2, from parts that are encoded already. Frees them. */
static char *assemble(char *head, char *body, char *signature)
{
	char *text = NULL;
	int n = -1;

	if (head && body && signature)
		n = asprintf(&text,
			     "{\"protected\":\"%s\",\"payload\":\"%s\",\"signature\":\"%s\"}", head,
			     body, signature);
	free(head);
	free(body);
	free(signature);
	return n < 0 ? NULL : text;
}

static char *input_of(const char *head, const char *body)
{
	char *input = NULL;

	return head && body && asprintf(&input, "%s.%s", head, body) >= 0 ? input : NULL;
}

static char *jws_head(EVP_PKEY *key, const char *url, const char *nonce, const char *account)
{
	const struct curve *curve = curve_of(key);
	char *jwk = account ? NULL : acme_jwk(key), *head = NULL, *encoded;
	int n = -1;

	if (account)
		n = asprintf(&head,
			     "{\"alg\":\"%s\",\"kid\":\"%s\",\"nonce\":\"%s\",\"url\":\"%s\"}",
			     curve ? curve->alg : "RS256", account, nonce, url);
	else if (jwk)
		n = asprintf(&head, "{\"alg\":\"%s\",\"jwk\":%s,\"nonce\":\"%s\",\"url\":\"%s\"}",
			     curve ? curve->alg : "RS256", jwk, nonce, url);
	free(jwk);
	if (n < 0)
		return NULL;
	encoded = encode_text(head);
	free(head);
	return encoded;
}

char *acme_jws(EVP_PKEY *key, const char *url, const char *nonce, const char *account,
	       const char *payload)
{
	char *head = jws_head(key, url, nonce, account), *body = encode_text(payload);
	char *input = input_of(head, body), *signature = input ? sign(key, input) : NULL;

	free(input);
	return assemble(head, body, signature);
}

char *acme_binding(EVP_PKEY *key, const char *url, const char *id, struct span mac_key,
		   unsigned bits)
{
	const EVP_MD *md = bits == 512 ? EVP_sha512() : bits == 384 ? EVP_sha384() : EVP_sha256();
	unsigned char mac[EVP_MAX_MD_SIZE];
	char *head = NULL, *encoded = NULL, *jwk = acme_jwk(key), *body = encode_text(jwk), *input;
	char *signature = NULL;
	unsigned len;

	if (asprintf(&head, "{\"alg\":\"HS%u\",\"kid\":\"%s\",\"url\":\"%s\"}", bits, id, url) >=
	    0) {
		encoded = encode_text(head);
		free(head);
	}
	input = input_of(encoded, body);
	if (input && HMAC(md, mac_key.ptr, (int)mac_key.len, (const unsigned char *)input,
			  strlen(input), mac, &len))
		signature = acme_base64url(mac, len);
	free(input);
	free(jwk);
	return assemble(encoded, body, signature);
}
