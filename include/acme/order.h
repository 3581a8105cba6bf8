/* SPDX-License-Identifier: BSD-2-Clause */
/* An order for a certificate (RFC 8555 7), from the directory to the chain. Pure: it says what is
 * to be done, and is told how that went. client.c carries it out; order_test.c plays the authority.
 */
#ifndef ACME_ORDER_H
#define ACME_ORDER_H

#include "acme/answers.h"

/* What is wanted. Strings stay while the order is under way. */
struct acme_order_conf {
	const char *directory; /* URL */
	const char *contact;   /* mail; NULL: none */
	const char *kind;      /* "http-01", "tls-alpn-01" */
	const char *profile;   /* NULL: none */
	const char *domains;   /* small letters, separated by commas; names as tls_craft_is_name */
	/* externalAccountBinding (7.3.4) for this newAccount, as JSON, to be freed; NULL: no
	 * memory. */
	char *(*bind)(void *arg, const char *url);
	void *arg;             /* bind NULL: the account is bound to none */
};

enum acme_do {
	ACME_DO_GET,    /* url */
	ACME_DO_HEAD,   /* url: for a nonce */
	ACME_DO_POST,   /* url, payload, signed with nonce, and by the key itself or for account */
	ACME_DO_WAIT,   /* wait_s seconds */
	ACME_DO_ANSWER, /* make authz.token answered for authz.name; what was before need not be any
			   more */
	ACME_DO_KEY,    /* a key, and a request signed with it: acme_order_take_csr */
	ACME_DO_DONE,   /* chain is there */
	ACME_DO_FAIL,   /* why says why */
};

enum { ACME_WHY = 700, ACME_RETRIES = 3, ACME_NONCES = 25, ACME_PATIENCE_S = 300 };

struct acme_order {
	enum acme_do todo;
	const char *url, *payload; /* payload "": a POST-as-GET (6.3) */
	bool by_key;               /* the request carries the key, for there is no account yet */
	char nonce[256], account[ACME_URL];
	unsigned wait_s;
	struct acme_authz authz;
	char *chain;               /* PEM, from malloc */
	char why[ACME_WHY];        /* without a full stop */
	unsigned retry_s; /* least time that the authority wants until another try; 0: not said */

	/* ---- its own ---- */
	const struct acme_order_conf *conf;
	int step;                  /* enum step of order.c */
	char *made;                /* payload */
	struct acme_directory directory;
	char order_url[ACME_URL], finalize[ACME_URL], certificate[ACME_URL];
	char *authorizations;      /* ACME_URL bytes each */
	unsigned count, at;        /* of them */
	unsigned tries, nonces, waited_s;
	bool paused;               /* the wait is one before the same request again */
	char *csr;
};

/* What came. Strings are those of a message, and may be anything. */
struct acme_reply {
	unsigned status;
	struct span nonce, location, retry_after; /* fields; len 0: not there */
	struct span body;
};

/* Zeroed; says the first thing to do. */
void acme_order_begin(struct acme_order *o, const struct acme_order_conf *conf);
/* GET, HEAD, POST: it has come; or nothing has, for that reason (a sentence without full stop). */
void acme_order_take(struct acme_order *o, const struct acme_reply *r);
void acme_order_missed(struct acme_order *o, const char *why);
/* WAIT, ANSWER: it is done. */
void acme_order_go_on(struct acme_order *o);
/* KEY: base64url of the DER. */
void acme_order_take_csr(struct acme_order *o, const char *csr);
/* It cannot go on, for a reason that lies here. */
void acme_order_fail(struct acme_order *o, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* Frees what it holds; again does nothing. */
void acme_order_end(struct acme_order *o);

#endif
