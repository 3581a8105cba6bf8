/* SPDX-License-Identifier: BSD-2-Clause */
/* The word ssl-f-use. Each line of it is one of the crt-list "@<frontend>", which is in memory
 * alone (tls/list.h); when the configuration is complete the bind lines of the frontend use that
 * list. */
#include "proxy/frontend_certs.h"

#include "base/arena.h"
#include "base/err.h"
#include "base/str.h"
#include "config/config.h"
#include "net/listener.h"
#include "proxy/proxy.h"
#include "tls/bind.h"
#include "tls/list.h"
#include "tls/settings.h"

#include <string.h>

enum { TEXT_MOST = 4096 };

/* ---- the line ---------------------------------------------------------------------------- */

struct use {
	struct tls_frontend_line *line;
	struct text options; /* as a crt-list has them */
};

/* Where the value of the word is kept; NULL: it is no word about files. */
static const char **file_word(struct tls_files *files, const char *word)
{
	const struct {
		const char *name, **value;
	} words[] = { { "crt", &files->crt }, { "key", &files->key }, { "ocsp", &files->ocsp },
		      { "issuer", &files->issuer }, { "sctl", &files->sctl } };
	size_t i;

	for (i = 0; i < ARRAY_LEN(words); i++)
		if (!strcmp(words[i].name, word))
			return words[i].value;
	return NULL;
}

static int take_file(struct statement *st, struct use *use, const char *word)
{
	struct tls_files *files = &use->line->files;
	const char **kept = file_word(files, word), *name;

	if (*kept)
		return stmt_error(st, st->at - 1, "'%s' a second time", word);
	name = stmt_need(st, "the name of a file");
	if (!name)
		return -1;
	if (name[strcspn(name, " \t[]")])
		return stmt_error(st, st->at - 1, "blanks and brackets cannot be in the name of a "
						  "file of a crt-list");
	if (kept == &files->crt)
		*kept = name;
	else if (kept == &files->key)
		*kept = tls_store_key_path(st->cfg->arena, name);
	else
		*kept = tls_store_crt_path(st->cfg->arena, name);
	return 0;
}

/* How many values follow it? -1: it is none of the words of a crt-list. */
static int count_values(const char *word)
{
	if (!strcmp(word, "ocsp-update") || !strcmp(word, "acme") || !strcmp(word, "domains"))
		return 1;
	return tls_settings_word(word, TLS_IN_LIST);
}

static int take_option(struct statement *st, struct use *use, const char *word)
{
	int values = count_values(word), at = st->at - 1;
	const char *value;

	if (!strcmp(word, "alias"))
		return stmt_error(st, at, "an alias is for 'load' in a section crt-store");
	if (values < 0)
		return stmt_error(st, at, tls_settings_word(word, TLS_IN_BIND) < 0 ?
				  "'%s' is not known here" :
				  "'%s' is a word of bind lines, not of certificates", word);
	text_printf(&use->options, " %s", word);
	if (!values)
		return 0;
	value = stmt_need(st, "its value");
	if (!value)
		return -1;
	if (value[strcspn(value, " \t[]")])
		return stmt_error(st, at + 1,
				  "blanks and brackets cannot be in an option of a crt-list");
	text_printf(&use->options, " %s", value);
	return 0;
}

static int take_words(struct statement *st, struct use *use)
{
	const char *word;

	while ((word = stmt_next(st)))
		if (file_word(&use->line->files, word) ? take_file(st, use, word) :
							 take_option(st, use, word))
			return -1;
	if (!use->line->files.crt)
		return stmt_error(st, st->at, "'crt' and the name of a file expected");
	return use->options.cut ? stmt_error(st, 0, "this line is too long") : 0;
}

static const char *list_name(struct config *cfg, const struct proxy *px)
{
	return arena_printf(cfg->arena, "@%s", px->name);
}

static int parse_use(struct statement *st, const struct keyword *kw, void *object)
{
	struct tls_frontend_line *line = arena_alloc(st->cfg->arena, sizeof(*line));
	struct use use = { .line = line };
	char memory[TEXT_MOST];
	struct err err = { "" };

	(void)kw;
	line->loc = st->loc;
	text_init(&use.options, memory, sizeof(memory));
	if (take_words(st, &use))
		return -1;
	line->text =
		arena_printf(st->cfg->arena, *memory ? "%s [%s]" : "%s", line->files.crt, memory);
	if (tls_list_take(list_name(st->cfg, object), line, &err))
		return stmt_error(st, 0, "%s", err.text);
	return 0;
}

static const struct keyword keywords[] = {
	{ "ssl-f-use", SCOPE_FRONTEND, 0, "[<word> ...] crt <file> [<word> ...]", parse_use,
	  .help = "a certificate for all bind lines of the frontend that have 'ssl'" },
	{ 0 },
};

/* ---- bind lines -------------------------------------------------------------------------- */

static int give_list(struct config *cfg, struct proxy *px, struct tls_list *list)
{
	const struct tls_list_line *line = list_first(&list->lines, struct tls_list_line, node);
	struct bind_conf *bind;
	struct err err = { "" };
	unsigned given = 0;

	list_for_each(bind, &px->binds, node) {
		if (!bind->tls || !(bind->tls->set.options.on & TLS_SSL))
			continue;
		given++;
		if (tls_list_use(list, bind->tls, &err))
			return config_error(cfg, &bind->loc, "%s", err.text);
	}
	if (!given)
		config_warning(cfg, &line->own->loc,
			       "'ssl-f-use' has no effect: no bind line of '%s' "
			       "has 'ssl'",
			       px->name);
	return 0;
}

static int certs_finish(struct config *cfg, void *data)
{
	const struct proxies *all = config_data(cfg, &proxy_module);
	struct tls_list *list;
	struct proxy *px;
	int bad = 0;

	(void)data;
	if (config_failed(cfg))
		return 0;
	list_for_each(px, &all->list, node) {
		list = px->caps & PROXY_FRONTEND ? tls_list_find(list_name(cfg, px)) : NULL;
		if (list)
			bad |= give_list(cfg, px, list);
	}
	return bad;
}

const struct module frontend_certs_module = {
	.name = "frontend certificates",
	.keywords = keywords,
	.finish = certs_finish,
	.data_size = 1,
};
