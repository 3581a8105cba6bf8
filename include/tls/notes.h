/* SPDX-License-Identifier: BSD-2-Clause */
/* What is noted of one SSL while it shakes hands, and OpenSSL itself does not keep: for fetches and
 * logs. It hangs beside OpenSSL's object and goes with it; an SSL of which nothing is to be noted
 * costs nothing. */
#ifndef TLS_NOTES_H
#define TLS_NOTES_H

#include "base/str.h"
#include "tls/link.h"

#include <openssl/ssl.h>
#include <stdbool.h>
#include <stdint.h>

/* Errors of the verification of the peer's certificate (X509_V_ERR_*), the first of each kind, be
 * they ignored or not; 0: none. */
struct tls_verdict {
	uint16_t crt;      /* of the certificate itself */
	uint16_t ca;       /* of what stands above it */
	uint16_t ca_depth; /* where that was */
};

/* To be called by the verify callback for each certificate that has not passed, before it decides
 * whether to ignore that. */
void tls_note_verify(SSL *ssl, int depth, int error);
struct tls_verdict tls_notes_verdict(const SSL *ssl);
/* To be called by it when it does not ignore that: the peer's certificate, which OpenSSL
 * forgets. */
void tls_note_refused(SSL *ssl, X509 *peer);
/* The peer's certificate: that of the session, or the one that was refused; NULL: there was
 * none. */
X509 *tls_notes_peer(const SSL *ssl);

/* A fresh SSL that is about to hear a ClientHello: it will be captured, if tls_tune.capture_size
 * says so. Takes the SSL's message callback until then. */
void tls_note_hello(SSL *ssl);
/* NULL: there is none. */
const struct tls_capture *tls_notes_capture(const SSL *ssl);
/* The capture of a ClientHello's body, kept in one piece of memory for free(). NULL: it is none, or
 * no memory. */
struct tls_capture *tls_capture_parse(struct span hello, unsigned size);

/* Notes the secrets of all connections of that context, if tls_tune.keylog says so. */
void tls_note_secrets(SSL_CTX *ctx);
/* The secret in hexadecimal; ptr NULL: there is none. */
struct span tls_notes_secret(const SSL *ssl, enum tls_secret which);

struct module;
/* Words of the global section: tune.ssl.capture-*, tune.ssl.keylog. */
extern const struct module tls_notes_module;

#endif
