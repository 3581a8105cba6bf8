/* SPDX-License-Identifier: BSD-2-Clause */
/* Commands about files of authorities and lists of revocations: new, set, commit, abort, del and
 * show, each for ssl ca-file and ssl crl-file; add for the former. Sentences are HAProxy's,
 * which tools look for. */
#include "cli/modes.h"
#include "cli/tables.h"
#include "cli/tls_say.h"
#include "tls/transaction.h"
#include "tls/trust.h"

#include <string.h>

/* -- both kinds
 * ---------------------------------------------------------------------------------- */

/* "ca-file" or "crl-file" as the command's third word tells. */
static unsigned kind_of(const struct cli_call *call)
{
	return !strncmp(call->words[2], "ca", 2) ? TLS_CA : TLS_CRL;
}

static const char *kind_name(unsigned kind)
{
	return kind == TLS_CA ? "CA" : "CRL";
}

/* The sentences are the reference's to the letter: "commit" has one quotation mark. */
static int need_name(const struct cli_call *call, struct err *err)
{
	unsigned kind = kind_of(call);
	const char *verb = call->words[0], *file = kind == TLS_CA ? "ca-file" : "crl-file";

	if (*cli_arg(call, 0))
		return 0;
	if (*verb == 'd')
		return err_set(err, "'del ssl %s' expects a %s file name", file, kind_name(kind));
	return err_set(err, "'%s ssl %s%s expects a filename", verb, file, *verb == 'c' ? "" : "'");
}

static int trust_new(struct cli_call *call, struct err *err)
{
	unsigned kind = kind_of(call);
	const char *name = cli_arg(call, 0);

	if (need_name(call, err) < 0)
		return -1;
	if (strlen(name) > TLS_SAY_NAME)
		return err_set(err, "the name is too long");
	if (tls_ca_find(name, TLS_CA | TLS_CRL))
		return err_set(err, "%s file '%s' already exists!", kind_name(kind), name);
	if (!tls_ca_new(name, kind))
		return err_set(err, "Out of memory.");
	cli_say(call, LOG_L_NOTICE, "New %s file created '%s'!", kind_name(kind), name);
	return 0;
}

static int trust_set(struct cli_call *call, struct err *err)
{
	unsigned kind = kind_of(call);
	const char *name = cli_arg(call, 0);
	bool add = *call->words[0] == 'a', created;
	struct err why;

	if (!*name || !call->payload)
		return err_set(err, "'set ssl %s expects a filename and %ss as a payload",
			       kind == TLS_CA ? "ca-file" : "crl-file", kind_name(kind));
	if (tls_ca_transaction_set(kind, name, call->payload, add, &created, err) < 0) {
		why = *err;
		return err_set(err, "%s\nCan't update %s!", why.text, name);
	}
	cli_say(call, LOG_L_NOTICE, "transaction %s for %s %s!", created ? "created" : "updated",
		kind_name(kind), name);
	return 0;
}

static int trust_commit(struct cli_call *call, struct err *err)
{
	unsigned kind = kind_of(call);
	const char *name = cli_arg(call, 0);
	struct err why;

	if (need_name(call, err) < 0)
		return -1;
	if (tls_ca_transaction_commit(kind, name, err) < 0) {
		why = *err;
		return err_set(err, "%s\nCan't commit %s!", why.text, name);
	}
	text_printf(call->out, "Committing %s%s\nSuccess!\n", name,
		    tls_ca_is_used(tls_ca_find(name, kind)) ? "." : "");
	return 0;
}

static int trust_abort(struct cli_call *call, struct err *err)
{
	const char *name = cli_arg(call, 0);

	if (need_name(call, err) < 0)
		return -1;
	if (tls_ca_transaction_abort(kind_of(call), name, err) < 0)
		return -1;
	cli_say(call, LOG_L_NOTICE, "Transaction aborted for certificate '%s'!", name);
	return 0;
}

static int trust_del(struct cli_call *call, struct err *err)
{
	unsigned kind = kind_of(call);
	const char *name = cli_arg(call, 0), *what = kind_name(kind);
	const struct tls_ca_transaction *ongoing = tls_ca_transaction(kind);
	struct tls_ca *ca;

	if (need_name(call, err) < 0)
		return -1;
	ca = tls_ca_find(name, kind);
	if (!ca)
		return err_set(err, "Can't remove the %s file: %s file '%s' doesn't exist!", what, what,
			       name);
	if (ongoing->name && !strcmp(ongoing->name, name))
		return err_set(err, "Can't remove the %s file: ongoing transaction for the %s file '%s'",
			       what, what, name);
	if (tls_ca_is_part(ca))
		return err_set(err, "Can't remove the %s file: %s file '%s' in use, can't be deleted!",
			       what, what, name);
	tls_ca_free(&ca);
	cli_say(call, LOG_L_NOTICE, "%s file '%s' deleted!", what, name);
	return 0;
}

/* -- showing
 * ------------------------------------------------------------------------------------- */

static void list_one(BIO *out, unsigned kind, const char *mark, const char *name, X509_STORE *store)
{
	if (kind == TLS_CA)
		BIO_printf(out, "%s%s - %u certificate(s)\n", mark, name, tls_ca_count(store, kind));
	else
		BIO_printf(out, "%s%s\n", mark, name);
}

static void show_list(BIO *out, unsigned kind, const struct tls_ca_transaction *ongoing)
{
	const struct tls_ca *ca;

	if (ongoing->name) {
		BIO_puts(out, "# transaction\n");
		list_one(out, kind, "*", ongoing->name, ongoing->store);
	}
	BIO_puts(out, "# filename\n");
	for (ca = tls_ca_first; ca; ca = ca->next)
		if (ca->kinds & kind)
			list_one(out, kind, "", ca->name, ca->store);
}

static void say_revoked(BIO *out, X509_CRL *list)
{
	STACK_OF(X509_REVOKED) *all = X509_CRL_get_REVOKED(list);
	const X509_REVOKED *revoked;
	int i;

	if (sk_X509_REVOKED_num(all) <= 0) {
		BIO_puts(out, "No Revoked Certificates.\n");
		return;
	}
	BIO_puts(out, "Revoked Certificates:\n");
	for (i = 0; i < sk_X509_REVOKED_num(all); i++) {
		revoked = sk_X509_REVOKED_value(all, i);
		BIO_puts(out, "    Serial Number: ");
		i2a_ASN1_INTEGER(out, X509_REVOKED_get0_serialNumber(revoked));
		BIO_puts(out, "\n        Revocation Date: ");
		ASN1_TIME_print(out, X509_REVOKED_get0_revocationDate(revoked));
		BIO_puts(out, "\n");
	}
}

static void say_list(BIO *out, X509_CRL *list)
{
	char *issuer = X509_NAME_oneline(X509_CRL_get_issuer(list), NULL, 0);

	BIO_printf(out, "Version %ld\n", X509_CRL_get_version(list) + 1);
	BIO_printf(out, "Signature Algorithm: %s\n", OBJ_nid2ln(X509_CRL_get_signature_nid(list)));
	BIO_printf(out, "Issuer: %s\nLast Update: ", issuer ? issuer : "");
	ASN1_TIME_print(out, X509_CRL_get0_lastUpdate(list));
	BIO_puts(out, "\nNext Update: ");
	if (X509_CRL_get0_nextUpdate(list))
		ASN1_TIME_print(out, X509_CRL_get0_nextUpdate(list));
	else
		BIO_puts(out, "NONE");
	BIO_puts(out, "\n");
	OPENSSL_free(issuer);
	say_revoked(out, list);
}

/* All of that kind, or the one with that number; head: said in front of the first. */
static void say_content(BIO *out, X509_STORE *store, unsigned kind, unsigned index, const char *head)
{
	STACK_OF(X509_OBJECT) *objects = X509_STORE_get0_objects(store);
	unsigned number = 0;
	X509_OBJECT *object;
	X509_CRL *list;
	X509 *x;
	int i;

	for (i = 0; i < sk_X509_OBJECT_num(objects); i++) {
		object = sk_X509_OBJECT_value(objects, i);
		x = kind == TLS_CA ? X509_OBJECT_get0_X509(object) : NULL;
		list = kind == TLS_CRL ? X509_OBJECT_get0_X509_CRL(object) : NULL;
		if ((!x && !list) || (++number != index && index))
			continue;
		BIO_printf(out, "%s \n%s #%u:\n", head,
			   x ? "Certificate" : "Certificate Revocation List", number);
		head = "";
		if (x)
			tls_say_cert(out, x);
		else
			say_list(out, list);
	}
	if (*head && (!index || kind == TLS_CRL))
		BIO_puts(out, head);
}

static int trust_show(struct cli_call *call, struct err *err)
{
	unsigned kind = kind_of(call), index;
	const struct tls_ca_transaction *ongoing = tls_ca_transaction(kind);
	char *name = call->argc ? call->argv[0] : NULL, head[512];
	BIO *out = tls_say_begin(call, err);
	const struct tls_ca *ca = NULL;
	X509_STORE *store = NULL;

	if (!out)
		return -1;
	if (!name) {
		show_list(out, kind, ongoing);
		return 0;
	}
	index = tls_say_index(name);
	if (*name != '*' && (ca = tls_ca_find(name, kind)))
		store = ca->store;
	else if (*name == '*' && ongoing->name && !strcmp(ongoing->name, name + 1))
		store = ongoing->store;
	if (!store)
		return err_set(err, "Can't display the %s file : Not found!", kind_name(kind));
	snprintf(head, sizeof(head), "Filename: %s\nStatus: %s\n", name,
		 !tls_ca_count(store, kind) ? "Empty" : ca && tls_ca_is_used(ca) ? "Used" : "Unused");
	say_content(out, store, kind, index, head);
	return 0;
}

#define BOTH(verb, arguments, lvl, flag, run, sentence)                                          \
	{ .words = verb " ssl ca-file", .args = arguments, .level = lvl, .flags = flag,            \
	  .start = run, .help = sentence " a file of authorities" },                               \
	{ .words = verb " ssl crl-file", .args = arguments, .level = lvl, .flags = flag,           \
	  .start = run, .help = sentence " a file of revocation lists" }
#define CHANGES(verb, arguments, run, sentence) \
	BOTH(verb, arguments, LEVEL_ADMIN, CLI_SHARED, run, sentence)

const struct cli_command cli_tls_trust_commands[] = {
	CHANGES("abort", "<file>", trust_abort, "abort a transaction for"),
	CHANGES("commit", "<file>", trust_commit, "commit"),
	CHANGES("del", "<file>", trust_del, "delete"),
	CHANGES("new", "<file>", trust_new, "create"),
	CHANGES("set", "<file> <payload>", trust_set, "replace"),
	{ .words = "add ssl ca-file", .args = "<file> <payload>", .level = LEVEL_ADMIN,
	  .flags = CLI_SHARED, .start = trust_set, .help = "add to a file of authorities" },
	{ .words = "show ssl ca-file", .args = "[[*]<file>[:<index>]]", .level = LEVEL_OPERATOR,
	  .start = trust_show, .next = tls_say_next, .end = tls_say_end,
	  CLI_STATE(struct tls_say), .help = "display the files of authorities, or one" },
	{ .words = "show ssl crl-file", .args = "[[*]<file>[:<index>]]", .level = LEVEL_OPERATOR,
	  .start = trust_show, .next = tls_say_next, .end = tls_say_end,
	  CLI_STATE(struct tls_say),
	  .help = "display the files of revocation lists, or one" },
	{ .words = NULL },
};
