/* SPDX-License-Identifier: BSD-2-Clause */
/* Notes beside an SSL: what its certificate check found, secrets for SSLKEYLOGFILE, the captured
 * ClientHello (tls/capture.c). Called from OpenSSL's callbacks, read by fetches. Secrets are noted
 * only when the configuration says so, and wiped with the SSL. */
#include "tls/notes.h"

#include "base/bug.h"
#include "base/kind.h"
#include "config/config.h"
#include "config/module.h"
#include "tls/notes_own.h"
#include "tls/tune.h"

#include <stdlib.h>

static const char *const notes_labels[TLS_SECRETS] = {
	[TLS_SECRET_CLIENT_EARLY] = "CLIENT_EARLY_TRAFFIC_SECRET",
	[TLS_SECRET_CLIENT_HANDSHAKE] = "CLIENT_HANDSHAKE_TRAFFIC_SECRET",
	[TLS_SECRET_SERVER_HANDSHAKE] = "SERVER_HANDSHAKE_TRAFFIC_SECRET",
	[TLS_SECRET_CLIENT_TRAFFIC] = "CLIENT_TRAFFIC_SECRET_0",
	[TLS_SECRET_SERVER_TRAFFIC] = "SERVER_TRAFFIC_SECRET_0",
	[TLS_SECRET_EXPORTER] = "EXPORTER_SECRET",
	[TLS_SECRET_EARLY_EXPORTER] = "EARLY_EXPORTER_SECRET",
};

/* -- where they are --------------------------------------------------------------------------- */

static void notes_forget(char **secret)
{
	if (*secret)
		OPENSSL_cleanse(*secret, strlen(*secret));
	free(*secret);
	*secret = NULL;
}

static void notes_free(void *parent, void *ptr, CRYPTO_EX_DATA *ad, int idx, long argl, void *argp)
{
	struct tls_notes *notes = ptr;
	unsigned i;

	(void)parent;
	(void)ad;
	(void)idx;
	(void)argl;
	(void)argp;
	if (!notes)
		return;
	for (i = 0; i < TLS_SECRETS; i++)
		notes_forget(&notes->secrets[i]);
	X509_free(notes->refused);
	free(notes->capture);
	free(notes);
}

/* The same for all; -1: OpenSSL has no memory. */
static int notes_index(void)
{
	static int index = -1;

	if (unlikely(index < 0))
		index = SSL_get_ex_new_index(0, NULL, NULL, NULL, notes_free);
	return index;
}

const struct tls_notes *tls_notes(const SSL *ssl)
{
	int index = notes_index();

	return index < 0 ? NULL : KIND_OR_NULL(const struct tls_notes, SSL_get_ex_data(ssl, index));
}

struct tls_notes *tls_notes_make(SSL *ssl)
{
	int index = notes_index();
	struct tls_notes *notes = index < 0 ? NULL :
					      KIND_OR_NULL(struct tls_notes, SSL_get_ex_data(ssl, index));

	if (notes || index < 0)
		return notes;
	notes = calloc(1, sizeof(*notes));
	if (notes)
		KIND_IS(struct tls_notes, notes);
	if (notes && !SSL_set_ex_data(ssl, index, notes)) {
		free(notes);
		return NULL;
	}
	return notes;
}

/* -- verification ----------------------------------------------------------------------------- */

void tls_note_verify(SSL *ssl, int depth, int error)
{
	struct tls_notes *notes = tls_notes_make(ssl);

	if (!notes)
		return;
	if (depth > 0 && !notes->verdict.ca) {
		notes->verdict.ca = (uint16_t)error;
		notes->verdict.ca_depth = (uint16_t)depth;
	} else if (!depth && !notes->verdict.crt) {
		notes->verdict.crt = (uint16_t)error;
	}
}

struct tls_verdict tls_notes_verdict(const SSL *ssl)
{
	const struct tls_notes *notes = tls_notes(ssl);

	return notes ? notes->verdict : (struct tls_verdict){ 0 };
}

void tls_note_refused(SSL *ssl, X509 *peer)
{
	struct tls_notes *notes = peer ? tls_notes_make(ssl) : NULL;

	if (notes && !notes->refused && X509_up_ref(peer))
		notes->refused = peer;
}

X509 *tls_notes_peer(const SSL *ssl)
{
	const struct tls_notes *notes = tls_notes(ssl);
	X509 *peer = SSL_get0_peer_certificate(ssl);

	return peer || !notes ? peer : notes->refused;
}

/* -- secrets ---------------------------------------------------------------------------------- */

static int notes_label(struct span word)
{
	unsigned i;

	for (i = 0; i < TLS_SECRETS; i++) {
		if (span_equal(word, span_of(notes_labels[i])))
			return (int)i;
	}
	return -1;
}

/* "LABEL <client random> <secret>": of those of later keys (KeyUpdate) the first stays. */
static void notes_keylog(const SSL *ssl, const char *line)
{
	const char *blank = strchr(line, ' '), *last = strrchr(line, ' ');
	int which = blank ? notes_label((struct span){ line, (size_t)(blank - line) }) : -1;
	struct tls_notes *notes;

	if (which < 0 || last == blank)
		return;
	notes = tls_notes_make((SSL *)ssl);
	if (notes && !notes->secrets[which])
		notes->secrets[which] = strdup(last + 1);
}

void tls_note_secrets(SSL_CTX *ctx)
{
	if (tls_tune.keylog)
		SSL_CTX_set_keylog_callback(ctx, notes_keylog);
}

struct span tls_notes_secret(const SSL *ssl, enum tls_secret which)
{
	const struct tls_notes *notes = tls_notes(ssl);
	const char *secret = notes ? notes->secrets[which] : NULL;

	return secret ? span_of(secret) : (struct span){ NULL, 0 };
}

/* -- words ------------------------------------------------------------------------------------ */

struct notes_conf {
	int capture, keylog;
};

static int parse_cipherlist_size(struct statement *st, const struct keyword *kw, void *object)
{
	stmt_warning(st, 0, "'%s' is deprecated: use tune.ssl.capture-buffer-size", kw->name);
	return set_int(st, kw, object);
}

static const char *const off_on[] = { "off", "on", NULL };

static const struct keyword notes_keywords[] = {
	{ .name = "tune.ssl.capture-buffer-size", .scope = SCOPE_GLOBAL, .args = "<bytes>",
	  .parse = set_int, .offset = offsetof(struct notes_conf, capture), .min = 0, .max = 65535,
	  .dflt = "0 (off)", .help = "most bytes that are kept of the lists in a TLS ClientHello" },
	{ .name = "tune.ssl.capture-cipherlist-size", .scope = SCOPE_GLOBAL, .args = "<bytes>",
	  .parse = parse_cipherlist_size, .offset = offsetof(struct notes_conf, capture), .min = 0,
	  .max = 65535, .dflt = "0 (off)", .help = "old name of tune.ssl.capture-buffer-size" },
	{ .name = "tune.ssl.keylog", .scope = SCOPE_GLOBAL, .args = "{ on | off }", .parse = set_enum,
	  .offset = offsetof(struct notes_conf, keylog), .names = off_on, .dflt = "off",
	  .help = "keep the secrets of TLS 1.3 connections for fetches: whoever has them can "
		  "decipher what was recorded" },
	{ 0 },
};

/* Before contexts are made of bind and server lines. */
static int notes_finish(struct config *cfg, void *data)
{
	const struct notes_conf *conf = data;

	(void)cfg;
	tls_tune.capture_size = (unsigned)conf->capture;
	tls_tune.keylog = conf->keylog;
	return 0;
}

const struct module tls_notes_module = {
	.name = "tls-notes",
	.keywords = notes_keywords,
	.data_size = sizeof(struct notes_conf),
	.finish = notes_finish,
};
