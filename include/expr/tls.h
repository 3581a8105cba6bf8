/* SPDX-License-Identifier: BSD-2-Clause */
/* What the fetches of TLS connections have in common. */
#ifndef EXPR_TLS_H
#define EXPR_TLS_H

#include "expr/expr.h"

#include <openssl/ssl.h>

struct conn;

/* Whose connection. */
enum tls_side { TLS_CLIENT, TLS_SERVER };

/* From the handshake on: session rules and all that follows. */
enum { FROM_TLS_CLIENT = AT_SESSION | AT_STREAM };

/* NULL: there is none. */
const struct conn *tls_fetch_conn(const struct fetch_call *call, enum tls_side side);
/* NULL: no connection, or no TLS on it. */
SSL *tls_fetch_ssl(const struct fetch_call *call, enum tls_side side);

#endif
