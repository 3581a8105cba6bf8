/* SPDX-License-Identifier: BSD-2-Clause */
/* What an authority answers (RFC 8555), taken apart. Pure. Everything comes from a stranger:
 * lengths are bounded, URLs and tokens hold nothing that could end a line. Strings are cut to their
 * memory never: what does not fit makes the answer a broken one. */
#ifndef ACME_ANSWERS_H
#define ACME_ANSWERS_H

#include "base/str.h"

#include <stdbool.h>

enum { ACME_URL = 1024, ACME_TOKEN = 256, ACME_TEXT = 400, ACME_NAME = 256, ACME_URLS = 128 };

/* 7.1.1. */
struct acme_directory {
	char new_nonce[ACME_URL], new_account[ACME_URL], new_order[ACME_URL];
	bool wants_binding; /* externalAccountRequired */
};
bool acme_read_directory(struct span body, struct acme_directory *d);

/* 7.1.6: of orders and authorizations. */
enum acme_status {
	ACME_PENDING,
	ACME_READY,
	ACME_PROCESSING,
	ACME_VALID,
	ACME_INVALID,
	ACME_OTHER
};

/* RFC 7807: what went wrong, for people: printable ASCII. */
struct acme_problem {
	char type[64];      /* without "urn:ietf:params:acme:error:"; "": not said */
	char text[ACME_TEXT];
};
/* False: it is none. Subproblems (6.7.1) are added to the text. */
bool acme_read_problem(struct span body, struct acme_problem *p);

/* 7.1.3. */
struct acme_order_answer {
	enum acme_status status;
	char finalize[ACME_URL], certificate[ACME_URL]; /* "": not said */
	unsigned count;     /* of authorizations */
	struct acme_problem problem; /* "error" */
};
bool acme_read_order(struct span body, struct acme_order_answer *o);
/* The n-th authorization of it, from 0. */
bool acme_read_authorization(struct span body, unsigned n, char url[ACME_URL]);

/* 7.1.4, and the challenge of that kind in it. */
struct acme_authz {
	enum acme_status status;
	char name[ACME_NAME]; /* the identifier, in small letters */
	bool offered;       /* the kind is among its challenges */
	char url[ACME_URL], token[ACME_TOKEN];
	enum acme_status challenge;
	struct acme_problem problem; /* of a challenge that has failed */
};
bool acme_read_authz(struct span body, const char *kind, struct acme_authz *a);

#endif
