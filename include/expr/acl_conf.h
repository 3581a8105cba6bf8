/* SPDX-License-Identifier: BSD-2-Clause */
/* ACLs as objects, for acls.c and cond.c. */
#ifndef EXPR_ACL_CONF_H
#define EXPR_ACL_CONF_H

#include "base/catalog.h"
#include "expr/acl.h"

/* One sample against one set of patterns. */
struct acl_test {
	struct acl_test *next;
	struct expr *expr;
	enum match match;
	struct pattern_set *patterns; /* of each file, then of the line itself: next */
	struct acl_test *next_group; /* of those with MATCH_GROUP, until their names are checked */
	struct location loc;
};

/* Tests of one name, any of which suffices. */
struct acl {
	struct acl *next;
	const char *name; /* NULL: anonymous */
	bool lines;       /* it stands in lines of the section: a later one may add a test */
	bool used;        /* a condition names it */
	bool asked;       /* an expression names it: asked.c */
	struct acl_test *tests, **tail;
};

struct acl_set {
	struct acl *first;
	struct acl *predefined; /* that were used */
	struct catalog names;
};

/* Is the word the name of a fetch or a criterion, maybe with arguments and converters? */
bool cond_is_test(const char *word);
/* The ACL of this name in the proxy, or the predefined one. NULL: there is none. known: the
 * manual has it, but it is not supported yet. */
struct acl *acl_find(struct statement *st, struct proxy *proxy, const char *name, bool *known);
/* The one that the proxy itself has declared; NULL: none. */
struct acl *acl_of(const struct proxy *proxy, const char *name);
/* Names of the proxy's ACLs, NULL-terminated, for hints. */
const char *const *acl_names(struct statement *st, const struct proxy *proxy);
/* Parses "<criterion> [flags] [operator] <value>..." up to the end of the line, or for an anonymous
 * ACL to the word "}", which it leaves. used: is the ACL, when all has been read? NULL: it is. NULL
 * after a report. */
struct acl_test *acl_test_parse(struct statement *st, struct proxy *proxy, bool anonymous,
				const bool *used);
/* An ACL without a name. */
struct acl *acl_new(struct arena *arena, const char *name);
void acl_add_test(struct acl *acl, struct acl_test *test);
/* MATCH_GROUP: once userlists are known, do their groups exist? 0, or -1. */
int acl_check_groups(struct config *cfg, const struct acl_test *list);
enum cond_result acl_eval(const struct acl *acl, const struct view *view, unsigned place);

#endif
