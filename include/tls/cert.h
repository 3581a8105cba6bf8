/* SPDX-License-Identifier: BSD-2-Clause */
/* Certificates as files name them: leaf, key, chain, OCSP response, SCT list. One object for one
 * content, however many lines name it; counted. Objects never change: a change at run time
 * (tls/change.h) makes another one and puts it in the entry's place.
 *
 * What is kept of each is its DER, some 1.5 kB; OpenSSL's objects (X509, EVP_PKEY) are made at first
 * use and live while they are among those used last (tls_cert_parsed_max). */
#ifndef TLS_CERT_H
#define TLS_CERT_H

#include "base/str.h"
#include "tls/index.h"

#include <openssl/ssl.h>
#include <stdbool.h>

struct err;
struct tls_der;
struct tls_parsed;
struct tls_pieces;

struct tls_cert {
	unsigned refs;
	int algorithm; /* of its key: EVP_PKEY_RSA, EVP_PKEY_EC, EVP_PKEY_ED25519, ... */
	unsigned char fingerprint[32]; /* SHA-256 of everything: what "same content" means */
	/* The names it is for: dNSName of its alternative names, then common names; as written in it
	 * ("*.example.com"). For the index of names. */
	const struct span *names;
	unsigned name_count;
	bool must_staple; /* RFC 7633: clients want an OCSP response with it */
	struct span ocsp; /* from a file: DER of the response; empty: none. Later ones are in tls/ocsp */
	struct span sctl; /* SCT list, TLS form; empty: none */
	/* private to cert.c */
	struct tls_link link;
	struct span leaf, key, dh;
	struct tls_der *issuer; /* NULL: not known */
	struct tls_parsed *parsed; /* NULL: not now */
	unsigned chain_count;
	struct tls_der *chain[];
};

/* Puts leaf, key, chain and SCT list on an SSL (in its callbacks, or when it is fresh). 0 or -1:
 * no memory, or the library's security level refuses it (its error is in OpenSSL's queue). */
int tls_cert_use(struct tls_cert *cert, SSL *ssl);
/* The same for all connections of a context: default certificates, server lines. */
int tls_cert_use_context(struct tls_cert *cert, SSL_CTX *ctx);

/* The certificate that was put on it last; NULL. It lives as long as the SSL. */
struct tls_cert *tls_cert_of(const SSL *ssl);
/* A context for accepting: SCT lists of certificates will be sent to clients that ask. 0 or -1. */
int tls_cert_announce(SSL_CTX *ctx);
extern unsigned tls_cert_parsed_max; /* how many are kept parsed */

/* OpenSSL's objects, parsed when they are not there: NULL: no memory. They may go when other
 * certificates are used: take a reference (X509_up_ref ...) to keep one. */
X509 *tls_cert_leaf(struct tls_cert *cert);
EVP_PKEY *tls_cert_key(struct tls_cert *cert);
/* Without the leaf; NULL: none. */
STACK_OF(X509) *tls_cert_chain(struct tls_cert *cert);
/* Who signed the leaf, from a .issuer file or the chain: a new reference; NULL: not known. */
X509 *tls_cert_issuer(struct tls_cert *cert);

/* Of what files or a transaction hold, which stays the caller's. NULL, and err, as tls_cert_parse. */
struct tls_cert *tls_cert_make(const struct tls_pieces *pieces, struct err *err);
/* The way back, copies; 0 or -1: no memory. */
int tls_cert_pieces(const struct tls_cert *cert, struct tls_pieces *pieces);
/* From PEM in memory: certificate, key, chain in any order of blocks, as in one file. NULL, and err:
 * no certificate, no key, a key that does not match, an encrypted key, OpenSSL's reason. The same
 * content twice gives the same object. */
struct tls_cert *tls_cert_parse(struct span pem, struct err *err);
struct tls_cert *tls_cert_take(struct tls_cert *cert);
void tls_cert_free(struct tls_cert **cert); /* gives one reference back */

/* Who uses an entry, or a file of authorities, and wants to know that it has changed. Embedded by the
 * user. */
struct tls_user {
	struct tls_user *next, **link; /* link NULL: in no list */
	/* May this be put in force? 0; or -1 and err. Nothing may be changed by it. May be NULL. */
	int (*check)(struct tls_user *user, const struct tls_cert *fresh, struct err *err);
	/* It is in force now; old is what was there (NULL: nothing, or not a certificate), and
	 * is given back afterwards. It cannot fail: what must be had beforehand is for check. */
	void (*changed)(struct tls_user *user, struct tls_cert *old);
	const char *where; /* bind lines: the name of the crt-list or directory that it stands in, for
			    * "show ssl cert"; NULL: none */
};

/* An entry of the store: a file name (or "@store/alias" of crt-store) and the certificate in
 * force. Entries stay where they are until they are deleted, which needs that nobody uses them. */
struct tls_entry {
	const char *name; /* as it was asked for, with crt-base in front */
	struct tls_cert *cert; /* never NULL while somebody uses it; NULL: "new", before "commit" */
	struct tls_user *users;
	void *ocsp; /* tls/ocsp's, NULL: none */
	/* private to store.c */
	struct tls_entry *next;   /* same hash */
	const struct tls_load *load; /* of a crt-store; NULL: none */
};

/* A file ending in what "key", "ocsp", "issuer" and "sctl" of ssl-load-extra-files mean: directories
 * skip it. */
bool tls_store_is_extra(const char *path);

enum { TLS_BUNDLE_MAX = 3 }; /* foo.rsa, foo.dsa, foo.ecdsa */
/* The entries that a name stands for: that of the file itself with, as ssl-load-extra-files says,
 * what lies beside it; or, where there is no such file, those of its bundle. Read when not in the
 * store yet. Returns how many, or -1 and err. name: full path (crt-base is in front), or
 * "@store/alias". */
int tls_entries_load(const char *name, struct tls_entry *entries[TLS_BUNDLE_MAX], struct err *err);
/* The same where only one will do. NULL and err. */
struct tls_entry *tls_entry_load(const char *name, struct err *err);
struct tls_entry *tls_entry_find(const char *name);
void tls_entry_use(struct tls_entry *entry, struct tls_user *user);
void tls_user_leave(struct tls_user *user); /* in no list: does nothing */

#endif
