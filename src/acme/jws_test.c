/* SPDX-License-Identifier: BSD-2-Clause */
/* Keys and signatures against the example of RFC 7638 3.1, and against OpenSSL. */
#include "acme/jws.h"

#include "acme/client.h"
#include "base/json.h"
#include "tls/base64.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/pem.h>
#include <openssl/param_build.h>
#include <openssl/x509v3.h>

/* base64url, as OpenSSL has no such thing. */
static size_t decode(struct span text, unsigned char *out, size_t size)
{
	char memory[4096];
	size_t i;
	long n;

	assert_true(text.len + 4 < sizeof(memory));
	for (i = 0; i < text.len; i++)
		memory[i] = text.ptr[i] == '-' ? '+' : text.ptr[i] == '_' ? '/' : text.ptr[i];
	while (i % 4)
		memory[i++] = '=';
	n = base64_decode((struct span){ memory, i }, out, size);
	assert_true(n >= 0);
	return (size_t)n;
}

static struct span member(const char *json, const char *name)
{
	struct json j = { json, json + strlen(json) };
	struct span raw = { NULL, 0 };

	assert_true(json_member(&j, span_of(name)) && json_string(&j, &raw));
	return raw;
}

static void base64url(void **state)
{
	static const struct {
		const char *bytes, *text;
	} rows[] = { { "", "" },
		     { "f", "Zg" },
		     { "fo", "Zm8" },
		     { "foo", "Zm9v" },
		     { "\xfb\xff\xfe", "-__-" } };
	size_t i;
	char *s;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		s = acme_base64url(rows[i].bytes, strlen(rows[i].bytes));
		assert_string_equal(s, rows[i].text);
		free(s);
	}
}

/* RFC 7638 3.1. */
static void thumbprint(void **state)
{
	static const char n[] =
		"0vx7agoebGcQSuuPiLJXZptN9nndrQmbXEps2aiAFbWhM78LhWx4cbbfAAtVT86zwu1RK7"
		"aPFFxuhDR1L6tSoc_BJECPebWKRXjBZCiFV4n3oknjhMstn64tZ_2W-5JsGY4Hc5n9yBXArwl93lqt7_"
		"RN5w6"
		"Cf0h4QyQ5v-65YGjQR0_"
		"FDW2QvzqY368QQMicAtaSqzs8KJZgnYb9c7d0zgdAZHzu6qMQvRL5hajrn1n91CbO"
		"pbISD08qNLyrdkt-bFTWhAI4vMQFh6WeZu0fM4lFd2NcRwr3XPksINHaQ-G_xBniIqbw0Ls1jF44-"
		"csFCur-k"
		"EgU8awapJzKnqDKgw";
	unsigned char bytes[512];
	OSSL_PARAM_BLD *build = OSSL_PARAM_BLD_new();
	EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_name(NULL, "RSA", NULL);
	OSSL_PARAM *params;
	EVP_PKEY *key = NULL;
	BIGNUM *modulus, *exponent = BN_new();
	char *jwk, *text;

	(void)state;
	modulus = BN_bin2bn(bytes, (int)decode(span_of(n), bytes, sizeof(bytes)), NULL);
	BN_set_word(exponent, 65537);
	OSSL_PARAM_BLD_push_BN(build, "n", modulus);
	OSSL_PARAM_BLD_push_BN(build, "e", exponent);
	params = OSSL_PARAM_BLD_to_param(build);
	assert_int_equal(EVP_PKEY_fromdata_init(ctx), 1);
	assert_int_equal(EVP_PKEY_fromdata(ctx, &key, EVP_PKEY_PUBLIC_KEY, params), 1);
	jwk = acme_jwk(key);
	assert_true(span_equal(member(jwk, "e"), span_of("AQAB")));
	assert_true(span_equal(member(jwk, "n"), span_of(n)));
	assert_true(span_equal(member(jwk, "kty"), span_of("RSA")));
	text = acme_thumbprint(key);
	assert_string_equal(text, "NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs");
	free(jwk);
	free(text);
	EVP_PKEY_free(key);
	OSSL_PARAM_free(params);
	OSSL_PARAM_BLD_free(build);
	EVP_PKEY_CTX_free(ctx);
	BN_free(modulus);
	BN_free(exponent);
}

/* Does OpenSSL take the signature, made DER again? */
static bool is_good(EVP_PKEY *key, const char *jws, const EVP_MD *md)
{
	struct span head = member(jws, "protected"), body = member(jws, "payload");
	unsigned char raw[1024], *der = NULL;
	size_t len = decode(member(jws, "signature"), raw, sizeof(raw)),
	       input = head.len + 1 + body.len;
	char *text = malloc(input);
	EVP_MD_CTX *ctx = EVP_MD_CTX_new();
	ECDSA_SIG *sig;
	bool good;

	memcpy(text, head.ptr, head.len);
	text[head.len] = '.';
	memcpy(text + head.len + 1, body.ptr, body.len);
	if (EVP_PKEY_is_a(key, "EC")) {
		sig = ECDSA_SIG_new();
		ECDSA_SIG_set0(sig, BN_bin2bn(raw, (int)len / 2, NULL),
			       BN_bin2bn(raw + len / 2, (int)len / 2, NULL));
		len = (size_t)i2d_ECDSA_SIG(sig, &der);
		ECDSA_SIG_free(sig);
	}
	good = EVP_DigestVerifyInit(ctx, NULL, md, NULL, key) == 1 &&
	       EVP_DigestVerify(ctx, der ? der : raw, len, (unsigned char *)text, input) == 1;
	OPENSSL_free(der);
	EVP_MD_CTX_free(ctx);
	free(text);
	return good;
}

static void signatures(void **state)
{
	static const struct {
		struct acme_keyspec spec;
		const char *alg;
		const EVP_MD *(*md)(void);
	} rows[] = {
		{ { .type = ACME_ECDSA, .curve = "P-256" }, "ES256", EVP_sha256 },
		{ { .type = ACME_ECDSA, .curve = "P-384" }, "ES384", EVP_sha384 },
		{ { .type = ACME_ECDSA, .curve = "P-521" }, "ES512", EVP_sha512 },
		{ { .type = ACME_RSA, .bits = 2048 }, "RS256", EVP_sha256 },
	};
	unsigned char head[4096];
	char *jws;
	EVP_PKEY *key;
	size_t i, n;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		key = acme_key_new(&rows[i].spec);
		assert_true(acme_key_signs(key));
		jws = acme_jws(key, "https://ca.example/o", "n1",
			       i % 2 ? "https://ca.example/a" : NULL, "{}");
		assert_true(is_good(key, jws, rows[i].md()));
		n = decode(member(jws, "protected"), head, sizeof(head) - 1);
		head[n] = 0;
		assert_true(span_equal(member((char *)head, "alg"), span_of(rows[i].alg)));
		assert_true(span_equal(member((char *)head, "nonce"), span_of("n1")));
		assert_true(
			span_equal(member((char *)head, "url"), span_of("https://ca.example/o")));
		assert_true((strstr((char *)head, "\"kid\"") != NULL) == (i % 2));
		assert_true((strstr((char *)head, "\"jwk\"") != NULL) == !(i % 2));
		free(jws);
		EVP_PKEY_free(key);
	}
}

static void requests_name_all_domains(void **state)
{
	const struct acme_keyspec spec = { .type = ACME_ECDSA, .curve = "P-256" };
	EVP_PKEY *key = acme_key_new(&spec);
	char *text = acme_csr(key, "a.example,b.example");
	unsigned char der[2048];
	const unsigned char *at = der;
	size_t len = decode(span_of(text), der, sizeof(der));
	X509_REQ *req = d2i_X509_REQ(NULL, &at, (long)len);
	STACK_OF(X509_EXTENSION) *extensions = X509_REQ_get_extensions(req);
	GENERAL_NAMES *names = X509V3_get_d2i(extensions, NID_subject_alt_name, NULL, NULL);

	(void)state;
	assert_int_equal(X509_REQ_verify(req, key), 1);
	assert_int_equal(sk_GENERAL_NAME_num(names), 2);
	assert_memory_equal(ASN1_STRING_get0_data(sk_GENERAL_NAME_value(names, 1)->d.dNSName),
			    "b.example", 9);
	GENERAL_NAMES_free(names);
	sk_X509_EXTENSION_pop_free(extensions, X509_EXTENSION_free);
	X509_REQ_free(req);
	EVP_PKEY_free(key);
	free(text);
}

/* Five in the first hour, as authorities allow; then at most half a day and a quarter. */
static void failures_wait_longer_and_longer(void **state)
{
	int64_t at = 0;
	unsigned n;

	(void)state;
	for (n = 1; n <= 5; n++)
		at += acme_backoff(n, 0);
	assert_true(at > 3600);
	for (n = 1; n < 100; n++) {
		assert_true(acme_backoff(n + 1, 0) >= acme_backoff(n, 0));
		assert_true(acme_backoff(n, 255) <= 15 * 3600);
	}
	assert_int_equal(acme_backoff(1, 0), 60);
	assert_int_equal(acme_backoff(99, 0), 12 * 3600);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(base64url),
		cmocka_unit_test(thumbprint),
		cmocka_unit_test(signatures),
		cmocka_unit_test(requests_name_all_domains),
		cmocka_unit_test(failures_wait_longer_and_longer),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
