/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * TLS of a bind line: lines (certificates with the names they are for), contexts (settings), the
 * index of names. Filled by words (bind_conf.c, list.c) and by commands; asked for each ClientHello
 * (choose.c). A line's names follow its entry: when the entry gets another certificate, they are
 * looked at anew.
 */
#include "tls/bind.h"

#include "base/bug.h"
#include "base/err.h"
#include "base/result.h"
#include "net/bind_conf.h"
#include "tls/choose.h"
#include "tls/context.h"
#include "tls/early.h"
#include "tls/forge.h"
#include "tls/lists.h"
#include "tls/notes.h"
#include "tls/ocsp.h"
#include "tls/sessions.h"
#include "tls/tickets.h"

#include <stdlib.h>
#include <string.h>

/* -- contexts ------------------------------------------------------------------------------ */

/* What clients may come back with: the lines of one section take each other's sessions. */
static int share(struct tls_bind *bind, const struct tls_settings *set, SSL_CTX *ctx)
{
	if (set->options.on & TLS_ALLOW_0RTT) {
		tls_early_attach(ctx);
		bind->early = true;
	}
	tls_ocsp_attach(ctx);
	if (tls_sessions_attach(ctx, bind->conf->section) < 0)
		return -1;
	return SSL_CTX_get_options(ctx) & SSL_OP_NO_TICKET ?
		       0 : tls_tickets_attach(ctx, bind->ticket_keys);
}

struct tls_context *tls_bind_context(struct tls_bind *bind, const struct tls_settings *set,
				     struct err *err)
{
	struct tls_context *c;

	for (c = bind->contexts; c; c = c->next)
		if (tls_settings_equal(&c->set, set))
			return c;
	c = calloc(1, sizeof(*c));
	if (!c) {
		err_set(err, "out of memory");
		return NULL;
	}
	c->ctx = tls_settings_context(set, true, err);
	if (!c->ctx) {
		free(c);
		return NULL;
	}
	c->set = tls_context_basis(c->ctx)->set; /* the line, with its strings, may be deleted */
	c->set.verify = set->verify;
	c->signs = tls_choose_signs(c->set.sigalgs);
	tls_context_offer(c->ctx, &bind->offer);
	tls_choose_install(c->ctx, bind);
	if (share(bind, set, c->ctx) < 0) {
		SSL_CTX_free(c->ctx);
		free(c);
		err_set(err, "out of memory");
		return NULL;
	}
	c->next = bind->contexts;
	bind->contexts = c;
	return c;
}

/* A line has gone. */
static void context_leave(struct tls_bind *bind, struct tls_context *c)
{
	struct tls_context **link = &bind->contexts;

	if (!c || --c->lines || c == bind->own)
		return;
	while (*link != c)
		link = &(*link)->next;
	*link = c->next;
	tls_context_retire(&c->ctx);
	free(c);
}

static void contexts_free(struct tls_bind *bind)
{
	struct tls_context *c;

	while ((c = bind->contexts)) {
		bind->contexts = c->next;
		SSL_CTX_free(c->ctx);
		free(c);
	}
	bind->own = NULL;
}

/* -- names --------------------------------------------------------------------------------- */

static void names_free(struct tls_line_names *made)
{
	free(made->names);
	free(made->text);
	*made = (struct tls_line_names){ 0 };
}

static void names_leave(struct tls_line *line)
{
	unsigned i;

	for (i = 0; i < line->named.count; i++)
		tls_names_remove(&line->bind->names, &line->named.names[i]);
	names_free(&line->named);
}

/* The n-th name of the line: a filter (those with '!' are none), or what the certificate says. */
static struct span name_at(const struct tls_line *line, const struct tls_cert *cert, unsigned n)
{
	if (!line->filters)
		return cert->names[n];
	return line->filters[n][0] == '!' ? (struct span){ "", 0 } : span_of(line->filters[n]);
}

static unsigned names_most(const struct tls_line *line, const struct tls_cert *cert)
{
	unsigned n = 0;

	if (!line->filters)
		return cert ? cert->name_count : 0;
	while (line->filters[n])
		n++;
	return n;
}

static bool name_repeats(const struct tls_line_names *made, const char *text, size_t len)
{
	unsigned i;

	for (i = 0; i < made->count; i++) {
		const struct tls_name *n = &made->names[i];
		size_t skip = n->wild;

		if (n->len + skip == len && !memcmp(n->text, text + skip, n->len) &&
		    n->wild == (len > 2 && text[0] == '*' && text[1] == '.'))
			return true;
	}
	return false;
}

/* Makes the names of the line with this certificate, in no index yet. */
static int names_make(struct tls_line *line, const struct tls_cert *cert,
		      struct tls_line_names *made)
{
	unsigned most = names_most(line, cert), i;
	size_t room = 0, len;
	char *p;

	for (i = 0; i < most; i++)
		room += name_at(line, cert, i).len + 1;
	if (!most)
		return 0;
	made->names = calloc(most, sizeof(*made->names));
	made->text = p = malloc(room);
	if (!made->names || !made->text)
		return -1;
	for (i = 0; i < most; i++) {
		if (name_at(line, cert, i).len > TLS_NAME_MAX)
			continue;
		len = tls_name_normalise(name_at(line, cert, i), p);
		if (!len || name_repeats(made, p, len))
			continue;
		tls_name_init(&made->names[made->count++], p, len, line, line->rank);
		p += len + 1;
	}
	return 0;
}

static int names_enter(struct tls_line *line)
{
	unsigned i;

	for (i = 0; i < line->named.count; i++)
		if (tls_names_add(&line->bind->names, &line->named.names[i]))
			return -1;
	return 0;
}

static int line_ocsp(struct tls_line *line, struct err *err)
{
	const struct tls_list_line *from = line->from;
	const struct tls_entry *entry = line->entry;
	bool update = from && from->ocsp_update_given ? from->ocsp_update : entry->ocsp_update;

	return entry->cert ? tls_ocsp_use(entry->cert, entry->name, update, err) : 0;
}

int tls_bind_ocsp(const struct tls_entry *entry, struct err *err)
{
	struct tls_bind *bind;
	struct tls_line *line;

	list_for_each(bind, &tls_binds, node)
		list_for_each(line, &bind->lines, node)
			if (line->entry == entry && bind->own && line_ocsp(line, err))
				return -1;
	return 0;
}

/* Has its index to be made anew when the certificate changes? */
static bool line_is_renamed(const struct tls_line *line)
{
	return line->bind->own && !line->filters;
}

/* What takes memory is had before the certificate is put in force: its names, and an index for
 * them. */
static int line_check(struct tls_user *user, struct tls_cert *fresh, struct err *err)
{
	struct tls_line *line = container_of(user, struct tls_line, user);

	names_free(&line->coming); /* of one that was refused afterwards */
	if (line_is_renamed(line) && (names_make(line, fresh, &line->coming) ||
				      tls_names_ready(&line->bind->names)))
		return err_set(err, "out of memory");
	return 0;
}

/* The entry has another certificate: filters stay, names of the certificate may be others. */
static void line_changed(struct tls_user *user, struct tls_cert *old)
{
	struct tls_line *line = container_of(user, struct tls_line, user);
	struct err err;

	(void)old;
	if (line->bind->own)
		DROPPED(line_ocsp(line, &err), "who put it in force asks: tls_bind_ocsp");
	if (!line_is_renamed(line))
		return;
	names_leave(line);
	line->named = line->coming;
	line->coming = (struct tls_line_names){ 0 };
	BUG_ON(names_enter(line)); /* there is an index */
}

/* -- lines --------------------------------------------------------------------------------- */

void tls_line_free(struct tls_line **where)
{
	struct tls_line *line = *where;

	*where = NULL;
	if (!line)
		return;
	tls_user_leave(&line->user);
	names_leave(line);
	names_free(&line->coming);
	list_remove(&line->node);
	context_leave(line->bind, line->context);
	free(line);
}

static struct tls_line *line_new(struct tls_bind *bind, const struct tls_line_spec *spec,
				 struct tls_entry *entry)
{
	struct tls_line *line = calloc(1, sizeof(*line));

	if (!line)
		return NULL;
	line->bind = bind;
	line->entry = entry;
	line->filters = spec->filters;
	line->list = spec->list;
	line->from = spec->from;
	line->set = spec->set;
	line->rank = bind->next_rank++;
	line->group = bind->next_group;
	line->fallback = spec->fallback;
	line->user.check = line_check;
	line->user.changed = line_changed;
	list_append(&bind->lines, &line->node);
	tls_entry_use(entry, &line->user);
	return line;
}

static int line_context(struct tls_line *line, struct err *err)
{
	struct tls_settings whole;

	if (!line->set)
		return 0;
	whole = *line->set;
	tls_settings_inherit(&whole, &line->bind->set);
	line->context = tls_bind_context(line->bind, &whole, err);
	if (!line->context)
		return -1;
	line->context->lines++;
	return 0;
}

/* Into service. */
static int line_ready(struct tls_line *line, struct err *err)
{
	if (line_context(line, err))
		return -1;
	if (names_make(line, line->entry->cert, &line->named) || names_enter(line))
		return err_set(err, "out of memory");
	return 0;
}

static int add_one(struct tls_bind *bind, const struct tls_line_spec *spec, unsigned i,
		   struct tls_line **added, struct err *err)
{
	*added = line_new(bind, spec, spec->entries[i]);
	if (!*added)
		return err_set(err, "out of memory");
	if (!bind->own)
		return 0;
	DROPPED(line_ocsp(*added, err), "show ssl ocsp-response says that there is none");
	return line_ready(*added, err);
}

int tls_bind_add(struct tls_bind *bind, const struct tls_line_spec *spec, struct err *err)
{
	struct tls_line *added[TLS_BUNDLE_MAX] = { NULL };
	unsigned i;

	for (i = 0; i < spec->count; i++)
		if (add_one(bind, spec, i, &added[i], err)) {
			for (i = 0; i < spec->count; i++)
				tls_line_free(&added[i]);
			return -1;
		}
	bind->next_group++;
	return 0;
}

/* -- the whole ----------------------------------------------------------------------------- */

/* What is said of OCSP is never a reason not to serve. */
static void lines_ocsp(struct tls_bind *bind, struct config *cfg)
{
	struct tls_line *line;
	struct err err;

	list_for_each(line, &bind->lines, node)
		if (line_ocsp(line, &err) < 0)
			config_warning(cfg, &bind->loc, "%s", err.text);
}

static struct location line_where(const struct tls_line *line)
{
	if (line->list && line->from->own)
		return line->from->own->loc;
	return line->list ? (struct location){ .file = line->list->name, .line = line->from->number } :
			    line->bind->loc;
}

/* Of age only a notice: an old certificate must not keep zero-warning from starting all the
 * rest. */
static void lines_doubt(struct tls_bind *bind, struct config *cfg)
{
	struct tls_line *line;
	const char *doubt;
	char memory[256];
	struct text age;

	list_for_each(line, &bind->lines, node) {
		struct location where = line_where(line);

		doubt = tls_entry_doubt(line->entry);
		if (doubt)
			config_warning(cfg, &where, "'%s': %s", line->entry->name, doubt);
		text_init(&age, memory, sizeof(memory));
		if (tls_entry_aged(line->entry, &age))
			config_notice(cfg, &where, "'%s': %s", line->entry->name, memory);
	}
}

static void say_doubt(struct tls_bind *bind, struct config *cfg)
{
	const char *doubt = NULL;
	int min, max;

	if (!tls_settings_versions(&bind->set, &min, &max, NULL, &doubt, NULL) && doubt)
		config_warning(cfg, &bind->loc, "%s", doubt);
}

static int check_certificates(struct tls_bind *bind, struct config *cfg)
{
	if (!list_empty(&bind->lines) || bind->forge)
		return 0;
	if (bind->set.options.on & TLS_STRICT_SNI) {
		config_warning(cfg, &bind->loc, "this line has no certificate yet: all handshakes "
			       "fail until one is added");
		return 0;
	}
	return config_error(cfg, &bind->loc, "'ssl' needs a certificate: 'crt' or 'crt-list' is "
			    "missing");
}

static int forge_ready(struct tls_bind *bind, struct config *cfg)
{
	struct err err;

	if (!(bind->set.options.on & TLS_GENERATE))
		return 0;
	if (!bind->sign_file)
		return config_error(cfg, &bind->loc, "'generate-certificates' needs 'ca-sign-file': "
				    "the authority that signs them");
	bind->forge = tls_forge_new(bind->sign_file, bind->sign_pass, &err);
	return bind->forge ? 0 : config_error(cfg, &bind->loc, "%s", err.text);
}

static int lines_ready(struct tls_bind *bind, struct config *cfg)
{
	struct location where;
	struct tls_line *line;
	struct err err;
	int rc = 0;

	list_for_each(line, &bind->lines, node) {
		if (!line_ready(line, &err))
			continue;
		where = line_where(line);
		rc = config_error(cfg, &where, "%s", err.text);
	}
	return rc;
}

int tls_bind_ready(struct tls_bind *bind, struct config *cfg)
{
	struct err err;

	tls_settings_inherit(&bind->set, &bind->defaults);
	say_doubt(bind, cfg);
	if (forge_ready(bind, cfg) || check_certificates(bind, cfg))
		return -1;
	bind->own = tls_bind_context(bind, &bind->set, &err);
	if (!bind->own)
		return config_error(cfg, &bind->loc, "%s", err.text);
	if (lines_ready(bind, cfg))
		return -1;
	lines_doubt(bind, cfg);
	lines_ocsp(bind, cfg);
	return 0;
}

struct ssl_st *tls_bind_ssl(struct tls_bind *bind)
{
	SSL *ssl = SSL_new(bind->own->ctx);

	if (ssl)
		tls_note_hello(ssl);
	return ssl;
}

void tls_bind_release(struct tls_bind *bind)
{
	struct tls_line *line, *next;

	list_for_each_safe(line, next, &bind->lines, node)
		tls_line_free(&line);
	tls_names_free(&bind->names);
	contexts_free(bind);
	tls_forge_free(&bind->forge);
	list_remove(&bind->node);
	bind->conf->tls = NULL;
}
