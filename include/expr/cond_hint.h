/* SPDX-License-Identifier: BSD-2-Clause */
/* What would help with a condition that cannot be understood. For expr/cond.c alone. */
#ifndef EXPR_COND_HINT_H
#define EXPR_COND_HINT_H

#include "config/config.h"

/* Behind the problem that the word, without its '!', names no ACL. False: nothing special is known
 * of it, so that nearest names may help. */
bool cond_hint_word(struct statement *st, const char *word, bool negated);
/* Behind the problem that a word stands in the place of 'if'. */
void cond_hint_value(struct statement *st);

#endif
