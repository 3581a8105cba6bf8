/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The callbacks by which OpenSSL keeps sessions and finds them again, on top of session_store.c,
 * and the words of the global section about it. What is kept is the session as DER. OpenSSL's own
 * cache, a table of one process, is not used.
 *
 * With TLS 1.3 OpenSSL offers every session; those whose ticket holds the state are not kept.
 */
#include "tls/sessions.h"

#include "base/clock.h"
#include "base/err.h"
#include "config/config.h"
#include "config/module.h"
#include "share/segment.h"
#include "tls/conn.h"
#include "tls/context.h"
#include "tls/early.h"
#include "tls/random.h"
#include "tls/session_store.h"
#include "tls/tickets.h"

#include <openssl/evp.h>
#include <string.h>

enum { CACHESIZE = 20000, LIFETIME_MS = 300000 };

struct tls_cache_stats tls_cache_stats;
static struct session_store *store; /* NULL: no cache */
static const struct tls_sessions_conf *conf;
static unsigned char scratch[SESSION_MOST];

/* ---- OpenSSL's callbacks ----------------------------------------------------------------- */

/* Also asked for ids that are never looked up, of sessions in tickets. */
static int make_id(SSL *ssl, unsigned char *id, unsigned *len)
{
	(void)ssl;
	if (!tls_random(id, *len))
		return 0;
	if (*len == SESSION_ID)
		session_store_mark(segment_own_row, id);
	return 1;
}

static bool is_in_ticket(SSL *ssl, const SSL_SESSION *session)
{
	return SSL_SESSION_get_protocol_version(session) >= TLS1_3_VERSION &&
	       !(SSL_get_options(ssl) & SSL_OP_NO_TICKET);
}

/* Ours to keep a reference of? Never: it is copied. */
static int made(SSL *ssl, SSL_SESSION *session)
{
	const unsigned char *id;
	unsigned char *at = scratch;
	unsigned len;
	int size;

	id = SSL_SESSION_get_id(session, &len);
	if (!store || len != SESSION_ID || is_in_ticket(ssl, session))
		return 0;
	size = i2d_SSL_SESSION(session, NULL);
	if (size <= 0 || size > SESSION_MOST)
		return 0;
	i2d_SSL_SESSION(session, &at);
	if (session_store_put(store, segment_own_row, id, scratch, (size_t)size,
			      clock_wall().tv_sec + SSL_SESSION_get_timeout(session)))
		tls_cache_stats.stored++;
	OPENSSL_cleanse(scratch, (size_t)size);
	return 0;
}

static SSL_SESSION *wanted(SSL *ssl, const unsigned char *id, int len, int *copy)
{
	const unsigned char *at = scratch;
	SSL_SESSION *session = NULL;
	size_t size = 0;

	(void)ssl;
	*copy = 0;
	if (!store || len != SESSION_ID)
		return NULL;
	tls_cache_stats.lookups++;
	size = session_store_get(store, conf->private_cache ? (int)segment_own_row : -1, id,
				 clock_wall().tv_sec, scratch);
	if (size)
		session = d2i_SSL_SESSION(NULL, &at, (long)size);
	OPENSSL_cleanse(scratch, size);
	if (!session)
		tls_cache_stats.misses++;
	return session;
}

/* A connection of this session ended with an error. */
static void unwanted(SSL_CTX *ctx, SSL_SESSION *session)
{
	const unsigned char *id;
	unsigned len;

	(void)ctx;
	id = SSL_SESSION_get_id(session, &len);
	if (store && len == SESSION_ID)
		session_store_remove(store, segment_own_row, id);
}

/* ---- what a session is bound to ---------------------------------------------------------- */

/* The order of certificates in a store is not always that of the file. */
static void add_object(unsigned char sum[EVP_MAX_MD_SIZE], const X509_OBJECT *object)
{
	unsigned char digest[EVP_MAX_MD_SIZE];
	unsigned len = 0, i;

	if (X509_OBJECT_get_type(object) == X509_LU_X509)
		X509_digest(X509_OBJECT_get0_X509(object), EVP_sha256(), digest, &len);
	else if (X509_OBJECT_get_type(object) == X509_LU_CRL)
		X509_CRL_digest(X509_OBJECT_get0_X509_CRL((X509_OBJECT *)(uintptr_t)object),
				EVP_sha256(), digest, &len);
	for (i = 0; i < len; i++)
		sum[i] ^= digest[i];
}

static void sum_authorities(SSL_CTX *ctx, unsigned char sum[EVP_MAX_MD_SIZE])
{
	X509_STORE *authorities = NULL;
	STACK_OF(X509_OBJECT) *objects;
	int i;

	SSL_CTX_get0_verify_cert_store(ctx, &authorities);
	if (!authorities)
		authorities = SSL_CTX_get_cert_store(ctx);
	objects = authorities ? X509_STORE_get0_objects(authorities) : NULL;

	for (i = 0; i < sk_X509_OBJECT_num(objects); i++)
		add_object(sum, sk_X509_OBJECT_value(objects, i));
}

/* Errors that are passed over are part of what is asked. */
static int sum_ignored(EVP_MD_CTX *md, const struct tls_ignore *ignored)
{
	static const struct tls_ignore none;

	return EVP_DigestUpdate(md, ignored ? ignored : &none, sizeof(none));
}

static int bind_to(SSL_CTX *ctx, const char *scope)
{
	static const struct tls_settings nothing;
	const struct tls_context_basis *basis = tls_context_basis(ctx);
	const struct tls_settings *set = basis ? &basis->set : &nothing;
	unsigned char sum[EVP_MAX_MD_SIZE] = { 0 }, context[EVP_MAX_MD_SIZE];
	int mode = SSL_CTX_get_verify_mode(ctx), rc = -1;
	EVP_MD_CTX *md = EVP_MD_CTX_new();
	unsigned len = 0;

	if (mode != SSL_VERIFY_NONE)
		sum_authorities(ctx, sum);
	if (md && EVP_DigestInit_ex(md, EVP_sha256(), NULL) &&
	    EVP_DigestUpdate(md, scope, strlen(scope) + 1) &&
	    EVP_DigestUpdate(md, &mode, sizeof(mode)) &&
	    EVP_DigestUpdate(md, sum, sizeof(sum)) && sum_ignored(md, set->ca_ignore) &&
	    sum_ignored(md, set->crt_ignore) && EVP_DigestFinal_ex(md, context, &len) &&
	    SSL_CTX_set_session_id_context(ctx, context, SSL_MAX_SID_CTX_LENGTH) == 1)
		rc = 0;
	EVP_MD_CTX_free(md);
	return rc;
}

static int scope_place = -1; /* of the scope in an SSL_CTX */

void tls_sessions_rebind(SSL_CTX *ctx)
{
	const char *scope = scope_place < 0 ? NULL : SSL_CTX_get_ex_data(ctx, scope_place);

	if (!scope || !bind_to(ctx, scope))
		return;
	/* No memory: what it was bound to may be other authorities, so nobody resumes here. */
	SSL_CTX_set_session_cache_mode(ctx, SSL_SESS_CACHE_OFF);
	SSL_CTX_set_options(ctx, SSL_OP_NO_TICKET);
}

int tls_sessions_attach(SSL_CTX *ctx, const char *scope)
{
	const long mode = SSL_SESS_CACHE_SERVER | SSL_SESS_CACHE_NO_INTERNAL |
			  SSL_SESS_CACHE_NO_AUTO_CLEAR;
	unsigned ms = conf ? conf->lifetime_ms : LIFETIME_MS;

	SSL_CTX_set_session_cache_mode(ctx, mode);
	SSL_CTX_set_timeout(ctx, ms < 1000 ? 1 : (long)(ms / 1000));
	SSL_CTX_set_generate_session_id(ctx, make_id);
	SSL_CTX_sess_set_new_cb(ctx, made);
	SSL_CTX_sess_set_get_cb(ctx, wanted);
	SSL_CTX_sess_set_remove_cb(ctx, unwanted);
	if (scope_place < 0)
		scope_place = SSL_CTX_get_ex_new_index(0, NULL, NULL, NULL, NULL);
	if (scope_place < 0 || !SSL_CTX_set_ex_data(ctx, scope_place, (char *)(uintptr_t)scope))
		return -1;
	return bind_to(ctx, scope);
}

/* ---- the module -------------------------------------------------------------------------- */

static void sessions_init(struct config *cfg, void *data)
{
	struct tls_sessions_conf *c = data;

	(void)cfg;
	c->cachesize = CACHESIZE;
	c->lifetime_ms = LIFETIME_MS;
	conf = c;
}

static int sessions_finish(struct config *cfg, void *data)
{
	(void)cfg;
	conf = data;
	return 0;
}

/* What an earlier image has left is gone on with, unless it was made for another size. */
static int sessions_open(struct err *err)
{
	bool shared = segment && segment_fd(segment) >= 0;
	unsigned rows = shared ? segment_capacity(segment) : 1;
	uint64_t of = shared ? segment_identity(segment) : 0;

	if (shared)
		store = session_store_attach(rows, conf->cachesize, of);
	if (!store)
		store = session_store_new(rows, segment_workers, conf->cachesize,
					  shared ? &of : NULL, err);
	return store ? 0 : -1;
}

static int sessions_prepare(struct config *cfg, void *data, struct err *err)
{
	(void)cfg;
	(void)data;
	if (tls_early_prepare(err) < 0 || (conf->cachesize && sessions_open(err) < 0))
		return -1;
	return tls_tickets_prepare(conf->lifetime_ms, err);
}

static int sessions_start(struct config *cfg, void *data, struct err *err)
{
	(void)cfg;
	(void)data;
	tls_tickets_follow();
	return store ? session_store_confine(store, segment_own_row, err) : 0;
}

static void sessions_stop(void)
{
	session_store_free(&store);
	tls_early_release();
}

static void sessions_lead(struct config *cfg, void *data)
{
	(void)cfg;
	(void)data;
	tls_tickets_lead();
}

static const struct keyword keywords[] = {
	{ "tune.ssl.cachesize", SCOPE_GLOBAL, 0, "<number>", set_unsigned,
	  offsetof(struct tls_sessions_conf, cachesize), .max = 1 << 28, .dflt = "20000",
	  .help = "size of the cache of TLS sessions, all workers together, in blocks" },
	{ "tune.ssl.lifetime", SCOPE_GLOBAL, 0, "<timeout>", set_seconds,
	  offsetof(struct tls_sessions_conf, lifetime_ms), .dflt = "300",
	  .help = "how long a TLS session may be resumed" },
	{ "tune.ssl.force-private-cache", SCOPE_GLOBAL, 0, "", set_flag,
	  offsetof(struct tls_sessions_conf, private_cache),
	  .help = "workers do not resume the TLS sessions of others" },
	{ 0 }
};

const struct module tls_sessions_module = {
	.name = "tls-sessions",
	.keywords = keywords,
	.data_size = sizeof(struct tls_sessions_conf),
	.init = sessions_init,
	.finish = sessions_finish,
	.prepare = sessions_prepare,
	.start = sessions_start,
	.lead = sessions_lead,
	.wait = tls_tickets_wait,
	.stop = sessions_stop,
};
