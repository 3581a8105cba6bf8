/* SPDX-License-Identifier: BSD-2-Clause */
/* A bind line's choice, with real handshakes through memory: names, key types, settings of a
 * crt-list's line, defaults, changes of certificates. */
#include "tls/bind.h"

#include "base/arena.h"
#include "base/err.h"
#include "config/load.h"
#include "config/module.h"
#include "net/listener.h"
#include "tls/choose.h"
#include "tls/conn.h"
#include "tls/forge.h"
#include "tls/list.h"
#include "tls/test_certs.h"
#include "tls/tickets.h"

#include <openssl/err.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

static const struct module *const none[] = { NULL };

/* There is no memory for a while. A sanitizer brings a calloc of its own. */
#ifndef __has_feature
#define __has_feature(feature) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || __has_feature(address_sanitizer)
static const bool can_fail = false;
static bool no_memory;
#else
static const bool can_fail = true;
static bool no_memory;
void *__libc_calloc(size_t count, size_t size);

void *calloc(size_t count, size_t size)
{
	return no_memory ? NULL : __libc_calloc(count, size);
}
#endif
static EVP_PKEY *ec, *rsa, *ed;

/* A bind line under test. */
struct line {
	struct config *cfg;
	struct bind_conf conf;
	struct tls_bind *bind;
};

static struct tls_cert *cert_of(EVP_PKEY *key, const char *cn, const char *san)
{
	X509 *x = test_cert(key, cn, san, NULL, NULL);
	char *pem = test_join(test_pem_cert(x), test_pem_key(key, 1), NULL);
	struct err err = { "" };
	struct tls_cert *cert = tls_cert_parse(span_of(pem), &err);

	if (!cert)
		fail_msg("%s", err.text);
	X509_free(x);
	free(pem);
	return cert;
}

static struct tls_entry *entry_of(EVP_PKEY *key, const char *cn, const char *san)
{
	static unsigned number;
	char name[32];

	snprintf(name, sizeof(name), "cert%u", ++number);
	return tls_entry_new(name, cert_of(key, cn, san));
}

static void begin_line(struct line *l)
{
	memset(l, 0, sizeof(*l));
	l->cfg = config_new(none, false);
	l->conf.section = "frontend f";
	list_init(&l->conf.listeners);
	l->bind = tls_bind_of(&l->conf, l->cfg);
	l->bind->set.options.on |= TLS_SSL;
}

static void end_line(struct line *l)
{
	tls_bind_release(l->bind);
	config_free(&l->cfg);
}

static void set(struct line *l, struct tls_settings *settings, const char *word, const char *arg)
{
	struct err err = { "" };

	if (tls_settings_set(settings, word, arg, l->cfg->arena, &err))
		fail_msg("%s", err.text);
}

static void add(struct line *l, struct tls_entry *entry, const struct tls_settings *settings,
		const char *const *filters)
{
	const struct tls_line_spec spec = { .entries = &entry, .count = 1, .filters = filters,
					    .set = settings };
	struct err err = { "" };

	if (tls_bind_add(l->bind, &spec, &err))
		fail_msg("%s", err.text);
}

#define FILTERS(...) ((const char *const[]){ __VA_ARGS__, NULL })

static void ready(struct line *l)
{
	struct err err;

	assert_int_equal(tls_bind_ready(l->bind, l->cfg), 0);
	assert_int_equal(tls_tickets_prepare(1000, &err), 0);
}

/* -- clients ---------------------------------------------------------------------------------- */

struct client {
	const char *sni, *sigalgs, *ciphers;
	int max;               /* version; 0: any */
	const char *alpn;      /* form of the wire */
	bool certificate;      /* it has one */
	SSL_SESSION *session;  /* to resume */
	SSL_SESSION **keep;    /* takes the one it gets */
};

static SSL_SESSION *got;

static int keep_session(SSL *ssl, SSL_SESSION *session)
{
	(void)ssl;
	SSL_SESSION_free(got);
	got = session;
	return 1;
}

static SSL *client_new(const struct client *c)
{
	SSL_CTX *ctx = SSL_CTX_new(TLS_client_method());
	X509 *x = c->certificate ? test_cert(ec, "client", NULL, NULL, NULL) : NULL;
	SSL *ssl;

	if (c->sigalgs)
		assert_int_equal(SSL_CTX_set1_sigalgs_list(ctx, c->sigalgs), 1);
	if (c->ciphers)
		assert_int_equal(SSL_CTX_set_cipher_list(ctx, c->ciphers), 1);
	if (c->max)
		SSL_CTX_set_max_proto_version(ctx, c->max);
	if (c->alpn)
		SSL_CTX_set_alpn_protos(ctx, (const unsigned char *)c->alpn,
					(unsigned)strlen(c->alpn));
	if (x)
		SSL_CTX_use_cert_and_key(ctx, x, ec, NULL, 1);
	SSL_CTX_set_session_cache_mode(ctx, SSL_SESS_CACHE_CLIENT | SSL_SESS_CACHE_NO_INTERNAL);
	SSL_CTX_sess_set_new_cb(ctx, keep_session);
	ssl = SSL_new(ctx);
	if (c->sni)
		SSL_set_tlsext_host_name(ssl, c->sni);
	if (c->session)
		SSL_set_session(ssl, c->session);
	SSL_set_connect_state(ssl);
	X509_free(x);
	SSL_CTX_free(ctx);
	return ssl;
}

/* What the client saw: "CN version alpn resumed". */
static const char *seen(SSL *ssl)
{
	static char text[200];
	X509 *x = SSL_get1_peer_certificate(ssl);
	const unsigned char *alpn;
	char cn[80] = "?";
	unsigned len;

	if (x)
		X509_NAME_get_text_by_NID(X509_get_subject_name(x), NID_commonName, cn, sizeof(cn));
	X509_free(x);
	SSL_get0_alpn_selected(ssl, &alpn, &len);
	snprintf(text, sizeof(text), "%s %s%s%.*s%s", cn, SSL_get_version(ssl) + 3, len ? " " : "",
		 (int)len, alpn, SSL_session_reused(ssl) ? " resumed" : "");
	return text;
}

static const char *shake(struct line *l, struct client c)
{
	SSL *client = client_new(&c), *server = tls_bind_ssl(l->bind);
	int i, a = 0, b = 0;
	const char *text = "failed";
	BIO *x, *y;
	char byte;

	BIO_new_bio_pair(&x, 65536, &y, 65536);
	SSL_set_bio(client, x, x);
	SSL_set_bio(server, y, y);
	SSL_set_accept_state(server);
	for (i = 0; i < 20 && (a != 1 || b != 1); i++) {
		a = SSL_do_handshake(client);
		b = SSL_do_handshake(server);
	}
	if (a == 1 && b == 1 && SSL_write(server, "x", 1) == 1 && SSL_read(client, &byte, 1) == 1)
		text = seen(client);
	SSL_shutdown(client);
	SSL_shutdown(server);
	SSL_free(client);
	SSL_free(server);
	ERR_clear_error();
	if (c.keep) {
		*c.keep = got;
		got = NULL;
	}
	return text;
}

#define assert_seen(line, text, ...) \
	assert_string_equal(shake(line, (struct client){ __VA_ARGS__ }), text)

/* -- tests ------------------------------------------------------------------------------------ */

static void names_choose(void **state)
{
	struct line l;

	(void)state;
	begin_line(&l);
	add(&l, entry_of(ec, "first.test", "DNS:first.test,DNS:alias.test"), NULL, NULL);
	add(&l, entry_of(ec, "wild", "DNS:*.wild.test"), NULL, NULL);
	add(&l, entry_of(ec, "exact", "DNS:www.wild.test"), NULL, NULL);
	add(&l, entry_of(ec, "late", "DNS:first.test,DNS:late.test"), NULL, NULL);
	ready(&l);
	assert_seen(&l, "first.test v1.3", .sni = NULL);
	assert_seen(&l, "first.test v1.3", .sni = "unknown.test");
	assert_seen(&l, "first.test v1.3", .sni = "alias.test");
	assert_seen(&l, "wild v1.3", .sni = "a.wild.test");
	assert_seen(&l, "wild v1.3", .sni = "A.Wild.TEST.");
	assert_seen(&l, "exact v1.3", .sni = "www.wild.test");
	assert_seen(&l, "first.test v1.3", .sni = "a.b.wild.test");
	assert_seen(&l, "first.test v1.3", .sni = "first.test");
	assert_seen(&l, "late v1.3", .sni = "late.test");
	assert_seen(&l, "late v1.3", .sni = "late"); /* the common name counts, too */
	end_line(&l);
}

static void filters_choose(void **state)
{
	struct line l;

	(void)state;
	begin_line(&l);
	add(&l, entry_of(ec, "first", NULL), NULL, FILTERS("!*"));
	add(&l, entry_of(ec, "w", "DNS:own.test"), NULL, FILTERS("*.X.test", "!secret.x.test"));
	add(&l, entry_of(ec, "w2", NULL), NULL, FILTERS("*.x.test"));
	ready(&l);
	assert_seen(&l, "w v1.3", .sni = "www.x.test");
	assert_seen(&l, "w2 v1.3", .sni = "SECRET.x.test");
	assert_seen(&l, "first v1.3", .sni = "own.test"); /* filters stand in the place of names */
	assert_seen(&l, "first v1.3", .sni = "first");
	end_line(&l);
}

/* RSA and ECDSA for one name: the client's signature algorithms decide. */
static void keys_choose(void **state)
{
	struct line l;

	(void)state;
	begin_line(&l);
	add(&l, entry_of(rsa, "rsa", "DNS:x.test"), NULL, NULL);
	add(&l, entry_of(ec, "ecdsa", "DNS:x.test"), NULL, NULL);
	add(&l, entry_of(ed, "ed25519", "DNS:x.test"), NULL, NULL);
	add(&l, entry_of(ed, "only", "DNS:ed.test"), NULL, NULL);
	ready(&l);
	assert_seen(&l, "ecdsa v1.3", .sni = "x.test");
	assert_seen(&l, "rsa v1.3", .sni = "x.test", .sigalgs = "RSA-PSS+SHA256");
	assert_seen(&l, "ed25519 v1.3", .sni = "x.test", .sigalgs = "RSA-PSS+SHA256:ed25519");
	assert_seen(&l, "rsa v1.2", .sni = "x.test", .sigalgs = "RSA+SHA256",
		    .max = TLS1_2_VERSION);
	assert_seen(&l, "ecdsa v1.2", .sni = "x.test", .max = TLS1_2_VERSION);
	assert_seen(&l, "only v1.3", .sni = "ed.test");
	assert_seen(&l, "failed", .sni = "ed.test", .sigalgs = "RSA-PSS+SHA256");
	assert_seen(&l, "ecdsa v1.3", .sni = "x.test", .ciphers = "ECDHE-RSA-AES128-GCM-SHA256");
	end_line(&l);
	/* What a client can do with TLS 1.3 does not help where that is not spoken. */
	begin_line(&l);
	set(&l, &l.bind->set, "ssl-max-ver", "TLSv1.2");
	add(&l, entry_of(rsa, "rsa", "DNS:x.test"), NULL, NULL);
	add(&l, entry_of(ec, "ecdsa", "DNS:x.test"), NULL, NULL);
	ready(&l);
	assert_seen(&l, "ecdsa v1.2", .sni = "x.test");
	assert_seen(&l, "rsa v1.2", .sni = "x.test", .ciphers = "ECDHE-RSA-AES128-GCM-SHA256");
	end_line(&l);
}

/* So do those of the bind line, or of a line of a list. */
static void own_signatures_choose(void **state)
{
	struct tls_settings only_ed = { 0 };
	struct line l;

	(void)state;
	begin_line(&l);
	set(&l, &l.bind->set, "sigalgs", "RSA-PSS+SHA256:rsa_pkcs1_sha256");
	set(&l, &only_ed, "sigalgs", "ed25519:ECDSA+SHA256");
	add(&l, entry_of(ec, "ecdsa", "DNS:x.test"), NULL, NULL);
	add(&l, entry_of(rsa, "rsa", "DNS:x.test"), NULL, NULL);
	add(&l, entry_of(rsa, "rsa", "DNS:y.test"), NULL, NULL);
	add(&l, entry_of(ed, "ed25519", "DNS:y.test"), &only_ed, NULL);
	ready(&l);
	assert_seen(&l, "rsa v1.3", .sni = "x.test");
	assert_seen(&l, "rsa v1.2", .sni = "x.test", .max = TLS1_2_VERSION);
	assert_seen(&l, "ed25519 v1.3", .sni = "y.test");
	assert_seen(&l, "rsa v1.3", .sni = "y.test", .sigalgs = "RSA-PSS+SHA256:ECDSA+SHA256");
	end_line(&l);
}

static void test_signs(void **state)
{
	(void)state;
	assert_int_equal(tls_choose_signs(NULL), ~0U);
	assert_int_equal(tls_choose_signs("RSA+SHA256:ecdsa_secp384r1_sha384"), TLS_CAN_RSA | TLS_CAN_ECDSA);
	assert_int_equal(tls_choose_signs("rsa_pss_rsae_sha256"), TLS_CAN_RSA);
	assert_int_equal(tls_choose_signs("rsa_pss_pss_sha256:ed448"), TLS_CAN_RSA_PSS | TLS_CAN_ED448);
	assert_int_equal(tls_choose_signs("PSS+SHA256:DSA+SHA256:ed25519"),
			 TLS_CAN_RSA | TLS_CAN_RSA_PSS | TLS_CAN_DSA | TLS_CAN_ED25519);
	assert_int_equal(tls_choose_signs("sm2sig_sm3"), ~0U);
}

static void bundles_are_default_together(void **state)
{
	struct tls_entry *bundle[] = { entry_of(rsa, "rsa", NULL), entry_of(ec, "ecdsa", NULL) };
	const struct tls_line_spec spec = { .entries = bundle, .count = 2 };
	struct err err;
	struct line l;

	(void)state;
	begin_line(&l);
	assert_int_equal(tls_bind_add(l.bind, &spec, &err), 0);
	ready(&l);
	assert_seen(&l, "ecdsa v1.3", .sni = "unknown.test");
	assert_seen(&l, "rsa v1.3", .sni = NULL, .sigalgs = "RSA-PSS+SHA256");
	end_line(&l);
}

static void strict_refuses(void **state)
{
	struct line l;

	(void)state;
	begin_line(&l);
	set(&l, &l.bind->set, "strict-sni", NULL);
	add(&l, entry_of(ec, "x.test", NULL), NULL, NULL);
	ready(&l);
	assert_seen(&l, "x.test v1.3", .sni = "x.test");
	assert_seen(&l, "failed", .sni = "y.test");
	assert_seen(&l, "failed", .sni = NULL);
	end_line(&l);
}

/* Options of a line of a crt-list hold for its names and for no other. */
static void lines_have_settings(void **state)
{
	struct tls_settings old = { 0 }, other = { 0 }, plain = { 0 };
	struct line l;

	(void)state;
	begin_line(&l);
	set(&l, &l.bind->set, "alpn", "one,two");
	set(&l, &old, "ssl-max-ver", "TLSv1.2");
	set(&l, &other, "alpn", "two");
	set(&l, &other, "curves", "P-384");
	set(&l, &other, "ciphersuites", "TLS_CHACHA20_POLY1305_SHA256");
	set(&l, &plain, "no-alpn", NULL);
	add(&l, entry_of(ec, "first.test", NULL), NULL, NULL);
	add(&l, entry_of(ec, "old.test", NULL), &old, NULL);
	add(&l, entry_of(ec, "other.test", NULL), &other, NULL);
	add(&l, entry_of(ec, "plain.test", NULL), &plain, NULL);
	add(&l, entry_of(ec, "plain2.test", NULL), &plain, NULL);
	ready(&l);
	assert_seen(&l, "first.test v1.3 one", .sni = "first.test", .alpn = "\3two\3one");
	assert_seen(&l, "old.test v1.2 one", .sni = "old.test", .alpn = "\3two\3one");
	assert_seen(&l, "other.test v1.3 two", .sni = "other.test", .alpn = "\3two\3one");
	assert_seen(&l, "plain.test v1.3", .sni = "plain.test", .alpn = "\3two\3one");
	assert_seen(&l, "first.test v1.3", .sni = "first.test", .alpn = "\5three");
	assert_non_null(l.bind->contexts->next->next->next);
	assert_null(l.bind->contexts->next->next->next->next); /* the two plain ones share */
	end_line(&l);
}

static void others_can_be_left_out(void **state)
{
	struct line l;

	(void)state;
	begin_line(&l);
	set(&l, &l.bind->set, "alpn", "h2,http/1.1");
	add(&l, entry_of(ec, "x.test", NULL), NULL, NULL);
	ready(&l);
	assert_seen(&l, "x.test v1.3 h2", .alpn = "\2h2\10http/1.1");
	assert_true(span_equal(tls_bind_usual_alone(l.bind), span_of("h2")));
	assert_seen(&l, "x.test v1.3 http/1.1", .alpn = "\2h2\10http/1.1");
	end_line(&l);
}

/* A session of a name that asks for nothing is no way into one that asks for a certificate. */
static void sessions_stay_where_they_were_made(void **state)
{
	struct tls_settings ask = { 0 };
	SSL_SESSION *session = NULL;
	struct line l;
	FILE *file;
	char path[] = "/tmp/penstock-ca-XXXXXX", *pem;
	X509 *ca = test_cert(ec, "client", NULL, NULL, NULL);
	int fd = mkstemp(path), version;

	(void)state;
	pem = test_pem_cert(ca);
	file = fdopen(fd, "w");
	fputs(pem, file);
	fclose(file);
	begin_line(&l);
	set(&l, &ask, "verify", "required");
	set(&l, &ask, "ca-file", path);
	set(&l, &ask, "crt-ignore-err", "all"); /* another serial number than in the file */
	add(&l, entry_of(ec, "open.test", NULL), NULL, NULL);
	add(&l, entry_of(ec, "closed.test", NULL), &ask, NULL);
	ready(&l);
	for (version = TLS1_2_VERSION; version <= TLS1_3_VERSION; version++) {
		shake(&l, (struct client){ .sni = "open.test", .max = version, .keep = &session });
		assert_non_null(session);
		assert_non_null(strstr(shake(&l, (struct client){ .sni = "open.test", .max = version,
								  .session = session }), "resumed"));
		assert_string_equal(shake(&l, (struct client){ .sni = "closed.test", .max = version,
							       .session = session }), "failed");
		SSL_SESSION_free(session);
	}
	assert_seen(&l, "failed", .sni = "closed.test");
	assert_seen(&l, "closed.test v1.3", .sni = "closed.test", .certificate = true);
	end_line(&l);
	X509_free(ca);
	free(pem);
	remove(path);
}

static void put_in_force(struct tls_entry *entry, struct tls_cert *cert)
{
	struct tls_cert *old = entry->cert;
	struct err err;

	assert_int_equal(tls_users_check(entry->users, cert, &err), 0);
	entry->cert = cert;
	no_memory = true; /* what it takes was had before */
	tls_users_changed(entry->users, old);
	no_memory = false;
	tls_cert_free(&old);
}

/* Without memory for its names a certificate is refused, and the old one stays. */
static void names_are_had_before(void **state)
{
	struct tls_entry *entry = entry_of(ec, "old.test", NULL);
	struct tls_cert *cert = cert_of(ec, "new.test", NULL), *refused = cert_of(ec, "x.test", NULL);
	struct err err;
	struct line l;

	(void)state;
	begin_line(&l);
	add(&l, entry_of(ec, "first", NULL), NULL, NULL);
	add(&l, entry, NULL, NULL);
	ready(&l);
	no_memory = true;
	assert_int_equal(tls_users_check(entry->users, refused, &err), can_fail ? -1 : 0);
	no_memory = false;
	assert_seen(&l, "old.test v1.3", .sni = "old.test");
	assert_int_equal(tls_users_check(entry->users, refused, &err), 0); /* another user refused it */
	tls_cert_free(&refused);
	put_in_force(entry, cert);
	assert_seen(&l, "new.test v1.3", .sni = "new.test");
	assert_seen(&l, "first v1.3", .sni = "x.test");
	assert_int_equal(l.bind->names.count, 2);
	end_line(&l);
}

/* Another certificate in the entry: its names take the place of the old ones. */
static void entries_change(void **state)
{
	struct tls_entry *entry = entry_of(ec, "old.test", NULL);
	struct line l;

	(void)state;
	begin_line(&l);
	add(&l, entry_of(ec, "first", NULL), NULL, NULL);
	add(&l, entry, NULL, NULL);
	ready(&l);
	assert_seen(&l, "old.test v1.3", .sni = "old.test");
	put_in_force(entry, cert_of(ec, "new.test", NULL));
	assert_seen(&l, "first v1.3", .sni = "old.test");
	assert_seen(&l, "new.test v1.3", .sni = "new.test");
	assert_int_equal(l.bind->names.count, 2);
	end_line(&l);
	assert_null(entry->users);
}

/* Names that no certificate is for get one of their own, signed by the authority. */
static void names_get_certificates(void **state)
{
	EVP_PKEY *key = test_key("EC");
	X509 *ca = test_cert(key, "signer", NULL, NULL, NULL);
	char path[] = "/tmp/penstock-ca-XXXXXX", *pem, name[220];
	struct line l;
	FILE *file;
	int i;

	(void)state;
	pem = test_join(test_pem_cert(ca), test_pem_key(key, 1), NULL);
	file = fdopen(mkstemp(path), "w");
	fputs(pem, file);
	fclose(file);
	memset(name, 'a', sizeof(name));
	for (i = 60; i < 219; i += 60)
		name[i] = '.';
	name[219] = 0;
	tls_global.context_cache = 2;
	begin_line(&l);
	set(&l, &l.bind->set, "generate-certificates", NULL);
	l.bind->sign_file = path;
	add(&l, entry_of(ec, "first.test", NULL), NULL, NULL);
	ready(&l);
	assert_seen(&l, "first.test v1.3", .sni = "first.test");
	assert_seen(&l, "first.test v1.3", .sni = NULL);
	assert_int_equal(tls_forge_count(l.bind->forge), 0);
	assert_seen(&l, "a.test v1.3", .sni = "a.test");
	assert_seen(&l, "a.test v1.3", .sni = "A.test");
	assert_int_equal(tls_forge_count(l.bind->forge), 1);
	assert_seen(&l, "b.test v1.3", .sni = "b.test");
	assert_seen(&l, "a.test v1.2", .sni = "a.test", .max = TLS1_2_VERSION);
	assert_int_equal(tls_forge_count(l.bind->forge), 2);
	assert_seen(&l, "c.test v1.3", .sni = "c.test"); /* b.test makes room */
	assert_seen(&l, "a.test v1.3", .sni = "a.test");
	assert_int_equal(tls_forge_count(l.bind->forge), 3);
	assert_seen(&l, "b.test v1.3", .sni = "b.test");
	assert_int_equal(tls_forge_count(l.bind->forge), 4);
	assert_seen(&l, "? v1.3", .sni = name); /* too long for a common name */
	assert_seen(&l, "first.test v1.3", .sni = "x,DNS:y");
	end_line(&l);
	tls_global.context_cache = 0;
	X509_free(ca);
	EVP_PKEY_free(key);
	free(pem);
	remove(path);
}

static int begin(void **state)
{
	(void)state;
	ec = test_key("EC");
	rsa = test_key("RSA");
	ed = test_key("ED25519");
	return 0;
}

static int end(void **state)
{
	(void)state;
	EVP_PKEY_free(ec);
	EVP_PKEY_free(rsa);
	EVP_PKEY_free(ed);
	SSL_SESSION_free(got);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_choose),
		cmocka_unit_test(filters_choose),
		cmocka_unit_test(keys_choose),
		cmocka_unit_test(own_signatures_choose),
		cmocka_unit_test(test_signs),
		cmocka_unit_test(bundles_are_default_together),
		cmocka_unit_test(strict_refuses),
		cmocka_unit_test(lines_have_settings),
		cmocka_unit_test(others_can_be_left_out),
		cmocka_unit_test(sessions_stay_where_they_were_made),
		cmocka_unit_test(entries_change),
		cmocka_unit_test(names_are_had_before),
		cmocka_unit_test(names_get_certificates),
	};

	return cmocka_run_group_tests(tests, begin, end);
}
