/* SPDX-License-Identifier: BSD-2-Clause */
/* What would help with an ACL that cannot be understood. For expr/acls.c and acl_doubt.c. */
#ifndef EXPR_ACL_HINT_H
#define EXPR_ACL_HINT_H

#include "expr/acl_conf.h"

/* Behind the problem that the word at st->at - 1 is no criterion. name: of its fetch. */
void acl_hint_criterion(struct statement *st, struct span name, bool anonymous);
/* Behind the problem that a word is no pattern. criterion: the word with the fetch. */
void acl_hint_value(struct statement *st, const struct acl_test *test, int criterion);
/* The word just consumed compares in another language, where it is a pattern: told. False: it does
 * not. */
bool acl_hint_compared(struct statement *st, const struct acl_test *test, int criterion);

#endif
