/* SPDX-License-Identifier: BSD-2-Clause */
/* Certificates by ACME: sections, and the certificates that belong to them (doc/internals/acme.md).
 */
#ifndef ACME_ACME_H
#define ACME_ACME_H

#include "acme/jws.h"
#include "base/list.h"
#include "config/config.h"
#include "tls/store.h"

#include <limits.h>
#include <stdint.h>

struct change_kind;
struct err;
struct pattern_ref;

extern const struct module acme_module;

enum acme_challenge { ACME_HTTP_01, ACME_TLS_ALPN_01 };

/* A section. In the arena. */
struct acme {
	struct acme *next;
	struct location loc;
	const char *name, *directory, *contact, *account_key, *map, *profile;
	const char *binding_id, *binding_key; /* files of external account binding; NULL: none */
	int binding_alg;           /* 0: HS256, 1: HS384, 2: HS512 */
	int challenge;             /* enum acme_challenge */
	int reuse_key;
	int keytype, curve;        /* enum acme_keytype; of acme_curves */
	unsigned bits;
	struct pattern_ref *ref;   /* of the map; NULL: none */
	/* Once the process has started: */
	EVP_PKEY *key;
	char *thumbprint;
	char *kid, *mac;           /* of external account binding */
	size_t mac_len;
	char state_path[PATH_MAX]; /* what outlasts a restart */
};
extern const char *const acme_challenges[], *const acme_curves[];
/* Of the generation that runs. */
struct acme_running {
	struct acme *sections; /* linked by next; NULL: none */
	bool scheduler;        /* acme.scheduler auto */
	struct list certs;     /* of struct acme_cert, by node */
};
extern struct acme_running acme_running;

enum {
	ACME_REASON = 700,
	ACME_REST_LEAST_S = 10,
	ACME_REST_MOST_S = 12 * 3600 /* behind a success */
};

/* A certificate that is kept up: what all processes know of it. */
struct acme_cert {
	struct list node;          /* acme_running.certs */
	struct tls_acme *line;
	struct acme *acme;
	char path[PATH_MAX];       /* of the file, from the root */
	bool running;              /* an order is under way */
	bool asked;                /* "acme renew": now, whatever was planned */
	bool unsaved;              /* in the parent: it is in force, and not on the disk */
	unsigned failures;         /* in a row */
	int64_t not_before;        /* seconds: no order begins sooner, unless it is asked for */
	char reason[ACME_REASON];  /* of the last failure; "": none */
};

struct acme_cert *acme_cert_find(const char *name);
/* Seconds: when an order is to begin; 0: now. INT64_MAX: never, acme.scheduler is off. */
int64_t acme_cert_due(const struct acme_cert *c);
/* Is it for all these names (separated by commas)? */
bool acme_leaf_covers(X509 *leaf, const char *domains);
/* What binds a fresh account to one outside: for struct acme_order_conf. arg: the section. */
char *acme_bind_account(void *arg, const char *url);

/* ---- files.c: with the rights of the start -------------------------------------------------- */

/* Reads the section's keys; makes that of the account where there is none. 0, or -1 and err. */
int acme_files_keys(struct acme *acme, struct err *err);
/* Where the certificate is written: the path without links, from the root. 0, or -1 and err. */
int acme_files_path(struct acme_cert *c, struct err *err);
/* What the file of the section says of its certificates. One that is not there says nothing. */
void acme_files_restore(struct acme *acme);
/* In the parent: writes key, certificate and chain; the state of all certificates of a section. 0,
 * or -1 and err: what was there is there. */
int acme_files_save(const struct acme_cert *c, struct err *err);
int acme_files_state(const struct acme *acme, struct err *err);

/* ---- change.c: through the ordered log ------------------------------------------------------- */

extern const struct change_kind acme_change;
typedef void acme_done(void *arg, const char *error, const char *said, size_t len);

/* An order begins; has failed (reason; not_before: as above). */
unsigned acme_tell_begin(const struct acme_cert *c, int64_t not_before, acme_done *done, void *arg);
unsigned acme_tell_failed(const struct acme_cert *c, int64_t not_before, const char *reason);
/* tls-alpn-01: the name is answered for with this (32 bytes; NULL: not any more). */
unsigned acme_tell_challenge(const char *name, const unsigned char *identifier, acme_done *done,
			     void *arg);
/* The parent makes a key as the section wants: what it says is PEM, to be wiped. */
unsigned acme_tell_key(const struct acme_cert *c, acme_done *done, void *arg);
/* Key and chain, PEM: in force everywhere, and on the disk. */
unsigned acme_tell_certificate(const struct acme_cert *c, const char *key, const char *chain,
			       acme_done *done, void *arg);
/* The parent: tries again to write what could not be written. */
void acme_lead(void);
/* Who serves does not, though it has inherited the parent's timer. */
void acme_follow(void);
/* Installed by client.c: something is due at another time. May be NULL. */
extern void (*acme_moved)(void);

#endif
