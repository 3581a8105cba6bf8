/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The choice of a certificate. OpenSSL calls for each ClientHello, before it decides anything: the
 * name asked for finds a line (of all whose names or wildcards are for it the one that suits the
 * client, ECDSA before RSA; then exact names before wildcards, earlier lines before later ones),
 * and the line's settings come into force. The certificate itself is put on the SSL when it is
 * needed: not for sessions that are resumed. Costs the same however many names there are.
 */
#include "tls/choose.h"

#include "base/bug.h"
#include "tls/binds.h"
#include "tls/cert.h"
#include "tls/challenge.h"
#include "tls/chosen.h"
#include "tls/dh.h"
#include "tls/forge.h"
#include "tls/layer.h"

#include <openssl/err.h>
#include <string.h>
#include <strings.h>

/* -- the line ------------------------------------------------------------------------------- */

static unsigned curve_bit(int curve)
{
	switch (curve) {
	case NID_X9_62_prime256v1:
		return TLS_CAN_P256;
	case NID_secp384r1:
		return TLS_CAN_P384;
	case NID_secp521r1:
		return TLS_CAN_P521;
	default:
		return TLS_CAN_OTHER_CURVE;
	}
}

static unsigned cert_needs(const struct tls_cert *cert)
{
	switch (cert->algorithm) {
	case EVP_PKEY_EC:
		return curve_bit(cert->curve);
	case EVP_PKEY_ED25519:
		return TLS_CAN_ED25519;
	case EVP_PKEY_ED448:
		return TLS_CAN_ED448;
	case EVP_PKEY_DSA:
		return TLS_CAN_DSA;
	case EVP_PKEY_RSA:
		return TLS_CAN_RSA;
	case EVP_PKEY_RSA_PSS:
		return TLS_CAN_RSA_PSS;
	default:
		return 0;
	}
}

static unsigned token_signs(const char *token, size_t len)
{
	static const struct {
		const char *begin;
		unsigned keys;
	} tokens[] = {
		{ "rsa_pss_pss", TLS_CAN_RSA_PSS }, { "rsa-pss", TLS_CAN_RSA | TLS_CAN_RSA_PSS },
		{ "pss", TLS_CAN_RSA | TLS_CAN_RSA_PSS }, { "rsa", TLS_CAN_RSA },
		{ "ecdsa", TLS_CAN_ECDSA }, { "ed25519", TLS_CAN_ED25519 }, { "ed448", TLS_CAN_ED448 },
		{ "dsa", TLS_CAN_DSA },
	};
	size_t i, n;

	for (i = 0; i < ARRAY_LEN(tokens); i++) {
		n = strlen(tokens[i].begin);
		if (n <= len && !strncasecmp(token, tokens[i].begin, n))
			return tokens[i].keys;
	}
	return ~0U; /* one that only OpenSSL knows */
}

unsigned tls_choose_signs(const char *sigalgs)
{
	unsigned keys = 0;
	size_t len;

	if (!sigalgs)
		return ~0U;
	for (; *sigalgs; sigalgs += len + (sigalgs[len] == ':')) {
		len = strcspn(sigalgs, ":");
		keys |= token_signs(sigalgs, len);
	}
	return keys;
}

/* The line's 'sigalgs', or that of its bind line. */
static unsigned line_signs(const struct tls_line *line)
{
	const struct tls_context *context = line->context ? line->context : line->bind->own;

	return context ? context->signs : ~0U;
}

/* The lower the better; a certificate that the client cannot verify, or that may not sign, comes
 * last. */
static unsigned line_merit(const struct tls_line *line, unsigned can)
{
	static const unsigned order[] = { TLS_CAN_ECDSA, TLS_CAN_ED25519, TLS_CAN_ED448,
					  TLS_CAN_RSA | TLS_CAN_RSA_PSS, TLS_CAN_DSA };
	unsigned usable = line->entry->cert ? cert_needs(line->entry->cert) & can : 0, i;

	usable &= line_signs(line);
	for (i = 0; i < ARRAY_LEN(order); i++)
		if (order[i] & usable)
			return i;
	return ARRAY_LEN(order);
}

/* Does a filter "!name" of the line stand against it? Compared with wildcards only. */
static bool line_excludes(const struct tls_line *line, const char *name, size_t len)
{
	char filter[TLS_NAME_MAX + 1];
	unsigned i;

	for (i = 0; line->filters && line->filters[i]; i++)
		if (line->filters[i][0] == '!' &&
		    tls_name_normalise(span_of(line->filters[i] + 1), filter) == len &&
		    !memcmp(filter, name, len))
			return true;
	return false;
}

/* The best line so far: earlier ones stay where a later one is not better. */
struct choice {
	struct tls_line *line;
	unsigned merit;
};

static void consider(struct choice *best, struct tls_line *line, unsigned can)
{
	unsigned merit = line_merit(line, can);

	if (!best->line || merit < best->merit)
		*best = (struct choice){ line, merit };
}

static void consider_names(struct choice *best, const struct tls_bind *bind, struct span name,
			   bool wild, unsigned can)
{
	struct tls_name *n = tls_names_first(&bind->names, name.ptr, name.len, wild);
	struct tls_line *line;

	for (; n; n = tls_names_next(n)) {
		line = n->object;
		if (line->entry->cert && !(wild && line_excludes(line, name.ptr, name.len)))
			consider(best, line, can);
	}
}

struct tls_line *tls_choose_line(const struct tls_bind *bind, struct span name, unsigned can)
{
	char text[TLS_NAME_MAX + 1];
	struct choice best = { NULL, 0 };

	name = (struct span){ text, tls_name_normalise(name, text) };
	if (!name.len)
		return NULL;
	consider_names(&best, bind, name, false, can);
	if (!best.line || best.merit > 0)
		consider_names(&best, bind, name, true, can);
	return best.line;
}

struct tls_line *tls_choose_default(const struct tls_bind *bind, unsigned can)
{
	struct tls_line *line, *first = NULL;
	struct choice best = { NULL, 0 };

	list_for_each(line, &bind->lines, node) {
		if (!line->entry->cert)
			continue;
		first = first ? first : line;
		if (line->group == first->group || line->fallback)
			consider(&best, line, can);
	}
	return best.line;
}

/* -- the ClientHello -------------------------------------------------------------------------- */

static unsigned get16(const unsigned char *p)
{
	return (unsigned)p[0] << 8 | p[1];
}

/* RFC 6066 3: a list with one host_name. Empty: not sent, or not well-formed (OpenSSL looks again
 * and refuses it). */
static struct span hello_name(SSL *ssl)
{
	const unsigned char *p;
	const struct span none = { "", 0 };
	size_t len;

	if (!SSL_client_hello_get0_ext(ssl, TLSEXT_TYPE_server_name, &p, &len) || len < 5 ||
	    get16(p) + 2 != len || p[2] != TLSEXT_NAMETYPE_host_name || get16(p + 3) + 5 != len)
		return none;
	return (struct span){ (const char *)p + 5, len - 5 };
}

enum { HASH_SHA1 = 2, GROUP_P256 = 23, GROUP_P384, GROUP_P521 };

/* RFC 8446 4.2.3, the schemes that may sign a handshake of TLS 1.3: one for each curve, RSA by PSS
 * alone. RFC 8734 3 for the curves of Brainpool. */
static unsigned scheme_bit(unsigned scheme)
{
	switch (scheme) {
	case 0x0403:
		return TLS_CAN_P256;
	case 0x0503:
		return TLS_CAN_P384;
	case 0x0603:
		return TLS_CAN_P521;
	case 0x0804 ... 0x0806:
		return TLS_CAN_RSA;
	case 0x0807:
		return TLS_CAN_ED25519;
	case 0x0808:
		return TLS_CAN_ED448;
	case 0x0809 ... 0x080b:
		return TLS_CAN_RSA_PSS;
	case 0x081a ... 0x081c:
		return TLS_CAN_OTHER_CURVE;
	default:
		return 0;
	}
}

/* RFC 5246 7.4.1.4.1: hash and signature, for any curve; the schemes above that have no such pair
 * are for TLS 1.2, too. */
static unsigned pair_bit(unsigned pair, unsigned least_hash)
{
	if (pair >> 8 == 8)
		return scheme_bit(pair);
	if (pair >> 8 < least_hash)
		return 0;
	switch (pair & 0xff) {
	case 1:
		return TLS_CAN_RSA;
	case 2:
		return TLS_CAN_DSA;
	case 3:
		return TLS_CAN_ECDSA;
	default:
		return 0;
	}
}

/* Before TLS 1.2 clients did not say: their ciphers tell. */
static unsigned hello_signatures(SSL *ssl, bool is_13)
{
	unsigned least_hash = SSL_get_security_level(ssl) > 0 ? HASH_SHA1 + 1 : 0, can = 0;
	const unsigned char *p;
	size_t len, i;

	if (!SSL_client_hello_get0_ext(ssl, TLSEXT_TYPE_signature_algorithms, &p, &len))
		return TLS_CAN_RSA | TLS_CAN_ECDSA | TLS_CAN_DSA;
	for (i = 2; i + 1 < len; i += 2)
		can |= is_13 ? scheme_bit(get16(p + i)) : pair_bit(get16(p + i), least_hash);
	return can;
}

/* Up to TLS 1.2 the groups that a client knows are those that keys of certificates may be of, too
 * (RFC 8422 5.1); in TLS 1.3 its signature schemes say that. */
static unsigned hello_curves(SSL *ssl)
{
	unsigned can = ~(unsigned)TLS_CAN_ECDSA;
	const unsigned char *p;
	size_t len, i;

	if (!SSL_client_hello_get0_ext(ssl, TLSEXT_TYPE_supported_groups, &p, &len))
		return ~0U;
	for (i = 2; i + 1 < len; i += 2)
		switch (get16(p + i)) {
		case GROUP_P256:
			can |= TLS_CAN_P256;
			break;
		case GROUP_P384:
			can |= TLS_CAN_P384;
			break;
		case GROUP_P521:
			can |= TLS_CAN_P521;
			break;
		default:
			can |= TLS_CAN_OTHER_CURVE;
		}
	return can;
}

/* Will it be TLS 1.3 (RFC 8446 4.2.1)? Its suites are among the ciphers of those who cannot have it
 * here, too. */
static bool hello_is_13(SSL *ssl)
{
	const unsigned char *p;
	size_t len, i;
	long max = SSL_get_max_proto_version(ssl);

	if ((max && max < TLS1_3_VERSION) || SSL_get_options(ssl) & SSL_OP_NO_TLSv1_3 ||
	    !SSL_client_hello_get0_ext(ssl, TLSEXT_TYPE_supported_versions, &p, &len))
		return false;
	for (i = 1; i + 1 < len; i += 2)
		if (get16(p + i) == TLS1_3_VERSION)
			return true;
	return false;
}

static unsigned cipher_bits(const SSL_CIPHER *cipher)
{
	switch (SSL_CIPHER_get_auth_nid(cipher)) {
	case NID_auth_rsa:
		return TLS_CAN_RSA | TLS_CAN_RSA_PSS;
	case NID_auth_ecdsa:
		return TLS_CAN_ECDSA | TLS_CAN_ED25519 | TLS_CAN_ED448;
	case NID_auth_dss:
		return TLS_CAN_DSA;
	default:
		return 0;
	}
}

/* What the ciphers up to TLS 1.2, those of the bind line among them, can authenticate. */
static unsigned hello_ciphers(SSL *ssl)
{
	STACK_OF(SSL_CIPHER) *ours = SSL_get_ciphers(ssl);
	const unsigned char *p;
	const SSL_CIPHER *cipher;
	unsigned can = 0, bits;
	size_t len = SSL_client_hello_get0_ciphers(ssl, &p), i;

	for (i = 0; i + 1 < len; i += 2) {
		cipher = SSL_CIPHER_find(ssl, p + i);
		bits = cipher ? cipher_bits(cipher) : 0;
		if (bits & ~can && sk_SSL_CIPHER_find(ours, (SSL_CIPHER *)cipher) >= 0)
			can |= bits;
	}
	return can;
}

static unsigned hello_can(SSL *ssl)
{
	if (hello_is_13(ssl))
		return hello_signatures(ssl, true);
	return hello_signatures(ssl, false) & hello_curves(ssl) & hello_ciphers(ssl);
}

static int take_line(SSL *ssl, struct tls_line *line)
{
	struct tls_bind *bind = line->bind;

	if (line->context && line->context != bind->own)
		tls_settings_switch(ssl, line->context->ctx);
	tls_chosen_set(ssl, tls_cert_take(line->entry->cert));
	return SSL_CLIENT_HELLO_SUCCESS;
}

/* No line is for the name: one is made, if the bind line does so. */
static bool take_forged(SSL *ssl, struct tls_bind *bind, struct span name, unsigned can)
{
	struct tls_line *like = tls_choose_default(bind, can);
	struct tls_cert *cert;

	if (!bind->forge || !name.len)
		return false;
	cert = tls_forge_cert(bind->forge, name, like ? like->entry->cert : NULL);
	if (cert)
		tls_chosen_set(ssl, cert);
	return cert != NULL;
}

/* An authority that asks whether the name is ours has no certificate of its own. */
static bool take_challenge(SSL *ssl, struct span name)
{
	struct tls_cert *cert = tls_challenge_for(ssl, name);

	if (!cert)
		return false;
	SSL_set_verify(ssl, SSL_VERIFY_NONE, NULL);
	tls_chosen_set(ssl, tls_cert_take(cert));
	return true;
}

/* OpenSSL takes names behind this callback: the log of a refused client shall have it, too. */
static void keep_name(SSL *ssl, struct span name)
{
	char text[TLSEXT_MAXLEN_host_name + 1];

	if (!name.len || name.len > TLSEXT_MAXLEN_host_name || memchr(name.ptr, 0, name.len))
		return;
	memcpy(text, name.ptr, name.len);
	text[name.len] = 0;
	SSL_set_tlsext_host_name(ssl, text);
}

static int on_hello(SSL *ssl, int *alert, void *arg)
{
	struct tls_bind *bind = arg;
	struct span name = hello_name(ssl);
	unsigned can = hello_can(ssl);
	struct tls_line *line;

	if (take_challenge(ssl, name))
		return SSL_CLIENT_HELLO_SUCCESS;
	line = tls_choose_line(bind, name, can);
	if (!line && take_forged(ssl, bind, name, can))
		return SSL_CLIENT_HELLO_SUCCESS;
	if (!line && !(bind->set.options.on & TLS_STRICT_SNI))
		line = tls_choose_default(bind, can);
	if (line)
		return take_line(ssl, line);
	keep_name(ssl, name);
	tls_conn_blame(ssl, TLS_FAULT_NAME);
	*alert = SSL_AD_UNRECOGNIZED_NAME;
	return SSL_CLIENT_HELLO_ERROR;
}

/* The certificate is needed: no session was resumed. */
static int on_certificate(SSL *ssl, void *arg)
{
	struct tls_cert *cert = tls_chosen(ssl);

	(void)arg;
	if (!cert || tls_cert_use(cert, ssl))
		return 0;
	tls_dh_suit(ssl, cert);
	return 1;
}

void tls_choose_install(SSL_CTX *ctx, struct tls_bind *bind)
{
	SSL_CTX_set_client_hello_cb(ctx, on_hello, bind);
	SSL_CTX_set_cert_cb(ctx, on_certificate, bind);
}
