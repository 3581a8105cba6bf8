/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Certificates for whatever name clients ask for. Each is signed once and kept, those used last, at
 * most tune.ssl.ssl-ctx-cache-size of them; each process has its own. They all have one key: that
 * of the bind line's default certificate. Called by the choice (tls/choose.c).
 */
#include "tls/forge.h"

#include "base/bug.h"
#include "base/err.h"
#include "base/list.h"
#include "tls/cert.h"
#include "tls/craft.h"
#include "tls/index.h"
#include "tls/lib.h"
#include "tls/names.h"
#include "tls/pem.h"
#include "tls/settings.h"

#include <errno.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DAYS = 365, COMMON_NAME_MAX = 64 /* RFC 5280, ub-common-name */ };

struct forged {
	struct tls_link link;
	struct list used;      /* tls_forge.used */
	struct tls_cert *cert;
	uint8_t len;
	char name[];
};

struct tls_forge {
	X509 *authority;
	EVP_PKEY *signer, *own; /* own: of the certificates, where there is no other */
	struct tls_index index;
	struct list used;      /* the one used last in front */
	unsigned kept;
	unsigned long made;
};

unsigned long tls_forge_count(const struct tls_forge *forge)
{
	return forge->made;
}

/* -- the authority
 * ------------------------------------------------------------------------------ */

static int no_prompt(char *buf, int size, int rwflag, void *arg)
{
	const char *pass = arg;
	size_t len = pass ? strlen(pass) : 0;

	(void)rwflag;
	if (!pass || len > (size_t)size)
		return -1;
	memcpy(buf, pass, len);
	return (int)len;
}

static int read_authority(struct tls_forge *forge, BIO *bio, const char *path, const char *pass,
			  struct err *err)
{
	void *arg = (void *)(uintptr_t)pass;

	forge->authority = PEM_read_bio_X509(bio, NULL, tls_no_passphrase, NULL);
	if (!forge->authority)
		return tls_lib_error(err, "'%s' holds no certificate of an authority", path);
	(void)BIO_reset(bio);
	forge->signer = PEM_read_bio_PrivateKey(bio, NULL, no_prompt, arg);
	if (!forge->signer)
		return tls_lib_error(err, "'%s': the authority's key cannot be read%s", path,
				     pass ? "" : " without 'ca-sign-pass', or there is none");
	ERR_clear_error();
	if (X509_check_private_key(forge->authority, forge->signer) != 1)
		return tls_lib_error(err, "'%s'", path);
	forge->own = EVP_EC_gen("P-256");
	return forge->own ? 0 : tls_lib_error(err, "no key can be made");
}

struct tls_forge *tls_forge_new(const char *path, const char *pass, struct err *err)
{
	struct tls_forge *forge = calloc(1, sizeof(*forge));
	BIO *bio;
	int rc;

	if (!forge) {
		err_set(err, "out of memory");
		return NULL;
	}
	list_init(&forge->used);
	ERR_clear_error();
	bio = BIO_new_file(path, "re");
	if (!bio) {
		err_set(err, "'%s' cannot be read: %s", path, strerror(errno));
		ERR_clear_error();
		tls_forge_free(&forge);
		return NULL;
	}
	rc = read_authority(forge, bio, path, pass, err);
	BIO_free(bio);
	if (rc)
		tls_forge_free(&forge);
	return forge;
}

static void forget(struct tls_forge *forge, struct forged *f)
{
	tls_index_remove(&forge->index, &f->link);
	list_remove(&f->used);
	tls_cert_free(&f->cert);
	free(f);
	forge->kept--;
}

void tls_forge_free(struct tls_forge **where)
{
	struct tls_forge *forge = *where;

	*where = NULL;
	if (!forge)
		return;
	while (!list_empty(&forge->used))
		forget(forge, list_first(&forge->used, struct forged, used));
	tls_index_clear(&forge->index);
	X509_free(forge->authority);
	EVP_PKEY_free(forge->signer);
	EVP_PKEY_free(forge->own);
	free(forge);
}

/* -- one certificate
 * ----------------------------------------------------------------------------- */

static int fill(X509 *x, struct tls_forge *forge, const char *name, size_t len, EVP_PKEY *key)
{
	char san[TLS_NAME_MAX + 20];

	snprintf(san, sizeof(san), "%sDNS:%s", len > COMMON_NAME_MAX ? "critical," : "", name);
	if (!X509_set_version(x, X509_VERSION_3) || tls_craft_serial(x) ||
	    !X509_gmtime_adj(X509_getm_notBefore(x), -24 * 3600) ||
	    !X509_time_adj_ex(X509_getm_notAfter(x), DAYS, 0, NULL) || !X509_set_pubkey(x, key) ||
	    !X509_set_issuer_name(x, X509_get_subject_name(forge->authority)))
		return -1;
	if (len <= COMMON_NAME_MAX &&
	    !X509_NAME_add_entry_by_NID(X509_get_subject_name(x), NID_commonName, MBSTRING_ASC,
					(const unsigned char *)name, (int)len, -1, 0))
		return -1;
	if (tls_craft_extension(x, forge->authority, NID_basic_constraints, "critical,CA:FALSE") ||
	    tls_craft_extension(x, forge->authority, NID_ext_key_usage, "serverAuth") ||
	    tls_craft_extension(x, forge->authority, NID_subject_key_identifier, "hash") ||
	    tls_craft_extension(x, forge->authority, NID_subject_alt_name, san))
		return -1;
	/* Some authorities have no identifier of their own. */
	if (X509_get0_subject_key_id(forge->authority) &&
	    tls_craft_extension(x, forge->authority, NID_authority_key_identifier, "keyid"))
		return -1;
	return 0;
}

static struct tls_cert *make(struct tls_forge *forge, const char *name, size_t len,
			     struct tls_cert *like)
{
	EVP_PKEY *key = like ? tls_cert_key(like) : forge->own;
	struct tls_cert *cert = NULL;
	X509 *x = X509_new();

	if (key && EVP_PKEY_up_ref(key)) {
		if (x && !fill(x, forge, name, len, key) &&
		    tls_craft_sign(x, forge->signer) == 0)
			cert = tls_craft_cert(x, key, forge->authority);
		EVP_PKEY_free(key);
	}
	X509_free(x);
	ERR_clear_error();
	return cert;
}

/* -- the cache
 * ----------------------------------------------------------------------------------- */

static struct forged *find(struct tls_forge *forge, const char *name, size_t len, uint64_t key)
{
	struct tls_link *link;
	struct forged *f;

	for (link = tls_index_first(&forge->index, key); link; link = tls_index_next(link)) {
		f = container_of(link, struct forged, link);
		if (f->len == len && !memcmp(f->name, name, len))
			return f;
	}
	return NULL;
}

static void keep(struct tls_forge *forge, const char *name, size_t len, uint64_t key,
		 struct tls_cert *cert)
{
	unsigned most = tls_global.context_cache;
	struct forged *f = most ? malloc(sizeof(*f) + len) : NULL;

	if (!f)
		return;
	f->len = (uint8_t)len;
	memcpy(f->name, name, len);
	if (tls_index_add(&forge->index, &f->link, key)) {
		free(f);
		return;
	}
	f->cert = tls_cert_take(cert);
	list_prepend(&forge->used, &f->used);
	if (++forge->kept > most)
		forget(forge, list_entry(forge->used.prev, struct forged, used));
}

struct tls_cert *tls_forge_cert(struct tls_forge *forge, struct span name, struct tls_cert *like)
{
	char text[TLS_NAME_MAX + 1];
	size_t len = tls_name_normalise(name, text);
	uint64_t key = tls_index_key((struct span){ text, len });
	struct tls_cert *cert;
	struct forged *f;

	if (!tls_craft_is_name(text, len))
		return NULL;
	f = find(forge, text, len, key);
	if (f) {
		list_remove(&f->used);
		list_prepend(&forge->used, &f->used);
		return tls_cert_take(f->cert);
	}
	cert = make(forge, text, len, like);
	if (!cert)
		return NULL;
	forge->made++;
	keep(forge, text, len, key, cert);
	return cert;
}
