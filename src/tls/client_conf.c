/* SPDX-License-Identifier: BSD-2-Clause */
/* What the global section says of TLS towards servers (manual 3.1): it is put under what each
 * server line says when that is complete. */
#include "tls/client.h"

#include "base/arena.h"
#include "base/err.h"
#include "config/config.h"
#include "config/module.h"
#include "tls/settings.h"

static int parse_ciphers(struct statement *st, const struct keyword *kw, void *object)
{
	(void)object;
	return tls_settings_parse(st, kw->names[0], &tls_global.server);
}

static int parse_options(struct statement *st, const struct keyword *kw, void *object)
{
	const char *word = stmt_need(st, "an option such as 'ssl-min-ver' or 'no-tls-tickets'");

	(void)kw;
	(void)object;
	for (; word; word = stmt_next(st)) {
		if (tls_settings_word(word, TLS_IN_DEFAULT) < 0 ||
		    tls_settings_word(word, TLS_IN_SERVER) < 0)
			return stmt_error(st, st->at - 1, "'%s' cannot be a default of all servers",
					  word);
		if (tls_settings_parse(st, word, &tls_global.server))
			return -1;
		if (!stmt_peek(st))
			return 0;
	}
	return -1;
}

/* Lines share the copy until a further word changes them. "none" of -dV and ssl-server-verify hold
 * for all. */
const struct tls_settings *tls_server_defaults(struct arena *arena)
{
	static const struct tls_settings nothing;
	struct tls_settings now = tls_global.server, *copy;

	now.verify = nothing.verify;
	if (!memcmp(&now, &nothing, sizeof(now)))
		return NULL;
	if (tls_global.server_copy && !memcmp(&now, tls_global.server_copy, sizeof(now)))
		return tls_global.server_copy;
	copy = arena_alloc(arena, sizeof(*copy));
	*copy = now;
	tls_global.server_copy = copy;
	return copy;
}

static int parse_verify(struct statement *st, const struct keyword *kw, void *object)
{
	static const char *const names[] = { "none", "required", NULL };
	const char *word = stmt_need(st, "'none' or 'required'");

	(void)kw;
	(void)object;
	if (!word)
		return -1;
	if (!strcmp(word, "none"))
		tls_global.server.verify = TLS_VERIFY_NONE;
	else if (!strcmp(word, "required"))
		tls_global.server.verify = TLS_VERIFY_REQUIRED;
	else
		return stmt_unknown(st, st->at - 1, "way to verify servers", names);
	return 0;
}

#define NAME(word) .names = (const char *const[]){ word, NULL }

static const struct keyword client_keywords[] = {
	{ "ssl-default-server-ciphers", SCOPE_GLOBAL, 0, "<ciphers>", parse_ciphers, NAME("ciphers"),
	  .dflt = "OpenSSL's", .help = "'ciphers' of servers whose lines name none" },
	{ "ssl-default-server-ciphersuites", SCOPE_GLOBAL, 0, "<suites>", parse_ciphers,
	  NAME("ciphersuites"), .dflt = "OpenSSL's",
	  .help = "'ciphersuites' of servers whose lines name none" },
	{ "ssl-default-server-client-sigalgs", SCOPE_GLOBAL, 0, "<list>", parse_ciphers,
	  NAME("client-sigalgs"), .dflt = "OpenSSL's",
	  .help = "'client-sigalgs' of servers whose lines name none" },
	{ "ssl-default-server-curves", SCOPE_GLOBAL, 0, "<curves>", parse_ciphers, NAME("curves"),
	  .dflt = "OpenSSL's", .help = "'curves' of servers whose lines name none" },
	{ "ssl-default-server-sigalgs", SCOPE_GLOBAL, 0, "<list>", parse_ciphers, NAME("sigalgs"),
	  .dflt = "OpenSSL's", .help = "'sigalgs' of servers whose lines name none" },
	{ "ssl-default-server-options", SCOPE_GLOBAL, 0, "<option>...", parse_options, .dflt = "none",
	  .help = "options of all servers with TLS" },
	{ "ssl-server-verify", SCOPE_GLOBAL, 0, "{ none | required }", parse_verify,
	  .dflt = "required", .help = "'verify' of servers whose lines do not say it" },
	{ 0 }
};

static int client_enabled(const void *data, const char *option)
{
	(void)data;
	if (strcmp(option, "SERVER-SSL-VERIFY-NONE"))
		return -1;
	return tls_global.server.verify == TLS_VERIFY_NONE;
}

const struct module tls_client_module = {
	.name = "tls-client",
	.keywords = client_keywords,
	.enabled = client_enabled,
};
