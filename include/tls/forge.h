/* SPDX-License-Identifier: BSD-2-Clause */
/* Certificates made on the spot for the name that a client asks for (generate-certificates),
 * signed by an authority whose key we have. */
#ifndef TLS_FORGE_H
#define TLS_FORGE_H

#include "base/str.h"

struct err;
struct tls_cert;
struct tls_forge;

/* The authority of a file with its certificate and key (PEM); pass: of the key, may be NULL.
 * NULL and err. */
struct tls_forge *tls_forge_new(const char *path, const char *pass, struct err *err);
void tls_forge_free(struct tls_forge **forge);
/* A certificate for the name, from the cache or fresh, with the key of like (NULL: one of ours). A
 * new reference; NULL: the name is none, or it cannot be made. */
struct tls_cert *tls_forge_cert(struct tls_forge *forge, struct span name, struct tls_cert *like);
/* How many were made. */
unsigned long tls_forge_count(const struct tls_forge *forge);

#endif
