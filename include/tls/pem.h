/* SPDX-License-Identifier: BSD-2-Clause */
/* What the files of a certificate hold, taken apart: DER in OpenSSL's memory. Of a file while it is
 * read, of a transaction until it is committed. */
#ifndef TLS_PEM_H
#define TLS_PEM_H

#include "base/result.h"
#include "base/str.h"

struct err;

struct tls_piece {
	unsigned char *der; /* OPENSSL_malloc; NULL: none */
	size_t len;
};

struct tls_pieces {
	struct tls_piece leaf, key, dh, issuer, ocsp, sctl;
	struct tls_piece *chain; /* malloc */
	unsigned chain_count;
};

enum { TLS_CHAIN_MAX = 64 }; /* certificates behind the leaf */

/* Takes text apart and adds what it holds: the first certificate is the leaf, others its chain; the
 * first key, the first parameters of Diffie-Hellman; other blocks are skipped. What is there
 * already is replaced: certificates together, a key by a key. 0; or -1 and err (no sentence about a
 * file's name), and pieces are as they were. It is no error that a text holds nothing of these. */
MUST_USE int tls_pieces_read(struct tls_pieces *pieces, struct span pem, struct err *err);
/* The same, for one certificate that is the issuer; it must be there. */
MUST_USE int tls_pieces_read_issuer(struct tls_pieces *pieces, struct span pem, struct err *err);
/* Copies bytes, in place of what is there. 0 or -1: no memory. */
MUST_USE int tls_piece_set(struct tls_piece *piece, struct span bytes);
static inline struct span tls_piece_span(const struct tls_piece *piece)
{
	return (struct span){ (const char *)piece->der, piece->len };
}
/* Wipes and frees. */
void tls_pieces_clear(struct tls_pieces *pieces);

/* 0; -1 and err: this block ("the ... is encrypted") has a header that says that it is
 * encrypted. */
MUST_USE int tls_pem_readable(const char *what, const char *header, struct err *err);
/* pem_password_cb: there is none. Without it OpenSSL asks at the terminal, and waits. */
MUST_USE int tls_no_passphrase(char *buf, int size, int writes, void *arg);

/* "error in OpenSSL's words", of the oldest error in its queue, which is emptied. */
const char *tls_reason(void);

#endif
