/* SPDX-License-Identifier: BSD-2-Clause */
/* What hangs at an SSL_CTX of ours, beside what OpenSSL keeps. */
#ifndef TLS_CONTEXT_H
#define TLS_CONTEXT_H

#include "base/kind.h"
#include "base/str.h"
#include "tls/settings.h"
#include "tls/store.h"

#include <openssl/ssl.h>
#include <stdbool.h>

struct arena;
struct tls_trust;

/* What ALPN offers behind a bind line. */
struct tls_offer {
	struct span usual; /* where nothing is said of it, in the form of the wire */
	bool usual_alone;  /* nobody speaks another protocol there (net/proto.h), whatever is
			    * said */
};

struct tls_context_basis {
	struct tls_settings set; /* a copy of what tls_settings_context was given, verify never
				  * unset */
	bool server;
	struct tls_trust *trust; /* NULL: it verifies nobody */
	const struct tls_offer *offer; /* NULL: it has none, or does not accept */
};

/* NULL: not one of ours. */
const struct tls_context_basis *tls_context_basis(const SSL_CTX *ctx);
/* Says what ALPN offers; known by the time connections come. */
void tls_context_offer(SSL_CTX *ctx, const struct tls_offer *offer);
/* Gives the reference back. Connections that were made with it keep it; files of authorities are no
 * longer in use by it, though. The pointer becomes NULL. */
void tls_context_retire(SSL_CTX **ctx);

/* -- private to settings_apply.c -------------------------------------------------------------- */

struct tls_context_extra {
	struct tls_context_basis basis;
	struct tls_user user; /* of the trust */
	struct arena *arena;  /* of basis.set */
	SSL_CTX *ctx;
	KIND_MEMBER
};
/* The context, which is fresh, has it from now on: all of it empty. NULL: no memory. */
struct tls_context_extra *tls_context_extra_new(SSL_CTX *ctx);

#endif
