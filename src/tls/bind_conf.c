/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Words about TLS of bind lines and of the global section. Files are read when their word is parsed, so
 * that problems show below the word; contexts and the index are made when the configuration is
 * complete. Nothing here runs for a connection.
 */
#include "tls/bind.h"

#include "base/arena.h"
#include "base/err.h"
#include "config/config.h"
#include "config/module.h"
#include "net/bind_conf.h"
#include "tls/dh.h"
#include "tls/lib.h"
#include "tls/list.h"
#include "tls/tickets.h"

#include <limits.h>
#include <string.h>

/* -- bind lines ------------------------------------------------------------------------------ */

/* Words that set tls_settings. */
static int bind_setting(struct statement *st, const struct keyword *kw, void *object)
{
	struct tls_bind *bind = tls_bind_of(object, st->cfg);

	return tls_settings_parse(st, kw->name, &bind->set);
}

static int bind_crt(struct statement *st, const struct keyword *kw, void *object)
{
	const char *word = stmt_need(st, "the file or directory of a certificate"), *path;
	struct tls_bind *bind = tls_bind_of(object, st->cfg);
	struct tls_entry *entries[TLS_BUNDLE_MAX];
	struct tls_line_spec spec = { .entries = entries };
	struct err err;
	int n;

	(void)kw;
	if (!word)
		return -1;
	path = tls_store_crt_path(st->cfg->arena, word);
	n = tls_entries_load(path, entries, &err);
	spec.count = (unsigned)n;
	if (n < 0 || tls_bind_add(bind, &spec, &err))
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

/* -- rows ------------------------------------------------------------------------------------ */

static const struct keyword bind_keywords[] = {
	{ "ssl", SCOPE_BIND, 0, "", bind_setting, .help = "connections speak TLS" },
	{ "crt", SCOPE_BIND, 0, "<cert>", bind_crt,
	  .help = "file with certificate, chain and key, or a directory of such files" },
	{ "alpn", SCOPE_BIND, 0, "<protocols>", bind_setting,
	  .help = "protocols offered by ALPN, parted by commas, the preferred first" },
	{ "no-tls-tickets", SCOPE_BIND, 0, "", bind_setting,
	  .help = "sessions are resumed from our cache alone, no tickets are given" },
	{ "tls-ticket-keys", SCOPE_BIND, 0, "<keyfile>", bind_ticket_keys,
	  .help = "file of the keys that session tickets are sealed with" },
	{ 0 }
};

static void bind_init(struct config *cfg, void *data)
{
	(void)cfg;
	(void)data;
	memset(&tls_global, 0, sizeof(tls_global));
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
			continue;
		}
		config_warning(cfg, &bind->loc, "words about TLS have no effect without 'ssl': "
			       "connections are plain");
		tls_bind_release(bind);
	}
	return rc;
}

static void bind_release(void *data)
{
	struct tls_bind *bind, *next;

	(void)data;
	list_for_each_safe(bind, next, &tls_binds, node)
		tls_bind_release(bind);
}

const struct module tls_bind_module = {
	.name = "tls_bind",
	.keywords = bind_keywords,
	.init = bind_init,
	.finish = bind_finish,
	.release = bind_release,
	.data_size = 1,
};
