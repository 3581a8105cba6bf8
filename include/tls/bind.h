/* SPDX-License-Identifier: BSD-2-Clause */
/* TLS of a bind line: its certificates, crt-lists and what is asked of clients. Hung at
 * bind_conf->tls, NULL on plain lines. */
#ifndef TLS_BIND_H
#define TLS_BIND_H

#include "base/list.h"
#include "base/result.h"
#include "config/config.h"
#include "tls/context.h"
#include "tls/names.h"
#include "tls/settings.h"
#include "tls/store.h"

#include <openssl/ssl.h>
#include <stddef.h>

struct arena;
struct bind_conf;
struct module;
struct ssl_st;
struct tls_bind;
struct tls_forge;
struct tls_list;
struct tls_ticket_keys;
struct tls_list_line;

/* Words of bind lines and of the global section about TLS. */
extern const struct module tls_bind_module;

/* A fresh SSL for one accepted connection, with the line's settings; the callbacks choose the
 * certificate by the name asked for. NULL: no memory. */
struct ssl_st *tls_bind_ssl(struct tls_bind *bind);
/* The certificate that was chosen for the connection: also when a session was resumed and it was
 * not sent. NULL: none yet, or none at all. */
struct tls_cert *tls_bind_chosen(const struct ssl_st *ssl);

/* An SSL_CTX and the settings that it was made of: one for all lines of the same settings. */
struct tls_context {
	struct tls_context *next;
	struct tls_settings set;
	SSL_CTX *ctx;
	unsigned signs; /* TLS_CAN_...: keys that 'sigalgs' leaves */
	unsigned lines; /* that have it; the bind line's own one needs none */
};

/* One certificate for a bind line, and the names it is to be shown for: of a word "crt", or of a
 * line of a crt-list. */
struct tls_line {
	struct list node;      /* tls_bind.lines, in the order of rank */
	struct tls_user user;  /* of the entry */
	struct tls_bind *bind;
	struct tls_entry *entry;
	const struct tls_list *list; /* the file or directory that names it; NULL: the bind line */
	const struct tls_list_line *from; /* its line there */
	unsigned rank;         /* earlier lines win */
	unsigned group;        /* those of one word or line (bundles) have the same */
	bool fallback;         /* default-crt: also for those for whom there is nothing else */
	const char *const *filters; /* as written; NULL-terminated; NULL: the certificate's names */
	const struct tls_settings *set; /* what it says itself; NULL: nothing */
	struct tls_context *context; /* NULL: that of the bind line */
	struct tls_line_names {
		struct tls_name *names;
		char *text; /* theirs */
		unsigned count;
	} named, coming; /* coming: of a certificate that may be put in force, in no index yet */
};

struct tls_bind {
	struct list node;      /* tls_binds */
	struct bind_conf *conf;
	struct location loc;
	struct tls_settings set;
	struct tls_settings defaults; /* ssl-default-bind-*, as they stood above the line */
	struct list lines;     /* struct tls_line */
	unsigned next_rank, next_group;
	struct tls_names names;
	struct tls_context *contexts; /* the first one made is the bind line's own */
	struct tls_context *own;
	struct tls_offer offer;
	bool early;            /* some of its lines allow early data */
	const char *sign_file, *sign_pass; /* ca-sign-file, ca-sign-pass */
	struct tls_forge *forge; /* generate-certificates; NULL: not */
	struct tls_ticket_keys *ticket_keys; /* tls-ticket-keys; NULL: none */
};

/* All bind lines with TLS: struct tls_bind.node. */
extern struct list tls_binds;

/* The bind line's object, made at its first word about TLS. */
struct tls_bind *tls_bind_of(struct bind_conf *conf, struct config *cfg);
/* The context for these settings, once the bind line has its own: one that is there already when
 * they come to the same. NULL and err. */
struct tls_context *tls_bind_context(struct tls_bind *bind, const struct tls_settings *set,
				     struct err *err);
/* Adds the entries (of one word or line) to the bind line. filters and set (what the line says,
 * NULL: nothing of its own) stay the caller's. The names enter the index when contexts are there
 * (tls_bind_ready), else with them. 0, or -1 and err. */
struct tls_line_spec {
	struct tls_entry *const *entries;
	unsigned count;
	const char *const *filters;
	const struct tls_settings *set;
	const struct tls_list *list;
	const struct tls_list_line *from;
	bool fallback;
};
MUST_USE int tls_bind_add(struct tls_bind *bind, const struct tls_line_spec *spec, struct err *err);
/* What is wrong with the OCSP response of a certificate that was put in force at run time, for one of
 * the lines that show it: it is shown without. 0: nothing; or -1 and err. */
MUST_USE int tls_bind_ocsp(const struct tls_entry *entry, struct err *err);
/* Takes the line out of the index and frees it. */
void tls_line_free(struct tls_line **line);
/* Makes the contexts and the index. 0, or -1 after problems were reported. */
MUST_USE int tls_bind_ready(struct tls_bind *bind, struct config *cfg);
/* Frees everything that is not in the configuration's arena. */
void tls_bind_release(struct tls_bind *bind);

#endif
