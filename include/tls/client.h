/* SPDX-License-Identifier: BSD-2-Clause */
/* TLS towards servers: what the words of a server line say, ready to connect. Hung at server->tls
 * and, for checks, at server->check_tls (the same object); NULL: plain. Free of OpenSSL's headers:
 * upper layers include it. */
#ifndef TLS_CLIENT_H
#define TLS_CLIENT_H

#include "base/result.h"
#include "base/str.h"

#include <stdbool.h>

struct arena;
struct conn;
struct err;
struct module;
struct ssl_st;
struct tls_client;
struct tls_settings;
struct tls_target;
struct text;

/* Words of the global section: ssl-default-server-*, ssl-server-verify. */
extern const struct module tls_client_module;

/* What one server line says. Strings must live as long as the client. */
struct tls_client_conf {
	const struct tls_settings *set; /* complete: the defaults were put under it */
	const char *crt;                /* our certificate, full path or "@store/alias"; NULL:
					 * none */
	const char *verifyhost;         /* the name that it must be for, when none is asked for;
					 * NULL */
	const void *generation;         /* only what has the same is shared */
};

/* Reads a certificate and its key, so that tls_client_new finds them wherever the process is then:
 * the path, with crt-base in front, in the arena; NULL and err. */
const char *tls_client_read(struct arena *arena, const char *name, struct err *err);

/* The same while the program serves: no file is read, it must have been loaded. NULL and err. */
const char *tls_client_known(struct arena *arena, const char *name, struct err *err);
/* Reads the files that it names. Servers that say the same share what is made of it, but not their
 * sessions. NULL and err. */
struct tls_client *tls_client_new(const struct tls_client_conf *conf, struct err *err);
/* What is doubtful of the chain of our certificate, told once: a sentence; NULL: nothing. */
const char *tls_client_doubt(const struct tls_client *client);
/* Is it not valid now? Then a sentence; once. */
MUST_USE bool tls_client_aged(const struct tls_client *client, struct text *t);
/* Its server has gone: it uses its files no more, which may be deleted. Connections of it go on.
 * client NULL: does nothing. */
void tls_client_leave(struct tls_client *client);
/* No connection may be left that was made by it. */
void tls_client_free(struct tls_client **client);

/* A fresh SSL for one connection: settings, name, session to resume. NULL: no memory, or a name
 * that cannot be one. */
struct ssl_st *tls_client_ssl(struct tls_client *client, const struct tls_target *target);

/* How many of len bytes may be said along with the first message: by the line's words and the
 * session that will be resumed. */
size_t tls_client_early(const struct ssl_st *ssl, size_t len);

/* The name that the connection asked for (SNI); empty: none, or not one of ours. */
struct span tls_client_name(const struct conn *conn);
/* Was it made with the certificate and the authorities that are in force now? (Or by none of
 * ours.) */
MUST_USE bool tls_client_is_current(const struct conn *conn);
/* What some connections were made with is not in force any more. Installed by who keeps
 * connections; NULL: nobody does. */
extern void (*tls_client_changed)(void);
/* Its handshake has failed: the session that it tried to resume, if any, is not tried again. */
void tls_client_forget(const struct conn *conn);
/* Why its handshake failed, or has not come to its end: a sentence; and OpenSSL's reason in its own
 * words, "error:0A000086:SSL routines::certificate verify failed", or nothing. */
void tls_client_say(const struct conn *conn, struct text *t);
void tls_client_say_library(const struct conn *conn, struct text *t);
/* Was it the name in the server's certificate? */
MUST_USE bool tls_client_wrong_name(const struct conn *conn);

#endif
