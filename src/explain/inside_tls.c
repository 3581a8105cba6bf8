/* SPDX-License-Identifier: BSD-2-Clause */
/* A client of TLS that speaks through memory (explain/inside_tls.h): it believes every certificate,
 * and has none itself. Called by inside.c. */
#include "explain/inside_tls.h"

#include "explain/inside.h"

#include "config.h"

#ifdef HAVE_OPENSSL

#include "tls/store.h"
#include "tls/tune.h"

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <stdlib.h>

struct inside_tls {
	SSL_CTX *ctx;
	SSL *ssl;
	bool said; /* the request */
	char subject[256], fault[256];
};

void inside_tls_files(void)
{
	tls_tune.files_stand_in = true;
}

struct inside_tls *inside_tls_new(const char *sni, bool h2)
{
	static const unsigned char offers[] = "\2h2\010http/1.1";
	struct inside_tls *t = calloc(1, sizeof(*t));

	if (!t)
		return NULL;
	t->ctx = SSL_CTX_new(TLS_client_method());
	t->ssl = t->ctx ? SSL_new(t->ctx) : NULL;
	if (!t->ssl) {
		inside_tls_free(&t);
		return NULL;
	}
	SSL_set_bio(t->ssl, BIO_new(BIO_s_mem()), BIO_new(BIO_s_mem()));
	SSL_set_connect_state(t->ssl);
	SSL_set_alpn_protos(t->ssl, h2 ? offers : offers + 3, h2 ? 12 : 9);
	if (sni)
		SSL_set_tlsext_host_name(t->ssl, sni);
	return t;
}

bool inside_tls_own(struct inside_tls *t, const char *file)
{
	return SSL_use_certificate_chain_file(t->ssl, file) == 1 &&
	       SSL_use_PrivateKey_file(t->ssl, file, SSL_FILETYPE_PEM) == 1;
}

static void tls_failed(struct inside_tls *t, struct inside *in)
{
	unsigned long error = ERR_peek_last_error();

	ERR_error_string_n(error, t->fault, sizeof(t->fault));
	in->tls_failed = t->fault;
	ERR_clear_error();
}

/* "O = stand-in, CN = /etc/x.pem" */
static const char *tls_subject(struct inside_tls *t, X509 *peer)
{
	BIO *bio = BIO_new(BIO_s_mem());
	int n = 0;

	if (bio && X509_NAME_print_ex(bio, X509_get_subject_name(peer), 0, XN_FLAG_ONELINE) >= 0)
		n = BIO_read(bio, t->subject, sizeof(t->subject) - 1);
	BIO_free(bio);
	t->subject[n > 0 ? n : 0] = 0;
	return t->subject;
}

static void tls_note(struct inside_tls *t, struct inside *in)
{
	X509 *peer = SSL_get0_peer_certificate(t->ssl);

	in->tls_version = SSL_get_version(t->ssl);
	in->tls_cipher = SSL_get_cipher_name(t->ssl);
	if (peer)
		in->certificate = tls_subject(t, peer);
}

static void tls_ask(struct inside_tls *t, struct inside *in)
{
	const unsigned char *agreed;
	struct span request;
	unsigned len;

	SSL_get0_alpn_selected(t->ssl, &agreed, &len);
	in->h2 = in->request_h2.len && len == 2 && !memcmp(agreed, "h2", 2);
	request = in->h2 ? in->request_h2 : in->request;
	if (request.len)
		SSL_write(t->ssl, request.ptr, (int)request.len);
}

static void tls_hear(struct inside_tls *t, struct inside *in)
{
	char plain[16384];
	int n;

	while ((n = SSL_read(t->ssl, plain, sizeof(plain))) > 0)
		bytes_add(&in->heard, plain, (size_t)n);
	if (SSL_get_error(t->ssl, n) == SSL_ERROR_SSL)
		tls_failed(t, in);
}

static void tls_say(struct inside_tls *t, struct bytes *to)
{
	char *data;
	long n = BIO_get_mem_data(SSL_get_wbio(t->ssl), &data);

	if (n > 0)
		bytes_add(to, data, (size_t)n);
	(void)BIO_reset(SSL_get_wbio(t->ssl));
}

void inside_tls_turn(struct inside_tls *t, struct inside *in, const struct bytes *heard,
		     struct bytes *to)
{
	int r;

	if (heard->len)
		BIO_write(SSL_get_rbio(t->ssl), heard->ptr, (int)heard->len);
	r = SSL_do_handshake(t->ssl);
	if (r != 1 && SSL_get_error(t->ssl, r) == SSL_ERROR_SSL)
		tls_failed(t, in);
	if (r == 1 && !t->said) {
		t->said = true;
		tls_note(t, in);
		tls_ask(t, in);
	}
	if (r == 1)
		tls_hear(t, in);
	tls_say(t, to);
}

void inside_tls_free(struct inside_tls **tp)
{
	struct inside_tls *t = *tp;

	*tp = NULL;
	if (!t)
		return;
	SSL_free(t->ssl);
	SSL_CTX_free(t->ctx);
	free(t);
}

void inside_hello(const char *sni, const char *alpn, struct bytes *to)
{
	struct inside_tls *t = inside_tls_new(sni, false);
	unsigned char wire[256];
	size_t len = alpn ? strlen(alpn) : 0;

	if (!t)
		return;
	if (len && len < sizeof(wire)) {
		wire[0] = (unsigned char)len;
		memcpy(wire + 1, alpn, len);
		SSL_set_alpn_protos(t->ssl, wire, (unsigned)len + 1);
	}
	SSL_do_handshake(t->ssl);
	tls_say(t, to);
	inside_tls_free(&t);
}

#else

void inside_tls_files(void)
{
}

struct inside_tls *inside_tls_new(const char *sni, bool h2)
{
	(void)sni;
	(void)h2;
	return NULL;
}

bool inside_tls_own(struct inside_tls *t, const char *file)
{
	(void)t;
	(void)file;
	return false;
}

void inside_tls_turn(struct inside_tls *t, struct inside *in, const struct bytes *heard,
		     struct bytes *to)
{
	(void)t;
	(void)in;
	(void)heard;
	(void)to;
}

void inside_tls_free(struct inside_tls **t)
{
	*t = NULL;
}

void inside_hello(const char *sni, const char *alpn, struct bytes *to)
{
	(void)sni;
	(void)alpn;
	(void)to;
}

#endif
