/* SPDX-License-Identifier: BSD-2-Clause */
/* Certificates: what is refused, and in which words; the same content is one object; what is parsed
 * is bounded; names, chains. */
#include "tls/cert.h"
#include "tls/chain.h"

#include "base/err.h"
#include "tls/keypair.h"
#include "tls/pem.h"
#include "tls/test_certs.h"
#include "tls/tune.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

struct world {
	EVP_PKEY *ec, *other, *rsa, *ed;
	X509 *ca, *leaf;
};

static struct world w;

static struct tls_cert *parse(char *pem, struct err *err)
{
	struct tls_cert *cert = tls_cert_parse(span_of(pem), err);

	free(pem);
	return cert;
}

/* The text is refused with these words. */
static void refused(char *pem, const char *words)
{
	struct err err = { "" };

	assert_null(parse(pem, &err));
	if (!strstr(err.text, words))
		fail_msg("'%s' instead of '%s'", err.text, words);
}

static struct tls_cert *accepted(char *pem)
{
	struct err err = { "" };
	struct tls_cert *cert = parse(pem, &err);

	if (!cert)
		fail_msg("%s", err.text);
	return cert;
}

static const char *age_at(const struct tls_age *age, int64_t now)
{
	static char memory[256];
	struct text t;

	text_init(&t, memory, sizeof(memory));
	return tls_age_explain(age, now, &t) ? memory : "";
}

static void a_bundle_has_names_key_and_chain(void **state)
{
	struct tls_cert *cert = accepted(test_join(test_pem_cert(w.leaf), test_pem_key(w.ec, 1),
						   test_pem_cert(w.ca), NULL));
	(void)state;
	assert_int_equal(cert->algorithm, EVP_PKEY_EC);
	assert_int_equal(cert->name_count, 3);
	assert_true(span_equal(cert->names[0], span_of("a.example")));
	assert_true(span_equal(cert->names[1], span_of("*.b.example")));
	assert_true(span_equal(cert->names[2], span_of("common.example")));
	assert_false(cert->must_staple);
	assert_string_equal(age_at(&cert->age, time(NULL)), "");
	assert_int_equal(cert->age.from_place, 0);
	assert_int_equal(X509_cmp(tls_cert_leaf(cert), w.leaf), 0);
	assert_int_equal(EVP_PKEY_eq(tls_cert_key(cert), w.ec), 1);
	assert_int_equal(sk_X509_num(tls_cert_chain(cert)), 1);
	assert_int_equal(X509_cmp(sk_X509_value(tls_cert_chain(cert), 0), w.ca), 0);
	tls_cert_free(&cert);
	assert_null(cert);
}

static const char *doubt_of(X509 *behind, X509 *last)
{
	struct tls_cert *cert = accepted(test_join(test_pem_cert(w.leaf), test_pem_key(w.ec, 1), test_pem_cert(behind),
						   last ? test_pem_cert(last) : NULL, NULL));
	const char *doubt = cert->doubt;

	tls_cert_free(&cert);
	return doubt;
}

static void a_chain_of_another_is_doubtful(void **state)
{
	X509 *stranger = test_cert(w.other, "stranger", NULL, NULL, NULL);

	(void)state;
	assert_null(doubt_of(w.ca, NULL));
	assert_null(doubt_of(w.ca, stranger));
	assert_non_null(strstr(doubt_of(stranger, NULL), "not that of this certificate"));
	assert_non_null(strstr(doubt_of(w.leaf, NULL), "not that of this certificate"));
	assert_non_null(strstr(doubt_of(stranger, w.ca), "not in order"));
	tls_tune.skip_root = true; /* what is sent is brought into order */
	assert_null(doubt_of(stranger, w.ca));
	assert_non_null(strstr(doubt_of(stranger, NULL), "not that of this certificate"));
	tls_tune.skip_root = false;
	X509_free(stranger);
}

static void the_age_is_explained(void **state)
{
	const struct tls_age age = { 1000, 2000, 0, 2 };

	(void)state;
	assert_string_equal(age_at(&age, 1000), "");
	assert_string_equal(age_at(&age, 2000), "");
	assert_string_equal(age_at(&age, 0), "the certificate is not valid before 1970-01-01 00:16:40 UTC, "
			    "in 16 minutes: until then clients refuse it (is the clock of this machine "
			    "right?)");
	assert_string_equal(age_at(&age, 2000 + 3 * 3600), "certificate 2 of its chain has expired on "
			    "1970-01-01 00:33:20 UTC, 3 hours ago: clients refuse it");
	assert_string_equal(age_at(&age, 2000 + 86400 * 9), "certificate 2 of its chain has expired on "
			    "1970-01-01 00:33:20 UTC, 9 days ago: clients refuse it");
}

static void what_is_missing_is_said(void **state)
{
	(void)state;
	refused(strdup(""), "no certificate in it");
	refused(strdup("nonsense\n"), "no certificate in it");
	refused(test_pem_key(w.ec, 1), "no certificate in it");
	refused(test_pem_cert(w.leaf), "no private key in it");
}

static void a_key_of_another_is_refused(void **state)
{
	int form;

	(void)state;
	for (form = 0; form < 2; form++) {
		refused(test_join(test_pem_cert(w.leaf), test_pem_key(w.other, form), NULL),
			"does not belong to the certificate");
		refused(test_join(test_pem_cert(w.leaf), test_pem_key(w.rsa, form), NULL),
			"does not belong to the certificate");
	}
}

static void an_encrypted_key_is_refused(void **state)
{
	char *text, *data;
	BIO *bio = BIO_new(BIO_s_mem());
	long len;

	(void)state;
	PEM_write_bio_PKCS8PrivateKey(bio, w.ec, EVP_aes_128_cbc(), "pass", 4, NULL, NULL);
	PEM_write_bio_PrivateKey_traditional(bio, w.ec, EVP_aes_128_cbc(), (void *)"pass", 4, NULL,
					     NULL);
	len = BIO_get_mem_data(bio, &data);
	text = strndup(data, (size_t)len);
	BIO_free(bio);
	refused(test_join(test_pem_cert(w.leaf), strdup(text), NULL), "is encrypted");
	refused(test_join(test_pem_cert(w.leaf), strdup(strstr(text, "-----BEGIN EC")), NULL),
		"is encrypted");
	free(text);
}

static void broken_text_is_refused(void **state)
{
	char *pem = test_join(test_pem_cert(w.leaf), test_pem_key(w.ec, 1), NULL), *cut;
	size_t len = strlen(pem), i;
	struct err err = { "" };
	struct tls_cert *cert;

	(void)state;
	for (i = 0; i + 2 < len; i += 7) { /* the end may lack its line feed */
		cut = strndup(pem, i);
		cert = parse(cut, &err);
		assert_null(cert);
		assert_string_not_equal(err.text, "");
	}
	cut = strdup(pem);
	memset(strstr(cut, "MII"), '!', 3);
	free(pem);
	refused(cut, "bad base64");
}

static void bytes_behind_a_certificate_are_refused(void **state)
{
	unsigned char *der = NULL;
	int len = i2d_X509(w.leaf, &der);
	BIO *bio = BIO_new(BIO_s_mem());
	char *data, *text;
	long size;

	(void)state;
	der = OPENSSL_realloc(der, (size_t)len + 1);
	der[len] = 0;
	PEM_write_bio(bio, "CERTIFICATE", "", der, len + 1);
	OPENSSL_free(der);
	size = BIO_get_mem_data(bio, &data);
	text = strndup(data, (size_t)size);
	BIO_free(bio);
	refused(test_join(text, test_pem_key(w.ec, 1), NULL), "too long");
}

static void all_forms_of_keys_are_known(void **state)
{
	EVP_PKEY *keys[] = { w.ec, w.rsa, w.ed };
	int algorithms[] = { EVP_PKEY_EC, EVP_PKEY_RSA, EVP_PKEY_ED25519 }, i, form;
	int curves[] = { NID_X9_62_prime256v1, 0, 0 };
	struct tls_cert *cert;
	X509 *x;

	(void)state;
	for (i = 0; i < 3; i++) {
		x = test_cert(keys[i], "x", "DNS:x.example", NULL, NULL);
		for (form = i == 2; form < 2; form++) {
			cert = accepted(test_join(test_pem_key(keys[i], form), test_pem_cert(x), NULL));
			assert_int_equal(cert->algorithm, algorithms[i]);
			assert_int_equal(cert->curve, curves[i]);
			assert_int_equal(EVP_PKEY_eq(tls_cert_key(cert), keys[i]), 1);
			tls_cert_free(&cert);
		}
		X509_free(x);
	}
}

/* An EC key that does not carry its public part is compared by OpenSSL. */
static void a_key_without_public_part(void **state)
{
	EVP_PKEY *bare = EVP_PKEY_dup(w.ec);
	struct tls_cert *cert;

	(void)state;
	EVP_PKEY_set_int_param(bare, "include-public", 0);
	cert = accepted(test_join(test_pem_cert(w.leaf), test_pem_key(bare, 0), NULL));
	assert_int_equal(EVP_PKEY_eq(tls_cert_key(cert), w.ec), 1);
	tls_cert_free(&cert);
	EVP_PKEY_free(bare);
}

static void the_same_content_is_one_object(void **state)
{
	char *pem = test_join(test_pem_cert(w.leaf), test_pem_key(w.ec, 1), NULL);
	struct tls_cert *one = accepted(strdup(pem)), *two = accepted(strdup(pem));
	struct tls_cert *other = accepted(test_join(pem, test_pem_cert(w.ca), NULL));

	(void)state;
	assert_ptr_equal(one, two);
	assert_int_equal(one->refs, 2);
	assert_ptr_not_equal(one, other);
	tls_cert_free(&one);
	tls_cert_free(&two);
	tls_cert_free(&other);
}

/* Certificates are parsed at use, and those used last are kept. */
static void parsed_ones_are_bounded(void **state)
{
	enum { N = 12 };
	unsigned before = tls_tune.parsed_most, i, parsed = 0;
	struct tls_cert *certs[N];
	X509 *x;

	(void)state;
	tls_tune.parsed_most = 4;
	for (i = 0; i < N; i++) {
		x = test_cert(w.ec, "x", "DNS:x.example", w.ca, w.other);
		certs[i] = accepted(test_join(test_pem_cert(x), test_pem_key(w.ec, 1),
					      test_pem_cert(w.ca), NULL));
		X509_free(x);
		assert_null(certs[i]->parsed);
		assert_non_null(tls_cert_leaf(certs[i]));
		assert_non_null(tls_cert_leaf(certs[0]));
	}
	for (i = 0; i < N; i++)
		parsed += certs[i]->parsed != NULL;
	assert_int_equal(parsed, 4);
	assert_non_null(certs[0]->parsed);
	assert_non_null(certs[N - 1]->parsed);
	assert_null(certs[1]->parsed);
	assert_ptr_equal(certs[0]->chain[0], certs[1]->chain[0]);
	for (i = 0; i < N; i++)
		tls_cert_free(&certs[i]);
	tls_tune.parsed_most = before;
}

static void pieces_make_the_same_again(void **state)
{
	struct tls_cert *cert = accepted(test_join(test_pem_cert(w.leaf), test_pem_key(w.ec, 1),
						   test_pem_cert(w.ca), NULL));
	struct tls_pieces pieces;
	struct err err = { "" };
	struct tls_cert *again;

	(void)state;
	assert_int_equal(tls_cert_pieces(cert, &pieces), 0);
	again = tls_cert_make(&pieces, &err);
	assert_ptr_equal(cert, again);
	tls_pieces_clear(&pieces);
	tls_cert_free(&again);
	tls_cert_free(&cert);
}

static void a_connection_keeps_its_certificate(void **state)
{
	struct tls_cert *cert = accepted(test_join(test_pem_cert(w.leaf), test_pem_key(w.ec, 1), NULL));
	SSL_CTX *ctx = SSL_CTX_new(TLS_server_method());
	SSL *ssl = SSL_new(ctx);

	(void)state;
	assert_int_equal(tls_cert_announce(ctx), 0);
	assert_int_equal(tls_cert_use(cert, ssl), 0);
	assert_int_equal(tls_cert_use(cert, ssl), 0);
	assert_int_equal(cert->refs, 2);
	assert_ptr_equal(tls_cert_of(ssl), cert);
	tls_cert_free(&cert);
	assert_int_equal(X509_cmp(SSL_get_certificate(ssl), w.leaf), 0);
	SSL_free(ssl);
	SSL_CTX_free(ctx);
}

static int setup(void **state)
{
	(void)state;
	w.ec = test_key("EC");
	w.other = test_key("EC");
	w.rsa = test_key("RSA");
	w.ed = test_key("ED25519");
	w.ca = test_cert(w.other, "authority", NULL, NULL, NULL);
	w.leaf = test_cert(w.ec, "common.example", "DNS:a.example,DNS:*.b.example,IP:127.0.0.1", w.ca,
			   w.other);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	EVP_PKEY_free(w.ec);
	EVP_PKEY_free(w.other);
	EVP_PKEY_free(w.rsa);
	EVP_PKEY_free(w.ed);
	X509_free(w.ca);
	X509_free(w.leaf);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_bundle_has_names_key_and_chain),
		cmocka_unit_test(a_chain_of_another_is_doubtful),
		cmocka_unit_test(the_age_is_explained),
		cmocka_unit_test(what_is_missing_is_said),
		cmocka_unit_test(a_key_of_another_is_refused),
		cmocka_unit_test(an_encrypted_key_is_refused),
		cmocka_unit_test(broken_text_is_refused),
		cmocka_unit_test(bytes_behind_a_certificate_are_refused),
		cmocka_unit_test(all_forms_of_keys_are_known),
		cmocka_unit_test(a_key_without_public_part),
		cmocka_unit_test(the_same_content_is_one_object),
		cmocka_unit_test(parsed_ones_are_bounded),
		cmocka_unit_test(pieces_make_the_same_again),
		cmocka_unit_test(a_connection_keeps_its_certificate),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
