/* SPDX-License-Identifier: BSD-2-Clause */
/* What hangs at an SSL_CTX of ours, beside what OpenSSL keeps. */
#ifndef TLS_CONTEXT_H
#define TLS_CONTEXT_H

#include "tls/settings.h"

#include <openssl/ssl.h>

struct tls_trust;

struct tls_context_basis {
	struct tls_settings set; /* a copy of what tls_settings_context was given, verify never
				  * unset */
	bool server;
	struct tls_trust *trust; /* NULL: it verifies nobody */
	/* Of contexts that accept: HTTP/2 is not spoken behind them, whatever 'alpn' says. */
	bool (*without_h2)(const void *arg);
	const void *arg;
};

/* NULL: not one of ours. */
const struct tls_context_basis *tls_context_basis(const SSL_CTX *ctx);
/* Whom to ask whether "h2" may be agreed upon. */
void tls_context_for(SSL_CTX *ctx, bool (*without_h2)(const void *arg), const void *arg);
/* Gives the reference back. Connections that were made with it keep it; files of authorities are no
 * longer in use by it, though. The pointer becomes NULL. */
void tls_context_retire(SSL_CTX **ctx);

#endif
