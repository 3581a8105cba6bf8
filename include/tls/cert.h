/* SPDX-License-Identifier: BSD-2-Clause */
/* Certificates as files name them: leaf, key, chain, OCSP response. One object for one content,
 * however many lines name it; counted. Objects never change: a change at run time (tls/change)
 * makes another one and puts it in the entry's place. */
#ifndef TLS_CERT_H
#define TLS_CERT_H

#include "base/str.h"

#include <openssl/ssl.h>
#include <stdbool.h>

struct err;

struct tls_cert {
	unsigned refs;
	X509 *leaf;
	EVP_PKEY *key;
	STACK_OF(X509) *chain; /* without the leaf and, as files have it, mostly without the root */
	unsigned char fingerprint[32]; /* SHA-256 of everything: what "same content" means */
};

/* An entry of the store: a file name (or "@store/alias" of crt-store) and the certificate in force. */
struct tls_entry {
	const char *name;
	struct tls_cert *cert;
	/* who uses it, transactions, OCSP: to be added by their owners */
};

/* The entry of a file, read when it is not in the store yet: the bundle itself and, as
 * ssl-load-extra-files says, what lies beside it. NULL and err. */
struct tls_entry *tls_entry_load(const char *path, struct err *err);
struct tls_entry *tls_entry_find(const char *name);
/* From PEM in memory (run time). */
struct tls_cert *tls_cert_parse(struct span pem, struct err *err);
struct tls_cert *tls_cert_take(struct tls_cert *cert);
void tls_cert_free(struct tls_cert **cert); /* gives one reference back */

#endif
