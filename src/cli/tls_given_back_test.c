/* SPDX-License-Identifier: BSD-2-Clause */
/* Commands about certificates give back what they take: each is carried out again and again, with
 * its answer, in the middle of changes and with mistakes, and blocks of memory are counted. Of a
 * long answer nothing is missing; a response is asked for where the command says. */
#include "base/err.h"
#include "base/str.h"
#include "base/test_blocks.h"
#include "base/test_folder.h"
#include "cli/cli.h"
#include "cli/command.h"
#include "config/diag.h"
#include "config/load.h"
#include "config/module.h"
#include "tls/staple.h"
#include "tls/test_certs.h"

#include <openssl/err.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
/* cmocka wants the four above */
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SAID_MOST = 1 << 18, WORDS_MOST = 10, CHAIN = 60 };

static EVP_PKEY *key;
static X509 *ca, *long_leaf;
static char *fresh, *authority; /* PEM */
static char said[SAID_MOST];

static char *pem_of(const char *name)
{
	return test_pem_bundle(test_cert(key, name, "DNS:a.test", ca, key), key, ca);
}

/* The same one of "long" each time, with so many certificates behind it. */
static char *pem_of_chain(unsigned count)
{
	char *pem = test_join(test_pem_cert(long_leaf), test_pem_key(key, 1), NULL);

	while (count--)
		pem = test_join(pem, test_pem_cert(ca), NULL);
	return pem;
}

/* ---- commands --------------------------------------------------------------------------- */

/* The command, in which D stands for the folder, says that, among other things. */
static void says(const char *line, const char *expected)
{
	struct cli *cli = cli_new(LEVEL_ADMIN, CLI_SEVERITY_NONE);
	size_t len = 0, n;
	char text[500];

	test_with_folder(text, sizeof(text) - 1, line);
	strcat(text, "\n");
	assert_int_equal(cli_input(cli, text, strlen(text)), strlen(text));
	while ((n = cli_output(cli, said + len, CLI_OUTPUT_MIN))) {
		len += n;
		assert_true(len + CLI_OUTPUT_MIN < sizeof(said));
	}
	said[len] = 0;
	if (!strstr(said, expected))
		fail_msg("'%s' says:\n%s", text, said);
	assert_true(cli_done(cli));
	cli_free(&cli);
	ERR_clear_error(); /* the library keeps what has failed */
}

/* The same of one that all processes carry out. */
static void does(const char *line, const char *payload, const char *expected)
{
	char text[500], *words[WORDS_MOST + 1] = { NULL }, *at = text;
	struct err err = { "" };
	unsigned count = 0;
	struct text out;

	test_with_folder(text, sizeof(text), line);
	while (count < WORDS_MOST && (words[count] = strsep(&at, " ")))
		count++;
	text_init(&out, said, sizeof(said));
	if (cli_apply(LEVEL_ADMIN, CLI_SEVERITY_NONE, words, payload, &out, &err) < 0)
		text_str(&out, err.text);
	if (!strstr(said, expected))
		fail_msg("'%s' says:\n%s", line, said);
	ERR_clear_error();
}

/* ---- rounds ----------------------------------------------------------------------------- */

static const struct shown {
	const char *line, *expected;
} all_shown[] = {
	{ "show ssl cert", "/a.pem\n" },
	{ "show ssl cert D/a.pem", "Status: Used\n" },
	{ "show ssl cert D/nowhere.pem", "Not found" },
	{ "dump ssl cert D/a.pem", "END CERTIFICATE" },
	{ "dump ssl cert D/nowhere.pem", "Not found!" },
	{ "show ssl ca-file", "/ca.pem" },
	{ "show ssl ca-file D/ca.pem", "Subject: /CN=ca" },
	{ "show ssl ca-file D/ca.pem:1", "Subject: /CN=ca" },
	{ "show ssl ca-file D/nowhere.pem", "Not found!" },
	{ "show ssl crl-file", "# filename\n" },
	{ "show ssl crl-file D/nowhere.pem", "Not found!" },
	{ "show ssl crt-list", "/list\n" },
	{ "show ssl crt-list D/list", "/l.pem [alpn h2] x.test\n" },
	{ "show ssl crt-list -n D/list", "/l.pem:1 [alpn h2] x.test\n" },
	{ "show ssl crt-list D/nowhere", "didn't find the specified filename" },
	{ "show tls-keys", "0 (automatic)" },
	{ "show tls-keys *", "# id secret\n# 0 (automatic)\n0.0 " },
	{ "show ssl ocsp-response", "# Certificate IDs" },
	{ "show ssl ocsp-response D/a.pem", "does not match any certificate" },
	{ "show ssl ocsp-updates", "OCSP Certid | Path | Next Update" },
	{ "show ssl providers", "default" },
};
static const struct shown *shown;

static void is_shown(void)
{
	says(shown->line, shown->expected);
}

static void what_is_changed(void)
{
	does("set ssl cert D/a.pem", fresh, "Transaction created");
	says("show ssl cert", "*");
	says("show ssl cert *D/a.pem", "Subject: /CN=fresh");
	says("dump ssl cert *D/a.pem", "END CERTIFICATE");
	does("set ssl cert D/a.pem", fresh, "Transaction updated");
	does("set ssl cert D/a.pem", "nothing", "no certificate in it");
	does("abort ssl cert D/a.pem", NULL, "Transaction aborted");
	does("abort ssl cert D/a.pem", NULL, "No ongoing transaction!");
	does("set ssl cert D/a.pem", fresh, "Transaction created");
	does("commit ssl cert D/a.pem", NULL, "Success");
	does("commit ssl cert D/a.pem", NULL, "No ongoing transaction!");
	does("set ssl cert D/nowhere.pem", fresh, "not referenced by the configuration");
}

static void what_comes_and_goes(void)
{
	does("new ssl cert D/new.pem", NULL, "New empty certificate store");
	does("new ssl cert D/new.pem", NULL, "already exists!");
	says("show ssl cert D/new.pem", "Status: Empty\n");
	does("set ssl cert D/new.pem", fresh, "Transaction");
	does("commit ssl cert D/new.pem", NULL, "Success");
	does("add ssl crt-list D/list D/new.pem", NULL, "Success");
	does("del ssl cert D/new.pem", NULL, "in use, can't be deleted!");
	says("show ssl crt-list -n D/list", "/new.pem");
	does("del ssl crt-list D/list D/new.pem", NULL, "deleted");
	does("del ssl crt-list D/list D/new.pem", NULL, "does not exist!");
	does("del ssl cert D/new.pem", NULL, "deleted");
	does("add ssl crt-list D/nowhere D/new.pem", NULL, "does not exist!");
}

static void what_is_trusted(void)
{
	does("set ssl ca-file D/ca.pem", authority, "transaction created");
	says("show ssl ca-file *D/ca.pem", "Subject: /CN=ca");
	does("add ssl ca-file D/ca.pem", authority, "transaction updated");
	does("abort ssl ca-file D/ca.pem", NULL, "Transaction aborted");
	does("set ssl ca-file D/ca.pem", "nothing", "no certificate in it");
	does("abort ssl ca-file D/ca.pem", NULL, "No ongoing transaction!");
	does("set ssl ca-file D/ca.pem", authority, "transaction created");
	does("commit ssl ca-file D/ca.pem", NULL, "Success");
	does("new ssl ca-file D/other.pem", NULL, "New CA file created");
	does("set ssl ca-file D/other.pem", authority, "transaction created");
	does("commit ssl ca-file D/other.pem", NULL, "Success");
	does("del ssl ca-file D/other.pem", NULL, "deleted");
}

/* What is missing, or wrong. */
static void what_is_refused(void)
{
	does("new ssl cert", NULL, "'new ssl cert' expects a filename");
	does("set ssl cert D/a.pem", NULL, "'set ssl cert expects a filename and a certificate as a payload");
	does("set ssl cert", fresh, "'set ssl cert expects a filename and a certificate as a payload");
	does("commit ssl cert", NULL, "'commit ssl cert expects a filename");
	does("abort ssl cert", NULL, "'abort ssl cert' expects a filename");
	does("del ssl cert", NULL, "'del ssl cert' expects a certificate name");
	does("add ssl crt-list D/list", NULL, "'add ssl crtlist' expects a filename and a certificate name");
	does("add ssl crt-list", "x\n", "'add ssl crtlist' expects a filename and a certificate name");
	does("add ssl crt-list D/list", "a\nb\n", "only one line of payload is supported!");
	does("add ssl crt-list D/list", "\n", "no line in the payload!");
	does("del ssl crt-list D/list", NULL, "'del ssl crtlist' expects a filename and a certificate name");
	does("del ssl crt-list D/nowhere x", NULL, "/nowhere' does not exist!");
	does("del ssl crt-list D/list D/l.pem:7", NULL,
	     "but the line number is incorrect, please specify a correct line number preceded by colons (1)!");
	says("show ssl crt-list -n", "'show ssl crt-list -n' expects a filename or a directory");
	does("new ssl ca-file", NULL, "'new ssl ca-file' expects a filename");
	does("new ssl crl-file", NULL, "'new ssl crl-file' expects a filename");
	does("new ssl ca-file D/ca.pem", NULL, "/ca.pem' already exists!");
	does("set ssl ca-file D/ca.pem", NULL, "'set ssl ca-file expects a filename and CAs as a payload");
	does("set ssl crl-file", "x", "'set ssl crl-file expects a filename and CRLs as a payload");
	does("commit ssl ca-file", NULL, "'commit ssl ca-file expects a filename");
	does("del ssl ca-file", NULL, "'del ssl ca-file' expects a CA file name");
	does("del ssl crl-file", NULL, "'del ssl crl-file' expects a CRL file name");
	does("del ssl ca-file D/nowhere.pem", NULL, "/nowhere.pem' doesn't exist!");
	does("del ssl crl-file D/ca.pem", NULL, "/ca.pem' doesn't exist!");
	does("del ssl ca-file D/ca.pem", NULL, "/ca.pem' in use, can't be deleted!");
	says("show tls-keys nowhere", "'show tls-keys' unable to locate referenced filename");
	does("set ssl tls-key #0", NULL,
	     "'set ssl tls-key' expects a filename and the new TLS key in base64 encoding.");
	does("set ssl tls-key nowhere AAAA", NULL, "'set ssl tls-key' unable to locate referenced filename");
	does("set ssl tls-key #0 ???", NULL, "'set ssl tls-key' received invalid base64 encoded TLS key.");
	does("set ssl tls-key #0 AAAA", NULL, "'set ssl tls-key' received a key of wrong size.");
	does("set ssl ocsp-response", NULL, "'set ssl ocsp-response' expects response in base64 encoding.");
	does("set ssl ocsp-response ???", NULL,
	     "'set ssl ocsp-response' received invalid base64 encoded response.");
}

/* The one that is named, by a line that says so. */
static void a_response_is_asked_for(void **state)
{
	struct tls_ocsp first = { .path = (char *)"first.pem" }, other = { .path = (char *)"other.pem" };

	(void)state;
	list_append(&tls_ocsp_all, &first.node);
	list_append(&tls_ocsp_all, &other.node);
	does("update ssl ocsp-response", NULL, "expects a filename");
	does("update ssl ocsp-response nowhere.pem", NULL, "Unknown certificate!");
	assert_false(first.asked);
	does("update ssl ocsp-response other.pem", NULL, "OCSP update begun");
	assert_true(other.asked);
	assert_false(first.asked);
	list_remove(&first.node);
	list_remove(&other.node);
}

static void what_is_shown_is_given_back(void **state)
{
	(void)state;
	for (shown = all_shown; shown < all_shown + ARRAY_LEN(all_shown); shown++)
		test_gives_back(is_shown);
}

static void what_is_changed_is_given_back(void **state)
{
	(void)state;
	test_gives_back(what_is_changed);
	test_gives_back(what_comes_and_goes);
	test_gives_back(what_is_trusted);
	test_gives_back(what_is_refused);
}

/* Byte for byte: more than one piece (CLI_PIECE). */
static void a_long_chain_is_whole(void **state)
{
	char *leaf = pem_of_chain(CHAIN), *shown_key = strstr(leaf, "-----BEGIN PRIVATE KEY"), *rest;

	(void)state;
	assert_non_null(shown_key);
	rest = strstr(shown_key, "-----BEGIN CERT");
	memmove(shown_key, rest, strlen(rest) + 1);
	assert_true(strlen(leaf) > 3 * (size_t)CLI_PIECE);
	says("dump ssl cert D/long.pem", leaf);
	assert_int_equal(strlen(said), strlen(leaf) + 1); /* the end of the answer */
	free(leaf);
}

/* ---- the world -------------------------------------------------------------------------- */

static struct config *cfg;

static int begin(void **state)
{
	char text[1000];

	(void)state;
	test_folder_begin();
	key = test_key("EC");
	ca = test_cert(key, "ca", NULL, NULL, NULL);
	fresh = pem_of("fresh");
	authority = test_pem_cert(ca);
	test_file("ca.pem", test_pem_cert(ca));
	test_file("a.pem", pem_of("a"));
	test_file("l.pem", pem_of("l"));
	long_leaf = test_cert(key, "long", "DNS:long.test", ca, key);
	test_file("long.pem", pem_of_chain(CHAIN));
	test_file("list", test_join(strdup(test_path("l.pem")), strdup(" [alpn h2] x.test\n"), NULL));
	test_with_folder(text, sizeof(text),
			 "listen l\n mode tcp\n timeout client 1s\n timeout server 1s\n"
			 " timeout connect 1s\n bind 127.0.0.1:1 ssl crt D/a.pem crt D/long.pem"
			 " crt-list D/list ca-file D/ca.pem verify optional\n"
			 " server s 127.0.0.1:2\n");
	cfg = config_new(modules, true);
	config_read_text(cfg, "test", text, strlen(text));
	config_finish(cfg);
	if (cfg->diag->count[DIAG_ERROR])
		diag_print(cfg->diag, stderr, false, 0, DIAG_ERROR);
	return cfg->diag->count[DIAG_ERROR] ? -1 : 0;
}

static int end(void **state)
{
	(void)state;
	config_free(&cfg);
	free(fresh);
	free(authority);
	X509_free(long_leaf);
	X509_free(ca);
	EVP_PKEY_free(key);
	test_folder_end();
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_shown_is_given_back),
		cmocka_unit_test(what_is_changed_is_given_back),
		cmocka_unit_test(a_long_chain_is_whole),
		cmocka_unit_test(a_response_is_asked_for),
	};

	return cmocka_run_group_tests(tests, begin, end);
}
