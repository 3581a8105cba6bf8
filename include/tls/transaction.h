/* SPDX-License-Identifier: BSD-2-Clause */
/* Changes of the store at run time, as transactions: what is set counts when it is committed, all
 * of it or nothing. One at a time for certificates, one for files of authorities, one for lists of
 * revocations. Every process has them, since every process carries out each step (event/change.h),
 * so that one that is forked in between goes on with them. */
#ifndef TLS_TRANSACTION_H
#define TLS_TRANSACTION_H

#include "base/result.h"
#include "tls/pem.h"
#include "tls/store.h"
#include "tls/trust.h"

/* Certificates. */
struct tls_transaction {
	char *name; /* of the entry; NULL: there is none */
	struct tls_pieces pieces;
	unsigned set; /* EXTRA_*: set in this transaction, the rest is the entry's */
};
extern struct tls_transaction tls_transaction;

/* Sets a part from a payload. file: an entry's name, or that with .key, .ocsp, .issuer or .sctl
 * behind it (ocsp and sctl: base64). *created: a transaction was begun. 0; or -1 and err, and all
 * is as before. */
MUST_USE int tls_transaction_set(const char *file, const char *payload, bool *created,
				 struct err *err);
/* Puts what was set in force. users: how many use it. 0; or -1 and err, and all is as before. */
MUST_USE int tls_transaction_commit(const char *name, unsigned *users, struct err *err);
MUST_USE int tls_transaction_abort(const char *name, struct err *err);
/* Takes out an entry that nobody uses. */
MUST_USE int tls_transaction_delete(const char *name, struct err *err);

/* Parts of the certificate of an entry, in force at once, all or none; a transaction that is under
 * way stays as it is. Suffixes are those of tls_transaction_set: "" or ".key" ... 0; or -1 and err,
 * and all is as before. */
struct tls_part {
	const char *suffix, *payload;
};
MUST_USE int tls_transaction_at_once(const char *name, const struct tls_part *given, unsigned count,
				     struct err *err);

/* Files of authorities (TLS_CA) and lists of revocations (TLS_CRL): the same. */
struct tls_ca_transaction {
	char *name;
	X509_STORE *store;
};
/* That of the kind, TLS_CA or TLS_CRL. Never NULL; without a name none is under way. */
const struct tls_ca_transaction *tls_ca_transaction(unsigned kind);

/* As those of certificates. kind: TLS_CA or TLS_CRL. add: to what the transaction has so far, or
 * else the file. */
MUST_USE int tls_ca_transaction_set(unsigned kind, const char *name, const char *payload, bool add,
				    bool *created, struct err *err);
MUST_USE int tls_ca_transaction_commit(unsigned kind, const char *name, struct err *err);
MUST_USE int tls_ca_transaction_abort(unsigned kind, const char *name, struct err *err);

#endif
