/* SPDX-License-Identifier: BSD-2-Clause */
/* Sessions resumed by id: in both versions, until they expire, and never where verification of
 * clients differs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/arena.h"
#include "base/err.h"
#include "config/config.h"
#include "config/module.h"
#include "tls/test_pair.h"
#include "tls/conn.h"
#include "tls/sessions.h"

static struct tls_sessions_conf conf;
static SSL_CTX *client;

static void start(void)
{
	struct err err;

	tls_sessions_module.init(NULL, &conf);
	assert_int_equal(tls_sessions_module.prepare(NULL, &conf, &err), 0);
	assert_int_equal(tls_sessions_module.start(NULL, &conf, &err), 0);
	tls_cache_stats = (struct tls_cache_stats){ 0 };
	client = test_client();
}

static void stop(void)
{
	SSL_CTX_free(client);
	SSL_SESSION_free(test_last_session);
	test_last_session = NULL;
	tls_sessions_module.stop();
}

/* Without tickets. */
static SSL_CTX *server(int version, const char *scope, int verify)
{
	SSL_CTX *ctx = test_server(version);

	SSL_CTX_set_options(ctx, SSL_OP_NO_TICKET);
	SSL_CTX_set_verify(ctx, verify, NULL);
	assert_int_equal(tls_sessions_attach(ctx, scope), 0);
	return ctx;
}

static void resumes(int version)
{
	SSL_CTX *ctx, *other;
	SSL_SESSION *session;
	uint64_t misses;

	start();
	ctx = server(version, "web", SSL_VERIFY_NONE);
	other = server(version, "web", SSL_VERIFY_NONE);
	session = test_fresh_session(client, ctx);
	assert_non_null(session);
	assert_true(tls_cache_stats.stored > 0);
	misses = tls_cache_stats.misses; /* ids that are made up for middleboxes */
	assert_int_equal(test_connect(client, ctx, session), TEST_RESUMED);
	assert_int_equal(test_connect(client, other, session), TEST_RESUMED);
	assert_true(tls_cache_stats.lookups >= 2);
	assert_int_equal(tls_cache_stats.misses, misses);
	SSL_SESSION_free(session);
	SSL_CTX_free(ctx);
	SSL_CTX_free(other);
	stop();
}

static void resumes_12(void **state)
{
	(void)state;
	resumes(TLS1_2_VERSION);
}

static void resumes_13(void **state)
{
	(void)state;
	resumes(TLS1_3_VERSION);
}

/* Not over another line, not where a client certificate is wanted, not with other authorities. */
static void stays_where_it_was_made(int version)
{
	SSL_CTX *ctx, *line, *verify, *authorities;
	SSL_SESSION *session;
	EVP_PKEY *key = EVP_EC_gen("P-256");
	X509 *ca = test_certificate(key, "ca.test", NULL, NULL);

	start();
	ctx = server(version, "web", SSL_VERIFY_PEER);
	line = server(version, "admin", SSL_VERIFY_PEER);
	verify = server(version, "web", SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT);
	authorities = server(version, "web", SSL_VERIFY_PEER);
	X509_STORE_add_cert(SSL_CTX_get_cert_store(authorities), ca);
	assert_int_equal(tls_sessions_attach(authorities, "web"), 0);
	session = test_fresh_session(client, ctx);
	assert_non_null(session);
	assert_int_equal(test_connect(client, line, session), TEST_FULL);
	assert_int_equal(test_connect(client, authorities, session), TEST_FULL);
	assert_int_equal(test_connect(client, verify, session), TEST_FAILED);
	assert_int_equal(test_connect(client, ctx, session), TEST_RESUMED);
	SSL_SESSION_free(session);
	SSL_CTX_free(ctx);
	SSL_CTX_free(line);
	SSL_CTX_free(verify);
	SSL_CTX_free(authorities);
	X509_free(ca);
	EVP_PKEY_free(key);
	stop();
}

static void stays_where_it_was_made_12(void **state)
{
	(void)state;
	stays_where_it_was_made(TLS1_2_VERSION);
}

static void stays_where_it_was_made_13(void **state)
{
	(void)state;
	stays_where_it_was_made(TLS1_3_VERSION);
}

/* What the ticket holds takes no room here. */
static void tickets_are_not_stored(void **state)
{
	SSL_CTX *ctx;
	SSL_SESSION *session;

	(void)state;
	start();
	ctx = server(TLS1_3_VERSION, "web", SSL_VERIFY_NONE);
	SSL_CTX_clear_options(ctx, SSL_OP_NO_TICKET);
	session = test_fresh_session(client, ctx);
	assert_non_null(session);
	assert_int_equal(tls_cache_stats.stored, 0);
	assert_int_equal(test_connect(client, ctx, session), TEST_RESUMED);
	SSL_SESSION_free(session);
	SSL_CTX_free(ctx);
	stop();
}

/* The cache is full handshakes without one. */
static void unknown_ones_are_missed(void **state)
{
	SSL_CTX *ctx;
	SSL_SESSION *session;

	(void)state;
	start();
	ctx = server(TLS1_2_VERSION, "web", SSL_VERIFY_NONE);
	session = test_fresh_session(client, ctx);
	SSL_CTX_free(client);
	tls_sessions_module.stop();
	start();
	assert_int_equal(test_connect(client, ctx, session), TEST_FULL);
	assert_int_equal(tls_cache_stats.misses, 1);
	SSL_SESSION_free(session);
	SSL_CTX_free(ctx);
	stop();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(resumes_12),
		cmocka_unit_test(resumes_13),
		cmocka_unit_test(stays_where_it_was_made_12),
		cmocka_unit_test(stays_where_it_was_made_13),
		cmocka_unit_test(tickets_are_not_stored),
		cmocka_unit_test(unknown_ones_are_missed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
