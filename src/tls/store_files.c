/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The files of a certificate: the PEM file itself, what lies beside it (.key, .ocsp, .issuer,
 * .sctl), and chains from issuers-chain-path. Called while the configuration is read, with the
 * rights of the start; never later. What was read is wiped, since it may be a key.
 */
#include "tls/store_files.h"

#include "base/arena.h"
#include "base/bug.h"
#include "base/err.h"
#include "tls/pem.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <openssl/err.h>
#include <openssl/ocsp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { READ_FIRST = 8192 };

struct tls_store_settings tls_store_settings = { .extra = EXTRA_ALL };

/* Beside a certificate's file; in the order of ssl-load-extra-files. */
static const struct extra {
	const char *suffix;
	unsigned bit;
} extras[] = {
	{ ".key", EXTRA_KEY },
	{ ".ocsp", EXTRA_OCSP },
	{ ".issuer", EXTRA_ISSUER },
	{ ".sctl", EXTRA_SCTL },
};

/* -- paths ------------------------------------------------------------------------------------ */

const char *tls_store_path(struct arena *arena, const char *base, const char *name)
{
	if (!base || name[0] == '/' || name[0] == '@')
		return name;
	return arena_printf(arena, "%s/%s", base, name);
}

const char *tls_store_crt_path(struct arena *arena, const char *name)
{
	return tls_store_path(arena, tls_store_settings.crt_base, name);
}

const char *tls_store_ca_path(struct arena *arena, const char *name)
{
	return tls_store_path(arena, tls_store_settings.ca_base, name);
}

const char *tls_store_key_path(struct arena *arena, const char *name)
{
	return tls_store_path(arena, tls_store_settings.key_base, name);
}

/* -- one file ---------------------------------------------------------------------------------- */

/* Twice the room (OPENSSL_clear_realloc leaves no copy behind). */
static int read_grow(char **data, size_t *room)
{
	char *more = OPENSSL_clear_realloc(*data, *room, *room * 2);

	if (!more)
		return -1;
	*data = more;
	*room *= 2;
	return 0;
}

static int read_all(int fd, char **data, size_t *room, size_t *len)
{
	ssize_t n;

	for (*len = 0;; *len += (size_t)n) {
		if (*len + 1 == *room && read_grow(data, room) < 0)
			return ENOMEM;
		n = read(fd, *data + *len, *room - *len - 1);
		if (n < 0 && errno == EINTR)
			n = 0;
		else if (n < 0)
			return errno;
		else if (!n)
			return 0;
		if (*len + (size_t)n > TLS_FILE_MAX)
			return EFBIG;
	}
}

int tls_file_read(const char *path, struct span *text, struct err *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), error;
	size_t room = READ_FIRST, len = 0;
	char *data = NULL;

	if (fd < 0)
		return err_set(err, "cannot open '%s': %s", path, strerror(errno));
	data = OPENSSL_malloc(room);
	error = data ? read_all(fd, &data, &room, &len) : ENOMEM;
	close(fd);
	if (!error)
		data[len] = 0;
	if (!error && len + 1 < room) { /* so that its length says how much to wipe */
		char *less = OPENSSL_clear_realloc(data, room, len + 1);

		data = less ? less : data;
	}
	if (error) {
		OPENSSL_clear_free(data, room);
		return err_set(err, "cannot read '%s': %s", path, strerror(error));
	}
	*text = (struct span){ data, len };
	return 0;
}

static void file_forget(struct span *text)
{
	OPENSSL_clear_free((char *)text->ptr, text->len);
	*text = (struct span){ "", 0 };
}

static bool file_exists(const char *path)
{
	return !access(path, F_OK);
}

/* -- the parts of a certificate
 * ----------------------------------------------------------------- */

typedef int part_read(struct tls_pieces *pieces, struct span text, struct err *err);

static int read_crt(struct tls_pieces *pieces, struct span text, struct err *err)
{
	if (tls_pieces_read(pieces, text, err) < 0)
		return -1;
	return pieces->leaf.der ? 0 : err_set(err, "no certificate in it");
}

static int read_key(struct tls_pieces *pieces, struct span text, struct err *err)
{
	struct tls_pieces file = { 0 };
	int rc = tls_pieces_read(&file, text, err);

	if (!rc && !file.key.der)
		rc = err_set(err, "no private key in it");
	if (!rc && tls_piece_set(&pieces->key, tls_piece_span(&file.key)) < 0)
		rc = err_set(err, "out of memory");
	tls_pieces_clear(&file);
	return rc;
}

int tls_ocsp_piece(struct tls_pieces *pieces, struct span text, struct err *err)
{
	const unsigned char *at = (const unsigned char *)text.ptr;
	OCSP_RESPONSE *response;
	bool good;

	if (!text.len) /* a place for what comes at run time */
		return 0;
	ERR_clear_error();
	response = d2i_OCSP_RESPONSE(NULL, &at, (long)text.len);
	good = response && at == (const unsigned char *)text.ptr + text.len;
	OCSP_RESPONSE_free(response);
	if (!good)
		return err_set(err, "no OCSP response (DER): %s",
			       response ? "something follows it" : tls_reason());
	return tls_piece_set(&pieces->ocsp, text) < 0 ? err_set(err, "out of memory") : 0;
}

/* RFC 6962 3.3: the length of the list, then lengths and timestamps. */
int tls_sctl_piece(struct tls_pieces *pieces, struct span text, struct err *err)
{
	const unsigned char *at = (const unsigned char *)text.ptr, *end = at + text.len;
	size_t len;

	if (text.len < 4 || (size_t)(at[0] << 8 | at[1]) != text.len - 2)
		return err_set(err, "no list of signed certificate timestamps");
	for (at += 2; at < end; at += 2 + len) {
		len = end - at < 3 ? 0 : (size_t)(at[0] << 8 | at[1]);
		if (!len || len > (size_t)(end - at) - 2)
			return err_set(err, "the list of signed certificate timestamps is broken");
	}
	return tls_piece_set(&pieces->sctl, text) < 0 ? err_set(err, "out of memory") : 0;
}

static int part_load(const char *path, part_read *read, struct tls_pieces *pieces, struct err *err)
{
	struct span text;
	int rc;

	if (tls_file_read_or_stand_in(path, &text, err) < 0)
		return -1;
	rc = read(pieces, text, err);
	file_forget(&text);
	return rc < 0 ? err_prefix(err, "'%s'", path) : 0;
}

/* "site.crt" and ".key": "site.crt.key", or "site.key" with ssl-load-extra-del-ext. */
static int extra_path(const char *crt, const char *suffix, char path[PATH_MAX], struct err *err)
{
	size_t len = strlen(crt);
	int n;

	if (tls_store_settings.del_ext && len > 4 && !strcmp(crt + len - 4, ".crt"))
		len -= 4;
	n = snprintf(path, PATH_MAX, "%.*s%s", (int)len, crt, suffix);
	return n < PATH_MAX ? 0 : err_set(err, "'%s%s' is too long", crt, suffix);
}

/* named: its name is in the configuration, so it must be there. */
static int extra_load(const char *crt, const char *named, unsigned which, part_read *read,
		      struct tls_pieces *pieces, struct err *err)
{
	char path[PATH_MAX];

	if (named)
		return part_load(named, read, pieces, err);
	if (!(tls_store_settings.extra & extras[which].bit))
		return 0;
	if (extra_path(crt, extras[which].suffix, path, err) < 0)
		return -1;
	return file_exists(path) ? part_load(path, read, pieces, err) : 0;
}

/* -- chains for those that have none
 * -------------------------------------------------------------- */

struct chain {
	struct chain *next;
	X509 *first; /* who signs */
	struct tls_pieces pieces;
	char path[];
};

static struct chain *chains;

static int chain_read(struct tls_pieces *pieces, struct span text, struct err *err)
{
	return tls_pieces_read(pieces, text, err);
}

static int bucket_add(const char *path, struct err *err)
{
	struct tls_pieces pieces = { 0 };
	const unsigned char *at;
	struct chain *chain;
	X509 *first;

	if (part_load(path, chain_read, &pieces, err) < 0)
		return -1;
	at = pieces.leaf.der;
	ERR_clear_error();
	first = at ? d2i_X509(NULL, &at, (long)pieces.leaf.len) : NULL;
	chain = first ? calloc(1, sizeof(*chain) + strlen(path) + 1) : NULL;
	if (!chain) {
		X509_free(first);
		tls_pieces_clear(&pieces);
		return err_set(err, "'%s': %s", path,
			       at ? tls_reason() : "no certificate in it");
	}
	*chain = (struct chain){ .next = chains, .first = first, .pieces = pieces };
	strcpy(chain->path, path);
	chains = chain;
	return 0;
}

int tls_files_chains(const char *directory, struct err *err)
{
	char path[PATH_MAX];
	struct dirent **names;
	int count = scandir(directory, &names, NULL, alphasort), i, rc = 0;
	struct stat st;

	if (count < 0)
		return err_set(err, "cannot read the directory '%s': %s", directory, strerror(errno));
	for (i = 0; i < count; i++) {
		snprintf(path, sizeof(path), "%s/%s", directory, names[i]->d_name);
		if (!rc && names[i]->d_name[0] != '.' && !stat(path, &st) && S_ISREG(st.st_mode))
			rc = bucket_add(path, err);
		free(names[i]);
	}
	free(names);
	return rc;
}

static int chain_copy(const struct tls_pieces *from, struct tls_pieces *to)
{
	unsigned i;

	to->chain = calloc(from->chain_count + 1, sizeof(*to->chain));
	if (!to->chain)
		return -1;
	for (i = 0; i <= from->chain_count; i++) {
		if (tls_piece_set(&to->chain[i], tls_piece_span(i ? &from->chain[i - 1] :
								    &from->leaf)) < 0)
			return -1;
		to->chain_count++;
	}
	return 0;
}

/* The one that begins with who signed the certificate; NULL: none, or it is signed by itself. */
static const struct chain *chain_for(const struct tls_piece *piece)
{
	const unsigned char *at = piece->der;
	X509 *leaf = at && chains ? d2i_X509(NULL, &at, (long)piece->len) : NULL;
	const struct chain *chain = leaf ? chains : NULL;

	while (chain && X509_check_issued(chain->first, leaf) != X509_V_OK)
		chain = chain->next;
	if (chain && !X509_cmp(chain->first, leaf))
		chain = NULL;
	X509_free(leaf);
	return chain;
}

int tls_files_complete(struct tls_pieces *pieces)
{
	const struct chain *chain = pieces->chain_count ? NULL : chain_for(&pieces->leaf);

	return chain ? chain_copy(&chain->pieces, pieces) : 0;
}

static bool piece_is(const struct tls_piece *a, const struct tls_piece *b)
{
	return a->len == b->len && !memcmp(a->der, b->der, a->len);
}

const char *tls_files_chain_path(const struct tls_pieces *pieces)
{
	const struct chain *chain = pieces->chain_count ? chain_for(&pieces->leaf) : NULL;
	unsigned i;

	if (!chain || pieces->chain_count != chain->pieces.chain_count + 1)
		return NULL;
	for (i = 0; i < pieces->chain_count; i++)
		if (!piece_is(&pieces->chain[i], i ? &chain->pieces.chain[i - 1] : &chain->pieces.leaf))
			return NULL;
	return chain->path;
}

/* -- all of them
 * ---------------------------------------------------------------------------------- */

bool tls_store_is_extra(const char *path)
{
	const char *suffix = strrchr(path, '.');
	size_t i;

	for (i = 0; suffix && i < ARRAY_LEN(extras); i++) {
		if (tls_store_settings.extra & extras[i].bit && !strcmp(suffix, extras[i].suffix))
			return true;
	}
	return false;
}

int tls_files_read(const struct tls_files *files, struct tls_pieces *pieces, struct err *err)
{
	*pieces = (struct tls_pieces){ 0 };
	if (part_load(files->crt, read_crt, pieces, err) < 0)
		return -1;
	if ((files->key || !pieces->key.der) &&
	    extra_load(files->crt, files->key, 0, read_key, pieces, err) < 0)
		return -1;
	if (!pieces->key.der)
		return err_set(err, "'%s': no private key in it%s", files->crt,
			       tls_store_settings.extra & EXTRA_KEY ? ", nor a file of the same name "
								      "and \".key\"" : "");
	if (extra_load(files->crt, files->ocsp, 1, tls_ocsp_piece, pieces, err) < 0 ||
	    extra_load(files->crt, files->issuer, 2, tls_pieces_read_issuer, pieces, err) < 0 ||
	    extra_load(files->crt, files->sctl, 3, tls_sctl_piece, pieces, err) < 0)
		return -1;
	return tls_files_complete(pieces) < 0 ? err_set(err, "out of memory") : 0;
}
