/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Words about files of certificates: of the global section (manual 3.1), and the section crt-store
 * (as the manual of 3.0 has it). What they say holds for the lines behind them, since bind
 * and server lines read their certificates when they are read themselves.
 */
#include "tls/store.h"

#include "base/arena.h"
#include "base/bug.h"
#include "base/err.h"
#include "config/config.h"
#include "config/keyword.h"
#include "config/module.h"
#include "tls/tune.h"

/* A crt-store section. */
struct crt_store {
	struct crt_store *next;
	const char *name; /* "": the one without */
	const char *crt_base, *key_base; /* NULL: those of the global section hold */
};

struct store_data {
	struct crt_store *stores;
};

/* -- the global section ----------------------------------------------------------------------- */

static void store_init(struct config *cfg, void *data)
{
	(void)cfg, (void)data;
	tls_store_settings = (struct tls_store_settings){ .extra = EXTRA_ALL };
	tls_tune.skip_root = false;
}

/* "/etc/tls/" as "/etc/tls", so that one file has one name. */
static int parse_directory(struct statement *st, const char **directory)
{
	const char *word = stmt_need(st, "a directory");
	size_t len;

	if (!word)
		return -1;
	for (len = strlen(word); len > 1 && word[len - 1] == '/';)
		len--;
	*directory = arena_strndup(st->cfg->arena, word, len);
	return stmt_end(st);
}

static int parse_base(struct statement *st, const struct keyword *kw, void *object)
{
	const char **base = kw->bit == 'c' ? &tls_store_settings.crt_base :
			    kw->bit == 'k' ? &tls_store_settings.key_base :
					     &tls_store_settings.ca_base;

	(void)object;
	if (*base)
		return stmt_error(st, st->at - 1, "'%s' was given before", kw->name);
	return parse_directory(st, base);
}

static const char *const extra_names[] = { "none", "all", "bundle", "key", "ocsp", "issuer", "sctl",
					   NULL };
static const unsigned extra_bits[] = { 0, EXTRA_ALL, EXTRA_BUNDLE, EXTRA_KEY, EXTRA_OCSP,
				       EXTRA_ISSUER, EXTRA_SCTL };

static int parse_extra(struct statement *st, const struct keyword *kw, void *object)
{
	const char *word = stmt_need(st, "what to load");
	unsigned extra = 0;
	int i, count = 0;

	(void)kw, (void)object;
	if (!word)
		return -1;
	for (; word; word = stmt_next(st), count++) {
		for (i = 0; extra_names[i] && strcmp(extra_names[i], word); i++)
			;
		if (!extra_names[i])
			return stmt_unknown(st, st->at - 1, "kind of file", extra_names);
		if (i < 2 && (count || stmt_peek(st)))
			return stmt_error(st, st->at - 1, "'%s' stands alone", word);
		extra |= extra_bits[i];
	}
	tls_store_settings.extra = extra;
	return 0;
}

static int parse_del_ext(struct statement *st, const struct keyword *kw, void *object)
{
	(void)kw, (void)object;
	tls_store_settings.del_ext = true;
	return stmt_end(st);
}

static int parse_skip_root(struct statement *st, const struct keyword *kw, void *object)
{
	(void)kw, (void)object;
	tls_tune.skip_root = true;
	return stmt_end(st);
}

static int parse_issuers(struct statement *st, const struct keyword *kw, void *object)
{
	const char *directory;
	struct err err = { "" };

	(void)kw, (void)object;
	if (parse_directory(st, &directory) < 0)
		return -1;
	if (tls_files_chains(directory, &err) < 0)
		return stmt_error(st, 1, "%s", err.text);
	return 0;
}

/* -- crt-store -------------------------------------------------------------------------------- */

static bool name_is_good(const char *name)
{
	return name[0] && !name[strcspn(name, "/@ \t")];
}

static void *store_begin(struct statement *st)
{
	struct store_data *data = config_data(st->cfg, &tls_store_module);
	const char *name = stmt_next(st);
	struct crt_store *store;

	if (name && !name_is_good(name)) {
		stmt_error(st, st->at - 1, "the name of a crt-store has no '/', '@' or blank in it");
		return NULL;
	}
	if (stmt_end(st))
		return NULL;
	if (!name)
		name = "";
	for (store = data->stores; store; store = store->next) {
		if (!strcmp(store->name, name))
			return store; /* goes on */
	}
	store = arena_alloc(st->cfg->arena, sizeof(*store));
	store->name = name;
	store->next = data->stores;
	return data->stores = store;
}

static int parse_store_base(struct statement *st, const struct keyword *kw, void *object)
{
	struct crt_store *store = object;

	return parse_directory(st, kw->bit == 'c' ? &store->crt_base : &store->key_base);
}

/* What one load line says. */
struct load {
	struct tls_files files;
	const char *alias, *ocsp_update;
	struct tls_acme_words acme;
};

static const struct {
	const char *name;
	size_t offset;
} load_words[] = {
	{ "crt", offsetof(struct load, files.crt) },
	{ "key", offsetof(struct load, files.key) },
	{ "ocsp", offsetof(struct load, files.ocsp) },
	{ "issuer", offsetof(struct load, files.issuer) },
	{ "sctl", offsetof(struct load, files.sctl) },
	{ "alias", offsetof(struct load, alias) },
	{ "ocsp-update", offsetof(struct load, ocsp_update) },
	{ "acme", offsetof(struct load, acme.section) },
	{ "domains", offsetof(struct load, acme.domains) },
};

static const char *const load_names[] = { "crt", "key", "ocsp", "issuer", "sctl", "alias", "ocsp-update",
					  "acme", "domains", NULL };

static int parse_load_word(struct statement *st, struct load *load)
{
	const char *word = stmt_next(st), **value;
	size_t i;

	for (i = 0; i < ARRAY_LEN(load_words) && strcmp(load_words[i].name, word); i++)
		;
	if (i == ARRAY_LEN(load_words))
		return stmt_unknown(st, st->at - 1, "word of a load line", load_names);
	value = (const char **)((char *)load + load_words[i].offset);
	if (*value)
		return stmt_error(st, st->at - 1, "'%s' a second time", word);
	*value = stmt_need(st, "its value");
	return *value ? 0 : -1;
}

static int parse_load_words(struct statement *st, struct load *load)
{
	while (stmt_peek(st)) {
		if (parse_load_word(st, load) < 0)
			return -1;
	}
	if (!load->files.crt)
		return stmt_error(st, st->at, "'crt' and the name of a file expected");
	if (load->alias && !name_is_good(load->alias))
		return stmt_error(st, st->count - 1, "an alias has no '/', '@' or blank in it");
	if (load->ocsp_update && strcmp(load->ocsp_update, "on") && strcmp(load->ocsp_update, "off"))
		return stmt_error(st, st->count - 1, "'ocsp-update' is 'on' or 'off'");
	if (load->acme.section && load->files.key)
		return stmt_error(st, 0, "with 'acme' the file of 'crt' has the key in it: leave "
					 "'key' out");
	return 0;
}

/* "@store/alias", "@store/file"; in the one without name and without an alias, the path. */
static const char *load_name(struct arena *arena, const struct crt_store *store,
			     const struct load *load, const char *crt)
{
	if (load->alias || store->name[0])
		return arena_printf(arena, "@%s/%s", store->name, load->alias ? load->alias : crt);
	return load->files.crt;
}

static int parse_load(struct statement *st, const struct keyword *kw, void *object)
{
	const struct tls_store_settings *global = &tls_store_settings;
	const struct crt_store *store = object;
	struct arena *arena = st->cfg->arena;
	struct load load = { 0 };
	struct tls_entry *entry;
	struct err err = { "" };
	const char *crt, *base, *name;

	(void)kw;
	if (parse_load_words(st, &load) < 0)
		return -1;
	crt = load.files.crt;
	base = store->crt_base ? store->crt_base : global->crt_base;
	load.files.crt = tls_store_path(arena, base, crt);
	if (load.files.ocsp)
		load.files.ocsp = tls_store_path(arena, base, load.files.ocsp);
	if (load.files.issuer)
		load.files.issuer = tls_store_path(arena, base, load.files.issuer);
	if (load.files.sctl)
		load.files.sctl = tls_store_path(arena, base, load.files.sctl);
	if (load.files.key)
		load.files.key = tls_store_path(arena,
						store->key_base ? store->key_base : global->key_base,
						load.files.key);
	name = load_name(arena, store, &load, crt);
	if (tls_entry_find(name))
		return stmt_error(st, 1, "'%s' has been loaded already", name);
	if (tls_acme_prepare(name, load.files.crt, &load.acme, &err) < 0)
		return stmt_error(st, 1, "%s", err.text);
	entry = tls_entry_find(name);
	if (!entry)
		entry = tls_entry_add(name, &load.files, &err);
	if (!entry || tls_acme_join(entry, load.files.crt, &load.acme, &st->loc, &err) < 0)
		return stmt_error(st, 1, "%s", err.text);
	entry->ocsp_update_given = load.ocsp_update;
	entry->ocsp_update = load.ocsp_update && !strcmp(load.ocsp_update, "on");
	return 0;
}

static const struct section sections[] = {
	{ .name = "crt-store", .scope = SCOPE_CRT_STORE, .begin = store_begin,
	  .help = "certificates, and the files that belong to each" },
	{ .name = NULL },
};

static const struct keyword keywords[] = {
	{ .name = "crt-base", .scope = SCOPE_GLOBAL, .args = "<dir>", .parse = parse_base, .bit = 'c',
	  .help = "where relative names of certificates begin" },
	{ .name = "key-base", .scope = SCOPE_GLOBAL, .args = "<dir>", .parse = parse_base, .bit = 'k',
	  .help = "where relative names of private keys begin" },
	{ .name = "ca-base", .scope = SCOPE_GLOBAL, .args = "<dir>", .parse = parse_base, .bit = 'a',
	  .help = "where relative names of authorities and revocation lists begin" },
	{ .name = "ssl-load-extra-files", .scope = SCOPE_GLOBAL,
	  .args = "<none|all|bundle|key|ocsp|issuer|sctl>*", .parse = parse_extra, .dflt = "all",
	  .help = "what is looked for beside a certificate's file" },
	{ .name = "ssl-load-extra-del-ext", .scope = SCOPE_GLOBAL, .parse = parse_del_ext,
	  .help = "look for site.key, not site.crt.key" },
	{ .name = "issuers-chain-path", .scope = SCOPE_GLOBAL, .args = "<dir>", .parse = parse_issuers,
	  .help = "chains for certificates whose file has none" },
	{ .name = "ssl-skip-self-issued-ca", .scope = SCOPE_GLOBAL, .parse = parse_skip_root,
	  .help = "authorities that are signed by themselves are not sent along" },
	{ .name = "crt-base", .scope = SCOPE_CRT_STORE, .args = "<dir>", .parse = parse_store_base,
	  .bit = 'c', .help = "where relative names of certificates begin" },
	{ .name = "key-base", .scope = SCOPE_CRT_STORE, .args = "<dir>", .parse = parse_store_base,
	  .bit = 'k', .help = "where relative names of private keys begin" },
	{ .name = "load", .scope = SCOPE_CRT_STORE,
	  .args = "crt <file> [key|ocsp|issuer|sctl <file>]* [alias <name>] [ocsp-update on|off] "
		  "[acme <section> domains <name>,...]",
	  .parse = parse_load, .help = "a certificate and its files" },
	{ .name = NULL },
};

const struct module tls_store_module = {
	.name = "tls-store", .keywords = keywords, .sections = sections,
	.data_size = sizeof(struct store_data), .init = store_init,
};
