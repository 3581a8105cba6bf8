/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Certificates: one object for one content. Made at start by the store and at run time by
 * transactions; used by whoever has a connection that needs one.
 *
 * Ten thousand of them are no more than their DER in memory: the leaf is parsed once, to check it
 * and to read its names, and the key is compared with it without OpenSSL's decoders
 * (tls/keypair.h). What a handshake needs is made at first use and kept while it is among the
 * tls_tune.parsed_most used last. Certificates of chains are shared by content.
 */
#include "tls/cert.h"

#include "base/bug.h"
#include "base/err.h"
#include "base/kind.h"
#include "base/list.h"
#include "tls/chain.h"
#include "tls/lib.h"
#include "tls/pair.h"
#include "tls/pem.h"
#include "tls/staple.h"
#include "tls/tune.h"

#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/x509v3.h>
#include <stdlib.h>

enum { FEATURE_STATUS_REQUEST = 5, SCT_EXTENSION = 18 };

/* A certificate of somebody's chain. */
struct tls_der {
	struct tls_link link;
	unsigned refs;
	unsigned users; /* parsed certificates that have x in their chain */
	X509 *x;        /* NULL: not now */
	size_t len;
	unsigned char der[];
};

/* What OpenSSL wants to have of one certificate. */
struct tls_parsed {
	struct list lru; /* used last: first */
	struct tls_cert *cert;
	X509 *leaf;
	EVP_PKEY *key;
	STACK_OF(X509) *chain; /* NULL: none */
};

static struct tls_index cert_index, der_index; /* by content */
static struct list parsed_lru = LIST_INIT(parsed_lru);
static unsigned parsed_count;

/* -- certificates of chains ------------------------------------------------------------------ */

static X509 *x509_parse(struct span der)
{
	const unsigned char *at = (const unsigned char *)der.ptr, *end = at + der.len;
	X509 *x;

	ERR_clear_error();
	x = d2i_X509(NULL, &at, (long)der.len);
	if (x && at != end) {
		X509_free(x);
		x = NULL;
		ERR_raise(ERR_LIB_ASN1, ASN1_R_TOO_LONG);
	}
	return x;
}

static struct tls_der *der_find(uint64_t key, struct span der)
{
	struct tls_link *link;
	struct tls_der *at;

	for (link = tls_index_first(&der_index, key); link; link = tls_index_next(link)) {
		at = container_of(link, struct tls_der, link);
		if (at->len == der.len && !memcmp(at->der, der.ptr, der.len))
			return at;
	}
	return NULL;
}

static struct tls_der *der_new(uint64_t key, struct span der, struct err *err)
{
	X509 *x = x509_parse(der);
	struct tls_der *fresh;

	if (!x) {
		err_set(err, "chain: %s", tls_reason());
		return NULL;
	}
	X509_free(x);
	fresh = calloc(1, sizeof(*fresh) + der.len);
	if (!fresh || tls_index_add(&der_index, &fresh->link, key) < 0) {
		free(fresh);
		err_set(err, "out of memory");
		return NULL;
	}
	fresh->len = der.len;
	memcpy(fresh->der, der.ptr, der.len);
	return fresh;
}

/* One more reference to it; NULL and err. */
static struct tls_der *der_get(struct span der, struct err *err)
{
	uint64_t key = tls_index_key(der);
	struct tls_der *at = der_find(key, der);

	if (!at)
		at = der_new(key, der, err);
	if (at)
		at->refs++;
	return at;
}

static struct span der_span(const struct tls_der *at)
{
	return (struct span){ (const char *)at->der, at->len };
}

/* The one that was looked at last: thousands of certificates in a row have one issuer. */
static struct {
	const struct tls_der *der;
	X509 *x;
} der_seen;

static X509 *der_look(const struct tls_der *at)
{
	if (at->x)
		return at->x;
	if (der_seen.der != at) {
		X509_free(der_seen.x);
		der_seen.x = x509_parse(der_span(at));
		der_seen.der = at;
	}
	return der_seen.x;
}

static void der_give(struct tls_der *at)
{
	if (!at || --at->refs)
		return;
	BUG_ON(at->x);
	if (der_seen.der == at) {
		X509_free(der_seen.x);
		der_seen.x = NULL;
		der_seen.der = NULL;
	}
	tls_index_remove(&der_index, &at->link);
	free(at);
}

/* -- what is parsed at the moment -------------------------------------------------------------- */

static void parsed_free(struct tls_parsed *parsed)
{
	struct tls_cert *cert = parsed->cert;
	unsigned i;

	for (i = 0; parsed->chain && i < cert->chain_count; i++) {
		if (--cert->chain[i]->users)
			continue;
		X509_free(cert->chain[i]->x);
		cert->chain[i]->x = NULL;
	}
	list_remove(&parsed->lru);
	parsed_count--;
	cert->parsed = NULL;
	sk_X509_pop_free(parsed->chain, X509_free);
	X509_free(parsed->leaf);
	EVP_PKEY_free(parsed->key);
	free(parsed);
}

static bool chain_push(struct tls_parsed *parsed, struct tls_der *der)
{
	if (!der->x)
		der->x = x509_parse(der_span(der));
	if (!der->x || !X509_up_ref(der->x))
		return false;
	if (sk_X509_push(parsed->chain, der->x) > 0)
		return true;
	X509_free(der->x);
	return false;
}

/* ssl-skip-self-issued-ca: what is shown, and asked for issuers, stays whole (cert->chain). */
static int parsed_skip_root(struct tls_parsed *parsed)
{
	STACK_OF(X509) *chain = tls_chain_without_root(parsed->leaf, parsed->chain);

	if (!chain)
		return -1;
	sk_X509_pop_free(parsed->chain, X509_free);
	parsed->chain = chain;
	return 0;
}

static int parsed_chain(struct tls_parsed *parsed, const struct tls_cert *cert)
{
	unsigned i;

	if (!cert->chain_count)
		return 0;
	parsed->chain = sk_X509_new_reserve(NULL, (int)cert->chain_count);
	if (!parsed->chain)
		return -1;
	for (i = 0; i < cert->chain_count; i++)
		cert->chain[i]->users++;
	for (i = 0; i < cert->chain_count; i++) {
		if (!chain_push(parsed, cert->chain[i]))
			return -1;
	}
	return tls_tune.skip_root ? parsed_skip_root(parsed) : 0;
}

static struct tls_parsed *parsed_new(struct tls_cert *cert)
{
	struct tls_parsed *parsed = calloc(1, sizeof(*parsed));

	if (!parsed)
		return NULL;
	parsed->cert = cert;
	list_prepend(&parsed_lru, &parsed->lru);
	parsed_count++;
	parsed->leaf = x509_parse(cert->leaf);
	parsed->key = tls_pair_key(cert->algorithm, cert->key);
	if (parsed->leaf && parsed->key && !parsed_chain(parsed, cert))
		return cert->parsed = parsed;
	parsed_free(parsed);
	return NULL;
}

/* NULL: no memory. */
static struct tls_parsed *cert_parsed(struct tls_cert *cert)
{
	struct tls_parsed *parsed = cert->parsed;

	if (parsed) {
		list_remove(&parsed->lru);
		list_prepend(&parsed_lru, &parsed->lru);
		return parsed;
	}
	while (parsed_count && parsed_count >= tls_tune.parsed_most)
		parsed_free(list_entry(parsed_lru.prev, struct tls_parsed, lru));
	return parsed_new(cert);
}

X509 *tls_cert_leaf(struct tls_cert *cert)
{
	struct tls_parsed *parsed = cert_parsed(cert);

	return parsed ? parsed->leaf : NULL;
}

EVP_PKEY *tls_cert_key(struct tls_cert *cert)
{
	struct tls_parsed *parsed = cert_parsed(cert);

	return parsed ? parsed->key : NULL;
}

STACK_OF(X509) *tls_cert_chain(struct tls_cert *cert)
{
	struct tls_parsed *parsed = cert_parsed(cert);

	return parsed ? parsed->chain : NULL;
}

X509 *tls_cert_issuer(struct tls_cert *cert)
{
	X509 *leaf, *issuer;

	if (cert->issuer)
		return x509_parse(der_span(cert->issuer));
	leaf = tls_cert_leaf(cert);
	issuer = cert->chain_count ? x509_parse(der_span(cert->chain[0])) : NULL;
	if (issuer && leaf && X509_check_issued(issuer, leaf) == X509_V_OK)
		return issuer;
	X509_free(issuer);
	return NULL;
}

/* -- what a certificate says ------------------------------------------------------------------- */

/* Names while they are collected. */
struct names {
	struct span *spans;
	unsigned count;
	size_t bytes;
};

static int names_add(struct names *names, const char *ptr, int len)
{
	struct span *more;
	char *copy;

	if (len <= 0 || memchr(ptr, 0, (size_t)len))
		return 0; /* a name with a NUL is a trick */
	more = realloc(names->spans, (names->count + 1) * sizeof(*more));
	if (!more)
		return -1;
	names->spans = more;
	copy = malloc((size_t)len);
	if (!copy)
		return -1;
	memcpy(copy, ptr, (size_t)len);
	more[names->count++] = (struct span){ copy, (size_t)len };
	names->bytes += (size_t)len;
	return 0;
}

static void names_clear(struct names *names)
{
	unsigned i;

	for (i = 0; i < names->count; i++)
		free((char *)names->spans[i].ptr);
	free(names->spans);
}

static int names_alternative(struct names *names, X509 *x)
{
	GENERAL_NAMES *all = X509_get_ext_d2i(x, NID_subject_alt_name, NULL, NULL);
	const ASN1_IA5STRING *text;
	const GENERAL_NAME *name;
	int i, rc = 0;

	for (i = 0; !rc && i < sk_GENERAL_NAME_num(all); i++) {
		name = sk_GENERAL_NAME_value(all, i);
		if (name->type != GEN_DNS)
			continue;
		text = name->d.dNSName;
		rc = names_add(names, (const char *)ASN1_STRING_get0_data(text),
			       ASN1_STRING_length(text));
	}
	GENERAL_NAMES_free(all);
	return rc;
}

static int names_common(struct names *names, X509 *x)
{
	const X509_NAME *subject = X509_get_subject_name(x);
	unsigned char *text;
	int i = -1, len, rc = 0;

	while (!rc && (i = X509_NAME_get_index_by_NID(subject, NID_commonName, i)) >= 0) {
		len = ASN1_STRING_to_UTF8(
			&text, X509_NAME_ENTRY_get_data(X509_NAME_get_entry(subject, i)));
		if (len < 0)
			continue;
		rc = names_add(names, (const char *)text, len);
		OPENSSL_free(text);
	}
	return rc;
}

static bool wants_staple(X509 *x)
{
	TLS_FEATURE *features = X509_get_ext_d2i(x, NID_tlsfeature, NULL, NULL);
	bool wants = false;
	int i;

	for (i = 0; i < sk_ASN1_INTEGER_num(features); i++)
		wants |= ASN1_INTEGER_get(sk_ASN1_INTEGER_value(features, i)) ==
			 FEATURE_STATUS_REQUEST;
	TLS_FEATURE_free(features);
	return wants;
}

/* -- making one ------------------------------------------------------------------------------- */

static bool digest_piece(EVP_MD_CTX *digest, const struct tls_piece *piece)
{
	uint64_t len = piece->len;

	return EVP_DigestUpdate(digest, &len, sizeof(len)) && EVP_DigestUpdate(digest, piece->der, len);
}

static int cert_fingerprint(const struct tls_pieces *p, unsigned char *fingerprint)
{
	const struct tls_piece *all[] = { &p->leaf, &p->key, &p->dh, &p->issuer, &p->ocsp, &p->sctl };
	EVP_MD_CTX *digest = EVP_MD_CTX_new();
	bool good = digest && EVP_DigestInit_ex(digest, EVP_sha256(), NULL);
	unsigned i;

	for (i = 0; good && i < ARRAY_LEN(all); i++)
		good = digest_piece(digest, all[i]);
	for (i = 0; good && i < p->chain_count; i++)
		good = digest_piece(digest, &p->chain[i]);
	good = good && EVP_DigestFinal_ex(digest, fingerprint, NULL);
	EVP_MD_CTX_free(digest);
	return good ? 0 : -1;
}

static uint64_t fingerprint_key(const unsigned char *fingerprint)
{
	uint64_t key;

	memcpy(&key, fingerprint, sizeof(key));
	return key;
}

static struct tls_cert *cert_find(const unsigned char *fingerprint)
{
	struct tls_link *link = tls_index_first(&cert_index, fingerprint_key(fingerprint));
	struct tls_cert *cert;

	for (; link; link = tls_index_next(link)) {
		cert = container_of(link, struct tls_cert, link);
		if (!memcmp(cert->fingerprint, fingerprint, sizeof(cert->fingerprint)))
			return cert;
	}
	return NULL;
}

static struct span put(char **at, struct span bytes)
{
	struct span copy = { *at, bytes.len };

	if (bytes.len)
		memcpy(*at, bytes.ptr, bytes.len);
	*at += bytes.len;
	return copy;
}

/* One block of memory: the struct, the chain's pointers, the names, all bytes; the key is in
 * OpenSSL's memory, which is in no core dump. */
static struct tls_cert *cert_build(const struct tls_pieces *p, const struct names *names)
{
	size_t fixed = sizeof(struct tls_cert) + p->chain_count * sizeof(struct tls_der *);
	struct tls_cert *cert = calloc(1, fixed + names->count * sizeof(struct span) + names->bytes +
						  p->leaf.len + p->dh.len + p->ocsp.len + p->sctl.len);
	struct tls_piece key = { 0 };
	struct span *spans;
	unsigned i;
	char *at;

	if (!cert || tls_piece_set(&key, tls_piece_span(&p->key)) < 0) {
		free(cert);
		return NULL;
	}
	KIND_IS(struct tls_cert, cert);
	cert->key = tls_piece_span(&key);
	cert->names = spans = (void *)((char *)cert + fixed);
	cert->name_count = names->count;
	at = (char *)(spans + names->count);
	for (i = 0; i < names->count; i++)
		spans[i] = put(&at, names->spans[i]);
	cert->leaf = put(&at, tls_piece_span(&p->leaf));
	cert->dh = put(&at, tls_piece_span(&p->dh));
	cert->ocsp = put(&at, tls_piece_span(&p->ocsp));
	cert->sctl = put(&at, tls_piece_span(&p->sctl));
	return cert;
}

static void cert_destroy(struct tls_cert *cert)
{
	unsigned i;

	if (cert->parsed)
		parsed_free(cert->parsed);
	for (i = 0; i < cert->chain_count; i++)
		der_give(cert->chain[i]);
	der_give(cert->issuer);
	OPENSSL_clear_free((char *)cert->key.ptr, cert->key.len);
	free(cert);
}

static int cert_add_chain(struct tls_cert *cert, const struct tls_pieces *p, struct err *err)
{
	while (cert->chain_count < p->chain_count) {
		cert->chain[cert->chain_count] =
			der_get(tls_piece_span(&p->chain[cert->chain_count]), err);
		if (!cert->chain[cert->chain_count])
			return -1;
		cert->chain_count++;
	}
	if (p->issuer.der) {
		cert->issuer = der_get(tls_piece_span(&p->issuer), err);
		if (!cert->issuer)
			return -1;
	}
	return 0;
}

/* A chain is sent as it stands in the file: whose is it? */
static const char *chain_doubt(const struct tls_cert *cert, X509 *leaf)
{
	unsigned i;
	X509 *x;

	for (i = 0; i < cert->chain_count; i++) {
		x = der_look(cert->chain[i]);
		if (!x || X509_check_issued(x, leaf) != X509_V_OK)
			continue;
		return !i || tls_tune.skip_root ? NULL :
		       "the chain is not in order: the certificate of its issuer belongs right "
		       "behind it (RFC 5246 7.4.2)";
	}
	return !i ? NULL : "the chain is not that of this certificate: nothing in it has signed it, "
			   "and clients that do not know its issuer refuse it";
}

/* Roots count for nothing: clients have their own. */
static void chain_age(struct tls_cert *cert, const X509 *leaf)
{
	unsigned i;
	X509 *x;

	tls_age_add(&cert->age, leaf, 0);
	for (i = 0; i < cert->chain_count; i++) {
		x = der_look(cert->chain[i]);
		if (x && X509_NAME_cmp(X509_get_subject_name(x), X509_get_issuer_name(x)))
			tls_age_add(&cert->age, x, i + 1);
	}
}

/* The library's security level would refuse it in each handshake: better now. */
static int level_check(X509 *x, struct err *err)
{
	static SSL_CTX *probe;

	ERR_clear_error();
	if (!probe)
		probe = SSL_CTX_new(TLS_method());
	if (!probe || SSL_CTX_use_certificate(probe, x) != 1)
		return tls_lib_error(err, "certificate");
	return 0;
}

/* A new one whose leaf is x. */
static struct tls_cert *cert_new(const struct tls_pieces *p, X509 *x, struct err *err)
{
	EVP_PKEY *public = X509_get0_pubkey(x);
	struct names names = { 0 };
	struct tls_cert *cert = NULL;
	int algorithm;

	if (!public) {
		err_set(err, "certificate: public key: %s", tls_reason());
		return NULL;
	}
	algorithm = EVP_PKEY_get_base_id(public);
	if (tls_pair_check(x, algorithm, tls_piece_span(&p->key), err) < 0 || level_check(x, err) < 0)
		return NULL;
	if (!names_alternative(&names, x) && !names_common(&names, x))
		cert = cert_build(p, &names);
	names_clear(&names);
	if (!cert) {
		err_set(err, "out of memory");
		return NULL;
	}
	cert->algorithm = algorithm;
	cert->curve = algorithm == EVP_PKEY_EC ? tls_pair_curve(x) : 0;
	cert->must_staple = wants_staple(x);
	if (cert_add_chain(cert, p, err) < 0) {
		cert_destroy(cert);
		return NULL;
	}
	cert->doubt = chain_doubt(cert, x);
	chain_age(cert, x);
	ERR_clear_error(); /* extensions that are not what they should be are no names */
	return cert;
}

static struct tls_cert *cert_make(const struct tls_pieces *p, const unsigned char *fingerprint,
				  struct err *err)
{
	X509 *x = x509_parse(tls_piece_span(&p->leaf));
	struct tls_cert *cert;

	if (!x) {
		err_set(err, "certificate: %s", tls_reason());
		return NULL;
	}
	cert = cert_new(p, x, err);
	X509_free(x);
	if (!cert)
		return NULL;
	memcpy(cert->fingerprint, fingerprint, sizeof(cert->fingerprint));
	cert->refs = 1;
	if (!tls_index_add(&cert_index, &cert->link, fingerprint_key(fingerprint)))
		return cert;
	cert_destroy(cert);
	err_set(err, "out of memory");
	return NULL;
}

struct tls_cert *tls_cert_make(const struct tls_pieces *pieces, struct err *err)
{
	unsigned char fingerprint[32];
	struct tls_cert *cert;

	ERR_clear_error();
	if (!pieces->leaf.der)
		err_set(err, "no certificate in it");
	else if (!pieces->key.der)
		err_set(err, "no private key in it");
	else if (cert_fingerprint(pieces, fingerprint) < 0)
		err_set(err, "%s", tls_reason());
	else if ((cert = cert_find(fingerprint)))
		return tls_cert_take(cert);
	else
		return cert_make(pieces, fingerprint, err);
	return NULL;
}

struct tls_cert *tls_cert_parse(struct span pem, struct err *err)
{
	struct tls_pieces pieces = { 0 };
	struct tls_cert *cert = NULL;

	if (!tls_pieces_read(&pieces, pem, err))
		cert = tls_cert_make(&pieces, err);
	tls_pieces_clear(&pieces);
	return cert;
}

int tls_cert_pieces(const struct tls_cert *cert, struct tls_pieces *p)
{
	unsigned i;

	*p = (struct tls_pieces){ 0 };
	p->chain = cert->chain_count ? calloc(cert->chain_count, sizeof(*p->chain)) : NULL;
	if ((cert->chain_count && !p->chain) || tls_piece_set(&p->leaf, cert->leaf) < 0 ||
	    tls_piece_set(&p->key, cert->key) < 0 || tls_piece_set(&p->dh, cert->dh) < 0 ||
	    tls_piece_set(&p->ocsp, cert->ocsp) < 0 || tls_piece_set(&p->sctl, cert->sctl) < 0 ||
	    (cert->issuer && tls_piece_set(&p->issuer, der_span(cert->issuer)) < 0))
		goto failed;
	for (i = 0; i < cert->chain_count; i++) {
		if (tls_piece_set(&p->chain[i], der_span(cert->chain[i])) < 0)
			goto failed;
		p->chain_count++;
	}
	return 0;
failed:
	tls_pieces_clear(p);
	return -1;
}

struct tls_cert *tls_cert_take(struct tls_cert *cert)
{
	cert->refs++;
	return cert;
}

void tls_cert_free(struct tls_cert **at)
{
	struct tls_cert *cert = *at;

	*at = NULL;
	if (!cert || --cert->refs)
		return;
	tls_index_remove(&cert_index, &cert->link);
	tls_ocsp_leave(cert);
	cert_destroy(cert);
}

/* -- connections ------------------------------------------------------------------------------ */

static void use_forget(void *parent, void *ptr, CRYPTO_EX_DATA *data, int index, long argl, void *argp)
{
	struct tls_cert *cert = KIND_OR_NULL(struct tls_cert, ptr);

	(void)parent, (void)data, (void)index, (void)argl, (void)argp;
	tls_cert_free(&cert);
}

static int use_index(void)
{
	static int index = -1;

	if (index < 0)
		index = SSL_get_ex_new_index(0, NULL, NULL, NULL, use_forget);
	return index;
}

/* Notes it on the SSL. */
static int use_note(struct tls_cert *cert, SSL *ssl)
{
	struct tls_cert *old = KIND_OR_NULL(struct tls_cert, SSL_get_ex_data(ssl, use_index()));

	if (!SSL_set_ex_data(ssl, use_index(), tls_cert_take(cert))) {
		tls_cert_free(&cert);
		return -1;
	}
	tls_cert_free(&old);
	return 0;
}

static EVP_PKEY *use_dh(const struct tls_cert *cert)
{
	const unsigned char *at = (const unsigned char *)cert->dh.ptr;

	return cert->dh.len ? d2i_KeyParams(EVP_PKEY_DH, NULL, &at, (long)cert->dh.len) : NULL;
}

int tls_cert_use(struct tls_cert *cert, SSL *ssl)
{
	struct tls_parsed *parsed = cert_parsed(cert);
	EVP_PKEY *dh;

	if (!parsed || use_note(cert, ssl) < 0)
		return -1;
	SSL_certs_clear(ssl); /* another algorithm's would be for another name */
	if (SSL_use_cert_and_key(ssl, parsed->leaf, parsed->key, parsed->chain, 1) != 1)
		return -1;
	dh = use_dh(cert);
	if (dh && SSL_set0_tmp_dh_pkey(ssl, dh) != 1) {
		EVP_PKEY_free(dh);
		return -1;
	}
	return 0;
}

int tls_cert_use_context(struct tls_cert *cert, SSL_CTX *ctx)
{
	struct tls_parsed *parsed = cert_parsed(cert);
	EVP_PKEY *dh;

	if (!parsed || SSL_CTX_use_cert_and_key(ctx, parsed->leaf, parsed->key, parsed->chain, 1) != 1)
		return -1;
	dh = use_dh(cert);
	if (dh && SSL_CTX_set0_tmp_dh_pkey(ctx, dh) != 1) {
		EVP_PKEY_free(dh);
		return -1;
	}
	return 0;
}

struct tls_cert *tls_cert_of(const SSL *ssl)
{
	return KIND_OR_NULL(struct tls_cert, SSL_get_ex_data(ssl, use_index()));
}

static int sct_add(SSL *ssl, unsigned type, unsigned context, const unsigned char **out, size_t *len,
		   X509 *x, size_t chain_index, int *alert, void *arg)
{
	const struct tls_cert *cert = tls_cert_of(ssl);

	(void)type, (void)context, (void)x, (void)alert, (void)arg;
	if (!cert || !cert->sctl.len || chain_index)
		return 0;
	*out = (const unsigned char *)cert->sctl.ptr;
	*len = cert->sctl.len;
	return 1;
}

/* What clients send with it is empty. */
static int sct_parse(SSL *ssl, unsigned type, unsigned context, const unsigned char *in, size_t len,
		     X509 *x, size_t chain_index, int *alert, void *arg)
{
	(void)ssl, (void)type, (void)context, (void)in, (void)len, (void)x, (void)chain_index;
	(void)alert, (void)arg;
	return 1;
}

int tls_cert_announce(SSL_CTX *ctx)
{
	return SSL_CTX_add_custom_ext(ctx, SCT_EXTENSION,
				      SSL_EXT_CLIENT_HELLO | SSL_EXT_TLS1_2_SERVER_HELLO |
					      SSL_EXT_TLS1_3_CERTIFICATE,
				      sct_add, NULL, NULL, sct_parse, NULL) == 1 ? 0 : -1;
}
