/* SPDX-License-Identifier: BSD-2-Clause */
/* TLS on the way to a server. For the files of stream/. */
#ifndef STREAM_CONNECT_TLS_H
#define STREAM_CONNECT_TLS_H

#include "base/result.h"
#include "base/str.h"

#include <stdbool.h>

struct module;
struct stream;

/* "sni" of server lines. */
extern const struct module sni_module;

/* The name to ask the server for, as "sni" of its line says now; empty: none. False: what that
 * gives cannot be a name. It is good until the next expression is evaluated. */
MUST_USE bool connect_tls_name(struct stream *s, struct span *name);
/* maxsslconn does not allow one more (tls_may_connect): tells the log. */
void connect_tls_too_many(const struct stream *s);
/* The connection stands: TLS is to begin on it. False: no memory. */
MUST_USE bool connect_tls_begin(struct stream *s, struct span name, struct span early);
/* The handshake has failed, or not come to its end in time: tells the log. */
void connect_tls_failed(struct stream *s);
/* It was successful: counts. */
void connect_tls_done(struct stream *s);

#endif
