/* SPDX-License-Identifier: BSD-2-Clause */
/* The order against an authority that is played here: how it goes well, and each way in which it
 * can end. The answers are those of RFC 8555 7, shortened. */
#include "acme/order.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#define AT "https://ca.example/"
#define DIRECTORY                                                                                  \
	"{\"newNonce\":\"" AT "nonce\",\"newAccount\":\"" AT "acct\",\"newOrder\":\"" AT "order\"" \
											 "}"
#define ORDER(status, more)                                                                        \
	"{\"status\":\"" status "\",\"authorizations\":[\"" AT "authz/1\",\"" AT "authz/2\"],"     \
	"\"finalize\":\"" AT "finalize\"" more "}"
#define AUTHZ(status, name, challenge)                                                             \
	"{\"status\":\"" status "\",\"identifier\":{\"type\":\"dns\",\"value\":\"" name            \
	"\"},\"challenges\":[{\"type\":\"dns-01\",\"url\":\"" AT                                   \
	"no\",\"token\":\"no\",\"status\":\"pending\"},"                                           \
	"{\"type\":\"http-01\",\"url\":\"" AT "chall\",\"token\":\"tok-1_\"" challenge "}]}"
#define PEM "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"

static struct acme_order_conf conf;
static struct acme_order o;

static int begin(void **state)
{
	(void)state;
	conf = (struct acme_order_conf){ .directory = AT "dir",
					 .contact = "a@b.example",
					 .kind = "http-01",
					 .domains = "a.example,b.example" };
	acme_order_begin(&o, &conf);
	return 0;
}

static int end(void **state)
{
	(void)state;
	acme_order_end(&o);
	return 0;
}

static struct span span(const char *text)
{
	return (struct span){ text ? text : "", text ? strlen(text) : 0 };
}

static void reply(unsigned status, const char *location, const char *retry, const char *body)
{
	const struct acme_reply r = { .status = status,
				      .nonce = span("n1"),
				      .location = span(location),
				      .retry_after = span(retry),
				      .body = span(body) };

	acme_order_take(&o, &r);
}

static void wants(enum acme_do what, const char *url)
{
	assert_int_equal(o.todo, what);
	assert_string_equal(o.url, url);
}

static void fails(const char *sentence)
{
	assert_int_equal(o.todo, ACME_DO_FAIL);
	if (!strstr(o.why, sentence))
		fail_msg("'%s' is not in '%s'", sentence, o.why);
}

static void to_account(void)
{
	wants(ACME_DO_GET, AT "dir");
	reply(200, NULL, NULL, DIRECTORY);
	wants(ACME_DO_POST, AT "acct");
	assert_true(o.by_key);
}

static void to_order(void)
{
	to_account();
	assert_string_equal(o.payload,
			    "{\"termsOfServiceAgreed\":true,\"contact\":[\"mailto:a@b.example\"]}");
	reply(201, AT "acct/1", NULL, "{}");
	wants(ACME_DO_POST, AT "order");
	assert_false(o.by_key);
	assert_string_equal(o.account, AT "acct/1");
}

static void to_authz(void)
{
	to_order();
	assert_string_equal(o.payload,
			    "{\"identifiers\":[{\"type\":\"dns\",\"value\":\"a.example\"},"
			    "{\"type\":\"dns\",\"value\":\"b.example\"}]}");
	reply(201, AT "order/1", NULL, ORDER("pending", ""));
	wants(ACME_DO_POST, AT "authz/1");
	assert_string_equal(o.payload, "");
}

static void to_verify(void)
{
	to_authz();
	reply(200, NULL, NULL, AUTHZ("pending", "A.example", ",\"status\":\"pending\""));
	assert_int_equal(o.todo, ACME_DO_ANSWER);
	assert_string_equal(o.authz.token, "tok-1_");
	assert_string_equal(o.authz.name, "a.example");
	acme_order_go_on(&o);
	wants(ACME_DO_POST, AT "chall");
	assert_string_equal(o.payload, "{}");
	reply(200, NULL, "7", "{}");
	assert_int_equal(o.todo, ACME_DO_WAIT);
	assert_int_equal(o.wait_s, 7);
	acme_order_go_on(&o);
	wants(ACME_DO_POST, AT "authz/1");
}

static void to_finalize(void)
{
	to_verify();
	reply(200, NULL, NULL, AUTHZ("valid", "a.example", ",\"status\":\"valid\""));
	wants(ACME_DO_POST, AT "authz/2");
	reply(200, NULL, NULL, AUTHZ("valid", "b.example", ""));
	assert_int_equal(o.todo, ACME_DO_KEY);
	acme_order_take_csr(&o, "AbC");
	wants(ACME_DO_POST, AT "finalize");
	assert_string_equal(o.payload, "{\"csr\":\"AbC\"}");
}

static void all_goes_well(void **state)
{
	(void)state;
	to_finalize();
	reply(200, NULL, NULL, ORDER("processing", ""));
	assert_int_equal(o.todo, ACME_DO_WAIT);
	acme_order_go_on(&o);
	wants(ACME_DO_POST, AT "order/1");
	reply(200, NULL, NULL, ORDER("valid", ",\"certificate\":\"" AT "cert/1\""));
	wants(ACME_DO_POST, AT "cert/1");
	reply(200, NULL, NULL, PEM);
	assert_int_equal(o.todo, ACME_DO_DONE);
	assert_string_equal(o.chain, PEM);
}

static void without_a_nonce_one_is_asked_for(void **state)
{
	struct acme_reply r = { .status = 200, .nonce = span(""), .body = span(DIRECTORY) };

	(void)state;
	acme_order_take(&o, &r);
	wants(ACME_DO_HEAD, AT "nonce");
	r = (struct acme_reply){ .status = 200, .nonce = span("bad nonce\r\n"), .body = span("") };
	acme_order_take(&o, &r);
	fails("gives no nonce");
}

static void a_refused_nonce_is_replaced(void **state)
{
	int i;

	(void)state;
	to_account();
	for (i = 0; i < ACME_NONCES; i++) {
		reply(400, NULL, NULL, "{\"type\":\"urn:ietf:params:acme:error:badNonce\"}");
		wants(ACME_DO_POST, AT "acct");
		assert_string_equal(o.nonce, "n1");
	}
	reply(400, NULL, NULL, "{\"type\":\"urn:ietf:params:acme:error:badNonce\"}");
	fails("badNonce");
}

static void what_is_not_reached_is_tried_again(void **state)
{
	int i;

	(void)state;
	to_account();
	for (i = 0; i < ACME_RETRIES; i++) {
		acme_order_missed(&o, "it is away");
		assert_int_equal(o.todo, ACME_DO_WAIT);
		acme_order_go_on(&o);
		wants(ACME_DO_HEAD, AT "nonce"); /* the old one may be used up */
	}
	acme_order_missed(&o, "it is away");
	fails("asked for an account, but it is away");
}

static void errors_of_the_server_are_tried_again(void **state)
{
	int i;

	(void)state;
	for (i = 0; i < ACME_RETRIES; i++) {
		reply(502, NULL, NULL, "<html>");
		acme_order_go_on(&o);
		wants(ACME_DO_GET, AT "dir");
	}
	reply(502, NULL, NULL, "<html>");
	fails("asked for its directory, and answers with HTTP status 502");
}

static void limits_say_when(void **state)
{
	(void)state;
	to_order();
	reply(429, NULL, "3600",
	      "{\"type\":\"urn:ietf:params:acme:error:rateLimited\",\"detail\":\"too "
	      "\\u0007many\"}");
	fails("a new order, and refuses: rateLimited: too ?many (HTTP status 429)");
	assert_int_equal(o.retry_s, 3600);
}

static void subproblems_are_told(void **state)
{
	(void)state;
	to_order();
	reply(403, NULL, NULL,
	      "{\"type\":\"x\",\"detail\":\"no\",\"subproblems\":[{\"detail\":\"a\"},{\"detail\":"
	      "\"b\"}]}");
	fails("x: no; a; b");
}

static void an_invalid_challenge_is_told(void **state)
{
	(void)state;
	to_verify();
	reply(200, NULL, NULL,
	      AUTHZ("invalid", "a.example",
		    ",\"status\":\"invalid\",\"error\":{\"type\":"
		    "\"urn:ietf:params:acme:error:connection\",\"detail\":\"refused\"}"));
	fails("could not verify 'a.example': connection: refused (for http-01");
}

static void patience_ends(void **state)
{
	unsigned waited = 0;

	(void)state;
	to_verify();
	while (o.todo == ACME_DO_POST && waited < 2 * ACME_PATIENCE_S) {
		reply(200, NULL, NULL, AUTHZ("pending", "a.example", ",\"status\":\"processing\""));
		if (o.todo != ACME_DO_WAIT)
			break;
		waited += o.wait_s;
		acme_order_go_on(&o);
	}
	fails("has not verified 'a.example' within");
	assert_in_range(waited, ACME_PATIENCE_S - 31, ACME_PATIENCE_S + 31);
}

static void names_that_were_not_asked_for(void **state)
{
	(void)state;
	to_authz();
	reply(200, NULL, NULL, AUTHZ("pending", "c.example", ",\"status\":\"pending\""));
	fails("'c.example', which was not asked for");
}

static void kinds_that_are_not_offered(void **state)
{
	(void)state;
	conf.kind = "tls-alpn-01";
	to_authz();
	reply(200, NULL, NULL, AUTHZ("pending", "a.example", ",\"status\":\"pending\""));
	fails("but not by tls-alpn-01");
}

static void tokens_are_digits_of_base64url(void **state)
{
	(void)state;
	to_authz();
	reply(200, NULL, NULL,
	      "{\"status\":\"pending\",\"identifier\":{\"value\":\"a.example\"},\"challenges\":"
	      "[{\"type\":\"http-01\",\"url\":\"" AT
	      "c\",\"token\":\"a/../b\",\"status\":\"pending\"}]}");
	fails("not what RFC 8555 says");
}

static void nobody_is_sent_away_from_tls(void **state)
{
	(void)state;
	reply(200, NULL, NULL,
	      "{\"newNonce\":\"" AT "nonce\",\"newAccount\":\"http://ca.example/acct\","
	      "\"newOrder\":\"" AT "order\"}");
	fails("from https:// to 'http://ca.example/acct'");
}

static void urls_end_no_line(void **state)
{
	(void)state;
	reply(200, NULL, NULL,
	      "{\"newNonce\":\"" AT "nonce\",\"newAccount\":\"" AT "a\\r\\nb\",\"newOrder\":\"" AT
	      "o\"}");
	fails("is no directory");
}

static void what_is_no_directory(void **state)
{
	static const char *const bodies[] = { "",        "{",      "[]",
					      "null",    "<html>", "{\"newNonce\":1}",
					      "\xff\xfe" };
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(bodies) / sizeof(bodies[0]); i++) {
		acme_order_end(&o);
		acme_order_begin(&o, &conf);
		reply(200, NULL, NULL, bodies[i]);
		fails("is no directory of an ACME authority");
	}
}

static void external_accounts_are_missed(void **state)
{
	(void)state;
	reply(200, NULL, NULL,
	      "{\"meta\":{\"externalAccountRequired\":true},\"newNonce\":\"" AT
	      "n\",\"newAccount\":\"" AT "a\",\"newOrder\":\"" AT "o\"}");
	fails("'eab-key-id' and 'eab-mac-key' are missing");
}

static void an_order_that_is_given_up(void **state)
{
	(void)state;
	to_finalize();
	reply(200, NULL, NULL,
	      ORDER("invalid", ",\"error\":{\"type\":\"caa\",\"detail\":\"forbidden\"}"));
	fails("gives no certificate: caa: forbidden");
}

static void what_is_no_certificate(void **state)
{
	(void)state;
	to_finalize();
	reply(200, NULL, NULL, ORDER("valid", ",\"certificate\":\"" AT "cert/1\""));
	reply(200, NULL, NULL, "<html>");
	fails("asked for the certificate, and its answer is not what RFC 8555 says");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(all_goes_well),
		TEST(without_a_nonce_one_is_asked_for),
		TEST(a_refused_nonce_is_replaced),
		TEST(what_is_not_reached_is_tried_again),
		TEST(errors_of_the_server_are_tried_again),
		TEST(limits_say_when),
		TEST(subproblems_are_told),
		TEST(an_invalid_challenge_is_told),
		TEST(patience_ends),
		TEST(names_that_were_not_asked_for),
		TEST(kinds_that_are_not_offered),
		TEST(tokens_are_digits_of_base64url),
		TEST(nobody_is_sent_away_from_tls),
		TEST(urls_end_no_line),
		TEST(what_is_no_directory),
		TEST(external_accounts_are_missed),
		TEST(an_order_that_is_given_up),
		TEST(what_is_no_certificate),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
