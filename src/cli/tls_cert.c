/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Commands about certificates: new, set, commit, abort, del, show and dump ssl cert; show ssl
 * providers. Sentences are HAProxy's, which tools look for. Private keys are never shown.
 */
#include "cli/modes.h"
#include "cli/tables.h"
#include "cli/tls_say.h"
#include "tls/bind.h"
#include "tls/cert.h"
#include "tls/lib.h"
#include "tls/ocsp.h"
#include "tls/transaction.h"

#include <openssl/ocsp.h>
#include <openssl/pem.h>
#include <stdlib.h>
#include <string.h>

/* -- transactions
 * -------------------------------------------------------------------------------- */

static int cert_new(struct cli_call *call, struct err *err)
{
	const char *name = cli_arg(call, 0);

	if (!*name)
		return err_set(err, "'new ssl cert' expects a filename");
	if (strlen(name) > TLS_SAY_NAME)
		return err_set(err, "the name is too long");
	if (tls_entry_find(name))
		return err_set(err, "Certificate '%s' already exists!", name);
	if (!tls_entry_new(name, NULL))
		return err_set(err, "Out of memory.");
	cli_say(call, LOG_L_NOTICE, "New empty certificate store '%s'!", name);
	return 0;
}

/* What went wrong, and with what. */
static int cert_refuse(struct err *err, const char *what, const char *name)
{
	struct err why = *err;

	return err_set(err, "%s\nCan't %s %s!", why.text, what, name);
}

static int cert_set(struct cli_call *call, struct err *err)
{
	const char *name = cli_arg(call, 0);
	bool created = false;

	if (!*name || !call->payload)
		return err_set(err, "'set ssl cert expects a filename and a certificate as a payload");
	if (tls_transaction_set(name, call->payload, &created, err) < 0)
		return cert_refuse(err, "update", name);
	cli_say(call, LOG_L_NOTICE, "Transaction %s for certificate %s!", created ? "created" : "updated",
		tls_transaction.name);
	return 0;
}

static int cert_commit(struct cli_call *call, struct err *err)
{
	const char *name = cli_arg(call, 0), *doubt;
	const struct tls_cert *cert;
	unsigned users = 0;
	char memory[256];
	struct text age;

	if (!*name)
		return err_set(err, "'commit ssl cert expects a filename");
	if (tls_transaction_commit(name, &users, err) < 0)
		return cert_refuse(err, "commit", name);
	text_printf(call->out, "Committing %s", name);
	while (users-- && call->out->len < 1024)
		text_char(call->out, '.');
	cert = tls_entry_find(name)->cert;
	doubt = cert->doubt;
	if (doubt)
		text_printf(call->out, "\nWarning: %s.", doubt);
	text_init(&age, memory, sizeof(memory));
	if (tls_age_explain(&cert->age, time(NULL), &age))
		text_printf(call->out, "\nWarning: %s.", memory);
	if (tls_bind_ocsp(tls_entry_find(name), err) < 0)
		text_printf(call->out, "\nWarning: %s.", err->text);
	text_str(call->out, "\nSuccess!\n");
	return 0;
}

static int cert_abort(struct cli_call *call, struct err *err)
{
	const char *name = cli_arg(call, 0);

	if (!*name)
		return err_set(err, "'abort ssl cert' expects a filename");
	if (tls_transaction_abort(name, err) < 0)
		return -1;
	cli_say(call, LOG_L_NOTICE, "Transaction aborted for certificate '%s'!", name);
	return 0;
}

static int cert_del(struct cli_call *call, struct err *err)
{
	const char *name = cli_arg(call, 0);

	if (!*name)
		return err_set(err, "'del ssl cert' expects a certificate name");
	if (tls_transaction_delete(name, err) < 0)
		return err_prefix(err, "Can't remove the certificate");
	cli_say(call, LOG_L_NOTICE, "Certificate '%s' deleted!", name);
	return 0;
}

/* -- showing
 * ------------------------------------------------------------------------------------- */

static int by_name(const void *a, const void *b)
{
	const struct tls_entry *const *x = a, *const *y = b;

	return strcmp((*x)->name, (*y)->name);
}

static void list_entries(BIO *out, const struct tls_entry **all)
{
	const struct tls_index *index = tls_entries_index();
	struct tls_link *link;
	unsigned i, count = 0;

	for (i = 0; i < index->size; i++)
		for (link = index->slots[i]; link; link = link->next)
			all[count++] = container_of(link, struct tls_entry, link);
	qsort(all, count, sizeof(*all), by_name);
	for (i = 0; i < count; i++)
		BIO_printf(out, "%s\n", all[i]->name);
}

static int show_list(BIO *out, struct err *err)
{
	const struct tls_entry **all = malloc((tls_entries_index()->count + 1) * sizeof(*all));

	if (!all)
		return err_set(err, "Out of memory.");
	if (tls_transaction.name)
		BIO_printf(out, "# transaction\n*%s\n", tls_transaction.name);
	BIO_puts(out, "# filename\n");
	list_entries(out, all);
	free(all);
	return 0;
}

/* What a file or a transaction holds, for showing: copies. false: the name is unknown. */
static bool shown_find(const char *name, struct tls_pieces *pieces, const char **status)
{
	const struct tls_entry *entry;
	struct tls_pieces *ongoing = &tls_transaction.pieces;
	unsigned i;

	*pieces = (struct tls_pieces){ 0 };
	if (*name != '*') {
		entry = tls_entry_find(name);
		if (!entry || (entry->cert && tls_cert_pieces(entry->cert, pieces) < 0))
			return false;
		*status = !entry->cert ? "Empty" : entry->users ? "Used" : "Unused";
		return true;
	}
	*status = "Unused";
	if (!tls_transaction.name || strcmp(tls_transaction.name, name + 1) ||
	    tls_piece_set(&pieces->leaf, tls_piece_span(&ongoing->leaf)) < 0 ||
	    tls_piece_set(&pieces->ocsp, tls_piece_span(&ongoing->ocsp)) < 0) {
		tls_pieces_clear(pieces);
		return false;
	}
	pieces->chain = calloc(ongoing->chain_count + 1, sizeof(*pieces->chain));
	for (i = 0; pieces->chain && i < ongoing->chain_count; i++)
		if (!tls_piece_set(&pieces->chain[i], tls_piece_span(&ongoing->chain[i])))
			pieces->chain_count++;
	return true;
}

static X509 *piece_x509(const struct tls_piece *piece)
{
	const unsigned char *at = piece->der;

	return at ? d2i_X509(NULL, &at, (long)piece->len) : NULL;
}

static void show_chain(BIO *out, const struct tls_pieces *pieces)
{
	char *text;
	unsigned i;
	X509 *x;

	for (i = 0; i < pieces->chain_count; i++) {
		x = piece_x509(&pieces->chain[i]);
		if (!x)
			continue;
		text = X509_NAME_oneline(X509_get_subject_name(x), NULL, 0);
		BIO_printf(out, "Chain Subject: %s\n", text);
		OPENSSL_free(text);
		text = X509_NAME_oneline(X509_get_issuer_name(x), NULL, 0);
		BIO_printf(out, "Chain Issuer: %s\n", text);
		OPENSSL_free(text);
		X509_free(x);
	}
}

/* "FILE.ocsp": the response that goes along with it. false: that is no such name. */
static bool show_response(BIO *out, const char *name)
{
	const char *suffix = strrchr(name, '.');
	char *file = suffix && !strcmp(suffix, ".ocsp") ? strndup(name, (size_t)(suffix - name)) : NULL;
	const struct tls_ocsp *ocsp = file ? tls_ocsp_find(file) : NULL;
	struct tls_piece der = { 0 };
	struct tls_pieces pieces;
	OCSP_RESPONSE *response;
	const char *status;
	bool known = file && shown_find(file, &pieces, &status);
	const unsigned char *at;

	free(file);
	if (!known)
		return false;
	der = pieces.ocsp;
	if (*name != '*' && ocsp && ocsp->response)
		der = (struct tls_piece){ ocsp->response, ocsp->len };
	at = der.der;
	response = at ? d2i_OCSP_RESPONSE(NULL, &at, (long)der.len) : NULL;
	if (response)
		tls_say_response(out, response);
	OCSP_RESPONSE_free(response);
	tls_pieces_clear(&pieces);
	return true;
}

/* The id by which "show ssl ocsp-response" knows it; empty: it has no response and wants none. */
static void show_ocsp_key(BIO *out, const char *name)
{
	const struct tls_ocsp *ocsp = tls_ocsp_find(name);
	size_t i;

	BIO_puts(out, "OCSP Response Key: ");
	for (i = 0; ocsp && i < ocsp->id_len; i++)
		BIO_printf(out, "%02x", ocsp->id[i]);
	BIO_puts(out, "\n");
}

/* Only where something is to be said: tools know the lines of a certificate that is valid. */
static void say_age(BIO *out, const X509 *leaf, const struct tls_pieces *pieces)
{
	char memory[256];
	struct tls_age age;
	struct text t;
	X509 *x;

	tls_age_add(&age, leaf, 0);
	for (unsigned i = 0; i < pieces->chain_count; i++) {
		x = piece_x509(&pieces->chain[i]);
		if (x && X509_NAME_cmp(X509_get_subject_name(x), X509_get_issuer_name(x)))
			tls_age_add(&age, x, i + 1);
		X509_free(x);
	}
	text_init(&t, memory, sizeof(memory));
	if (tls_age_explain(&age, time(NULL), &t))
		BIO_printf(out, "Warning: %s\n", memory);
}

static int cert_show(struct cli_call *call, struct err *err)
{
	const char *name = cli_arg(call, 0), *status, *chain;
	BIO *out = tls_say_begin(call, err);
	struct tls_pieces pieces;
	X509 *leaf;

	if (!out)
		return -1;
	if (!*name)
		return show_list(out, err);
	if (!tls_entry_find(name) && show_response(out, name))
		return 0;
	if (!shown_find(name, &pieces, &status))
		return err_set(err, "Can't display the certificate: Not found or the certificate is a "
				    "bundle!");
	BIO_printf(out, "Filename: %s\nStatus: %s\n", name, status);
	chain = tls_files_chain_path(&pieces);
	if (chain)
		BIO_printf(out, "Chain Filename: %s\n", chain);
	leaf = piece_x509(&pieces.leaf);
	if (leaf) {
		say_age(out, leaf, &pieces);
		tls_say_cert(out, leaf);
	}
	show_chain(out, &pieces);
	show_ocsp_key(out, name);
	X509_free(leaf);
	tls_pieces_clear(&pieces);
	return 0;
}

static void dump_one(BIO *out, const struct tls_piece *piece)
{
	if (piece->der)
		PEM_write_bio(out, PEM_STRING_X509, "", piece->der, (long)piece->len);
}

static int cert_dump(struct cli_call *call, struct err *err)
{
	const char *name = cli_arg(call, 0), *status;
	BIO *out = tls_say_begin(call, err);
	struct tls_pieces pieces;
	unsigned i;

	if (!out)
		return -1;
	if (!*name)
		return err_set(err, "'dump ssl cert' expects a filename");
	if (!shown_find(name, &pieces, &status))
		return err_set(err, "Can't dump the certificate: Not found!");
	dump_one(out, &pieces.leaf);
	for (i = 0; i < pieces.chain_count; i++)
		dump_one(out, &pieces.chain[i]);
	tls_pieces_clear(&pieces);
	return 0;
}

static void say_provider(void *arg, const char *name)
{
	text_printf(arg, "\t- %s\n", name);
}

static int show_providers(struct cli_call *call, struct err *err)
{
	(void)err;
	text_str(call->out, "Loaded providers : \n");
	tls_lib_providers(say_provider, call->out);
	return 0;
}

#define SAYS .next = tls_say_next, .end = tls_say_end, CLI_STATE(struct tls_say)

const struct cli_command cli_tls_cert_commands[] = {
	{ .words = "abort ssl cert", .args = "<certfile>", .level = LEVEL_ADMIN, .flags = CLI_SHARED,
	  .start = cert_abort, .help = "abort a transaction for a certificate file" },
	{ .words = "commit ssl cert", .args = "<certfile>", .level = LEVEL_ADMIN, .flags = CLI_SHARED,
	  .start = cert_commit, .help = "commit a certificate file" },
	{ .words = "del ssl cert", .args = "<certfile>", .level = LEVEL_ADMIN, .flags = CLI_SHARED,
	  .start = cert_del, .help = "delete an unused certificate file" },
	{ .words = "dump ssl cert", .args = "[*]<certfile>", .level = LEVEL_OPERATOR, .start = cert_dump,
	  SAYS, .help = "write a certificate and its chain as PEM, without the key" },
	{ .words = "new ssl cert", .args = "<certfile>", .level = LEVEL_ADMIN, .flags = CLI_SHARED,
	  .start = cert_new, .help = "create a new certificate file to be used in a crt-list or directory" },
	{ .words = "set ssl cert", .args = "<certfile> <payload>", .level = LEVEL_ADMIN,
	  .flags = CLI_SHARED, .start = cert_set, .help = "replace a certificate file" },
	{ .words = "show ssl cert", .args = "[[*]<certfile>[.ocsp]]", .level = LEVEL_OPERATOR, .start = cert_show,
	  SAYS, .help = "display the certificates used in memory, or the details of one" },
	{ .words = "show ssl providers", .level = LEVEL_USER, .start = show_providers,
	  .help = "show loaded SSL providers" },
	{ .words = NULL },
};
