/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Early data from clients: taken out of the library as they come, kept until somebody receives
 * them, and taken at all only from a ClientHello that nobody has shown before (replay.c). Called by
 * layer_ops.c, begin.c, bind.c and sessions.c. Who may act on them is decided above.
 *
 * Invariant: kept are tls_early_most bytes of a connection at most: what the library lets pass, all
 * records together.
 */
#include "tls/early.h"

#include "net/proto.h"
#include "share/kept.h"
#include "share/segment.h"
#include "tls/binds.h"
#include "tls/layer.h"
#include "tls/lists.h"
#include "tls/replay.h"
#include "tls/tickets.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/ssl.h>
#include <string.h>
#include <time.h>

enum { SIZE_LEAST = 2048 };

struct tls_early {
	size_t len, at, size;
	char bytes[];
};

static struct replay *replay;

/* ---- which are taken --------------------------------------------------------------------- */

/* Of what the client has drawn for this hello, and of the secret that the hello proves: an observer
 * can neither make another of the same hash nor foresee where it is noted. */
static bool hash_hello(SSL *ssl, const SSL_SESSION *session, unsigned char hash[EVP_MAX_MD_SIZE])
{
	unsigned char words[SSL3_RANDOM_SIZE + SSL_MAX_MASTER_KEY_LENGTH];
	size_t n = SSL_get_client_random(ssl, words, SSL3_RANDOM_SIZE);
	bool done;

	n += SSL_SESSION_get_master_key(session, words + n, SSL_MAX_MASTER_KEY_LENGTH);
	done = EVP_Digest(words, n, hash, NULL, EVP_sha256(), NULL) == 1;
	OPENSSL_cleanse(words, sizeof(words));
	return done;
}

/* Streams begin one after the other there, and none of them could wait for the proof. */
static bool speaks_many(SSL *ssl)
{
	const unsigned char *name;
	unsigned len;

	SSL_get0_alpn_selected(ssl, &name, &len);
	return proto_can(proto_agreed((struct span){ (const char *)name, len }), PROTO_MANY);
}

/* The library would take them: the session, its age and all else are right. */
static int on_early(SSL *ssl, void *arg)
{
	const SSL_SESSION *session = SSL_get0_session(ssl);
	unsigned char hash[EVP_MAX_MD_SIZE];

	(void)arg;
	if (!speaks_many(ssl) && session && replay && hash_hello(ssl, session, hash) &&
	    replay_first(replay, hash, (int64_t)SSL_SESSION_get_time(session), (int64_t)time(NULL))) {
		tls_stats.early++;
		return 1;
	}
	tls_stats.early_refused++;
	return 0;
}

void tls_early_attach(SSL_CTX *ctx)
{
	SSL_CTX_set_max_early_data(ctx, 1); /* how many: tls_early_limit */
	/* OpenSSL's own way keeps every session in the memory of one process. */
	SSL_CTX_set_options(ctx, SSL_OP_NO_ANTI_REPLAY);
}

void tls_early_limit(SSL *ssl, SSL_CTX *ctx)
{
	uint32_t most = SSL_CTX_get_max_early_data(ctx) ? tls_early_most : 0;

	SSL_set_max_early_data(ssl, most);
	SSL_set_recv_max_early_data(ssl, most);
	SSL_set_allow_early_data_cb(ssl, on_early, NULL);
}

/* ---- what came --------------------------------------------------------------------------- */

static struct tls_early *grown(struct tls_early *old, size_t len)
{
	size_t size = old ? old->size : SIZE_LEAST;
	struct tls_early *early;

	while (size < len)
		size *= 2;
	early = OPENSSL_malloc(sizeof(*early) + size);
	if (!early)
		return NULL;
	early->at = early->len = 0;
	early->size = size;
	if (old) {
		early->len = old->len - old->at;
		memcpy(early->bytes, old->bytes + old->at, early->len);
	}
	return early;
}

static bool keep(struct tls_conn *t, const char *bytes, size_t len)
{
	struct tls_early *early = t->early;

	if (!len)
		return true;
	if (!early || len > early->size - early->len) {
		early = grown(t->early, (early ? early->len : 0) + len);
		if (!early)
			return false;
		tls_early_free(t);
		t->early = early;
	}
	memcpy(early->bytes + early->len, bytes, len);
	early->len += len;
	return true;
}

bool tls_early_hear(struct tls_conn *t)
{
	static char scratch[16384];
	size_t n;
	int r;

	for (;;) {
		r = SSL_read_early_data(t->ssl, scratch, sizeof(scratch), &n);
		if (r == SSL_READ_EARLY_DATA_SUCCESS && keep(t, scratch, n))
			continue;
		OPENSSL_cleanse(scratch, t->early ? sizeof(scratch) : 0);
		if (r == SSL_READ_EARLY_DATA_FINISH)
			t->hears_early = false;
		/* The call did not fail, but SSL_get_error says fatal. */
		if (r == SSL_READ_EARLY_DATA_SUCCESS)
			tls_conn_blame(t->ssl, TLS_FAULT_MEMORY);
		return r == SSL_READ_EARLY_DATA_FINISH;
	}
}

size_t tls_early_take(struct tls_conn *t, void *buf, size_t size)
{
	struct tls_early *early = t->early;
	size_t n = early->len - early->at;

	n = n < size ? n : size;
	memcpy(buf, early->bytes + early->at, n);
	early->at += n;
	if (early->at == early->len)
		tls_early_free(t);
	return n;
}

void tls_early_free(struct tls_conn *t)
{
	if (t->early)
		OPENSSL_clear_free(t->early, sizeof(*t->early) + t->early->size);
	t->early = NULL;
}

/* ---- start ------------------------------------------------------------------------------- */

/* Lines that allow early data may be added to lists at run time, when it is too late for a memory
 * of all workers; it costs nothing as long as it is empty. */
static bool any_bind(void)
{
	const struct tls_bind *bind;

	if (tls_lists)
		return true;
	list_for_each(bind, &tls_binds, node)
		if (bind->early)
			return true;
	return false;
}

/* Are there sessions of a time before this start? */
static bool sessions_outlive(void)
{
	const struct tls_ticket_keys *keys;

	for (keys = tls_tickets_next(NULL); keys; keys = tls_tickets_next(keys))
		if (*tls_tickets_name(keys))
			return true;
	return kept_known("tickets") || kept_known("sessions");
}

int tls_early_prepare(struct err *err)
{
	bool shared = segment && segment_fd(segment) >= 0;

	if (!any_bind())
		return 0;
	if (shared)
		replay = replay_attach();
	if (!replay)
		replay = replay_new(shared, sessions_outlive(), (int64_t)time(NULL), err);
	return replay ? 0 : -1;
}

void tls_early_release(void)
{
	replay_free(&replay);
}
