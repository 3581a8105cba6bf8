/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Authorities and lists of revocations: files are read once, while the configuration is read; what
 * connections are verified against is made of them and shared by all who name the same ones.
 * Changed at run time by commands, from text, never from files.
 */
#include "tls/trust.h"

#include "base/err.h"
#include "tls/pem.h"
#include "tls/store.h"
#include "tls/tune.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct tls_trust {
	struct tls_trust *next;
	struct tls_ca *parts[3]; /* authorities, authorities without names, lists; NULL: none */
	X509_STORE *store, *fresh; /* fresh: while a change is under way */
	struct tls_user *users;
};

enum { PART_CA, PART_VERIFY, PART_CRL, PARTS };
#define SYSTEM_CA "@system-ca"

struct tls_ca *tls_ca_first;
static struct tls_trust *trusts;
static bool closed;

/* -- text
 * --------------------------------------------------------------------------------------- */

static int store_add(X509_STORE *store, const char *type, const unsigned char *der, long len)
{
	const unsigned char *at = der;
	X509_CRL *list;
	X509 *x;
	int rc;

	if (!strcmp(type, PEM_STRING_X509_CRL)) {
		list = d2i_X509_CRL(NULL, &at, len);
		rc = list ? X509_STORE_add_crl(store, list) : 0;
		X509_CRL_free(list);
		return rc;
	}
	if (!strcmp(type, PEM_STRING_X509_TRUSTED))
		x = d2i_X509_AUX(NULL, &at, len);
	else if (!strcmp(type, PEM_STRING_X509) || !strcmp(type, PEM_STRING_X509_OLD))
		x = d2i_X509(NULL, &at, len);
	else
		return 1;
	rc = x ? X509_STORE_add_cert(store, x) : 0;
	X509_free(x);
	return rc;
}

/* 1; 0: no more; -1 and err. */
static int text_next(X509_STORE *store, BIO *bio, struct err *err)
{
	char *type = NULL, *header = NULL;
	unsigned char *der = NULL;
	long len = 0;
	int rc;

	if (!PEM_read_bio(bio, &type, &header, &der, &len)) {
		if (ERR_GET_REASON(ERR_peek_last_error()) != PEM_R_NO_START_LINE)
			return err_set(err, "%s", tls_reason());
		ERR_clear_error();
		return 0;
	}
	rc = strstr(type, "CERTIFICATE") || !strcmp(type, PEM_STRING_X509_CRL) ?
		     tls_pem_readable(*type == 'X' ? "list of revocations" : "certificate", header, err) :
		     0;
	if (rc == 0)
		rc = store_add(store, type, der, len) ? 1 : err_set(err, "%s", tls_reason());
	OPENSSL_free(type);
	OPENSSL_free(header);
	OPENSSL_clear_free(der, (size_t)len); /* somebody's key may stand there */
	return rc;
}

static int text_read(X509_STORE *store, struct span pem, struct err *err)
{
	BIO *bio;
	int rc;

	ERR_clear_error();
	if (!pem.len)
		return 0;
	bio = pem.len > INT32_MAX ? NULL : BIO_new_mem_buf(pem.ptr, (int)pem.len);
	if (!bio)
		return err_set(err, "out of memory");
	do
		rc = text_next(store, bio, err);
	while (rc > 0);
	BIO_free(bio);
	return rc;
}

unsigned tls_ca_count(X509_STORE *store, unsigned kind)
{
	STACK_OF(X509_OBJECT) *objects = X509_STORE_get0_objects(store);
	X509_LOOKUP_TYPE type = kind == TLS_CA ? X509_LU_X509 : X509_LU_CRL;
	unsigned count = 0;
	int i;

	for (i = 0; i < sk_X509_OBJECT_num(objects); i++)
		count += X509_OBJECT_get_type(sk_X509_OBJECT_value(objects, i)) == type;
	return count;
}

static int store_has(X509_STORE *store, unsigned kind, struct err *err)
{
	if (tls_ca_count(store, kind) || tls_tune.files_stand_in)
		return 0;
	return err_set(err, kind == TLS_CA ? "no certificate in it" : "no list of revocations in it");
}

X509_STORE *tls_ca_parse(struct span pem, unsigned kind, struct err *err)
{
	X509_STORE *store = X509_STORE_new();

	if (!store)
		err_set(err, "out of memory");
	else if (!text_read(store, pem, err) && !store_has(store, kind, err))
		return store;
	X509_STORE_free(store);
	return NULL;
}

/* -- files
 * --------------------------------------------------------------------------------------- */

static int file_read(X509_STORE *store, const char *path, struct err *err)
{
	struct span text;
	int rc;

	if (tls_file_read_or_stand_in(path, &text, err) < 0)
		return -1;
	rc = text_read(store, text, err);
	OPENSSL_clear_free((char *)text.ptr, text.len);
	return rc < 0 ? err_prefix(err, "'%s'", path) : 0;
}

/* Manual 5.1, ca-file: which files of a directory are read. */
static int directory_wants(const struct dirent *file)
{
	const char *suffix = strrchr(file->d_name, '.');

	return suffix && file->d_name[0] != '.' &&
	       (!strcmp(suffix, ".pem") || !strcmp(suffix, ".crt") || !strcmp(suffix, ".cer") ||
		!strcmp(suffix, ".crl"));
}

static int directory_read(X509_STORE *store, const char *directory, struct err *err)
{
	char path[PATH_MAX];
	struct dirent **files;
	int count = scandir(directory, &files, directory_wants, alphasort), i, rc = 0;

	if (count < 0)
		return err_set(err, "cannot read the directory '%s': %s", directory, strerror(errno));
	for (i = 0; i < count; i++) {
		snprintf(path, sizeof(path), "%s/%s", directory, files[i]->d_name);
		if (!rc)
			rc = file_read(store, path, err);
		free(files[i]);
	}
	free(files);
	return rc;
}

static int path_read(X509_STORE *store, const char *path, struct err *err)
{
	struct stat st;

	if (!stat(path, &st) && S_ISDIR(st.st_mode))
		return directory_read(store, path, err);
	return file_read(store, path, err);
}

/* What OpenSSL would trust: the directory, and the file where that has nothing. */
static int system_read(X509_STORE *store, struct err *err)
{
	const char *directory = getenv(X509_get_default_cert_dir_env());
	const char *file = getenv(X509_get_default_cert_file_env());
	struct stat st;

	if (!directory)
		directory = X509_get_default_cert_dir();
	if (!file)
		file = X509_get_default_cert_file();
	if (!stat(directory, &st) && directory_read(store, directory, err) < 0)
		return -1;
	return tls_ca_count(store, TLS_CA) ? 0 : file_read(store, file, err);
}

struct tls_ca *tls_ca_find(const char *name, unsigned kind)
{
	struct tls_ca *ca = tls_ca_first;

	while (ca && (strcmp(ca->name, name) || !(ca->kinds & kind)))
		ca = ca->next;
	return ca;
}

struct tls_ca *tls_ca_new(const char *name, unsigned kind)
{
	struct tls_ca *ca = calloc(1, sizeof(*ca)), **at = &tls_ca_first;

	if (!ca || !(ca->name = strdup(name)) || !(ca->store = X509_STORE_new())) {
		free(ca ? (char *)ca->name : NULL);
		free(ca);
		return NULL;
	}
	ca->kinds = kind;
	while (*at && strcmp((*at)->name, name) < 0)
		at = &(*at)->next;
	ca->next = *at;
	*at = ca;
	return ca;
}

void tls_ca_free(struct tls_ca **at)
{
	struct tls_ca *ca = *at, **link = &tls_ca_first;

	*at = NULL;
	while (*link != ca)
		link = &(*link)->next;
	*link = ca->next;
	X509_STORE_free(ca->store);
	free((char *)ca->name);
	free(ca);
}

/* Reads it, or finds it as it was read before; kind 0: what it is for is not known yet. */
static struct tls_ca *ca_load(const char *name, unsigned kind, struct err *err)
{
	struct tls_ca *ca = tls_ca_first;
	bool fresh;
	int rc = 0;

	while (ca && strcmp(ca->name, name))
		ca = ca->next;
	fresh = !ca;
	if (fresh && closed) {
		err_set(err, "unable to load %s: it is not in memory", name);
		return NULL;
	}
	if (fresh)
		ca = tls_ca_new(name, 0);
	if (!ca)
		rc = err_set(err, "out of memory");
	else if (fresh)
		rc = strcmp(name, SYSTEM_CA) ? path_read(ca->store, name, err) :
					       system_read(ca->store, err);
	if (!rc && kind && store_has(ca->store, kind, err) < 0)
		rc = err_prefix(err, "'%s'", name);
	if (!rc) {
		ca->kinds |= kind;
		return ca;
	}
	if (ca && fresh)
		tls_ca_free(&ca);
	return NULL;
}

void tls_trust_close(void)
{
	closed = true;
}

int tls_trust_read(const char *path, struct err *err)
{
	return ca_load(path, 0, err) ? 0 : -1;
}

/* -- what is made of them
 * ------------------------------------------------------------------------ */

static int store_copy(X509_STORE *to, X509_STORE *from)
{
	STACK_OF(X509_OBJECT) *objects = X509_STORE_get0_objects(from);
	X509_OBJECT *object;
	X509_CRL *list;
	X509 *x;
	int i;

	for (i = 0; i < sk_X509_OBJECT_num(objects); i++) {
		object = sk_X509_OBJECT_value(objects, i);
		x = X509_OBJECT_get0_X509(object);
		list = X509_OBJECT_get0_X509_CRL(object);
		if ((x && !X509_STORE_add_cert(to, x)) || (list && !X509_STORE_add_crl(to, list)))
			return -1;
	}
	return 0;
}

X509_STORE *tls_ca_extend(X509_STORE *base, X509_STORE *more, struct err *err)
{
	X509_STORE *both = X509_STORE_new();

	if (!both || store_copy(both, base) < 0 || store_copy(both, more) < 0) {
		X509_STORE_free(both);
		both = NULL;
		err_set(err, "out of memory");
	}
	X509_STORE_free(more);
	return both;
}

/* replaced is to count as if its content were with; both may be NULL. */
static X509_STORE *trust_build(const struct tls_trust *trust, const struct tls_ca *replaced,
			       X509_STORE *with)
{
	X509_STORE *store = X509_STORE_new();
	int i;

	for (i = 0; store && i < PARTS; i++) {
		if (!trust->parts[i] ||
		    !store_copy(store, trust->parts[i] == replaced ? with : trust->parts[i]->store))
			continue;
		X509_STORE_free(store);
		store = NULL;
	}
	if (store && trust->parts[PART_CRL])
		X509_STORE_set_flags(store, X509_V_FLAG_CRL_CHECK | X509_V_FLAG_CRL_CHECK_ALL);
	return store;
}

static struct tls_trust *trust_find(struct tls_ca *const parts[PARTS])
{
	struct tls_trust *trust = trusts;

	while (trust && memcmp(trust->parts, parts, sizeof(trust->parts)))
		trust = trust->next;
	return trust;
}

static struct tls_trust *trust_new(struct tls_ca *const parts[PARTS])
{
	struct tls_trust *trust = calloc(1, sizeof(*trust));

	if (!trust)
		return NULL;
	memcpy(trust->parts, parts, sizeof(trust->parts));
	trust->store = trust_build(trust, NULL, NULL);
	if (!trust->store) {
		free(trust);
		return NULL;
	}
	trust->next = trusts;
	return trusts = trust;
}

struct tls_trust *tls_trust_load(const char *ca_file, const char *verify_file, const char *crl_file,
				 struct err *err)
{
	const char *names[PARTS] = { ca_file, verify_file, crl_file };
	struct tls_ca *parts[PARTS] = { NULL };
	struct tls_trust *trust;
	int i;

	for (i = 0; i < PARTS; i++) {
		if (!names[i])
			continue;
		parts[i] = ca_load(names[i], i == PART_CRL ? TLS_CRL : TLS_CA, err);
		if (!parts[i])
			return NULL;
	}
	trust = trust_find(parts);
	if (!trust && !(trust = trust_new(parts)))
		err_set(err, "out of memory");
	return trust;
}

X509_STORE *tls_trust_store(const struct tls_trust *trust)
{
	return trust->store;
}

static int name_compare(const X509_NAME *const *a, const X509_NAME *const *b)
{
	return X509_NAME_cmp(*a, *b);
}

static int names_add(STACK_OF(X509_NAME) *names, X509 *x)
{
	X509_NAME *name = X509_get_subject_name(x), *copy;

	if (sk_X509_NAME_find(names, name) >= 0)
		return 0;
	copy = X509_NAME_dup(name);
	if (copy && sk_X509_NAME_push(names, copy) > 0)
		return 0;
	X509_NAME_free(copy);
	return -1;
}

STACK_OF(X509_NAME) *tls_trust_names(const struct tls_trust *trust)
{
	STACK_OF(X509_NAME) *names = sk_X509_NAME_new(name_compare);
	const struct tls_ca *ca = trust->parts[PART_CA];
	STACK_OF(X509_OBJECT) *objects = ca ? X509_STORE_get0_objects(ca->store) : NULL;
	X509 *x;
	int i;

	for (i = 0; names && i < sk_X509_OBJECT_num(objects); i++) {
		x = X509_OBJECT_get0_X509(sk_X509_OBJECT_value(objects, i));
		if (!x || !names_add(names, x))
			continue;
		sk_X509_NAME_pop_free(names, X509_NAME_free);
		names = NULL;
	}
	return names;
}

void tls_trust_use(struct tls_trust *trust, struct tls_user *user)
{
	tls_user_join(&trust->users, user);
}

void tls_trust_leave(struct tls_trust **where, struct tls_user *user)
{
	struct tls_trust *trust = *where, **link = &trusts;

	*where = NULL;
	if (!trust)
		return;
	tls_user_leave(user);
	if (trust->users)
		return;
	while (*link != trust)
		link = &(*link)->next;
	*link = trust->next;
	X509_STORE_free(trust->store);
	free(trust);
}

/* -- changes
 * ------------------------------------------------------------------------------------- */

static bool trust_has(const struct tls_trust *trust, const struct tls_ca *ca)
{
	int i;

	for (i = 0; i < PARTS && trust->parts[i] != ca; i++)
		;
	return i < PARTS;
}

bool tls_ca_is_used(const struct tls_ca *ca)
{
	const struct tls_trust *trust = trusts;

	while (trust && !(trust->users && trust_has(trust, ca)))
		trust = trust->next;
	return trust;
}

bool tls_ca_is_part(const struct tls_ca *ca)
{
	const struct tls_trust *trust = trusts;

	while (trust && !trust_has(trust, ca))
		trust = trust->next;
	return trust;
}

static int trust_prepare(struct tls_trust *trust, const struct tls_ca *ca, X509_STORE *store,
			 struct err *err)
{
	ERR_clear_error();
	trust->fresh = trust_build(trust, ca, store);
	if (!trust->fresh)
		return err_set(err, "%s", tls_reason());
	return tls_users_check(trust->users, NULL, err);
}

static void trust_forget(struct tls_trust *trust)
{
	X509_STORE_free(trust->fresh);
	trust->fresh = NULL;
}

static void trust_change(struct tls_trust *trust)
{
	X509_STORE_free(trust->store);
	trust->store = trust->fresh;
	trust->fresh = NULL;
	tls_users_changed(trust->users, NULL);
}

int tls_ca_replace(struct tls_ca *ca, X509_STORE *store, struct err *err)
{
	struct tls_trust *trust;
	int rc = 0;

	for (trust = trusts; trust && !rc; trust = trust->next) {
		if (trust_has(trust, ca))
			rc = trust_prepare(trust, ca, store, err);
	}
	if (rc < 0) {
		for (trust = trusts; trust; trust = trust->next)
			trust_forget(trust);
		return -1;
	}
	X509_STORE_free(ca->store);
	ca->store = store;
	for (trust = trusts; trust; trust = trust->next) {
		if (trust->fresh)
			trust_change(trust);
	}
	return 0;
}
