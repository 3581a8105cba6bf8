/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Files: the key of an account, certificates, and when orders may begin again. Called at the start,
 * and by the parent, which has kept the rights of the start; never by who serves. A file comes into
 * being beside its place, 0600, is on the disk before it takes that place, and so is the directory.
 * One that replaces another keeps owner, group and mode of that.
 */
#include "acme/acme.h"

#include "base/clock.h"
#include "base/err.h"
#include "base/wipe.h"
#include "log/log.h"
#include "tls/base64.h"
#include "tls/lib.h"
#include "tls/pem.h"

#include <errno.h>
#include <fcntl.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { STATE_MOST = 1 << 20, SECRET_MOST = 4096 };

/* ---- one file, whole or not at all ----------------------------------------------------------- */

static int write_all(int fd, struct span text)
{
	ssize_t n;

	for (; text.len; text.ptr += n, text.len -= (size_t)n) {
		n = write(fd, text.ptr, text.len);
		if (n < 0 && errno == EINTR)
			n = 0;
		else if (n < 0)
			return -1;
	}
	return fsync(fd);
}

/* Whoever reads the old one may read the new one. */
static int keep_rights(int fd, const char *path)
{
	struct stat old;

	if (stat(path, &old) < 0)
		return fchmod(fd, 0600);
	if (fchown(fd, old.st_uid, old.st_gid) < 0 && old.st_uid == geteuid())
		old.st_mode &= 0700; /* not for a group that is not that of the old one */
	return fchmod(fd, old.st_mode & 0777 & ~(mode_t)S_IWOTH);
}

static void sync_directory(const char *path)
{
	char directory[PATH_MAX];
	int fd;

	snprintf(directory, sizeof(directory), "%s", path);
	*strrchr(directory, '/') = 0;
	fd = open(*directory ? directory : "/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return;
	fsync(fd);
	close(fd);
}

/* path: from the root. */
static int replace(const char *path, struct span text, struct err *err)
{
	char fresh[PATH_MAX + 32];
	const char *base = strrchr(path, '/') + 1;
	int fd, error = 0;

	snprintf(fresh, sizeof(fresh), "%.*s.%s.new", (int)(base - path), path, base);
	unlink(fresh); /* of one that has died */
	fd = open(fresh, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		return err_set(err, "'%s' cannot be made: %s", fresh, strerror(errno));
	if (write_all(fd, text) < 0 || keep_rights(fd, path) < 0)
		error = errno;
	if (close(fd) < 0 && !error)
		error = errno;
	if (!error && rename(fresh, path) < 0)
		error = errno;
	if (error) {
		unlink(fresh);
		return err_set(err, "'%s' cannot be written: %s", path, strerror(error));
	}
	sync_directory(path);
	return 0;
}

/* The text, with a NUL behind it, from malloc. NULL: errno, or it is longer than most. */
static char *read_file(const char *path, size_t most)
{
	FILE *f = fopen(path, "re");
	char *text = f ? calloc(1, most + 1) : NULL;
	size_t n = text ? fread(text, 1, most, f) : 0;
	int error = errno;

	if (text && (ferror(f) || n == most)) {
		error = ferror(f) ? error : EFBIG;
		wipe_free(text);
		text = NULL;
	}
	if (f)
		fclose(f);
	errno = error;
	return text;
}

/* ---- paths ----------------------------------------------------------------------------------- */

/* The path without links; what it ends with may be missing. */
static int resolve(const char *path, char out[PATH_MAX], struct err *err)
{
	const char *base = strrchr(path, '/') + 1;
	char directory[PATH_MAX], real[PATH_MAX];

	if (realpath(path, out))
		return 0;
	snprintf(directory, sizeof(directory), "%.*s", (int)(base - path), path);
	if (errno != ENOENT || !realpath(directory, real))
		return err_set(err, "'%s': %s", path, strerror(errno));
	if (snprintf(out, PATH_MAX, "%s/%s", strcmp(real, "/") ? real : "", base) >= PATH_MAX)
		return err_set(err, "'%s' is too long", path);
	return 0;
}

int acme_files_path(struct acme_cert *c, struct err *err)
{
	return resolve(c->line->path, c->path, err);
}

/* ---- keys of the section --------------------------------------------------------------------- */

static int make_key(struct acme *acme, const char *path, struct err *err)
{
	const struct acme_keyspec spec = { .type = acme->keytype ? ACME_RSA : ACME_ECDSA,
					   .bits = acme->bits, .curve = acme_curves[acme->curve] };
	char *pem;
	int rc;

	acme->key = acme_key_new(&spec);
	pem = acme->key ? acme_key_pem(acme->key) : NULL;
	if (!pem)
		return err_set(err, "no key can be made for '%s'", path);
	rc = replace(path, span_of(pem), err);
	OPENSSL_clear_free(pem, strlen(pem));
	if (rc == 0)
		log_process(LOG_L_NOTICE,
			    "acme '%s': '%s' was not there and is a fresh key now: the "
			    "account belongs to whoever has it.",
			    acme->name, path);
	return rc;
}

static int read_key(struct acme *acme, const char *path, struct err *err)
{
	struct stat st;
	BIO *bio;

	ERR_clear_error();
	bio = BIO_new_file(path, "re");
	acme->key = bio ? PEM_read_bio_PrivateKey(bio, NULL, tls_no_passphrase, NULL) : NULL;
	BIO_free(bio);
	if (!acme->key)
		return tls_lib_error(err, "'%s' holds no key of an account that can be read", path);
	if (!acme_key_signs(acme->key))
		return err_set(
			err, "'%s': a key of an account is RSA, or ECDSA on P-256, P-384 or P-521",
			path);
	if (stat(path, &st) == 0 && st.st_mode & 077)
		log_process(LOG_L_WARNING,
			    "acme '%s': others than its owner may read or write '%s', the "
			    "key of the account.",
			    acme->name, path);
	return 0;
}

/* One line; what ends it is no part of it. */
static int read_secret(const char *path, char **text, struct err *err)
{
	*text = read_file(path, SECRET_MOST);
	if (!*text)
		return err_set(err, "'%s' cannot be read: %s", path, strerror(errno));
	(*text)[strcspn(*text, "\r\n")] = 0;
	return 0;
}

/* base64url, with or without padding, as authorities give it out. */
static int decode_mac(struct acme *acme, char *text, struct err *err)
{
	size_t len = strcspn(text, "="), i;
	char *padded = malloc(len + 5);
	long n = -1;

	if (!padded)
		return err_set(err, "out of memory");
	for (i = 0; i < len; i++)
		padded[i] = text[i] == '-' ? '+' : text[i] == '_' ? '/' : text[i];
	while (i % 4 && i < len + 4)
		padded[i++] = '=';
	acme->mac = calloc(1, len + 1);
	if (acme->mac)
		n = base64_decode((struct span){ padded, i }, acme->mac, len);
	wipe_free(padded);
	if (n <= 0)
		return err_set(err, "'%s' holds no key in base64url", acme->binding_key);
	acme->mac_len = (size_t)n;
	return 0;
}

static int read_binding(struct acme *acme, struct err *err)
{
	char *text;
	int rc;

	if (!acme->binding_id)
		return 0;
	if (read_secret(acme->binding_id, &acme->kid, err) < 0)
		return -1;
	if (!*acme->kid || acme->kid[strcspn(acme->kid, "\"\\")])
		return err_set(err, "'%s' holds no id of an external account", acme->binding_id);
	if (read_secret(acme->binding_key, &text, err) < 0)
		return -1;
	rc = decode_mac(acme, text, err);
	wipe_free(text);
	return rc;
}

int acme_files_keys(struct acme *acme, struct err *err)
{
	char path[PATH_MAX];
	const char *base;

	ERR_clear_error();
	if (resolve(acme->account_key, path, err) < 0)
		return -1;
	base = strrchr(path, '/') + 1;
	if (snprintf(acme->state_path, PATH_MAX, "%.*s.%s.state", (int)(base - path), path, base) >=
	    PATH_MAX)
		return err_set(err, "'%s' is too long", path);
	if ((access(path, F_OK) ? make_key : read_key)(acme, path, err) < 0 ||
	    read_binding(acme, err) < 0)
		return -1;
	acme->thumbprint = acme_thumbprint(acme->key);
	return acme->thumbprint ? 0 : err_set(err, "out of memory");
}

/* ---- what outlasts a restart ----------------------------------------------------------------- */

/* "FAILURES NOT_BEFORE NAME" */
static void take_line(const struct acme *acme, char *line)
{
	long long failures, not_before;
	struct acme_cert *c;
	int at = 0;

	if (sscanf(line, "%lld %lld %n", &failures, &not_before, &at) != 2 || !at)
		return;
	c = acme_cert_find(line + at);
	if (!c || c->acme != acme || failures < 0 || failures > 1000)
		return;
	c->failures = (unsigned)failures;
	c->not_before = not_before;
}

void acme_files_restore(struct acme *acme)
{
	char *text = read_file(acme->state_path, STATE_MOST), *line, *next;

	for (line = text; line && *line; line = next) {
		next = line + strcspn(line, "\n");
		if (*next)
			*next++ = 0;
		take_line(acme, line);
	}
	free(text);
}

/* Sections with one account have one file. */
int acme_files_state(const struct acme *acme, struct err *err)
{
	char *memory = malloc(STATE_MOST);
	const struct acme_cert *c;
	struct text t;
	int rc;

	if (!memory)
		return err_set(err, "out of memory");
	text_init(&t, memory, STATE_MOST);
	list_for_each(c, &acme_running.certs, node) {
		if (strcmp(c->acme->state_path, acme->state_path) != 0 ||
		    (!c->failures && !c->running && !c->not_before))
			continue;
		text_printf(&t, "%u %lld %s\n", c->failures + c->running, (long long)c->not_before,
			    c->line->entry->name);
	}
	rc = replace(acme->state_path, (struct span){ t.ptr, t.len }, err);
	free(memory);
	return rc;
}

/* ---- certificates ---------------------------------------------------------------------------- */

static bool put(BIO *bio, const char *name, const struct tls_piece *piece)
{
	return PEM_write_bio(bio, name, "", piece->der, (long)piece->len) > 0;
}

/* Certificate, chain, key: as the program reads them. */
static bool put_all(BIO *bio, const struct tls_pieces *pieces)
{
	const unsigned char *at = pieces->key.der;
	EVP_PKEY *key = d2i_AutoPrivateKey(NULL, &at, (long)pieces->key.len);
	bool good = put(bio, PEM_STRING_X509, &pieces->leaf);
	unsigned i;

	for (i = 0; i < pieces->chain_count && good; i++)
		good = put(bio, PEM_STRING_X509, &pieces->chain[i]);
	good = good && key && PEM_write_bio_PrivateKey(bio, key, NULL, NULL, 0, NULL, NULL);
	EVP_PKEY_free(key);
	return good;
}

int acme_files_save(const struct acme_cert *c, struct err *err)
{
	struct tls_pieces pieces = { 0 };
	BIO *bio = BIO_new(BIO_s_secmem());
	char *data;
	long len;
	int rc;

	if (!bio || tls_cert_pieces(c->line->entry->cert, &pieces) < 0 || !put_all(bio, &pieces)) {
		rc = err_set(err, "out of memory");
	} else {
		len = BIO_get_mem_data(bio, &data);
		rc = replace(c->path, (struct span){ data, (size_t)len }, err);
		OPENSSL_cleanse(data, (size_t)len);
	}
	BIO_free(bio);
	tls_pieces_clear(&pieces);
	ERR_clear_error();
	return rc;
}
