/* SPDX-License-Identifier: BSD-2-Clause */
/* What peers' certificates are verified against: files of authorities (ca-file, ca-verify-file) and
 * revocation lists (crl-file), entries of the store as certificates are (tls/cert.h), read once for
 * one path, changed at run time. */
#ifndef TLS_TRUST_H
#define TLS_TRUST_H

#include "base/result.h"
#include "base/str.h"

#include <openssl/ssl.h>
#include <stdbool.h>

struct err;
struct tls_user;
struct tls_trust;

/* Reads a file (or directory) of authorities or revocation lists, so that tls_trust_load finds it
 * later wherever the process is then. 0, or -1 and err. */
MUST_USE int tls_trust_read(const char *path, struct err *err);
/* The configuration is complete: no file is read from now on. Later ones may be others, out of
 * reach, or gone when a worker is replaced: commands bring what is in them. */
void tls_trust_close(void);
/* What is made of files (or directories) of authorities and of revocation lists: shared by all who
 * name the same ones. Paths are full (ca-base is in front); ca_file may be "@system-ca". The
 * authorities of verify_file count, too, but their names are not told to clients. Each may be NULL.
 * Lives until the last user has left; as long as it has none: until somebody loads and leaves it.
 * NULL and err. */
struct tls_trust *tls_trust_load(const char *ca_file, const char *verify_file, const char *crl_file,
				 struct err *err);
/* For SSL_CTX_set1_verify_cert_store; flags for lists of revocations are set in it. Never NULL. */
X509_STORE *tls_trust_store(const struct tls_trust *trust);
/* The names of the authorities of ca_file, for SSL_CTX_set_client_CA_list: a copy, the caller's;
 * NULL: no memory. */
STACK_OF(X509_NAME) *tls_trust_names(const struct tls_trust *trust);
/* user->changed is called after the store became another one; old is NULL. */
void tls_trust_use(struct tls_trust *trust, struct tls_user *user);
/* The pointer becomes NULL; NULL is allowed. The last one who leaves frees it: connections that
 * were made with its store have references of their own. */
void tls_trust_leave(struct tls_trust **trust, struct tls_user *user);

/* -- files of authorities and of revocation lists, for commands ------------------------------- */

/* How the configuration, or a command, speaks of a file. */
enum { TLS_CA = 1 << 0, TLS_CRL = 1 << 1 };

/* One file (or directory), and what is in it. */
struct tls_ca {
	struct tls_ca *next;
	unsigned kinds;    /* TLS_* */
	X509_STORE *store; /* everything in it, each once */
	const char *name;
};

extern struct tls_ca *tls_ca_first; /* by name */
struct tls_ca *tls_ca_find(const char *name, unsigned kind);
/* Is it part of a trust that somebody uses? */
MUST_USE bool tls_ca_is_used(const struct tls_ca *ca);
/* Has anything been made of it? */
MUST_USE bool tls_ca_is_part(const struct tls_ca *ca);
/* An empty one. NULL: no memory. */
struct tls_ca *tls_ca_new(const char *name, unsigned kind);
/* Nobody uses it. */
void tls_ca_free(struct tls_ca **ca);
/* What a text holds of that kind, which must be something. NULL and err. */
X509_STORE *tls_ca_parse(struct span pem, unsigned kind, struct err *err);
/* A new one with what both have; more is taken over. NULL and err. */
X509_STORE *tls_ca_extend(X509_STORE *base, X509_STORE *more, struct err *err);
/* Puts it in place of what the file had, for all who use it; the reference is taken over. 0; or -1
 * and err, having changed nothing. */
MUST_USE int tls_ca_replace(struct tls_ca *ca, X509_STORE *store, struct err *err);
/* Authorities, or lists of revocations, in it. */
unsigned tls_ca_count(X509_STORE *store, unsigned kind);

#endif
