/* SPDX-License-Identifier: BSD-2-Clause */
/* TLS towards servers: what the words of a server line say. Hung at server->tls and, for checks, at
 * server->check_tls; NULL: plain. */
#ifndef TLS_CLIENT_H
#define TLS_CLIENT_H

struct ssl_st;
struct tls_client;
struct tls_target;

/* A fresh SSL for one connection: settings, name, session to resume. NULL: no memory. */
struct ssl_st *tls_client_ssl(struct tls_client *client, const struct tls_target *target);

#endif
