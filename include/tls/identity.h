/* SPDX-License-Identifier: BSD-2-Clause */
/* What a PROXY header tells of a client's TLS besides version and cipher (tls_link_identity). */
#ifndef TLS_IDENTITY_H
#define TLS_IDENTITY_H

#include "base/str.h"

#include <stdbool.h>

struct ssl_st;

struct tls_identity {
	struct span sni;          /* the name that the client asked for; empty: none */
	struct span cn;           /* common name of the client's certificate, UTF-8; empty: none */
	struct span sig_alg, key_alg; /* of our certificate: "RSA-SHA256", "RSA2048" */
	bool cert_conn;           /* the client showed a certificate on this connection */
	bool cert_sess;           /* or when the session was made that it resumed */
	bool verified;            /* and it was found good */
	char cn_memory[256], sig_memory[64], key_memory[64]; /* where the spans lie */
};

/* For rows (tls/link.h): fills in what is known; the rest is zero. */
void tls_identity_of(struct ssl_st *ssl, struct tls_identity *identity);

#endif
