/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What OpenSSL asks about each certificate of a peer's chain: is an error to be ignored? The first
 * ones are noted for fetches (tls/notes.h).
 */
#include "tls/verify.h"

#include "tls/context.h"
#include "tls/ignore.h"
#include "tls/notes.h"
#include "tls/settings.h"

#include <openssl/err.h>
#include <openssl/x509_vfy.h>

int tls_verify_mode(const struct tls_settings *set, bool server)
{
	if (set->verify != TLS_VERIFY_OPTIONAL && set->verify != TLS_VERIFY_REQUIRED)
		return SSL_VERIFY_NONE;
	if (server && set->verify == TLS_VERIFY_REQUIRED)
		return SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT;
	return SSL_VERIFY_PEER;
}

int tls_verify_callback(int ok, X509_STORE_CTX *store)
{
	SSL *ssl = X509_STORE_CTX_get_ex_data(store, SSL_get_ex_data_X509_STORE_CTX_idx());
	const struct tls_context_basis *basis = tls_context_basis(SSL_get_SSL_CTX(ssl));
	int error = X509_STORE_CTX_get_error(store), depth = X509_STORE_CTX_get_error_depth(store);

	if (ok)
		return 1;
	tls_note_verify(ssl, depth, error);
	if (!basis || !tls_ignore_has(depth ? basis->set.ca_ignore : basis->set.crt_ignore, error)) {
		tls_note_refused(ssl, X509_STORE_CTX_get0_cert(store));
		return 0;
	}
	/* The error stays with the handshake's result: SSL_get_verify_result tells it. */
	ERR_clear_error();
	return 1;
}
