/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Early data can be recorded by somebody and sent again (RFC 8446 8). So nobody above hears of them
 * before the handshake is done, which only the true client can do: they are kept here, at most
 * TLS_EARLY_MOST bytes, and are the first that is received then. A replay costs an attacker a
 * handshake that fails and us nothing but that; it never reaches a rule, a log or a server, so that
 * nothing has to be remembered to recognise it. Called by conn.c.
 */
#include "tls/early.h"

#include "tls/layer.h"

#include <openssl/crypto.h>
#include <openssl/ssl.h>
#include <string.h>

struct tls_early {
	size_t len, at;
	char bytes[TLS_EARLY_MOST];
};

void tls_early_attach(SSL_CTX *ctx)
{
	SSL_CTX_set_max_early_data(ctx, TLS_EARLY_MOST);
	SSL_CTX_set_recv_max_early_data(ctx, TLS_EARLY_MOST);
	/* OpenSSL's own way keeps every session in the memory of one process. */
	SSL_CTX_set_options(ctx, SSL_OP_NO_ANTI_REPLAY);
}

static bool keep(struct tls_conn *t, const char *bytes, size_t len)
{
	struct tls_early *early = t->early;

	if (!len)
		return true;
	if (!early)
		early = t->early = OPENSSL_zalloc(sizeof(*early));
	if (!early || len > sizeof(early->bytes) - early->len)
		return false;
	memcpy(early->bytes + early->len, bytes, len);
	early->len += len;
	return true;
}

bool tls_early_hear(struct tls_conn *t)
{
	static char scratch[TLS_EARLY_MOST];
	size_t n;

	for (;;) {
		switch (SSL_read_early_data(t->ssl, scratch, sizeof(scratch), &n)) {
		case SSL_READ_EARLY_DATA_SUCCESS:
			if (keep(t, scratch, n))
				break;
			tls_conn_blame(t->ssl, TLS_FAULT_MEMORY);
			return false; /* SSL_get_error: the call did not fail, so it is fatal */
		case SSL_READ_EARLY_DATA_FINISH:
			t->hears_early = false;
			return true;
		default:
			return false;
		}
	}
}

size_t tls_early_take(struct tls_conn *t, void *buf, size_t size)
{
	struct tls_early *early = t->early;
	size_t n = early->len - early->at;

	n = n < size ? n : size;
	memcpy(buf, early->bytes + early->at, n);
	early->at += n;
	if (early->at == early->len)
		tls_early_free(t);
	return n;
}

void tls_early_free(struct tls_conn *t)
{
	OPENSSL_clear_free(t->early, sizeof(*t->early));
	t->early = NULL;
}
