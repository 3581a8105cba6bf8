/* SPDX-License-Identifier: BSD-2-Clause */
/* What lines say of ACME (load lines of crt-store, lines of crt-lists), and the certificates that
 * serve until the first one was fetched. Called while the configuration is read. */
#include "tls/store.h"

#include "base/err.h"
#include "tls/craft.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct list tls_acme_all = LIST_INIT(tls_acme_all);

/* Quotes around it, which lines of a crt-list leave where they are, are no part of it. */
static struct span bare(const char *domains)
{
	size_t len = strlen(domains);

	if (len >= 2 && domains[0] == '"' && domains[len - 1] == '"')
		return (struct span){ domains + 1, len - 2 };
	return (struct span){ domains, len };
}

static struct tls_acme *acme_new(const char *path, const struct tls_acme_words *words)
{
	struct span domains = bare(words->domains);
	size_t section = strlen(words->section) + 1, file = strlen(path) + 1, i;
	struct tls_acme *acme = calloc(1, sizeof(*acme) + section + file + domains.len + 1);

	if (!acme)
		return NULL;
	acme->section = memcpy(acme->text, words->section, section);
	acme->path = memcpy(acme->text + section, path, file);
	acme->domains = acme->text + section + file;
	for (i = 0; i < domains.len; i++)
		acme->domains[i] = (char)tolower((unsigned char)domains.ptr[i]);
	return acme;
}

static int check_domains(const char *domains, struct err *err)
{
	const char *at = domains;
	size_t len;

	for (;; at += len + 1) {
		len = strcspn(at, ",");
		if (len > 253 || !tls_craft_is_name(at, len) || *at == '.' || *at == '-')
			return err_set(err,
				       "'domains': '%.*s' is no name that a certificate can be "
				       "fetched for%s",
				       (int)(len < 100 ? len : 100), at,
				       len && *at == '*' ? ": 'http-01' and 'tls-alpn-01' prove no "
							   "wildcards"
							 : "");
		if (!at[len])
			return 0;
	}
}

static int check_words(const struct tls_acme_words *words, struct err *err)
{
	if (!words->section)
		return err_set(err, "'domains' belongs to 'acme'");
	if (!words->domains || !*words->domains)
		return err_set(err,
			       "'acme' needs 'domains' with the names that the certificate is for, "
			       "separated by commas");
	return 0;
}

/* A certificate of our own, until there is a better one. */
static int placeholder(const char *name, const char *domains, struct err *err)
{
	struct tls_cert *cert = tls_craft_self_signed(domains, NULL, err);
	struct tls_entry *entry = cert ? tls_entry_new(name, cert) : NULL;

	if (entry) {
		entry->placeholder = true;
		return 0;
	}
	if (!cert)
		return -1;
	tls_cert_free(&cert);
	return err_set(err, "out of memory");
}

int tls_acme_prepare(const char *name, const char *path, const struct tls_acme_words *words,
		     struct err *err)
{
	struct tls_acme *acme;
	int rc;

	if (!words->section && !words->domains)
		return 0;
	if (check_words(words, err) < 0)
		return -1;
	acme = acme_new(path, words);
	if (!acme)
		return err_set(err, "out of memory");
	rc = check_domains(acme->domains, err);
	if (!rc && !tls_entry_find(name) && access(path, F_OK) && errno == ENOENT)
		rc = placeholder(name, acme->domains, err);
	free(acme);
	return rc;
}

int tls_acme_join(struct tls_entry *entry, const char *path, const struct tls_acme_words *words,
		  const struct location *loc, struct err *err)
{
	struct tls_acme *acme = words->section ? acme_new(path, words) : NULL, *other = entry->acme;

	if (!words->section)
		return 0;
	if (!acme)
		return err_set(err, "out of memory");
	if (other &&
	    (strcmp(other->section, acme->section) || strcmp(other->domains, acme->domains))) {
		free(acme);
		return err_set(err, "'acme' and 'domains' of '%.*s' say something else at %.*s:%u",
			       STR_CUT(entry->name, 100), STR_CUT(other->loc.file, 200),
			       other->loc.line);
	}
	if (other) {
		free(acme);
		return 0;
	}
	acme->entry = entry;
	acme->loc = *loc;
	acme->loc.file = strdup(loc->file); /* a list that is refused goes */
	if (!acme->loc.file) {
		free(acme);
		return err_set(err, "out of memory");
	}
	acme->placeholder = entry->placeholder;
	list_append(&tls_acme_all, &acme->node);
	entry->acme = acme;
	return 0;
}

void tls_acme_leave(struct tls_entry *entry)
{
	if (!entry->acme)
		return;
	list_remove(&entry->acme->node);
	free((char *)(uintptr_t)entry->acme->loc.file);
	free(entry->acme);
	entry->acme = NULL;
}
