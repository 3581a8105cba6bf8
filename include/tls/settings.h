/* SPDX-License-Identifier: BSD-2-Clause */
/* What bind lines, server lines, crt-list lines and the ssl-default-* words of the global section
 * can say of TLS, and the SSL_CTX that obeys it. Free of OpenSSL's headers: struct server_settings
 * embeds one. */
#ifndef TLS_SETTINGS_H
#define TLS_SETTINGS_H

#include "base/result.h"
#include "config/keyword.h"
#include "base/str.h"

#include <stdbool.h>

struct arena;
struct err;
struct ssl_ctx_st; /* OpenSSL's SSL_CTX */
struct ssl_st;
struct statement;

enum { TLS_NO_TICKETS = 1 << 0, TLS_PREFER_CLIENT_CIPHERS = 1 << 1, TLS_STRICT_SNI = 1 << 2,
       TLS_NO_CA_NAMES = 1 << 3, TLS_ALLOW_0RTT = 1 << 4, TLS_GENERATE = 1 << 5,
       TLS_NO_REUSE = 1 << 6, TLS_SSL = 1 << 7 /* the word "ssl" itself */,
       TLS_KERNEL = 1 << 8 /* ktls on */ };

enum tls_verify { TLS_VERIFY_UNSET, TLS_VERIFY_NONE, TLS_VERIFY_OPTIONAL, TLS_VERIFY_REQUIRED };

/* Errors of certificates (X509_V_ERR_*) that are no reason to refuse: one bit each. */
struct tls_ignore {
	uint64_t bits[2];
};

/* NULL, 0: not given, the default (ssl-default-*, then the library's) holds. Strings live in the
 * arena that the parser was given. */
struct tls_settings {
	struct options options;      /* TLS_* */
	int min_version, max_version; /* TLS1_2_VERSION ... */
	unsigned forbidden;          /* no-tlsv1x: bit n for TLS 1.n, bit 31 for SSLv3 */
	const char *ciphers, *ciphersuites, *curves, *ecdhe, *sigalgs, *client_sigalgs;
	struct span alpn;            /* in the form of the wire */
	bool has_alpn;               /* given; alpn empty: "no-alpn" */
	enum tls_verify verify;
	const char *ca_file, *ca_verify_file, *crl_file; /* full paths: ca-base was put in front */
	const struct tls_ignore *ca_ignore, *crt_ignore; /* above the leaf, of the leaf */
};

/* Who may say a word of TLS. */
enum { TLS_IN_BIND = 1 << 0, TLS_IN_SERVER = 1 << 1, TLS_IN_LIST = 1 << 2,
       TLS_IN_DEFAULT = 1 << 3 /* ssl-default-bind-options, ssl-default-server-options */ };

/* Is it one of the words that set tls_settings, there? Then how many arguments it has (0, 1).
 * -1: it is none. */
MUST_USE int tls_settings_word(const char *word, unsigned where);
/* Obeys the word. arg: its argument, if it has one. Strings are kept in the arena. 0, or -1 and
 * err, which says what was expected. */
MUST_USE int tls_settings_set(struct tls_settings *set, const char *word, const char *arg,
			      struct arena *arena, struct err *err);
/* Rows of words of bind lines and server lines call this: the words of st->at from here on.
 * 0, or -1 after a report. */
MUST_USE int tls_settings_parse(struct statement *st, const char *word, struct tls_settings *set);

/* What is given in over holds, the rest is under's. */
void tls_settings_inherit(struct tls_settings *over, const struct tls_settings *under);
/* With strings and lists of its own, in the arena. */
void tls_settings_copy(struct tls_settings *to, const struct tls_settings *from,
		       struct arena *arena);
/* Do they come to the same? */
MUST_USE bool tls_settings_equal(const struct tls_settings *a, const struct tls_settings *b);
/* The versions that are left: TLS1_VERSION ..., both ends included, and in *without (may be
 * NULL) the bits of SSL_OP_NO_* for holes in between. *doubt (may be NULL) is a sentence when
 * words contradict each other and the manual says which counts, else NULL. 0, or -1 and err:
 * none is left. */
MUST_USE int tls_settings_versions(const struct tls_settings *set, int *min, int *max,
				   uint64_t *without, const char **doubt, struct err *err);
/* A context for accepting (server) or connecting, without certificates. Keeps a copy of what is
 * set. NULL and err when a value is not one that the library takes. */
struct ssl_ctx_st *tls_settings_context(const struct tls_settings *set, bool server,
					struct err *err);
/* Takes over to the SSL what does not come with the context it is put on by SSL_set_SSL_CTX. */
void tls_settings_switch(struct ssl_st *ssl, struct ssl_ctx_st *ctx);

/* Of the global section, in force while reading and later; see tls/bind_conf.c. */
struct tls_global {
	struct tls_settings bind, server; /* ssl-default-bind-*, ssl-default-server-* */
	const struct tls_settings *server_copy; /* newest of tls_server_defaults */
	unsigned default_dh;      /* tune.ssl.default-dh-param, bits; 0: not given */
	unsigned context_cache;   /* tune.ssl.ssl-ctx-cache-size, certificates */
};
extern struct tls_global tls_global;
/* The words ssl-default-server-* above the line that is being read, for its server: to be kept in
 * the arena of the generation. NULL: none. */
const struct tls_settings *tls_server_defaults(struct arena *arena);

#endif
