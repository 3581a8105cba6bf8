/* SPDX-License-Identifier: BSD-2-Clause */
/* Sessions of accepted connections that are resumed by their id: a cache that all workers share and
 * that outlives reloads (TLS 1.2 without tickets, TLS 1.3 with no-tls-tickets). Tickets, which need
 * no memory here: tls/tickets.h. */
#ifndef TLS_SESSIONS_H
#define TLS_SESSIONS_H

#include "base/result.h"

#include <openssl/ssl.h>
#include <stdbool.h>

struct module;

/* tune.ssl.cachesize, tune.ssl.lifetime, tune.ssl.force-private-cache. */
extern const struct module tls_sessions_module;

struct tls_sessions_conf {
	unsigned cachesize;    /* blocks of all workers together; 0: no cache */
	unsigned lifetime_ms;
	bool private_cache;    /* sessions of other workers are not looked for */
};

/* Binds sessions to what verifies clients; called when all of that is set. A session is resumed
 * only where `scope` and all that verifies clients are the same. So nobody gets around a client
 * certificate by resuming over another line or name. scope: the section of the bind line, the same
 * after a reload; the string stays the caller's. */
MUST_USE int tls_sessions_attach(SSL_CTX *ctx, const char *scope);
/* What clients are verified against has changed: sessions made before are not resumed. */
void tls_sessions_rebind(SSL_CTX *ctx);

#endif
