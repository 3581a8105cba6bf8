/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Entries: which certificate is in force under which name. One for one name, for the whole process,
 * whoever reads it first. Called by bind and server lines while the configuration is read, by the
 * stats socket later.
 */
#include "tls/store.h"

#include "base/bug.h"
#include "base/err.h"
#include "tls/pem.h"
#include "tls/tune.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static struct tls_index entries;

struct tls_entry *tls_entry_find(const char *name)
{
	struct tls_link *link = tls_index_first(&entries, tls_index_key(span_of(name)));
	struct tls_entry *entry;

	for (; link; link = tls_index_next(link)) {
		entry = container_of(link, struct tls_entry, link);
		if (!strcmp(entry->name, name))
			return entry;
	}
	return NULL;
}

struct tls_entry *tls_entry_new(const char *name, struct tls_cert *cert)
{
	size_t len = strlen(name);
	struct tls_entry *entry = calloc(1, sizeof(*entry) + len + 1);

	if (!entry || tls_index_add(&entries, &entry->link, tls_index_key(span_of(name))) < 0) {
		free(entry);
		return NULL;
	}
	memcpy(entry->name, name, len + 1);
	entry->cert = cert;
	return entry;
}

struct tls_entry *tls_entry_add(const char *name, const struct tls_files *files, struct err *err)
{
	struct tls_pieces pieces;
	struct tls_cert *cert = NULL;
	struct tls_entry *entry;
	int rc;

	if (tls_entry_find(name)) {
		err_set(err, "'%s' has been loaded already", name);
		return NULL;
	}
	rc = tls_files_read(files, &pieces, err);
	if (!rc && !(cert = tls_cert_make(&pieces, err)))
		err_prefix(err, "'%s'", files->crt);
	tls_pieces_clear(&pieces);
	entry = cert ? tls_entry_new(name, cert) : NULL;
	if (cert && !entry) {
		tls_cert_free(&cert);
		err_set(err, "out of memory");
	}
	return entry;
}

struct tls_entry *tls_entry_load(const char *name, struct err *err)
{
	struct tls_entry *entry = tls_entry_find(name);

	if (entry)
		return entry;
	if (name[0] == '@') {
		err_set(err, "no crt-store has loaded '%s'", name);
		return NULL;
	}
	return tls_entry_add(name, &(struct tls_files){ .crt = name }, err);
}

/* There is no such file: foo.rsa, foo.dsa, foo.ecdsa. */
static int bundle_load(const char *name, struct tls_entry *found[TLS_BUNDLE_MAX], struct err *err)
{
	static const char *const suffixes[TLS_BUNDLE_MAX] = { "rsa", "dsa", "ecdsa" };
	char path[PATH_MAX];
	int i, n, count = 0;

	for (i = 0; i < TLS_BUNDLE_MAX; i++) {
		n = snprintf(path, sizeof(path), "%s.%s", name, suffixes[i]);
		if (n >= (int)sizeof(path) || (!tls_entry_find(path) && access(path, F_OK)))
			continue;
		found[count] = tls_entry_load(path, err);
		if (!found[count])
			return -1;
		count++;
	}
	return count ? count : err_set(err, "cannot open '%s', nor '%s.rsa' or '.ecdsa': %s", name,
				       name, strerror(ENOENT));
}

int tls_entries_load(const char *name, struct tls_entry *found[TLS_BUNDLE_MAX], struct err *err)
{
	if (name[0] != '@' && !tls_tune.files_stand_in && tls_store_settings.extra & EXTRA_BUNDLE &&
	    !tls_entry_find(name) && access(name, F_OK) && errno == ENOENT)
		return bundle_load(name, found, err);
	found[0] = tls_entry_load(name, err);
	return found[0] ? 1 : -1;
}

const char *tls_entry_doubt(struct tls_entry *entry)
{
	if (!entry->cert || entry->doubted)
		return NULL;
	entry->doubted = true;
	return entry->cert->doubt;
}

bool tls_entry_aged(struct tls_entry *entry, struct text *t)
{
	if (!entry->cert || entry->aged)
		return false;
	entry->aged = true;
	return tls_age_explain(&entry->cert->age, time(NULL), t);
}

void tls_entry_use(struct tls_entry *entry, struct tls_user *user)
{
	tls_user_join(&entry->users, user);
}

/* -- users ------------------------------------------------------------------------------------ */

void tls_user_join(struct tls_user **list, struct tls_user *user)
{
	BUG_ON(user->link);
	user->next = *list;
	user->link = list;
	if (*list)
		(*list)->link = &user->next;
	*list = user;
}

void tls_user_leave(struct tls_user *user)
{
	if (!user->link)
		return;
	*user->link = user->next;
	if (user->next)
		user->next->link = user->link;
	user->link = NULL;
	user->next = NULL;
}

int tls_users_check(const struct tls_user *user, struct tls_cert *fresh, struct err *err)
{
	for (; user; user = user->next) {
		if (user->check && user->check((struct tls_user *)user, fresh, err) < 0)
			return -1;
	}
	return 0;
}

void tls_users_changed(struct tls_user *user, struct tls_cert *old)
{
	struct tls_user *next;

	for (; user; user = next) {
		next = user->next; /* it may leave */
		user->changed(user, old);
	}
}

/* -- the end ---------------------------------------------------------------------------------- */

void tls_entry_free(struct tls_entry **at)
{
	struct tls_entry *entry = *at;

	*at = NULL;
	BUG_ON(entry->users);
	tls_index_remove(&entries, &entry->link);
	tls_cert_free(&entry->cert);
	tls_acme_leave(entry);
	free(entry);
}

const struct tls_index *tls_entries_index(void)
{
	return &entries;
}
