/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Session tickets: state that clients keep for us, sealed with keys that all workers share. Three
 * keys are known at a time: the one before, the one in use, and the next, which is given to all
 * before it is used. A fresh key becomes the next one and the oldest is forgotten.
 *
 * Bind lines without a file use keys that are made here and are replaced on a schedule; through the
 * ordered log like those of "set ssl tls-key". They pass over reloads.
 */
#ifndef TLS_TICKETS_H
#define TLS_TICKETS_H

#include "base/result.h"

#include <openssl/ssl.h>
#include <stdbool.h>
#include <stddef.h>

struct change_kind;
struct err;
struct tls_ticket_keys;

enum { TLS_TICKET_KEYS = 3, TLS_TICKET_KEY_MOST = 80 };

/* tls-ticket-keys: the keys of a file, read once for one path. NULL and err. */
struct tls_ticket_keys *tls_tickets_file(const char *path, struct err *err);
/* A context that accepts uses them; keys NULL: those that are replaced by themselves. Lines with
 * no-tls-tickets do not call it, but set SSL_OP_NO_TICKET. 0, or -1: no memory. */
MUST_USE int tls_tickets_attach(SSL_CTX *ctx, struct tls_ticket_keys *keys);

/* ---- for commands ------------------------------------------------------------------------ */

/* In the order of their numbers; NULL: the first; NULL: no more. */
struct tls_ticket_keys *tls_tickets_next(const struct tls_ticket_keys *keys);
/* By "#id" or name of the file; NULL: there are none such. */
struct tls_ticket_keys *tls_tickets_find(const char *reference);
unsigned tls_tickets_id(const struct tls_ticket_keys *keys);
const char *tls_tickets_name(const struct tls_ticket_keys *keys);
/* Bytes of each, 48 or 80; i < TLS_TICKET_KEYS, the oldest first. */
size_t tls_tickets_key(const struct tls_ticket_keys *keys, unsigned i, const unsigned char **bytes);
/* It becomes the next one. false: of another size. */
MUST_USE bool tls_tickets_push(struct tls_ticket_keys *keys, const unsigned char *bytes,
			       size_t len);

extern const struct change_kind tls_tickets_change;

/* ---- for tls/sessions.c, whose module does it ----------------------------------------------- */

/* Before the first fork: fresh keys, or those that an earlier image has left. They are replaced
 * each hour, but not before tickets that were sealed with the ones before have expired, which live
 * so long. */
MUST_USE int tls_tickets_prepare(unsigned lifetime_ms, struct err *err);
/* In the process that speaks for all: replaces keys. */
void tls_tickets_lead(void);
/* The same in a parent whose reload has failed: those of the workers that serve on. */
void tls_tickets_wait(void);
/* In a process that serves: it does not. */
void tls_tickets_follow(void);

#endif
