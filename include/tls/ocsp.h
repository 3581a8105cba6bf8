/* SPDX-License-Identifier: BSD-2-Clause */
/* OCSP responses (RFC 6960) that go along with our certificates: from files, from commands, fetched
 * (check/ocsp.c). One for each certificate that wants one; the same in all processes by the ordered
 * log. One that has expired, or was not signed by the issuer, is never sent. */
#ifndef TLS_OCSP_H
#define TLS_OCSP_H

#include "base/list.h"
#include "base/result.h"
#include "base/str.h"

#include <openssl/ocsp.h>
#include <openssl/ssl.h>
#include <stdbool.h>
#include <stdint.h>

struct change_kind;
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

/* A context that accepts sends responses to clients that ask. */
void tls_ocsp_attach(SSL_CTX *ctx);
/* The certificate is in force, from this file. Takes the response that came with it (cert->ocsp).
 * update: it is to be fetched. Called again for the same it adds what is new. 0; or -1 and err:
 * what people should hear of; clients get no response then, or will miss one that the certificate
 * promises. */
MUST_USE int tls_ocsp_use(struct tls_cert *cert, const char *path, bool update, struct err *err);
/* The certificate is about to be freed. */
void tls_ocsp_leave(struct tls_cert *cert);

/* By the certificate's CertID in hexadecimal, or its file; NULL. */
struct tls_ocsp *tls_ocsp_find(const char *reference);
/* Is this response one that may be sent with the certificate now: good, about it, in time, signed
 * by the issuer or whom the issuer has charged? 0 and when it expires; or -1 and err. */
MUST_USE int tls_ocsp_judge(const struct tls_ocsp *ocsp, struct span der, int64_t *until,
			    struct err *err);
/* Takes the response for all certificates that it is about. judged: another process has found it
 * good: it is no failure when it has expired meanwhile. 0, or -1 and err. */
MUST_USE int tls_ocsp_set(struct span der, bool judged, struct err *err);

/* For ocsp_kept.c: puts a response that was judged in force, 0, or -1 and err; makes an object for
 * each certificate of bind lines that has none. */
MUST_USE int tls_ocsp_put(struct tls_ocsp *ocsp, struct span der, int64_t until, struct err *err);
void tls_ocsp_meet_all(void);

/* ---- updates ----------------------------------------------------------------------------- */

/* It is to be fetched now, whatever was planned; in all processes: one of them does it. */
void tls_ocsp_ask(struct tls_ocsp *ocsp);
/* An update has ended; der empty: it failed. Through the log, to all processes. */
void tls_ocsp_report(const struct tls_ocsp *ocsp, enum tls_ocsp_status status, int64_t next,
		     struct span der);
extern const struct change_kind tls_ocsp_change;
/* Installed by check/ocsp.c: something was added, or is due at another time. May be NULL. */
extern void (*tls_ocsp_moved)(void);

#endif
