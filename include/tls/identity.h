/* SPDX-License-Identifier: BSD-2-Clause */
/* What a PROXY header tells of a client's TLS besides version and cipher (tls/conn.h). */
#ifndef TLS_IDENTITY_H
#define TLS_IDENTITY_H

#include "base/str.h"

#include <stdbool.h>

struct conn;

struct tls_identity {
	struct span sni;          /* the name that the client asked for; empty: none */
	struct span cn;           /* common name of the client's certificate, UTF-8; empty: none */
	struct span sig_alg, key_alg; /* of our certificate: "RSA-SHA256", "RSA2048" */
	bool cert_conn;           /* the client showed a certificate on this connection */
	bool cert_sess;           /* or when the session was made that it resumed */
	bool verified;            /* and it was found good */
	char cn_memory[256], sig_memory[64], key_memory[64]; /* where the spans lie */
};

/* The connection has TLS (tls_conn_is), the handshake is over. */
void tls_conn_identity(const struct conn *conn, struct tls_identity *identity);

#endif
