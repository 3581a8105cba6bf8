/* SPDX-License-Identifier: BSD-2-Clause */
/* Fetches of TLS connections, the client's (ssl_fc_*) and ours to the server (ssl_bc_*): what was
 * agreed on, numbers to tell sessions by, errors. Manual 7.3.4. Certificates are in fetch_x509.c,
 * the ClientHello and secrets in fetch_hello.c. On connections without TLS nearly all of them find
 * nothing; during a handshake, and after one that failed, they find what was known by then. */
#include "expr/tables.h"
#include "expr/tls.h"
#include "expr/view.h"
#include "tls/conn.h"
#include "tls/notes.h"

#include <openssl/err.h>
#include <openssl/ssl.h>

const struct conn *tls_fetch_conn(const struct fetch_call *call, enum tls_side side)
{
	return side == TLS_SERVER ? call->view->server_conn : call->view->client;
}

SSL *tls_fetch_ssl(const struct fetch_call *call, enum tls_side side)
{
	return tls_conn_ssl(tls_fetch_conn(call, side));
}

/* Rows say the side in data, or with a shift of 8 besides what they are about. */
enum { SIDE_BITS = 8 };
#define ABOUT(side, what) ((side) | (what) << SIDE_BITS)

static enum tls_side fetch_side(const struct fetch_call *call)
{
	return (enum tls_side)(call->row->data & ((1 << SIDE_BITS) - 1));
}

static int fetch_about(const struct fetch_call *call)
{
	return call->row->data >> SIDE_BITS;
}

static SSL *fetch_ssl(const struct fetch_call *call)
{
	return tls_fetch_ssl(call, fetch_side(call));
}

static enum expr_result tls_text(struct sample *smp, const char *text)
{
	if (!text)
		return EXPR_NONE;
	smp->str = span_of(text);
	smp->flags |= SMP_CONST;
	return EXPR_FOUND;
}

static enum expr_result tls_bytes(struct sample *smp, const void *ptr, size_t len)
{
	if (!len)
		return EXPR_NONE;
	smp->str = (struct span){ ptr, len };
	return EXPR_FOUND;
}

/* -- what was agreed on ------------------------------------------------------------------------ */

static enum expr_result fetch_protocol(struct fetch_call *call, struct sample *smp)
{
	const SSL *ssl = fetch_ssl(call);

	return tls_text(smp, ssl ? SSL_get_version(ssl) : NULL);
}

static enum expr_result fetch_cipher(struct fetch_call *call, struct sample *smp)
{
	const SSL *ssl = fetch_ssl(call);

	return tls_text(smp, ssl ? SSL_get_cipher_name(ssl) : NULL);
}

enum { KEYSIZE_ALGORITHM, KEYSIZE_USED };

static enum expr_result fetch_keysize(struct fetch_call *call, struct sample *smp)
{
	const SSL *ssl = fetch_ssl(call);
	int used, algorithm = 0;

	if (!ssl)
		return EXPR_NONE;
	used = SSL_get_cipher_bits(ssl, &algorithm);
	smp->num = fetch_about(call) == KEYSIZE_USED ? used : algorithm;
	return smp->num ? EXPR_FOUND : EXPR_NONE;
}

static enum expr_result fetch_tls_alpn(struct fetch_call *call, struct sample *smp)
{
	struct span name = tls_conn_alpn(tls_fetch_conn(call, fetch_side(call)));

	smp->flags |= SMP_CONST;
	return tls_bytes(smp, name.ptr, name.len);
}

/* NPN was taken out of OpenSSL in favour of ALPN: no connection has it. */
static enum expr_result fetch_npn(struct fetch_call *call, struct sample *smp)
{
	(void)call;
	(void)smp;
	return EXPR_NONE;
}

static enum expr_result fetch_is_resumed(struct fetch_call *call, struct sample *smp)
{
	const SSL *ssl = fetch_ssl(call);

	smp->num = ssl && SSL_session_reused(ssl);
	return EXPR_FOUND;
}

static const char *server_name(const SSL *ssl)
{
	return ssl ? SSL_get_servername(ssl, TLSEXT_NAMETYPE_host_name) : NULL;
}

static enum expr_result fetch_tls_sni(struct fetch_call *call, struct sample *smp)
{
	return tls_text(smp, server_name(fetch_ssl(call)));
}

static enum expr_result fetch_has_sni(struct fetch_call *call, struct sample *smp)
{
	smp->num = server_name(fetch_ssl(call)) != NULL;
	return EXPR_FOUND;
}

/* Data of the client that came before the handshake was done: they could be somebody else's, sent
 * again (RFC 8446 8). Once it is done the client has proved that they were its own. */
static enum expr_result fetch_has_early(struct fetch_call *call, struct sample *smp)
{
	const SSL *ssl = fetch_ssl(call);

	if (!ssl)
		return EXPR_NONE;
	smp->num = !SSL_is_init_finished(ssl) &&
		   SSL_get_early_data_status(ssl) == SSL_EARLY_DATA_ACCEPTED;
	return EXPR_FOUND;
}

/* -- numbers of a session ---------------------------------------------------------------------- */

enum { RANDOM_CLIENT, RANDOM_SERVER };

static enum expr_result fetch_random(struct fetch_call *call, struct sample *smp)
{
	const SSL *ssl = fetch_ssl(call);
	unsigned char *out = (unsigned char *)expr_scratch();
	size_t len;

	if (!ssl)
		return EXPR_NONE;
	len = fetch_about(call) == RANDOM_SERVER ? SSL_get_server_random(ssl, out, expr_scratch_size)
						 : SSL_get_client_random(ssl, out, expr_scratch_size);
	return tls_bytes(smp, out, len);
}

static enum expr_result fetch_session_id(struct fetch_call *call, struct sample *smp)
{
	const SSL *ssl = fetch_ssl(call);
	const SSL_SESSION *session = ssl ? SSL_get_session(ssl) : NULL;
	const unsigned char *id;
	unsigned len = 0;

	if (!session)
		return EXPR_NONE;
	id = SSL_SESSION_get_id(session, &len);
	smp->flags |= SMP_CONST;
	return tls_bytes(smp, id, len);
}

static enum expr_result fetch_session_key(struct fetch_call *call, struct sample *smp)
{
	const SSL *ssl = fetch_ssl(call);
	const SSL_SESSION *session = ssl ? SSL_get_session(ssl) : NULL;
	unsigned char *out = (unsigned char *)expr_scratch();

	if (!session)
		return EXPR_NONE;
	return tls_bytes(smp, out, SSL_SESSION_get_master_key(session, out, expr_scratch_size));
}

/* The first Finished of the handshake (RFC 5929 3.1): the client's, or the server's when a session
 * was resumed. */
static enum expr_result fetch_unique_id(struct fetch_call *call, struct sample *smp)
{
	const SSL *ssl = fetch_ssl(call);
	char *out = expr_scratch();
	size_t len;

	if (!ssl)
		return EXPR_NONE;
	if (SSL_is_server(ssl) == !SSL_session_reused(ssl))
		len = SSL_get_peer_finished(ssl, out, expr_scratch_size);
	else
		len = SSL_get_finished(ssl, out, expr_scratch_size);
	return tls_bytes(smp, out, len);
}

/* -- errors ------------------------------------------------------------------------------------ */

/* False: there is no TLS. Of a server whose handshake failed the connection is gone already. */
static bool tls_error_of(const struct fetch_call *call, unsigned long *error)
{
	const struct conn *conn = tls_fetch_conn(call, fetch_side(call));
	const struct view *view = call->view;

	if (tls_conn_is(conn)) {
		*error = tls_conn_error(conn);
		return true;
	}
	*error = view->server_tls_error;
	return fetch_side(call) == TLS_SERVER && view->server_tls_failed;
}

static enum expr_result fetch_tls_error(struct fetch_call *call, struct sample *smp)
{
	unsigned long error;

	if (!tls_error_of(call, &error))
		return EXPR_NONE;
	smp->num = (int64_t)error;
	return EXPR_FOUND;
}

static enum expr_result fetch_tls_error_text(struct fetch_call *call, struct sample *smp)
{
	unsigned long error;
	char *out = expr_scratch();

	if (!tls_error_of(call, &error) || !error)
		return EXPR_NONE;
	ERR_error_string_n(error, out, expr_scratch_size);
	return tls_bytes(smp, out, strlen(out));
}

/* -- the client's certificate, as far as it was judged ----------------------------------------- */

/* One was sent in this very handshake. */
static enum expr_result fetch_has_crt(struct fetch_call *call, struct sample *smp)
{
	const SSL *ssl = fetch_ssl(call);

	if (!ssl || !SSL_is_init_finished(ssl))
		return EXPR_NONE;
	smp->num = SSL_get0_peer_certificate(ssl) && !SSL_session_reused(ssl);
	return EXPR_FOUND;
}

/* The session has one, be it from an earlier handshake; or one was refused. */
static enum expr_result fetch_crt_used(struct fetch_call *call, struct sample *smp)
{
	const SSL *ssl = fetch_ssl(call);

	if (!ssl)
		return EXPR_NONE;
	smp->num = tls_notes_peer(ssl) != NULL;
	return EXPR_FOUND;
}

static enum expr_result fetch_verify(struct fetch_call *call, struct sample *smp)
{
	const SSL *ssl = fetch_ssl(call);

	if (!ssl || !SSL_is_init_finished(ssl))
		return EXPR_NONE;
	smp->num = SSL_get_verify_result(ssl);
	return EXPR_FOUND;
}

enum { VERDICT_CRT, VERDICT_CA, VERDICT_CA_DEPTH };

static enum expr_result fetch_verdict(struct fetch_call *call, struct sample *smp)
{
	const SSL *ssl = fetch_ssl(call);
	struct tls_verdict verdict;

	if (!ssl)
		return EXPR_NONE;
	verdict = tls_notes_verdict(ssl);
	switch (fetch_about(call)) {
	case VERDICT_CRT:
		smp->num = verdict.crt;
		break;
	case VERDICT_CA:
		smp->num = verdict.ca;
		break;
	default:
		smp->num = verdict.ca_depth;
		break;
	}
	return EXPR_FOUND;
}

/* -- the tables -------------------------------------------------------------------------------- */

#define FROM_TLS(side) ((side) == TLS_SERVER ? FROM_SERVER : FROM_TLS_CLIENT)
#define ROW(name, side, about, kind, run, text)                                               \
	{ name, { 0 }, kind, FROM_TLS(side), run, .data = ABOUT(side, about), .help = text }
/* A row for each side. */
#define ROWS(name, about, kind, run, text)                                                    \
	ROW("ssl_bc" name, TLS_SERVER, about, kind, run, text " (server)"),                   \
	ROW("ssl_fc" name, TLS_CLIENT, about, kind, run, text " (client)")

const struct fetch fetch_tls[] = {
	ROWS("_alg_keysize", KEYSIZE_ALGORITHM, SMP_INT, fetch_keysize, "bits of the cipher's key"),
	ROWS("_alpn", 0, SMP_STR, fetch_tls_alpn, "protocol agreed on by ALPN"),
	ROWS("_cipher", 0, SMP_STR, fetch_cipher, "name of the cipher"),
	ROWS("_client_random", RANDOM_CLIENT, SMP_BIN, fetch_random, "random of the ClientHello"),
	ROWS("_err", 0, SMP_INT, fetch_tls_error, "OpenSSL's last error, 0: none"),
	ROWS("_err_str", 0, SMP_STR, fetch_tls_error_text, "OpenSSL's last error in words"),
	ROWS("_is_resumed", 0, SMP_BOOL, fetch_is_resumed, "was an earlier session resumed?"),
	ROWS("_npn", 0, SMP_STR, fetch_npn, "protocol by NPN: never, ALPN has replaced it"),
	ROWS("_protocol", 0, SMP_STR, fetch_protocol, "version, as TLSv1.3"),
	ROWS("_server_random", RANDOM_SERVER, SMP_BIN, fetch_random, "random of the ServerHello"),
	ROWS("_session_id", 0, SMP_BIN, fetch_session_id, "number of the session"),
	ROWS("_session_key", 0, SMP_BIN, fetch_session_key, "master secret of the session"),
	ROWS("_unique_id", 0, SMP_BIN, fetch_unique_id, "unique id of RFC 5929"),
	ROWS("_use_keysize", KEYSIZE_USED, SMP_INT, fetch_keysize,
	     "bits of the cipher's key that are used"),
	ROW("ssl_fc_has_crt", TLS_CLIENT, 0, SMP_BOOL, fetch_has_crt,
	    "has the client sent a certificate in this connection?"),
	ROW("ssl_fc_has_early", TLS_CLIENT, 0, SMP_BOOL, fetch_has_early,
	    "were early data received, and is the handshake not done yet?"),
	ROW("ssl_fc_has_sni", TLS_CLIENT, 0, SMP_BOOL, fetch_has_sni,
	    "has the client asked for a server name?"),
	ROW("ssl_fc_sni", TLS_CLIENT, 0, SMP_STR, fetch_tls_sni,
	    "server name that the client asked for"),
	ROW("ssl_c_ca_err", TLS_CLIENT, VERDICT_CA, SMP_INT, fetch_verdict,
	    "first error above the client's certificate, 0: none"),
	ROW("ssl_c_ca_err_depth", TLS_CLIENT, VERDICT_CA_DEPTH, SMP_INT, fetch_verdict,
	    "where in the chain ssl_c_ca_err was"),
	ROW("ssl_c_err", TLS_CLIENT, VERDICT_CRT, SMP_INT, fetch_verdict,
	    "first error of the client's certificate itself, 0: none"),
	ROW("ssl_c_used", TLS_CLIENT, 0, SMP_BOOL, fetch_crt_used,
	    "has the session a certificate of the client?"),
	ROW("ssl_c_verify", TLS_CLIENT, 0, SMP_INT, fetch_verify,
	    "what the verification of the client has ended with, 0: it is trusted"),
	{ 0 },
};
