/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Takes PEM text apart into DER, without looking into it. Called by the certificate store for files
 * and for payloads of the stats socket. The text may come from anybody who may write there: any
 * bytes, no size that its reader did not check. Keys are wiped wherever they were.
 */
#include "tls/pem.h"

#include "base/bug.h"
#include "base/err.h"

#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <stdlib.h>

const char *tls_reason(void)
{
	unsigned long error = ERR_peek_error();
	const char *reason = error ? ERR_reason_error_string(error) : NULL;

	ERR_clear_error();
	return reason ? reason : "out of memory";
}

static void piece_clear(struct tls_piece *piece)
{
	OPENSSL_clear_free(piece->der, piece->len);
	*piece = (struct tls_piece){ 0 };
}

int tls_piece_set(struct tls_piece *piece, struct span bytes)
{
	unsigned char *copy = bytes.len ? OPENSSL_memdup(bytes.ptr, bytes.len) : NULL;

	if (!copy && bytes.len) {
		ERR_clear_error();
		return -1;
	}
	piece_clear(piece);
	*piece = (struct tls_piece){ copy, copy ? bytes.len : 0 };
	return 0;
}

static void pieces_clear_chain(struct tls_pieces *pieces)
{
	unsigned i;

	for (i = 0; i < pieces->chain_count; i++)
		piece_clear(&pieces->chain[i]);
	free(pieces->chain);
	pieces->chain = NULL;
	pieces->chain_count = 0;
}

void tls_pieces_clear(struct tls_pieces *pieces)
{
	piece_clear(&pieces->leaf);
	piece_clear(&pieces->key);
	piece_clear(&pieces->dh);
	piece_clear(&pieces->issuer);
	piece_clear(&pieces->ocsp);
	piece_clear(&pieces->sctl);
	pieces_clear_chain(pieces);
}

/* "Proc-Type: 4,ENCRYPTED" of RFC 1421 may stand in front of anything. */
int tls_pem_readable(const char *what, const char *header, struct err *err)
{
	if (!strstr(header, "ENCRYPTED"))
		return 0;
	return err_set(err, "the %s is encrypted: nobody could be asked for its passphrase", what);
}

int tls_no_passphrase(char *buf, int size, int writes, void *arg)
{
	(void)buf;
	(void)size;
	(void)writes;
	(void)arg;
	return -1;
}

/* -- one block ------------------------------------------------------------------------------- */

enum block_kind { BLOCK_CERT, BLOCK_TRUSTED, BLOCK_KEY, BLOCK_ENCRYPTED, BLOCK_DH, BLOCK_OTHER };

static enum block_kind block_kind(const char *name)
{
	static const struct {
		const char *name;
		enum block_kind kind;
	} kinds[] = {
		{ PEM_STRING_X509, BLOCK_CERT },
		{ PEM_STRING_X509_OLD, BLOCK_CERT },
		{ PEM_STRING_X509_TRUSTED, BLOCK_TRUSTED },
		{ PEM_STRING_PKCS8INF, BLOCK_KEY },
		{ PEM_STRING_RSA, BLOCK_KEY },
		{ PEM_STRING_DSA, BLOCK_KEY },
		{ PEM_STRING_ECPRIVATEKEY, BLOCK_KEY },
		{ PEM_STRING_PKCS8, BLOCK_ENCRYPTED },
		{ PEM_STRING_DHPARAMS, BLOCK_DH },
	};
	size_t i;

	for (i = 0; i < ARRAY_LEN(kinds); i++)
		if (!strcmp(name, kinds[i].name))
			return kinds[i].kind;
	return BLOCK_OTHER;
}

/* A certificate with remarks about trust behind it: the certificate alone. */
static int block_untrust(struct tls_piece *block)
{
	const unsigned char *at = block->der;
	unsigned char *der = NULL;
	int len = -1;
	X509 *x;

	ERR_clear_error();
	x = d2i_X509_AUX(NULL, &at, (long)block->len);
	if (x)
		len = i2d_X509(x, &der);
	X509_free(x);
	if (len <= 0)
		return -1;
	piece_clear(block);
	*block = (struct tls_piece){ der, (size_t)len };
	return 0;
}

static int add_chain(struct tls_pieces *into, struct tls_piece *block, struct err *err)
{
	struct tls_piece *more;

	if (into->chain_count == TLS_CHAIN_MAX)
		return err_set(err, "more than %d certificates", TLS_CHAIN_MAX + 1);
	more = realloc(into->chain, (into->chain_count + 1) * sizeof(*more));
	if (!more)
		return err_set(err, "out of memory");
	more[into->chain_count++] = *block;
	into->chain = more;
	*block = (struct tls_piece){ 0 };
	return 0;
}

/* Moves the block to its place, when that is empty. */
static void block_move(struct tls_piece *place, struct tls_piece *block)
{
	if (place->der)
		return;
	*place = *block;
	*block = (struct tls_piece){ 0 };
}

/* Takes what it wants of the block; the rest is the caller's. */
static int block_take(struct tls_pieces *into, const char *name, const char *header,
		      struct tls_piece *block, struct err *err)
{
	static const char *const whats[] = {
		[BLOCK_CERT] = "certificate", [BLOCK_TRUSTED] = "certificate",
		[BLOCK_DH] = "block of DH parameters",
	};
	enum block_kind kind = block_kind(name);

	if (kind == BLOCK_KEY && strstr(header, "ENCRYPTED"))
		kind = BLOCK_ENCRYPTED;
	if (kind < BLOCK_OTHER && whats[kind] && tls_pem_readable(whats[kind], header, err) < 0)
		return -1;
	switch (kind) {
	case BLOCK_TRUSTED:
		if (block_untrust(block) < 0)
			return err_set(err, "certificate: %s", tls_reason());
		/* fall through */
	case BLOCK_CERT:
		if (into->leaf.der)
			return add_chain(into, block, err);
		block_move(&into->leaf, block);
		return 0;
	case BLOCK_KEY:
		block_move(&into->key, block);
		return 0;
	case BLOCK_ENCRYPTED:
		return err_set(err, "the private key is encrypted: nobody could be asked for its "
				    "passphrase (\"openssl pkey\" writes it without one)");
	case BLOCK_DH:
		block_move(&into->dh, block);
		return 0;
	case BLOCK_OTHER:
		return 0;
	}
	return 0;
}

/* -- the text -------------------------------------------------------------------------------- */

/* The next block of the text. 1; 0: no more; -1 and err. */
static int text_next(BIO *bio, struct tls_pieces *into, struct err *err)
{
	char *name = NULL, *header = NULL;
	struct tls_piece block = { 0 };
	long len = 0;
	int rc;

	if (!PEM_read_bio(bio, &name, &header, &block.der, &len)) {
		if (ERR_GET_REASON(ERR_peek_last_error()) != PEM_R_NO_START_LINE)
			return err_set(err, "%s", tls_reason());
		ERR_clear_error();
		return 0;
	}
	block.len = (size_t)len;
	rc = block_take(into, name, header, &block, err);
	piece_clear(&block);
	OPENSSL_free(name);
	OPENSSL_free(header);
	return rc < 0 ? -1 : 1;
}

/* Into fresh pieces. */
static int text_read(struct tls_pieces *into, struct span pem, struct err *err)
{
	BIO *bio;
	int rc;

	*into = (struct tls_pieces){ 0 };
	if (!pem.len)
		return 0;
	if (pem.len > INT32_MAX)
		return err_set(err, "too large");
	ERR_clear_error();
	bio = BIO_new_mem_buf(pem.ptr, (int)pem.len);
	if (!bio)
		return err_set(err, "out of memory");
	do
		rc = text_next(bio, into, err);
	while (rc > 0);
	BIO_free(bio);
	if (rc < 0)
		tls_pieces_clear(into);
	return rc;
}

static void piece_replace(struct tls_piece *old, struct tls_piece *fresh)
{
	if (!fresh->der)
		return;
	piece_clear(old);
	*old = *fresh;
	*fresh = (struct tls_piece){ 0 };
}

int tls_pieces_read(struct tls_pieces *pieces, struct span pem, struct err *err)
{
	struct tls_pieces fresh;

	if (text_read(&fresh, pem, err) < 0)
		return -1;
	if (fresh.leaf.der) {
		pieces_clear_chain(pieces);
		pieces->chain = fresh.chain;
		pieces->chain_count = fresh.chain_count;
		fresh.chain = NULL;
		fresh.chain_count = 0;
	}
	piece_replace(&pieces->leaf, &fresh.leaf);
	piece_replace(&pieces->key, &fresh.key);
	piece_replace(&pieces->dh, &fresh.dh);
	tls_pieces_clear(&fresh);
	return 0;
}

int tls_pieces_read_issuer(struct tls_pieces *pieces, struct span pem, struct err *err)
{
	struct tls_pieces fresh;
	int rc = text_read(&fresh, pem, err);

	if (!rc && !fresh.leaf.der)
		rc = err_set(err, "no certificate in it");
	if (!rc)
		piece_replace(&pieces->issuer, &fresh.leaf);
	tls_pieces_clear(&fresh);
	return rc;
}
