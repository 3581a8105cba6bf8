/* SPDX-License-Identifier: BSD-2-Clause */
/* When a certificate is valid together with its chain. */
#ifndef TLS_AGE_H
#define TLS_AGE_H

#include "base/result.h"
#include "base/str.h"

#include <openssl/x509.h>
#include <stdbool.h>
#include <stdint.h>

/* When a certificate and its chain are valid together: seconds since 1970, both ends included, and
 * which one says so: 0 the certificate, 1 the first of its chain. */
struct tls_age {
	int64_t from, until;
	unsigned from_place, until_place;
};

/* What x, which stands at this place (0 before all others: age begins anew), says of it. */
void tls_age_add(struct tls_age *age, const X509 *x, unsigned place);
/* Is it not valid at this time (seconds since 1970)? Then a sentence about it, without a full
 * stop. */
MUST_USE bool tls_age_explain(const struct tls_age *age, int64_t now, struct text *t);

#endif
