/* SPDX-License-Identifier: BSD-2-Clause */
/* TLS of bind lines, all of them and each one: its certificates, the names they are for, and what
 * is asked of clients. Hung at bind_conf->tls, NULL on plain lines. Filled by tls/bind.h. */
#ifndef TLS_BINDS_H
#define TLS_BINDS_H

#include "base/list.h"
#include "config/config.h"
#include "tls/context.h"
#include "tls/names.h"
#include "tls/settings.h"
#include "tls/store.h"

#include <openssl/ssl.h>
#include <stdbool.h>

struct bind_conf;
struct tls_bind;
struct tls_forge;
struct tls_list;
struct tls_list_line;
struct tls_ticket_keys;

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

#endif
