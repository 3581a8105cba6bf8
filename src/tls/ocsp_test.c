/* SPDX-License-Identifier: BSD-2-Clause */
/* What an OCSP response is worth: in time, good, about the certificate, signed by the issuer; and
 * that what is not is neither taken nor sent. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/err.h"
#include "event/change.h"
#include "tls/cert.h"
#include "tls/ocsp.h"
#include "tls/test_pair.h"

#include <openssl/pem.h>
#include <stdlib.h>
#include <time.h>

enum { HOUR = 3600 };

static EVP_PKEY *ca_key, *other_key, *leaf_key;
static X509 *ca, *other_ca, *leaf;
static struct tls_cert *cert;

static struct tls_cert *parse(X509 *x, EVP_PKEY *key, X509 *chain)
{
	BIO *bio = BIO_new(BIO_s_mem());
	struct tls_cert *made;
	struct span pem;
	struct err err;
	char *text;

	PEM_write_bio_X509(bio, x);
	PEM_write_bio_PrivateKey(bio, key, NULL, NULL, 0, NULL, NULL);
	PEM_write_bio_X509(bio, chain);
	pem.len = (size_t)BIO_get_mem_data(bio, &text);
	pem.ptr = text;
	made = tls_cert_parse(pem, &err);
	if (!made)
		fail_msg("%s", err.text);
	BIO_free(bio);
	return made;
}

static int begin(void **state)
{
	(void)state;
	ca_key = EVP_EC_gen("P-256");
	other_key = EVP_EC_gen("P-256");
	leaf_key = EVP_EC_gen("P-256");
	ca = test_certificate(ca_key, "ca.test", NULL, NULL);
	other_ca = test_certificate(other_key, "ca.test", NULL, NULL);
	leaf = test_certificate(leaf_key, "leaf.test", ca, ca_key);
	cert = parse(leaf, leaf_key, ca);
	return 0;
}

static int end(void **state)
{
	(void)state;
	tls_cert_free(&cert);
	X509_free(leaf);
	X509_free(other_ca);
	X509_free(ca);
	EVP_PKEY_free(leaf_key);
	EVP_PKEY_free(other_key);
	EVP_PKEY_free(ca_key);
	assert_true(list_empty(&tls_ocsp_all));
	return 0;
}

struct wanted {
	const EVP_MD *md;
	int status;
	long since, until; /* seconds from now; until 0: not said */
	X509 *signer;
	EVP_PKEY *key;
	unsigned count;
};
static const struct wanted good = { NULL, V_OCSP_CERTSTATUS_GOOD, -HOUR, HOUR, NULL, NULL, 1 };

/* Allocated DER. */
static struct span respond(struct wanted w)
{
	OCSP_BASICRESP *basic = OCSP_BASICRESP_new();
	OCSP_CERTID *id = OCSP_cert_to_id(w.md ? w.md : EVP_sha1(), leaf, ca);
	ASN1_TIME *since = ASN1_TIME_adj(NULL, time(NULL), 0, w.since);
	ASN1_TIME *until = w.until ? ASN1_TIME_adj(NULL, time(NULL), 0, w.until) : NULL;
	OCSP_RESPONSE *response;
	unsigned char *der = NULL;
	int len;

	while (w.count--)
		OCSP_basic_add1_status(basic, id, w.status, 0, since, since, until);
	OCSP_basic_sign(basic, w.signer ? w.signer : ca, w.key ? w.key : ca_key, EVP_sha256(), NULL,
			0);
	response = OCSP_response_create(OCSP_RESPONSE_STATUS_SUCCESSFUL, basic);
	len = i2d_OCSP_RESPONSE(response, &der);
	OCSP_RESPONSE_free(response);
	OCSP_BASICRESP_free(basic);
	OCSP_CERTID_free(id);
	ASN1_TIME_free(since);
	ASN1_TIME_free(until);
	return (struct span){ (char *)der, (size_t)len };
}

static int set(struct wanted w, struct err *err)
{
	struct span der = respond(w);
	int rc = tls_ocsp_set(der, false, err);

	OPENSSL_free((char *)(uintptr_t)der.ptr);
	return rc;
}

static void refused(struct wanted w, const char *why)
{
	struct err err = { "" };

	assert_int_equal(set(w, &err), -1);
	if (!strstr(err.text, why))
		fail_msg("'%s' says nothing of '%s'", err.text, why);
	assert_null(tls_ocsp_find("leaf.pem")->response);
}

static void judges(void **state)
{
	struct wanted w;
	struct err err;

	(void)state;
	assert_int_equal(tls_ocsp_use(cert, "leaf.pem", true, &err), 0);
	w = good;
	w.status = V_OCSP_CERTSTATUS_UNKNOWN;
	refused(w, "unknown, not good");
	w = good;
	w.until = -HOUR / 2;
	refused(w, "no longer valid");
	w = good;
	w.since = HOUR / 2;
	refused(w, "not yet");
	w = good;
	w.until = 0;
	refused(w, "until when");
	w = good;
	w.signer = other_ca;
	w.key = other_key;
	refused(w, "not signed by the issuer");
	w = good;
	w.signer = leaf; /* signed by the issuer, but not charged by it */
	w.key = leaf_key;
	refused(w, "not signed by the issuer");
	w = good;
	w.count = 2;
	refused(w, "2 answers");
	assert_int_equal(tls_ocsp_set((struct span){ "abc", 3 }, false, &err), -1);
	assert_int_equal(tls_ocsp_set((struct span){ "", 0 }, false, &err), -1);
	assert_int_equal(set(good, &err), 0);
	assert_non_null(tls_ocsp_find("leaf.pem")->response);
	tls_ocsp_leave(cert);
}

/* The responder may use another hash. */
static void knows_other_hashes(void **state)
{
	struct wanted w = good;
	struct err err;

	(void)state;
	assert_int_equal(tls_ocsp_use(cert, "leaf.pem", true, &err), 0);
	w.md = EVP_sha256();
	assert_int_equal(set(w, &err), 0);
	tls_ocsp_leave(cert);
}

/* Of a certificate that nobody has. */
static void unknown_ones_match_none(void **state)
{
	struct err err;

	(void)state;
	assert_int_equal(set(good, &err), -1);
	assert_non_null(strstr(err.text, "does not match any certificate"));
	assert_null(tls_ocsp_find("leaf.pem"));
}

static void finds_by_id(void **state)
{
	char hex[2 * OCSP_ID_MOST + 1];
	struct tls_ocsp *ocsp;
	struct err err;
	size_t i;

	(void)state;
	assert_int_equal(tls_ocsp_use(cert, "leaf.pem", true, &err), 0);
	ocsp = tls_ocsp_find("leaf.pem");
	for (i = 0; i < ocsp->id_len; i++)
		snprintf(hex + 2 * i, 3, "%02x", ocsp->id[i]);
	assert_ptr_equal(tls_ocsp_find(hex), ocsp);
	hex[3] ^= 1;
	assert_null(tls_ocsp_find(hex));
	hex[3] = 0;
	assert_null(tls_ocsp_find(hex));
	assert_null(tls_ocsp_find(""));
	tls_ocsp_leave(cert);
}

static size_t stapled(SSL_CTX *server, SSL_CTX *client)
{
	SSL *c = SSL_new(client), *s = SSL_new(server);
	unsigned char *der;
	long len;

	test_join(c, s);
	SSL_set_connect_state(c);
	SSL_set_accept_state(s);
	SSL_set_tlsext_status_type(c, TLSEXT_STATUSTYPE_ocsp);
	assert_int_equal(tls_cert_use(cert, s), 0);
	assert_int_equal(test_shake(c, s), TEST_FULL);
	len = SSL_get_tlsext_status_ocsp_resp(c, &der);
	SSL_free(c);
	SSL_free(s);
	return len > 0 ? (size_t)len : 0;
}

/* A response is sent until it expires. */
static void staples_in_time(void **state)
{
	SSL_CTX *server = SSL_CTX_new(TLS_server_method()), *client = test_client();
	struct err err;

	(void)state;
	tls_ocsp_attach(server);
	assert_int_equal(stapled(server, client), 0);
	assert_int_equal(tls_ocsp_use(cert, "leaf.pem", true, &err), 0);
	assert_int_equal(stapled(server, client), 0);
	assert_int_equal(set(good, &err), 0);
	assert_int_equal(stapled(server, client), cert->stapled->len);
	assert_in_range(cert->stapled->until, time(NULL) + HOUR - 60, time(NULL) + HOUR);
	cert->stapled->until = time(NULL) - 1;
	assert_int_equal(stapled(server, client), 0);
	tls_ocsp_leave(cert);
	SSL_SESSION_free(test_last_session);
	test_last_session = NULL;
	SSL_CTX_free(server);
	SSL_CTX_free(client);
}

/* What goes through the log does the same everywhere; nonsense is refused. */
static void reports(void **state)
{
	struct span der = respond(good);
	struct tls_ocsp *ocsp;
	struct err err;

	(void)state;
	assert_int_equal(tls_ocsp_use(cert, "leaf.pem", true, &err), 0);
	ocsp = tls_ocsp_find("leaf.pem");
	tls_ocsp_report(ocsp, TLS_OCSP_HTTP, 1234, (struct span){ "", 0 });
	changes_carry_out();
	assert_int_equal(ocsp->failures, 1);
	assert_int_equal(ocsp->next, 1234);
	assert_null(ocsp->response);
	tls_ocsp_report(ocsp, TLS_OCSP_OK, 5678, der);
	changes_carry_out();
	assert_int_equal(ocsp->successes, 1);
	assert_true(ocsp->last > 0);
	assert_non_null(ocsp->response);
	assert_int_equal(tls_ocsp_change.apply("short", 5, NULL, &err), -1);
	OPENSSL_free((char *)(uintptr_t)der.ptr);
	tls_ocsp_leave(cert);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(judges),
		cmocka_unit_test(knows_other_hashes),
		cmocka_unit_test(unknown_ones_match_none),
		cmocka_unit_test(finds_by_id),
		cmocka_unit_test(staples_in_time),
		cmocka_unit_test(reports),
	};

	return cmocka_run_group_tests(tests, begin, end);
}
