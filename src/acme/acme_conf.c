/* SPDX-License-Identifier: BSD-2-Clause */
/* Sections "acme", and the certificates whose lines name them (tls/store_acme.c reads these). */
#include "acme/acme.h"

#include "acme/client.h"
#include "base/arena.h"
#include "base/err.h"
#include "config/module.h"
#include "dns/files.h"
#include "client/own_request.h"
#include "client/client_conf.h"
#include "event/change.h"
#include "expr/pattern_ref.h"
#include "http/uri.h"
#include "tls/challenge.h"

#include <openssl/x509v3.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BITS_LEAST = 2048, BITS_MOST = 4096 };

struct acme_data {
	struct acme *sections, **tail;
	int scheduler; /* of schedulers */
};

static const char *const keytypes[] = { "ECDSA", "RSA", NULL };
static const char *const schedulers[] = { "auto", "off", NULL };
static const char *const switches[] = { "off", "on", NULL };
static const char *const macs[] = { "HS256", "HS384", "HS512", NULL };
enum { CURVE_P384 = 1 };

/* ---- words ----------------------------------------------------------------------------------- */

static struct acme *find(struct acme *a, const char *name)
{
	while (a && strcmp(a->name, name))
		a = a->next;
	return a;
}

static void *acme_begin(struct statement *st)
{
	struct acme_data *data = config_data(st->cfg, &acme_module);
	const char *name = stmt_need(st, "the name of the section");
	const struct acme *other;
	struct acme *acme;

	if (!name || stmt_end(st))
		return NULL;
	other = find(data->sections, name);
	if (other)
		stmt_error(st, 1, "there is another section 'acme %s', at %s:%u", name,
			   other->loc.file, other->loc.line);
	acme = arena_alloc(st->cfg->arena, sizeof(*acme));
	acme->loc = st->loc;
	acme->name = name;
	acme->bits = BITS_LEAST;
	acme->curve = CURVE_P384;
	acme->map = "virt@acme";
	*data->tail = acme;
	data->tail = &acme->next;
	client_conf.wanted = true;
	change_parent_wanted = true;
	return acme;
}

static int parse_directory(struct statement *st, const struct keyword *kw, void *object)
{
	struct own_target target;
	struct acme *acme = object;
	const char *wrong;
	struct uri uri;

	(void)kw;
	acme->directory = stmt_need(st, "the URL of an authority's directory");
	if (!acme->directory)
		return -1;
	wrong = own_url(span_of(acme->directory), &uri, &target);
	if (wrong)
		return stmt_error(st, st->at - 1, "'%s' is no URL of a directory: %s",
				  acme->directory, wrong);
	return stmt_end(st);
}

/* It becomes part of JSON as it is. */
static bool is_plain(const char *text)
{
	for (; *text; text++)
		if (*text <= ' ' || *text > '~' || *text == '"' || *text == '\\')
			return false;
	return true;
}

static int parse_plain(struct statement *st, const struct keyword *kw, void *object)
{
	const char *word = stmt_need(st, kw->args);

	if (!word)
		return -1;
	if (!is_plain(word) || !*word)
		return stmt_error(st, st->at - 1,
				  "'%s' takes letters, digits and signs of ASCII, without "
				  "quotes and blanks",
				  kw->name);
	*(const char **)((char *)object + kw->offset) = word;
	return stmt_end(st);
}

static int parse_contact(struct statement *st, const struct keyword *kw, void *object)
{
	struct acme *acme = object;
	int rc = parse_plain(st, kw, object);

	if (rc == 0 && (!strchr(acme->contact, '@') || strchr(acme->contact, ',')))
		return stmt_error(st, 1, "'%s' is no mail address", acme->contact);
	return rc;
}

/* From the root: it is opened when the process has gone elsewhere, perhaps. */
static const char *full_path(struct arena *arena, const char *path)
{
	char here[PATH_MAX];

	if (path[0] == '/' || !getcwd(here, sizeof(here)))
		return path;
	return arena_printf(arena, "%s/%s", strcmp(here, "/") ? here : "", path);
}

static int parse_file(struct statement *st, const struct keyword *kw, void *object)
{
	const char *word = stmt_need(st, "a file");

	if (!word)
		return -1;
	if (!*word || word[strlen(word) - 1] == '/')
		return stmt_error(st, st->at - 1, "'%s' is no name of a file", word);
	*(const char **)((char *)object + kw->offset) = full_path(st->cfg->arena, word);
	return stmt_end(st);
}

static int parse_challenge(struct statement *st, const struct keyword *kw, void *object)
{
	const char *word = stmt_peek(st);
	struct acme *acme = object;
	int i;

	(void)kw;
	if (!stmt_need(st, "'http-01' or 'tls-alpn-01'"))
		return -1;
	if (!strncasecmp(word, "dns-", 4))
		return stmt_error(st, st->at - 1,
				  "'%s' is not supported yet: 'http-01' and 'tls-alpn-01' "
				  "are",
				  word);
	for (i = 0; acme_challenges[i] && strcasecmp(acme_challenges[i], word); i++)
		;
	if (!acme_challenges[i])
		return stmt_unknown(st, st->at - 1, "challenge", acme_challenges);
	acme->challenge = i;
	return stmt_end(st);
}

#define AT(field) offsetof(struct acme, field)

static const struct keyword keywords[] = {
	{ .name = "acme.scheduler",
	  .scope = SCOPE_GLOBAL,
	  .args = "{ auto | off }",
	  .parse = set_enum,
	  .offset = offsetof(struct acme_data, scheduler),
	  .names = schedulers,
	  .dflt = "auto",
	  .help = "whether certificates by ACME are renewed by themselves" },
	{ .name = "directory",
	  .scope = SCOPE_ACME,
	  .args = "<url>",
	  .parse = parse_directory,
	  .help = "the authority: the URL of its directory" },
	{ .name = "contact",
	  .scope = SCOPE_ACME,
	  .args = "<mail>",
	  .parse = parse_contact,
	  .offset = AT(contact),
	  .help = "where the authority may write to" },
	{ .name = "account-key",
	  .scope = SCOPE_ACME,
	  .args = "<file>",
	  .parse = parse_file,
	  .offset = AT(account_key),
	  .dflt = "<section>.account.key",
	  .help = "the key of the account; made if it is missing" },
	{ .name = "challenge",
	  .scope = SCOPE_ACME,
	  .args = "{ http-01 | tls-alpn-01 }",
	  .parse = parse_challenge,
	  .dflt = "http-01",
	  .help = "how it is proved that a name is ours" },
	{ .name = "map",
	  .scope = SCOPE_ACME,
	  .args = "<map>",
	  .parse = parse_plain,
	  .offset = AT(map),
	  .dflt = "virt@acme",
	  .help = "map from tokens of http-01 to the thumbprint of the account" },
	{ .name = "keytype",
	  .scope = SCOPE_ACME,
	  .args = "{ ECDSA | RSA }",
	  .parse = set_enum,
	  .offset = AT(keytype),
	  .names = keytypes,
	  .dflt = "ECDSA",
	  .help = "keys that are made" },
	{ .name = "curves",
	  .scope = SCOPE_ACME,
	  .args = "{ P-256 | P-384 | P-521 }",
	  .parse = set_enum,
	  .offset = AT(curve),
	  .names = acme_curves,
	  .dflt = "P-384",
	  .help = "of keys of ECDSA" },
	{ .name = "bits",
	  .scope = SCOPE_ACME,
	  .args = "<number>",
	  .parse = set_unsigned,
	  .offset = AT(bits),
	  .min = BITS_LEAST,
	  .max = BITS_MOST,
	  .dflt = "2048",
	  .help = "of keys of RSA" },
	{ .name = "reuse-key",
	  .scope = SCOPE_ACME,
	  .args = "{ on | off }",
	  .parse = set_enum,
	  .offset = AT(reuse_key),
	  .names = switches,
	  .dflt = "off",
	  .help = "a renewed certificate has the key of before" },
	{ .name = "profile",
	  .scope = SCOPE_ACME,
	  .args = "<name>",
	  .parse = parse_plain,
	  .offset = AT(profile),
	  .help = "the kind of certificate, as the authority calls it" },
	{ .name = "eab-key-id",
	  .scope = SCOPE_ACME,
	  .args = "<file>",
	  .parse = parse_file,
	  .offset = AT(binding_id),
	  .help = "id of the external account that the account is bound to" },
	{ .name = "eab-mac-key",
	  .scope = SCOPE_ACME,
	  .args = "<file>",
	  .parse = parse_file,
	  .offset = AT(binding_key),
	  .help = "key of the external account, in base64url" },
	{ .name = "eab-mac-alg",
	  .scope = SCOPE_ACME,
	  .args = "{ HS256 | HS384 | HS512 }",
	  .parse = set_enum,
	  .offset = AT(binding_alg),
	  .names = macs,
	  .dflt = "HS256",
	  .help = "how the external account is proved" },
	{ .name = NULL },
};

static const struct section sections[] = {
	{ .name = "acme", .scope = SCOPE_ACME, .begin = acme_begin,
	  .help = "an authority that certificates are fetched from (RFC 8555)" },
	{ .name = NULL },
};

/* ---- when the configuration is complete ------------------------------------------------------ */

static void init(struct config *cfg, void *object)
{
	struct acme_data *data = object;
	struct tls_acme *line, *next;

	(void)cfg;
	data->tail = &data->sections;
	/* The store outlives a configuration that was only looked at. */
	list_for_each_safe(line, next, &tls_acme_all, node)
		tls_acme_leave(line->entry);
}

static int check_section(struct config *cfg, struct acme *acme)
{
	int rc = 0;

	if (!acme->directory)
		rc = config_error(cfg, &acme->loc,
				  "section 'acme %s' names no authority: 'directory' and "
				  "a URL are missing",
				  acme->name);
	if (!acme->binding_id != !acme->binding_key)
		rc = config_error(cfg, &acme->loc,
				  "section 'acme %s': 'eab-key-id' and 'eab-mac-key' go "
				  "together",
				  acme->name);
	if (!acme->account_key)
		acme->account_key = full_path(cfg->arena, arena_printf(cfg->arena, "%s.account.key",
								       acme->name));
	return rc;
}

/* The map that a frontend looks tokens up in. */
static void find_map(struct config *cfg, struct acme *acme)
{
	acme->ref = pattern_ref_loaded(cfg, PATTERN_VALUES, acme->map);
	if (acme->challenge == ACME_HTTP_01 && !acme->ref)
		config_warning(
			cfg, &acme->loc,
			"section 'acme %s': no rule looks up 'map(%s)', so nobody "
			"answers the challenges of http-01: a frontend on port 80 needs\n"
			"    http-request return status 200 content-type text/plain lf-string "
			"\"%%[path,field(-1,/)].%%[path,field(-1,/),map(%s)]\" if { path_beg "
			"/.well-known/acme-challenge/ }",
			acme->name, acme->map, acme->map);
}

/* Authorities give certificates for names of hosts alone; what is none would be asked for, and
 * refused, again and again. */
static int check_domains(struct config *cfg, const struct tls_acme *line)
{
	const char *at = line->domains;
	char name[DNS_NAME_MOST + 1];
	size_t len;

	for (;; at += len + 1) {
		len = strcspn(at, ",");
		if (dns_name((struct span){ at, len }, name) != len)
			return config_error(cfg, &line->loc,
					    "'domains': '%.*s' is no name of a host: labels of 1 to 63 "
					    "letters, digits and '-', with dots between them, and no address",
					    (int)(len < 100 ? len : 100), at);
		if (!at[len])
			return 0;
	}
}

/* What one of them wrote the other one would write over. */
static int check_file(struct config *cfg, const struct tls_acme *line)
{
	const struct acme_cert *c;

	list_for_each(c, &acme_running.certs, node)
		if (!strcmp(c->line->path, line->path))
			return config_error(cfg, &line->loc,
					    "'%s' is the file of '%s' by ACME already, at %s:%u: each "
					    "certificate needs one of its own",
					    line->path, c->line->entry->name, c->line->loc.file,
					    c->line->loc.line);
	return 0;
}

static int join_line(struct config *cfg, const struct acme_data *data, struct tls_acme *line)
{
	struct acme *acme = find(data->sections, line->section);
	struct acme_cert *c;

	if (!acme)
		return config_error(cfg, &line->loc, "there is no section 'acme %s'",
				    line->section);
	if (check_domains(cfg, line) || check_file(cfg, line))
		return -1;
	if (line->placeholder)
		config_notice(cfg, &line->loc,
			      "'%s' is not there yet: a temporary certificate, which clients "
			      "do not trust, serves until 'acme %s' has brought the first one",
			      line->path, acme->name);
	c = calloc(1, sizeof(*c));
	if (!c)
		return config_error(cfg, &line->loc, "out of memory");
	c->line = line;
	c->acme = acme;
	list_append(&acme_running.certs, &c->node);
	return 0;
}

static void certs_free(void)
{
	struct acme_cert *c;

	while (!list_empty(&acme_running.certs)) {
		c = list_first(&acme_running.certs, struct acme_cert, node);
		list_remove(&c->node);
		free(c);
	}
}

static int finish(struct config *cfg, void *object)
{
	struct acme_data *data = object;
	struct tls_acme *line;
	struct acme *acme;
	int rc = 0;

	for (acme = data->sections; acme; acme = acme->next) {
		rc |= check_section(cfg, acme);
		find_map(cfg, acme);
	}
	certs_free();
	list_for_each(line, &tls_acme_all, node)
		rc |= join_line(cfg, data, line);
	acme_running.sections = data->sections;
	acme_running.scheduler = !data->scheduler;
	return rc;
}

/* ---- the module ------------------------------------------------------------------------------ */

static int prepare(struct config *cfg, void *object, struct err *err)
{
	struct acme_cert *c;
	struct acme *acme;

	(void)cfg, (void)object;
	list_for_each(c, &acme_running.certs, node)
		if (acme_files_path(c, err) < 0)
			return err_prefix(err, "acme '%s'", c->acme->name);
	for (acme = acme_running.sections; acme; acme = acme->next) {
		if (acme_files_keys(acme, err) < 0)
			return err_prefix(err, "acme '%s'", acme->name);
		acme_files_restore(acme);
	}
	return 0;
}

static int start(struct config *cfg, void *object, struct err *err)
{
	(void)cfg, (void)object, (void)err;
	acme_follow();
	if (!list_empty(&acme_running.certs))
		acme_client_start();
	return 0;
}

static void lead(struct config *cfg, void *object)
{
	(void)cfg, (void)object;
	acme_lead();
}

static void stop(void)
{
	struct acme *acme;

	acme_client_stop();
	tls_challenges_end();
	for (acme = acme_running.sections; acme; acme = acme->next) {
		EVP_PKEY_free(acme->key);
		free(acme->thumbprint);
		free(acme->kid);
		free(acme->mac);
		acme->key = NULL;
		acme->thumbprint = acme->kid = acme->mac = NULL;
	}
	certs_free();
}

const struct module acme_module = {
	.name = "acme",
	.keywords = keywords,
	.sections = sections,
	.data_size = sizeof(struct acme_data),
	.init = init,
	.finish = finish,
	.prepare = prepare,
	.start = start,
	.lead = lead,
	.stop = stop,
};
