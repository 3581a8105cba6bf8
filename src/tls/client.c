/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * TLS towards servers: contexts, sessions to be resumed, verification of names. Made when the
 * configuration is complete (proxy/server_tls.c); stream/ and check/ connect with it. It never
 * decides whether a connection is made, and knows neither servers nor streams.
 *
 * Servers whose lines say the same share an SSL_CTX. What belongs to one connection (whose it is,
 * the name that it asks for) hangs at its SSL. A session is kept by the name it was made with, and
 * only while the context verifies by the same files as it did then: resuming skips verification.
 */
#include "tls/client.h"

#include "base/bug.h"
#include "base/err.h"
#include "base/kind.h"
#include "base/list.h"
#include "tls/client_own.h"
#include "tls/context.h"
#include "tls/layer.h"
#include "tls/lib.h"
#include "tls/settings.h"
#include "tls/store.h"
#include "tls/trust.h"

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SESSIONS_MOST = 64 }; /* of one server: names */

/* Of all servers whose lines say the same. */
struct client_context {
	struct client_context *next;
	unsigned refs;
	unsigned there;         /* of refs: those that have not left */
	struct tls_settings set;
	const char *crt;
	struct tls_entry *entry; /* of crt; NULL: none */
	const void *origin;     /* tls_client_conf.generation */
	SSL_CTX *ctx;
	int algorithm;          /* of the certificate that is on ctx */
	bool mixed;             /* there is one of another algorithm on it, too: a former one */
	unsigned generation;    /* how often files behind it were changed */
	struct tls_user cert, trust;
	struct tls_trust *trusted; /* NULL: nothing is verified, or not by files */
};

struct client_session {
	struct list node;       /* used last in front */
	SSL_SESSION *session;
	unsigned generation;
	size_t len;
	char name[];
};

struct tls_client {
	struct client_context *context;
	const char *verifyhost;
	bool reuse;
	bool left;
	struct list sessions;
	unsigned count;
};

/* Hangs at an SSL. */
struct client_use {
	struct tls_client *client;
	unsigned generation;    /* of the context, when the SSL was made */
	char *why;              /* what is wrong with the certificate; NULL: nothing was found */
	bool wrong_name;
	KIND_MEMBER
	size_t len;
	char name[];            /* with NUL */
};

void (*tls_client_changed)(void);

static struct client_context *contexts;
static int use_index = -1;

/* ---- beside an SSL ----------------------------------------------------------------------- */

static void use_release(void *parent, void *ptr, CRYPTO_EX_DATA *data, int index, long argl,
			void *argp)
{
	struct client_use *use = ptr;

	(void)parent;
	(void)data;
	(void)index;
	(void)argl;
	(void)argp;
	if (use)
		free(use->why);
	free(use);
}

static struct client_use *use_of(const SSL *ssl)
{
	return ssl && use_index >= 0 ?
		       KIND_OR_NULL(struct client_use, SSL_get_ex_data(ssl, use_index)) :
		       NULL;
}

static struct client_use *use_new(SSL *ssl, struct tls_client *client, struct span name)
{
	struct client_use *use = calloc(1, sizeof(*use) + name.len + 1);

	if (!use || !SSL_set_ex_data(ssl, use_index, use)) {
		free(use);
		return NULL;
	}
	KIND_IS(struct client_use, use);
	use->client = client;
	use->generation = client->context->generation;
	use->len = name.len;
	if (name.len)
		memcpy(use->name, name.ptr, name.len);
	return use;
}

/* ---- verification ------------------------------------------------------------------------ */

static void use_blame(struct client_use *use, X509 *x, int depth, const char *what,
		      const char *name)
{
	char subject[128] = "?", *why;

	if (x)
		X509_NAME_oneline(X509_get_subject_name(x), subject, sizeof(subject));
	if (asprintf(&why, "the server's certificate%s%s (%s%s)", what, name,
		     depth > 0 ? "authority " : "", subject) < 0)
		return;
	free(use->why);
	use->why = why;
}

/* RFC 6125 6.4, RFC 9110 4.3.5: an address is a name of its own kind; those who wrote it as a
 * host's name are understood as well. */
static bool has_name(X509 *x, const char *name, size_t len)
{
	if (X509_check_ip_asc(x, name, 0) == 1)
		return true;
	return X509_check_host(x, name, len, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS, NULL) == 1;
}

static bool verify_name(struct client_use *use, X509 *x)
{
	const char *name = use->len ? use->name : use->client->verifyhost;

	if (!name || (x && has_name(x, name, strlen(name))))
		return true;
	use->wrong_name = true;
	use_blame(use, x, 0, " is not for ", name);
	return false;
}

/* In the place of X509_verify_cert: the same, then the name. */
static int client_verify(X509_STORE_CTX *store, void *arg)
{
	SSL *ssl = X509_STORE_CTX_get_ex_data(store, SSL_get_ex_data_X509_STORE_CTX_idx());
	struct client_use *use = use_of(ssl);

	(void)arg;
	if (!use)
		return 0;
	if (SSL_get_verify_mode(ssl) == SSL_VERIFY_NONE)
		return 1;
	if (X509_verify_cert(store) != 1) {
		use_blame(use, X509_STORE_CTX_get_current_cert(store),
			  X509_STORE_CTX_get_error_depth(store), ": ",
			  X509_verify_cert_error_string(X509_STORE_CTX_get_error(store)));
		return 0;
	}
	if (verify_name(use, X509_STORE_CTX_get0_cert(store)))
		return 1;
	X509_STORE_CTX_set_error(store, X509_V_ERR_HOSTNAME_MISMATCH);
	return 0;
}

/* ---- sessions ---------------------------------------------------------------------------- */

static void session_drop(struct tls_client *client, struct client_session *entry)
{
	list_remove(&entry->node);
	client->count--;
	SSL_SESSION_free(entry->session);
	free(entry);
}

static struct client_session *session_find(struct tls_client *client, const char *name, size_t len)
{
	struct client_session *entry;

	list_for_each(entry, &client->sessions, node)
		if (entry->len == len && !memcmp(entry->name, name, len))
			return entry;
	return NULL;
}

/* Takes over the session. */
static bool session_keep(struct tls_client *client, const struct client_use *use,
			 SSL_SESSION *session)
{
	struct client_session *entry = session_find(client, use->name, use->len);

	if (entry) {
		list_remove(&entry->node);
		SSL_SESSION_free(entry->session);
	} else {
		if (client->count == SESSIONS_MOST)
			session_drop(client, list_entry(client->sessions.prev,
							struct client_session, node));
		entry = malloc(sizeof(*entry) + use->len);
		if (!entry)
			return false;
		entry->len = use->len;
		memcpy(entry->name, use->name, use->len);
		client->count++;
	}
	entry->session = session;
	entry->generation = use->generation;
	list_prepend(&client->sessions, &entry->node);
	return true;
}

/* A session was agreed upon: with TLS 1.3 that comes after the handshake, and more than once. */
static int client_new_session(SSL *ssl, SSL_SESSION *session)
{
	struct client_use *use = use_of(ssl);

	if (!use || !use->client->reuse || use->generation != use->client->context->generation)
		return 0;
	return session_keep(use->client, use, session);
}

static bool session_is_good(const struct client_session *entry, const struct tls_client *client)
{
	time_t age = time(NULL) - (time_t)SSL_SESSION_get_time(entry->session);

	/* A ticket that is too old the library leaves out by itself, but not the early data with
	 * it. */
	return entry->generation == client->context->generation &&
	       SSL_SESSION_is_resumable(entry->session) &&
	       age < SSL_SESSION_get_timeout(entry->session) &&
	       (SSL_SESSION_get_protocol_version(entry->session) != TLS1_3_VERSION ||
		age < (time_t)SSL_SESSION_get_ticket_lifetime_hint(entry->session));
}

static void session_offer(SSL *ssl, struct tls_client *client, const struct client_use *use)
{
	struct client_session *entry = session_find(client, use->name, use->len);
	SSL_SESSION *session;

	if (!entry)
		return;
	if (!session_is_good(entry, client)) {
		session_drop(client, entry);
		return;
	}
	list_remove(&entry->node);
	list_prepend(&client->sessions, &entry->node);
	/* A copy: the library forbids to use one of TLS 1.3 twice, for clients that do not want to
	 * be recognised, and not every server sends another. */
	session = SSL_SESSION_dup(entry->session);
	if (session)
		SSL_set_session(ssl, session);
	SSL_SESSION_free(session);
}

void tls_client_forget(const struct conn *conn)
{
	struct client_use *use = use_of(tls_conn_ssl(conn));
	struct client_session *entry;

	if (!use)
		return;
	entry = session_find(use->client, use->name, use->len);
	if (entry)
		session_drop(use->client, entry);
}

/* ---- contexts ---------------------------------------------------------------------------- */

static bool same_text(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

static struct client_context *context_find(const struct tls_client_conf *conf)
{
	struct client_context *c;

	for (c = contexts; c; c = c->next)
		if (c->origin == conf->generation && same_text(c->crt, conf->crt) &&
		    tls_settings_equal(&c->set, conf->set))
			return c;
	return NULL;
}

/* Sessions go with the clients' next look at them (session_is_good), connections now. */
static void context_changed(struct client_context *c)
{
	c->generation++;
	if (tls_client_changed)
		tls_client_changed();
}

static void context_cert_changed(struct tls_user *user, struct tls_cert *old)
{
	struct client_context *c = container_of(user, struct client_context, cert);

	(void)old;
	/* One of the same algorithm is replaced; another cannot be taken from a context. Where there
	 * is no memory for that now, each connection asks anew. */
	if (c->entry->cert->algorithm != c->algorithm ||
	    tls_cert_use_context(c->entry->cert, c->ctx))
		c->mixed = true;
	context_changed(c); /* what the server knows of us in its sessions is the old one */
}

/* The store has been put into the context already (tls/settings_apply.c). */
static void context_trust_changed(struct tls_user *user, struct tls_cert *old)
{
	(void)old;
	context_changed(container_of(user, struct client_context, trust));
}

static int context_load_cert(struct client_context *c, struct err *err)
{
	c->entry = tls_entry_load(c->crt, err);
	if (!c->entry)
		return -1;
	ERR_clear_error();
	if (tls_cert_use_context(c->entry->cert, c->ctx))
		return tls_lib_error(err, "'%s' cannot be shown to servers", c->crt);
	c->algorithm = c->entry->cert->algorithm;
	c->cert.changed = context_cert_changed;
	tls_entry_use(c->entry, &c->cert);
	return 0;
}

static int context_watch_trust(struct client_context *c, struct err *err)
{
	if (c->set.verify == TLS_VERIFY_NONE || !c->set.ca_file)
		return 0;
	c->trusted = tls_trust_load(c->set.ca_file, c->set.ca_verify_file, c->set.crl_file, err);
	if (!c->trusted)
		return -1;
	c->trust.changed = context_trust_changed;
	tls_trust_use(c->trusted, &c->trust);
	return 0;
}

static int context_make(struct client_context *c, struct err *err)
{
	if (use_index < 0)
		use_index = SSL_get_ex_new_index(0, NULL, NULL, NULL, use_release);
	c->ctx = use_index < 0 ? NULL : tls_settings_context(&c->set, false, err);
	if (!c->ctx)
		return use_index < 0 ? err_set(err, "out of memory") : -1;
	if (c->crt && context_load_cert(c, err))
		return -1;
	SSL_CTX_set_session_cache_mode(c->ctx, SSL_SESS_CACHE_CLIENT | SSL_SESS_CACHE_NO_INTERNAL);
	SSL_CTX_sess_set_new_cb(c->ctx, client_new_session);
	SSL_CTX_set_cert_verify_callback(c->ctx, client_verify, NULL);
	return context_watch_trust(c, err);
}

/* What files said is on ctx, and stays there for connections that there are. */
static void context_leave(struct client_context *c)
{
	struct client_context **p;
	SSL_CTX *ctx = c->ctx;

	if (--c->there)
		return;
	for (p = &contexts; *p && *p != c; p = &(*p)->next)
		;
	if (*p)
		*p = c->next;
	tls_user_leave(&c->cert);
	tls_trust_leave(&c->trusted, &c->trust);
	c->entry = NULL;
	c->mixed = false;
	if (ctx && SSL_CTX_up_ref(ctx))
		tls_context_retire(&ctx);
}

static void context_give(struct client_context *c)
{
	if (--c->refs)
		return;
	SSL_CTX_free(c->ctx);
	free(c);
}

static struct client_context *context_get(const struct tls_client_conf *conf, struct err *err)
{
	struct client_context *c = context_find(conf);

	if (c) {
		c->refs++;
		c->there++;
		return c;
	}
	c = calloc(1, sizeof(*c));
	if (!c) {
		err_set(err, "out of memory");
		return NULL;
	}
	c->refs = c->there = 1;
	c->set = *conf->set;
	c->crt = conf->crt;
	c->origin = conf->generation;
	if (context_make(c, err)) {
		context_leave(c);
		context_give(c);
		return NULL;
	}
	c->next = contexts;
	contexts = c;
	return c;
}

/* ---- what others call -------------------------------------------------------------------- */

const char *tls_client_read(struct arena *arena, const char *name, struct err *err)
{
	const char *path = tls_store_crt_path(arena, name);

	return tls_entry_load(path, err) ? path : NULL;
}

const char *tls_client_known(struct arena *arena, const char *name, struct err *err)
{
	const char *path = tls_store_crt_path(arena, name);

	if (tls_entry_find(path))
		return path;
	err_set(err, "the certificate '%s' is not loaded: files are read at the start, and others "
		"come by 'new ssl cert' and 'set ssl cert'", path);
	return NULL;
}

struct tls_client *tls_client_new(const struct tls_client_conf *conf, struct err *err)
{
	struct tls_client *client = calloc(1, sizeof(*client));

	if (!client) {
		err_set(err, "out of memory");
		return NULL;
	}
	list_init(&client->sessions);
	client->verifyhost = conf->verifyhost;
	client->reuse = !(conf->set->options.on & TLS_NO_REUSE);
	client->context = context_get(conf, err);
	if (!client->context)
		tls_client_free(&client);
	return client;
}

const char *tls_client_doubt(const struct tls_client *client)
{
	return client->context->entry ? tls_entry_doubt(client->context->entry) : NULL;
}

bool tls_client_aged(const struct tls_client *client, struct text *t)
{
	return client->context->entry && tls_entry_aged(client->context->entry, t);
}

void tls_client_leave(struct tls_client *client)
{
	if (!client || client->left)
		return;
	client->left = true;
	if (client->context)
		context_leave(client->context);
}

void tls_client_free(struct tls_client **clientp)
{
	struct tls_client *client = *clientp;

	*clientp = NULL;
	if (!client)
		return;
	while (!list_empty(&client->sessions))
		session_drop(client, list_first(&client->sessions, struct client_session, node));
	tls_client_leave(client);
	if (client->context)
		context_give(client->context);
	free(client);
}

static SSL *client_fresh(const struct client_context *c)
{
	SSL *ssl = SSL_new(c->ctx);

	if (!ssl || !c->mixed || !tls_cert_use(c->entry->cert, ssl))
		return ssl;
	SSL_free(ssl);
	return NULL;
}

static bool client_target(SSL *ssl, struct tls_client *client, const struct tls_target *target)
{
	const struct client_use *use;

	if (target->sni.len > TLS_NAME_MOST ||
	    (target->sni.len && memchr(target->sni.ptr, 0, target->sni.len)))
		return false;
	use = use_new(ssl, client, target->sni);
	if (!use)
		return false;
	if (use->len && !target->unsaid && !SSL_set_tlsext_host_name(ssl, use->name))
		return false;
	if (target->alpn.len && SSL_set_alpn_protos(ssl, (const unsigned char *)target->alpn.ptr,
						    (unsigned)target->alpn.len))
		return false;
	if (client->reuse && !target->fresh)
		session_offer(ssl, client, use);
	return true;
}

struct ssl_st *tls_client_ssl(struct tls_client *client, const struct tls_target *target)
{
	SSL *ssl = client_fresh(client->context);

	if (ssl && client_target(ssl, client, target))
		return ssl;
	SSL_free(ssl);
	return NULL;
}

/* Is the protocol of the session one of those that will be offered? Else the library fails. */
static bool early_same_alpn(const SSL_SESSION *session, const struct tls_client *client)
{
	struct span offered = client->context->set.alpn;
	const unsigned char *chosen;
	size_t len, at;

	SSL_SESSION_get0_alpn_selected(session, &chosen, &len);
	for (at = 0; len && at < offered.len; at += 1u + (unsigned char)offered.ptr[at])
		if ((unsigned char)offered.ptr[at] == len &&
		    !memcmp(offered.ptr + at + 1, chosen, len))
			return true;
	return !len;
}

size_t tls_client_early(const struct ssl_st *ssl, size_t len)
{
	const struct client_use *use = use_of(ssl);
	const SSL_SESSION *session = SSL_get0_session(ssl);
	size_t most;

	if (!use || !session || !(use->client->context->set.options.on & TLS_ALLOW_0RTT) ||
	    !early_same_alpn(session, use->client))
		return 0;
	most = SSL_SESSION_get_max_early_data(session);
	return len < most ? len : most;
}

/* ---- afterwards -------------------------------------------------------------------------- */

struct span tls_client_name(const struct conn *conn)
{
	const struct client_use *use = use_of(tls_conn_ssl(conn));

	return use ? (struct span){ use->name, use->len } : (struct span){ "", 0 };
}

bool tls_client_is_current(const struct conn *conn)
{
	const struct client_use *use = use_of(tls_conn_ssl(conn));

	return !use || use->generation == use->client->context->generation;
}

bool tls_client_wrong_name(const struct conn *conn)
{
	const struct client_use *use = use_of(tls_conn_ssl(conn));

	return use && use->wrong_name;
}

const char *tls_client_why(const struct conn *conn)
{
	const struct client_use *use = use_of(tls_conn_ssl(conn));

	return use ? use->why : NULL;
}
