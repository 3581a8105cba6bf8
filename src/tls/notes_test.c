/* SPDX-License-Identifier: BSD-2-Clause */
/* Notes of an SSL: two of them shake hands through memory; captures of any shape. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <openssl/x509v3.h>
#include <stdlib.h>

#include "tls/notes.h"
#include "tls/tune.h"

static X509 *make_certificate(EVP_PKEY *key)
{
	X509 *crt = X509_new();
	X509_NAME *name = X509_get_subject_name(crt);

	X509_set_version(crt, X509_VERSION_3);
	ASN1_INTEGER_set(X509_get_serialNumber(crt), 7);
	X509_gmtime_adj(X509_getm_notBefore(crt), -60);
	X509_gmtime_adj(X509_getm_notAfter(crt), 3600);
	X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC, (const unsigned char *)"test", -1, -1, 0);
	X509_set_issuer_name(crt, name);
	X509_set_pubkey(crt, key);
	assert_true(X509_sign(crt, key, EVP_sha256()) > 0);
	return crt;
}

static int verified(int ok, X509_STORE_CTX *store)
{
	SSL *ssl = X509_STORE_CTX_get_ex_data(store, SSL_get_ex_data_X509_STORE_CTX_idx());

	if (!ok)
		tls_note_verify(ssl, X509_STORE_CTX_get_error_depth(store),
				X509_STORE_CTX_get_error(store));
	return 1;
}

struct pair {
	SSL_CTX *server_ctx, *client_ctx;
	SSL *server, *client;
	EVP_PKEY *key;
	X509 *crt;
};

static void pair_make(struct pair *p)
{
	BIO *a, *b;

	p->key = EVP_EC_gen("P-256");
	p->crt = make_certificate(p->key);
	p->server_ctx = SSL_CTX_new(TLS_server_method());
	p->client_ctx = SSL_CTX_new(TLS_client_method());
	SSL_CTX_use_certificate(p->server_ctx, p->crt);
	SSL_CTX_use_PrivateKey(p->server_ctx, p->key);
	SSL_CTX_set_verify(p->client_ctx, SSL_VERIFY_PEER, verified);
	tls_note_secrets(p->server_ctx);
	p->server = SSL_new(p->server_ctx);
	p->client = SSL_new(p->client_ctx);
	SSL_set_accept_state(p->server);
	SSL_set_connect_state(p->client);
	assert_int_equal(BIO_new_bio_pair(&a, 65536, &b, 65536), 1);
	SSL_set_bio(p->server, a, a);
	SSL_set_bio(p->client, b, b);
}

static void pair_shake(struct pair *p)
{
	int i;

	for (i = 0; i < 10; i++) {
		SSL_do_handshake(p->client);
		SSL_do_handshake(p->server);
	}
	assert_true(SSL_is_init_finished(p->server) && SSL_is_init_finished(p->client));
}

static void pair_free(struct pair *p)
{
	SSL_free(p->server);
	SSL_free(p->client);
	SSL_CTX_free(p->server_ctx);
	SSL_CTX_free(p->client_ctx);
	X509_free(p->crt);
	EVP_PKEY_free(p->key);
}

static void nothing_unless_asked(void **state)
{
	struct pair p;

	(void)state;
	pair_make(&p);
	tls_note_hello(p.server);
	pair_shake(&p);
	assert_null(tls_notes_capture(p.server));
	assert_null(tls_notes_secret(p.server, TLS_SECRET_EXPORTER).ptr);
	assert_int_equal(tls_notes_verdict(p.server).crt, 0);
	pair_free(&p);
}

static void secrets_of_tls13(void **state)
{
	struct span client, server;
	struct pair p;

	(void)state;
	tls_tune.keylog = true;
	pair_make(&p);
	pair_shake(&p);
	client = tls_notes_secret(p.server, TLS_SECRET_CLIENT_TRAFFIC);
	server = tls_notes_secret(p.server, TLS_SECRET_SERVER_TRAFFIC);
	assert_int_equal(client.len, 96); /* SHA-384 in hexadecimal */
	assert_int_equal(server.len, 96);
	assert_memory_not_equal(client.ptr, server.ptr, 96);
	assert_int_equal(tls_notes_secret(p.server, TLS_SECRET_EXPORTER).len, 96);
	assert_int_equal(tls_notes_secret(p.server, TLS_SECRET_CLIENT_HANDSHAKE).len, 96);
	assert_null(tls_notes_secret(p.server, TLS_SECRET_CLIENT_EARLY).ptr); /* none was sent */
	assert_null(tls_notes_secret(p.client, TLS_SECRET_EXPORTER).ptr);
	pair_free(&p);
	tls_tune.keylog = false;
}

static void first_error_of_each_kind(void **state)
{
	struct tls_verdict v;
	struct pair p;

	(void)state;
	pair_make(&p);
	pair_shake(&p);
	v = tls_notes_verdict(p.client);
	assert_int_equal(v.crt, X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT);
	assert_int_equal(v.ca, 0);
	tls_note_verify(p.client, 0, X509_V_ERR_CERT_HAS_EXPIRED);
	tls_note_verify(p.client, 2, X509_V_ERR_INVALID_CA);
	tls_note_verify(p.client, 1, X509_V_ERR_CERT_REVOKED);
	v = tls_notes_verdict(p.client);
	assert_int_equal(v.crt, X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT);
	assert_int_equal(v.ca, X509_V_ERR_INVALID_CA);
	assert_int_equal(v.ca_depth, 2);
	pair_free(&p);
}

static void captures_what_came(void **state)
{
	const struct tls_capture *c;
	struct pair p;
	size_t all;

	(void)state;
	tls_tune.capture_size = 4096;
	pair_make(&p);
	SSL_set_cipher_list(p.client, "ECDHE-ECDSA-AES128-GCM-SHA256");
	SSL_set_ciphersuites(p.client, "TLS_AES_128_GCM_SHA256");
	SSL_set1_groups_list(p.client, "P-256:X25519");
	tls_note_hello(p.server);
	pair_shake(&p);
	c = tls_notes_capture(p.server);
	assert_non_null(c);
	assert_int_equal(c->version, 0x303);
	assert_int_equal(c->ciphers.len, 6); /* and the signalling one of RFC 5746 */
	assert_memory_equal(c->ciphers.ptr, "\x13\x01\xc0\x2b\x00\xff", 6);
	assert_int_equal(c->groups.len, 4);
	assert_memory_equal(c->groups.ptr, "\x00\x17\x00\x1d", 4);
	assert_true(c->formats.len >= 1 && !c->formats.ptr[0]);
	assert_true(c->extensions.len > 10 && c->extensions.len % 2 == 0);
	all = c->ciphers.len + c->groups.len + c->formats.len + c->extensions.len;
	assert_true(all < 200);
	pair_free(&p);
	tls_tune.capture_size = 0;
}

/* version, random, session of 2, ciphers, compression, extensions */
static const char hello[] =
	"\3\3................................\2ab\0\4\12\12\23\1\1\0"
	"\0\32" /* GREASE; groups; an unknown one; formats */
	"\12\12\0\0" "\0\12\0\6\0\4\32\32\0\35" "\177\1\0\1x" "\0\13\0\3\2\0\1";

static void assert_bytes(struct span s, const char *bytes, size_t len)
{
	assert_int_equal(s.len, len);
	assert_memory_equal(s.ptr, bytes, len);
}

static void captures_what_fits(void **state)
{
	struct span all = { hello, sizeof(hello) - 1 };
	struct tls_capture *c = tls_capture_parse(all, 100);
	uint64_t hash;

	(void)state;
	assert_bytes(c->ciphers, "\12\12\23\1", 4);
	assert_bytes(c->extensions, "\12\12\0\12\177\1\0\13", 8);
	assert_bytes(c->groups, "\32\32\0\35", 4);
	assert_bytes(c->formats, "\0\1", 2);
	hash = c->hash;
	free(c);
	c = tls_capture_parse(all, 13);
	assert_bytes(c->extensions, "\12\12\0\12\177\1\0\13", 8);
	assert_bytes(c->groups, "\32", 1);
	assert_int_equal(c->formats.len, 0);
	assert_true(c->hash == hash);
	free(c);
	c = tls_capture_parse(all, 0);
	assert_int_equal(c->ciphers.len, 0);
	assert_true(c->hash == hash);
	free(c);
}

/* Cut anywhere it is none, unless there is no list of extensions at all. */
static void captures_nothing_else(void **state)
{
	size_t len;

	(void)state;
	for (len = 0; len < sizeof(hello) - 1; len++) {
		char *copy = malloc(len + 1);
		struct tls_capture *c;

		memcpy(copy, hello, len);
		c = tls_capture_parse((struct span){ copy, len }, 100);
		assert_true(!c == (len != 45));
		free(c);
		free(copy);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_unless_asked),
		cmocka_unit_test(secrets_of_tls13),
		cmocka_unit_test(first_error_of_each_kind),
		cmocka_unit_test(captures_what_came),
		cmocka_unit_test(captures_what_fits),
		cmocka_unit_test(captures_nothing_else),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
