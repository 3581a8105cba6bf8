/* SPDX-License-Identifier: BSD-2-Clause */
/* Certificates as files name them: leaf, key, chain, OCSP response, SCT list. One content makes one
 * object, counted, however many lines name it. Objects never change. A change at run time
 * (tls/store.h) makes another object and puts it in the entry's place.
 *
 * A certificate is kept as its DER, some 1.5 kB. OpenSSL's objects (X509, EVP_PKEY) are made at the
 * first use and live while the certificate is among those used last (tls_tune.parsed_most). */
#ifndef TLS_CERT_H
#define TLS_CERT_H

#include "base/kind.h"
#include "base/result.h"
#include "base/str.h"
#include "tls/age.h"
#include "tls/index.h"

#include <openssl/ssl.h>
#include <stdbool.h>

struct err;
struct tls_der;
struct tls_ocsp;
struct tls_parsed;
struct tls_pieces;

struct tls_cert {
	unsigned refs;
	int algorithm; /* of its key: EVP_PKEY_RSA, EVP_PKEY_EC, EVP_PKEY_ED25519, ... */
	int curve;     /* of an EVP_PKEY_EC: NID_X9_62_prime256v1, ...; 0: it has no name */
	unsigned char fingerprint[32]; /* SHA-256 of everything: what "same content" means */
	/* The names it is for: dNSName of its alternative names, then common names; as written in
	 * it ("*.example.com"). For the index of names. */
	const struct span *names;
	unsigned name_count;
	struct tls_age age;
	const char *doubt; /* what clients may not like about its chain: a sentence; NULL:
			    * nothing */
	bool must_staple; /* RFC 7633: clients want an OCSP response with it */
	struct span ocsp; /* from a file: DER of the response; empty: none. Later ones are in
			   * tls/ocsp */
	struct tls_ocsp *stapled; /* tls/ocsp's: what is sent with it; NULL: nothing */
	struct span sctl; /* SCT list, TLS form; empty: none */
	/* private to cert.c */
	struct tls_link link;
	struct span leaf, key, dh;
	struct tls_der *issuer; /* NULL: not known */
	struct tls_parsed *parsed; /* NULL: not now */
	KIND_MEMBER
	unsigned chain_count;
	struct tls_der *chain[];
};

/* Puts leaf, key, chain and SCT list on an SSL (in its callbacks, or when it is fresh). 0 or -1:
 * no memory, or the library's security level refuses it (its error is in OpenSSL's queue). */
MUST_USE int tls_cert_use(struct tls_cert *cert, SSL *ssl);
/* The same for all connections of a context: default certificates, server lines. */
MUST_USE int tls_cert_use_context(struct tls_cert *cert, SSL_CTX *ctx);

/* The certificate that was put on it last; NULL. It lives as long as the SSL. */
struct tls_cert *tls_cert_of(const SSL *ssl);
/* A context for accepting: SCT lists of certificates will be sent to clients that ask. 0 or -1. */
MUST_USE int tls_cert_announce(SSL_CTX *ctx);

/* OpenSSL's objects, parsed when they are not there: NULL: no memory. They may go when other
 * certificates are used: take a reference (X509_up_ref ...) to keep one. */
X509 *tls_cert_leaf(struct tls_cert *cert);
EVP_PKEY *tls_cert_key(struct tls_cert *cert);
/* Without the leaf; NULL: none. */
STACK_OF(X509) *tls_cert_chain(struct tls_cert *cert);
/* Who signed the leaf, from a .issuer file or the chain: a new reference; NULL: not known. */
X509 *tls_cert_issuer(struct tls_cert *cert);

/* Of what files or a transaction hold, which stays the caller's. NULL, and err, as
 * tls_cert_parse. */
struct tls_cert *tls_cert_make(const struct tls_pieces *pieces, struct err *err);
/* The way back, copies; 0 or -1: no memory. */
MUST_USE int tls_cert_pieces(const struct tls_cert *cert, struct tls_pieces *pieces);
/* From PEM in memory: certificate, key, chain in any order of blocks, as in one file. NULL, and
 * err: no certificate, no key, a key that does not match, an encrypted key, OpenSSL's reason. The
 * same content twice gives the same object. */
struct tls_cert *tls_cert_parse(struct span pem, struct err *err);
struct tls_cert *tls_cert_take(struct tls_cert *cert);
void tls_cert_free(struct tls_cert **cert); /* gives one reference back */

#endif
