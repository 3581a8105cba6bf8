/* SPDX-License-Identifier: BSD-2-Clause */
/* The files of certificates: where they are looked for, what lies beside them, and reading them.
 * What they become is the store's business (tls/store.h). */
#ifndef TLS_STORE_FILES_H
#define TLS_STORE_FILES_H

#include "base/result.h"
#include "base/str.h"

#include <stdbool.h>

struct arena;
struct err;
struct tls_pieces;

/* The path of a certificate or file of authorities: crt-base or ca-base in front of what is neither
 * a full path nor begins with "@". */
const char *tls_store_crt_path(struct arena *arena, const char *name);
const char *tls_store_ca_path(struct arena *arena, const char *name);
/* Of a private key: key-base. */
const char *tls_store_key_path(struct arena *arena, const char *name);
/* base in front of what is neither a full path nor begins with "@"; base may be NULL. In the arena,
 * or name itself. */
const char *tls_store_path(struct arena *arena, const char *base, const char *name);

/* A file ending in what "key", "ocsp", "issuer" and "sctl" of ssl-load-extra-files mean:
 * directories skip it. */
MUST_USE bool tls_store_is_extra(const char *path);

/* -- private to tls/ --------------------------------------------------------------------------- */

/* What ssl-load-extra-files names. */
enum { EXTRA_BUNDLE = 1 << 0, EXTRA_KEY = 1 << 1, EXTRA_OCSP = 1 << 2, EXTRA_ISSUER = 1 << 3,
       EXTRA_SCTL = 1 << 4, EXTRA_ALL = (1 << 5) - 1 };

struct tls_store_settings {
	unsigned extra;   /* EXTRA_* */
	bool del_ext;
	const char *crt_base, *key_base, *ca_base; /* NULL: none */
};
extern struct tls_store_settings tls_store_settings;

/* Names of the files of one certificate; NULL: not named, what ssl-load-extra-files says holds. */
struct tls_files {
	const char *crt, *key, *ocsp, *issuer, *sctl;
};
/* Reads them into pieces, which are the caller's to clear, whatever is returned. 0, or -1 and
 * err. */
MUST_USE int tls_files_read(const struct tls_files *files, struct tls_pieces *pieces,
			    struct err *err);
/* Reads all files of a directory: chains for certificates without one. 0, or -1 and err. */
MUST_USE int tls_files_chains(const char *directory, struct err *err);
/* The whole file, at most TLS_FILE_MAX bytes, in OpenSSL's memory (for OPENSSL_clear_free), ended
 * by a NUL that is not counted. 0, or -1 and err. */
enum { TLS_FILE_MAX = 16 << 20 };
MUST_USE int tls_file_read(const char *path, struct span *text, struct err *err);
/* The same; where a configuration is only explained (tls_tune.files_stand_in) a file that cannot be
 * read is no mistake: a certificate with a key of its own stands in for it. */
MUST_USE int tls_file_read_or_stand_in(const char *path, struct span *text, struct err *err);
/* The chain from issuers-chain-path, if they have none and it is there. 0, or -1: no memory. */
MUST_USE int tls_files_complete(struct tls_pieces *pieces);
/* The file of issuers-chain-path that has this chain; NULL: none has. */
const char *tls_files_chain_path(const struct tls_pieces *pieces);
/* Take a DER response, or a list of timestamps, after a look at it. 0, or -1 and err. */
MUST_USE int tls_ocsp_piece(struct tls_pieces *pieces, struct span text, struct err *err);
MUST_USE int tls_sctl_piece(struct tls_pieces *pieces, struct span text, struct err *err);

#endif
