/* SPDX-License-Identifier: BSD-2-Clause */
/* What peers' certificates are verified against: files of authorities (ca-file, ca-verify-file) and
 * revocation lists (crl-file), entries of the store as certificates are (tls/cert.h), read once for one
 * path, changed at run time. */
#ifndef TLS_TRUST_H
#define TLS_TRUST_H

#include <openssl/ssl.h>

struct err;
struct tls_user;
struct tls_trust;

/* Reads a file (or directory) of authorities or revocation lists, so that tls_trust_load finds it later
 * wherever the process is then. 0, or -1 and err. */
int tls_trust_read(const char *path, struct err *err);
/* What is made of files (or directories) of authorities and of revocation lists: shared by all who
 * name the same ones. Paths are full (ca-base is in front); ca_file may be "@system-ca". The
 * authorities of verify_file count, too, but their names are not told to clients. Each may be NULL.
 * Lives until the end. NULL and err. */
struct tls_trust *tls_trust_load(const char *ca_file, const char *verify_file, const char *crl_file,
				 struct err *err);
/* For SSL_CTX_set1_verify_cert_store; flags for lists of revocations are set in it. Never NULL. */
X509_STORE *tls_trust_store(const struct tls_trust *trust);
/* The names of the authorities of ca_file, for SSL_CTX_set_client_CA_list: a copy, the caller's; NULL: no
 * memory. */
STACK_OF(X509_NAME) *tls_trust_names(const struct tls_trust *trust);
/* user->changed is called after the store became another one; old is NULL. */
void tls_trust_use(struct tls_trust *trust, struct tls_user *user);

#endif
