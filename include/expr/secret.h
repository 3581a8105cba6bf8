/* SPDX-License-Identifier: BSD-2-Clause */
/* Secrets that stand in a configuration for everybody who reads it. */
#ifndef EXPR_SECRET_H
#define EXPR_SECRET_H

#include "base/str.h"

struct statement;

/* A note if word i is the value of a field of this name that others should not know. */
void doubt_secret(struct statement *st, int i, struct span name);
/* A note if word i, in which a password stands, has no variable of the environment. */
void doubt_password(struct statement *st, int i);

#endif
