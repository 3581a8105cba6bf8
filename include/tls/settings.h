/* SPDX-License-Identifier: BSD-2-Clause */
/* What bind lines, server lines, crt-list lines and the ssl-default-* words of the global section
 * can say of TLS, and the SSL_CTX that obeys it. Free of OpenSSL's headers: struct server_settings
 * embeds one. */
#ifndef TLS_SETTINGS_H
#define TLS_SETTINGS_H

#include "config/keyword.h"
#include "base/str.h"

#include <stdbool.h>

struct err;
struct ssl_ctx_st; /* OpenSSL's SSL_CTX */

enum { TLS_NO_TICKETS = 1 << 0, TLS_PREFER_CLIENT_CIPHERS = 1 << 1, TLS_STRICT_SNI = 1 << 2,
       TLS_NO_CA_NAMES = 1 << 3, TLS_ALLOW_0RTT = 1 << 4, TLS_GENERATE = 1 << 5,
       TLS_NO_REUSE = 1 << 6, TLS_SSL = 1 << 7 /* the word "ssl" itself */ };

enum tls_verify { TLS_VERIFY_UNSET, TLS_VERIFY_NONE, TLS_VERIFY_OPTIONAL, TLS_VERIFY_REQUIRED };

/* NULL, 0: not given, the default (ssl-default-*, then the library's) holds. Strings live in the
 * generation's arena. */
struct tls_settings {
	struct options options;      /* TLS_* */
	int min_version, max_version; /* TLS1_2_VERSION ... */
	unsigned forbidden;          /* no-tlsv1x: bit n for TLS 1.n, bit 31 for SSLv3 */
	const char *ciphers, *ciphersuites, *curves, *ecdhe, *sigalgs, *client_sigalgs;
	struct span alpn;            /* in the form of the wire */
	bool has_alpn;
	enum tls_verify verify;
	const char *ca_file, *ca_verify_file, *crl_file; /* full paths: ca-base was put in front */
};

/* What is given in over holds, the rest is under's. */
void tls_settings_inherit(struct tls_settings *over, const struct tls_settings *under);
/* A context for accepting (server) or connecting, without certificates. NULL and err when a value
 * is not one that the library takes. */
struct ssl_ctx_st *tls_settings_context(const struct tls_settings *set, bool server, struct err *err);

#endif
