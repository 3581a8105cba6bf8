/* SPDX-License-Identifier: BSD-2-Clause */
/* The converter jwt_verify: the signature of a JSON Web Token in its compact form (RFC 7515 3.1),
 * and nothing but the signature. Manual 7.3.1. Public keys are read while the configuration is, and
 * are found by the name of their file later. */
#include "expr/crypto.h"

#include "base/bug.h"
#include "base/err.h"
#include "config/config.h"
#include "expr/tables.h"
#include "expr/vars.h"

#include <openssl/crypto.h>
#include <openssl/ecdsa.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <stdlib.h>

/* -- algorithms: RFC 7518 3.1
 * -------------------------------------------------------------------- */

enum jwt_family { JWT_NONE, JWT_HMAC, JWT_RSA, JWT_EC, JWT_PSS };

static const struct jwt_alg {
	const char *name, *md;
	enum jwt_family family;
	size_t half; /* of the signature: bytes of r and of s */
} jwt_algs[] = {
	{ "HS256", "sha256", JWT_HMAC, 0 }, { "HS384", "sha384", JWT_HMAC, 0 },
	{ "HS512", "sha512", JWT_HMAC, 0 }, { "RS256", "sha256", JWT_RSA, 0 },
	{ "RS384", "sha384", JWT_RSA, 0 },  { "RS512", "sha512", JWT_RSA, 0 },
	{ "ES256", "sha256", JWT_EC, 32 },  { "ES384", "sha384", JWT_EC, 48 },
	{ "ES512", "sha512", JWT_EC, 66 },  { "PS256", NULL, JWT_PSS, 0 },
	{ "PS384", NULL, JWT_PSS, 0 },      { "PS512", NULL, JWT_PSS, 0 },
	{ "none", NULL, JWT_NONE, 0 },
};

static const struct jwt_alg *jwt_alg_find(struct span name)
{
	size_t i;

	for (i = 0; i < ARRAY_LEN(jwt_algs); i++) {
		if (span_equal(name, span_of(jwt_algs[i].name)))
			return &jwt_algs[i];
	}
	return NULL;
}

/* What is returned: manual 7.3.1. */
enum { JWT_BAD = 0, JWT_GOOD = 1, JWT_UNKNOWN_ALG = -1, JWT_UNMANAGED_ALG = -2,
       JWT_INVALID = -3, JWT_MEMORY = -4, JWT_NO_KEY = -5 };

/* -- public keys
 * --------------------------------------------------------------------------------- */

struct jwt_key {
	struct jwt_key *next;
	EVP_PKEY *key;
	char path[];
};

static struct jwt_key *jwt_keys;

static EVP_PKEY *jwt_key_find(struct span path)
{
	const struct jwt_key *k;

	for (k = jwt_keys; k; k = k->next) {
		if (span_equal(path, span_of(k->path)))
			return k->key;
	}
	return NULL;
}

/* The key of a certificate, or one that stands by itself. */
static EVP_PKEY *jwt_key_read(BIO *bio)
{
	X509 *crt = PEM_read_bio_X509(bio, NULL, NULL, NULL);
	EVP_PKEY *key = crt ? X509_get_pubkey(crt) : NULL;

	X509_free(crt);
	if (!key && BIO_reset(bio) == 0)
		key = PEM_read_bio_PUBKEY(bio, NULL, NULL, NULL);
	ERR_clear_error();
	return key;
}

static bool jwt_key_load(struct span path)
{
	struct jwt_key *k;
	EVP_PKEY *key;
	BIO *bio;

	if (jwt_key_find(path))
		return true;
	bio = BIO_new_file(path.ptr, "r");
	key = bio ? jwt_key_read(bio) : NULL;
	BIO_free(bio);
	ERR_clear_error();
	if (!key)
		return false;
	k = calloc(1, sizeof(*k) + path.len + 1);
	if (!k) {
		EVP_PKEY_free(key);
		return false;
	}
	memcpy(k->path, path.ptr, path.len);
	k->key = key;
	k->next = jwt_keys;
	jwt_keys = k;
	return true;
}

/* -- arguments
 * ----------------------------------------------------------------------------------- */

static void variable_or_text(struct expr_arg *arg)
{
	const struct var_name *var = var_name(arg->str, NULL);

	if (var)
		*arg = (struct expr_arg){ .type = ARG_VAR, .var = var };
}

static int check_jwt(struct expr_arg *args, const struct expr_context *ctx, struct err *err)
{
	const struct jwt_alg *alg = NULL;

	(void)ctx;
	variable_or_text(&args[0]);
	variable_or_text(&args[1]);
	if (args[0].type == ARG_STR) {
		alg = jwt_alg_find(args[0].str);
		if (!alg)
			return err_set(err, "'%s' is no algorithm of JSON Web Tokens", args[0].str.ptr);
		if (alg->family == JWT_PSS)
			return err_set(err, "'%s' is not supported yet", alg->name);
	}
	/* With an algorithm that is not known yet it may be a secret. */
	if (args[1].type == ARG_STR && (!alg || alg->family == JWT_RSA || alg->family == JWT_EC) &&
	    !jwt_key_load(args[1].str) && alg)
		return err_set(err, "'%s' holds neither a certificate nor a public key in PEM",
			       args[1].str.ptr);
	return 0;
}

static bool jwt_arg(const struct expr_arg *arg, const struct view *view, struct span *text)
{
	struct sample value = { .flags = 0 };

	if (arg->type == ARG_STR) {
		*text = arg->str;
		return true;
	}
	/* A secret of any bytes: a string would end at a zero. */
	if (!var_get(arg->var, view, &value) ||
	    (value.type != SMP_BIN && !sample_cast(&value, SMP_STR)))
		return false;
	*text = value.str;
	return true;
}

/* -- verifying
 * ----------------------------------------------------------------------------------- */

struct jwt {
	struct span text;      /* header and payload as they are signed */
	struct span signature; /* decoded */
};

/* unsigned_too: the third part may be missing with its dot. */
static bool jwt_split(struct span token, bool unsigned_too, struct jwt *jwt)
{
	const struct converter *decode = expr_converter_find(span_of("ub64dec"));
	const char *end = token.ptr + token.len;
	const char *first = memchr(token.ptr, '.', token.len), *second = NULL;
	struct sample signature = { .type = SMP_STR };

	if (first)
		second = memchr(first + 1, '.', (size_t)(end - first - 1));
	if (first && !second && unsigned_too) {
		*jwt = (struct jwt){ .text = token };
		return true;
	}
	if (!second || memchr(second + 1, '.', (size_t)(end - second - 1)))
		return false;
	signature.str = (struct span){ second + 1, (size_t)(end - second - 1) };
	if (!decode->run(NULL, &signature, NULL, decode))
		return false;
	jwt->text = (struct span){ token.ptr, (size_t)(second - token.ptr) };
	jwt->signature = signature.str;
	return true;
}

static int jwt_verify_hmac(const struct jwt *jwt, const struct jwt_alg *alg, struct span secret)
{
	unsigned char mac[EVP_MAX_MD_SIZE];
	unsigned len = 0;

	if (!HMAC(crypto_md(alg->md), secret.ptr, (int)secret.len,
		  (const unsigned char *)jwt->text.ptr, jwt->text.len, mac, &len))
		return JWT_MEMORY;
	return len == jwt->signature.len && !CRYPTO_memcmp(mac, jwt->signature.ptr, len) ? JWT_GOOD
											: JWT_BAD;
}

/* r and s one behind the other (RFC 7518 3.4) become what OpenSSL wants; free it with OPENSSL_free.
 * 0: they cannot. */
static int jwt_ecdsa_der(struct span signature, size_t half, unsigned char **der)
{
	const unsigned char *bytes = (const unsigned char *)signature.ptr;
	ECDSA_SIG *sig;
	BIGNUM *r, *s;
	int len = 0;

	if (signature.len != 2 * half)
		return 0;
	sig = ECDSA_SIG_new();
	r = BN_bin2bn(bytes, (int)half, NULL);
	s = BN_bin2bn(bytes + half, (int)half, NULL);
	if (sig && r && s && ECDSA_SIG_set0(sig, r, s) == 1) {
		len = i2d_ECDSA_SIG(sig, der);
	} else {
		BN_free(r);
		BN_free(s);
	}
	ECDSA_SIG_free(sig);
	return len > 0 ? len : 0;
}

static int jwt_verify_key(const struct jwt *jwt, const struct jwt_alg *alg, EVP_PKEY *key)
{
	const unsigned char *signature = (const unsigned char *)jwt->signature.ptr;
	size_t len = jwt->signature.len;
	unsigned char *der = NULL;
	EVP_MD_CTX *ctx;
	bool good;

	if (!EVP_PKEY_is_a(key, alg->family == JWT_EC ? "EC" : "RSA"))
		return JWT_BAD;
	if (alg->family == JWT_EC) {
		len = (size_t)jwt_ecdsa_der(jwt->signature, alg->half, &der);
		if (!len)
			return JWT_BAD;
		signature = der;
	}
	ctx = EVP_MD_CTX_new();
	if (!ctx) {
		OPENSSL_free(der);
		return JWT_MEMORY;
	}
	good = EVP_DigestVerifyInit(ctx, NULL, crypto_md(alg->md), NULL, key) == 1 &&
	       EVP_DigestVerify(ctx, signature, len, (const unsigned char *)jwt->text.ptr,
				jwt->text.len) == 1;
	EVP_MD_CTX_free(ctx);
	OPENSSL_free(der);
	ERR_clear_error();
	return good ? JWT_GOOD : JWT_BAD;
}

static int jwt_verify(const struct expr_arg *args, struct span token, const struct view *view)
{
	const struct jwt_alg *alg;
	struct span name, secret;
	EVP_PKEY *key;
	struct jwt jwt;

	if (!jwt_arg(&args[0], view, &name))
		return JWT_UNKNOWN_ALG;
	alg = jwt_alg_find(name);
	if (!alg)
		return JWT_UNKNOWN_ALG;
	if (alg->family == JWT_PSS)
		return JWT_UNMANAGED_ALG;
	if (!jwt_split(token, alg->family == JWT_NONE, &jwt))
		return JWT_INVALID;
	if (alg->family == JWT_NONE)
		return jwt.signature.len ? JWT_BAD : JWT_GOOD;
	if (!jwt.signature.len)
		return JWT_INVALID;
	if (!jwt_arg(&args[1], view, &secret))
		return JWT_NO_KEY;
	if (alg->family == JWT_HMAC)
		return jwt_verify_hmac(&jwt, alg, secret);
	key = jwt_key_find(secret);
	return key ? jwt_verify_key(&jwt, alg, key) : JWT_NO_KEY;
}

static bool convert_jwt_verify(const struct expr_arg *args, struct sample *smp,
			       const struct view *view, const struct converter *row)
{
	(void)row;
	smp->num = jwt_verify(args, smp->str, view);
	smp->type = SMP_INT;
	return true;
}

const struct converter converter_jwt[] = {
	{ "jwt_verify", ARGS(2, ARG_STR, ARG_STR), SMP_BIN, SMP_INT, convert_jwt_verify, check_jwt,
	  .help = "verifies the signature of a JSON Web Token: 1 good, 0 bad, else an error" },
	{ 0 },
};
