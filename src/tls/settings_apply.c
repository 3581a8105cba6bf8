/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * An SSL_CTX that obeys settings. Made when the configuration is complete, and at run time for
 * lines that are added to a crt-list; none of it holds a certificate: those are put on each SSL
 * (tls/choose.c, tls/client.c). What a context needs beside OpenSSL's object hangs at it
 * (tls/context.h) and goes with it.
 */
#include "net/proto.h"
#include "tls/settings.h"

#include "base/arena.h"
#include "base/bug.h"
#include "base/err.h"
#include "base/result.h"
#include "tls/cert.h"
#include "tls/challenge.h"
#include "tls/chosen.h"
#include "tls/context.h"
#include "tls/dh.h"
#include "tls/early.h"
#include "tls/lib.h"
#include "tls/notes.h"
#include "tls/sessions.h"
#include "tls/store.h"
#include "tls/trust.h"
#include "tls/verify.h"

#include <openssl/err.h>
#include <openssl/x509.h>
#include <stdlib.h>
#include <string.h>

/* What every context has: no compression (RFC 7525 3.3), no renegotiation (it costs the server more
 * than the client), keys of Diffie-Hellman for one handshake each. */
#define ALWAYS (SSL_OP_ALL | SSL_OP_NO_COMPRESSION | SSL_OP_NO_RENEGOTIATION)
#define VERSIONS (SSL_OP_NO_SSLv3 | SSL_OP_NO_TLSv1 | SSL_OP_NO_TLSv1_1 | SSL_OP_NO_TLSv1_2 | \
		  SSL_OP_NO_TLSv1_3)

/* -- parts --------------------------------------------------------------------------------- */

/* The library sets the error codes; its queue is read by the caller of all parts. */
static int set_versions(SSL_CTX *ctx, const struct tls_settings *set, struct err *err)
{
	int min, max;
	uint64_t without;

	if (tls_settings_versions(set, &min, &max, &without, NULL, err))
		return -1;
	SSL_CTX_set_min_proto_version(ctx, min);
	SSL_CTX_set_max_proto_version(ctx, max);
	SSL_CTX_set_options(ctx, without);
	return 0;
}

static int set_lists(SSL_CTX *ctx, const struct tls_settings *set, struct err *err)
{
	const char *groups = set->curves ? set->curves : set->ecdhe;

	ERR_clear_error();
	if (set->ciphers && !SSL_CTX_set_cipher_list(ctx, set->ciphers))
		return tls_lib_error(err, "'ciphers': OpenSSL does not take '%.*s'",
				     STR_CUT(set->ciphers, 200));
	if (set->ciphersuites && !SSL_CTX_set_ciphersuites(ctx, set->ciphersuites))
		return tls_lib_error(err, "'ciphersuites': OpenSSL does not take '%.*s'",
				     STR_CUT(set->ciphersuites, 200));
	if (groups && !SSL_CTX_set1_groups_list(ctx, groups))
		return err_set(err, "'%s': '%.*s' has a curve that OpenSSL does not know",
			       set->curves ? "curves" : "ecdhe", STR_CUT(groups, 200));
	if (set->sigalgs && !SSL_CTX_set1_sigalgs_list(ctx, set->sigalgs))
		return tls_lib_error(err, "'sigalgs': OpenSSL does not take '%.*s'",
				     STR_CUT(set->sigalgs, 200));
	if (set->client_sigalgs && !SSL_CTX_set1_client_sigalgs_list(ctx, set->client_sigalgs))
		return tls_lib_error(err, "'client-sigalgs': OpenSSL does not take '%.*s'",
				     STR_CUT(set->client_sigalgs, 200));
	return 0;
}

static void set_options(SSL_CTX *ctx, const struct tls_settings *set, bool server)
{
	SSL_CTX_set_options(ctx, ALWAYS);
#ifndef OPENSSL_NO_KTLS
	if (set->options.on & TLS_KERNEL)
		SSL_CTX_set_options(ctx, SSL_OP_ENABLE_KTLS);
#endif
	if (set->options.on & TLS_NO_TICKETS)
		SSL_CTX_set_options(ctx, SSL_OP_NO_TICKET);
	/* Clients without AES in hardware say so by having ChaCha20 in front. */
	if (server && !(set->options.on & TLS_PREFER_CLIENT_CIPHERS))
		SSL_CTX_set_options(ctx, SSL_OP_CIPHER_SERVER_PREFERENCE |
				    SSL_OP_PRIORITIZE_CHACHA);
	SSL_CTX_set_mode(ctx, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER |
			 SSL_MODE_RELEASE_BUFFERS);
}

/* RFC 7301 3.2: the server's order counts. A client with whom nothing is common goes on without. */
static int choose_alpn(SSL *ssl, const unsigned char **out, unsigned char *outlen,
		       const unsigned char *in, unsigned inlen, void *arg)
{
	const struct tls_context_extra *extra = arg;
	const struct tls_offer *offer = extra->basis.offer;
	struct span offered = extra->basis.set.has_alpn || !offer ? extra->basis.set.alpn : offer->usual;
	const unsigned char *ours = (const unsigned char *)offered.ptr, *theirs;
	const unsigned char *end = ours + offered.len;

	if (tls_challenge_agrees(tls_chosen(ssl), in, inlen)) {
		*out = in + 1;
		*outlen = *in;
		return SSL_TLSEXT_ERR_OK;
	}
	for (; ours < end; ours += 1 + *ours) {
		if (offer && offer->usual_alone &&
		    proto_agreed((struct span){ (const char *)ours + 1, *ours }) > PROTO_USUAL)
			continue;
		for (theirs = in; theirs < in + inlen; theirs += 1 + *theirs)
			if (*theirs == *ours && !memcmp(ours + 1, theirs + 1, *ours)) {
				*out = theirs + 1;
				*outlen = *theirs;
				return SSL_TLSEXT_ERR_OK;
			}
	}
	return SSL_TLSEXT_ERR_NOACK;
}

static int set_alpn(SSL_CTX *ctx, struct tls_context_extra *extra, bool server)
{
	const struct span *alpn = &extra->basis.set.alpn;

	if (server) {
		SSL_CTX_set_alpn_select_cb(ctx, choose_alpn, extra);
		return 0;
	}
	return !alpn->len ? 0 : SSL_CTX_set_alpn_protos(ctx, (const unsigned char *)alpn->ptr,
				       (unsigned)alpn->len) ? -1 : 0; /* 0 is success, here */
}

static void put_trust(struct tls_context_extra *extra)
{
	SSL_CTX *ctx = extra->ctx;
	const struct tls_settings *set = &extra->basis.set;

	SSL_CTX_set1_verify_cert_store(ctx, tls_trust_store(extra->basis.trust));
	if (extra->basis.server && set->ca_file && !(set->options.on & TLS_NO_CA_NAMES))
		SSL_CTX_set_client_CA_list(ctx, tls_trust_names(extra->basis.trust));
}

static void trust_changed(struct tls_user *user, struct tls_cert *old)
{
	struct tls_context_extra *extra = container_of(user, struct tls_context_extra, user);

	(void)old;
	put_trust(extra);
	if (extra->basis.server)
		tls_sessions_rebind(extra->ctx);
}

static int set_verify(SSL_CTX *ctx, struct tls_context_extra *extra, struct err *err)
{
	struct tls_settings *set = &extra->basis.set;

	if (set->verify == TLS_VERIFY_UNSET)
		set->verify = extra->basis.server ? TLS_VERIFY_NONE : TLS_VERIFY_REQUIRED;
	if (set->verify == TLS_VERIFY_NONE)
		return 0;
	if (!set->ca_file && !set->ca_verify_file)
		return err_set(err, "'verify' needs a file of authorities: 'ca-file' is not given");
	extra->basis.trust = tls_trust_load(set->ca_file, set->ca_verify_file, set->crl_file, err);
	if (!extra->basis.trust)
		return -1;
	tls_trust_use(extra->basis.trust, &extra->user);
	extra->user.changed = trust_changed;
	put_trust(extra);
	SSL_CTX_set_verify(ctx, tls_verify_mode(set, extra->basis.server), tls_verify_callback);
	return 0;
}

/* -- whole --------------------------------------------------------------------------------- */

static int set_all(SSL_CTX *ctx, const struct tls_settings *set, bool server, struct err *err)
{
	struct tls_context_extra *extra = tls_context_extra_new(ctx);

	if (!extra)
		return err_set(err, "out of memory");
	tls_settings_copy(&extra->basis.set, set, extra->arena);
	extra->basis.server = server;
	set_options(ctx, set, server);
	if (set_versions(ctx, set, err) || set_lists(ctx, set, err) || set_verify(ctx, extra, err))
		return -1;
	if (server)
		tls_dh_use(ctx);
	tls_note_secrets(ctx);
	if (set_alpn(ctx, extra, server))
		return err_set(err, "out of memory");
	return 0;
}

static int announce(SSL_CTX *ctx, struct err *err)
{
	ERR_clear_error();
	return tls_cert_announce(ctx) ? tls_lib_error(err, "OpenSSL takes no SCT lists") : 0;
}

SSL_CTX *tls_settings_context(const struct tls_settings *set, bool server, struct err *err)
{
	SSL_CTX *ctx;

	if (tls_lib_start(err))
		return NULL;
	ERR_clear_error();
	ctx = SSL_CTX_new(server ? TLS_server_method() : TLS_client_method());
	if (!ctx) {
		DROPPED(tls_lib_error(err, "OpenSSL gives no context"), "NULL says so, too");
		return NULL;
	}
	if (set_all(ctx, set, server, err) || (server && announce(ctx, err))) {
		SSL_CTX_free(ctx);
		return NULL;
	}
	ERR_clear_error(); /* of values that were tried before they were taken */
	return ctx;
}

/* SSL_set_SSL_CTX takes the certificates, signature algorithms and callbacks of the other context
 * along; ciphers up to TLS 1.2, ALPN, authorities and their names are asked of it. The rest was
 * copied when the SSL was made. */
void tls_settings_switch(SSL *ssl, SSL_CTX *ctx)
{
	const struct tls_context_basis *basis = tls_context_basis(ctx);

	SSL_set_SSL_CTX(ssl, ctx);
	SSL_clear_options(ssl, SSL_get_options(ssl) & (VERSIONS | SSL_OP_NO_TICKET |
						       SSL_OP_CIPHER_SERVER_PREFERENCE |
						       SSL_OP_PRIORITIZE_CHACHA));
	SSL_set_options(ssl, SSL_CTX_get_options(ctx));
	SSL_set_min_proto_version(ssl, (int)SSL_CTX_get_min_proto_version(ctx));
	SSL_set_max_proto_version(ssl, (int)SSL_CTX_get_max_proto_version(ctx));
	SSL_set_verify(ssl, SSL_CTX_get_verify_mode(ctx), SSL_CTX_get_verify_callback(ctx));
	tls_early_limit(ssl, ctx);
	if (basis->set.ciphersuites)
		SSL_set_ciphersuites(ssl, basis->set.ciphersuites);
	if (basis->set.curves || basis->set.ecdhe)
		SSL_set1_groups_list(ssl, basis->set.curves ? basis->set.curves : basis->set.ecdhe);
}
