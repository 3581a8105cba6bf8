/* SPDX-License-Identifier: BSD-2-Clause */
/* Fetches of TLS connections, the client's (ssl_fc_*) and ours to the server (ssl_bc_*): what was
 * agreed on, numbers to tell sessions by, errors. Manual 7.3.4. Certificates are in fetch_x509.c,
 * the ClientHello and secrets in fetch_hello.c. On connections without TLS nearly all of them find
 * nothing; during a handshake, and after one that failed, they find what was known by then. */
#include "expr/tables.h"
#include "expr/tls.h"
#include "expr/view.h"
#include "tls/link.h"

#include <openssl/err.h>

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

static struct link fetch_link(const struct fetch_call *call)
{
	return tls_fetch_link(call, fetch_side(call));
}

static enum expr_result tls_found(struct sample *smp, struct span bytes)
{
	smp->str = bytes;
	return bytes.len ? EXPR_FOUND : EXPR_NONE;
}

/* -- what was agreed on, numbers of a session -------------------------------------------------- */

static enum expr_result fetch_text(struct fetch_call *call, struct sample *smp)
{
	smp->flags |= SMP_CONST;
	return tls_found(smp, tls_link_text(fetch_link(call), (enum tls_bytes)fetch_about(call)));
}

static enum expr_result fetch_bytes(struct fetch_call *call, struct sample *smp)
{
	return tls_found(smp, tls_link_bytes(fetch_link(call), (enum tls_bytes)fetch_about(call),
					     expr_scratch(), expr_scratch_size));
}

/* NPN was taken out of OpenSSL in favour of ALPN: no connection has it. */
static enum expr_result fetch_npn(struct fetch_call *call, struct sample *smp)
{
	(void)call;
	(void)smp;
	return EXPR_NONE;
}

static enum expr_result fetch_number(struct fetch_call *call, struct sample *smp)
{
	return tls_link_number(fetch_link(call), (enum tls_number)fetch_about(call), &smp->num) ?
		       EXPR_FOUND : EXPR_NONE;
}

/* False without TLS, too. */
static enum expr_result fetch_is_resumed(struct fetch_call *call, struct sample *smp)
{
	smp->num = tls_link_has(fetch_link(call), TLS_NUMBER_RESUMED);
	return EXPR_FOUND;
}

static enum expr_result fetch_sni(struct fetch_call *call, struct sample *smp)
{
	smp->str = tls_link_text(fetch_link(call), TLS_BYTES_SNI);
	smp->flags |= SMP_CONST;
	return smp->str.ptr ? EXPR_FOUND : EXPR_NONE;
}

static enum expr_result fetch_has_sni(struct fetch_call *call, struct sample *smp)
{
	smp->num = tls_link_text(fetch_link(call), TLS_BYTES_SNI).ptr != NULL;
	return EXPR_FOUND;
}

/* -- errors ------------------------------------------------------------------------------------ */

/* False: there is no TLS. Of a server whose handshake failed the connection is gone already. */
static bool tls_error_of(const struct fetch_call *call, unsigned long *error)
{
	const struct view *view = call->view;
	struct link link = fetch_link(call);

	if (tls_link_is(link)) {
		*error = tls_link_error(link);
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
	return tls_found(smp, span_of(out));
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
	ROWS("_alg_keysize", TLS_NUMBER_KEY_BITS, SMP_INT, fetch_number, "bits of the cipher's key"),
	ROWS("_alpn", TLS_BYTES_ALPN, SMP_STR, fetch_text, "protocol agreed on by ALPN"),
	ROWS("_cipher", TLS_BYTES_CIPHER, SMP_STR, fetch_text, "name of the cipher"),
	ROWS("_client_random", TLS_BYTES_CLIENT_RANDOM, SMP_BIN, fetch_bytes, "random of the ClientHello"),
	ROWS("_err", 0, SMP_INT, fetch_tls_error, "OpenSSL's last error, 0: none"),
	ROWS("_err_str", 0, SMP_STR, fetch_tls_error_text, "OpenSSL's last error in words"),
	ROWS("_is_resumed", 0, SMP_BOOL, fetch_is_resumed, "was an earlier session resumed?"),
	ROWS("_npn", 0, SMP_STR, fetch_npn, "protocol by NPN: never, ALPN has replaced it"),
	ROWS("_protocol", TLS_BYTES_VERSION, SMP_STR, fetch_text, "version, as TLSv1.3"),
	ROWS("_server_random", TLS_BYTES_SERVER_RANDOM, SMP_BIN, fetch_bytes, "random of the ServerHello"),
	ROWS("_session_id", TLS_BYTES_SESSION_ID, SMP_BIN, fetch_text, "number of the session"),
	ROWS("_session_key", TLS_BYTES_SESSION_KEY, SMP_BIN, fetch_bytes, "master secret of the session"),
	ROWS("_unique_id", TLS_BYTES_UNIQUE_ID, SMP_BIN, fetch_bytes, "unique id of RFC 5929"),
	ROWS("_use_keysize", TLS_NUMBER_KEY_BITS_USED, SMP_INT, fetch_number,
	     "bits of the cipher's key that are used"),
	ROW("ssl_fc_has_crt", TLS_CLIENT, TLS_NUMBER_CRT_SHOWN, SMP_BOOL, fetch_number,
	    "has the client sent a certificate in this connection?"),
	ROW("ssl_fc_has_early", TLS_CLIENT, TLS_NUMBER_EARLY, SMP_BOOL, fetch_number,
	    "were early data received, and is the handshake not done yet?"),
	ROW("ssl_fc_has_sni", TLS_CLIENT, 0, SMP_BOOL, fetch_has_sni,
	    "has the client asked for a server name?"),
	ROW("ssl_fc_sni", TLS_CLIENT, 0, SMP_STR, fetch_sni,
	    "server name that the client asked for"),
	ROW("ssl_c_ca_err", TLS_CLIENT, TLS_NUMBER_CA_ERROR, SMP_INT, fetch_number,
	    "first error above the client's certificate, 0: none"),
	ROW("ssl_c_ca_err_depth", TLS_CLIENT, TLS_NUMBER_CA_ERROR_DEPTH, SMP_INT, fetch_number,
	    "where in the chain ssl_c_ca_err was"),
	ROW("ssl_c_err", TLS_CLIENT, TLS_NUMBER_CRT_ERROR, SMP_INT, fetch_number,
	    "first error of the client's certificate itself, 0: none"),
	ROW("ssl_c_used", TLS_CLIENT, TLS_NUMBER_CRT_USED, SMP_BOOL, fetch_number,
	    "has the session a certificate of the client?"),
	ROW("ssl_c_verify", TLS_CLIENT, TLS_NUMBER_VERIFIED, SMP_INT, fetch_number,
	    "what the verification of the client has ended with, 0: it is trusted"),
	{ 0 },
};
