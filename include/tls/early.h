/* SPDX-License-Identifier: BSD-2-Clause */
/* Early data of TLS 1.3 (RFC 8446 2.3): what a client says along with its first message. For the
 * files of tls/; others see tls/conn.h. */
#ifndef TLS_EARLY_H
#define TLS_EARLY_H

#include "base/result.h"

#include <stdbool.h>
#include <stddef.h>

struct err;
struct ssl_ctx_st;
struct ssl_st;
struct tls_conn;

/* A context that accepts takes early data (allow-0rtt). */
void tls_early_attach(struct ssl_ctx_st *ctx);
/* How much this connection takes, by the context whose settings it has: on a fresh SSL, and when
 * the context changes. */
void tls_early_limit(struct ssl_st *ssl, struct ssl_ctx_st *ctx);
/* In the place of the first steps of the handshake: keeps what comes early. true: go on with
 * SSL_do_handshake; false: SSL_get_error(ssl, 0) says why not. */
MUST_USE bool tls_early_hear(struct tls_conn *t);
/* Some of what was kept (t->early); returns how much. */
size_t tls_early_take(struct tls_conn *t, void *buf, size_t size);
void tls_early_free(struct tls_conn *t);

/* The memory of what has come, before the first fork and before that of sessions. 0, or -1 and
 * err. */
MUST_USE int tls_early_prepare(struct err *err);
void tls_early_release(void);

#endif
