/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Words about TLS of bind lines and of the global section. Files are read when their word is
 * parsed, so that problems show below the word; contexts and the index are made when the
 * configuration is complete. Nothing here runs for a connection.
 */
#include "tls/bind.h"

#include "base/arena.h"
#include "base/err.h"
#include "config/config.h"
#include "config/module.h"
#include "config/suggest.h"
#include "net/bind_conf.h"
#include "tls/dh.h"
#include "tls/layer.h"
#include "tls/kernel.h"
#include "tls/lib.h"
#include "tls/list.h"
#include "tls/tickets.h"
#include "tls/trust.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* -- bind lines ------------------------------------------------------------------------------ */

/* Words that set tls_settings. */
static int bind_setting(struct statement *st, const struct keyword *kw, void *object)
{
	struct tls_bind *bind = tls_bind_of(object, st->cfg);

	return tls_settings_parse(st, kw->name, &bind->set);
}

static int bind_ktls(struct statement *st, const struct keyword *kw, void *object)
{
	struct tls_bind *bind = tls_bind_of(object, st->cfg);

	if (bind_setting(st, kw, object) < 0)
		return -1;
	if (bind->set.options.on & TLS_KERNEL && tls_kernel_has() != TLS_KERNEL_HAS)
		stmt_warning(st, 0, "%s: OpenSSL makes the records",
			     tls_kernel_has() == TLS_KERNEL_NO_LIBRARY ?
				     "this OpenSSL was built without kTLS" :
				     "this kernel has no TLS (module tls)");
	return 0;
}

/* One file, or its bundle. */
static int add_files(struct tls_bind *bind, const char *path, bool fallback, struct err *err)
{
	struct tls_entry *entries[TLS_BUNDLE_MAX];
	struct tls_line_spec spec = { .entries = entries, .fallback = fallback };
	int n = tls_entries_load(path, entries, err);

	if (n < 0)
		return -1;
	spec.count = (unsigned)n;
	return tls_bind_add(bind, &spec, err);
}

static int add_list(struct tls_bind *bind, const char *path, struct err *err)
{
	struct tls_list *list = tls_list_load(path, err);

	return list ? tls_list_use(list, bind, err) : -1;
}

static int bind_crt(struct statement *st, const struct keyword *kw, void *object)
{
	const char *word = stmt_need(st, "the file or directory of a certificate"), *path;
	struct tls_bind *bind = tls_bind_of(object, st->cfg);
	struct stat status;
	struct err err;
	bool directory;

	(void)kw;
	if (!word)
		return -1;
	path = tls_store_crt_path(st->cfg->arena, word);
	directory = *path != '@' && !stat(path, &status) && S_ISDIR(status.st_mode);
	if (directory ? add_list(bind, path, &err) : add_files(bind, path, false, &err))
		return stmt_error(st, st->at - 1, "%s", err.text);
	return 0;
}

static int bind_default_crt(struct statement *st, const struct keyword *kw, void *object)
{
	const char *word = stmt_need(st, "the file of a certificate");
	struct tls_bind *bind = tls_bind_of(object, st->cfg);
	struct err err;

	(void)kw;
	if (!word)
		return -1;
	if (add_files(bind, tls_store_crt_path(st->cfg->arena, word), true, &err))
		return stmt_error(st, st->at - 1, "%s", err.text);
	return 0;
}

static int bind_crt_list(struct statement *st, const struct keyword *kw, void *object)
{
	const char *word = stmt_need(st, "the file of a list of certificates");
	struct tls_bind *bind = tls_bind_of(object, st->cfg);
	struct err err;

	(void)kw;
	if (!word)
		return -1;
	if (add_list(bind, tls_store_crt_path(st->cfg->arena, word), &err))
		return stmt_error(st, st->at - 1, "%s", err.text);
	return 0;
}

static int bind_ticket_keys(struct statement *st, const struct keyword *kw, void *object)
{
	const char *path = stmt_need(st, "a file of ticket keys");
	struct tls_bind *bind = tls_bind_of(object, st->cfg);
	struct err err;

	(void)kw;
	if (!path)
		return -1;
	bind->ticket_keys = tls_tickets_file(path, &err);
	return bind->ticket_keys ? 0 : stmt_error(st, st->at - 1, "%s", err.text);
}

/* Read when the line is complete: the passphrase may stand behind it. */
static int bind_sign_file(struct statement *st, const struct keyword *kw, void *object)
{
	const char *word = stmt_need(st, "the file of an authority and its key"), *path;
	struct tls_bind *bind = tls_bind_of(object, st->cfg);
	char full[PATH_MAX];

	(void)kw;
	if (!word)
		return -1;
	path = tls_store_ca_path(st->cfg->arena, word);
	/* default-path may lead elsewhere by then. */
	bind->sign_file = realpath(path, full) ? arena_strdup(st->cfg->arena, full) : path;
	return 0;
}

static int bind_sign_pass(struct statement *st, const struct keyword *kw, void *object)
{
	struct tls_bind *bind = tls_bind_of(object, st->cfg);

	(void)kw;
	bind->sign_pass = stmt_need(st, "the passphrase of the authority's key");
	return bind->sign_pass ? 0 : -1;
}

/* -- the global section ---------------------------------------------------------------------- */

/* Its data are in tls_global, which commands need, too, and in tls_records. */
static int global_default(struct statement *st, const struct keyword *kw, void *object)
{
	(void)object;
	return tls_settings_parse(st, kw->name + strlen("ssl-default-bind-"), &tls_global.bind);
}

static int no_option(struct statement *st, const char *word, const char *line)
{
	const char *near = suggest_row(st->cfg, SCOPE_BIND, word);

	stmt_error(st, st->at - 1, "'%s' is not an option of '%s'", word, line);
	if (near && tls_settings_word(near, TLS_IN_DEFAULT) >= 0)
		stmt_hint(st, "did you mean '%s'?", near);
	return -1;
}

static int global_options(struct statement *st, const struct keyword *kw, void *object)
{
	int rc = 0;

	(void)object;
	if (!stmt_peek(st))
		return stmt_error(st, st->at, "'%s' needs options, such as 'ssl-min-ver TLSv1.2'",
				  kw->name);
	while (stmt_peek(st) && !rc) {
		const char *word = stmt_next(st);

		if (tls_settings_word(word, TLS_IN_DEFAULT) < 0 || !strcmp(word, "tls-tickets"))
			rc = no_option(st, word, kw->name);
		else
			rc = tls_settings_parse(st, word, &tls_global.bind);
	}
	return rc;
}

static int global_number(struct statement *st, const struct keyword *kw, void *object)
{
	(void)object;
	return set_unsigned(st, kw, &tls_global);
}

static int record_number(struct statement *st, const struct keyword *kw, void *object)
{
	(void)object;
	return set_unsigned(st, kw, &tls_records);
}

static int record_duration(struct statement *st, const struct keyword *kw, void *object)
{
	(void)object;
	return set_duration(st, kw, &tls_records);
}

static int global_dh_file(struct statement *st, const struct keyword *kw, void *object)
{
	const char *path = stmt_need(st, "a file of Diffie-Hellman parameters");
	struct err err;

	(void)kw;
	(void)object;
	if (!path)
		return -1;
	return tls_dh_load(path, &err) ? stmt_error(st, st->at - 1, "%s", err.text) : 0;
}

/* Words whose argument goes to the library at once. */
static int global_library(struct statement *st, const struct keyword *kw, void *object)
{
	static const struct {
		const char *name;
		int (*apply)(const char *word, struct err *err);
	} words[] = {
		{ "ssl-provider", tls_lib_provider },
		{ "ssl-provider-path", tls_lib_provider_path },
		{ "ssl-propquery", tls_lib_propquery },
	};
	const char *word = stmt_need(st, "a value");
	struct err err;
	size_t i;

	(void)object;
	if (!word)
		return -1;
	for (i = 0; strcmp(words[i].name, kw->name) != 0; i++)
		;
	if (tls_lib_start(&err) || words[i].apply(word, &err))
		return stmt_error(st, st->at - 1, "%s", err.text);
	return 0;
}

static int global_gone(struct statement *st, const struct keyword *kw, void *object)
{
	(void)object;
	while (stmt_next(st))
		;
	if (!strcmp(kw->name, "ssl-engine"))
		return stmt_error(st, 0, "engines are gone from OpenSSL: use 'ssl-provider'");
	stmt_warning(st, 0, "'%s' has no effect: it was for engines, which are gone from OpenSSL",
		     kw->name);
	return 0;
}

/* -- rows ------------------------------------------------------------------------------------ */

#define GLOBAL(field) offsetof(struct tls_global, field)
#define RECORDS(field) offsetof(struct tls_records, field)

static const struct keyword bind_keywords[] = {
	{ "ssl", SCOPE_BIND, 0, "", bind_setting, .help = "connections speak TLS" },
	{ "crt", SCOPE_BIND, 0, "<cert>", bind_crt,
	  .help = "file with certificate, chain and key, or a directory of such files" },
	{ "default-crt", SCOPE_BIND, 0, "<cert>", bind_default_crt,
	  .help = "as crt, and also for clients that ask for no name that there is" },
	{ "allow-0rtt", SCOPE_BIND, 0, "", bind_setting,
	  .help = "early data of TLS 1.3 (0-RTT) is accepted" },
	{ "alpn", SCOPE_BIND, 0, "<protocols>", bind_setting,
	  .help = "protocols offered by ALPN, parted by commas, the preferred first" },
	{ "no-tls-tickets", SCOPE_BIND, 0, "", bind_setting,
	  .help = "sessions are resumed from our cache alone, no tickets are given" },
	{ "tls-ticket-keys", SCOPE_BIND, 0, "<keyfile>", bind_ticket_keys,
	  .help = "file of the keys that session tickets are sealed with" },
	{ "ca-file", SCOPE_BIND, 0, "<cafile>", bind_setting,
	  .help = "file or directory of authorities whose client certificates are accepted" },
	{ "ca-ignore-err", SCOPE_BIND, 0, "<errors>", bind_setting,
	  .help = "errors of the authorities of clients that are no reason to refuse" },
	{ "ca-verify-file", SCOPE_BIND, 0, "<cafile>", bind_setting,
	  .help = "further authorities, whose names clients are not told" },
	{ "ciphers", SCOPE_BIND, 0, "<ciphers>", bind_setting,
	  .help = "ciphers up to TLS 1.2" },
	{ "ciphersuites", SCOPE_BIND, 0, "<ciphersuites>", bind_setting,
	  .help = "cipher suites of TLS 1.3" },
	{ "client-sigalgs", SCOPE_BIND, 0, "<sigalgs>", bind_setting,
	  .help = "signatures that client certificates may have" },
	{ "crl-file", SCOPE_BIND, 0, "<crlfile>", bind_setting,
	  .help = "lists of revoked certificates" },
	{ "crt-ignore-err", SCOPE_BIND, 0, "<errors>", bind_setting,
	  .help = "errors of client certificates that are no reason to refuse" },
	{ "curves", SCOPE_BIND, 0, "<curves>", bind_setting,
	  .help = "elliptic curves for the key exchange, the preferred first" },
	{ "ecdhe", SCOPE_BIND, 0, "<curve>", bind_setting,
	  .help = "the one curve for the key exchange" },
	{ "ktls", SCOPE_BIND, 0, "on|off", bind_ktls, .dflt = "off",
	  .help = "the kernel makes the records where it can, so that bytes may be spliced" },
	{ "no-alpn", SCOPE_BIND, 0, "", bind_setting,
	  .help = "no protocol is offered by ALPN" },
	{ "no-ca-names", SCOPE_BIND, 0, "", bind_setting,
	  .help = "clients are not told the names of the authorities" },
	{ "npn", SCOPE_BIND, 0, "<protocols>", bind_setting,
	  .help = "gone: use alpn" },
	{ "prefer-client-ciphers", SCOPE_BIND, 0, "", bind_setting,
	  .help = "the order of the client's ciphers counts" },
	{ "sigalgs", SCOPE_BIND, 0, "<sigalgs>", bind_setting,
	  .help = "signatures that the line makes" },
	{ "ssl-max-ver", SCOPE_BIND, 0, "<version>", bind_setting, .dflt = "TLSv1.3",
	  .help = "highest version of TLS" },
	{ "ssl-min-ver", SCOPE_BIND, 0, "<version>", bind_setting, .dflt = "TLSv1.2",
	  .help = "least version of TLS" },
	{ "strict-sni", SCOPE_BIND, 0, "", bind_setting,
	  .help = "refuse handshakes for names that no certificate is for" },
	{ "verify", SCOPE_BIND, 0, "none|optional|required", bind_setting, .dflt = "none",
	  .help = "are clients asked for a certificate?" },
	{ "ca-sign-file", SCOPE_BIND, 0, "<cafile>", bind_sign_file,
	  .help = "certificate and key of the authority that signs generated certificates" },
	{ "ca-sign-pass", SCOPE_BIND, 0, "<passphrase>", bind_sign_pass,
	  .help = "passphrase of the key in ca-sign-file" },
	{ "generate-certificates", SCOPE_BIND, 0, "", bind_setting,
	  .help = "make certificates for names that no certificate is for" },
	{ "crt-list", SCOPE_BIND, 0, "<file>", bind_crt_list,
	  .help = "file of certificates, their options and the names they are for" },
	{ "no-sslv3", SCOPE_BIND, 0, "", bind_setting, .help = "no SSLv3" },
	{ "no-tlsv10", SCOPE_BIND, 0, "", bind_setting, .help = "no TLS 1.0" },
	{ "no-tlsv11", SCOPE_BIND, 0, "", bind_setting, .help = "no TLS 1.1" },
	{ "no-tlsv12", SCOPE_BIND, 0, "", bind_setting, .help = "no TLS 1.2" },
	{ "no-tlsv13", SCOPE_BIND, 0, "", bind_setting, .help = "no TLS 1.3" },
	{ "force-sslv3", SCOPE_BIND, 0, "", bind_setting, .help = "only SSLv3" },
	{ "force-tlsv10", SCOPE_BIND, 0, "", bind_setting, .help = "only TLS 1.0" },
	{ "force-tlsv11", SCOPE_BIND, 0, "", bind_setting, .help = "only TLS 1.1" },
	{ "force-tlsv12", SCOPE_BIND, 0, "", bind_setting, .help = "only TLS 1.2" },
	{ "force-tlsv13", SCOPE_BIND, 0, "", bind_setting, .help = "only TLS 1.3" },
	{ "ssl-default-bind-ciphers", SCOPE_GLOBAL, 0, "<ciphers>", global_default,
	  .help = "ciphers up to TLS 1.2 of bind lines that name none" },
	{ "ssl-default-bind-ciphersuites", SCOPE_GLOBAL, 0, "<ciphersuites>", global_default,
	  .help = "cipher suites of TLS 1.3 of bind lines that name none" },
	{ "ssl-default-bind-curves", SCOPE_GLOBAL, 0, "<curves>", global_default,
	  .help = "elliptic curves of bind lines that name none" },
	{ "ssl-default-bind-sigalgs", SCOPE_GLOBAL, 0, "<sigalgs>", global_default,
	  .help = "signatures of bind lines that name none" },
	{ "ssl-default-bind-client-sigalgs", SCOPE_GLOBAL, 0, "<sigalgs>", global_default,
	  .help = "signatures of client certificates, of bind lines that name none" },
	{ "ssl-default-bind-options", SCOPE_GLOBAL, 0, "<option>...", global_options,
	  .help = "versions, tickets and order of ciphers of bind lines that say nothing of it" },
	{ "ssl-dh-param-file", SCOPE_GLOBAL, 0, "<file>", global_dh_file,
	  .help = "Diffie-Hellman parameters of certificates that bring none" },
	{ "ssl-engine", SCOPE_GLOBAL, 0, "<name>", global_gone, .help = "gone: use ssl-provider" },
	{ "ssl-mode-async", SCOPE_GLOBAL, 0, "", global_gone, .help = "has no effect" },
	{ "ssl-propquery", SCOPE_GLOBAL, 0, "<query>", global_library,
	  .help = "properties that the algorithms of providers are to have" },
	{ "ssl-provider", SCOPE_GLOBAL, 0, "<name>", global_library,
	  .help = "load a provider of OpenSSL" },
	{ "ssl-provider-path", SCOPE_GLOBAL, 0, "<path>", global_library,
	  .help = "where the providers loaded from here on are looked for" },
	{ "tune.ssl.hard-maxrecord", SCOPE_GLOBAL, 0, "<bytes>", record_number,
	  .offset = RECORDS(most), .min = 0, .max = 16384, .dflt = "0 (16384)",
	  .help = "most bytes of data in one record of TLS" },
	{ "tune.ssl.maxrecord", SCOPE_GLOBAL, 0, "<bytes>", record_number,
	  .offset = RECORDS(first), .min = 0, .max = 16384, .dflt = "0 (no limit)",
	  .help = "bytes of data in each of the first records, and of those behind a pause" },
	{ "tune.idletimer", SCOPE_GLOBAL, 0, "<time>", record_duration,
	  .offset = RECORDS(idle_ms), .min = 0, .max = 65535, .dflt = "1s",
	  .help = "a pause, for tune.ssl.maxrecord; 0: there is none" },
	{ "tune.ssl.ssl-ctx-cache-size", SCOPE_GLOBAL, 0, "<number>", global_number,
	  .offset = GLOBAL(context_cache), .min = 0, .max = INT_MAX, .dflt = "1000",
	  .help = "generated certificates that each process keeps" },
	{ "tune.ssl.default-dh-param", SCOPE_GLOBAL, 0, "<bits>", global_number,
	  .offset = GLOBAL(default_dh), .min = 1024, .max = 16384,
	  .help = "largest Diffie-Hellman parameters where no file gives any" },
	{ 0 }
};

static void bind_init(struct config *cfg, void *data)
{
	(void)cfg;
	(void)data;
	memset(&tls_global, 0, sizeof(tls_global));
	tls_global.context_cache = 1000;
	tls_records = (struct tls_records){ .idle_ms = 1000 };
}

/* For certificates. */
static bool asks_clients(const struct tls_bind *bind)
{
	const struct tls_line *line;

	if (bind->set.verify >= TLS_VERIFY_OPTIONAL)
		return true;
	list_for_each(line, &bind->lines, node)
		if (line->set && line->set->verify >= TLS_VERIFY_OPTIONAL)
			return true;
	return false;
}

static int bind_finish(struct config *cfg, void *data)
{
	struct tls_bind *bind, *next;
	int rc = 0;

	(void)data;
	if (config_failed(cfg))
		return 0;
	list_for_each_safe(bind, next, &tls_binds, node) {
		if (bind->set.options.on & TLS_SSL) {
			if (tls_bind_ready(bind, cfg))
				rc = -1;
			else if (bind->set.ca_file && !asks_clients(bind))
				config_note(cfg, &bind->loc,
					    "'ca-file' has no effect: without 'verify' "
					    "clients are asked for no certificate");
			continue;
		}
		config_warning(cfg, &bind->loc, "words about TLS have no effect without 'ssl': "
			       "connections are plain");
		tls_bind_release(bind);
	}
	return rc;
}

static int bind_prepare(struct config *cfg, void *data, struct err *err)
{
	(void)cfg;
	(void)data;
	(void)err;
	tls_trust_close();
	return 0;
}

static void bind_release(void *data)
{
	struct tls_bind *bind, *next;

	(void)data;
	list_for_each_safe(bind, next, &tls_binds, node)
		tls_bind_release(bind);
	tls_lists_free();
}

const struct module tls_bind_module = {
	.name = "tls_bind",
	.keywords = bind_keywords,
	.init = bind_init,
	.finish = bind_finish,
	.prepare = bind_prepare,
	.release = bind_release,
	.data_size = 1,
};
