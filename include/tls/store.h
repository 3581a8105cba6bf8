/* SPDX-License-Identifier: BSD-2-Clause */
/* The store: certificates by the names of their files, what the words of the global section and of
 * crt-store sections say about files, and transactions that change them at run time. */
#ifndef TLS_STORE_H
#define TLS_STORE_H

#include "base/list.h"
#include "base/result.h"
#include "config/config.h"
#include "tls/cert.h"
#include "tls/store_files.h"

struct module;

/* Words: crt-base, key-base, ca-base, ssl-load-extra-files, ssl-load-extra-del-ext,
 * issuers-chain-path, ssl-skip-self-issued-ca; the section crt-store. Must stand before those that
 * load certificates. */
extern const struct module tls_store_module;
/* Who uses an entry, or files of authorities (tls/trust.h), and wants to know that it has changed.
 * Embedded by the user. */
struct tls_user {
	struct tls_user *next, **link; /* link NULL: in no list */
	/* May this be put in force? 0; or -1 and err. Nothing may be changed by it. May be NULL.
	 * fresh is NULL for files of authorities. */
	int (*check)(struct tls_user *user, struct tls_cert *fresh, struct err *err);
	/* It is in force now; old is what was there (NULL for files of authorities), and
	 * is given back afterwards. It cannot fail: what must be had beforehand is for check. */
	void (*changed)(struct tls_user *user, struct tls_cert *old);
};

/* What a line says of ACME: who keeps the certificate up (acme/). Made with the line, and goes with
 * the entry. */
struct tls_acme {
	struct list node;      /* tls_acme_all, in the order of the lines */
	struct tls_entry *entry;
	struct location loc;
	const char *section;   /* as written */
	char *domains;         /* as written, in small letters: separated by commas */
	const char *path;      /* the file */
	bool placeholder;      /* the certificate in force is one of our own */
	void *order;           /* acme/'s; NULL: none yet */
	char text[];
};
extern struct list tls_acme_all;

/* An entry of the store: a file name (or "@store/alias" of a crt-store) and the certificate in
 * force. Entries stay where they are until they are deleted, which needs that nobody uses them. */
struct tls_entry {
	struct tls_link link;
	struct tls_cert *cert; /* never NULL while somebody uses it; NULL: "new", before "commit" */
	struct tls_user *users;
	bool doubted; /* what is doubtful of its chain was said */
	bool aged; /* that it is not valid at this time was said */
	bool placeholder; /* it came into being without a file: ACME will bring one */
	struct tls_acme *acme; /* NULL: nobody keeps it up */
	bool ocsp_update, ocsp_update_given; /* load ... ocsp-update on|off */
	char name[]; /* as it was asked for, with crt-base in front */
};

enum { TLS_BUNDLE_MAX = 3 }; /* foo.rsa, foo.dsa, foo.ecdsa */
/* The entries that a name stands for. A file stands for itself, with what ssl-load-extra-files
 * finds beside it. A name without such a file stands for the files of its bundle. Files that are
 * not in the store yet are read. Returns how many entries, or -1 and err. name: full path (crt-base
 * is in front), or "@store/alias". */
MUST_USE int tls_entries_load(const char *name, struct tls_entry *entries[TLS_BUNDLE_MAX],
			      struct err *err);
/* The same where only one will do. NULL and err. */
struct tls_entry *tls_entry_load(const char *name, struct err *err);
struct tls_entry *tls_entry_find(const char *name);
/* What is doubtful of the chain of the certificate in force, once: later calls give NULL. */
const char *tls_entry_doubt(struct tls_entry *entry);
/* Is the certificate in force not valid now? Then a sentence; once. */
MUST_USE bool tls_entry_aged(struct tls_entry *entry, struct text *t);
void tls_entry_use(struct tls_entry *entry, struct tls_user *user);
void tls_user_leave(struct tls_user *user); /* in no list: does nothing */

/* -- private to tls/store*.c ------------------------------------------------------------------ */

/* An entry under this name, of these files. NULL and err; it is an error that it is there. */
struct tls_entry *tls_entry_add(const char *name, const struct tls_files *files, struct err *err);
/* What a line says: section and domains (NULL: not said). Before the entry is loaded: makes one
 * with a placeholder, if there is none and no file. 0, or -1 and err. */
struct tls_acme_words {
	const char *section, *domains;
};
MUST_USE int tls_acme_prepare(const char *name, const char *path,
			      const struct tls_acme_words *words, struct err *err);
/* Behind that: it is the entry's from now on. */
MUST_USE int tls_acme_join(struct tls_entry *entry, const char *path,
			   const struct tls_acme_words *words, const struct location *loc,
			   struct err *err);
void tls_acme_leave(struct tls_entry *entry);
/* The same of a certificate, whose reference it takes over, or of none. NULL: no memory. */
struct tls_entry *tls_entry_new(const char *name, struct tls_cert *cert);
/* Nobody uses it. */
void tls_entry_free(struct tls_entry **entry);
const struct tls_index *tls_entries_index(void);
void tls_user_join(struct tls_user **list, struct tls_user *user);
MUST_USE int tls_users_check(const struct tls_user *list, struct tls_cert *fresh, struct err *err);
void tls_users_changed(struct tls_user *list, struct tls_cert *old);

#endif
