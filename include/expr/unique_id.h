/* SPDX-License-Identifier: BSD-2-Clause */
/* The unique id of what the view shows (manual: unique-id-format). */
#ifndef EXPR_UNIQUE_ID_H
#define EXPR_UNIQUE_ID_H

#include "base/str.h"

struct view;

/* What the frontend's unique-id-format makes, once an exchange; ptr NULL: it has none.
 * Without an exchange it lies in memory that the next call writes to. */
struct span unique_id_of(const struct view *view);

#endif
