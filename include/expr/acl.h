/* SPDX-License-Identifier: BSD-2-Clause */
/* Access control lists: named tests of samples against patterns, and the conditions that are
 * formed of them ("if a !b or { src 10.0.0.0/8 }"). Manual 7.1, 7.2 and 7.4. Tables of words
 * name the ACL-only variants of fetches and the predefined ACLs. */
#ifndef EXPR_ACL_H
#define EXPR_ACL_H

#include "config/config.h"
#include "expr/expr.h"
#include "expr/pattern.h"

struct acl_set; /* the ACLs of a proxy: proxy.acls */
struct cond;
struct proxy;

/* Words that name a fetch together with a match method. */
struct acl_word {
	const char *name, *fetch;
	enum match match;
};
/* ACLs that need no declaration: the words behind the name, parted by blanks. */
struct acl_predefined {
	const char *name, *words;
};
/* The last rows have no names. */
extern const struct acl_word acl_words[];
extern const struct acl_predefined acl_predefined[];

/* The one of acl_words that has the name; NULL: none. */
const struct acl_word *acl_word_find(struct span name);
/* Is there one? */
bool acl_word_known(struct span name);

enum cond_result {
	COND_NO, COND_YES,
	COND_WAIT,    /* not known yet */
	COND_UNKNOWN, /* will not be known: a regular expression was given up. Rules that refuse
		       * run, no others */
};

/* "acl <name> <criterion> [flags] [operator] <value>..." */
keyword_parse acl_parse;

/* Parses "if <condition>" or "unless <condition>" to the end of the line. *cond stays NULL
 * when the line is at its end already. where: AT_* that the rule runs at; what cannot be
 * found there is warned about, as "tcp-request connection". 0, or -1 after a report. */
int cond_parse(struct statement *st, struct proxy *proxy, unsigned where, const char *rule,
	       struct cond **cond);
/* Does it hold whatever comes: "if TRUE", or NULL? Does it never hold: "if FALSE"? Of all that is
 * known now: where cond_settled says no, lines that are still to be read may change it. */
bool cond_always(const struct cond *cond);
bool cond_never(const struct cond *cond);
bool cond_settled(const struct cond *cond);
/* Does it look at the bytes of request or response? */
bool cond_looks(const struct cond *cond);
/* place: one AT_* bit, with AT_FINAL when nobody waits any more: never COND_WAIT then. NULL
 * is a condition that always holds. */
enum cond_result cond_eval(const struct cond *cond, const struct view *view, unsigned place);

#endif
