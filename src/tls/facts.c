/* SPDX-License-Identifier: BSD-2-Clause */
/* What TLS tells of a connection (tls/link.h): OpenSSL's object is asked, and what is noted beside
 * it. Why a handshake failed is in explain.c, what a PROXY header tells in identity.c. Nothing
 * changes. */
#include "tls/layer.h"

#include "base/kind.h"
#include "tls/identity.h"
#include "tls/link.h"
#include "tls/notes.h"

#include <openssl/ssl.h>

static const struct tls_conn *layer_of(const void *of)
{
	const struct conn *conn = KIND_OF(const struct conn, of);

	return container_of(conn->layer, struct tls_conn, layer);
}

/* ---- text and bytes ------------------------------------------------------------------------- */

static struct span text_of(const char *text)
{
	return text ? span_of(text) : (struct span){ NULL, 0 };
}

static struct span alpn_of(const SSL *ssl)
{
	const unsigned char *ptr = NULL;
	unsigned len = 0;

	SSL_get0_alpn_selected(ssl, &ptr, &len);
	return (struct span){ (const char *)ptr, len };
}

static struct span session_id(const SSL *ssl)
{
	const SSL_SESSION *session = SSL_get_session(ssl);
	const unsigned char *id = NULL;
	unsigned len = 0;

	if (session)
		id = SSL_SESSION_get_id(session, &len);
	return (struct span){ (const char *)id, len };
}

static size_t session_key(const SSL *ssl, unsigned char *out, size_t size)
{
	const SSL_SESSION *session = SSL_get_session(ssl);

	return session ? SSL_SESSION_get_master_key(session, out, size) : 0;
}

/* RFC 5929 3.1: the client's Finished, or the server's when a session was resumed. */
static size_t unique_id(const SSL *ssl, char *out, size_t size)
{
	if (SSL_is_server(ssl) == !SSL_session_reused(ssl))
		return SSL_get_peer_finished(ssl, out, size);
	return SSL_get_finished(ssl, out, size);
}

static struct span fact_bytes(const void *of, enum tls_bytes which, char *memory, size_t size)
{
	const SSL *ssl = tls_conn_ssl(of);
	unsigned char *out = (unsigned char *)memory;
	size_t len = 0;

	switch (which) {
	case TLS_BYTES_VERSION:
		return text_of(SSL_get_version(ssl));
	case TLS_BYTES_CIPHER:
		return text_of(SSL_get_cipher_name(ssl));
	case TLS_BYTES_ALPN:
		return alpn_of(ssl);
	case TLS_BYTES_SNI:
		return text_of(SSL_get_servername(ssl, TLSEXT_NAMETYPE_host_name));
	case TLS_BYTES_SESSION_ID:
		return session_id(ssl);
	case TLS_BYTES_CLIENT_RANDOM:
		len = SSL_get_client_random(ssl, out, size);
		break;
	case TLS_BYTES_SERVER_RANDOM:
		len = SSL_get_server_random(ssl, out, size);
		break;
	case TLS_BYTES_SESSION_KEY:
		len = session_key(ssl, out, size);
		break;
	case TLS_BYTES_UNIQUE_ID:
		len = unique_id(ssl, memory, size);
		break;
	}
	return (struct span){ memory, len };
}

/* ---- numbers -------------------------------------------------------------------------------- */

static bool key_bits(const SSL *ssl, bool used, int64_t *number)
{
	int algorithm = 0, in_use = SSL_get_cipher_bits(ssl, &algorithm);

	*number = used ? in_use : algorithm;
	return *number != 0;
}

/* Data of the client that came before the handshake was done: they could be somebody else's, sent
 * again (RFC 8446 8). Once it is done the client has proved that they were its own. */
static bool has_early(const SSL *ssl)
{
	return !SSL_is_init_finished(ssl) && SSL_get_early_data_status(ssl) == SSL_EARLY_DATA_ACCEPTED;
}

static int64_t verdict_of(const SSL *ssl, enum tls_number which)
{
	struct tls_verdict verdict = tls_notes_verdict(ssl);

	if (which == TLS_NUMBER_CRT_ERROR)
		return verdict.crt;
	return which == TLS_NUMBER_CA_ERROR ? verdict.ca : verdict.ca_depth;
}

static bool fact_number(const void *of, enum tls_number which, int64_t *number)
{
	const SSL *ssl = tls_conn_ssl(of);

	switch (which) {
	case TLS_NUMBER_KEY_BITS:
	case TLS_NUMBER_KEY_BITS_USED:
		return key_bits(ssl, which == TLS_NUMBER_KEY_BITS_USED, number);
	case TLS_NUMBER_RESUMED:
		*number = SSL_session_reused(ssl);
		return true;
	case TLS_NUMBER_UNSAID:
		*number = layer_of(of)->conn->flags & CONN_EOF && !layer_of(of)->said;
		return true;
	case TLS_NUMBER_EARLY:
		*number = has_early(ssl);
		return true;
	case TLS_NUMBER_CRT_SHOWN:
		*number = SSL_get0_peer_certificate(ssl) && !SSL_session_reused(ssl);
		return SSL_is_init_finished(ssl);
	case TLS_NUMBER_CRT_USED:
		*number = tls_notes_peer(ssl) != NULL;
		return true;
	case TLS_NUMBER_VERIFIED:
		*number = SSL_get_verify_result(ssl);
		return SSL_is_init_finished(ssl);
	case TLS_NUMBER_CRT_ERROR:
	case TLS_NUMBER_CA_ERROR:
	case TLS_NUMBER_CA_ERROR_DEPTH:
		break;
	}
	*number = verdict_of(ssl, which);
	return true;
}

/* ---- what the layer and the notes know ------------------------------------------------------- */

static enum tls_fault fact_fault(const void *of)
{
	return layer_of(of)->fault;
}

static unsigned long fact_error(const void *of)
{
	return layer_of(of)->error;
}

static void fact_explain(const void *of, struct text *t)
{
	tls_explain(layer_of(of)->error, tls_conn_ssl(of), t);
}

static void fact_identity(const void *of, struct tls_identity *identity)
{
	tls_identity_of(tls_conn_ssl(of), identity);
}

static const struct tls_capture *fact_capture(const void *of)
{
	return tls_notes_capture(tls_conn_ssl(of));
}

static struct span fact_secret(const void *of, enum tls_secret which)
{
	return tls_notes_secret(tls_conn_ssl(of), which);
}

static struct ssl_st *fact_ssl(const void *of)
{
	return tls_conn_ssl(of);
}

const struct tls_link_ops tls_conn_facts = {
	.bytes = fact_bytes,
	.number = fact_number,
	.fault = fact_fault,
	.error = fact_error,
	.explain = fact_explain,
	.identity = fact_identity,
	.capture = fact_capture,
	.secret = fact_secret,
	.ssl = fact_ssl,
};
