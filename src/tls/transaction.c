/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Transactions on certificates, authorities and lists of revocations. Called by commands of the
 * stats socket, in each process alike: what is done depends on what was said before, and on nothing
 * else. Payloads are anybody's who may use the socket; keys in them are wiped when they were put in
 * force or forgotten.
 */
#include "tls/transaction.h"

#include "base/bug.h"
#include "base/err.h"
#include "tls/base64.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

struct tls_transaction tls_transaction;
static struct tls_ca_transaction authorities, revocations;

/* -- what is set
 * --------------------------------------------------------------------------------- */

/* What the transaction has set beside the certificate, before it. 0, or -1: no memory. */
static int keep_extras(struct tls_pieces *to, const struct tls_pieces *from)
{
	unsigned set = tls_transaction.set;

	if (set & EXTRA_OCSP && tls_piece_set(&to->ocsp, tls_piece_span(&from->ocsp)))
		return -1;
	if (set & EXTRA_SCTL && tls_piece_set(&to->sctl, tls_piece_span(&from->sctl)))
		return -1;
	if (set & EXTRA_ISSUER && tls_piece_set(&to->issuer, tls_piece_span(&from->issuer)))
		return -1;
	return 0;
}

/* The same as in a file: a new certificate brings its key and chain along, so the old ones do not
 * stay; nor does what was said of the old one. */
static int part_pem(struct tls_pieces *pieces, struct span text, struct err *err)
{
	struct tls_pieces fresh = { 0 }, *set = &tls_transaction.pieces;

	if (tls_pieces_read(&fresh, text, err) < 0)
		return -1;
	if (!fresh.leaf.der) {
		tls_pieces_clear(&fresh);
		return err_set(err, "no certificate in it");
	}
	if (pieces == set && keep_extras(&fresh, pieces)) {
		tls_pieces_clear(&fresh);
		return err_set(err, "out of memory");
	}
	tls_pieces_clear(pieces);
	*pieces = fresh;
	return 0;
}

static int part_key(struct tls_pieces *pieces, struct span text, struct err *err)
{
	struct tls_pieces fresh = { 0 };
	int rc = tls_pieces_read(&fresh, text, err);

	if (!rc && !fresh.key.der)
		rc = err_set(err, "no private key in it");
	if (!rc && tls_piece_set(&pieces->key, tls_piece_span(&fresh.key)) < 0)
		rc = err_set(err, "out of memory");
	tls_pieces_clear(&fresh);
	return rc;
}

typedef int piece_take(struct tls_pieces *pieces, struct span text, struct err *err);

static int part_base64(struct tls_pieces *pieces, struct span text, piece_take *take, struct err *err)
{
	char *bytes = malloc(text.len + 1);
	long len = bytes ? base64_decode(text, bytes, text.len) : -1;
	int rc;

	if (len < 0)
		rc = err_set(err, bytes ? "it is not base64" : "out of memory");
	else
		rc = take(pieces, (struct span){ bytes, (size_t)len }, err);
	free(bytes);
	return rc;
}

static int part_ocsp(struct tls_pieces *pieces, struct span text, struct err *err)
{
	return part_base64(pieces, text, tls_ocsp_piece, err);
}

static int part_sctl(struct tls_pieces *pieces, struct span text, struct err *err)
{
	return part_base64(pieces, text, tls_sctl_piece, err);
}

static const struct part {
	const char *suffix;
	piece_take *take;
	unsigned bit;
} parts[] = {
	{ "", part_pem, 0 },
	{ ".key", part_key, EXTRA_KEY },
	{ ".ocsp", part_ocsp, EXTRA_OCSP },
	{ ".issuer", tls_pieces_read_issuer, EXTRA_ISSUER },
	{ ".sctl", part_sctl, EXTRA_SCTL },
};

/* The entry of a stem: as it is; with ssl-load-extra-del-ext also with ".crt". */
static struct tls_entry *part_entry(const char *file, size_t len, bool with_crt)
{
	char name[PATH_MAX];
	int n = snprintf(name, sizeof(name), "%.*s%s", (int)len, file, with_crt ? ".crt" : "");

	return n < (int)sizeof(name) ? tls_entry_find(name) : NULL;
}

static struct tls_entry *part_find(const char *file, const struct part **part)
{
	size_t len = strlen(file), i, suffix;
	struct tls_entry *entry;

	for (i = 0; i < ARRAY_LEN(parts); i++) {
		suffix = strlen(parts[i].suffix);
		if (len < suffix || strcmp(file + len - suffix, parts[i].suffix))
			continue;
		*part = &parts[i];
		entry = part_entry(file, len - suffix, false);
		if (!entry && i && tls_store_settings.del_ext)
			entry = part_entry(file, len - suffix, true);
		if (entry)
			return entry;
	}
	return NULL;
}

static void transaction_end(void)
{
	free(tls_transaction.name);
	tls_pieces_clear(&tls_transaction.pieces);
	tls_transaction = (struct tls_transaction){ 0 };
}

static int transaction_begin(const struct tls_entry *entry, const struct part *part, const char *payload,
			     struct err *err)
{
	struct tls_transaction fresh = { .name = strdup(entry->name), .set = part->bit };
	int rc = 0;

	if (!fresh.name || (entry->cert && tls_cert_pieces(entry->cert, &fresh.pieces) < 0))
		rc = err_set(err, "out of memory");
	if (!rc)
		rc = part->take(&fresh.pieces, span_of(payload), err);
	if (!rc) {
		tls_transaction = fresh;
		return 0;
	}
	tls_pieces_clear(&fresh.pieces);
	free(fresh.name);
	return rc;
}

int tls_transaction_set(const char *file, const char *payload, bool *created, struct err *err)
{
	const struct part *part;
	const struct tls_entry *entry = part_find(file, &part);

	if (!entry)
		return err_set(err, "Can't replace a certificate which is not referenced by the "
				    "configuration!");
	*created = !tls_transaction.name;
	if (*created)
		return transaction_begin(entry, part, payload, err);
	if (strcmp(tls_transaction.name, entry->name))
		return err_set(err, "The ongoing transaction is about '%s' but you are trying to set '%s'",
			       tls_transaction.name, entry->name);
	if (part->take(&tls_transaction.pieces, span_of(payload), err) < 0)
		return -1;
	tls_transaction.set |= part->bit;
	return 0;
}

/* -- its end
 * --------------------------------------------------------------------------------------- */

static int transaction_is(const char *ongoing, const char *name, const char *what, struct err *err)
{
	if (!ongoing)
		return err_set(err, "No ongoing transaction!%s", *what == 'c' ? " !" : "");
	if (!strcmp(ongoing, name))
		return 0;
	if (*what == 'c') /* the same sentence as that of "set" */
		return err_set(err, "The ongoing transaction is about '%s' but you are trying to set '%s'",
			       ongoing, name);
	return err_set(err, "The ongoing transaction is about '%s' but you are trying to %s a transaction "
			    "for '%s'", ongoing, what, name);
}

static struct tls_cert *transaction_make(struct err *err)
{
	struct tls_pieces *pieces = &tls_transaction.pieces;

	if (!pieces->leaf.der || !pieces->key.der) {
		err_set(err, "The transaction must contain at least a certificate and a private key!");
		return NULL;
	}
	if (tls_files_complete(pieces) < 0) {
		err_set(err, "out of memory");
		return NULL;
	}
	return tls_cert_make(pieces, err);
}

static unsigned users_count(const struct tls_user *user)
{
	unsigned count = 0;

	for (; user; user = user->next)
		count++;
	return count;
}

int tls_transaction_commit(const char *name, unsigned *users, struct err *err)
{
	struct tls_entry *entry;
	struct tls_cert *cert, *old;

	if (transaction_is(tls_transaction.name, name, "commit", err) < 0)
		return -1;
	entry = tls_entry_find(name);
	BUG_ON(!entry); /* it is not deleted while there is one */
	cert = transaction_make(err);
	if (!cert)
		return -1;
	if (tls_users_check(entry->users, cert, err) < 0) {
		tls_cert_free(&cert);
		return -1;
	}
	old = entry->cert;
	entry->cert = cert;
	*users = users_count(entry->users);
	tls_users_changed(entry->users, old);
	tls_cert_free(&old);
	transaction_end();
	return 0;
}

int tls_transaction_abort(const char *name, struct err *err)
{
	if (transaction_is(tls_transaction.name, name, "abort", err) < 0)
		return -1;
	transaction_end();
	return 0;
}

int tls_transaction_delete(const char *name, struct err *err)
{
	struct tls_entry *entry = tls_entry_find(name);

	if (!entry)
		return err_set(err, "certificate '%s' doesn't exist!", name);
	if (tls_transaction.name && !strcmp(tls_transaction.name, name))
		return err_set(err, "ongoing transaction for the certificate '%s'", name);
	if (entry->users)
		return err_set(err, "certificate '%s' in use, can't be deleted!", name);
	if (entry->acme)
		return err_set(err, "certificate '%s' is kept up by ACME, can't be deleted!", name);
	tls_entry_free(&entry);
	return 0;
}

static int set_all(const char *name, const struct tls_part *given, unsigned count, struct err *err)
{
	char file[PATH_MAX];
	bool created;
	unsigned i;

	for (i = 0; i < count; i++) {
		if (snprintf(file, sizeof(file), "%s%s", name, given[i].suffix) >= (int)sizeof(file))
			return err_set(err, "the name is too long");
		if (tls_transaction_set(file, given[i].payload, &created, err) < 0)
			return -1;
	}
	return 0;
}

int tls_transaction_at_once(const char *name, const struct tls_part *given, unsigned count,
			    struct err *err)
{
	const struct tls_transaction ongoing = tls_transaction;
	unsigned users;
	int rc;

	if (!tls_entry_find(name))
		return err_set(err, "Can't replace a certificate which is not referenced by the "
				    "configuration!");
	tls_transaction = (struct tls_transaction){ 0 };
	rc = set_all(name, given, count, err);
	if (!rc && tls_transaction.name)
		rc = tls_transaction_commit(name, &users, err);
	transaction_end();
	tls_transaction = ongoing;
	return rc;
}

/* -- authorities and lists
 * ------------------------------------------------------------------------- */

static struct tls_ca_transaction *ca_transaction(unsigned kind)
{
	return kind == TLS_CA ? &authorities : &revocations;
}

const struct tls_ca_transaction *tls_ca_transaction(unsigned kind)
{
	return ca_transaction(kind);
}

static void ca_end(struct tls_ca_transaction *transaction)
{
	free(transaction->name);
	X509_STORE_free(transaction->store);
	*transaction = (struct tls_ca_transaction){ 0 };
}

int tls_ca_transaction_set(unsigned kind, const char *name, const char *payload, bool add,
			   bool *created, struct err *err)
{
	struct tls_ca_transaction *transaction = ca_transaction(kind), fresh;
	const struct tls_ca *ca = tls_ca_find(name, kind);

	if (!ca)
		return err_set(err, "Can't replace a %s file which is not referenced by the configuration!",
			       kind == TLS_CA ? "CA" : "CRL");
	if (transaction->name && strcmp(transaction->name, name))
		return err_set(err, "The ongoing transaction is about '%s' but you are trying to set '%s'",
			       transaction->name, name);
	*created = !transaction->name;
	fresh.store = tls_ca_parse(span_of(payload), kind, err);
	if (!fresh.store)
		return err_prefix(err, "Invalid payload");
	if (add)
		fresh.store = tls_ca_extend(transaction->name ? transaction->store : ca->store,
					    fresh.store, err);
	if (!fresh.store)
		return -1;
	fresh.name = strdup(name);
	if (!fresh.name) {
		X509_STORE_free(fresh.store);
		return err_set(err, "out of memory");
	}
	ca_end(transaction);
	*transaction = fresh;
	return 0;
}

int tls_ca_transaction_commit(unsigned kind, const char *name, struct err *err)
{
	struct tls_ca_transaction *transaction = ca_transaction(kind);
	struct tls_ca *ca;

	if (transaction_is(transaction->name, name, "commit", err) < 0)
		return -1;
	ca = tls_ca_find(name, kind);
	BUG_ON(!ca);
	if (tls_ca_replace(ca, transaction->store, err) < 0)
		return -1;
	transaction->store = NULL;
	ca_end(transaction);
	return 0;
}

int tls_ca_transaction_abort(unsigned kind, const char *name, struct err *err)
{
	struct tls_ca_transaction *transaction = ca_transaction(kind);

	if (transaction_is(transaction->name, name, "abort", err) < 0)
		return -1;
	ca_end(transaction);
	return 0;
}
