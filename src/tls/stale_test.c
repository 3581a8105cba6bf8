/* SPDX-License-Identifier: BSD-2-Clause */
/* OpenSSL keeps errors in a queue until somebody takes them. What a call has left there is none of
 * the next one's: no sentence for people names it. */
#include "tls/lib.h"

#include "base/err.h"
#include "tls/cert.h"
#include "tls/dh.h"
#include "tls/forge.h"
#include "tls/pem.h"
#include "tls/settings.h"
#include "tls/store_files.h"
#include "tls/test_certs.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <stdio.h>
#include <unistd.h>

static char file[50]; /* holds nothing of what is looked for */
static struct err err;

static int begin(void **state)
{
	int fd;

	(void)state;
	assert_int_equal(tls_lib_provider("default", &err), 0); /* who names one has no other */
	strcpy(file, "/tmp/penstock-stale-XXXXXX");
	fd = mkstemp(file);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, "nothing\n", 8), 8);
	close(fd);
	return 0;
}

static int end(void **state)
{
	(void)state;
	unlink(file);
	return 0;
}

/* Somebody has failed, and has not looked why. */
static void stale(void)
{
	ERR_raise(ERR_LIB_X509, X509_R_KEY_TYPE_MISMATCH);
	err.text[0] = 0;
}

static bool names_it(void)
{
	return strstr(err.text, "key type mismatch") || strstr(err.text, "of another type");
}

static void is_fresh(void)
{
	assert_true(*err.text);
	if (names_it())
		fail_msg("%s", err.text);
	assert_int_equal(ERR_peek_error(), 0);
}

/* ---- tests ---------------------------------------------------------------------------------- */

/* Or this proves nothing. */
static void it_would_be_named(void **state)
{
	(void)state;
	stale();
	assert_int_equal(tls_lib_error(&err, "x"), -1);
	assert_true(names_it());
	stale();
	err_set(&err, "%s", tls_reason());
	assert_true(names_it());
}

static void of_the_library(void **state)
{
	(void)state;
	stale();
	assert_int_equal(tls_lib_provider("nobody-has-this-one", &err), -1);
	is_fresh();
}

static void of_a_context(void **state)
{
	static const struct tls_settings sets[] = {
		{ .ciphers = "NONSENSE" }, { .ciphersuites = "NONSENSE" },
		{ .sigalgs = "NONSENSE" }, { .client_sigalgs = "NONSENSE" },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(sets) / sizeof(sets[0]); i++) {
		stale();
		assert_null(tls_settings_context(&sets[i], true, &err));
		is_fresh();
	}
}

static void of_files(void **state)
{
	struct tls_pieces pieces = { 0 };

	(void)state;
	stale();
	assert_int_equal(tls_dh_load(file, &err), -1);
	is_fresh();
	stale();
	assert_null(tls_forge_new(file, NULL, &err));
	is_fresh();
	stale();
	assert_int_equal(tls_ocsp_piece(&pieces, span_of("nothing"), &err), -1);
	is_fresh();
	tls_pieces_clear(&pieces);
}

static void of_certificates(void **state)
{
	static const char *const bad[] = {
		"-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n",
		"-----BEGIN TRUSTED CERTIFICATE-----\nAAAA\n-----END TRUSTED CERTIFICATE-----\n",
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		stale();
		assert_null(tls_cert_parse(span_of(bad[i]), &err));
		assert_true(*err.text);
		assert_false(names_it());
	}
}

/* An empty piece is no lack of memory. */
static void pieces_leave_none(void **state)
{
	EVP_PKEY *key = EVP_EC_gen("P-256");
	X509 *x = test_cert(key, "a.test", NULL, NULL, NULL);
	char *pem = test_join(test_pem_cert(x), test_pem_key(key, 1), NULL);
	struct tls_cert *cert = tls_cert_parse(span_of(pem), &err);
	struct tls_pieces pieces;

	(void)state;
	assert_non_null(cert);
	ERR_clear_error();
	assert_int_equal(tls_cert_pieces(cert, &pieces), 0);
	assert_int_equal(ERR_peek_error(), 0);
	tls_pieces_clear(&pieces);
	tls_cert_free(&cert);
	free(pem);
	X509_free(x);
	EVP_PKEY_free(key);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_would_be_named), cmocka_unit_test(of_the_library),
		cmocka_unit_test(of_a_context), cmocka_unit_test(of_files),
		cmocka_unit_test(of_certificates), cmocka_unit_test(pieces_leave_none),
	};

	return cmocka_run_group_tests(tests, begin, end);
}
