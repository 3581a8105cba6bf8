/* SPDX-License-Identifier: BSD-2-Clause */
/* What is said of bind and server lines with TLS, word for word: what is missing, what has no effect,
 * what is old or doubtful about certificates. */
#include "base/test_folder.h"
#include "config/test_problems.h"
#include "tls/test_certs.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
/* cmocka wants the four above */
#include <cmocka.h>
#include <openssl/evp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { EXPIRED = 1000000000 };
static const long begins = 4000000000;

static void says(const char *bind, const char *server, const char *expected)
{
	char text[500], lines[1000], problems[1000];

	snprintf(text, sizeof(text), "listen l\n bind 127.0.0.1:1 %s\n server s 127.0.0.1:2 %s\n",
		 bind, server);
	test_with_folder(lines, sizeof(lines), text);
	test_with_folder(problems, sizeof(problems), expected);
	config_says(lines, problems);
}

static void bind_says(const char *bind, const char *expected)
{
	says(bind, "", expected);
}

static void server_says(const char *server, const char *expected)
{
	says("", server, expected);
}

/* ---- tests ------------------------------------------------------------------------------------ */

static void a_bind_line_has_a_certificate(void **state)
{
	(void)state;
	bind_says("ssl crt D/a.pem", "");
	bind_says("ssl crt-list D/list", "");
	bind_says("ssl", "2 error: 'ssl' needs a certificate: 'crt' or 'crt-list' is missing\n");
	bind_says("ssl strict-sni", "2 warning: this line has no certificate yet: all handshakes "
		  "fail until one is added\n");
	bind_says("ssl generate-certificates crt D/a.pem", "2 error: 'generate-certificates' needs "
		  "'ca-sign-file': the authority that signs them\n");
}

#define ONLY(place)                                                                               \
	place "'ssl-max-ver' is below the least version by default, TLSv1.2: it is the only "      \
	      "version allowed; say so with 'ssl-min-ver'\n"

static void words_have_an_effect(void **state)
{
	(void)state;
	bind_says("crt D/a.pem", "2 warning: words about TLS have no effect without 'ssl': "
		  "connections are plain\n");
	bind_says("ssl crt D/a.pem ca-file D/ca.pem", "2 note: 'ca-file' has no effect: without "
		  "'verify' clients are asked for no certificate\n");
	bind_says("ssl crt D/a.pem ca-file D/ca.pem verify required", "");
	bind_says("ssl crt D/a.pem ssl-max-ver TLSv1.1", ONLY("2 warning: "));
	bind_says("ssl crt D/a.pem ssl-max-ver TLSv1.2", "");
	bind_says("ssl crt D/a.pem allow-0rtt", "");
	bind_says("ssl crt D/a.pem allow-0rtt no-tlsv13",
		  "2 warning: 'allow-0rtt' has no effect: early data need TLS 1.3\n");
}

/* Each is said once, wherever the certificate is shown. */
static void certificates_are_looked_at(void **state)
{
	long now = time(NULL);
	char expected[300];

	(void)state;
	snprintf(expected, sizeof(expected), "2 notice: 'D/old.pem': the certificate has expired "
		 "on 2001-09-09 01:46:40 UTC, %ld days ago: clients refuse it\n",
		 (now - EXPIRED) / 86400);
	bind_says("ssl crt D/old.pem", expected);
	bind_says("ssl crt D/old.pem", "");
	snprintf(expected, sizeof(expected), "D/listed:1 notice: 'D/late.pem': the certificate is "
		 "not valid before 2096-10-02 07:06:40 UTC, in %ld days: until then clients refuse "
		 "it (is the clock of this machine right?)\n", (begins - now) / 86400);
	bind_says("ssl crt-list D/listed", expected);
	bind_says("ssl crt D/chain.pem", "2 warning: 'D/chain.pem': the chain is not that of this "
		  "certificate: nothing in it has signed it, and clients that do not know its "
		  "issuer refuse it\n");
	bind_says("ssl crt-list D/updated", "");
}

static void server_lines_are_looked_at(void **state)
{
	static const char missing[] =
		"3 error: server 's' speaks TLS and its certificate is to be verified, but there "
		"is no 'ca-file': name one ('@system-ca' are the system's authorities), or say "
		"'verify none' where the network is to be trusted ('ssl-server-verify none' for "
		"all servers)\n";

	(void)state;
	server_says("ssl", missing);
	server_says("ssl verify required", missing);
	server_says("ssl verify none", "");
	server_says("ssl ca-file D/ca.pem", "");
	server_says("ssl verify none ssl-max-ver TLSv1.1", ONLY("3 warning: server 's': "));
	server_says("verify none", "3 note: server 's': 'verify' has no effect without 'ssl'\n");
}

/* ---- main ------------------------------------------------------------------------------------- */

static EVP_PKEY *ca_key, *ec;
static X509 *ca, *stranger;

/* Valid between these. */
static char *pem_of(long since, long until)
{
	X509 *x = test_cert(ec, "a", "DNS:a.test", ca, ca_key);

	ASN1_TIME_set(X509_getm_notBefore(x), since);
	ASN1_TIME_set(X509_getm_notAfter(x), until);
	assert_true(X509_sign(x, ca_key, EVP_sha256()) > 0);
	return test_pem_bundle(x, ec, ca);
}

static int begin(void **state)
{
	(void)state;
	test_folder_begin();
	ca_key = test_key("EC");
	ec = test_key("EC");
	ca = test_cert(ca_key, "ca", NULL, NULL, NULL);
	stranger = test_cert(ec, "stranger", NULL, NULL, NULL);
	test_file("ca.pem", test_pem_cert(ca));
	test_file("a.pem", pem_of(EXPIRED, begins));
	test_file("old.pem", pem_of(EXPIRED - 86400, EXPIRED));
	test_file("late.pem", pem_of(begins, begins + 86400));
	test_file("chain.pem", test_pem_bundle(test_cert(ec, "c", "DNS:c.test", ca, ca_key), ec,
					       stranger));
	test_file("list", test_join(strdup(test_path("a.pem")), strdup("\n"), NULL));
	test_file("listed", test_join(strdup(test_path("late.pem")), strdup("\n"), NULL));
	test_file("updated", test_join(strdup(test_path("a.pem")),
				       strdup(" [ocsp-update on] x.test\n"), NULL));
	return 0;
}

static int end(void **state)
{
	(void)state;
	X509_free(ca);
	X509_free(stranger);
	EVP_PKEY_free(ca_key);
	EVP_PKEY_free(ec);
	test_folder_end();
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_bind_line_has_a_certificate),
		cmocka_unit_test(words_have_an_effect),
		cmocka_unit_test(certificates_are_looked_at),
		cmocka_unit_test(server_lines_are_looked_at),
	};

	return cmocka_run_group_tests(tests, begin, end);
}
