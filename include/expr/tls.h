/* SPDX-License-Identifier: BSD-2-Clause */
/* What the fetches of TLS connections have in common. */
#ifndef EXPR_TLS_H
#define EXPR_TLS_H

#include "expr/expr.h"
#include "expr/view.h"

/* Whose connection. */
enum tls_side { TLS_CLIENT, TLS_SERVER };

/* From the handshake on: session rules and all that follows. */
enum { FROM_TLS_CLIENT = AT_SESSION | AT_STREAM };

static inline struct link tls_fetch_link(const struct fetch_call *call, enum tls_side side)
{
	return side == TLS_SERVER ? call->view->server_link : call->view->client_link;
}

#endif
