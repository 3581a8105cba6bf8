/* SPDX-License-Identifier: BSD-2-Clause */
/* Persistence: which server a request goes back to, by a cookie or by rules, and the cookie that
 * responses tell about it. */
#ifndef EXCHANGE_PERSIST_H
#define EXCHANGE_PERSIST_H

#include "base/result.h"
#include "base/str.h"
#include "config/module.h"
#include "exchange/exchange_part.h"
#include "proxy/part.h"

#include <stdbool.h>
#include <stdint.h>

struct cond;

enum cookie_mode { COOKIE_PASSIVE, COOKIE_REWRITE, COOKIE_INSERT, COOKIE_PREFIX };

/* A cookie line. */
struct cookie_conf {
	struct span name;
	enum cookie_mode mode;
	bool indirect, nocache, postonly, preserve, dynamic;
	unsigned maxidle_ms, maxlife_ms; /* 0: not limited */
	const char *attributes;          /* behind "path=/", for inserted cookies: "; HttpOnly" */
};

enum { PERSIST_KEY_MOST = 512 }; /* bytes of a key that count */

/* What a section says of cookies. */
struct persist_conf {
	const struct cookie_conf *cookie; /* NULL: it has no line */
	const char *dynamic_key;          /* NULL: none */
};

extern struct proxy_part persist_part;
extern struct exchange_part cookie_dates_part;
/* Its cookie line; NULL: none. */
static inline const struct cookie_conf *persist_cookie(const struct proxy *px)
{
	const struct persist_conf *conf = proxy_part(px, &persist_part);

	return conf ? conf->cookie : NULL;
}
/* dynamic-cookie-key; NULL: none. */
static inline const char *persist_key(const struct proxy *px)
{
	const struct persist_conf *conf = proxy_part(px, &persist_part);

	return conf ? conf->dynamic_key : NULL;
}

/* What commands say of dynamic cookies. */
struct persist_dynamic {
	struct persist_dynamic *next;
	const struct proxy *px;
	enum { DYNAMIC_AS_CONFIGURED, DYNAMIC_ON, DYNAMIC_OFF } made;
	bool has_key;                  /* else it is that of the configuration */
	char key[PERSIST_KEY_MOST + 1];
};

/* Dates in cookies count steps of four seconds in 30 bits, written as five characters. */
enum { COOKIE_DATE_LEN = 5 };
void cookie_date_write(char text[COOKIE_DATE_LEN], uint32_t date);
/* 0: none, or malformed. */
uint32_t cookie_date_read(struct span text);

/* The value that stands for a server; "" when it has none. Valid until its address changes. */
struct span persist_value(const struct server *server);

/* The request's head is complete and the backend known: finds the server that the request asks
 * for, and takes out of the Cookie fields what the server must not see. False: no memory. */
MUST_USE bool persist_request(struct exchange *x);
/* A response of a server: rewrites, deletes or adds Set-Cookie. False: no memory. */
MUST_USE bool persist_response(struct exchange *x);
/* The server could not be reached: another one is taken. */
void persist_lost(struct exchange *x);

/* For commands: whether a backend makes values of its own, whatever its cookie line says, and of
 * which key. Values that clients have are those of other servers, or none, from then on. 0, or
 * -1: no memory. */
MUST_USE int persist_dynamic_set(struct proxy *px, bool on);
MUST_USE int persist_dynamic_key(struct proxy *px, const char *key);
extern struct proxy_part persist_dynamic_part;
/* NULL: they have said nothing. */
static inline const struct persist_dynamic *persist_dynamic_of(const struct proxy *px)
{
	return proxy_part(px, &persist_dynamic_part);
}

extern const struct module persist_module;

#endif
