/* SPDX-License-Identifier: BSD-2-Clause */
/* --expect: what is wanted of a request that was explained. */
#ifndef EXPLAIN_EXPECT_H
#define EXPLAIN_EXPECT_H

#include "base/str.h"

#include <stdio.h>

struct err;
struct record;

/* Is it one: WHAT=VALUE, WHAT!=VALUE, WHAT~TEXT (contains)? 0, or -1 and err. */
int expect_check(const char *expectation, struct err *err);
/* Does it hold? answer, request: the heads as the client and the server got them. Says on out what
 * differs. */
bool expect_holds(const char *expectation, const struct record *r, struct span answer,
		  struct span request, FILE *out);

#endif
