/* SPDX-License-Identifier: BSD-2-Clause */
/* What is asked: the words behind "penstock explain", or of a case of "penstock test". */
#ifndef EXPLAIN_ASK_H
#define EXPLAIN_ASK_H

#include "base/str.h"
#include "explain/inside.h"
#include "net/addr.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct arena;
struct err;

enum { ASK_MOST = 64 }; /* of each option that may be repeated */

struct ask_list {
	const char *items[ASK_MOST];
	unsigned count;
};

struct ask {
	struct arena *arena;
	const char *folder;      /* files are relative to it; NULL: to the current one */
	bool sure;               /* a listener that is not meant is a mistake */
	struct ask_list paths;   /* -f */
	const char *directory;   /* -C */
	const char *method, *target; /* what the client says; NULL: no request was given */
	const char *scheme;      /* "http", "https"; NULL: none was given */
	const char *user; /* of the URL, with its password: Basic, as browsers do; NULL: none */
	const char *host;        /* with its port, as the field says it; NULL: none */
	unsigned port;           /* of the URL, or by its scheme; 0: unknown */
	const char *version;     /* "1.1"; h2: where HTTP/2 is not agreed on */
	bool h2;                 /* the client speaks HTTP/2 */
	struct addr from, to;    /* family AF_UNSPEC: not given */
	const char *to_path;     /* of a Unix socket; NULL: none */
	const char *sni;
	const char *cert;        /* --cert */
	const char *frontend;    /* --frontend */
	struct ask_list fields, cookies, variables, expects, down;
	struct span body;
	bool has_body;
	struct span bytes;       /* --bytes: instead of a request */
	bool has_bytes, hello;   /* --hello: a ClientHello instead of a request */
	const char *alpn;        /* of that */
	unsigned status;         /* --server-answers; 200 */
	bool answer_given;
	struct ask_list answer_fields;
	struct span answer_body;
	bool json, all, quiet;
	int colour;              /* 1, 0; -1: on a terminal */
};

/* Reads the words: arena, folder and sure are the caller's. What it keeps lies in the arena, or is
 * the caller's. 0, or -1 and err: a sentence that names the word. */
int ask_parse(struct ask *ask, const char *const *words, unsigned count, struct err *err);
/* Is this an option? */
bool ask_has(const char *word);
/* Which of the options, and of one more, is meant by a word that is none, as suggest_put says it.
 * own may be NULL. False: none is like it. */
bool ask_meant(const char *word, const char *own, struct text *t);
/* The words, one line each. */
void ask_usage(FILE *out);
/* What the client is to send, and what the server is to answer. bytes: the frontend passes bytes,
 * so that a client of https begins with a ClientHello. */
struct span ask_request(const struct ask *ask, bool bytes);
struct span ask_answer(const struct ask *ask);

#endif
