/* SPDX-License-Identifier: BSD-2-Clause */
/* OCSP responses that came at run time, and what is known of updates, over a reload. */
#ifndef TLS_OCSP_KEPT_H
#define TLS_OCSP_KEPT_H

#include "base/result.h"

struct err;
struct tls_ocsp;

/* Before the first fork, when the certificates are there: takes what an earlier image has left, and
 * goes on writing. 0, or -1 and err. */
MUST_USE int tls_ocsp_restore(struct err *err);
/* A response came, or an update failed. Only the parent writes it down; elsewhere it does
 * nothing. */
void tls_ocsp_keep(struct tls_ocsp *ocsp);

#endif
