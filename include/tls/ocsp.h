/* SPDX-License-Identifier: BSD-2-Clause */
/* OCSP responses (RFC 6960) that go along with our certificates: from files, from commands, fetched
 * (ocsp/update.c). One for each certificate that wants one; the same in all processes by the ordered
 * log. One that has expired, or was not signed by the issuer, is never sent. */
#ifndef TLS_OCSP_H
#define TLS_OCSP_H

#include "base/result.h"
#include "base/str.h"
#include "tls/staple.h"

#include <openssl/ocsp.h>
#include <openssl/ssl.h>
#include <stdbool.h>
#include <stdint.h>

struct change_kind;
struct err;
struct tls_cert;

/* A context that accepts sends responses to clients that ask. */
void tls_ocsp_attach(SSL_CTX *ctx);
/* The certificate is in force, from this file. Takes the response that came with it (cert->ocsp).
 * update: it is to be fetched. Called again for the same it adds what is new. 0; or -1 and err:
 * what people should hear of; clients get no response then, or will miss one that the certificate
 * promises. */
MUST_USE int tls_ocsp_use(struct tls_cert *cert, const char *path, bool update, struct err *err);

/* By the certificate's CertID in hexadecimal, or its file; NULL. */
struct tls_ocsp *tls_ocsp_find(const char *reference);
/* Is this response one that may be sent with the certificate now: good, about it, in time, signed
 * by the issuer or whom the issuer has charged? 0 and when it expires; or -1 and err. */
MUST_USE int tls_ocsp_judge(const struct tls_ocsp *ocsp, struct span der, int64_t *until,
			    struct err *err);
/* Takes the response for all certificates that it is about. judged: another process has found it
 * good: it is no failure when it has expired meanwhile. 0, or -1 and err. */
MUST_USE int tls_ocsp_set(struct span der, bool judged, struct err *err);

/* For ocsp_kept.c: makes an object for each certificate of bind lines that has none. */
void tls_ocsp_meet_all(void);

/* ---- updates ----------------------------------------------------------------------------- */

/* It is to be fetched now, whatever was planned; in all processes: one of them does it. */
void tls_ocsp_ask(struct tls_ocsp *ocsp);
/* An update has ended; der empty: it failed. Through the log, to all processes. */
void tls_ocsp_report(const struct tls_ocsp *ocsp, enum tls_ocsp_status status, int64_t next,
		     struct span der);
extern const struct change_kind tls_ocsp_change;
/* Installed by ocsp/update.c: something was added, or is due at another time. May be NULL. */
extern void (*tls_ocsp_moved)(void);

#endif
