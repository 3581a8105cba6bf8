/* SPDX-License-Identifier: BSD-2-Clause */
/* Early data of TLS 1.3 (RFC 8446 2.3): what a client says along with its first message. */
#ifndef TLS_EARLY_H
#define TLS_EARLY_H

#include <stdbool.h>
#include <stddef.h>

struct ssl_ctx_st;
struct tls_conn;

enum { TLS_EARLY_MOST = 16384 }; /* bytes of one connection */

/* A context that accepts takes early data (allow-0rtt). */
void tls_early_attach(struct ssl_ctx_st *ctx);
/* In the place of the first steps of the handshake: keeps what comes early. true: go on with
 * SSL_do_handshake; false: SSL_get_error(ssl, 0) says why not. */
bool tls_early_hear(struct tls_conn *t);
/* What was kept, once the handshake is done; returns how much. */
size_t tls_early_take(struct tls_conn *t, void *buf, size_t size);
void tls_early_free(struct tls_conn *t);

#endif
