/* SPDX-License-Identifier: BSD-2-Clause */
/* What TLS takes it gives back: bind and server lines with all they have, as often as
 * configurations come and go; connections between the two, also those that fail; certificates that
 * are changed. Blocks of memory are counted over rounds of the same. A sanitizer has an allocator
 * of its own, and looks for leaks by itself. */
#include "tls/bind.h"
#include "tls/client.h"

#include "base/err.h"
#include "base/test_blocks.h"
#include "base/test_folder.h"
#include "config/config.h"
#include "config/diag.h"
#include "config/load.h"
#include "config/module.h"
#include "net/listener.h"
#include "proxy/proxy.h"
#include "tls/binds.h"
#include "tls/conn.h"
#include "tls/store.h"
#include "tls/test_certs.h"
#include "tls/tickets.h"
#include "tls/transaction.h"
#include "tls/trust.h"

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
/* cmocka wants the four above */
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static EVP_PKEY *ca_key, *ec, *other;
static X509 *ca;

static char *pem_of(EVP_PKEY *key, const char *name, const char *san)
{
	return test_pem_bundle(test_cert(key, name, san, ca, ca_key), key, ca);
}

/* ---- lines ----------------------------------------------------------------------------------- */

#define LINES_BIND "listen l\n mode tcp\n timeout client 1s\n timeout server 1s\n" \
		   " timeout connect 1s\n bind 127.0.0.1:1 ssl "
#define BIND "crt D/a.pem"
#define BIND_MORE "crt D/a.pem crt D/b.pem crt-list D/list ca-file D/ca.pem verify optional " \
		  "ca-verify-file D/ca.pem alpn h2,http/1.1 curves P-256:P-384 " \
		  "sigalgs ECDSA+SHA256 ciphersuites TLS_AES_128_GCM_SHA256 " \
		  "ciphers ECDHE-ECDSA-AES128-GCM-SHA256 allow-0rtt"
#define LINES_SERVER "\n server s 127.0.0.1:2 ssl "
#define SERVER "verify none"
#define SERVER_MORE "crt D/c.pem ca-file D/ca.pem verify required alpn http/1.1 sni str(x) " \
		    "curves P-256 verifyhost a.test check check-sni x check-alpn http/1.1"

static struct config *cfg;
static const char *global = ""; /* lines in front */

static void begin_lines(const char *bind, const char *server)
{
	char lines[2000], text[3000];

	snprintf(lines, sizeof(lines), "%s" LINES_BIND "%s" LINES_SERVER "%s\n", global, bind,
		 server);
	test_with_folder(text, sizeof(text), lines);
	cfg = config_new(modules, true);
	config_read_text(cfg, "test", text, strlen(text));
	config_finish(cfg);
}

static void lines_are_right(void)
{
	struct err err;

	if (cfg->diag->count[DIAG_ERROR])
		diag_print(cfg->diag, stderr, false, 0, DIAG_ERROR);
	assert_int_equal(cfg->diag->count[DIAG_ERROR], 0);
	assert_int_equal(tls_tickets_prepare(1000, &err), 0);
}

static void end_lines(void)
{
	config_free(&cfg);
	ERR_clear_error();
}

static const struct proxy *listen_section(void)
{
	return proxy_find(config_data(cfg, &proxy_module), "l", PROXY_FRONTEND);
}

static struct tls_bind *bind_tls(void)
{
	return list_first(&listen_section()->binds, struct bind_conf, node)->tls;
}

static struct tls_client *server_tls(void)
{
	return listen_section()->servers->check_tls;
}

static bool resumed; /* the last connection */

/* Both shake hands, say a byte each, and close. */
static bool shake(const char *name)
{
	const struct tls_target target = { .sni = span_of(name) };
	SSL *client = tls_client_ssl(server_tls(), &target), *server = tls_bind_ssl(bind_tls());
	int i, a = 0, b = 0;
	bool good = false;
	BIO *x, *y;
	char byte;

	BIO_new_bio_pair(&x, 65536, &y, 65536);
	SSL_set_bio(client, x, x);
	SSL_set_bio(server, y, y);
	SSL_set_connect_state(client);
	SSL_set_accept_state(server);
	for (i = 0; i < 20 && (a != 1 || b != 1); i++) {
		a = SSL_do_handshake(client);
		b = SSL_do_handshake(server);
	}
	resumed = SSL_session_reused(client);
	if (a == 1 && b == 1)
		good = SSL_write(server, "x", 1) == 1 && SSL_read(client, &byte, 1) == 1;
	SSL_shutdown(client);
	SSL_shutdown(server);
	SSL_free(client);
	SSL_free(server);
	ERR_clear_error();
	return good;
}

static void few_words(void)
{
	begin_lines(BIND, SERVER);
	lines_are_right();
	assert_true(shake("a.test"));
	end_lines();
}

static void all_words(void)
{
	begin_lines(BIND_MORE, SERVER_MORE);
	lines_are_right();
	assert_true(shake("a.test"));
	assert_false(resumed);
	assert_true(shake("a.test"));
	assert_true(resumed);
	assert_true(shake("b.test"));
	assert_true(shake("listed.test"));
	assert_true(shake("")); /* verifyhost */
	assert_false(shake("nobody.test"));
	end_lines();
}

static void no_reuse(void)
{
	begin_lines(BIND, SERVER " no-ssl-reuse");
	lines_are_right();
	assert_true(shake("a.test"));
	assert_true(shake("a.test"));
	assert_false(resumed);
	end_lines();
}

/* What fetches may ask for is noted beside each connection. */
static void notes(void)
{
	global = "global\n tune.ssl.keylog on\n tune.ssl.capture-buffer-size 200\n";
	begin_lines(BIND_MORE, SERVER_MORE);
	global = "";
	lines_are_right();
	assert_true(shake("a.test"));
	assert_false(shake("nobody.test"));
	end_lines();
}

static void lines_give_back(void **state)
{
	(void)state;
	test_gives_back(few_words);
	test_gives_back(all_words);
	test_gives_back(no_reuse);
	test_gives_back(notes);
}

/* Each with its sentence, however far it came. */
static void wrong_words(void)
{
	static const char *const wrong[][2] = {
		{ "", SERVER }, { "crt D/nowhere.pem", SERVER }, { "crt D/ca.pem", SERVER },
		{ "crt-list D/nowhere", SERVER }, { "crt-list D/bad-list", SERVER },
		{ BIND " ca-file D/nowhere verify required", SERVER },
		{ BIND " verify required", SERVER },
		{ BIND " ciphers NONE", SERVER }, { BIND " curves NONE", SERVER },
		{ BIND " sigalgs NONE", SERVER }, { BIND " ciphersuites NONE", SERVER },
		{ BIND " ssl-min-ver TLSv1.3 ssl-max-ver TLSv1.2", SERVER },
		{ BIND " generate-certificates", SERVER },
		{ BIND " generate-certificates ca-sign-file D/nowhere", SERVER },
		{ BIND " generate-certificates ca-sign-file D/ca.pem", SERVER },
		{ BIND, "verify required ca-file D/nowhere" }, { BIND, "verify none crt D/ca.pem" },
		{ BIND, "verify none ciphers NONE" }, { BIND, "verify none crt D/nowhere.pem" },
		{ BIND, "crt D/c.pem verify required ca-file D/ca.pem crl-file D/nowhere" },
		{ BIND, "crt D/c.pem verify required ca-file D/a.pem.nowhere" },
	};
	size_t i;

	for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		begin_lines(wrong[i][0], wrong[i][1]);
		if (!cfg->diag->count[DIAG_ERROR])
			fail_msg("nothing is said of '%s' and '%s'", wrong[i][0], wrong[i][1]);
		end_lines();
	}
}

static void what_is_refused_gives_back(void **state)
{
	(void)state;
	test_gives_back(wrong_words);
}

static void forged_names(void)
{
	begin_lines(BIND " generate-certificates ca-sign-file D/sign.pem", SERVER);
	lines_are_right();
	tls_global.context_cache = 2;
	assert_true(shake("x.test"));
	assert_true(shake("x.test"));
	assert_true(shake("y.test"));
	assert_true(shake("z.test")); /* makes room */
	end_lines();
	tls_global.context_cache = 0;
}

static void forged_certificates_give_back(void **state)
{
	(void)state;
	test_gives_back(forged_names);
}

/* ---- changes --------------------------------------------------------------------------------- */

static char *fresh[4], *authorities; /* PEM */

static void set_certificate(const char *pem)
{
	struct err err = { "" };
	bool created;

	if (tls_transaction_set(test_path("a.pem"), pem, &created, &err))
		fail_msg("%s", err.text);
}

static void commit_certificate(const char *pem)
{
	struct err err = { "" };
	unsigned users;

	set_certificate(pem);
	if (tls_transaction_commit(test_path("a.pem"), &users, &err))
		fail_msg("%s", err.text);
}

static void certificates_come_and_go(void)
{
	struct err err;
	bool created;

	begin_lines(BIND_MORE, SERVER_MORE);
	lines_are_right();
	assert_true(shake("a.test"));
	commit_certificate(fresh[0]);
	assert_true(shake("a0.test"));
	set_certificate(fresh[2]);
	set_certificate(fresh[3]); /* another algorithm */
	assert_int_equal(tls_transaction_set(test_path("a.pem"), "nothing", &created, &err), -1);
	assert_int_equal(tls_transaction_set(test_path("a.pem.key"), "nothing", &created, &err), -1);
	assert_int_equal(tls_transaction_set(test_path("a.pem.ocsp"), "!", &created, &err), -1);
	assert_int_equal(tls_transaction_abort(test_path("a.pem"), &err), 0);
	commit_certificate(fresh[1]);
	assert_true(shake("a.test"));
	end_lines();
}

static void certificates_give_back(void **state)
{
	(void)state;
	test_gives_back(certificates_come_and_go);
}

static void set_authorities(const char *pem, bool add, int expected)
{
	struct err err = { "" };
	bool created;
	int rc = tls_ca_transaction_set(TLS_CA, test_path("ca.pem"), pem, add, &created, &err);

	assert_int_equal(rc, expected);
}

static void authorities_come_and_go(void)
{
	const char *path = test_path("ca.pem");
	struct err err = { "" };

	begin_lines(BIND_MORE, SERVER_MORE);
	lines_are_right();
	assert_true(shake("a.test"));
	set_authorities(authorities, true, 0);
	set_authorities("nothing", true, -1);
	assert_int_equal(tls_ca_transaction_abort(TLS_CA, path, &err), 0);
	set_authorities(authorities, false, 0);
	assert_true(shake("a.test"));
	assert_true(resumed);
	assert_int_equal(tls_ca_transaction_commit(TLS_CA, path, &err), 0);
	assert_true(shake("a.test"));
	assert_false(resumed); /* by other authorities nobody has looked at the certificate */
	end_lines();
}

static void authorities_give_back(void **state)
{
	(void)state;
	test_gives_back(authorities_come_and_go);
}

/* ---- main ------------------------------------------------------------------------------------ */

static int begin(void **state)
{
	(void)state;
	test_folder_begin();
	ca_key = test_key("EC");
	ec = test_key("EC");
	other = test_key("RSA");
	ca = test_cert(ca_key, "ca", NULL, NULL, NULL);
	test_file("ca.pem", test_pem_cert(ca));
	test_file("sign.pem", test_join(test_pem_cert(ca), test_pem_key(ca_key, 1), NULL));
	test_file("a.pem", pem_of(ec, "a", "DNS:a.test"));
	test_file("b.pem", pem_of(ec, "b", "DNS:b.test"));
	test_file("c.pem", pem_of(ec, "c", "DNS:c.test"));
	test_file("l.pem", pem_of(ec, "l", "DNS:listed.test,DNS:*.listed.test"));
	test_file("bad-list", test_join(strdup(test_path("l.pem")), strdup(" [alpn h2] x.test\n"),
					strdup(test_path("nowhere.pem")), strdup("\n"), NULL));
	test_file("list", test_join(strdup(test_path("l.pem")),
				    strdup(" [alpn h2,http/1.1 no-ca-names] *.test !no.test\n"),
				    strdup(test_path("l.pem")), strdup("\n"), NULL));
	fresh[0] = pem_of(ec, "fresh", "DNS:a0.test,DNS:a.test");
	fresh[1] = pem_of(ec, "again", "DNS:a.test");
	fresh[2] = pem_of(ec, "set", "DNS:a2.test");
	fresh[3] = pem_of(other, "rsa", "DNS:a.test");
	authorities = test_pem_cert(ca);
	return 0;
}

static int end(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(fresh) / sizeof(fresh[0]); i++)
		free(fresh[i]);
	free(authorities);
	X509_free(ca);
	EVP_PKEY_free(ca_key);
	EVP_PKEY_free(ec);
	EVP_PKEY_free(other);
	test_folder_end();
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_give_back),
		cmocka_unit_test(what_is_refused_gives_back),
		cmocka_unit_test(forged_certificates_give_back),
		cmocka_unit_test(certificates_give_back),
		cmocka_unit_test(authorities_give_back),
	};

	return cmocka_run_group_tests(tests, begin, end);
}
