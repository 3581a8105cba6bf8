/* SPDX-License-Identifier: BSD-2-Clause */
/* OCSP responses as they hang at certificates (cert->stapled): the objects alone. What a response
 * is worth, and whom it is sent to: tls/ocsp.h. */
#ifndef TLS_STAPLE_H
#define TLS_STAPLE_H

#include "base/list.h"
#include "base/result.h"
#include "base/str.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct err;
struct tls_cert;

enum { OCSP_RESPONSE_MOST = 16384, OCSP_ID_MOST = 128 };

/* How the last update went, as `show ssl ocsp-updates` has it. */
enum tls_ocsp_status { TLS_OCSP_UNKNOWN, TLS_OCSP_OK, TLS_OCSP_HTTP, TLS_OCSP_MISSING,
		       TLS_OCSP_INVALID, TLS_OCSP_NO_URI };

struct tls_ocsp {
	struct list node;        /* tls_ocsp_all */
	struct tls_cert *cert;   /* not a reference: it goes with the certificate */
	unsigned char id[OCSP_ID_MOST]; /* DER of its CertID with SHA-1 */
	size_t id_len;
	char *path;              /* file of the certificate */
	unsigned char *response; /* DER; NULL: none */
	size_t len;
	int64_t until;           /* seconds: it expires */
	bool late;               /* the response came at run time, not from a file */
	bool update;             /* ocsp-update on */
	bool asked;              /* by a command: once, now */
	/* Of updates. */
	enum tls_ocsp_status status;
	int64_t last, next;      /* seconds; 0: not yet, not known */
	unsigned successes, failures;
};
extern struct list tls_ocsp_all;

/* Puts a response that was judged in force: a copy of it, until then (seconds). 0; or -1 and err,
 * and the former one stays. */
MUST_USE int tls_ocsp_put(struct tls_ocsp *ocsp, struct span der, int64_t until, struct err *err);
/* The certificate is about to be freed: what hangs at it goes. */
void tls_ocsp_leave(struct tls_cert *cert);

#endif
