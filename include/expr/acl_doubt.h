/* SPDX-License-Identifier: BSD-2-Clause */
/* Patterns of ACLs that are right, but hardly meant so. */
#ifndef EXPR_ACL_DOUBT_H
#define EXPR_ACL_DOUBT_H

#include <stdbool.h>

struct acl_test;
struct statement;

/* The word just consumed is a pattern of the test, whose criterion is word `criterion`; or, where
 * the test has no patterns, is not looked at. Told, if it is hardly meant so. */
bool acl_doubt_pattern(struct statement *st, int criterion, const struct acl_test *test);
/* Is the word just consumed, a pattern, meant to stand between two tests: "path /a or path /b"?
 * Told, if so. */
bool acl_doubt_words(struct statement *st);

#endif
