/* SPDX-License-Identifier: BSD-2-Clause */
/* The aliases of log formats: %ci and its like, as rows. For the files logformat_*.c. */
#ifndef EXPR_LOGFORMAT_ALIAS_H
#define EXPR_LOGFORMAT_ALIAS_H

#include "base/str.h"

#include <stddef.h>

struct view;

enum { LF_QUOTE = 1 << 0, LF_HEX = 1 << 1, LF_ESCAPE = 1 << 2,
       LF_RAW = 1 << 3, LF_HTTP = 1 << 4, /* the style: see logformat.h */
       LF_JSON = 1 << 5, LF_CBOR = 1 << 6, /* encoded so; at most one of them */
       LF_BIN = 1 << 7, /* bytes of values are left alone; CBOR is not hexadecimal */
       LF_BARE = 1 << 8 }; /* the value alone, for who encodes it: nothing for what is absent */

/* What an alias needs before it can be written. */
enum alias_needs {
	NEEDS_CONNECTION, /* what is known once the server is connected */
	NEEDS_END,        /* what may change until the end */
};
/* What an alias asks for, and what it writes. */
enum { ALIAS_HTTP = 1 << 0, /* a frontend in mode http */
       ALIAS_URI = 1 << 1,  /* the target, behind the request */
       ALIAS_LIST = 1 << 2, /* of captures: without any, the blanks around it become one */
       ALIAS_NUMBER = 1 << 3, /* a whole number in decimal; with LF_BARE without any sign but '-' */
       ALIAS_HEX = 1 << 4,  /* which LF_HEX writes otherwise */
};

struct alias {
	const char *name;
	void (*write)(struct text *t, const struct view *view, unsigned flags); /* LF_* */
	enum alias_needs needs;
	const char *help;
	unsigned traits; /* ALIAS_* */
};
typedef void alias_write(struct text *t, const struct view *view, unsigned flags);
/* In logformat_http.c. */
alias_write alias_CC, alias_CS, alias_HM, alias_HP, alias_HPO, alias_HQ, alias_HU, alias_HV;
alias_write alias_ID, alias_ST, alias_TR, alias_Ta, alias_Ti, alias_Tq, alias_Tr;
alias_write alias_hr, alias_hrl, alias_hs, alias_hsl, alias_r;
alias_write alias_tr, alias_trg, alias_tri, alias_trl, alias_tsc;

/* NULL: no such alias. */
const struct alias *alias_find(struct span name);
/* Row n, for help; NULL behind the last. */
const struct alias *alias_row(size_t n);
/* The name that is nearest to a misspelt one; NULL: none is near. */
const char *alias_nearest(struct span name);

/* A value as the flags want it: quoted, escaped; absent (ptr NULL): "-", or "" in quotes. Control
 * characters become #XX (manual 8.6): nobody forges a second line. LF_HTTP: all but tabs become
 * %XX, and what is absent leaves nothing; LF_RAW: bytes are left alone, and so nothing for what is
 * absent, but for its quotes; LF_BARE: neither quotes nor escapes. */
void logformat_put(struct text *t, struct span value, unsigned flags);

/* "2026-11-21T01:49:47.054+00:00" */
struct timeval;
void logformat_put_iso(struct text *t, const struct timeval *at);

#endif
