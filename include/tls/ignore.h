/* SPDX-License-Identifier: BSD-2-Clause */
/* Errors of the verification of certificates: lists of those to be ignored. */
#ifndef TLS_IGNORE_H
#define TLS_IGNORE_H

#include "base/result.h"

#include <stdbool.h>

struct err;
struct tls_ignore; /* tls/settings.h */

/* "all", or numbers and names (X509_V_ERR_CERT_HAS_EXPIRED) parted by commas. 0, or -1 and err. */
MUST_USE int tls_ignore_parse(struct tls_ignore *ignore, const char *list, struct err *err);
/* NULL: none is. */
MUST_USE bool tls_ignore_has(const struct tls_ignore *ignore, int error);
/* The number of a name; -1: there is none. */
MUST_USE int tls_ignore_number(const char *name);

#endif
