/* SPDX-License-Identifier: BSD-2-Clause */
/* TLS of a bind line: its certificates, crt-lists and what is asked of clients. Hung at
 * bind_conf->tls, NULL on plain lines. */
#ifndef TLS_BIND_H
#define TLS_BIND_H

#include <stddef.h>

struct module;
struct ssl_st;
struct tls_bind;

/* Words of bind lines and of the global section about TLS. */
extern const struct module tls_bind_module;

/* A fresh SSL for one accepted connection, with the line's settings and default certificate; the
 * callbacks choose the certificate by the name asked for. NULL: no memory. */
struct ssl_st *tls_bind_ssl(struct tls_bind *bind);

#endif
