/* SPDX-License-Identifier: BSD-2-Clause */
/* What would help with a condition that cannot be understood. For expr/cond.c alone. */
#ifndef EXPR_COND_HINT_H
#define EXPR_COND_HINT_H

#include "config/config.h"

struct proxy;

/* Behind the problem that the word, without its '!', names no ACL. False: nothing special is known
 * of it, so that nearest names may help. */
bool cond_hint_word(struct statement *st, const char *word, bool negated);
/* The same: the nearest that the section declares, or all of them. */
void cond_hint_names(struct statement *st, const struct proxy *proxy, const char *name);
/* The same where it is one of another section. */
bool cond_hint_elsewhere(struct statement *st, const struct proxy *proxy, const char *name);
/* Behind the problem that the '{' at open is not closed. */
void cond_hint_brace(struct statement *st, int open);
/* Behind the problem that a word stands in the place of 'if': it begins a condition, or is meant
 * for 'if'. False: neither. */
bool cond_hint_if(struct statement *st, const struct proxy *proxy, const char *word);
/* The same where it is the rest of a value. */
void cond_hint_value(struct statement *st);

#endif
