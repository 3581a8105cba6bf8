/* SPDX-License-Identifier: BSD-2-Clause */
/* For unit tests: a client and a server of OpenSSL that speak through memory. */
#ifndef TLS_TEST_PAIR_H
#define TLS_TEST_PAIR_H

#include <openssl/evp.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <stdbool.h>
#include <string.h>

static inline X509 *test_certificate(EVP_PKEY *key, const char *name, X509 *issuer, EVP_PKEY *by)
{
	static long serial = 1;
	X509 *x = X509_new();

	X509_set_version(x, 2);
	ASN1_INTEGER_set(X509_get_serialNumber(x), ++serial);
	X509_gmtime_adj(X509_getm_notBefore(x), -3600);
	X509_gmtime_adj(X509_getm_notAfter(x), 86400);
	X509_set_pubkey(x, key);
	X509_NAME_add_entry_by_txt(X509_get_subject_name(x), "CN", MBSTRING_ASC,
				   (const unsigned char *)name, -1, -1, 0);
	X509_set_issuer_name(x, X509_get_subject_name(issuer ? issuer : x));
	X509_sign(x, by ? by : key, EVP_sha256());
	return x;
}

/* A context with a certificate of its own; version: the only one that it speaks. */
static inline SSL_CTX *test_server(int version)
{
	SSL_CTX *ctx = SSL_CTX_new(TLS_server_method());
	EVP_PKEY *key = EVP_EC_gen("P-256");
	X509 *x = test_certificate(key, "server.test", NULL, NULL);

	SSL_CTX_use_certificate(ctx, x);
	SSL_CTX_use_PrivateKey(ctx, key);
	SSL_CTX_set_min_proto_version(ctx, version);
	SSL_CTX_set_max_proto_version(ctx, version);
	X509_free(x);
	EVP_PKEY_free(key);
	return ctx;
}

static SSL_SESSION *test_last_session; /* that the client was given */

static inline int test_got_session(SSL *ssl, SSL_SESSION *session)
{
	(void)ssl;
	SSL_SESSION_free(test_last_session);
	test_last_session = session;
	return 1;
}

static inline SSL_CTX *test_client(void)
{
	SSL_CTX *ctx = SSL_CTX_new(TLS_client_method());

	SSL_CTX_set_session_cache_mode(ctx, SSL_SESS_CACHE_CLIENT);
	SSL_CTX_sess_set_new_cb(ctx, test_got_session);
	return ctx;
}

static inline void test_join(SSL *a, SSL *b)
{
	BIO *x, *y;

	BIO_new_bio_pair(&x, 0, &y, 0);
	SSL_set_bio(a, x, x);
	SSL_set_bio(b, y, y);
}

enum { TEST_FAILED = -1, TEST_FULL, TEST_RESUMED };

/* Both shake hands, say a byte each, and close. */
static inline int test_shake(SSL *client, SSL *server)
{
	int i, rc = TEST_FAILED, c = 0, s = 0;
	char byte;

	for (i = 0; i < 20 && (c != 1 || s != 1); i++) {
		c = SSL_do_handshake(client);
		s = SSL_do_handshake(server);
	}
	if (c == 1 && s == 1 && SSL_write(server, "x", 1) == 1 && SSL_read(client, &byte, 1) == 1)
		rc = SSL_session_reused(server) ? TEST_RESUMED : TEST_FULL;
	SSL_shutdown(client);
	SSL_shutdown(server);
	return rc;
}

/* session NULL: none is offered. A client of TLS 1.3 uses a session once: it gets a copy. */
static inline int test_connect(SSL_CTX *client, SSL_CTX *server, SSL_SESSION *session)
{
	SSL *c = SSL_new(client), *s = SSL_new(server);
	SSL_SESSION *copy = session ? SSL_SESSION_dup(session) : NULL;
	int rc;

	test_join(c, s);
	SSL_set_connect_state(c);
	SSL_set_accept_state(s);
	if (copy)
		SSL_set_session(c, copy);
	rc = test_shake(c, s);
	SSL_free(c);
	SSL_free(s);
	SSL_SESSION_free(copy);
	return rc;
}

/* Keeps the session that it gets from a full handshake. */
static inline SSL_SESSION *test_fresh_session(SSL_CTX *client, SSL_CTX *server)
{
	SSL_SESSION *session = NULL;

	SSL_SESSION_free(test_last_session);
	test_last_session = NULL;
	if (test_connect(client, server, NULL) == TEST_FULL && test_last_session) {
		session = test_last_session;
		test_last_session = NULL;
	}
	return session;
}

#endif
